// histogram.cu: 256 bins; atomics in shared memory, then one global atomic per bin and block.
#include "bench.h"

extern "C" void histogram_omp(const unsigned char *in, int *bins, int n);
extern "C" void histogram_simd(const unsigned char *in, int *bins, int n);
extern "C" void histogram_shape(const unsigned char *in, int *bins, int n);

__global__ void histogram(const unsigned char *in, int *bins, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&s[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "histogram");
    int n = bench.small ? 10000 : 1 << 20;
    unsigned char *in = bench.array<unsigned char>(n);
    for (int i = 0; i < n; i++)
        in[i] = (unsigned char)((bench.random() & 255) * (bench.random() & 255) >> 8);
    int *bins = bench.output<int>(256, 0);
    return bench.run([&] { histogram<<<16, 256>>>(in, bins, n); },
                     [&] { histogram_omp(in, bins, n); }, [&] { histogram_simd(in, bins, n); },
                     [&] { histogram_shape(in, bins, n); });
}
