/* atomics.h: atomicAdd ... atomicCAS with their _block and _system variants.
**
** Relaxed, as CUDA's; each becomes one atomicrmw or cmpxchg (16-bit float pairs and the few
** operations LLVM has no instruction for: a cmpxchg loop).  The three scopes are the same on a
** CPU: every worker is coherent with every other. */
#ifndef CUCPU_ATOMICS_H
#define CUCPU_ATOMICS_H
#include "defs.h"

#define CUCPU_ATOMIC_(name, T, U, expression)                                                      \
    CUCPU_D T name(T *p_, U v_) CUCPU_BODY_(return expression;)                                             \
    CUCPU_D T name##_block(T *p_, U v_) CUCPU_BODY_(return expression;)                                     \
    CUCPU_D T name##_system(T *p_, U v_) CUCPU_BODY_(return expression;)
#define CUCPU_FETCH_(name, T, op) CUCPU_ATOMIC_(name, T, T, __atomic_##op(p_, v_, __ATOMIC_RELAXED))

/* The types that CUDA has, no more: programs define the others themselves (uint64_t, which is unsigned
** long and not unsigned long long, or signed 64-bit sums), under these names. */
#define CUCPU_WORD_ATOMICS_(T)                                                                     \
    CUCPU_FETCH_(atomicAdd, T, fetch_add)                                                          \
    CUCPU_FETCH_(atomicSub, T, fetch_sub)                                                          \
    CUCPU_FETCH_(atomicExch, T, exchange_n)
#define CUCPU_COMPARE_ATOMICS_(T)                                                                  \
    CUCPU_FETCH_(atomicMin, T, fetch_min)                                                          \
    CUCPU_FETCH_(atomicMax, T, fetch_max)                                                          \
    CUCPU_FETCH_(atomicAnd, T, fetch_and)                                                          \
    CUCPU_FETCH_(atomicOr, T, fetch_or)                                                            \
    CUCPU_FETCH_(atomicXor, T, fetch_xor)
CUCPU_WORD_ATOMICS_(int)
CUCPU_WORD_ATOMICS_(unsigned int)
CUCPU_FETCH_(atomicAdd, unsigned long long, fetch_add)
CUCPU_FETCH_(atomicExch, unsigned long long, exchange_n)
CUCPU_COMPARE_ATOMICS_(int)
CUCPU_COMPARE_ATOMICS_(unsigned int)
CUCPU_COMPARE_ATOMICS_(long long)
CUCPU_COMPARE_ATOMICS_(unsigned long long)
#undef CUCPU_WORD_ATOMICS_
#undef CUCPU_COMPARE_ATOMICS_

CUCPU_FETCH_(atomicAdd, float, fetch_add)
CUCPU_FETCH_(atomicAdd, double, fetch_add)
CUCPU_ATOMIC_(atomicExch, float, float,
              __builtin_bit_cast(float, __atomic_exchange_n((int *)p_, __builtin_bit_cast(int, v_),
                                                            __ATOMIC_RELAXED)))
