/* lib.h: how a function of the device library is written, so that the same source is compiled
** for the device (device.bc), for the host (libcudart, for CUDA functions called from host code)
** and for the host tests.
**
** No contraction in here: the error-free transformations rely on every operation being rounded. */
#ifndef CUCPU_DEVICE_LIB_H
#define CUCPU_DEVICE_LIB_H
#include <stdint.h>

#if defined(__CUDA__)
#define __device__ __attribute__((device)) /* the library does without CUDA headers */
#define LIB extern "C" __device__ __attribute__((const, nothrow))
#define LIBMEM extern "C" __device__ __attribute__((pure, nothrow)) /* reads memory */
#define LOCAL static __device__ inline __attribute__((always_inline))
#define TABLE static __device__ const
#else
#define LIB extern "C" __attribute__((const, nothrow, visibility("default")))
#define LIBMEM extern "C" __attribute__((pure, nothrow, visibility("default")))
#define LOCAL static inline __attribute__((always_inline))
#define TABLE static const
#endif

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

#define BITS(x) __builtin_bit_cast(typename CucpuBits<decltype(x)>::type, x)
template <typename T> struct CucpuBits;
template <> struct CucpuBits<float> { typedef int32_t type; };
template <> struct CucpuBits<double> { typedef int64_t type; };
#endif
