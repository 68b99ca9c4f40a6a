// Wrong accesses: each is reported with its line, thread and the nearest allocation; its twin, one element less, is not.
// REQUIRES: run
// RUN: %cucpu --check=memory -Wno-array-bounds %s -o %t
// RUN: for c in "0 63" "1 32" "2 0" "3 0" "4 7" "6 9" "8 63" "9 3"; do %run %t $c > %t.ok 2>&1 && FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: %run %t 0 64 2>&1 | FileCheck --check-prefix=GLOBAL %s
// GLOBAL:      ========= Invalid __global__ write of size 4 bytes
// GLOBAL-NEXT: =========     at inner(int *, int)+0x{{[0-9a-f]+}} in memory.cu:[[#INNER:]]
// GLOBAL-NEXT: =========     by thread (63,0,0) in block (1,0,0)
// GLOBAL-NEXT: =========     Address 0x{{[0-9a-f]+}} is out of bounds
// GLOBAL-NEXT: =========     and is 0 bytes after the nearest allocation at 0x{{[0-9a-f]+}} of size 256 bytes
// GLOBAL-NEXT: =========     Device Frame: global(int *, int) in memory.cu:[[#INNER + 1]]
// GLOBAL-NEXT: {{^=========$}}
// GLOBAL-NEXT: unspecified launch failure
// GLOBAL-NEXT: ========= ERROR SUMMARY: 1 error
// RUN: %run %t 1 33 2>&1 | FileCheck --check-prefix=READ %s
// READ: Invalid __global__ read of size 4 bytes
// READ: by thread (31,0,0) in block (0,0,0)
// RUN: %run %t 2 1 2>&1 | FileCheck --check-prefix=SHARED %s
// SHARED: Invalid __shared__ write of size 4 bytes
// SHARED: by thread (31,0,0) in block (0,0,0)
// SHARED-NEXT: Address 0x80 is out of bounds
// SHARED-NEXT: and is 0 bytes after the nearest variable at 0x0 of size 128 bytes
// RUN: %run %t 3 1 2>&1 | FileCheck --check-prefix=DYNAMIC %s
// DYNAMIC: Invalid __shared__ write of size 4 bytes
// DYNAMIC: by thread (31,0,0)
// RUN: %run %t 4 8 2>&1 | FileCheck --check-prefix=LOCAL %s
// RUN: %run %t 5 2>&1 | FileCheck --check-prefix=LOCAL %s
// LOCAL: Invalid __local__ write of size 4 bytes
// LOCAL: by thread (0,0,0)
// RUN: %run %t 6 10 2>&1 | FileCheck --check-prefix=VARIABLE %s
// VARIABLE: Invalid __global__ write of size 4 bytes
// VARIABLE: and is 0 bytes after the nearest variable at 0x{{[0-9a-f]+}} of size 40 bytes
// RUN: %run %t 7 2>&1 | FileCheck --check-prefix=ALIGN %s
// ALIGN: Invalid __global__ write of size 4 bytes
// ALIGN: Address 0x{{[0-9a-f]+}}1 is misaligned
// ALIGN-NEXT: and is inside the nearest allocation at 0x{{[0-9a-f]+}} of size 256 bytes
// ALIGN: misaligned address
// RUN: %run %t 8 -1 2>&1 | FileCheck --check-prefix=ATOMIC %s
// ATOMIC: Invalid __global__ atomic of size 4 bytes
// ATOMIC: and is 4 bytes before the nearest allocation
// RUN: %run %t 9 4 2>&1 | FileCheck --check-prefix=HEAP %s
// HEAP: Invalid __global__ write of size 4 bytes
// HEAP: and is 0 bytes after the nearest allocation at 0x{{[0-9a-f]+}} of size 16 bytes
// RUN: %run %t 10 2>&1 | FileCheck --check-prefix=NULL %s
// NULL: Invalid __global__ write of size 4 bytes
// NULL: Address 0x0 is out of bounds
// RUN: %run %t 11 2>&1 | FileCheck --check-prefix=FREED %s
// FREED: Invalid __global__ atomic of size 4 bytes
// FREED: and is inside an allocation at 0x{{[0-9a-f]+}} of size 256 bytes that was freed
// RUN: %run %t 12 2>&1 | FileCheck --check-prefix=TWICE %s
// TWICE: ========= Malloc/Free error encountered : Double free
// TWICE: ========= Malloc/Free error encountered : Invalid pointer to free
// TWICE: ========= ERROR SUMMARY: 2 errors
// RUN: %run %t 15 2>&1 | FileCheck --check-prefix=DEVICE %s
// DEVICE:      ========= Malloc/Free error encountered : Double free
// DEVICE-NEXT: =========     at twice(int *)+0x{{[0-9a-f]+}} in memory.cu:[[#]]
// DEVICE-NEXT: =========     by thread (1,0,0) in block (0,0,0)
// RUN: %run %t 16 2>&1 | FileCheck --check-prefix=UNSEEN %s
// UNSEEN:      ========= Program hit cudaErrorInvalidConfiguration (error 9) due to "invalid configuration argument" on CUDA API call to cudaLaunchKernel.
// UNSEEN-NEXT: =========     and has not called cudaGetLastError or cudaPeekAtLastError after it
// UNSEEN:      ========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaMemcpy.
// UNSEEN:      ========= ERROR SUMMARY: 2 errors
// RUN: %run %t 17 2>&1 | FileCheck --check-prefix=OK %s
// RUN: %run %t 18 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: %run %t 13 2>&1 | FileCheck --check-prefix=HOST %s
// HOST: Invalid __global__ write of size 4 bytes
// RUN: %run %t 14 2>&1 | FileCheck --check-prefix=RECURSIVE %s
// RECURSIVE: Invalid __global__ write of size 4 bytes
// RECURSIVE-NEXT: at deep(int *, int)
// RECURSIVE-NEXT: by thread (2,0,0) in block (0,0,0)
#include <cstdio>
#include <cstdlib>
__device__ int table[10];
__device__ void inner(int *p, int i) { p[i] = i; }
__global__ void global(int *p, int last) { if (threadIdx.x == 63 && blockIdx.x) inner(p, last); }
__global__ void reads(const float *p, float *o, int k) { o[threadIdx.x] = p[threadIdx.x + k]; }
__global__ void shared(int *o, int k) {
    __shared__ int a[32], b[32];
    a[threadIdx.x + k] = 1;
    b[threadIdx.x] = 2;
    __syncthreads();
    o[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
__global__ void dynamic(int *o, int k) {
    extern __shared__ int d[];
    d[threadIdx.x + k] = 1;
    __syncthreads();
    o[threadIdx.x] = d[threadIdx.x];
}
__global__ void local(int *o, int k) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = i;
    a[k] = 5;
    o[threadIdx.x] = a[threadIdx.x & 7];
}
__global__ void constant_index(int *o) {
    int a[4];
    a[0] = 1, a[5] = 2;
    o[threadIdx.x] = a[0];
}
__global__ void variable(int *o, int k) { table[k] = 1, o[0] = table[0]; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 3; }
__global__ void atomic(int *p, int k) { atomicAdd(p + k, 1); }
__global__ void heap(int *o, int k) {
    int *q = (int *)malloc(16);
    q[k] = 1, o[0] = q[k];
    free(q);
}
__global__ void store(int *p) { *p = 1; }
__device__ __noinline__ int deep(int *p, int n) { return n ? deep(p + 1, n - 1) + deep(p + 1, n - 1) : *p = 1; }
__global__ void recursive(int *p) { p[threadIdx.x] = deep(p, threadIdx.x == 2 ? 70 : 1); }

__global__ void twice(int *p) {
    if (threadIdx.x != 1) return;
    int *q = (int *)malloc(4);
    *q = *p;
    free(q);
    free(q);
}
int main(int argc, char **argv) {
    int c = atoi(argv[1]), k = argc > 2 ? atoi(argv[2]) : 0, *p, *q;
    cudaMalloc(&p, 256), cudaMalloc(&q, 256);
    if (c == 0) global<<<2, 64>>>(p, k);
    if (c == 1) reads<<<1, 32>>>((float *)p, (float *)q, k);
    if (c == 2) shared<<<1, 32>>>(p, k);
    if (c == 3) dynamic<<<1, 32, 128>>>(p, k);
    if (c == 4) local<<<1, 32>>>(p, k);
    if (c == 5) constant_index<<<1, 32>>>(p);
    if (c == 6) variable<<<1, 1>>>(p, k);
    if (c == 7) misaligned<<<1, 1>>>((char *)p);
    if (c == 8) atomic<<<1, 1>>>(p, k);
    if (c == 9) heap<<<1, 1>>>(p, k);
    if (c == 10) store<<<1, 1>>>(0);
    if (c == 11) cudaFree(q), atomic<<<1, 1>>>(q, k);
    if (c == 12) cudaFree(q), cudaFree(q), cudaFree(p + 1);
    if (c == 13) store<<<1, 1>>>((int *)malloc(4));
    if (c == 15) twice<<<1, 2>>>(p);
    if (c == 16) store<<<1, 2048>>>(p), cudaMemcpy(p, q, 1 << 20, cudaMemcpyDeviceToDevice);
    if (c == 17) store<<<1, 2048>>>(p), cudaGetLastError();
    if (c == 18) cudaMallocAsync(&q, 4, 0), cudaFreeAsync(q, 0), cudaFreeAsync(q, 0), cudaFreeAsync(p + 1, 0);
    if (c == 14) recursive<<<1, 4>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
