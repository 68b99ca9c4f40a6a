// What nvcc's host compiler takes: literals next to macro names, signed numbers that wrap.
#include <cinttypes>
#include <cstdio>

__global__ void kernel(long *p) { *p = -7; }

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
    kernel<<<1, 1>>>(p);
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
