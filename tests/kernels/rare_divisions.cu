// Quotients that are the same for all threads, as parts of addresses, where only some threads divide: vectorizers must not divide
// under the condition of the first of several threads.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: for cpu in x86-64-v2 x86-64-v3 native; do %cucpu -O3 --simd=1 --cpu=$cpu %s -o %t && %run %t || exit 1; done
#include "check.h"

#define FORMS(X)                                                                                                           \
    X(quotient, unsigned, a[p / q])                                                                                        \
    X(remainder, unsigned, a[p % q])                                                                                       \
    X(start, unsigned, a[p / q + i])                                                                                       \
    X(twice, unsigned, a[p / q] + b[p / q])                                                                                \
    X(also_value, unsigned, a[p / q] + int(p / q))                                                                         \
    X(of_quotient, unsigned, a[p / q / q])                                                                                 \
    X(of_part, unsigned, a[i / 16 / q])                                                                                    \
    X(of_each, unsigned, a[i / q])                                                                                         \
    X(bytes, unsigned char, a[p / q])                                                                                      \
    X(with_sign, int, a[p % q] - a[p / q])                                                                                 \
    X(large, unsigned long long, a[p / q])                                                                                 \
    X(large_with_sign, long long, a[p / q])

// The loop over i: one that the vectorizer sees in code of a thread, and that over the threads.
#define KERNELS(name, T, e)                                                                                                \
    __global__ void name(int *__restrict__ out, const int *__restrict__ a, const int *__restrict__ b, T q, T p, int k) {   \
        int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;                                                              \
        if (i % 7 == k) v = (e);                                                                                           \
        out[i] = v;                                                                                                        \
    }                                                                                                                      \
    __global__ void name##_in_loop(int *__restrict__ out, const int *__restrict__ a, const int *__restrict__ b, T q, T p, int k, int n) { \
        for (int i = 0; i < n; i++) {                                                                                      \
            int v = 0;                                                                                                     \
            if (i % 7 == k) v = (e);                                                                                       \
            out[i] = v;                                                                                                    \
        }                                                                                                                  \
    }                                                                                                                      \
    static int name##_of(const int *a, const int *b, T q, T p, int i) { return (e) + 0 * b[0]; }
FORMS(KERNELS)

static const int N = 256;

template <class T> static void run(const char *name, void (*all)(int *, const int *, const int *, T, T, int),
                                   void (*loop)(int *, const int *, const int *, T, T, int, int), int (*of)(const int *, const int *, T, T, int)) {
    int *out, *a, *b;
    CUDA(cudaMallocManaged(&out, N * 4));
    CUDA(cudaMallocManaged(&a, N * 2 * 4));
    CUDA(cudaMallocManaged(&b, N * 2 * 4));
    for (int i = 0; i < 2 * N; i++) a[i] = i * 7 + 1, b[i] = i * 13 + 5;
    for (int k = 0; k < 7; k++)
        for (int kind = 0; kind < 2; kind++) {
            if (kind) loop<<<1, 1>>>(out, a, b, T(3), T(100), k, N);
            else all<<<N / 128, 128>>>(out, a, b, T(3), T(100), k);
            CUDA(cudaDeviceSynchronize());
            bool right = true;
            for (int i = 0; i < N; i++) right = right && out[i] == (i % 7 == k ? of(a, b, T(3), T(100), i) : 0);
            if (!right) std::printf("%s, kind %d, k %d\n", name, kind, k);
            CHECK(right);
        }
    CUDA(cudaFree(out));
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
}

int main() {
#define RUN_ALL(name, T, e) run<T>(#name, name, name##_in_loop, name##_of);
    FORMS(RUN_ALL)
    return finish();
}
