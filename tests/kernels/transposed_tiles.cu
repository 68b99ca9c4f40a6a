// Tiles of shared memory that lanes go through by columns are kept transposed: beside other arrays, behind branches, with atomics, with and
// without padding.  Where a place is not known, or an address is chosen, all stays as it is.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=transpose_shared %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --simd=16 %s -o %t.16 && %run %t.16; }
// RUN: %cucpu -O3 --simd=8 --cpu=x86-64-v3 --disable=swap_block -Rcucpu %s -o %t.8 2> %t.remarks && %run %t.8
// RUN: FileCheck %s < %t.remarks
// CHECK-DAG: a tile of 16 rows of 41 elements in shared memory is kept transposed
// CHECK-DAG: a tile of 8 rows of 16 elements
// CHECK-DAG: a tile of 32 rows of 24 elements
// CHECK-DAG: a tile of 128 rows of 17 elements
// RUN: not grep -E 'rows of (19|20) elements' %t.remarks
#include <cuda_runtime.h>
#include "check.h"

enum { BLOCKS = 3, THREADS = 128, N = BLOCKS * THREADS };

/* Blocks of 16 x 8: windows of columns; beside them an array before and one behind, by rows. */
__global__ void windows(const int *in, int *out) {
    __shared__ int row[THREADS];
    __shared__ int tile[16][41];
    extern __shared__ int behind[];
    int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x, at = blockIdx.x * THREADS + t;
    for (int i = 0; i < 5; i++) tile[x][y + i * 8] = at + i < N ? in[at + i] : 1;
    row[t] = in[at];
    behind[t] = 2 * in[at];
    __syncthreads();
    int sum = row[127 - t] + behind[127 - t];
    for (int i = 1; i < 4; i++)
        for (int k = -8; k <= 8; k++) sum += tile[x][y + i * 8 + k] * (k + 9);
    out[at] = sum;
}

static int window(const int *in, int b, int x, int y) {
    int t = y * 16 + x, sum = 3 * in[b * THREADS + 127 - t];
    for (int c = y; c < y + 33; c++) /* column c is of thread c % 8 */
        for (int i = 1; i < 4; i++) {
            int k = c - y - i * 8, at = b * THREADS + c % 8 * 16 + x + c / 8;
            if (k >= -8 && k <= 8) sum += (at < N ? in[at] : 1) * (k + 9);
        }
    return sum;
}

/* Blocks of 8 x 16, no padding: sums by atomics, backward, of shorts that a branch leaves out. */
__global__ void sums(const int *in, int *out) {
    __shared__ int tile[8][16];
    unsigned x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * THREADS + y * 8 + x;
    tile[x][y] = in[at];
    __syncthreads();
    if (in[at] % 3) atomicAdd(&tile[7 - x][y], 5);
    __syncthreads();
    for (unsigned i = 0; i < 16; i++) {
        if (y == i && i > 0) tile[x][i] += tile[x][i - 1];
        __syncthreads();
    }
    out[at] = tile[7 - x][15 - y] - tile[x][(y + 1) % 16];
}

static void sum_block(const int *in, int *out) {
    int tile[8][16];
    for (int x = 0; x < 8; x++)
        for (int y = 0; y < 16; y++) tile[x][y] = in[y * 8 + x] + (in[y * 8 + 7 - x] % 3 ? 5 : 0);
    for (int x = 0; x < 8; x++)
        for (int y = 1; y < 16; y++) tile[x][y] += tile[x][y - 1];
    for (int x = 0; x < 8; x++)
        for (int y = 0; y < 16; y++) out[y * 8 + x] = tile[7 - x][15 - y] - tile[x][(y + 1) % 16];
}

/* Blocks of 32: a row of each thread. */
__global__ void rows(const double *in, double *out) {
    __shared__ double own[32][24];
    int t = threadIdx.x, at = blockIdx.x * 32 + t;
    for (int i = 0; i < 24; i++) own[t][i] = in[(at + i) % N] + i;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < 24; i++) sum = sum * 0.5 + own[31 - t][23 - i];
    out[at] = sum;
}

