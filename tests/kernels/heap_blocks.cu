// malloc and free in kernels: blocks of all sizes do not overlap, also where another thread or another kernel frees them; what is
// written behind a block ends the kernel when the next one is freed, and does not break the host's heap.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && env CUCPU_NUM_THREADS=4 %run %t 2> %t.txt && FileCheck %s < %t.txt
// RUN: %cucpu -std=c++17 -G --simd=1 %s -o %t.1 && env CUCPU_NUM_THREADS=4 %run %t.1 2> /dev/null
// CHECK: kernel beyond(){{.*}}: free(0x{{.*}}whose surroundings were written to
#include <cstdio>
#include <cstdlib>

struct Block {
    unsigned char *p;
    unsigned n;
};
enum { SLOTS = 12, BLOCKS = 6, THREADS = 32, N = SLOTS * BLOCKS * THREADS };

__device__ unsigned size_of(unsigned r) { return r % 61 == 0 ? 1 + r % 300000 : r % 7 == 0 ? 1 + r % 5000 : 1 + r % 200; }
__device__ void fill(Block &b, unsigned mark) {
    for (unsigned i = 0; i < b.n; i += 1 + b.n / 50) b.p[i] = mark;
    b.p[b.n - 1] = mark;
}
__device__ bool holds(const Block &b, unsigned char mark) {
    for (unsigned i = 0; i < b.n; i += 1 + b.n / 50)
        if (b.p[i] != mark) return false;
    return b.p[b.n - 1] == mark;
}

__global__ void use(Block *all, unsigned seed, int *bad) { // frees what the last kernel's threads have left, in another order
    unsigned me = blockIdx.x * THREADS + threadIdx.x, r = seed * 7919 + me * 104729 + 1;
    for (int k = 0; k < 4 * SLOTS; k++) {
        unsigned slot = (k * 5 + seed) % SLOTS, owner = (me + seed * 37) % (BLOCKS * THREADS), at = owner * SLOTS + slot;
        Block &b = all[at];
        if (b.p) {
            if ((size_t)b.p % 16 || !holds(b, at)) atomicAdd(bad, 1);
            free(b.p);
            b.p = nullptr;
        }
        r = r * 1664525 + 1013904223;
        if (r >> 30 == 0) continue; // left free
        b.n = size_of(r >> 8);
        b.p = (unsigned char *)malloc(b.n);
        if (b.p) fill(b, at);
        else atomicAdd(bad, 1000);
    }
}
__global__ void release(Block *all, int *bad) {
    for (unsigned at = threadIdx.x; at < N; at += blockDim.x) {
        if (all[at].p && !holds(all[at], at)) atomicAdd(bad, 1);
        free(all[at].p);
    }
}
struct alignas(256) Aligned {
    char c[300];
};
__global__ void aligned(int *bad) {
    for (int i = 0; i < 20; i++) {
        Aligned *a = new Aligned, *b = new Aligned[3];
        if ((size_t)a % 256 || (size_t)b % 256) atomicAdd(bad, 1);
        delete a;
        delete[] b;
    }
}
__global__ void beyond() {
    int *p = (int *)malloc(16), *q = (int *)malloc(16), *first = p < q ? p : q;
    for (int i = 0; i < 30; i++) first[i] = -1;
    free(first);
    free(p < q ? q : p);
}

int main() {
    Block *all;
    int *bad, failed = 0;
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 30);
    cudaMallocManaged(&all, N * sizeof(Block));
    cudaMallocManaged(&bad, sizeof(int));
    *bad = 0;
    for (int i = 0; i < N; i++) all[i] = {};
    for (int k = 0; k < 8; k++) use<<<BLOCKS, THREADS>>>(all, k, bad);
    release<<<1, 64>>>(all, bad);
    aligned<<<4, 32>>>(bad);
    if (cudaError_t e = cudaDeviceSynchronize()) failed++, printf("%s\n", cudaGetErrorString(e));
    if (*bad) failed++, printf("%d bad\n", *bad);
    cudaDeviceReset();
    int *n;
    cudaMallocManaged(&n, 4);
    *n = 0;
    aligned<<<4, 32>>>(n);
    if (cudaDeviceSynchronize() || *n) failed++, printf("not after a reset\n");
    cudaDeviceReset();
    beyond<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaErrorLaunchFailure) failed++, printf("nothing said\n");
    void *host[1000];
    for (auto &p : host) p = malloc(16);
    for (auto &p : host) free(p);
    return failed != 0;
}
