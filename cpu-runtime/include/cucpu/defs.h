/* defs.h: how cucpu's own headers define device functions.
**
** CUCPU_D device only, CUCPU_HD both sides; always inlined, so that the device IR consists of
** LLVM and NVVM intrinsics even at -O0, and without debug info, so that a debugger steps over them.
** CUCPU_LIB declares a function of the device library (cpu-runtime/device), CUCPU_PURE_LIB one
** without side effects; the same functions are in libcudart for host code. */
#ifndef CUCPU_DEFS_H
#define CUCPU_DEFS_H
#include "../host_defines.h"

#if defined(__clang__)
#define CUCPU_INLINE_ __inline__ __attribute__((always_inline, nodebug))
#else
#define CUCPU_INLINE_ __inline__ __attribute__((always_inline))
#endif
/* The headers of the small floating-point types serve host compilers of C++, too: gcc since 11, clang since 9. */
#if defined(__CUDA__)
#define CUCPU_HAS_HALF_ 1
#elif defined(__cplusplus) && defined(__has_builtin)
#define CUCPU_HAS_HALF_ __has_builtin(__builtin_bit_cast)
#else
#define CUCPU_HAS_HALF_ 0
#endif
#define CUCPU_D static __device__ CUCPU_INLINE_
#define CUCPU_HD static __host__ __device__ CUCPU_INLINE_
/* What a device function does; the host half, which never calls it, gets a declaration (parse time). */
#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
#define CUCPU_HOST_HALF 1
#define CUCPU_BODY_(...) ;
#else
#define CUCPU_HOST_HALF 0
#define CUCPU_BODY_(...) { __VA_ARGS__ }
#endif
#define CUCPU_LIB extern "C" __device__
#define CUCPU_PURE_LIB extern "C" __host__ __device__ __attribute__((const, nothrow))
/* A declaration whose symbol is an LLVM intrinsic that has no clang builtin. */
#define CUCPU_INTRINSIC(name) __asm__(name) __attribute__((const, nothrow))

#ifndef __CUCPU_WARP_SIZE__
#define __CUCPU_WARP_SIZE__ 32
#endif
#endif
