// nvcuda::experimental: awbarrier and pipeline, the classes of cuda_awbarrier.h and cuda_pipeline.h.
// REQUIRES: run
// RUN: sh %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_helpers.h>
#include <cuda_pipeline.h>
#include <cuda_pipeline_helpers.h>
#include <cuda_pipeline_primitives.h>
using namespace nvcuda::experimental;

__global__ void copies(int *p, int *late) {
    __shared__ awbarrier b;
    __shared__ int s[64], row[6];
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    pipeline pipe;
    memcpy_async(s[threadIdx.x], p[threadIdx.x], pipe);
    if (threadIdx.x == 0) {
        int four[4] = {1, 2, 3, 4};
        row[5] = 7;
        memcpy_async(row, four, pipe); // the last two become 0
    }
    pipe.arrive_on(b);
    pipe.commit();
    pipe.wait_prior<0>();
    awbarrier::arrival_token t = b.arrive();
    b.wait(t);
    p[threadIdx.x] = s[63 - threadIdx.x] + 100 * row[3] + 1000 * row[5];
    if (threadIdx.x >= 40) {
        b.arrive_and_drop(); // 24 threads are not counted from here on
        return;
    }
    b.arrive_and_wait();
    s[threadIdx.x] = threadIdx.x;
    b.arrive_and_wait();
    late[threadIdx.x] = s[39 - threadIdx.x];
    if (threadIdx.x == 0) {
        t = b.arrive();
        late[40] = t.pending_count() + 100 * b.timed_wait(t, 1000) + 1000 * b.try_wait(t, 10); // the others do not come
    }
}

int main() {
    std::vector<int> in(64);
    for (int i = 0; i < 64; i++) in[i] = i;
    Buffer<int> p(in), late(41);
    copies<<<1, 64>>>(p, late);
    auto got = p.get(), then = late.get();
    for (int i = 0; i < 64; i++) CHECK(got[i] == 63 - i + 400);
    for (int i = 0; i < 40; i++) CHECK(then[i] == 39 - i);
    CHECK(then[40] == 40 && awbarrier::max() == 1048575);
    return failures != 0;
}
