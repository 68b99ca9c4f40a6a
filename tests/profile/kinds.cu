// Counting changes no result: barriers, warp-level functions, atomics, local arrays, structures, calls, at all widths.
// REQUIRES: run
// RUN: %cucpu --profile=lanes %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck %s
// RUN: %cucpu --profile=lanes --simd=1 %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck %s
// RUN: %also { %cucpu --profile=lanes -G %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck %s; }
// RUN: %also { %cucpu --profile=lanes --simd=64 %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck %s; }
// RUN: %cucpu --profile=lanes --simd=32 --cpu=x86-64-v2 %s -o %t && env CUCPU_PROFILE=%t.json CUCPU_NUM_THREADS=3 %run %t | FileCheck %s
// RUN: %python -c "import json; json.load(open('%t.json'))"
#include <cstdio>
struct Pair { int a, b; };
__device__ __noinline__ int slow(int n) { return n < 2 ? n : slow(n - 1) + slow(n - 2); }
__global__ void all(const Pair *in, int *out, int *sum) {
    __shared__ int tile[128];
    int t = threadIdx.x, local[8];
    for (int k = 0; k < 8; k++) local[(k + t) & 7] = in[t].a + k;
    tile[t] = in[t].b + local[t & 7];
    __syncthreads();
    int v = tile[127 - t];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (t % 3 == 0) atomicAdd(sum, v & 15);
    if (t % 32 == 5) v += slow(9);
    __syncthreads();
    out[t * 3] = v;
}
int main() {
    Pair *in;
    int *out, *sum;
    cudaMallocManaged(&in, 128 * sizeof *in);
    cudaMallocManaged(&out, 400 * sizeof *out);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 128; i++) in[i] = {i * 7, 1000 - i};
    all<<<1, 128>>>(in, out, sum);
    cudaDeviceSynchronize();
    long h = *sum;
    for (int i = 0; i < 128; i++) h = h * 31 % 1000003 + out[3 * i];
    printf("%ld\n", h); // CHECK: 671590
}
