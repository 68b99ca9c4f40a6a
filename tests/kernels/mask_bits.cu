// Conditions on single bits (a bool, a sign) whose ballot is taken and that select elements together with another condition: LLVM 22 loses
// the mask where both uses are in one mask register (AVX-512).
// REQUIRES: run
// RUN: for w in 8 16 32; do %cucpu -O3 --warp-size=$w --simd=$w %s -o %t.$w && %run %t.$w || exit 1; done
#include "check.h"

static const int N = 64;

#define KERNEL(name, T, test)                                                                                             \
    __global__ void name(const T *__restrict__ f, unsigned *__restrict__ ballot, int *__restrict__ e, const int *__restrict__ w, const int *__restrict__ u) { \
        int i = threadIdx.x;                                                                                              \
        bool v = test;                                                                                                    \
        ballot[i] = __ballot_sync(~0u, v) * 3;                                                                            \
        int x = w[i], y = u[i];                                                                                           \
        if (v && x > y) e[i] = x;                                                                                         \
    }                                                                                                                     \
    __global__ void name##_wide(const T *__restrict__ f, unsigned *__restrict__ ballot, double *__restrict__ e, const double *__restrict__ w) { \
        int i = threadIdx.x;                                                                                              \
        bool v = test;                                                                                                    \
        ballot[i] = __ballot_sync(~0u, v) * 3;                                                                            \
        if (v) e[i] = w[i];                                                                                               \
    }
KERNEL(of_bool, bool, f[i])
KERNEL(of_byte, signed char, f[i] < 0)
KERNEL(of_int, int, f[i] < 0)
KERNEL(of_long, long long, f[i] < 0)
KERNEL(of_top_bit, unsigned char, f[i] >> 7 != 0)

__global__ void size_of_warp(int *size) { *size = warpSize; }

template <class T> static T *managed() {
    T *p;
    CUDA(cudaMallocManaged(&p, N * sizeof(T)));
    return p;
}

static int *size;

template <class T, class K, class D> static void run(K k, D wide, T on, T off) {
    T *f = managed<T>();
    unsigned *ballot = managed<unsigned>();
    int *e = managed<int>(), *w = managed<int>(), *u = managed<int>();
    double *d = managed<double>(), *from = managed<double>();
    for (int seed = 1; seed < 20; seed++) {
        bool v[N];
        for (int i = 0; i < N; i++) {
            v[i] = (i * seed + i / 3) % 5 < 2;
            f[i] = v[i] ? on : off;
            w[i] = (i * 7 + seed) % 11, u[i] = (i * 5 + seed) % 7, from[i] = i + 0.5;
            e[i] = -1, d[i] = -1;
        }
        for (int kind = 0; kind < 2; kind++) {
            if (kind) wide<<<1, N>>>(f, ballot, d, from);
            else k<<<1, N>>>(f, ballot, e, w, u);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < N; i++) {
                unsigned want = 0;
                for (int j = 0; j < *size; j++) want |= unsigned(v[i / *size * *size + j]) << j;
                CHECK(ballot[i] == want * 3);
                if (kind) CHECK(d[i] == (v[i] ? from[i] : -1));
                else CHECK(e[i] == (v[i] && w[i] > u[i] ? w[i] : -1));
            }
        }
    }
}

int main() {
    size = managed<int>();
    size_of_warp<<<1, 1>>>(size);
    CUDA(cudaDeviceSynchronize());
    run<bool>(of_bool, of_bool_wide, true, false);
    run<signed char>(of_byte, of_byte_wide, -3, 3);
    run<int>(of_int, of_int_wide, -3, 3);
    run<long long>(of_long, of_long_wide, -3, 3);
    run<unsigned char>(of_top_bit, of_top_bit_wide, 200, 100);
    return finish();
}
