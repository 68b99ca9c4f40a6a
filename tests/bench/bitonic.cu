// bitonic.cu: each block sorts 512 keys in shared memory.
#include "bench.h"

extern "C" void bitonic_omp(const int *in, int *out, int blocks);
extern "C" void bitonic_simd(const int *in, int *out, int blocks);
extern "C" void bitonic_shape(const int *in, int *out, int blocks);

__global__ void bitonic(const int *in, int *out) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    s[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            int a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
    out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "bitonic");
    int blocks = bench.small ? 4 : 128;
    int *in = bench.ints(512 * blocks, 0, 1000000), *out = bench.output<int>(512 * blocks, 0);
    return bench.run([&] { bitonic<<<blocks, 256>>>(in, out); },
                     [&] { bitonic_omp(in, out, blocks); }, [&] { bitonic_simd(in, out, blocks); },
                     [&] { bitonic_shape(in, out, blocks); });
}
