// Grids of many blocks in one to three dimensions, early exit, grid-stride loops, empty work.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

__global__ void count(unsigned *touched, unsigned n) {
    unsigned i = global_rank();
    if (i >= n) return;
    touched[i] += 1 + i % 3;
}

__global__ void stride(unsigned *touched, unsigned n) {
    unsigned all = gridDim.x * blockDim.x * blockDim.y * blockDim.z;
    for (unsigned i = global_rank(); i < n; i += all) touched[i] += 5;
}

__global__ void nothing() {}

static std::vector<unsigned> expected(unsigned n, bool strided) {
    std::vector<unsigned> v(n);
    for (unsigned i = 0; i < n; i++) v[i] = strided ? 5 : 1 + i % 3;
    return v;
}

int main() {
    const dim3 grids[] = {dim3(1), dim3(1000), dim3(70000), dim3(3, 200), dim3(7, 5, 30)};
    for (dim3 grid : grids)
        for (dim3 block : {dim3(1), dim3(33), dim3(16, 16)}) {
            unsigned all = volume(grid) * volume(block), n = all - (all > 100 ? 77 : 0);
            if (all > 3000000) continue;
            Buffer<unsigned> touched(n);
            count<<<grid, block>>>(touched, n);
            SAME(touched.get(), expected(n, false));
        }
    each_shape([](dim3 block, unsigned) {
        for (unsigned n : {1u, 1000u, 100001u}) {
            Buffer<unsigned> touched(n);
            stride<<<13, block>>>(touched, n);
            nothing<<<2, block>>>();
            SAME(touched.get(), expected(n, true));
        }
    });
    return finish();
}
