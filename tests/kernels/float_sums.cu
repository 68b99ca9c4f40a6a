// Sums of floats by atomics whose result nobody asks for: one place for all, sorted and random places, segments of every length,
// under masks, float and double, -0, NaN and infinity.  One worker adds in the order of the threads: the bits are those of a loop.
// REQUIRES: run
// RUN: for w in --simd=1 --simd=8 --simd=auto; do %cucpu -O3 $w %s -o %t.w && env CUCPU_NUM_THREADS=1 %run %t.w || exit 1; done
// RUN: %also { %cucpu -O3 --disable=float_sums %s -o %t.off && env CUCPU_NUM_THREADS=1 %run %t.off; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 %s -o %t.v2 && env CUCPU_NUM_THREADS=1 %run %t.v2; }
// RUN: %cucpu -O3 -DEXACT=0 %s -o %t.many && env CUCPU_NUM_THREADS=4 %run %t.many
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#ifndef EXACT
#define EXACT 1
#endif

enum { MOST = 3000, PLACES = 64 };

template <class T> __global__ void one(T *sum, const T *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, v[i]);
}
template <class T> __global__ void some(T *sum, const T *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i * 7 % 5 < 3)) atomicAdd(&sum[1], v[i]);
}
template <class T> __global__ void places(T *sum, const T *v, const int *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && to[i] >= 0) atomicAdd(&sum[to[i]], v[i]);
}
template <class T> __global__ void loops(T *sum, const T *v, const int *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i; k < n; k += gridDim.x * blockDim.x)
        if (to[k] >= 0) atomicAdd(&sum[to[k]], v[k]);
}

static int wrong;

template <class T> static void compare(const char *what, int n, int threads, const T *want, const T *got) {
    for (int k = 0; k < PLACES; k++) {
        bool same = EXACT ? !memcmp(&want[k], &got[k], sizeof *got) || (std::isnan(want[k]) && std::isnan(got[k]))
                          : std::fabs(want[k] - got[k]) <= 1e-2 * (1 + std::fabs(want[k])) || std::isnan(want[k]) || std::isinf(want[k]);
        if (same) continue;
        printf("%s, %d elements, %d threads: [%d] is %.9g, not %.9g\n", what, n, threads, k, (double)got[k], (double)want[k]);
        wrong++;
        return;
    }
}

template <class T> static void check(int kind, int n, int threads) {
    static T *v, *sum;
    static int *to;
    if (!v) cudaMallocManaged(&v, MOST * sizeof *v), cudaMallocManaged(&sum, PLACES * sizeof *sum), cudaMallocManaged(&to, MOST * sizeof *to);
    unsigned r = (unsigned)(kind * 977 + n);
    for (int i = 0; i < n; i++) {
        r = r * 1664525u + 1013904223u;
        v[i] = (T)((int)(r >> 8) % 2001 - 1000) / (T)7;
        to[i] = kind == 0 ? i / 40 % PLACES : kind == 1 ? i / 3 % PLACES : kind == 2 ? (int)(r >> 20) % PLACES : kind == 3 ? (int)(r >> 20) % 3 - 1 : i % PLACES;
    }
    if (n > 100 && kind == 4) v[17] = -(T)0, v[50] = INFINITY, v[51] = NAN;
    T want[PLACES];
    for (int which = 0; which < 4; which++) {
        for (int k = 0; k < PLACES; k++) sum[k] = want[k] = which ? (T)0.1 : -(T)0;
        for (int i = 0; i < n; i++) {
            if (which == 0) want[0] += v[i];
            if (which == 1 && i * 7 % 5 < 3) want[1] += v[i];
            if (which >= 2 && to[i] >= 0) want[to[i]] += v[i];
        }
        unsigned blocks = (unsigned)((n + threads - 1) / threads), b = (unsigned)threads;
        if (which == 0) one<<<blocks, b>>>(sum, v, n);
        if (which == 1) some<<<blocks, b>>>(sum, v, n);
        if (which == 2) places<<<blocks, b>>>(sum, v, to, n);
        if (which == 3) loops<<<1, 1>>>(sum, v, to, n);
        cudaDeviceSynchronize();
        compare(which == 0 ? "one" : which == 1 ? "some" : which == 2 ? "places" : "loops", n, threads, want, sum);
    }
}

int main() {
    const int threads[] = {1, 31, 64, 100, 256}, sizes[] = {1, 16, 33, 100, 640, 2999};
    for (int t : threads)
        for (int n : sizes)
            for (int kind = 0; kind < 5; kind++) check<float>(kind, n, t), check<double>(kind, n, t);
    printf("%d wrong\n", wrong);
    return wrong || cudaGetLastError() != cudaSuccess;
}
