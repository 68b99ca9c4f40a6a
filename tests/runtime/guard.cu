// CUCPU_GUARD=1: accesses after the end of an allocation, or after cudaFree, are faults without --check.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: env CUCPU_GUARD=1 %run %t 0
// RUN: not env CUCPU_GUARD=1 %run %t 1 2>&1 | FileCheck %s --check-prefixes=CHECK,AFTER
// RUN: not env CUCPU_GUARD=1 %run %t 2 2>&1 | FileCheck %s --check-prefixes=CHECK,FREED
// RUN: not env CUCPU_GUARD=1 %run %t 3 2>&1 | FileCheck %s
// CHECK: guard.cu:[[@LINE+7]]: illegal memory access at address 0x
// AFTER-SAME: {{ 0 bytes after an allocation of 1024 bytes}}
// FREED-SAME: inside an allocation of 1024 bytes at 0x{{[0-9a-f]*}} that was freed
#include <cstdio>
#include <cstdlib>
__global__ void write(int *p, int first) {
    int i = first + threadIdx.x;
    p[i] = i;
}
int main(int argc, char **argv) {
    int which = argc > 1 ? atoi(argv[1]) : 0, *p, *q, *m;
    if (cudaMalloc(&p, 1024) || cudaMalloc(&q, 1000) || cudaMallocManaged(&m, 3 << 20)) return 2;
    for (int k = 0; k < 200; k++) {
        int *r;
        if (cudaMalloc(&r, 37 * k + 1) || cudaFree(r)) return 3;
    }
    write<<<1, 250>>>(p, 0);
    write<<<1, 250>>>(q, 0);
    write<<<1, 256>>>(m, (3 << 18) - 256);
    if (cudaDeviceSynchronize() || m[(3 << 18) - 1] != (3 << 18) - 1) return 4;
    if (which == 1) write<<<1, 32>>>(p, 256);
    if (which == 2) cudaFree(p), write<<<1, 32>>>(p, 0);
    if (which == 3) write<<<1, 32>>>(m, 3 << 18);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) return printf("%s\n", cudaGetErrorName(error)), 1;
    return cudaFree(q) || cudaFree(m);
}
