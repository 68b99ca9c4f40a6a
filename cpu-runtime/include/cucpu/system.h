/* system.h: the C library in device code: printf, assert, malloc, memcpy; traps and clocks. */
#ifndef CUCPU_SYSTEM_H
#define CUCPU_SYSTEM_H
#include <stddef.h>
#include "defs.h"

extern "C" {
__device__ int printf(const char *, ...); /* clang turns calls into vprintf */
__device__ int vprintf(const char *, __builtin_va_list) noexcept(true);
__device__ void *malloc(size_t) noexcept(true);
__device__ void free(void *) noexcept(true);
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t charSize) __attribute__((noreturn));
__device__ static CUCPU_INLINE_ void __assert_fail(const char *message, const char *file,
                                                   unsigned line, const char *function) {
    __assertfail(message, file, line, function, 1);
}
}
CUCPU_D void *calloc(size_t n_, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n_, size, &bytes)) return 0;
    void *p_ = ::malloc(bytes);
    if (p_) __builtin_memset(p_, 0, bytes);
    return p_;
}
CUCPU_D void *memcpy(void *d_, const void *s_, size_t n_) { return __builtin_memcpy(d_, s_, n_); }
CUCPU_D void *memmove(void *d_, const void *s_, size_t n_) { return __builtin_memmove(d_, s_, n_); }
CUCPU_D void *memset(void *d_, int c_, size_t n_) { return __builtin_memset(d_, c_, n_); }

__attribute__((noreturn)) CUCPU_D void __trap(void) { __builtin_trap(); }
CUCPU_D void __brkpt(void) { __builtin_trap(); }
CUCPU_D void __prof_trigger(int) {}
#define __pm0() ((void)0)
CUCPU_D void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
/* A kernel begins when the one before it has ended: programmatic launches have nothing to wait for. */
CUCPU_D void cudaGridDependencySynchronize(void) {}
CUCPU_D void cudaTriggerProgrammaticLaunchCompletion(void) {}
CUCPU_D long clock(void) { return (long)(int)__nvvm_read_ptx_sreg_clock(); }
CUCPU_D long long clock64(void) { return __nvvm_read_ptx_sreg_clock64(); }
CUCPU_D unsigned __laneid(void) { return __nvvm_read_ptx_sreg_laneid(); }

#define __assume(x) __builtin_assume(x)

/* "C"(array) in an asm() statement is "i"(__CUCPU_ASM_TEXT(array)): the array of characters that a constant expression names. */
#if __cplusplus >= 201703L
template <const char *A_> struct __cucpu_asm_text { static constexpr const char *array_ = A_; };
#define __CUCPU_ASM_TEXT(...) (__cucpu_asm_text<(__VA_ARGS__)>::array_)
#else
#define __CUCPU_ASM_TEXT(...) (__VA_ARGS__)
#endif
#endif
