// A program that was compiled once, without --check: kernels are compiled again, with checks, when compute-sanitizer
// runs it.  Variables and attributes of kernels are those of the new ones; other values of them were seen before.
// REQUIRES: run
// RUN: rm -rf %t && mkdir %t && cd %t && %cucpu -DMAIN -DPART %s -o whole && %cucpu -rdc=true -DMAIN -c %s -o a.o && \
// RUN:   %cucpu -rdc=true -DPART -c %s -o b.o && %cucpu -rdc=true a.o b.o -o parts
// RUN: %cucpu --embed-bitcode=false -rdc=true a.o b.o -o bare && %cucpu -G -use_fast_math -DMAIN -DPART %s -o debug
// RUN: %run ./whole 0 | FileCheck %s && %run ./parts 0 | FileCheck %s && %run ./debug 0 | FileCheck %s
// CHECK: managed 7
// CHECK: threads 64, constant 16
// CHECK: counter 6, managed 109, sum 100
// CHECK: child 81
// CHECK: again 5
//
// RUN: compute-sanitizer ./whole 0 | FileCheck %s --check-prefixes=CHECK,CLEAN
// RUN: compute-sanitizer ./parts 0 | FileCheck %s --check-prefixes=CHECK,CLEAN
// RUN: compute-sanitizer ./debug 0 | FileCheck %s --check-prefixes=CHECK,CLEAN
// CLEAN: ERROR SUMMARY: 0 errors
// RUN: compute-sanitizer ./whole 1 > o; FileCheck %s --check-prefix=MEMORY < o
// RUN: compute-sanitizer ./parts 1 > o; FileCheck %s --check-prefix=MEMORY < o
// RUN: compute-sanitizer ./debug 1 > o; FileCheck %s --check-prefix=MEMORY < o
// MEMORY: Invalid __global__ write of size 4 bytes
// MEMORY-NEXT: at store(int *, int)+0x{{[0-9a-f]+}} in once.cu:[[# @LINE + 22]]
// MEMORY-NEXT: by thread (32,0,0) in block (0,0,0)
// RUN: compute-sanitizer --tool racecheck ./whole 2 | FileCheck %s --check-prefix=RACE
// RUN: compute-sanitizer --tool racecheck ./parts 2 | FileCheck %s --check-prefix=RACE
// RACE: Error: Race reported between Write access at neighbours(int *, int)+0x{{[0-9a-f]+}} in once.cu
// RUN: compute-sanitizer --tool initcheck ./whole 3 | FileCheck %s --check-prefix=INIT
// INIT: Uninitialized __global__ memory read of size 4 bytes
// RUN: compute-sanitizer --tool synccheck ./whole 4 > o; FileCheck %s --check-prefix=SYNC < o
// SYNC: Barrier error detected. Divergent thread(s) in block
//
// What cannot be compiled again runs as it is, and one line says why.
// RUN: compute-sanitizer ./bare 0 > o 2>&1; test $? = 255 && FileCheck %s --check-prefixes=CHECK < o && \
// RUN:   FileCheck %s --check-prefix=BARE < o
// BARE: cucpu: the kernels of device link are not checked: they have no bitcode
// BARE: Error: no kernel that ran could be checked
// RUN: env CUCPU_COMPILER=none CUCPU_CACHE=0 compute-sanitizer ./whole 0 > o 2>&1; test $? = 255 && \
// RUN:   FileCheck %s --check-prefix=NONE < o
// NONE: cucpu: the kernels of {{.*}}once.cu are not checked: there is no compiler 'none'
#include <cstdio>
#include <cstdlib>

#ifdef PART
__device__ __noinline__ void store(int *p, int i) { p[i] = 1; }
#else
__device__ void store(int *p, int i);
#endif

#ifdef MAIN
__device__ int counter = 5;
__constant__ int table[4] = {1, 2, 3, 4};
__managed__ int value = 7;

__global__ void leaf(int *p) { p[threadIdx.x] = 81; }

__global__ void __launch_bounds__(64) work(int *p, int n) {
    int i = threadIdx.x;
    store(p, i < 2 * n ? i : i + 1);
    p[i] = table[i & 3] + counter + value;
    __syncthreads();
    if (i == 0) counter++, value += 100;
}
__global__ void neighbours(int *p, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = n;
    p[threadIdx.x] = s[threadIdx.x ^ 32];
}
__global__ void sum(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void uneven(int *p) {
    if (threadIdx.x < 16) __syncthreads();
    p[threadIdx.x] = 1;
}

int main(int, char **argv) {
    int which = atoi(argv[1]), c, t[4] = {10, 20, 30, 40}, host[32], *p, total = 0;
    printf("managed %d\n", value);
    value = 9;
    cudaMemcpyToSymbol(table, t, sizeof t);
    cudaMalloc(&p, 64 * sizeof(int));
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, work);
    printf("threads %d, constant %d\n", a.maxThreadsPerBlock, (int)a.constSizeBytes);
    int *q, *small;
    cudaMalloc(&q, 64 * sizeof(int));
    cudaMalloc(&small, 33 * sizeof(int));
    if (which == 1) work<<<1, 33>>>(small, 16);
    if (which == 2) neighbours<<<1, 64>>>(p, 1);
    if (which == 3) sum<<<1, 32>>>(p, q);
    if (which == 4) uneven<<<1, 64>>>(p);
    if (which) return cudaDeviceSynchronize() != cudaSuccess;
    work<<<1, 32>>>(p, 16);
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++) total += host[i] - 5 - 9;
    printf("counter %d, managed %d, sum %d\n", c, value, total);
    void (*kernel)(int *) = leaf;
    kernel<<<1, 32>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("child %d\n", host[7]);
    cudaDeviceReset();
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    printf("again %d\n", c);
}
#endif
