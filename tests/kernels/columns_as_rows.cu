// Blocks of one column whose size is not known when compiled run as rows: ids, loops over the grid whose step ends at
// the bound, barriers, functions of the warp, and blocks of other shapes beside them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O2 %s -o %t.auto && %t.auto
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %also { %cucpu -O2 --disable=version_columns %s -o %t.off && %t.off; }
// RUN: %cucpu -O2 --report=variants %s -o %t.report 2>&1 | FileCheck --check-prefix=TWO %s
// RUN: not %run %t.auto assert 2>&1 | FileCheck --check-prefix=ASSERT %s
// TWO-NOT: {{plane|ids}}{{.*}}.column
// TWO: range{{.*}}.column
// ASSERT: block: [1,0,0], thread: [0,5,0] Assertion `v[i] >= 0 || blockIdx.x != 1` failed
#include "check.h"
#include <cassert>
#include <climits>
#include <cooperative_groups.h>
#include <cstring>

struct Ids {
    unsigned x, y, z, nx, ny, nz, lane, thread;
};

__global__ void ids(Ids *out) {
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x + threadIdx.z * blockDim.x * blockDim.y;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t] = {
        threadIdx.x, threadIdx.y, threadIdx.z, blockDim.x, blockDim.y, blockDim.z, lane,
        (unsigned)cooperative_groups::this_thread_block().thread_rank()};
}

// As Kokkos' range policies have it.
template <class T> __global__ void range(T begin, T end, int *count) {
    const T step = T(blockDim.y) * gridDim.x;
    for (T i = begin + threadIdx.y + T(blockDim.y) * blockIdx.x; i < end; i = i < T(end - step) ? T(i + step) : end)
        atomicAdd(&count[i - begin], 1);
}
template <class T> __global__ void range_backwards_test(T begin, T end, int *count) {
    const T step = T(blockDim.y) * gridDim.x;
    for (T i = begin + threadIdx.y + T(blockDim.y) * blockIdx.x; i < end; i = T(end - step) <= i ? end : T(i + step))
        count[i - begin] += 1;
}

__global__ void sum(const float *in, int n, float *out) {
    extern __shared__ float warps[];
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    float s = 0;
    for (unsigned i = blockIdx.x * blockDim.y + threadIdx.y; i < (unsigned)n && !threadIdx.x; i += gridDim.x * blockDim.y)
        s += in[i];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (t % 32 == 0) warps[t / 32] = s;
    __syncthreads();
    if (t == 0) {
        for (unsigned w = 1; w < threads / 32; w++) s += warps[w];
        atomicAdd(out, s);
    }
}

__global__ void wait_for_grid(int *v, int n) {
    auto grid = cooperative_groups::this_grid();
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i < n) v[i] = i;
    grid.sync();
    if (i < n) v[n + i] = v[n - 1 - i];
}

__global__ void plane(int *v) {
    v[(blockIdx.y * blockDim.y + threadIdx.y) * (gridDim.x * blockDim.x) + blockIdx.x * blockDim.x + threadIdx.x]++;
}

__global__ void checks(int *v) {
    int i = threadIdx.y;
    assert(v[i] >= 0 || blockIdx.x != 1);
    v[64 + i] = 1;
}

static void test_ids(dim3 block) {
    unsigned threads = block.x * block.y * block.z;
    Buffer<Ids> out(3 * threads);
    ids<<<3, block>>>(out);
    auto got = out.get();
    for (unsigned i = 0; i < 3 * threads; i++) {
        unsigned t = i % threads;
        Ids want = {t % block.x, t / block.x % block.y, t / block.x / block.y, block.x, block.y, block.z, t % 32, t};
        CHECK(!memcmp(&got[i], &want, sizeof want));
    }
}

template <class T> static void test_range(T begin, int n, unsigned blocks, dim3 block, bool backwards) {
    Buffer<int> count(n);
    CUDA(cudaMemset(count, 0, n * sizeof(int)));
    T end = T(begin + n);
    if (backwards) range_backwards_test<T><<<blocks, block>>>(begin, end, count);
    else range<T><<<blocks, block>>>(begin, end, count);
    for (int c : count.get()) CHECK(c == 1);
}

template <class T> static void test_ranges(unsigned y) {
    for (int n : {1, 7, 100, 750})
        for (unsigned blocks : {1u, 3u})
            for (bool backwards : {false, true}) {
                test_range<T>(0, n, blocks, dim3(1, y), backwards);
                test_range<T>(std::numeric_limits<T>::max() - 3 * 256, n, blocks, dim3(1, y), backwards);
                if (T(-1) < 0) test_range<T>(std::numeric_limits<T>::min() + 3 * 256, n, blocks, dim3(1, y), backwards);
            }
}

static void test_sum(dim3 block) {
    std::vector<float> v(5000);
    float want = 0;
    for (size_t i = 0; i < v.size(); i++) want += v[i] = float(i % 7);
    Buffer<float> in(v), out(1);
    CUDA(cudaMemset(out, 0, 4));
    sum<<<4, block, 128>>>(in, (int)v.size(), out);
    CHECK(out.get()[0] == want);
}

static void test_grid(unsigned y) {
    int n = 4 * y - 3;
    Buffer<int> v(2 * n);
    int *p = v;
    void *args[] = {&p, &n};
    CUDA(cudaLaunchCooperativeKernel((void *)wait_for_grid, dim3(4), dim3(1, y), args, 0, 0));
    auto got = v.get();
    for (int i = 0; i < n; i++) CHECK(got[n + i] == n - 1 - i);
}

static void test_graph(unsigned y) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    Buffer<int> count(100);
    CUDA(cudaMemset(count, 0, 400));
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    range<int><<<2, dim3(1, y), 0, s>>>(0, 100, count);
    CUDA(cudaStreamEndCapture(s, &g));
    CUDA(cudaGraphInstantiate(&e, g, 0));
    for (int k = 0; k < 3; k++) CUDA(cudaGraphLaunch(e, s));
    CUDA(cudaStreamSynchronize(s));
    for (int c : count.get()) CHECK(c == 3);
}

static void fail() {
    unsigned y = 32;
    std::vector<int> values(128, 0);
    values[5] = -1;
    Buffer<int> w(values);
    checks<<<2, dim3(1, y)>>>(w);
    cudaDeviceSynchronize();
    exit(1);
}

int main(int argc, char **) {
    if (argc > 1) fail();
    for (unsigned y : {2u, 5u, 32u, 100u, 256u}) {
        test_ids(dim3(1, y));
        test_ids(dim3(2, y));
        test_ids(dim3(1, 1, y % 64 + 1));
        test_ids(dim3(1, 2, y % 64 + 1));
        test_ids(dim3(y));
        test_ranges<int>(y);
        test_ranges<unsigned>(y);
        test_ranges<long long>(y);
        test_grid(y);
        test_graph(y);
    }
    for (unsigned y : {32u, 64u, 256u}) test_sum(dim3(1, y));
    test_sum(dim3(2, 64));
    Buffer<int> v(std::vector<int>(64 * 64, 0));
    for (unsigned x : {1u, 2u, 8u}) plane<<<dim3(64 / x, 4), dim3(x, 16)>>>(v);
    for (int c : v.get()) CHECK(c == 3);
    return finish();
}
