// stretches.cu: kernels that do something only where low <= i < high, with every way to write it, about sums that wrap
// around: the loops over threads that begin and end there instead of testing (bound_from_guard, split_iteration_space) run exactly those threads.
// REQUIRES: run
// RUN: %cucpu -O3 --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu -O3 --simd=1 --disable=bound_from_guard %s -o %t.off && %run %t.off | FileCheck %s; }
// RUN: %cucpu -O3 --simd=8 %s -o %t.8 && %run %t.8 | FileCheck %s
// RUN: %also { %cucpu -O3 --simd=4 --cpu=x86-64-v2 %s -o %t.4 && %run %t.4 | FileCheck %s; }
// RUN: %cucpu -O3 %s -o %t.auto && %run %t.auto | FileCheck %s
// CHECK: 15 tests of 512 ranges: 0 wrong
#include <climits>
#include <cstdio>

typedef unsigned long long Wide;

// One row per way to test: its type, and the condition.
#define TESTS(X)                                                                                                              \
    X(0, int, i >= low && i < high)                                                                                           \
    X(1, int, !(i <= low || high <= i))                                                                                       \
    X(2, unsigned, i > low && i < high)                                                                                       \
    X(3, unsigned, low <= i)                                                                                                  \
    X(4, int, low < i)                                                                                                        \
    X(5, long long, i >= low && i < high)                                                                                     \
    X(6, Wide, high > i && i > low)                                                                                           \
    X(7, int, i >= low && on && i < high)

#define KERNEL(N, T, TEST)                                                                                                    \
    __global__ void test##N(unsigned char *out, unsigned shift, T low, T high, int on) {                                      \
        unsigned at = blockIdx.x * blockDim.x + threadIdx.x;                                                                  \
        typedef decltype(low + 0) Type;                                                                                       \
        Type i = sizeof(Type) == 4 ? (Type)(shift + at) : ((Type)-1 < 0 ? (Type)(int)(shift + at) : (Type)(shift + at));      \
        if (TEST) out[at] += 1;                                                                                               \
    }                                                                                                                         \
    bool wanted##N(unsigned shift, unsigned at, T low, T high, int on) {                                                      \
        typedef decltype(low + 0) Type;                                                                                       \
        Type i = sizeof(Type) == 4 ? (Type)(shift + at) : ((Type)-1 < 0 ? (Type)(int)(shift + at) : (Type)(shift + at));      \
        return (on || !on) && (TEST);                                                                                         \
    }
TESTS(KERNEL)

// The same for places of 64 bits.
#define WIDE_TESTS(X)                                                                                                         \
    X(8, long long, i >= low && i < high)                                                                                     \
    X(9, Wide, i >= low && i < high)                                                                                          \
    X(10, long long, !(i <= low || high <= i))                                                                                \
    X(11, Wide, high > i)                                                                                                     \
    X(12, Wide, at >= low && at < high && i == i)                                                                             \
    X(13, long long, (long long)at > low && (long long)at <= high && i == i)                                                  \
    X(14, Wide, at != low && at < high && i == i)

#define WIDE_KERNEL(N, T, TEST)                                                                                               \
    __global__ void test##N(unsigned char *out, Wide shift, T low, T high) {                                                  \
        Wide at = (Wide)blockIdx.x * blockDim.x + threadIdx.x;                                                                \
        T i = (T)(shift + at);                                                                                                \
        if (TEST) out[at] += 1;                                                                                               \
    }                                                                                                                         \
    bool wanted##N(Wide shift, unsigned at, T low, T high) {                                                                  \
        T i = (T)(shift + at);                                                                                                \
        return TEST;                                                                                                          \
    }
WIDE_TESTS(WIDE_KERNEL)

// Near the ends of 32 bits: as near to those of 64.
static Wide widened(unsigned v) {
    unsigned high = v >> 16;
    return v < 2000 ? v : (Wide)high << 48 | (high == 0x8000 ? 0 : 0xffffffff0000ull) | (v & 0xffff);
}

int main() {
    const unsigned n = 3 * 70;
    static const unsigned shifts[8] = {0, 5, 0x7fffff80u, 0x80000000u, 0x7fffffffu, 0xffffff80u, 0xffffffffu, 1000};
    static const unsigned limits[8] = {0, 40, 0x7fffffa0u, 0x7fffffffu, 0x80000000u, 0x80000010u, 0xffffffffu, 1060};
    unsigned char *out;
    cudaMallocManaged(&out, n);
    int wrong = 0;
    for (unsigned shift : shifts)
        for (unsigned low : limits)
            for (unsigned high : limits) {
#define CHECK(N, T, TEST)                                                                                                     \
    {                                                                                                                         \
        T lo = (T)-1 < 0 ? (T)(int)low : (T)low, hi = (T)-1 < 0 ? (T)(int)high : (T)high;                                     \
        for (unsigned k = 0; k < n; k++) out[k] = 0;                                                                          \
        test##N<<<3, 70>>>(out, shift, lo, hi, 1);                                                                            \
        cudaDeviceSynchronize();                                                                                              \
        for (unsigned k = 0; k < n; k++) wrong += out[k] != wanted##N(shift, k, lo, hi, 1);                                   \
    }
                TESTS(CHECK)
#define WIDE_CHECK(N, T, TEST)                                                                                                \
    {                                                                                                                         \
        T lo = (T)widened(low), hi = (T)widened(high);                                                                        \
        for (unsigned k = 0; k < n; k++) out[k] = 0;                                                                          \
        test##N<<<3, 70>>>(out, widened(shift), lo, hi);                                                                      \
        cudaDeviceSynchronize();                                                                                              \
        for (unsigned k = 0; k < n; k++) wrong += out[k] != wanted##N(widened(shift), k, lo, hi);                             \
    }
                WIDE_TESTS(WIDE_CHECK)
            }
    printf("15 tests of 512 ranges: %d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
