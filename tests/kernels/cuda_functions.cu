// cuda::ceil_div and its like, function objects of cuda::, swap and exchange of cuda::std, group operations on atomic objects.
// REQUIRES: run
// RUN: for s in c++14 c++17 c++20; do %cucpu -std=$s -arch=sm_80 %s -o %t.$s && %run %t.$s || exit 1; done
#include "check.h"
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/memory>
#include <cuda/std/utility>

namespace cg = cooperative_groups;
enum { N = 300 };
enum class Size : unsigned { seven = 7 };
static_assert(cuda::ceil_div(7, 2) == 4 && cuda::ceil_div(8, 2) == 4 && cuda::ceil_div(0, 3) == 0, "");
static_assert(cuda::ceil_div(0x7fffffff, 2) == 0x40000000 && cuda::round_up(0xffffffffu, 16u) == 0, "");
static_assert(sizeof(cuda::ceil_div(1, 2ull)) == 8 && cuda::ceil_div(Size::seven, 4) == 2, "");
__device__ int variable = 5;

__global__ void divide(int *out, const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    int a = in[i], b = i % 13 + 1;
    out[i] = cuda::ceil_div(a, b) + 3 * cuda::round_up(a, b) + 5 * cuda::round_down(a, b);
    out[N + i] = cuda::ilog2(a + 1) * 1000 + cuda::ilog10(a + 1) * 100 + cuda::is_power_of_two(a);
    out[2 * N + i] = cuda::next_power_of_two(a) + 3 * cuda::prev_power_of_two(a);
}

static int divided(int a, int b) { return (a + b - 1) / b + 3 * ((a + b - 1) / b * b) + 5 * (a / b * b); }
static int logarithms(int a) {
    int two = 0, ten = 0, power = 1;
    while (((a + 1) >> two) > 1) two++;
    for (int v = a + 1; v >= 10; v /= 10) ten++;
    while (power < a) power *= 2;
    return two * 1000 + ten * 100 + (power == a);
}
static int powers(int a) {
    int next = 1, prev = 0;
    while (next < a) next *= 2;
    for (int p = 1; p <= a; p *= 2) prev = p;
    return next + 3 * prev;
}

__global__ void objects(int *out) {
    int a = threadIdx.x, b = 100, pair[2] = {1, 2}, other[2] = {3, 4};
    cuda::std::swap(a, b);
    cuda::std::swap(pair, other);
    int old = cuda::std::exchange(b, 7);
    auto twice = cuda::proclaim_return_type<long>([](int x) { return 2 * x; });
    static_assert(sizeof twice(1) == sizeof(long), "");
    out[threadIdx.x] = a + old * 2 + b * 1000 + pair[1] * 10000 + cuda::maximum<int>{}(old, 5) + cuda::minimum<>{}(old, 3l) +
                       int(twice(old)) + *cuda::std::addressof(b);
}

__global__ void groups(int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    using Cell = cuda::atomic_ref<int, cuda::thread_scope_device>;
    Cell largest(out[0]);
    cg::reduce_store_async(warp, largest, int(threadIdx.x), cg::greater<int>());
    cg::reduce_update_async(warp, Cell(out[1]), 2, cg::plus<int>());
    out[3 + threadIdx.x] = cg::inclusive_scan_update(warp, Cell(out[2]), 1, cg::plus<int>());
}

int main() {
    Buffer<int> in(N), out(3 * N);
    std::vector<int> a(N);
    for (int i = 0; i < N; i++) a[i] = i < 40 ? i : (i * 7919) % 100003;
    cudaMemcpy(in, a.data(), N * sizeof(int), cudaMemcpyHostToDevice);
    divide<<<3, 100>>>(out, in);
    auto got = out.get();
    for (int i = 0; i < N; i++)
        CHECK(got[i] == divided(a[i], i % 13 + 1) && got[N + i] == logarithms(a[i]) && got[2 * N + i] == powers(a[i]));
    objects<<<1, 32>>>(out);
    got = out.get();
    for (int i = 0; i < 32; i++) CHECK(got[i] == 100 + 2 * i + 7000 + 40000 + (i > 5 ? i : 5) + (i < 3 ? i : 3) + 2 * i + 7);
    cudaMemset(out, 0, 40 * sizeof(int));
    groups<<<1, 32>>>(out);
    got = out.get();
    CHECK(got[0] == 31 && got[1] == 64 && got[2] == 32);
    for (int i = 0; i < 32; i++) CHECK(got[3 + i] == i + 1);
    int value = 0;
    cudaMemcpy(&value, cuda::get_device_address(variable), sizeof value, cudaMemcpyDefault);
    CHECK(value == 5);
    return finish();
}
