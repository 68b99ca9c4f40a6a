// reduce_shuffle.cu: a sum for each block of 256 by shuffles in warps.
#include "bench.h"

extern "C" void reduce_shuffle_omp(const float *in, float *sums, int blocks);
extern "C" void reduce_shuffle_simd(const float *in, float *sums, int blocks);
extern "C" void reduce_shuffle_shape(const float *in, float *sums, int blocks);

__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void reduce_shuffle(const float *in, float *sums) {
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) partial[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
        if (lane == 0) sums[blockIdx.x] = v;
    }
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "reduce_shuffle");
    int blocks = bench.small ? 8 : 1024;
    float *in = bench.floats(256 * blocks, 0, 1), *sums = bench.output<float>(blocks, 1e-5);
    return bench.run([&] { reduce_shuffle<<<blocks, 256>>>(in, sums); },
                     [&] { reduce_shuffle_omp(in, sums, blocks); },
                     [&] { reduce_shuffle_simd(in, sums, blocks); },
                     [&] { reduce_shuffle_shape(in, sums, blocks); });
}
