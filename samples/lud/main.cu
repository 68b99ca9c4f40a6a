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

int main(int argc, char **argv) {
    int n = (sample_size(argc, argv, 512) + B - 1) / B * B;
    Numbers numbers;
    std::vector<float> m(size_t(n) * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i * n + j] = numbers.next() + (i == j ? float(n) : 0.0f);
    DeviceArray<float> device(m);
    Stopwatch watch;
    for (int at = 0; at < n; at += B) {
        int left = (n - at) / B - 1;
        diagonal<<<1, B>>>(device, n, at);
        if (!left) break;
        perimeter<<<dim3(left, 2), B>>>(device, n, at);
        interior<<<dim3(left, left), dim3(B, B)>>>(device, n, at);
    }
    double ms = watch.stop();
    std::vector<double> lu(m.begin(), m.end());
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = lu[i * n + k] /= lu[k * n + k];
            for (int j = k + 1; j < n; j++) lu[i * n + j] -= f * lu[k * n + j];
        }
    return verdict("lud", count_wrong(device.get(), std::vector<float>(lu.begin(), lu.end()), 1e-4f), ms);
}
