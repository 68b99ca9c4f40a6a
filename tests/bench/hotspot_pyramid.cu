// hotspot_pyramid.cu: the stencil of hotspot.cu; blocks of 16 x 16 with halo advance several steps
// per launch.
#include "bench.h"

extern "C" void hotspot_pyramid_omp(const float *in, const float *power, float *out, int n,
                                    int steps);
extern "C" void hotspot_pyramid_simd(const float *in, const float *power, float *out, int n,
                                     int steps);
extern "C" void hotspot_pyramid_shape(const float *in, const float *power, float *out, int n,
                                      int steps);

#define HALO 2
#define INNER (16 - 2 * HALO)

// steps: at most HALO; at the border of the grid a cell takes its own value for what lies outside.
__global__ void hotspot_pyramid(const float *in, const float *power, float *out, int n, int steps) {
    __shared__ float s[16][16], t[16][16], p[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int gx = blockIdx.x * INNER + x - HALO, gy = blockIdx.y * INNER + y - HALO;
    bool valid = gx >= 0 && gx < n && gy >= 0 && gy < n;
    if (valid) {
        s[y][x] = in[gy * n + gx];
        p[y][x] = power[gy * n + gx];
    }
    __syncthreads();
    int left = gx > 0 ? x - 1 : x, right = gx < n - 1 ? x + 1 : x;
    int up = gy > 0 ? y - 1 : y, down = gy < n - 1 ? y + 1 : y;
    for (int i = 0; i < steps; i++) {
        bool inside = valid && x > i && x < 15 - i && y > i && y < 15 - i;
        if (inside) {
            float c = s[y][x];
            float change = 0.1f * (s[up][x] + s[down][x] - 2.0f * c) +
                           0.2f * (s[y][left] + s[y][right] - 2.0f * c) + 0.05f * (0.5f - c);
            t[y][x] = c + 0.3f * (p[y][x] + change);
        }
        __syncthreads();
        if (inside) s[y][x] = t[y][x];
        __syncthreads();
    }
    if (valid && x >= HALO && x < 16 - HALO && y >= HALO && y < 16 - HALO)
        out[gy * n + gx] = s[y][x];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "hotspot_pyramid");
    int n = bench.small ? 64 : 512, blocks = (n + INNER - 1) / INNER;
    float *in = bench.floats(n * n, 0, 1), *power = bench.floats(n * n, 0, 0.1f);
    float *out = bench.output<float>(n * n, 1e-5);
    return bench.run(
        [&] { hotspot_pyramid<<<dim3(blocks, blocks), dim3(16, 16)>>>(in, power, out, n, HALO); },
        [&] { hotspot_pyramid_omp(in, power, out, n, HALO); },
        [&] { hotspot_pyramid_simd(in, power, out, n, HALO); },
        [&] { hotspot_pyramid_shape(in, power, out, n, HALO); });
}
