/* aligned_new.h: memory of the device heap for types of large alignment; clang's <new> leaves these operators to the host. */
#ifndef CUCPU_ALIGNED_NEW_H
#define CUCPU_ALIGNED_NEW_H
#include <new>
#include "defs.h"
extern "C" __device__ void *cucpu_malloc_aligned(size_t bytes, size_t alignment) noexcept(true);
CUCPU_D void *__nv_aligned_device_malloc(size_t bytes, size_t alignment) { return cucpu_malloc_aligned(bytes, alignment); }
#ifdef __cpp_aligned_new
#define CUCPU_NEW_(name)                                                                                                       \
    __device__ inline void *name(size_t n_, std::align_val_t a_) { return cucpu_malloc_aligned(n_, size_t(a_)); }              \
    __device__ inline void *name(size_t n_, std::align_val_t a_, const std::nothrow_t &) noexcept(true) {                      \
        return cucpu_malloc_aligned(n_, size_t(a_));                                                                           \
    }
#define CUCPU_DELETE_(name)                                                                                                    \
    __device__ inline void name(void *p_, std::align_val_t) noexcept(true) { ::free(p_); }                                     \
    __device__ inline void name(void *p_, size_t, std::align_val_t) noexcept(true) { ::free(p_); }
CUCPU_NEW_(operator new)
CUCPU_NEW_(operator new[])
CUCPU_DELETE_(operator delete)
CUCPU_DELETE_(operator delete[])
#undef CUCPU_NEW_
#undef CUCPU_DELETE_
#endif
#endif