/* Blocks of 128, and no barrier: powers of a number of each thread's own. */
__global__ void powers(const int *in, int *out) {
    __shared__ int own[128][17];
    int t = threadIdx.x, sum = 0;
    own[t][0] = 1;
    for (int k = 1; k < 17; k++) own[t][k] = own[t][k - 1] * in[blockIdx.x * 128 + t];
    for (int k = 0; k < 17; k++) sum += own[t][16 - k] * (k + 1);
    out[blockIdx.x * 128 + t] = sum;
}

/* Blocks of 16 x 8: place is anywhere in the tile; and one of two rows, by an address that is chosen. */
__global__ void anywhere(const int *in, int *out, int place) {
    __shared__ int tile[16][19];
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * THREADS + y * 16 + x;
    tile[x][y] = in[at];
    tile[x][y + 8] = 2 * in[at];
    __syncthreads();
    out[at] = tile[x][y + 1] + (&tile[0][0])[place];
}
__global__ void chosen(const int *in, int *out) {
    __shared__ int tile[16][20];
    int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * THREADS + y * 16 + x;
    tile[x][y] = in[at];
    tile[x][y + 8] = 2 * in[at];
    __syncthreads();
    int *p = in[at] & 1 ? &tile[x][0] : &tile[15 - x][1];
    out[at] = tile[x][y + 1] + p[y];
}

static int *in, *out, want[N];
static double *numbers, *results;

static void compare(const char *what) {
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        if (out[i] != want[i] && failures++ < 20) printf("%s %d: %d, not %d\n", what, i, out[i], want[i]);
}

static int element(int b, int row, int column) { return in[b * THREADS + column % 8 * 16 + row] * (column < 8 ? 1 : 2); }

int main() {
    CUDA(cudaMallocManaged(&in, sizeof want));
    CUDA(cudaMallocManaged(&out, sizeof want));
    CUDA(cudaMallocManaged(&numbers, N * sizeof *numbers));
    CUDA(cudaMallocManaged(&results, N * sizeof *results));
    for (int i = 0; i < N; i++) in[i] = (i * 7919 + 13) % 1000, numbers[i] = in[i] * 0.25;
    windows<<<BLOCKS, dim3(16, 8), THREADS * sizeof(int)>>>(in, out);
    for (int i = 0; i < N; i++) want[i] = window(in, i / THREADS, i % 16, i % THREADS / 16);
    compare("windows");
    sums<<<BLOCKS, dim3(8, 16)>>>(in, out);
    for (int b = 0; b < BLOCKS; b++) sum_block(in + b * THREADS, want + b * THREADS);
    compare("sums");
    rows<<<N / 32, 32>>>(numbers, results);
    CUDA(cudaDeviceSynchronize());
    for (int at = 0; at < N; at++) {
        double sum = 0;
        for (int i = 23; i >= 0; i--) sum = sum * 0.5 + (numbers[(at / 32 * 32 + 31 - at % 32 + i) % N] + i);
        CHECK(fabs(results[at] - sum) < 1e-9);
    }
    powers<<<N / 128, 128>>>(in, out);
    for (int i = 0; i < N; i++) {
        unsigned power = 1, sum = 0;
        for (int k = 16; k >= 0; k--) sum += power * (k + 1), power *= in[i];
        want[i] = (int)sum;
    }
    compare("powers");
    anywhere<<<BLOCKS, dim3(16, 8)>>>(in, out, 5 * 19 + 11);
    for (int i = 0; i < N; i++) want[i] = element(i / THREADS, i % 16, i % THREADS / 16 + 1) + element(i / THREADS, 5, 11);
    compare("anywhere");
    chosen<<<BLOCKS, dim3(16, 8)>>>(in, out);
    for (int i = 0; i < N; i++) {
        int b = i / THREADS, x = i % 16, y = i % THREADS / 16;
        want[i] = element(b, x, y + 1) + (in[i] & 1 ? element(b, x, y) : element(b, 15 - x, y + 1));
    }
    compare("chosen");
    return finish();
}