CUCPU_ATOMIC_(atomicInc, unsigned int, unsigned int,
              __scoped_atomic_fetch_uinc(p_, v_, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
CUCPU_ATOMIC_(atomicDec, unsigned int, unsigned int,
              __scoped_atomic_fetch_udec(p_, v_, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
#undef CUCPU_FETCH_
#undef CUCPU_ATOMIC_

#define CUCPU_CAS_(T)                                                                              \
    CUCPU_D T atomicCAS(T *p_, T compare, T v_) {                                                  \
        __atomic_compare_exchange_n(p_, &compare, v_, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);  \
        return compare;                                                                            \
    }                                                                                              \
    CUCPU_D T atomicCAS_block(T *p_, T compare, T v_) { /* a body of its own: --check goes by the name */  \
        __atomic_compare_exchange_n(p_, &compare, v_, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);  \
        return compare;                                                                            \
    }                                                                                              \
    CUCPU_D T atomicCAS_system(T *p_, T compare, T v_) CUCPU_BODY_(return atomicCAS(p_, compare, v_);)
CUCPU_CAS_(int)
CUCPU_CAS_(unsigned int)
CUCPU_CAS_(unsigned long long)
CUCPU_CAS_(unsigned short)
#undef CUCPU_CAS_

/* Types of 16 bytes with their alignment: as bits, by the runtime. */
extern "C" {
__host__ __device__ void cucpu_atomic_exchange128(void *p_, unsigned long long *value);
__host__ __device__ void cucpu_atomic_cas128(void *p_, unsigned long long *compare, const unsigned long long *v_);
}
template <class T_, bool wide_ = sizeof(T_) == 16 && alignof(T_) >= 16> struct cucpu_wide_ {};
template <class T_> struct cucpu_wide_<T_, true> {
    typedef T_ type_;
};
#define CUCPU_WIDE_(suffix)                                                                        \
    template <class T_> CUCPU_D typename cucpu_wide_<T_>::type_ atomicExch##suffix(T_ *p_, T_ v_) {     \
        cucpu_atomic_exchange128(p_, (unsigned long long *)(void *)&v_);                           \
        return v_;                                                                                 \
    }                                                                                              \
    template <class T_>                                                                             \
    CUCPU_D typename cucpu_wide_<T_>::type_ atomicCAS##suffix(T_ *p_, T_ compare, T_ v_) {              \
        cucpu_atomic_cas128(p_, (unsigned long long *)(void *)&compare,                            \
                            (const unsigned long long *)(const void *)&v_);                        \
        return compare;                                                                            \
    }
CUCPU_WIDE_()
CUCPU_WIDE_(_block)
CUCPU_WIDE_(_system)
#undef CUCPU_WIDE_

/* float2 and float4: each component by itself, as CUDA documents for sm_90. */
#define CUCPU_VECTOR_ADD_(suffix)                                                                  \
    CUCPU_D float2 atomicAdd##suffix(float2 *p_, float2 v_) {                                      \
        float x = atomicAdd(&p_->x, v_.x), y = atomicAdd(&p_->y, v_.y);                            \
        return float2{x, y};                                                                       \
    }                                                                                              \
    CUCPU_D float4 atomicAdd##suffix(float4 *p_, float4 v_) {                                      \
        float x = atomicAdd(&p_->x, v_.x), y = atomicAdd(&p_->y, v_.y);                            \
        float z = atomicAdd(&p_->z, v_.z), w = atomicAdd(&p_->w, v_.w);                            \
        return float4{x, y, z, w};                                                                 \
    }
CUCPU_VECTOR_ADD_()
CUCPU_VECTOR_ADD_(_block)
CUCPU_VECTOR_ADD_(_system)
#undef CUCPU_VECTOR_ADD_

/* The builtins of CUDA 12.8; order and scope are compile-time constants. */
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define __nv_atomic_load(p, r, o, ...) __atomic_load(p, r, o)
#define __nv_atomic_load_n(p, o, ...) __atomic_load_n(p, o)
#define __nv_atomic_store(p, v, o, ...) __atomic_store(p, v, o)
#define __nv_atomic_store_n(p, v, o, ...) __atomic_store_n(p, v, o)
#define __nv_atomic_exchange_n(p, v, o, ...) __atomic_exchange_n(p, v, o)
#define __nv_atomic_exchange(p, v, r, o, ...) __atomic_exchange(p, v, r, o)
#define __nv_atomic_compare_exchange(p, e, v, w, s, f, ...) __atomic_compare_exchange(p, e, v, w, s, f)
#define __nv_atomic_compare_exchange_n(p, e, v, w, s, f, ...)                                      \
    __atomic_compare_exchange_n(p, e, v, w, s, f)
#define __nv_atomic_fetch_add(p, v, o, ...) __atomic_fetch_add(p, v, o)
#define __nv_atomic_fetch_sub(p, v, o, ...) __atomic_fetch_sub(p, v, o)
#define __nv_atomic_fetch_min(p, v, o, ...) __atomic_fetch_min(p, v, o)
#define __nv_atomic_fetch_max(p, v, o, ...) __atomic_fetch_max(p, v, o)
#define __nv_atomic_fetch_and(p, v, o, ...) __atomic_fetch_and(p, v, o)
#define __nv_atomic_fetch_or(p, v, o, ...) __atomic_fetch_or(p, v, o)
#define __nv_atomic_fetch_xor(p, v, o, ...) __atomic_fetch_xor(p, v, o)
#define __nv_atomic_add(p, v, o, ...) ((void)__atomic_fetch_add(p, v, o))
#define __nv_atomic_sub(p, v, o, ...) ((void)__atomic_fetch_sub(p, v, o))
#define __nv_atomic_min(p, v, o, ...) ((void)__atomic_fetch_min(p, v, o))
#define __nv_atomic_max(p, v, o, ...) ((void)__atomic_fetch_max(p, v, o))
#define __nv_atomic_and(p, v, o, ...) ((void)__atomic_fetch_and(p, v, o))
#define __nv_atomic_or(p, v, o, ...) ((void)__atomic_fetch_or(p, v, o))
#define __nv_atomic_xor(p, v, o, ...) ((void)__atomic_fetch_xor(p, v, o))
#define __nv_atomic_thread_fence(o, ...) __atomic_thread_fence(o)
#endif
