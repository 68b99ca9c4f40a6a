// blockIdx in grids of one to three dimensions, of several chunks: the place of a block is counted on from the first one of a
// chunk, along rows and planes.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: env CUCPU_NUM_THREADS=4 %t
#include "check.h"

enum { LANES = 5 };

__host__ __device__ static int place(unsigned x, unsigned y, unsigned z, unsigned lane) {
    return int(x + 1000 * y + 1000000 * z + 7 * lane);
}

__global__ void places(int *out, dim3 grid) {
    unsigned block = (blockIdx.z * grid.y + blockIdx.y) * grid.x + blockIdx.x;
    if (threadIdx.x < LANES) out[block * LANES + threadIdx.x] = place(blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x);
}

static void check(dim3 grid, unsigned threads) {
    unsigned n = grid.x * grid.y * grid.z;
    Buffer<int> out(n * LANES);
    places<<<grid, threads>>>(out, grid);
    std::vector<int> want(n * LANES);
    for (unsigned b = 0; b < n; b++)
        for (unsigned l = 0; l < LANES; l++)
            want[b * LANES + l] = place(b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y, l);
    SAME(out.get(), want);
}

int main() {
    for (dim3 grid : {dim3(1, 1, 1), dim3(7, 5, 3), dim3(1, 9, 4), dim3(13, 1, 11), dim3(2, 3, 100), dim3(129, 31, 2)})
        for (unsigned threads : {5u, 8u, 33u}) check(grid, threads);
    return finish();
}
