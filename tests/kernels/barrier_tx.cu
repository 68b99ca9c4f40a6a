// cuda::barrier: bytes that are expected and come, and waits that end by themselves.
// REQUIRES: run
// RUN: for w in 1 8 auto; do %cucpu --simd=$w -arch=sm_90 %s -o %t && %run %t || exit 1; done
#include <chrono>
#include <cstdio>
#include <cuda/barrier>
#include <utility>
namespace cde = cuda::device::experimental;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

__global__ void copies(const int *in, int *out, int rounds) {
    __shared__ alignas(16) int part[128];
    __shared__ Barrier bar;
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        Barrier::arrival_token token;
        if (t == 0) {
            if (r % 2) cuda::device::memcpy_async_tx(part, in + r * 128, cuda::aligned_size_t<16>(sizeof part), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, sizeof part);
            if (r == 4) cde::cp_async_bulk_global_to_shared(part, in + r * 128, sizeof part, bar);
            else if (r % 2 == 0) cuda::device::memcpy_async_tx(part, in + r * 128, cuda::aligned_size_t<16>(sizeof part), bar);
        } else {
            token = bar.arrive();
        }
        bar.wait(std::move(token));
        out[r * blockDim.x + t] = part[(t * 5 + r) % 128];
        __syncthreads();
    }
    part[t] = t + 1;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (t == 0) {
        cde::cp_async_bulk_shared_to_global(out + rounds * blockDim.x, part, 4 * 96);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

/* All have arrived, and the bytes are missing: the phase is not over. */
__global__ void early(int *out) {
    __shared__ Barrier bar;
    int data = 1, copy = 0;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        cuda::device::barrier_expect_tx(bar, sizeof data);
        auto token = bar.arrive();
        out[0] = bar.try_wait(token);
        out[1] = bar.try_wait_for(token, std::chrono::microseconds(200));
        out[2] = bar.try_wait_parity_for(false, std::chrono::milliseconds(1));
        cuda::device::memcpy_async_tx(&copy, &data, sizeof data, bar);
        out[3] = bar.try_wait_for(token, std::chrono::nanoseconds(0)) && bar.try_wait_parity_for(false, std::chrono::hours(1));
        out[4] = copy;
    }
}

__global__ void late(int *out) {
    __shared__ Barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    auto token = bar.arrive();
    out[threadIdx.x] = bar.try_wait_for(token, std::chrono::seconds(50));
}

int main() {
    const int threads = 96, rounds = 6;
    int *in, *out, *flags;
    cudaMallocManaged(&in, rounds * 128 * 4), cudaMallocManaged(&out, (rounds + 1) * threads * 4), cudaMallocManaged(&flags, 5 * 4);
    for (int i = 0; i < rounds * 128; i++) in[i] = i * 7;
    copies<<<1, threads>>>(in, out, rounds);
    early<<<1, 32>>>(flags);
    if (cudaDeviceSynchronize()) return puts("launch"), 1;
    for (int r = 0; r < rounds; r++)
        for (int t = 0; t < threads; t++)
            if (out[r * threads + t] != in[r * 128 + (t * 5 + r) % 128]) return printf("round %d thread %d: %d\n", r, t, out[r * threads + t]), 1;
    for (int t = 0; t < threads; t++)
        if (out[rounds * threads + t] != t + 1) return printf("copy back: %d\n", t), 1;
    if (flags[0] || flags[1] || flags[2] || !flags[3] || flags[4] != 1)
        return printf("%d %d %d %d %d\n", flags[0], flags[1], flags[2], flags[3], flags[4]), 1;
    late<<<1, threads>>>(out);
    if (cudaDeviceSynchronize()) return puts("late"), 1;
    for (int t = 0; t < threads; t++)
        if (!out[t]) return printf("thread %d has not seen it\n", t), 1;
}
