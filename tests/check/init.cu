// Reads of memory that nobody has written: init N.  Copies, memset, the host and kernels write.
// REQUIRES: run
// RUN: %cucpu --check=init %s -o %t
// RUN: for c in 0 1 2 3 4 5 10 11; do %run %t $c > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: %run %t 6 2>&1 | FileCheck --check-prefix=GLOBAL %s
// GLOBAL:      ========= Uninitialized __global__ memory read of size 4 bytes
// GLOBAL-NEXT: =========     at sum(int *, int *, int)+0x{{[0-9a-f]+}} in init.cu:[[#]]
// GLOBAL-NEXT: =========     by thread (9,0,0) in block (0,0,0)
// GLOBAL-NEXT: =========     Address 0x{{[0-9a-f]+}}4
// GLOBAL:      no error
// GLOBAL-NEXT: ========= ERROR SUMMARY: 23 errors
// RUN: %run %t 7 2>&1 | FileCheck --check-prefix=SHARED %s
// SHARED: ========= Uninitialized __shared__ memory read of size 4 bytes
// SHARED: by thread (0,0,0) in block (0,0,0)
// SHARED-NEXT: Address 0x7c
// RUN: compute-sanitizer --tool initcheck --error-exitcode 4 %t 8 > %t.out; test $? = 4
// RUN: FileCheck --check-prefix=COPY %s < %t.out
// COPY: ========= Uninitialized __global__ memory read of size 1 bytes
// COPY: ========= ERROR SUMMARY: 8 errors
// RUN: %run %t 9 2>&1 | FileCheck --check-prefix=HOST %s
// HOST:      ========= Host API uninitialized memory access: copy of 128 bytes to the host
// HOST-NEXT: =========     Address 0x{{[0-9a-f]+}} is the first of 64 bytes that nobody has written
// HOST-NEXT: =========     and is inside the allocation at 0x{{[0-9a-f]+}} of size 128 bytes
// HOST:      ========= ERROR SUMMARY: 1 error
// Copies within the device: of a row, and of a part of each of several rows.
// RUN: %run %t 12 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: %run %t 13 2>&1 | FileCheck --check-prefix=MOVED %s
// MOVED: ========= Uninitialized __global__ memory read of size 4 bytes
// MOVED: by thread (16,0,0) in block (0,0,0)
// MOVED: ========= ERROR SUMMARY: 8 errors
#include <cstdio>
#include <cstdlib>
#include <vector>
__device__ int variable[32];
__global__ void sum(int *o, int *p, int n) { o[threadIdx.x] = p[threadIdx.x] + n; }
__global__ void set(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = threadIdx.x; }
__global__ void shared(int *o, int skip) {
    __shared__ int s[32];
    if (threadIdx.x < 32 - skip) s[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void bytes(char *o, const char *p) { o[threadIdx.x] = p[threadIdx.x]; }
int main(int argc, char **argv) {
    int c = atoi(argv[1]), *p, *q, *m;
    std::vector<int> host(32, 5);
    cudaMalloc(&p, 128), cudaMalloc(&q, 128), cudaMallocManaged(&m, 128);
    if (c == 0) cudaMemset(p, 0, 128), sum<<<1, 32>>>(q, p, 1);
    if (c == 1) cudaMemcpy(p, host.data(), 128, cudaMemcpyHostToDevice), sum<<<1, 32>>>(q, p, 1);
    if (c == 2) set<<<1, 32>>>(p, 32), sum<<<1, 32>>>(q, p, 1), sum<<<1, 32>>>(p, q, 1);
    if (c == 3) sum<<<1, 32>>>(q, m, 1);
    if (c == 4) cudaGetSymbolAddress((void **)&m, variable), sum<<<1, 32>>>(q, m, 1);
    if (c == 5) shared<<<3, 32>>>(q, 0);
    if (c == 6) set<<<1, 32>>>(p, 9), sum<<<1, 32>>>(q, p, 1);
    if (c == 7) shared<<<1, 32>>>(q, 1);
    if (c == 9) set<<<1, 32>>>(p, 16), cudaMemcpy(host.data(), p, 128, cudaMemcpyDeviceToHost);
    if (c == 8) cudaMemset(p, 1, 32), bytes<<<1, 64>>>((char *)q, (char *)p);
    cudaMemcpyKind inside = cudaMemcpyDeviceToDevice;
    if (c == 10) set<<<1, 32>>>(p, 32), cudaMemcpy(q, p, 128, inside), sum<<<1, 32>>>(p, q, 1);
    if (c == 11) set<<<1, 24>>>(p, 24), cudaMemcpy(q, p, 96, inside), set<<<1, 32>>>(q, 32), sum<<<1, 32>>>(p, q, 1);
    if (c == 12) set<<<1, 24>>>(p, 16), cudaMemcpyAsync(q, p, 128, inside), set<<<1, 8>>>(q + 24, 8);
    if (c == 13) set<<<1, 32>>>(p, 16), set<<<1, 16>>>(q + 16, 16), cudaMemcpy2D(q, 32, p, 32, 32, 3, inside);
    if (c > 11) sum<<<1, 32>>>(m, q, 1);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
