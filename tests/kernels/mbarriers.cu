// The C interface of barriers in shared memory, with tokens and parities; programmatic launches.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

// Half of the block writes, the other half reads: two barriers, the one of full and that of empty buffers.
__global__ void ring(const int *in, int *out, int steps) {
    __shared__ __mbarrier_t full, empty;
    __shared__ int buffer[64];
    int t = threadIdx.x, sum = 0;
    if (t == 0) __mbarrier_init(&full, 128), __mbarrier_init(&empty, 128);
    cudaGridDependencySynchronize();
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        if (t < 64) {
            __pipeline_memcpy_async(&buffer[t], &in[i * 64 + t], sizeof(int));
            __pipeline_arrive_on(&full);
            (void)__mbarrier_arrive(&full);
            __mbarrier_token_t token = __mbarrier_arrive(&empty);
            while (!__mbarrier_test_wait(&empty, token)) {}
        } else {
            (void)__mbarrier_arrive(&full);
            while (!__mbarrier_try_wait_parity(&full, i & 1, 100)) {}
            sum = sum * 3 + buffer[127 - t];
            __mbarrier_token_t token = __mbarrier_arrive(&empty);
            while (!__mbarrier_try_wait(&empty, token, 100)) {}
        }
    }
    cudaTriggerProgrammaticLaunchCompletion();
    out[t] = sum;
}

// One thread after the other leaves; the number of those pending is that of the rest.
__global__ void drop(unsigned *out) {
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x; i++) {
        __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {}
    }
    unsigned pending = __mbarrier_token_pending_count(__mbarrier_arrive_and_drop(&barrier));
    out[threadIdx.x] = pending >= 1 && pending <= blockDim.x - threadIdx.x;
}

__global__ void halves(unsigned *out) {
    bool high, low;
    unsigned big = __vibmax_s16x2(0xffff0005u, 0x00010005u, &high, &low);
    out[0] = big == 0x00010005u && !high && low;
    unsigned small = __vibmin_u16x2(0xffff0004u, 0x00010005u, &high, &low);
    out[1] = small == 0x00010004u && !high && low;
}

int main() {
    std::vector<int> values(5 * 64);
    for (int i = 0; i < 5 * 64; i++) values[i] = i;
    Buffer<int> in(values), out(128);
    ring<<<1, 128>>>(in, out, 5);
    auto got = out.get();
    for (int t = 0; t < 128; t++) {
        int sum = 0;
        for (int i = 0; i < 5 && t >= 64; i++) sum = sum * 3 + i * 64 + 127 - t;
        CHECK(got[t] == sum);
    }
    Buffer<unsigned> ok(40), two(2);
    drop<<<1, 40>>>(ok);
    for (unsigned v : ok.get()) CHECK(v == 1);
    halves<<<1, 1>>>(two);
    for (unsigned v : two.get()) CHECK(v == 1);
    return finish();
}
