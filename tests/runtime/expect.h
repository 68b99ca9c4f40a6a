/* expect.h: what the .cu programs here share: each difference is told with its line and counted; they end with `return report();`. */
#ifndef CUCPU_TESTS_EXPECT_H
#define CUCPU_TESTS_EXPECT_H
#include <cstdio>

static int bad;
/* Exact for all integers and floats. */
template <class T> static long double number_of(T v) { return (long double)v; }
template <class T> static long double number_of(T *v) { return (long double)(unsigned long long)v; }
#define IS(expr, want)                                                                                            \
    do {                                                                                                          \
        long double got_ = number_of(expr), want_ = number_of(want);                                              \
        if (got_ != want_) bad++, printf("line %d: %s = %.20Lg, not %.20Lg\n", __LINE__, #expr, got_, want_); \
    } while (0)
#define OK(expr) IS(expr, 0) /* cudaSuccess, CUDA_SUCCESS */

static int report() {
    printf("%d bad\n", bad);
    return bad != 0;
}
#endif
