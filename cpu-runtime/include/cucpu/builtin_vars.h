/* builtin_vars.h: threadIdx, blockIdx, blockDim, gridDim, warpSize.
**
** Objects without storage whose members are properties: each read becomes one special-register
** intrinsic.  They convert to uint3 and dim3 and can neither be assigned nor have their address taken,
** as CUDA documents.  A copy, as `auto t = threadIdx` makes it, has no storage either: it reads the
** same registers, and its members cannot be assigned (CUDA's copy is a uint3). */
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
        Type(const Type &) = default;                                                              \
        template <unsigned long i_> __device__ CUCPU_INLINE_ unsigned int get() const {             \
            return i_ == 0 ? x : i_ == 1 ? y : z;                                                  \
        }                                                                                          \
        void operator=(const Type &) const = delete;                                               \
        Type *operator&() const = delete;                                                          \
    };                                                                                             \
    namespace std {                                                                                \
    template <> struct tuple_size<Type> { static constexpr unsigned long value = 3; };             \
    template <unsigned long i_> struct tuple_element<i_, Type> { typedef unsigned int type; };     \
    }                                                                                              \
    extern const __device__ __attribute__((weak)) Type name;

/* for `auto [x, y, z] = threadIdx`; libstdc++ defines them in <utility>, which takes long to read */
namespace std {
template <class> struct tuple_size;
template <unsigned long, class> struct tuple_element;
}
CUCPU_VAR_(CucpuThreadIdx, tid, threadIdx)
CUCPU_VAR_(CucpuBlockIdx, ctaid, blockIdx)
CUCPU_VAR_(CucpuBlockDim, ntid, blockDim)
CUCPU_VAR_(CucpuGridDim, nctaid, gridDim)
#undef CUCPU_FIELD_
#undef CUCPU_VAR_

static __device__ const int warpSize = __CUCPU_WARP_SIZE__;
#endif
