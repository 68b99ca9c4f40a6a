/* builtin_vars.h: threadIdx, blockIdx, blockDim, gridDim, warpSize.
**
** Constants of the types that CUDA gives them, without storage: import_builtins makes each read of a word one read of a special register.
** Host code that uses them does not link (device_only.h).  The driver then has the host half read again, with
** __CUCPU_HOST_CHECK__: objects whose members are functions of device code, so that clang names the line. */
#ifndef CUCPU_BUILTIN_VARS_H
#define CUCPU_BUILTIN_VARS_H
#include "../vector_types.h"
#include "defs.h"
#include "device_only.h"

#if defined(__CUDA_ARCH__)
#define CUCPU_VAR_(Type, name) extern const __device__ Type name __asm__("cucpu." #name);
#elif !defined(__CUCPU_HOST_CHECK__)
#define CUCPU_VAR_(Type, name) extern const __device__ Type name __asm__(#name CUCPU_DEVICE_ONLY);
#else
#define CUCPU_VAR_(Type, name)                                                                                               \
    struct cucpu_##name {                                                                                                    \
        __declspec(property(get = name##_is_there_in_device_code_only, put = set)) unsigned int x, y, z;                     \
        static __device__ unsigned int name##_is_there_in_device_code_only(void);                                            \
        static __device__ void set(unsigned int);                                                                            \
        __device__ operator Type() const;                                                                                    \
    };                                                                                                                       \
    extern const __device__ cucpu_##name name;
#endif
CUCPU_VAR_(uint3, threadIdx)
CUCPU_VAR_(uint3, blockIdx)
CUCPU_VAR_(dim3, blockDim)
CUCPU_VAR_(dim3, gridDim)
#undef CUCPU_VAR_

static __device__ const int warpSize = __CUCPU_WARP_SIZE__;
#endif
