// Threads with a few neighbouring elements each, in loops that end early in some: the same results as on the host, for
// bounds that fall into the row of a thread, or leave all of them out, and for rows that overlap.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -G
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %also { %cucpu --disable=distribute_iterations,packed %s -o %t.off && %run %t.off; }
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define BOTH __host__ __device__ inline
const int N = 1500;

/* Each item: what thread t does with the elements of a, b that are its own. */
template <int K> struct Minimum {
    static BOTH void item(int t, int n, const int *a, int *b) {
        int f = t * K, e = f + K < n ? f + K : n;
        for (int i = f; i < e; i++) b[i] = 3 * a[i] + b[i];
    }
};
template <int K> struct Both {
    static BOTH void item(int t, int n, const int *a, int *b) {
        for (int i = t * K; i < t * K + K && i < n; i++) b[i] = 3 * a[i] + b[i];
    }
};
template <int K> struct Break {
    static BOTH void item(int t, int n, const int *a, int *b) {
        int sum = 0, k;
        for (k = 0; k < K; k++) {
            if (t * K + k >= n) break;
            sum += a[t * K + k];
            b[t * K + k] = sum;
        }
        if (k) b[N + t * K] = sum * 10 + k; /* values that leave the loop */
    }
};
template <int K> struct Return {
    static BOTH void item(int t, int n, const int *a, int *b) {
        int last = 0;
        for (int k = 0; k < K; k++) {
            int i = t * K + k;
            if (i >= n) return;
            if (a[i] > 2) last = a[i] - b[i];
            b[i] = last + k;
        }
        b[N + t * K] = last;
    }
};
template <int K> struct Unsigned {
    static BOTH void item(int t, int n, const int *a, int *b) {
        unsigned f = (unsigned)t * K, e = f + K < (unsigned)n ? f + K : (unsigned)n;
        for (unsigned i = f; i < e; i++) b[i] = a[i] - b[i];
    }
};
template <int K> struct Wide {
    static BOTH void item(int t, int n, const int *a, int *b) {
        long long f = (long long)t * K, e = f + K < n ? f + K : n;
        for (long long i = f; i < e; i++) b[i] = a[i] - b[i];
    }
};
/* The row of a thread reads what it has written itself. */
template <int K> struct Chain {
    static BOTH void item(int t, int n, const int *a, int *b) {
        for (int k = 0; k < K && t * K + k < n; k++) b[t * K + k] = a[t * K + k] + (k ? b[t * K + k - 1] : 0);
    }
};
/* Leaves by data, too. */
template <int K> struct Data {
    static BOTH void item(int t, int n, const int *a, int *b) {
        for (int k = 0; k < K; k++) {
            int i = t * K + k;
            if (i >= n) break;
            b[i] = k;
            if (a[i] == 5) break;
            b[i] += a[i];
        }
    }
};
/* Indices that overflow, but are not used then. */
template <int K> struct Far {
    static BOTH void item(int t, int n, const int *a, int *b) {
        int f = t < 40 ? t * K : INT_MAX - t % K;
        for (int k = 0; k < K; k++) {
            if (f >= n) break;
            b[f] += a[f] + 1;
            f++;
        }
    }
};
/* Neighbours of the elements, with tests that the compiler shares among them. */
template <int K> struct Stencil {
    static BOTH void item(int t, int n, const int *a, int *b) {
        for (int k = 0; k < K; k++) {
            int i = t * K + k;
            if (i >= 1 && i + 1 < n) b[i] = a[i - 1] + 3 * a[i] + a[i + 1];
        }
    }
};
/* The same in place: neighbours of the thread's own elements are old or new, by its own order. */
template <int K> struct InPlace {
    static BOTH void item(int t, int n, const int *, int *b) {
        for (int k = 0; k < K; k++) {
            int i = t * K + k;
            if (k > 0 && k + 1 < K && i + 1 < n) b[i] = b[i - 1] + 3 * b[i] + b[i + 1];
        }
    }
};
/* Cheap choices by data. */
template <int K> struct Choice {
    static BOTH void item(int t, int n, const int *a, int *b) {
        for (int k = 0; k < K; k++) {
            int i = t * K + k, r;
            if (i >= n) continue;
            if (a[i] > b[i]) r = (a[i] ^ 77) * b[i] + a[i] * a[i];
            else r = (b[i] & 1 ? a[i] : 7) * 5 - b[i];
            b[i] = r + a[i];
        }
    }
};
template <class F> __global__ void kernel(int n, const int *a, int *b) {
    F::item(blockIdx.x * blockDim.x + threadIdx.x, n, a, b);
}

static int *a, *b, want[3 * N], bad;
template <class F> static void check(const char *name, int elements) {
    for (int block : {256, 32, 10, 7})
        for (int n : {0, 1, elements, elements + 1, 333, 512, 1000, N - 3}) {
            int threads = N / elements, grid = (threads - block + 1) / block;
            if (grid < 1) grid = 1, block = std::min(block, threads);
            for (int i = 0; i < 3 * N; i++) b[i] = want[i] = i % 13;
            for (int t = 0; t < grid * block; t++) F::item(t, n, a, want);
            kernel<F><<<grid, block>>>(n, a, b);
            cudaDeviceSynchronize();
            if (!memcmp(b, want, sizeof want)) continue;
            if (!bad++) printf("%s of %d, n = %d, blocks of %d: differs\n", name, elements, n, block);
        }
}
int main() {
    cudaMallocManaged(&a, 3 * N * sizeof *a), cudaMallocManaged(&b, 3 * N * sizeof *b);
    for (int i = 0; i < 3 * N; i++) a[i] = i * 7 % 11 - 3;
    check<Minimum<4>>("minimum", 4), check<Both<4>>("both", 4), check<Break<4>>("break", 4);
    check<Return<4>>("return", 4), check<Unsigned<4>>("unsigned", 4), check<Wide<2>>("wide", 2);
    check<Chain<4>>("chain", 4), check<Data<3>>("data", 3), check<Far<4>>("far", 4);
    check<Stencil<4>>("stencil", 4), check<InPlace<4>>("in place", 4), check<Choice<4>>("choice", 4);
    check<Minimum<7>>("minimum", 7), check<Minimum<16>>("minimum", 16);
    return bad != 0;
}
