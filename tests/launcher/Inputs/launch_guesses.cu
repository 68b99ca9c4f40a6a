#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#define KERNEL(name) \
    __global__ void name(float *a) { \
        __shared__ float s[1024]; \
        int t = threadIdx.y * blockDim.x + threadIdx.x; \
        s[t] = a[t]; \
        __syncthreads(); \
        a[t] = s[blockDim.x * blockDim.y - 1 - t]; \
    }
KERNEL(parameter) KERNEL(pointed) KERNEL(other) KERNEL(captured) KERNEL(kept) KERNEL(member) KERNEL(global)
KERNEL(swapped) KERNEL(moved) KERNEL(option) KERNEL(table) KERNEL(doubled) KERNEL(returned) KERNEL(configured) KERNEL(chosen) KERNEL(unknown)
__global__ __launch_bounds__(384) void bounded(float *a) {
    a[threadIdx.x] = 1;
    __syncthreads();
    a[blockDim.x + threadIdx.x] = a[blockDim.x - 1 - threadIdx.x];
}

void by_parameter(float *a, int n, int threads) { parameter<<<n / threads, threads>>>(a); }
template <class F> void by_pointer(F f, dim3 block, float *a) { f<<<4, block>>>(a); }
template <class F> void twice(F f) {
    f();
    f();
}
struct Solver {
    int threads;
    float *a;
    Solver(int threads) : threads(threads) {}
    virtual void step() { member<<<4, threads>>>(a); }
    virtual ~Solver() {}
};
struct Pair {
    int *count;
    dim3 block;
};
int size_of_block = 224;
dim3 made() { return dim3(16, 16); }

int main(int argc, char **argv) {
    float *a;
    cudaMalloc(&a, 4096);
    by_parameter(a, 1024, 128);
    by_pointer(pointed, dim3(16, 2), a);
    by_pointer(other, dim3(64, 2), a);
    dim3 block(32, 8);
    twice([&] { captured<<<4, block>>>(a); });
    int threads = 192;
    std::function<void()> f = [=] { kept<<<4, threads>>>(a); };
    f();
    Solver *s = new Solver(96);
    s->step();
    delete s;
    global<<<4, size_of_block>>>(a);
    int chosen_threads = argc > 1 ? atoi(argv[1]) : 256;
    option<<<4, chosen_threads>>>(a);
    const int sizes[] = {64, 512};
    for (int n : sizes) table<<<4, n>>>(a);
    for (int n = 64; n <= 1024; n *= 2) doubled<<<4, n>>>(a);
    returned<<<4, made()>>>(a);
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(4);
    c.blockDim = dim3(160);
    cudaLaunchKernelEx(&c, configured, a);
    int blocks, best;
    cudaOccupancyMaxPotentialBlockSize(&blocks, &best, chosen, 0, 0);
    chosen<<<blocks, best>>>(a);
    int first = 320, second = 320;
    Pair one = {&first, dim3(288)}, two = {&second, dim3(288)};
    std::swap(one, two);
    swapped<<<4, *one.count>>>(a);
    moved<<<4, two.block>>>(a);
    int ring[1024] = {448, 448};
    for (int i = 0; i < argc; i++) memmove(ring + 1, ring, 1023 * sizeof(int));
    table<<<4, ring[1000]>>>(a);
    unknown<<<4, atoi(argv[1])>>>(a);
    bounded<<<4, atoi(argv[1])>>>(a);
}
