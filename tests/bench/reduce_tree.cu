// reduce_tree.cu: a sum for each block of 256, halving the active threads in shared memory.
#include "bench.h"

extern "C" void reduce_tree_omp(const float *in, float *sums, int blocks);
extern "C" void reduce_tree_simd(const float *in, float *sums, int blocks);
extern "C" void reduce_tree_shape(const float *in, float *sums, int blocks);

__global__ void reduce_tree(const float *in, float *sums) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int w = 128; w > 0; w /= 2) {
        if (t < w) s[t] += s[t + w];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "reduce_tree");
    int blocks = bench.small ? 8 : 1024;
    float *in = bench.floats(256 * blocks, 0, 1), *sums = bench.output<float>(blocks, 1e-5);
    return bench.run(
        [&] { reduce_tree<<<blocks, 256>>>(in, sums); }, [&] { reduce_tree_omp(in, sums, blocks); },
        [&] { reduce_tree_simd(in, sums, blocks); }, [&] { reduce_tree_shape(in, sums, blocks); });
}
