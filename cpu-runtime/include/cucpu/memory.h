/* memory.h: loads and stores with cache hints (plain accesses on a CPU), address spaces.
**
** A loop may poll by any of these loads but __ldg: the mark !nontemporal says so (passes/scalar/hold_polled_loads.c). */
#ifndef CUCPU_MEMORY_H
#define CUCPU_MEMORY_H
#include "../vector_types.h"
#include "defs.h"

/* A __shared__ variable whose constructor is not run: launcher/raw_shared.c. */
template <class T_> union cucpu_raw {
    T_ value_;
    __host__ __device__ cucpu_raw() {}
    __host__ __device__ ~cucpu_raw() {}
};

/* Vector types: what exchanges data with other threads (__ldcg, __ldcv, __stcg, __stwt) is one access, so that a flag and its value come
** together (passes/import/single_accesses.c). */
typedef unsigned short cucpu_bits2_ __attribute__((may_alias));
typedef unsigned int cucpu_bits4_ __attribute__((may_alias));
typedef unsigned long long cucpu_bits8_ __attribute__((may_alias));
typedef unsigned __int128 cucpu_bits16_ __attribute__((may_alias));
#define CUCPU_NUMBERS_(T) CUCPU_CACHED_(T, __builtin_nontemporal_load(p_), __builtin_nontemporal_load(p_), *p_ = v_)
#define CUCPU_VECTORS_(T, bytes)                                                                                             \
    CUCPU_CACHED_(T, *p_, __builtin_bit_cast(T, __builtin_nontemporal_load((const cucpu_bits##bytes##_ *)(const void *)p_)), \
                  __builtin_nontemporal_store(__builtin_bit_cast(cucpu_bits##bytes##_, v_), (cucpu_bits##bytes##_ *)(void *)p_))
#define CUCPU_CACHED_(T, again, polled, exchanged)                                                 \
    CUCPU_D T __ldg(const T *p_) CUCPU_BODY_(return *p_;)                                          \
    CUCPU_D T __ldcg(const T *p_) CUCPU_BODY_(return polled;)                                      \
    CUCPU_D T __ldca(const T *p_) CUCPU_BODY_(return again;)                                       \
    CUCPU_D T __ldcs(const T *p_) CUCPU_BODY_(return again;)                                       \
    CUCPU_D T __ldlu(const T *p_) CUCPU_BODY_(return again;)                                       \
    CUCPU_D T __ldcv(const T *p_) CUCPU_BODY_(return polled;)                                      \
    CUCPU_D void __stwb(T *p_, T v_) CUCPU_BODY_(*p_ = v_;)                                        \
    CUCPU_D void __stcg(T *p_, T v_) CUCPU_BODY_(exchanged;)                                       \
    CUCPU_D void __stcs(T *p_, T v_) CUCPU_BODY_(*p_ = v_;)                                        \
    CUCPU_D void __stwt(T *p_, T v_) CUCPU_BODY_(exchanged;)
CUCPU_NUMBERS_(char) CUCPU_NUMBERS_(signed char) CUCPU_NUMBERS_(unsigned char)
CUCPU_NUMBERS_(short) CUCPU_NUMBERS_(unsigned short)
CUCPU_NUMBERS_(int) CUCPU_NUMBERS_(unsigned int)
CUCPU_NUMBERS_(long) CUCPU_NUMBERS_(unsigned long)
CUCPU_NUMBERS_(long long) CUCPU_NUMBERS_(unsigned long long)
CUCPU_NUMBERS_(float) CUCPU_NUMBERS_(double)
CUCPU_VECTORS_(char2, 2) CUCPU_VECTORS_(char4, 4) CUCPU_VECTORS_(uchar2, 2) CUCPU_VECTORS_(uchar4, 4)
CUCPU_VECTORS_(short2, 4) CUCPU_VECTORS_(short4, 8) CUCPU_VECTORS_(ushort2, 4) CUCPU_VECTORS_(ushort4, 8)
CUCPU_VECTORS_(int2, 8) CUCPU_VECTORS_(uint2, 8) CUCPU_VECTORS_(float2, 8)
CUCPU_VECTORS_(int4, 16) CUCPU_VECTORS_(uint4, 16) CUCPU_VECTORS_(float4, 16)
CUCPU_VECTORS_(longlong2, 16) CUCPU_VECTORS_(ulonglong2, 16) CUCPU_VECTORS_(double2, 16)
#undef CUCPU_NUMBERS_
#undef CUCPU_VECTORS_
#undef CUCPU_CACHED_

CUCPU_D unsigned __isGlobal(const void *p_) { return __nvvm_isspacep_global(p_); }
CUCPU_D unsigned __isShared(const void *p_) { return __nvvm_isspacep_shared(p_); }
CUCPU_D unsigned __isCtaShared(const void *p_) { return __nvvm_isspacep_shared(p_); }
CUCPU_D unsigned __isConstant(const void *p_) { return __nvvm_isspacep_const(p_); }
CUCPU_D unsigned __isLocal(const void *p_) { return __nvvm_isspacep_local(p_); }
CUCPU_D unsigned __isGridConstant(const void *p_) { return __nvvm_isspacep_const(p_); }
CUCPU_D size_t __cvta_generic_to_global(const void *p_) {
    return (size_t)(__attribute__((address_space(1))) const void *)p_;
}
/* As a number an address in shared memory counts from the block's memory, as in PTX: 32 bits hold it. */
__device__ char *cucpu_shared_base_(void) CUCPU_INTRINSIC("cucpu.shared");
CUCPU_D size_t __cvta_generic_to_shared(const void *p_) {
    return (size_t)((const char *)p_ - cucpu_shared_base_());
}
CUCPU_D size_t __cvta_generic_to_constant(const void *p_) {
    return (size_t)(__attribute__((address_space(4))) const void *)p_;
}
CUCPU_D size_t __cvta_generic_to_local(const void *p_) {
    return (size_t)(__attribute__((address_space(5))) const void *)p_;
}
CUCPU_D void *__cvta_global_to_generic(size_t a_) {
    return (void *)(__attribute__((address_space(1))) void *)a_;
}
CUCPU_D void *__cvta_shared_to_generic(size_t a_) { return cucpu_shared_base_() + a_; }
CUCPU_D void *__cvta_constant_to_generic(size_t a_) {
    return (void *)(__attribute__((address_space(4))) void *)a_;
}
CUCPU_D void *__cvta_local_to_generic(size_t a_) {
    return (void *)(__attribute__((address_space(5))) void *)a_;
}
CUCPU_D size_t __cvta_generic_to_grid_constant(const void *p_) { return (size_t)p_; }
CUCPU_D void *__cvta_grid_constant_to_generic(size_t a_) { return (void *)a_; }
#endif
