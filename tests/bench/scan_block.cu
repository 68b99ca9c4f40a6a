// scan_block.cu: inclusive prefix sums within blocks of 256 (Hillis and Steele).
#include "bench.h"

extern "C" void scan_block_omp(const int *in, int *out, int blocks);
extern "C" void scan_block_simd(const int *in, int *out, int blocks);
extern "C" void scan_block_shape(const int *in, int *out, int blocks);

__global__ void scan_block(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    out[i] = s[t];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "scan_block");
    int blocks = bench.small ? 8 : 1024;
    int *in = bench.ints(256 * blocks, 0, 100), *out = bench.output<int>(256 * blocks, 0);
    return bench.run(
        [&] { scan_block<<<blocks, 256>>>(in, out); }, [&] { scan_block_omp(in, out, blocks); },
        [&] { scan_block_simd(in, out, blocks); }, [&] { scan_block_shape(in, out, blocks); });
}
