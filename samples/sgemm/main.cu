// sgemm: C = alpha A B^T + beta C; each thread computes a column of 16 elements in registers, B goes by shared memory.
#include "../common/sample.h"

constexpr int ROWS = 128, COLUMNS = 16, DEPTH = ROWS / COLUMNS;

/* all by columns: A is m x k, B is n x k, C is m x n; a block has 16 x 8 threads and computes 128 x 16 elements */
__global__ void sgemm(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
    __shared__ float tile[DEPTH][COLUMNS];
    int id = threadIdx.y * COLUMNS + threadIdx.x;
    int row = blockIdx.x * ROWS + id, column = blockIdx.y * COLUMNS;
    float sums[COLUMNS] = {};
    for (int i = 0; i < k; i += DEPTH) {
        tile[threadIdx.y][threadIdx.x] = b[(i + threadIdx.y) * n + column + threadIdx.x];
        __syncthreads();
        for (int d = 0; d < DEPTH; d++) {
            float f = a[(i + d) * m + row];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) sums[j] += f * tile[d][j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < COLUMNS; j++) {
        float *at = &c[(column + j) * m + row];
        *at = alpha * sums[j] + beta * *at;
    }
}

static void sgemm_openmp(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
#pragma omp parallel for
    for (int j = 0; j < n; j++) {
        float *column = c + j * m;
#pragma omp simd
        for (int i = 0; i < m; i++) column[i] *= beta;
        for (int d = 0; d < k; d++) {
            float f = alpha * b[d * n + j];
#pragma omp simd
            for (int i = 0; i < m; i++) column[i] += f * a[d * m + i];
        }
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "sgemm", "product of a matrix and a transposed matrix, register tiles");
    int m = sample.pick(128, 1024, 4096), n = sample.pick(48, 512, 2048), k = sample.pick(40, 512, 4096);
    Random random;
    std::vector<float> a(size_t(m) * k), b(size_t(n) * k), c(size_t(m) * n), want;
    for (float &x : a) x = random.next(-1, 1);
    for (float &x : b) x = random.next(-1, 1);
    for (float &x : c) x = random.next(-1, 1);
    DeviceArray<float> da(a), db(b), dc(c);
    dim3 grid(m / ROWS, n / COLUMNS), block(COLUMNS, DEPTH);
    sample.run({[&] { dc.set(c); }, [&] { sgemm<<<grid, block>>>(da, db, dc, m, n, k, 0.75f, 0.25f); }},
               {[&] { want = c; }, [&] { sgemm_openmp(a.data(), b.data(), want.data(), m, n, k, 0.75f, 0.25f); }});
    sample.compare("elements", dc.get(), want, 1e-4);
    return sample.done();
}
