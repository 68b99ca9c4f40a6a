// Constructors and destructors of global objects use the kernels and variables of their file.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -rdc=true %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -c %s -o %t.o && %cucpu %t.o -o %t && %run %t | FileCheck %s
// RUN: %cucpu -Xcompiler -ffunction-sections,-fPIC,-O0 %s -o %t && %run %t | FileCheck %s
// CHECK: 5 7
// CHECK-NEXT: end 12
#include <cstdio>

__global__ void add(int *p, int x) { *p += x; }
__device__ int seven = 7;
template <class T> struct Held {
    T *p = nullptr;
    int v = 0;
    Held() {
        cudaMallocManaged(&p, sizeof(T));
        *p = 2;
        add<<<1, 1>>>(p, 3);
        cudaDeviceSynchronize();
        cudaMemcpyFromSymbol(&v, seven, sizeof v);
    }
    ~Held() {
        add<<<1, 1>>>(p, seven_on_host());
        cudaDeviceSynchronize();
        printf("end %d\n", *p);
    }
    int seven_on_host() {
        int x = 0;
        cudaMemcpyFromSymbol(&x, seven, sizeof x);
        return x;
    }
};
static Held<int> held;

int main() { printf("%d %d\n", *held.p, held.v); }
