// hotspot.cu: five-point stencil; a block loads its tile with the halo into shared memory.
#include "bench.h"

extern "C" void hotspot_omp(const float *in, const float *power, float *out, int n);
extern "C" void hotspot_simd(const float *in, const float *power, float *out, int n);
extern "C" void hotspot_shape(const float *in, const float *power, float *out, int n);

__global__ void hotspot(const float *in, const float *power, float *out, int n) {
    __shared__ float s[18][18];
    int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x, gy = blockIdx.y * 16 + y;
    s[y + 1][x + 1] = in[gy * n + gx];
    if (x == 0) s[y + 1][0] = in[gy * n + max(gx - 1, 0)];
    if (x == 15) s[y + 1][17] = in[gy * n + min(gx + 1, n - 1)];
    if (y == 0) s[0][x + 1] = in[max(gy - 1, 0) * n + gx];
    if (y == 15) s[17][x + 1] = in[min(gy + 1, n - 1) * n + gx];
    __syncthreads();
    float c = s[y + 1][x + 1];
    float change = 0.1f * (s[y][x + 1] + s[y + 2][x + 1] - 2.0f * c) +
                   0.2f * (s[y + 1][x] + s[y + 1][x + 2] - 2.0f * c) + 0.05f * (0.5f - c);
    out[gy * n + gx] = c + 0.3f * (power[gy * n + gx] + change);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "hotspot");
    int n = bench.small ? 64 : 512;
    float *in = bench.floats(n * n, 0, 1), *power = bench.floats(n * n, 0, 0.1f);
    float *out = bench.output<float>(n * n, 1e-5);
    return bench.run([&] { hotspot<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, power, out, n); },
                     [&] { hotspot_omp(in, power, out, n); },
                     [&] { hotspot_simd(in, power, out, n); },
                     [&] { hotspot_shape(in, power, out, n); });
}
