// __nanosleep: threads of a block that wait for one another lose no time in it, lanes of a group sleep together, many short sleeps add up.
// REQUIRES: run
// RUN: for w in 1 auto; do %cucpu --simd=$w -std=c++17 %s -o %t && %run %t || exit 1; done
// RUN: %cucpu --simd=8 --emit=llvm -std=c++17 %s -o - | FileCheck %s
#include "check.h"
#include <chrono>
#include <cuda/barrier>
#include <cuda/std/atomic>

static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* Each round 256 threads meet in a barrier whose wait() sleeps. */
__global__ void rounds(int *sum, int n) {
    __shared__ cuda::barrier<cuda::thread_scope_block> meet;
    __shared__ int s[256];
    int t = threadIdx.x, own = 0;
    if (t == 0) init(&meet, blockDim.x);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        s[t] = i + t;
        meet.arrive_and_wait();
        own += s[255 - t];
        meet.arrive_and_wait();
    }
    sum[t] = own;
}

/* One thread has the lock at a time; the others sleep longer and longer. */
__global__ void turns(int *lock, int *count) {
    if (threadIdx.x % 32) return;
    unsigned ns = 8;
    while (atomicCAS(lock, 0, 1)) {
        __nanosleep(ns);
        if (ns < 256) ns *= 2;
    }
    __threadfence();
    *(volatile int *)count += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// CHECK-LABEL: define {{.*}}naps{{.*}}.w8.rows_full
// CHECK: call void @cucpu_nanosleep(i32 1500)
// CHECK: [[NS:%.*]] = {{.*}}call i32 @llvm.vector.reduce.umax.v8i32
// CHECK-NEXT: call void @cucpu_nanosleep(i32 [[NS]])
__global__ void naps(const unsigned *ns) {
    __nanosleep(1500);
    if (ns[threadIdx.x] > 7) __nanosleep(ns[threadIdx.x]);
}

__global__ void adds_up(long long *took) {
    unsigned long long from, to;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    for (int i = 0; i < 1000; i++) __nanosleep(3000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
    *took = (long long)(to - from);
}

int main() {
    int *sum, *lock;
    long long *took;
    unsigned *ns;
    CUDA(cudaMallocManaged(&sum, 256 * sizeof *sum));
    CUDA(cudaMallocManaged(&lock, 2 * sizeof *lock));
    CUDA(cudaMallocManaged(&took, sizeof *took));
    CUDA(cudaMallocManaged(&ns, 256 * sizeof *ns));
    lock[0] = lock[1] = 0;
    for (int i = 0; i < 256; i++) ns[i] = (unsigned)i;
    double from = seconds();
    rounds<<<1, 256>>>(sum, 1000);
    CUDA(cudaDeviceSynchronize());
    CHECK(seconds() - from < 15); /* about 0.02; with sleeps of the system 28 */
    turns<<<8, 256>>>(lock, lock + 1);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 256; t++) CHECK(sum[t] == 999 * 500 + 1000 * (255 - t));
    CHECK(lock[1] == 8 * 8);
    naps<<<100, 256>>>(ns);
    adds_up<<<1, 1>>>(took);
    CUDA(cudaDeviceSynchronize());
    CHECK(*took > 1500000);
    return finish();
}
