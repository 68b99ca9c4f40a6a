// Copies of threadIdx and its like, as auto, templates, pairs and lambdas make them, are of the thread that reads them, and variables of
// their own: they have the types uint3 and dim3, and can be changed.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -G %s -o %t.g && %run %t.g
#include "check.h"
#include <tuple>
#include <type_traits>
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
template <class T> __device__ unsigned next(T t) {
    t.x += 1;
    return t.x;
}
__device__ __noinline__ unsigned by_reference(const dim3 &d, int k) { return (&d.x)[k]; }
struct Place {
    uint3 thread = threadIdx;
    dim3 block{blockDim};
};

__global__ void changed(unsigned *out) {
    static_assert(std::is_same<decltype(threadIdx), const uint3>::value && std::is_same<decltype(blockIdx), const uint3>::value, "");
    static_assert(std::is_same<decltype(blockDim), const dim3>::value && std::is_same<decltype(gridDim), const dim3>::value, "");
    auto t = threadIdx;
    auto d = blockDim;
    unsigned own = linear(threadIdx, blockDim), sum = 0;
    for (int k = 0; k < 3; k++) {
        t.x += threadIdx.y;
        d.x *= 2;
        sum += by_reference(k == 1 ? dim3(threadIdx) : blockDim, k);
    }
    Place p;
    p.thread.z += p.block.z;
    bool values = t.x == threadIdx.x + 3 * threadIdx.y && d.x == 24 && sum == 3 + threadIdx.y + 7 && p.thread.z == threadIdx.z + 7;
    out[own + 105 * blockIdx.x] = values + 2 * (next(threadIdx) == threadIdx.x + 1) + 4 * (next(gridDim) == 3);
}

int main() {
    Buffer<unsigned> out(210);
    copies<<<2, dim3(3, 5, 7)>>>(out);
    for (unsigned v : out.get()) CHECK(v == 7);
    changed<<<2, dim3(3, 5, 7)>>>(out);
    for (unsigned v : out.get()) CHECK(v == 7);
    return finish();
}
