// A barrier of the grid that only turns out to be unreachable while the kernel is compiled: ordinary and cooperative launches.
// REQUIRES: run
// RUN: for o in -G "-O0 --simd=1" -O3; do %cucpu $o %s -o %t && %run %t || exit 1; done
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

static __device__ void sync_any(const cg::thread_group &g) { g.sync(); } // one class for all kinds of groups

__global__ void tiles(int *out) {
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 8);
    sync_any(tile);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (int)(tile.size() * 100 + tile.thread_rank());
}

__global__ void blocks(int *out) {
    __shared__ int s[256];
    cg::thread_group block = cg::this_thread_block();
    s[threadIdx.x] = (int)threadIdx.x;
    sync_any(block);
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

/* Any group as the base class: the whole grid, and tiles of tiles of run-time size. */
__global__ void places(unsigned long long *out) {
    cg::thread_group grid = cg::this_grid(), warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto four = cg::tiled_partition(warp, 4);
    out[grid.thread_rank()] = grid.size() * 1000000 + four.meta_group_rank() * 10000 + four.meta_group_size() * 100 + four.thread_rank();
}

int main() {
    const int n = 96, grid = 5;
    Buffer<unsigned long long> place(n * grid);
    places<<<grid, n>>>(place);
    for (int i = 0; i < n * grid; i++) CHECK(place.get()[i] == n * grid * 1000000ull + i % 32 / 4 * 10000 + 800 + i % 4);
    Buffer<int> out(n * grid);
    for (int cooperative : {0, 1}) {
        int *p = out;
        void *args[] = {&p};
        if (cooperative) CUDA(cudaLaunchCooperativeKernel((void *)tiles, grid, n, args, 0, 0));
        else tiles<<<grid, n>>>(out);
        auto got = out.get();
        for (int i = 0; i < n * grid; i++) CHECK(got[i] == 800 + i % 8);
        if (cooperative) CUDA(cudaLaunchCooperativeKernel((void *)blocks, grid, n, args, 0, 0));
        else blocks<<<grid, n>>>(out);
        got = out.get();
        for (int i = 0; i < n * grid; i++) CHECK(got[i] == n - 1 - i % n);
    }
    return finish();
}
