// Device assertions: CUDA's message, the sticky error, a host program that lives on, NDEBUG.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t > %t.out 2>&1 && FileCheck %s --input-file=%t.out
// RUN: %cucpu --simd=1 %s -o %t && %run %t > %t.out 2>&1 && FileCheck %s --input-file=%t.out
// RUN: %cucpu -DINDIRECT %s -o %t && %run %t > %t.out 2>&1 && FileCheck %s --input-file=%t.out
// RUN: %cucpu -DNDEBUG %s -o %t && %run %t > %t.out 2>&1 && FileCheck %s --check-prefix=OFF --input-file=%t.out
#include <cassert>
#include <cstdio>

#ifdef INDIRECT // recursion: the function stays a call
__device__ int check(int i, int limit) {
    if (i > 1000) return check(i - 1000, limit);
    assert(i < limit);
    return i + 1;
}
#else
__device__ int check(int i, int limit) {
    assert(i < limit);
    return i + 1;
}
#endif

__global__ void kernel(int *out, int limit) {
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    if (i & 1) out[i] = check(i, limit); // thread 37 is x 5, y 1
}

int main() {
    int *d;
    cudaMalloc(&d, 64 * sizeof(int));
    kernel<<<1, dim3(32, 2)>>>(d, 64);
    std::printf("good: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    kernel<<<dim3(1, 1), dim3(32, 2)>>>(d, 37);
    std::printf("bad: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("again: %s\n", cudaGetErrorName(cudaMalloc(&d, 4)));
    std::fflush(stdout);
}
// CHECK-DAG: good: cudaSuccess
// CHECK-DAG: assert.cu:{{[0-9]+}}: {{.*}}check{{.*}}: block: [0,0,0], thread: [{{(5,1|7,1|9,1|11,1|13,1|15,1|17,1|19,1|21,1|23,1|25,1|27,1|29,1|31,1)}},0] Assertion `i < limit` failed.
// CHECK-DAG: bad: cudaErrorAssert
// CHECK-DAG: again: cudaErrorAssert
// OFF-NOT: Assertion
// OFF: bad: cudaSuccess
// OFF: again: cudaSuccess
