// floyd.cu: Floyd and Warshall's shortest paths, one launch per intermediate node.
#include "bench.h"

extern "C" void floyd_omp(int *d, int n);
extern "C" void floyd_simd(int *d, int n);

__global__ void floyd(int *d, int n, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int direct = d[y * n + x], over = d[y * n + k] + d[k * n + x];
    if (over < direct) d[y * n + x] = over;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "floyd");
    int n = bench.small ? 32 : 192;
    int *d = bench.output(bench.ints(n * n, 1, 1000), n * n, 0);
    return bench.run([&] { for (int k = 0; k < n; k++) floyd<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(d, n, k); },
                     [&] { floyd_omp(d, n); }, [&] { floyd_simd(d, n); });
}
