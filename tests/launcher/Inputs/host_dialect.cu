// What nvcc and its host compiler take: literals next to macro names, signed numbers that wrap, values that may not fit in
// braces, `register` in C++17, `.template` without arguments.
#include <cinttypes>
#include <cstdio>

template <class T> struct Pair {
    T v;
    template <class U> __host__ __device__ T plus(U x) const { return v + x; }
};
template <class T> __host__ __device__ T sum_of(Pair<T> s) { return s.template plus(3); }

__global__ void kernel(long *p, int n) {
    register int seven = 7;
    uchar4 narrow = {n, 1, 2, 3};
    *p = -seven * narrow.x - sum_of(Pair<long>{-3});
}

static int draws;

__attribute__((noinline)) double draw(int *seed) {
    int product = 1103515245 * *seed + 12345;
    *seed = product % 2147483647;
    draws += *seed < 0;
    double part = *seed / 2147483647.0;
    return part < 0 ? -part : part;
}

int main() {
    long *p;
    cudaMallocManaged(&p, sizeof *p);
    unsigned short wide = 1;
    int narrow[2] = {int64_t(wide), 2.5f * wide};
    kernel<<<1, 1>>>(p, narrow[0]);
    cudaDeviceSynchronize();
    // clang-format off
    printf("kernel %"PRId64"\n", int64_t(*p));
    // clang-format on
    int seeds[4] = {12345, 24690, 37035, 49380}, fourth = 0;
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += draw(&seeds[i]);
    for (int i = 65000; i > 0 && i * i > 0; i--) fourth++;
    printf("sum %.6f, %d below zero, squares of %d\n", sum, draws, fourth);
    return 0;
}
