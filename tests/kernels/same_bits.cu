// The width never changes a result: floating-point kernels give the same bits one thread at a time (where LLVM
// vectorises the loop over threads, with SLEEF's vector functions) as in groups of threads.
// REQUIRES: run
// RUN: %cucpu -O3 --simd=1 %s -o %t.1 && %t.1 > %t.1.txt
// RUN: %also { %cucpu -O3 --simd=1 --disable=mark_parallel %s -o %t.s && %t.s > %t.s.txt && diff %t.1.txt %t.s.txt; }
// RUN: %cucpu -O3 --simd=16 %s -o %t.16 && %t.16 > %t.16.txt && diff %t.1.txt %t.16.txt
// RUN: test $(grep -c 'no error' %t.1.txt) = 82
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define UNARY(F)                                                                                                      \
    F(exp) F(exp2) F(exp10) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan)    \
    F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(cbrt) F(erf) F(erfc) F(tgamma) F(lgamma) F(sqrt) F(rsqrt)    \
    F(sinpi) F(cospi) F(floor) F(rint) F(round) F(trunc)
#define BINARY(F) F(pow) F(atan2) F(hypot) F(fmod) F(fmin) F(fmax) F(copysign)

#define ONE(f)                                                                                       \
    template <class T> __global__ void k_##f(const T *a, const T *, T *out, int n) {                 \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        if (i < n) out[i] = f(a[i]);                                                                 \
    }
#define TWO(f)                                                                                       \
    template <class T> __global__ void k_##f(const T *a, const T *b, T *out, int n) {                \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        if (i < n) out[i] = f(a[i], b[i]);                                                           \
    }
UNARY(ONE)
BINARY(TWO)

// sums and products of which several pairs may be fused
template <class T> __global__ void k_fused(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T x = a[i], y = b[i], r = x * y + y * x - x * x;
    for (int k = 0; k < 5; k++) r = r * x - y * r + x * y;
    out[i] = x > y ? r / (1 + y * y) : r * r + x;
}

template <class T> static void run(const char *name, void (*kernel)(const T *, const T *, T *, int)) {
    const int n = 1000;
    T *a, *b, *out;
    cudaMallocManaged(&a, n * sizeof(T));
    cudaMallocManaged(&b, n * sizeof(T));
    cudaMallocManaged(&out, n * sizeof(T));
    for (int i = 0; i < n; i++) {
        a[i] = T(i - 300) / T(71), b[i] = T(i * 37 % 501 - 250) / T(97);
        if (i % 50 == 0) a[i] = a[i] * T(1e30);
    }
    kernel<<<(n + 127) / 128, 128>>>(a, b, out, n);
    cudaError_t error = cudaDeviceSynchronize();
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < n; i++) {
        unsigned char bytes[sizeof(T)];
        if (out[i] != out[i]) out[i] = 0; // any NaN is as good as any other
        memcpy(bytes, &out[i], sizeof(T));
        for (unsigned char c : bytes) hash = (hash ^ c) * 1099511628211u;
    }
    printf("%s %d: %016llx %s\n", name, (int)sizeof(T), (unsigned long long)hash, cudaGetErrorString(error));
    cudaFree(a), cudaFree(b), cudaFree(out);
}

int main() {
#define RUN(f) run<float>(#f, k_##f<float>), run<double>(#f, k_##f<double>);
    UNARY(RUN) BINARY(RUN) RUN(fused)
}
