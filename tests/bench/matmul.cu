// matmul.cu: C = A * B with tiles in shared memory; -DTILE=16 or 32; -DPLAIN: without tiles, a thread for each element.
#include "bench.h"
#ifndef TILE
#define TILE 16
#endif
#define NAME2(t) "matmul" #t
#ifdef PLAIN
#define NAME(t) "matmul_plain"
#else
#define NAME(t) NAME2(t)
#endif

extern "C" void matmul_omp(const float *a, const float *b, float *c, int n);
extern "C" void matmul_simd(const float *a, const float *b, float *c, int n);
extern "C" void matmul_shape(const float *a, const float *b, float *c, int n);

#ifdef PLAIN
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
#else
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
#endif

int main(int argc, char **argv) {
    Bench bench(argc, argv, NAME(TILE));
    int n = bench.small ? 64 : 384;
    float *a = bench.floats(n * n, -1, 1), *b = bench.floats(n * n, -1, 1);
    float *c = bench.output<float>(n * n, 1e-4);
    return bench.run([&] { matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n); },
                     [&] { matmul_omp(a, b, c, n); }, [&] { matmul_simd(a, b, c, n); },
                     [&] { matmul_shape(a, b, c, n); });
}
