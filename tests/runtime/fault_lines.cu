// The message of an illegal access has the line of the access, also where it was inlined; the program's folder may have changed.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t 2>&1 | FileCheck %s
// RUN: %cucpu --simd=1 %s -o %t.1 && %run %t.1 2>&1 | FileCheck %s
// RUN: %cucpu -G %s -o %t.g && %run %t.g 2>&1 | FileCheck %s
// RUN: %cucpu -O3 -rdc=true %s -o %t.rdc && %run %t.rdc 2>&1 | FileCheck %s
// RUN: mkdir -p %t.d && cd %t.d && %cucpu -O3 --cpu=x86-64-v3 %s -o here && %run ./here 2>&1 | FileCheck %s
#include <cstdio>
#include <unistd.h>
__device__ int load(const int *p, int i) {
    return p[i]; // CHECK: kernel access(int*, int) ({{.*}}fault_lines.cu:[[@LINE+5]]), block [0,0,0]: {{.*}}fault_lines.cu:[[@LINE]]: illegal memory access at address 0x
}
template <class T> __device__ void store(T *p, int i, T v) {
    p[i] = v; // CHECK: fault_lines.cu:[[@LINE]]: illegal memory access at address 0x
}
__global__ void access(int *p, int which) {
    int i = threadIdx.x;
    if (which == 0) p[i] = load(p, i + 1000000000);
    if (which == 1) store(p, i * 7 + 1000000000, 3);
    if (which == 2)
        p[i + 1000000000] = 4; // CHECK: fault_lines.cu:[[@LINE]]: illegal memory access at address 0x
    if (which == 3) atomicAdd(p + 1000000000, 1); // CHECK: illegal memory access at address 0x
}

int main() {
    if (chdir("/")) return 2;
    for (int which = 0; which < 4; which++) {
        int *p;
        cudaMalloc(&p, 4096);
        access<<<1, 32>>>(p, which);
        cudaDeviceSynchronize();
        cudaDeviceReset();
    }
}
