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
    cudaDeviceSynchronize();
    std::cout << "<< < and >> > " << '"' << R"(<< <)" << p[63] << ' ' << nested.size() << std::endl;
    std::printf("line %d\n", __LINE__);
#ifdef WRONG
    add << < 1, 64 >> > (p, undeclared);
#endif
    return 0;
}
