// matmul: C = A B for square matrices, by tiles in shared memory.
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

// Rows of B are read in order and stay in the cache for some rows of A.
static void matmul_openmp(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0;
        for (int k = 0; k < n; k++) {
            float f = a[i * n + k];
#pragma omp simd
            for (int j = 0; j < n; j++) c[i * n + j] += f * b[k * n + j];
        }
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "matmul", "product of two square matrices");
    int n = sample.pick(100, 512, 2048);
    Random random;
    std::vector<float> a(size_t(n) * n), b(a.size()), want(a.size());
    for (float &x : a) x = random.next(-0.5f, 0.5f);
    for (float &x : b) x = random.next(-0.5f, 0.5f);
    DeviceArray<float> da(a), db(b), dc(a.size());
    dim3 block(TILE, TILE), grid(divide_up(n, TILE), divide_up(n, TILE));
    Version cuda = {[&] { dc.zero(); }, [&] { matmul<<<grid, block>>>(da, db, dc, n); }};
    Version openmp = {[] {}, [&] { matmul_openmp(a.data(), b.data(), want.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("elements", dc.get(), want, 1e-4);
    return sample.done();
}
