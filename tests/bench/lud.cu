// lud.cu: LU factors of many 16x16 blocks, 16 threads each, in shared memory.
#include "bench.h"

extern "C" void lud_omp(const float *in, float *out, int tiles);
extern "C" void lud_simd(const float *in, float *out, int tiles);
extern "C" void lud_shape(const float *in, float *out, int tiles);

__global__ void lud(const float *in, float *out) {
    __shared__ float s[16][16];
    int t = threadIdx.x;
    for (int y = 0; y < 16; y++) s[y][t] = in[blockIdx.x * 256 + y * 16 + t];
    __syncthreads();
    for (int k = 0; k < 15; k++) {
        if (t > k) s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k)
            for (int y = k + 1; y < 16; y++) s[y][t] -= s[y][k] * s[k][t];
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) out[blockIdx.x * 256 + y * 16 + t] = s[y][t];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "lud");
    int tiles = bench.small ? 8 : 512;
    float *in = bench.floats(256 * tiles, -1, 1), *out = bench.output<float>(256 * tiles, 1e-4);
    for (int i = 0; i < 16 * tiles; i++) in[i / 16 * 256 + i % 16 * 17] += 16;
    return bench.run([&] { lud<<<tiles, 16>>>(in, out); }, [&] { lud_omp(in, out, tiles); },
                     [&] { lud_simd(in, out, tiles); }, [&] { lud_shape(in, out, tiles); });
}
