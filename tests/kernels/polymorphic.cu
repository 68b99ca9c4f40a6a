// nvstd::function on both sides: functions, functors in place and on the heap, copies, moves, empty ones.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %cucpu --simd=1 -std=c++11 %s -o %t && %run %t
#include "check.h"
#include <nvfunctional>

struct Large {
    int v[20];
    __host__ __device__ int operator()(int x) const { return v[x % 20] * x; }
};
struct Adder {
    int sum;
    __host__ __device__ int operator()(int x) { return sum += x; }
};
__device__ __host__ int twice(int x) { return 2 * x; }

// Four kinds of things to call, by the lowest bits of i.
__host__ __device__ nvstd::function<int(int)> choose(int i) {
    Large large;
    for (int k = 0; k < 20; k++) large.v[k] = i + k;
    nvstd::function<int(int)> f = large, none;
    if (i % 4 == 1) f = twice;
    if (i % 4 == 2) f = Adder{i};
    if (i % 4 == 3) f = [i](int x) { return i - x; };
    if (none || none != nullptr) f = nullptr;
    return f;
}

__host__ __device__ int work(int i) {
    nvstd::function<int(int)> f = choose(i), g = f, h(choose(i + 1));
    int result = f(3) + g(4) * 3 + g(5) * 5;
    swap(f, h);
    result += f(2) * 7;
    h = f;
    f = nullptr;
    nvstd::function<void(int &)> change = [&](int &x) { x += h(1); };
    change(result);
    return f == nullptr ? result : -1;
}

__global__ void kernel(int *out) { out[threadIdx.x] = work((int)threadIdx.x); }

int main() {
    int *out;
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    kernel<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) CHECK(out[i] == work(i));
    return finish();
}
