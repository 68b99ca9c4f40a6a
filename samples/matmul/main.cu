// matmul: C = A * B for square matrices, by tiles in shared memory.
#include "../common/sample.h"

constexpr int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        tile_b[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

static std::vector<float> reference(const std::vector<float> &a, const std::vector<float> &b, int n) {
    std::vector<float> c(a.size());
    std::vector<double> row(n);
    for (int i = 0; i < n; i++) {
        row.assign(n, 0);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) row[j] += double(a[i * n + k]) * b[k * n + j];
        for (int j = 0; j < n; j++) c[i * n + j] = float(row[j]);
    }
    return c;
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 512);
    Numbers numbers;
    std::vector<float> a(size_t(n) * n), b(a.size());
    for (float &x : a) x = numbers.next() - 0.5f;
    for (float &x : b) x = numbers.next() - 0.5f;
    DeviceArray<float> da(a), db(b), dc(a.size());
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    Stopwatch watch;
    matmul<<<grid, block>>>(da, db, dc, n);
    double ms = watch.stop();
    return verdict("matmul", count_wrong(dc.get(), reference(a, b, n), 1e-4f), ms);
}
