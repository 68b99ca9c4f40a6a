// Blocks whose rows are shorter than a group: launches of a block that nobody knew, of a known one, in three dimensions; a grid
// index made with a constant; rows of neighbouring blocks as one row.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 --disable=narrow_rows %s -o %t.off && %t.off; }
#include <cstdio>
#include <cuda_runtime.h>

enum { GRID = 3, N = 64 };

static int *in, *out, failures;

// Neighbours within the block, by way of shared memory, in each direction.
__global__ void neighbours(const int *in, int *out) {
    __shared__ int s[1024];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, w = blockDim.x, h = blockDim.y, d = blockDim.z;
    int t = (z * h + y) * w + x, base = (blockIdx.y * gridDim.x + blockIdx.x) * w * h * d;
    s[t] = in[base + t];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < w; k++) sum += s[(z * h + y) * w + k] * (k + 1);
    for (int k = 0; k < h; k++) sum += s[(z * h + k) * w + x] ^ k;
    if (x + 1 < w) sum -= s[t + 1];
    out[base + t] = sum + s[(d - 1 - z) * h * w + y * w + x];
}

static int neighbours_reference(const int *s, dim3 b, int t) {
    int w = b.x, h = b.y, d = b.z, x = t % w, y = t / w % h, z = t / w / h, sum = 0;
    for (int k = 0; k < w; k++) sum += s[(z * h + y) * w + k] * (k + 1);
    for (int k = 0; k < h; k++) sum += s[(z * h + k) * w + x] ^ k;
    if (x + 1 < w) sum -= s[t + 1];
    return sum + s[(d - 1 - z) * h * w + y * w + x];
}

// The mean of a neighbourhood; T is blockDim.x and y.  Subscripts are sums of 32 bits.
template <int T> __global__ void mean(const int *in, int *out, int n) {
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int sum = 0;
    for (int j = -1; j < 2; j++)
        for (int i = -1; i < 2; i++) sum += in[(y + j) * n + x + i];
    out[y * n + x] = sum / 9;
}

// The same with a tile, which blocks need as a whole.
template <int T> __global__ void mean_of_tile(const int *in, int *out, int n) {
    __shared__ int s[T + 2][T + 2];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    for (int j = threadIdx.y; j < T + 2; j += T)
        for (int i = threadIdx.x; i < T + 2; i += T) {
            int u = blockIdx.x * T + i - 1, v = blockIdx.y * T + j - 1;
            s[j][i] = u >= 0 && v >= 0 && u < n && v < n ? in[v * n + u] : 0;
        }
    __syncthreads();
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) sum += s[threadIdx.y + j][threadIdx.x + i];
    out[y * n + x] = sum / 9;
}

static void check(const char *what, dim3 b, int i, int want) {
    if (out[i] == want) return;
    if (failures++ < 10) printf("%s, block %u x %u x %u: out[%d] = %d, not %d\n", what, b.x, b.y, b.z, i, out[i], want);
}

static void check_neighbours(const char *what, dim3 b) {
    int threads = b.x * b.y * b.z;
    cudaDeviceSynchronize();
    for (int i = 0; i < GRID * GRID * threads; i++) check(what, b, i, neighbours_reference(in + i / threads * threads, b, i % threads));
}

static void check_mean(const char *what, dim3 b) {
    cudaDeviceSynchronize();
    for (int y = 1; y < N - 1; y++)
        for (int x = 1; x < N - 1; x++) {
            int sum = 0;
            for (int k = 0; k < 9; k++) sum += in[(y + k / 3 - 1) * N + x + k % 3 - 1];
            check(what, b, y * N + x, sum / 9);
        }
}

template <int T> static void means() {
    dim3 block(T, T), grid((N + T - 1) / T, (N + T - 1) / T);
    dim3 *unknown = new dim3(block);
    cudaMemset(out, -1, N * N * sizeof(int));
    mean<T><<<grid, *unknown>>>(in, out, N);
    check_mean("mean", block);
    cudaMemset(out, -1, N * N * sizeof(int));
    mean_of_tile<T><<<grid, *unknown>>>(in, out, N);
    check_mean("mean_of_tile", block);
    cudaMemset(out, -1, N * N * sizeof(int));
    mean_of_tile<T><<<grid, dim3(T, T)>>>(in, out, N);
    check_mean("mean_of_tile, known", block);
    delete unknown;
}

int main() {
    cudaMallocManaged(&in, GRID * GRID * 1024 * sizeof(int));
    cudaMallocManaged(&out, GRID * GRID * 1024 * sizeof(int));
    for (int i = 0; i < GRID * GRID * 1024; i++) in[i] = i * 2654435761u >> 20;
    for (unsigned x = 1; x <= 12; x++)
        for (unsigned y = 1; y <= 12; y += x > 1 && y > 4 ? 3 : 1)
            for (unsigned z = 1; z <= 4; z += 2) {
                neighbours<<<dim3(GRID, GRID), dim3(x, y, z)>>>(in, out);
                check_neighbours("neighbours", dim3(x, y, z));
            }
    neighbours<<<dim3(GRID, GRID), dim3(8, 8)>>>(in, out);
    check_neighbours("neighbours, known", dim3(8, 8));
    neighbours<<<dim3(GRID, GRID), dim3(4, 4, 4)>>>(in, out);
    check_neighbours("neighbours, known", dim3(4, 4, 4));
    means<3>(), means<4>(), means<8>();
    printf("%d failures\n", failures);
    return failures != 0;
}
