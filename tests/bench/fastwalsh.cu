// fastwalsh.cu: Walsh transform of 512 values per block, butterflies in shared memory.
#include "bench.h"

extern "C" void fastwalsh_omp(const float *in, float *out, int blocks);
extern "C" void fastwalsh_simd(const float *in, float *out, int blocks);
extern "C" void fastwalsh_shape(const float *in, float *out, int blocks);

__global__ void fastwalsh(const float *in, float *out) {
    __shared__ float s[512];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    s[t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        int low = t & (stride - 1), at = 2 * t - low;
        float a = s[at], b = s[at + stride];
        s[at] = a + b;
        s[at + stride] = a - b;
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
    out[blockIdx.x * 512 + t + 256] = s[t + 256];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "fastwalsh");
    int blocks = bench.small ? 4 : 256;
    float *in = bench.floats(512 * blocks, -1, 1), *out = bench.output<float>(512 * blocks, 1e-4);
    return bench.run(
        [&] { fastwalsh<<<blocks, 256>>>(in, out); }, [&] { fastwalsh_omp(in, out, blocks); },
        [&] { fastwalsh_simd(in, out, blocks); }, [&] { fastwalsh_shape(in, out, blocks); });
}
