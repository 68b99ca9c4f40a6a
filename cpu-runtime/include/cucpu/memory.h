/* memory.h: loads and stores with cache hints (plain accesses on a CPU), address spaces. */
#ifndef CUCPU_MEMORY_H
#define CUCPU_MEMORY_H
#include "../vector_types.h"
#include "defs.h"

#define CUCPU_LOADS_(T)                                                                            \
    CUCPU_D T __ldg(const T *p) { return *p; }                                                     \
    CUCPU_D T __ldcg(const T *p) { return *p; }                                                    \
    CUCPU_D T __ldca(const T *p) { return *p; }                                                    \
    CUCPU_D T __ldcs(const T *p) { return *p; }                                                    \
    CUCPU_D T __ldlu(const T *p) { return *p; }                                                    \
    CUCPU_D T __ldcv(const T *p) { return *p; }                                                    \
    CUCPU_D void __stwb(T *p, T v) { *p = v; }                                                     \
    CUCPU_D void __stcg(T *p, T v) { *p = v; }                                                     \
    CUCPU_D void __stcs(T *p, T v) { *p = v; }                                                     \
    CUCPU_D void __stwt(T *p, T v) { *p = v; }
CUCPU_LOADS_(char) CUCPU_LOADS_(signed char) CUCPU_LOADS_(unsigned char)
CUCPU_LOADS_(short) CUCPU_LOADS_(unsigned short)
CUCPU_LOADS_(int) CUCPU_LOADS_(unsigned int)
CUCPU_LOADS_(long) CUCPU_LOADS_(unsigned long)
CUCPU_LOADS_(long long) CUCPU_LOADS_(unsigned long long)
CUCPU_LOADS_(float) CUCPU_LOADS_(double)
CUCPU_LOADS_(char2) CUCPU_LOADS_(char4) CUCPU_LOADS_(uchar2) CUCPU_LOADS_(uchar4)
CUCPU_LOADS_(short2) CUCPU_LOADS_(short4) CUCPU_LOADS_(ushort2) CUCPU_LOADS_(ushort4)
CUCPU_LOADS_(int2) CUCPU_LOADS_(int4) CUCPU_LOADS_(uint2) CUCPU_LOADS_(uint4)
CUCPU_LOADS_(longlong2) CUCPU_LOADS_(ulonglong2)
CUCPU_LOADS_(float2) CUCPU_LOADS_(float4) CUCPU_LOADS_(double2)
#undef CUCPU_LOADS_

CUCPU_D unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
CUCPU_D unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
CUCPU_D unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
CUCPU_D unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
CUCPU_D unsigned __isGridConstant(const void *p) { return __nvvm_isspacep_const(p); }
CUCPU_D size_t __cvta_generic_to_global(const void *p) {
    return (size_t)(__attribute__((address_space(1))) const void *)p;
}
CUCPU_D size_t __cvta_generic_to_shared(const void *p) {
    return (size_t)(__attribute__((address_space(3))) const void *)p;
}
CUCPU_D size_t __cvta_generic_to_constant(const void *p) {
    return (size_t)(__attribute__((address_space(4))) const void *)p;
}
CUCPU_D size_t __cvta_generic_to_local(const void *p) {
    return (size_t)(__attribute__((address_space(5))) const void *)p;
}
CUCPU_D void *__cvta_global_to_generic(size_t a) {
    return (void *)(__attribute__((address_space(1))) void *)a;
}
CUCPU_D void *__cvta_shared_to_generic(size_t a) {
    return (void *)(__attribute__((address_space(3))) void *)a;
}
CUCPU_D void *__cvta_constant_to_generic(size_t a) {
    return (void *)(__attribute__((address_space(4))) void *)a;
}
CUCPU_D void *__cvta_local_to_generic(size_t a) {
    return (void *)(__attribute__((address_space(5))) void *)a;
}
#endif
