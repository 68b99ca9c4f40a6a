// Copies of threadIdx and its like, as auto, templates, pairs and lambdas make them, are of the thread that reads them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -G %s -o %t.g && %run %t.g
#include "check.h"
#include <tuple>
#include <utility>

template <class T> __device__ unsigned by_value(T t) { return t.x; }
template <class... T> __device__ unsigned all(T... t) { return (t.x + ...); }
__device__ unsigned linear(uint3 t, dim3 b) { return t.x + b.x * (t.y + b.y * t.z); }

__global__ void copies(unsigned *out) {
    auto t = threadIdx;
    const auto &block = blockIdx;
    auto [x, y, z] = threadIdx;
    const auto [bx, by, bz] = blockDim;
    auto d = blockDim;
    decltype(gridDim) grid = gridDim;
    std::pair p(threadIdx, 1);
    auto lambda = [=] { return t.y * 2 + threadIdx.z; };
    bool fields = t.x == x && t.y == y && t.z == z && bx == 3 && by == 5 && bz == 7;
    bool others = by_value(d) == 3 && grid.x == 2 && p.first.x == x && lambda() == y * 2 + z;
    bool packed = all(t, d, block) == x + 3 + blockIdx.x && std::get<1>(std::make_tuple(1, t)).y == y;
    out[linear(t, d) + 105 * block.x] = fields + 2 * others + 4 * packed;
}

int main() {
    Buffer<unsigned> out(210);
    copies<<<2, dim3(3, 5, 7)>>>(out);
    for (unsigned v : out.get()) CHECK(v == 7);
    return finish();
}
