// Launches as formatters that do not know CUDA leave them; what must stay as it is looks alike.
// clang-format off
#include <spaced.cuh>
#include <cstdio>
#include <iostream>
#include <vector>

template<typename T> struct Box { T v; };
template<typename T> std::ostream &operator<<(std::ostream &o, const Box<T> &b) { return o << b.v; }
struct Holder {
    friend std::ostream &operator<< <int>(std::ostream &, const Box<int> &);
};

typedef struct { float x; } Plain;
typedef struct __align__(8) { // and with functions
    int a, b;
    __host__ __device__ int sum() const { return a + b; }
    typedef union { int i; __device__ int get() { return i; } } Inner;
} /* a name */ Pair, *Pointer;
__global__ void structures(Pair pair, int *p) {
    Pair::Inner inner = {pair.sum()};
    p[63] += inner.get() + gridDim.y - 2;
}
__global__ void sized(int *p) {
    extern __shared__ __align__(8) int whole[], /* that the launch sizes, and not */ none[];
    extern /* a */ __shared__ int part[4];
    part[3] = 5, whole[0] = 7;
    if (p[63] != 0) p[62] = part[3] + whole[0];
}
__global__ void both(int *p) { if (blockIdx.y == 0) p[63] += 10000 * gridDim.y * blockDim.x; }

template<typename T> __global__ void add(T *p, T n) { p[threadIdx.x] += n; }

int main() {
    std::vector<std::vector<Box<int>> > nested(1);
    int *p, large = 1'000;
    cudaMallocManaged(&p, 64 * sizeof *p);
    add<int> << < 1, 64 >> > (p, large);
    add << <dim3(1), (64 >> 1) + (1 << 5)>> >(p, MARKER);
    add <<
        < 1, 64 >>> (p, 3); /* not "ended */
    add<<<1, 64, 0, nullptr>>
        >(p, 4), more(p);
    structures<<<1, {1}>>>({50, 61}, p);
    both<<<{1, /* two */ 2}, {1}, {}, {}>>>(p);
    both << < {1}, dim3{1} >> > (p);
    sized<<<1, 1, {64}>>>(p);
    cudaDeviceSynchronize();
    std::cout << "<< < and >> > " << '"' << R"(<< <)" << p[63] + p[62] << ' ' << nested.size() << std::endl;
    std::printf("line %d\n", __LINE__);
#ifdef WRONG
    add << < 1, 64 >> > (p, undeclared);
#endif
    return 0;
}
