// Built-in variables in grids and blocks of one, two and three dimensions.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

struct Id {
    uint3 thread, block;
    dim3 threads, blocks;
};

__global__ void write_ids(Id *out) { out[global_rank()] = {threadIdx, blockIdx, blockDim, gridDim}; }

static bool equal(uint3 a, unsigned x, unsigned y, unsigned z) { return a.x == x && a.y == y && a.z == z; }

static void run(dim3 grid, dim3 block) {
    unsigned threads = volume(block), n = volume(grid) * threads;
    Buffer<Id> out(n);
    write_ids<<<grid, block>>>(out);
    auto ids = out.get();
    for (unsigned i = 0; i < n; i++) {
        unsigned t = i % threads, b = i / threads;
        CHECK(equal(ids[i].thread, t % block.x, t / block.x % block.y, t / block.x / block.y));
        CHECK(equal(ids[i].block, b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y));
        CHECK(equal(ids[i].threads, block.x, block.y, block.z));
        CHECK(equal(ids[i].blocks, grid.x, grid.y, grid.z));
    }
}

int main() {
    for (dim3 grid : {dim3(1), dim3(3), dim3(2, 3), dim3(2, 1, 3)})
        each_shape([&](dim3 block, unsigned) { run(grid, block); });
    return finish();
}
