// spmv.cu: sparse matrix (rows of 8 to 24 values) times vector, one thread per row.
#include "bench.h"

extern "C" void spmv_omp(const int *start, const int *col, const float *val, const float *x, float *y, int n);
extern "C" void spmv_simd(const int *start, const int *col, const float *val, const float *x, float *y, int n);

__global__ void spmv(const int *start, const int *col, const float *val, const float *x, float *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++) sum += val[i] * x[col[i]];
    y[row] = sum;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "spmv");
    int n = bench.small ? 300 : 8192;
    int *start = bench.array<int>(n + 1);
    for (int i = 0; i < n; i++) start[i + 1] = start[i] + 8 + (int)(bench.random() % 17);
    int *col = bench.ints(start[n] + 16, 0, n);
    float *val = bench.floats(start[n] + 16, -1, 1), *x = bench.floats(n, -1, 1);
    float *y = bench.output<float>(n, 1e-5);
    return bench.run([&] { spmv<<<(n + 127) / 128, 128>>>(start, col, val, x, y, n); },
                     [&] { spmv_omp(start, col, val, x, y, n); },
                     [&] { spmv_simd(start, col, val, x, y, n & ~15); spmv_omp(start + (n & ~15), col, val, x, y + (n & ~15), n & 15); });
}
