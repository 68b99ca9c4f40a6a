/* expect.h: what the .cu programs here share: each difference is told with its line and counted; they end with `return report();`. */
#ifndef CUCPU_TESTS_EXPECT_H
#define CUCPU_TESTS_EXPECT_H
#include <cstdio>

static int bad;
#define IS(expr, want)                                                                             \
    do {                                                                                           \
        long long got_ = (long long)(expr), want_ = (long long)(want);                             \
        if (got_ != want_) bad++, printf("line %d: %s = %lld, not %lld\n", __LINE__, #expr, got_, want_); \
    } while (0)
#define OK(expr) IS(expr, 0) /* cudaSuccess, CUDA_SUCCESS */

static int report() {
    printf("%d bad\n", bad);
    return bad != 0;
}
#endif
