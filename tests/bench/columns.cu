// columns.cu: a filter of 17 taps along the columns of an image; each thread has 8 results of a column, the tile's rows are its columns.
#include "bench.h"

enum { RADIUS = 8, STEPS = 8, COLUMNS = 16, ROWS = 8, TALL = (STEPS + 2) * ROWS };

extern "C" void columns_omp(const float *in, const float *taps, float *out, int w, int h);
extern "C" void columns_simd(const float *in, const float *taps, float *out, int w, int h);
extern "C" void columns_shape(const float *in, const float *taps, float *out, int w, int h);

__global__ void columns(const float *in, const float *taps, float *out, int w, int h) {
    __shared__ float tile[COLUMNS][TALL + 1];
    int x = blockIdx.x * COLUMNS + threadIdx.x, top = blockIdx.y * STEPS * ROWS - ROWS;
    for (int i = 0; i < STEPS + 2; i++) {
        int y = top + i * ROWS + threadIdx.y;
        tile[threadIdx.x][threadIdx.y + i * ROWS] = y >= 0 && y < h ? in[y * w + x] : 0;
    }
    __syncthreads();
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++) sum += taps[k + RADIUS] * tile[threadIdx.x][threadIdx.y + i * ROWS + k];
        out[(top + i * ROWS + threadIdx.y) * w + x] = sum;
    }
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "columns");
    int n = bench.small ? 64 : 512;
    float *in = bench.floats(n * n, 0, 1), *taps = bench.floats(2 * RADIUS + 1, 0, 1), *out = bench.output<float>(n * n, 1e-4);
    dim3 grid(n / COLUMNS, n / (STEPS * ROWS));
    return bench.run([&] { columns<<<grid, dim3(COLUMNS, ROWS)>>>(in, taps, out, n, n); }, [&] { columns_omp(in, taps, out, n, n); },
                     [&] { columns_simd(in, taps, out, n, n); }, [&] { columns_shape(in, taps, out, n, n); });
}
