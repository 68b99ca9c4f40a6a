// cuda::pipeline with producers and consumers of their own, cuda::barrier with a completion and with threads that drop out.
// REQUIRES: run
// RUN: %cucpu --shuffle -std=c++17 %s -o %t && for s in 1 2; do env CUCPU_SCHED=shuffle:$s %run %t || exit 1; done
// RUN: for w in 1 8 auto; do %cucpu --simd=$w -std=c++17 %s -o %t && %run %t || exit 1; done
#include "check.h"
#include <chrono>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

/* Half of the block copies batches of n, the other half adds them up; kind: how the roles are said. */
__global__ void roles(const int *in, int *sum, int n, int batches, int kind) {
    constexpr int stages = 3;
    extern __shared__ int s[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    int half = (int)block.size() / 2, t = (int)block.thread_rank();
    bool producer = t < half;
    auto role = producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto p = kind ? cuda::make_pipeline(block, &state, (size_t)half) : cuda::make_pipeline(block, &state, role);
    if (producer) {
        for (int b = 0; b < batches; b++) {
            p.producer_acquire();
            for (int i = t; i < n; i += half) cuda::memcpy_async(&s[b % stages * n + i], &in[b * n + i], sizeof(int), p);
            p.producer_commit();
        }
    } else {
        int own = 0;
        for (int b = 0; b < batches; b++) {
            while (!p.consumer_wait_for(std::chrono::microseconds(10))) {}
            for (int i = t - half; i < n; i += half) own += s[b % stages * n + (n - 1 - i)] * (b + 1);
            p.consumer_release();
        }
        atomicAdd(sum, own);
    }
    if (p.quit()) atomicAdd(sum + 1, 1); /* a producer may, while others have not written their part */
}

/* cp.async: what the source does not have is zero, byte by byte. */
__global__ void pieces(const unsigned char *in, uint4 *out) {
    __shared__ uint4 s[32];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&s[t]);
    s[t] = make_uint4(~0u, ~0u, ~0u, ~0u);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n cp.async.wait_all;" ::"r"(at), "l"(in + 16 * t), "r"(t % 17) : "memory");
    out[t] = s[t];
}
static void check_pieces() {
    std::vector<unsigned char> in(512), want(512);
    for (int i = 0; i < 512; i++) in[i] = (unsigned char)(1 + i % 251), want[i] = i % 16 < i / 16 % 17 ? in[i] : 0;
    Buffer<unsigned char> din(in), out(512);
    pieces<<<1, 32>>>(din, (uint4 *)(unsigned char *)out);
    SAME(out.get(), want);
}

/* All copy, one waits and sums up: the others do not pass its __syncthreads. */
__global__ void one_waits(const int *in, int *out, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    __shared__ int s[128], sum;
    auto block = cg::this_thread_block();
    auto p = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, n = blockDim.x, own = 0;
    for (int b = 0; b < batches; b++) {
        p.producer_acquire();
        cuda::memcpy_async(block, s, in + n * b, sizeof(int) * n, p);
        p.producer_commit();
        if (t == 5) {
            p.consumer_wait();
            sum = 0;
            for (int i = 0; i < n; i++) sum += s[i];
        }
        __syncthreads();
        own += sum * (t + 1);
        p.consumer_release();
    }
    out[t] = own;
}

struct Count {
    int *at;
    __device__ void operator()() { ++*at; }
};
__global__ void completion(int *phases, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block, Count> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x, Count{phases});
    __syncthreads();
    for (int i = 0; i < 4; i++) barrier.arrive_and_wait();
    out[threadIdx.x] = *phases;
}

__global__ void dropping(int *out) {
    __shared__ Barrier barrier;
    int t = threadIdx.x;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int i = 0; i < 10; i++) {
        if (t == i) {
            barrier.arrive_and_drop();
            out[t] = i;
            return;
        }
        barrier.arrive_and_wait();
    }
    out[t] = 10;
}

int main() {
    check_pieces();
    const int n = 100, batches = 7;
    std::vector<int> in(n * batches);
    for (size_t i = 0; i < in.size(); i++) in[i] = int(i * 37 % 1009);
    Buffer<int> din(in), out(256);
    int want = 0;
    for (int i = 0; i < n * batches; i++) want += in[i] * (i / n + 1);
    for (int kind : {0, 1}) {
        Buffer<int> sum(2);
        roles<<<1, 128, 3 * n * sizeof(int)>>>(din, sum, n, batches, kind);
        CHECK(sum.get()[0] == want && sum.get()[1] == 1);
    }
    int total = 0;
    for (int i = 0; i < n * batches; i++) total += in[i];
    one_waits<<<1, n>>>(din, out, batches);
    for (int t = 0; t < n; t++) CHECK(out.get()[t] == total * (t + 1));
    Buffer<int> phases(1);
    completion<<<1, 77>>>(phases, out);
    auto got = out.get();
    for (int t = 0; t < 77; t++) CHECK(got[t] == 4);
    dropping<<<1, 70>>>(out);
    got = out.get();
    for (int t = 0; t < 70; t++) CHECK(got[t] == (t < 10 ? t : 10));
    return finish();
}
