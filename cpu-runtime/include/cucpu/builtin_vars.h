/* builtin_vars.h: threadIdx, blockIdx, blockDim, gridDim, warpSize.
**
** Objects without storage whose members are properties: each read becomes one special-register
** intrinsic.  They convert to uint3 and dim3 and can neither be copied, assigned nor have their
** address taken, as CUDA documents. */
#ifndef CUCPU_BUILTIN_VARS_H
#define CUCPU_BUILTIN_VARS_H
#include "../vector_types.h"
#include "defs.h"

#define CUCPU_FIELD_(f, sreg)                                                                      \
    __declspec(property(get = cucpu_get_##f)) unsigned int f;                                      \
    static __device__ CUCPU_INLINE_ unsigned int cucpu_get_##f(void) {                             \
        return __nvvm_read_ptx_sreg_##sreg##_##f();                                                \
    }
#define CUCPU_VAR_(Type, sreg, name)                                                               \
    struct Type {                                                                                  \
        CUCPU_FIELD_(x, sreg) CUCPU_FIELD_(y, sreg) CUCPU_FIELD_(z, sreg)                          \
        __device__ CUCPU_INLINE_ operator dim3() const { return dim3(x, y, z); }                   \
        __device__ CUCPU_INLINE_ operator uint3() const { return uint3{x, y, z}; }                 \
        Type(const Type &) = delete;                                                               \
        void operator=(const Type &) const = delete;                                               \
        Type *operator&() const = delete;                                                          \
    };                                                                                             \
    extern const __device__ __attribute__((weak)) Type name;
CUCPU_VAR_(CucpuThreadIdx, tid, threadIdx)
CUCPU_VAR_(CucpuBlockIdx, ctaid, blockIdx)
CUCPU_VAR_(CucpuBlockDim, ntid, blockDim)
CUCPU_VAR_(CucpuGridDim, nctaid, gridDim)
#undef CUCPU_FIELD_
#undef CUCPU_VAR_

static __device__ const int warpSize = __CUCPU_WARP_SIZE__;
#endif
