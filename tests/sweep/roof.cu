// cucpu-sweep --roof: the machine's speeds are measured once and kept; the column says what part of the time they need.
// REQUIRES: run
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s axpy.cu
// RUN: env XDG_CACHE_HOME=%t %sweep --simd 8 --rounds 1 --roof axpy.cu -O3 > first && FileCheck %s < first
// CHECK: simd width time ms speed-up active
// CHECK-SAME: GFLOP/s GB/s roof frame
// RUN: cat cucpu/roof-*-1.json | FileCheck --check-prefix=KEPT %s
// KEPT: {"bandwidth": {{[1-9][0-9.]*|0\.[0-9]+}}, "single": {{[1-9][0-9.]*}}, "double": {{[1-9][0-9.]*}}}
// On a machine of 2 operations and a quarter of a byte in a nanosecond the bytes take 49,152 ns.
// RUN: for f in cucpu/roof-*; do echo '{"bandwidth": 0.25, "single": 2, "double": 1}' > "$f"; done
// RUN: env XDG_CACHE_HOME=%t %sweep --simd 8 --rounds 1 --roof --json j.json axpy.cu -O3 > second
// RUN: %python -c "import json; k = json.load(open('j.json'))['runs'][0]['kernels'][0]; print(k['flops'], k['bytes'], round(k['roof'] * k['time_ns']))" | FileCheck --check-prefix=SECOND %s
// SECOND: {'half': 0, 'single': 2048, 'double': 0} {'loaded': 8192, 'stored': 4096} 49152
// RUN: sh -c '%sweep --roof --no-counts axpy.cu; test $? = 2' 2>&1 | FileCheck --check-prefix=ALONE %s
// ALONE: cucpu-sweep: error: --roof needs counts and times
#include <cstdio>

__global__ void axpy(float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += a * x[i];
}

int main() {
    float *x, *y;
    cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
    cudaMemset(x, 0, 4096), cudaMemset(y, 0, 4096);
    axpy<<<4, 256>>>(2, x, y);
    return cudaDeviceSynchronize();
}
