// A file of many kernels is compiled in parts, which share variables, constants, functions that are called, recursive or pointed to;
// objects do not depend on how many parts are compiled at a time.
// REQUIRES: run
// RUN: %cucpu -O1 -split-compile 1 -c %s -o %t.1.o
// RUN: %cucpu -O1 -split-compile 3 -c %s -o %t.3.o
// RUN: llvm-nm %t.3.o | FileCheck %s --check-prefix=PARTS
// RUN: llvm-objcopy -O binary --only-section=.text %t.1.o %t.1.text && llvm-objcopy -O binary --only-section=.text %t.3.o %t.3.text
// RUN: cmp %t.1.text %t.3.text
// RUN: %cucpu %t.3.o -o %t && %run %t | FileCheck %s
// RUN: not %cucpu -split-compile x -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD
// PARTS: {{[DB]}} {{.*}}total{{.*}}.{{[0-9a-f]+$}}
// BAD: a number of processes
#include <cstdio>

static __device__ int total;
static __constant__ int factors[4];
__device__ const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
typedef int (*Function)(int);
__device__ Function chosen;

template <int N> __global__ void work(int *out, int n, bool last) {
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i % (N + 3);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 0; k < N + 4; k++) {
        v += s[(threadIdx.x + k) % 64] * table[(i + k) % 8];
        if (v & 1) v = v * 3 + factors[k % 4];
        else v = v / (N + 2) + k;
        switch ((v + k) % 5) {
        case 0: v ^= N; break;
        case 1: v += out[i]; break;
        case 2: v -= s[k % 64]; break;
        case 3: v = min(v, 1000000 + N); break;
        default: v += fib(k % 6);
        }
    }
    if (N == 0 && i == 0) chosen = twice;
    if (last && i < 2) v += chosen == twice ? chosen(i) : thrice(i);
    if (i < n) out[i] = v, atomicAdd(&total, v % 7);
}

template <int N> void run(int *out, int n) {
    if constexpr (N > 0) run<N - 1>(out, n);
    work<N><<<(n + 63) / 64, 64>>>(out, n, N == 15);
}

template <int N> int expect(int *out, int n, const int *f) { // the host's twin
    const int t[8] = {3, 1, 4, 1, 5, 9, 2, 6}, fibs[6] = {0, 1, 1, 2, 3, 5};
    int sum = 0;
    if constexpr (N > 0) sum = expect<N - 1>(out, n, f);
    for (int i = 0; i < n; i++) {
        int v = i % (N + 3), b = i / 64 * 64;
        for (int k = 0; k < N + 4; k++) {
            v += (b + (i % 64 + k) % 64) % (N + 3) * t[(i + k) % 8];
            v = v & 1 ? v * 3 + f[k % 4] : v / (N + 2) + k;
            switch ((v + k) % 5) {
            case 0: v ^= N; break;
            case 1: v += out[i]; break;
            case 2: v -= (b + k % 64) % (N + 3); break;
            case 3: v = v < 1000000 + N ? v : 1000000 + N; break;
            default: v += fibs[k % 6];
            }
        }
        if (N == 15 && i < 2) v += 2 * i;
        out[i] = v, sum += v % 7;
    }
    return sum;
}

int main() {
    const int n = 640, f[4] = {1, -2, 3, -4};
    int *out, want[n] = {}, sum, wrong = 0;
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMemset(out, 0, n * sizeof(int));
    cudaMemcpyToSymbol(factors, f, sizeof f);
    run<15>(out, n);
    cudaMemcpyFromSymbol(&sum, total, sizeof sum);
    int want_sum = expect<15>(want, n, f);
    for (int i = 0; i < n; i++) wrong += out[i] != want[i];
    printf("%d wrong, sum %s, %s\n", wrong, sum == want_sum ? "right" : "wrong", cudaGetErrorString(cudaGetLastError()));
    // CHECK: 0 wrong, sum right, no error
}
