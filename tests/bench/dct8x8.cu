// dct8x8.cu: C * X * C^T on 8x8 blocks, one block of threads for each.
#include "bench.h"

extern "C" void dct8x8_omp(const float *in, const float *c, float *out, int n);
extern "C" void dct8x8_simd(const float *in, const float *c, float *out, int n);
extern "C" void dct8x8_shape(const float *in, const float *c, float *out, int n);

__global__ void dct8x8(const float *in, const float *c, float *out, int n) {
    __shared__ float cs[8][8], a[8][8], b[8][8];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * n + blockIdx.x * 8 + x;
    cs[y][x] = c[y * 8 + x];
    a[y][x] = in[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += cs[y][k] * a[k][x];
    b[y][x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++) sum += b[y][k] * cs[x][k];
    out[at] = sum;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "dct8x8");
    int n = bench.small ? 64 : 512;
    float *in = bench.floats(n * n, -128, 128), *c = bench.array<float>(64);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            c[k * 8 + i] = (k ? 0.5f : 0.35355339f) * cosf((2 * i + 1) * k * 3.14159265f / 16);
    float *out = bench.output<float>(n * n, 1e-4);
    return bench.run([&] { dct8x8<<<dim3(n / 8, n / 8), dim3(8, 8)>>>(in, c, out, n); },
                     [&] { dct8x8_omp(in, c, out, n); }, [&] { dct8x8_simd(in, c, out, n); },
                     [&] { dct8x8_shape(in, c, out, n); });
}
