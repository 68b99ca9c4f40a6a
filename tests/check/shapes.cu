// The test of each shape of address, and both tests of initialisation: shapes CASE N, where N = 64 is right and 65 is not.
// The thread is that of the lane; a site that has met one allocation knows nothing of the next, nor of a freed one.
// REQUIRES: run
// RUN: %cucpu --check=memory,init %s -o %t
// RUN: for c in 0 1 2 3 4 5 6 7 8; do env CUCPU_NUM_THREADS=1 %run %t $c 64 > %t.ok 2>&1 && FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// RUN: for c in 0 1 2 3 4 5 6 7 8; do env CUCPU_NUM_THREADS=1 %run %t $c 65 > %t.$c 2>&1; done
// RUN: %also { %cucpu --check=memory,init --simd=1 %s -o %t.one && for c in 0 1 2 3 4 5 6 7 8; do env CUCPU_NUM_THREADS=1 %run %t.one $c 64 > %t.ok 2>&1 && FileCheck --check-prefix=OK %s < %t.ok || exit 1; env CUCPU_NUM_THREADS=1 %run %t.one $c 65 2>&1 | sed s/0x[0-9a-f]*//g > %t.a; sed s/0x[0-9a-f]*//g %t.$c | diff - %t.a || exit 1; done; }
// OK-NOT: =========
// OK: no error
// RUN: FileCheck --check-prefix=ROW %s < %t.0
// ROW: Invalid __global__ read of size 4 bytes
// ROW-NEXT: at row(
// ROW-NEXT: by thread (63,0,0) in block (0,0,0)
// RUN: FileCheck --check-prefix=BACK %s < %t.1
// BACK: Invalid __global__ read of size 4 bytes
// BACK-NEXT: at back(
// BACK-NEXT: by thread (63,0,0) in block (0,0,0)
// BACK: and is 4 bytes before the nearest allocation
// RUN: FileCheck --check-prefix=STRIDED %s < %t.2
// STRIDED: Invalid __global__ write of size 8 bytes
// STRIDED-NEXT: at strided(
// STRIDED-NEXT: by thread (15,1,0) in block (0,0,0)
// RUN: FileCheck --check-prefix=GATHER %s < %t.3
// GATHER: Invalid __global__ read of size 4 bytes
// GATHER-NEXT: at gather(
// GATHER-NEXT: by thread (37,0,0) in block (0,0,0)
// RUN: FileCheck --check-prefix=MASKED %s < %t.4
// MASKED: Invalid __global__ write of size 4 bytes
// MASKED-NEXT: at masked(
// MASKED-NEXT: by thread (63,0,0) in block (0,0,0)
// RUN: FileCheck --check-prefix=LOCAL %s < %t.5
// LOCAL: Invalid __local__ read of size 4 bytes
// LOCAL-NEXT: at locals(
// LOCAL-NEXT: by thread (40,0,0) in block (0,0,0)
// LOCAL-NEXT: Address 0x20 is out of bounds
// LOCAL-NEXT: and is 0 bytes after the nearest variable at 0x0 of size 32 bytes
// RUN: FileCheck --check-prefix=FREED %s < %t.6
// FREED: Invalid __global__ write of size 4 bytes
// FREED-NEXT: at masked(
// FREED-NEXT: by thread (0,0,0) in block (0,0,0)
// FREED: that was freed
// RUN: FileCheck --check-prefix=INIT %s < %t.7
// INIT: Uninitialized __global__ memory read of size 4 bytes
// INIT-NEXT: at row(
// INIT-NEXT: by thread (63,0,0) in block (0,0,0)
// INIT: ERROR SUMMARY: 1 error
// RUN: FileCheck --check-prefix=TILE %s < %t.8
// TILE: Uninitialized __shared__ memory read of size 4 bytes
// TILE-NEXT: at tile(
// TILE-NEXT: by thread (5,0,0) in block (0,0,0)
// TILE: by thread (5,0,0) in block (1,0,0)
// TILE: ERROR SUMMARY: 2 errors
#include <cstdio>
#include <cstdlib>
__global__ void row(const float *p, float *o, int k) { o[threadIdx.x] = p[threadIdx.x + k]; }
__global__ void back(const float *p, float *o, int n) { o[threadIdx.x] = p[127 - n - (int)threadIdx.x]; }
__global__ void strided(double *p, int n) { p[2 * (threadIdx.x + 16 * threadIdx.y) + (n - 64)] = 1; }
__global__ void gather(const float *p, const int *list, float *o) { o[threadIdx.x] = p[list[threadIdx.x]]; }
__global__ void masked(float *p, int n, int from) {
    int i = threadIdx.x;
    if (i < n && i >= from) p[i] = i;
}
__global__ void locals(int *o, const int *list) {
    int a[8] = {};
    for (int i = 0; i < 8; i++) a[list[threadIdx.x] % 9] += i;
    for (int i = 0; i < 8; i++) o[threadIdx.x] = a[i];
}
__global__ void tile(const float *p, float *o, int skip) {
    __shared__ float s[64];
    if (threadIdx.x != skip) s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
int main(int argc, char **argv) {
    int c = atoi(argv[1]), n = atoi(argv[2]), *list, numbers[64];
    float *p, *q, *r;
    for (int i = 0; i < 64; i++) numbers[i] = c == 5 ? (i == 40 && n > 64 ? 8 : i % 8) : i == 37 ? n - 1 : i;
    cudaMalloc(&p, 64 * 4), cudaMalloc(&q, 64 * 4), cudaMalloc(&r, 63 * 8), cudaMalloc(&list, sizeof numbers);
    cudaMemset(p, 1, 64 * 4), cudaMemset(q, 1, 64 * 4), cudaMemcpy(list, numbers, sizeof numbers, cudaMemcpyDefault);
    if (c == 0) row<<<1, 64>>>(q, p, 0), row<<<1, 64>>>(p, q, n - 64);
    if (c == 1) back<<<1, 64>>>(q, p, 64), back<<<1, 64>>>(p, q, n);
    if (c == 2) strided<<<1, dim3(16, 2)>>>((double *)r, n);
    if (c == 3) gather<<<1, 64>>>(p, list, q);
    if (c == 4) masked<<<1, 128>>>(q, 64, 0), masked<<<1, 128>>>(q + (n - 64), 64, 0);
    if (c == 5) locals<<<1, 64>>>((int *)p, list);
    if (c == 6) masked<<<1, 128>>>(q, 64, 0), cudaDeviceSynchronize(), cudaFree(n > 64 ? q : p), masked<<<1, 128>>>(q, 64, 0);
    if (c == 7) cudaFree(q), cudaMalloc(&q, 64 * 4), masked<<<1, 128>>>(q, 128 - n, 0), row<<<1, 64>>>(q, p, 0);
    if (c == 8) tile<<<2, 64>>>(p, q, n > 64 ? 5 : -1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
