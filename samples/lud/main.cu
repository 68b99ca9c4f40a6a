// lud: LU decomposition in place, by blocks: diagonal, perimeter, interior.
#include "../common/sample.h"

constexpr int B = 16;

__global__ void diagonal(float *m, int n, int at) {
    __shared__ float s[B][B];
    int t = threadIdx.x;
    for (int i = 0; i < B; i++) s[i][t] = m[(at + i) * n + at + t];
    __syncthreads();
    for (int k = 0; k < B - 1; k++) {
        if (t > k) s[t][k] /= s[k][k];
        __syncthreads();
        if (t > k)
            for (int j = k + 1; j < B; j++) s[t][j] -= s[t][k] * s[k][j];
        __syncthreads();
    }
    for (int i = 0; i < B; i++) m[(at + i) * n + at + t] = s[i][t];
}

/* y == 0: the block row right of the diagonal block; y == 1: the block column below it */
__global__ void perimeter(float *m, int n, int at) {
    __shared__ float d[B][B], s[B][B];
    int t = threadIdx.x, to = at + (blockIdx.x + 1) * B;
    bool row = blockIdx.y == 0;
    float *tile = row ? m + at * n + to : m + to * n + at;
    for (int i = 0; i < B; i++) {
        d[i][t] = m[(at + i) * n + at + t];
        s[i][t] = tile[i * n + t];
    }
    __syncthreads();
    if (row) {
        for (int i = 1; i < B; i++)
            for (int k = 0; k < i; k++) s[i][t] -= d[i][k] * s[k][t];
    } else {
        for (int j = 0; j < B; j++) {
            for (int k = 0; k < j; k++) s[t][j] -= s[t][k] * d[k][j];
            s[t][j] /= d[j][j];
        }
    }
    __syncthreads();
    for (int i = 0; i < B; i++) tile[i * n + t] = s[i][t];
}

__global__ void interior(float *m, int n, int at) {
    __shared__ float row[B][B], column[B][B];
    int x = threadIdx.x, y = threadIdx.y;
    int tx = at + (blockIdx.x + 1) * B, ty = at + (blockIdx.y + 1) * B;
    row[y][x] = m[(at + y) * n + tx + x];
    column[y][x] = m[(ty + y) * n + at + x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < B; k++) sum += column[y][k] * row[k][x];
    m[(ty + y) * n + tx + x] -= sum;
}

/* Row by row, without blocks: the rows below the diagonal are independent. */
static void lud_openmp(float *m, int n) {
    for (int k = 0; k < n; k++) {
        float inverse = 1 / m[k * n + k];
#pragma omp parallel for
        for (int i = k + 1; i < n; i++) {
            float f = m[i * n + k] *= inverse;
#pragma omp simd
            for (int j = k + 1; j < n; j++) m[i * n + j] -= f * m[k * n + j];
        }
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "lud", "LU decomposition", INPUT, "n, then a matrix of n * n numbers, as text");
    int n = sample.pick(96, 512, 2048);
    std::vector<float> m, lu;
    if (sample.input) {
        Reader reader(sample);
        n = reader.integer(B, 16384);
        if (n % B) reader.fail("the size of the matrix must be a multiple of 16");
        m.resize(size_t(n) * n);
        for (float &v : m) v = reader.number();
    } else {
        Random random;
        m.resize(size_t(n) * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) m[i * n + j] = random.next() + (i == j ? float(n) : 0.0f);
    }
    DeviceArray<float> device(m);
    Version cuda = {[&] { device.set(m); },
                    [&] {
                        for (int at = 0; at < n; at += B) {
                            int left = (n - at) / B - 1;
                            diagonal<<<1, B>>>(device, n, at);
                            if (!left) break;
                            perimeter<<<dim3(left, 2), B>>>(device, n, at);
                            interior<<<dim3(left, left), dim3(B, B)>>>(device, n, at);
                        }
                    }};
    Version openmp = {[&] { lu = m; }, [&] { lud_openmp(lu.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("elements", device.get(), lu, 1e-4);
    return sample.done();
}
