// Blocks, and threads of one block, that wait for others in loops which do more than look: by a flag of their own, at a place that moves on,
// or with a barrier in each round, where one thread looks for its block.
// REQUIRES: run
// RUN: for w in 1 auto 4; do %cucpu -O3 --simd=$w %s -o %t && env CUCPU_NUM_THREADS=1 %run %t && env CUCPU_NUM_THREADS=3 %run %t || exit 1; done
// RUN: %cucpu --simd=32 -Rcucpu -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not='semaphore{{.*}}lane-wait' %s
// CHECK: semaphore{{.*}}up to 32 lanes
// RUN: %cucpu -G %s -o %t && env CUCPU_NUM_THREADS=1 %run %t && env CUCPU_NUM_THREADS=4 %run %t
#include "check.h"

enum { LINKS = 8 };

// Whoever finds its number passes on the next one to the thread, or block, in front of it.
static __device__ void pass_on(volatile int *start, int *sorted, int k, int s) {
    sorted[s] = k;
    if (k > 0) start[k - 1] = s + 1;
}

template <int FORM> __global__ void by_flag(volatile int *start, int *sorted) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = false;
    while (!done) {
        int s = FORM == 1 ? atomicAdd((int *)start + k, 0) : start[k];
        if (FORM == 2) __threadfence();
        if (s >= 0) {
            pass_on(start, sorted, k, s);
            done = true;
        }
    }
}

template <bool BARRIER> __global__ void moving(volatile int *start, int *sorted, int n) {
    int threads = blockDim.x * gridDim.x, k = n - threads + blockIdx.x * blockDim.x + threadIdx.x;
    while (k >= 0) {
        int s = start[k];
        if (s >= 0) {
            pass_on(start, sorted, k, s);
            k -= threads;
        }
        if (BARRIER) __syncthreads();
    }
}

__global__ void by_vote(volatile int *start, int *sorted) {
    int b = blockIdx.x;
    while (__syncthreads_or(start[b] < 0)) {}
    if (threadIdx.x == 0) pass_on(start, sorted, b, start[b]);
}
__global__ void all_look(volatile int *start, int *sorted) {
    int b = blockIdx.x;
    bool done = false;
    while (!done) {
        done = start[b] >= 0;
        __syncthreads();
    }
    if (threadIdx.x == 0) pass_on(start, sorted, b, start[b]);
}
__global__ void one_looks(volatile int *start, int *sorted) {
    __shared__ int ready;
    int b = blockIdx.x;
    for (;;) {
        if (threadIdx.x == 0) ready = start[b];
        __syncthreads();
        int seen = ready;
        __syncthreads();
        if (seen >= 0) break;
    }
    if (threadIdx.x == 0) pass_on(start, sorted, b, start[b]);
}

// One thread takes the lock for its block, or asks by an atomic operation that changes nothing.
template <int FORM> __global__ void locked(int *lock, volatile int *sum) {
    __shared__ int seen;
    for (;;) {
        if (threadIdx.x == 0) seen = FORM == 0 ? atomicCAS(lock, 0, 1) : FORM == 1 ? atomicExch(lock, 1) : atomicMax(lock, -5);
        __syncthreads();
        int now = seen;
        __syncthreads();
        if (now == (FORM == 2 ? (int)blockIdx.x : 0)) break;
    }
    sum[threadIdx.x] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, FORM == 2 ? (int)blockIdx.x - 1 : 0);
}

// The semaphore of CUTLASS: one thread fetches its state early, all vote for another look at it.
__global__ void semaphore(int *lock, volatile int *sum, int parts) {
    auto fetch = [&](int &state) {
        if (threadIdx.x == 0) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(lock));
    };
    int state = 0, mine = gridDim.x - 1 - blockIdx.x;
    fetch(state);
    if (parts > 1) {
        while (__syncthreads_and(state != mine)) fetch(state);
        __syncthreads();
    }
    sum[threadIdx.x] = sum[threadIdx.x] * 3 % 1024 + mine;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;" : : "l"(lock), "r"(mine + 1));
}

static int *start, *sorted;

static void prepare(int n) {
    for (int i = 0; i < n; i++) start[i] = sorted[i] = -1;
    start[n - 1] = 0;
}
static void verify(int n) {
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK(sorted[i] == n - 1 - i);
}

template <int FORM> static void check_flag() {
    for (int threads : {1, (int)LINKS}) {
        prepare(LINKS);
        by_flag<FORM><<<LINKS / threads, threads>>>(start, sorted);
        verify(LINKS);
    }
}

template <int FORM> static void check_lock() {
    for (int i = 0; i < 64; i++) sorted[i] = 0;
    start[0] = FORM == 2 ? LINKS - 1 : 0; // the last block comes first
    locked<FORM><<<LINKS, 64>>>(start, sorted);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) CHECK(sorted[i] == LINKS);
}

int main() {
    CUDA(cudaMallocManaged(&start, 1024 * sizeof *start));
    CUDA(cudaMallocManaged(&sorted, 1024 * sizeof *sorted));
    check_flag<0>();
    check_flag<1>();
    check_flag<2>();
    prepare(1024);
    moving<true><<<4, 64>>>(start, sorted, 1024);
    verify(1024);
    prepare(1024);
    moving<false><<<4, 64>>>(start, sorted, 1024);
    verify(1024);
    void (*const rounds[])(volatile int *, int *) = {by_vote, all_look, one_looks};
    for (auto kernel : rounds) {
        prepare(LINKS);
        kernel<<<LINKS, 64>>>(start, sorted);
        verify(LINKS);
    }
    check_lock<0>();
    check_lock<1>();
    check_lock<2>();
    start[0] = 0;
    for (int i = 0; i < 64; i++) sorted[i] = i;
    semaphore<<<LINKS, 64>>>(start, sorted, LINKS);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        int sum = i;
        for (int k = 0; k < LINKS; k++) sum = sum * 3 % 1024 + k;
        CHECK(sorted[i] == sum);
    }
    return finish();
}
