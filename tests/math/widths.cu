// Whole programs: the same bits at every width, with the device library's fast functions, calls under
// divergent control flow, and a tail that does not fill a group.
// REQUIRES: run
// RUN: for w in 1 2 4 8 16 32; do %cucpu --simd=$w %s -o %t.$w && %run %t.$w > %t.$w.out || exit 1; done
// RUN: for w in 2 4 8 16 32; do cmp %t.1.out %t.$w.out || exit 1; done
// RUN: FileCheck %s < %t.16.out
#include <cmath>
#include <cstdio>

__global__ void evaluate(const float *x, unsigned *hash, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], s, c;
    double d = a;
    sincosf(a, &s, &c);
    float f = s + c * expf(-fabsf(a)) + __sinf(a) + erff(a) + cbrtf(a) + fmodf(a, 0.7f);
    if (a > 0) f += logf(a) + powf(a, 1.7f) + __logf(a) + tgammaf(a * 0.1f);
    else f -= log1pf(-a) + asinhf(a * 1e25f) + __expf(a);
    int e;
    f += frexpf(a, &e) + ldexpf(a, i % 7 - 3);
    double g = sin(d) + exp(d) + atan2(d, 3.0) + erfc(d) + e;
    long long bits = __double_as_longlong(g);
    hash[i] = __float_as_uint(f) ^ (unsigned)bits ^ (unsigned)(bits >> 32);
}

int main() {
    const int n = 1000;
    static float x[n];
    static unsigned h[n];
    for (int i = 0; i < n; i++) x[i] = (i - n / 2) * 0.037f;
    float *dx;
    unsigned *dh;
    cudaMalloc(&dx, sizeof x), cudaMalloc(&dh, sizeof h);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    evaluate<<<(n + 99) / 100, 100>>>(dx, dh, n);
    cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%08x\n", h[i]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    // CHECK: no error
}
