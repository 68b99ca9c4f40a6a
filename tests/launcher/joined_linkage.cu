// extern "C"__global__ without a space, in the source and in what it includes; names and messages are right, suffixes of the program's own stay.
// REQUIRES: run
// RUN: rm -rf %t && mkdir -p %t && sed -n 's/^\/\/H //p' %s > %t/kernel.cuh
// RUN: %cucpu -I%t %s -o %t/a && %run %t/a | FileCheck %s
// RUN: not %cucpu -I%t -DWRONG -c %s -o %t/b 2>&1 | FileCheck --check-prefix=WRONG %s
// clang-format off
//H extern "C"__global__ void doubled(int *p) { *p *= 2; }
#include <cstdio>
#include <kernel.cuh>
extern /* linkage */ "C"__device__ int more(int x) { return x + 1; }
extern "C"__global__ void k(int *p) { *p = more(*p); }
constexpr int operator""__own(const char *, unsigned long) { return 7; }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    *p = "C"__own;
    k<<<1, 1>>>(p);
    doubled<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%d %s\n", *p, "extern \"C\"__device__");
}
#ifdef WRONG
int wrong() { return missing; }
#endif
// CHECK: {{^}}16 extern "C"__device__
// WRONG: joined_linkage.cu:23:22: error: use of undeclared identifier 'missing'
