// Races in shared and global memory, each with its twin that is ordered: by barriers, atomics, functions of the warp, fences
// with tickets, locks and flags.  The verdict is that of the program, not of the run.
// REQUIRES: run
// RUN: %cucpu --check=race %s -o %t
// RUN: for c in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do %run %t $c 0 > %t.ok 2>&1; FileCheck --check-prefix=OK %s < %t.ok || exit 1; done
// OK-NOT: =========
// OK: no error
// RUN: for c in 0 1 2 6 7 8 9 10 11 12 13 14 15; do %run %t $c 1 > %t.bad 2>&1; FileCheck --check-prefix=BAD %s < %t.bad || exit 1; done
// BAD: ========= Error: Race reported between
// BAD: ========= RACECHECK SUMMARY: {{[1-9]}}
// RUN: for c in 3 5; do %run %t $c 1 > %t.bad 2>&1; FileCheck --check-prefix=WARP %s < %t.bad || exit 1; done
// WARP: ========= Warning: Race reported between
// RUN: %run %t 16 1 2>&1 | FileCheck --check-prefix=CALLS %s
// CALLS: ========= Error: Race reported between {{Write|Read}} access at
// CALLS: Write Thread ({{[0-9]+}},0,0) in block (0,0,0) at put(int *, int)+0x{{[0-9a-f]+}} in race.cu:[[#]]
// CALLS-NEXT: Device Frame: outer(int *, int) in race.cu:[[#]]
// CALLS-NEXT: Device Frame: calls(int *, int) in race.cu:[[#]]
// RUN: %run %t 9 1 2>&1 | FileCheck --check-prefix=PAIR %s
// PAIR:      ========= Error: Race reported between Write access at reduce(int *, int)+0x{{[0-9a-f]+}} in race.cu:[[#LINE:]]
// PAIR-NEXT: =========     and Read access at reduce(int *, int)+0x{{[0-9a-f]+}} in race.cu:[[#LINE]] [508 hazards]
// PAIR-NEXT: =========     for example at __shared__ 0x{{[0-9a-f]+}} :
// PAIR-NEXT: =========     Write Thread ([[#]],0,0) in block (0,0,0) at reduce(int *, int)
// PAIR-NEXT: =========     Read Thread (0,0,0) in block (0,0,0) at reduce(int *, int)
// PAIR:      no error
// PAIR-NEXT: ========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
// RUN: compute-sanitizer --tool racecheck --racecheck-detect-level info %t 4 0 | FileCheck --check-prefix=SAME %s
// SAME: ========= Info: Race reported between Write access at same(int *)
// SAME-NEXT: [{{[0-9,]+}} hazards], of the same value
// RUN: compute-sanitizer --tool racecheck --racecheck-report hazard --print-limit 1 --error-exitcode 3 %t 10 1 > %t.out; test $? = 3
// RUN: FileCheck --check-prefix=HAZARD %s < %t.out
// HAZARD: ========= Warning: (Warp Level Programming) Potential WAR hazard detected at __shared__ 0x0 in block (0,0,0) :
// HAZARD-NEXT: =========     Read Thread ([[#]],0,0) in block (0,0,0) at zero(int *, int)
// HAZARD-NEXT: =========     Write Thread (0,0,0) in block (0,0,0) at zero(int *, int)
// HAZARD-NEXT: =========     Current Value : 1
// Lanes that write one element in one step: of the same value, or not; of plain kernels in groups, and by threads.
// RUN: %cucpu --check=race --simd=1 %s -o %t.one
// RUN: for p in %t %t.one; do %run $p 17 0 2>&1 | FileCheck --check-prefix=OK %s || exit 1; \
// RUN:   %run $p 17 1 2>&1 | FileCheck --check-prefix=STEP %s || exit 1; done
// STEP: ========= Warning: Race reported between Write access at step(int *, int)
// STEP-NEXT: =========     and Write access at step(int *, int)+0x{{[0-9a-f]+}} in race.cu:[[#]] [64 hazards]
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
__global__ void shared(int *o, int bad) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (!bad) __syncthreads();
    o[t] = s[127 - t];
}
__global__ void blocks(int *p, int bad) { p[bad ? threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }
__global__ void count(int *p, int bad) { if (bad) *p = *p + 1; else atomicAdd(p, 1); }
__global__ void warp(int *o, int bad) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (!bad) __syncwarp();
    o[t] = s[31 - t];
}
__global__ void same(int *p) { *p = 7; }
__global__ void bytes(char *p, int bad) { p[bad ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x; }
__device__ unsigned ticket;
__device__ int sums[64];
__global__ void last(int *o, int bad) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = blockIdx.x;
        if (!bad) __threadfence();
        is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
        if (!bad) __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) o[threadIdx.x] = sums[threadIdx.x];
}
__global__ void lock(int *mutex, int *p, int bad) {
    if (threadIdx.x) return;
    while (atomicCAS(mutex, 0, 1)) {}
    if (!bad) __threadfence();
    *p += 1;
    if (!bad) __threadfence();
    atomicExch(mutex, 0);
}
__global__ void flag(volatile int *f, int *d, int bad) {
    if (blockIdx.x == 0) { *d = 5; if (!bad) __threadfence(); *f = 1; }
    else { while (!*f) {} if (!bad) __threadfence(); d[1] = *d; }
}
__global__ void reduce(int *o, int bad) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int n = 128; n; n /= 2) { if (t < n) s[t] += s[t + n]; if (!bad) __syncthreads(); }
    if (!t) *o = s[0];
}
__global__ void step(int *o, int bad) { o[threadIdx.x / 2] = bad ? threadIdx.x : threadIdx.x / 2; }
__global__ void zero(int *o, int bad) {
    __shared__ int s[2];
    if (!threadIdx.x) s[0] = 1;
    __syncthreads();
    o[threadIdx.x] = s[0];
    if (!bad) __syncthreads();
    if (!threadIdx.x) s[0] = 2;
}
__global__ void scope(int *p, int bad) { if (bad) atomicAdd_block(p, 1); else atomicAdd(p, 1); }
__global__ void grid(int *p, int bad) {
    p[blockIdx.x] = 1;
    if (!bad) cooperative_groups::this_grid().sync();
    p[16 + blockIdx.x] = p[(blockIdx.x + 1) % gridDim.x];
}
// The thread that has set the bins to zero goes on with atomics: its writes are still to be ordered.
__global__ void bins(int *o, int bad) {
    __shared__ int s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    if (!bad) __syncthreads();
    atomicAdd(&s[threadIdx.x % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], s[threadIdx.x]);
}
// All threads fence before the barrier, and one tells of it behind that; lanes of a warp likewise.
__global__ void fenced(int *p, int bad) {
    if (blockIdx.x == 0) {
        p[16 + threadIdx.x] = threadIdx.x;
        if (!bad || !threadIdx.x) __threadfence();
        __syncthreads();
        if (!threadIdx.x) atomicExch(p, 1);
    } else {
        if (!threadIdx.x) while (!atomicAdd(p, 0)) {}
        __syncthreads();
        p[256 + threadIdx.x] = p[16 + threadIdx.x];
    }
}
__global__ void lanes(int *p, int bad) {
    if (blockIdx.x == 0) {
        p[16 + threadIdx.x] = threadIdx.x;
        if (!bad) __syncwarp();
        if (!threadIdx.x) { __threadfence(); atomicExch(p, 1); }
    } else {
        if (!threadIdx.x) while (!atomicAdd(p, 0)) {}
        __syncwarp();
        p[256 + threadIdx.x] = p[16 + threadIdx.x];
    }
}
// Each side with its calls.
__device__ __noinline__ int get(const int *p, int i) { return p[i]; }
__device__ void put(int *p, int i) { p[i] = i; }
__device__ void outer(int *p, int i) { put(p, i); }
__global__ void calls(int *p, int bad) {
    outer(p, threadIdx.x);
    if (!bad) __syncthreads();
    p[64 + threadIdx.x] = get(p, 63 - threadIdx.x);
}
int main(int argc, char **argv) {
    int c = atoi(argv[1]), bad = atoi(argv[2]), *p;
    cudaMalloc(&p, 65536); cudaMemset(p, 0, 65536);
    if (c == 0) shared<<<2, 128>>>(p + 0, bad);
    if (c == 1) blocks<<<4, 32>>>(p, bad);
    if (c == 2) count<<<2, 32>>>(p, bad);
    if (c == 3) warp<<<1, 32>>>(p, bad);
    if (c == 4) same<<<1, 64>>>(p);
    if (c == 5) bytes<<<1, 64>>>((char *)p, bad);
    if (c == 6) last<<<20, 64>>>(p, bad);
    if (c == 7) lock<<<8, 32>>>(p, p + 1, bad);
    if (c == 8) flag<<<2, 1>>>(p, p + 4, bad);
    if (c == 9) reduce<<<1, 256>>>(p, bad);
    if (c == 10) zero<<<1, 64>>>(p, bad);
    if (c == 11) scope<<<2, 32>>>(p, bad);
    if (c == 13) bins<<<2, 64>>>(p, bad);
    if (c == 14) fenced<<<2, 64>>>(p, bad);
    if (c == 16) calls<<<1, 64>>>(p, bad);
    if (c == 17) step<<<1, 32>>>(p, bad);
    if (c == 15) lanes<<<2, 32>>>(p, bad);
    void *args[] = {&p, &bad};
    if (c == 12) cudaLaunchCooperativeKernel((void *)grid, 4, 1, args, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
