// Blocks that wait for blocks with higher numbers, and for each other; threads that wait for what nobody stores.
// REQUIRES: run
// RUN: %cucpu --check=race %s -o %t
// RUN: for c in 0 1; do %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: for c in 0 1; do %run %t $c 1 > %t.bad 2>&1; FileCheck --check-prefix=BAD %s < %t.bad || exit 1; done
// BAD: ========= Error: Race reported between
// RUN: %run %t 3 0 2>&1 | FileCheck --check-prefix=STUCK %s
// STUCK:      ========= Deadlock detected: threads poll, and nobody has stored anything for 5 seconds
// STUCK-NEXT: =========     at locks(int *)+0x{{[0-9a-f]+}} in polls.cu:[[#]]
// STUCK-NEXT: =========     by thread ({{0|32}},0,0) in block (0,0,0)
// STUCK:      unspecified launch failure
#include <cstdio>
#include <cstdlib>
// Each waits for the next one.
__global__ void chain(int *p, int bad) {
    __shared__ int s[64];
    int b = blockIdx.x, t = threadIdx.x;
    volatile int *flag = p;
    if (b + 1 < gridDim.x) {
        if (t == 0) {
            while (!flag[b + 1]) {}
            __threadfence();
        }
        __syncthreads();
    }
    s[t] = b + 1 < gridDim.x ? p[256 + (b + 1) * 64 + t] : 1;
    if (!bad) __syncthreads();
    p[256 + b * 64 + t] = s[63 - t] + 1;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        flag[b] = 1;
    }
}
__global__ void turns(int *p, int bad) {
    volatile int *turn = p;
    if (threadIdx.x) return;
    for (int i = 0; i < 50; i++) {
        while (*turn % 2 != blockIdx.x) {}
        if (!bad) __threadfence();
        p[10]++;
        if (!bad) __threadfence();
        *turn = *turn + 1;
    }
}
// Two threads take two locks in different order.
__global__ void locks(int *p) {
    int t = threadIdx.x / 32;
    if (threadIdx.x % 32) return;
    while (atomicCAS(p + t, 0, 1)) {}
    __threadfence_block();
    while (!atomicAdd(p + 1 - t, 0)) {}
    while (atomicCAS(p + 1 - t, 0, 1)) {}
    p[2]++;
}
int main(int, char **v) {
    int n = atoi(v[1]), bad = atoi(v[2]), *p;
    cudaMalloc(&p, 1 << 20), cudaMemset(p, 0, 1 << 20);
    if (n == 0) chain<<<6, 64>>>(p, bad);
    if (n == 1) turns<<<2, 32>>>(p, bad);
    if (n == 3) locks<<<1, 64>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
