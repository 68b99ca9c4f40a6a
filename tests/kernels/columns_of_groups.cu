// Rows along x in blocks that the compiler does not know: those whose columns are whole groups have lanes along y, and everything else is
// what it was: ids, also in functions that are called, blockDim, barriers, shared memory, the number of the warp.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --simd=16 --report=vector %s -o %t.on > %t.r 2>&1 && FileCheck %s < %t.r && env CUCPU_TRACE=1 CUCPU_TRIAL=0 %run %t.on 2>&1 | FileCheck --check-prefix=RUNS %s
// RUN: %also { %cucpu -O3 --simd=8 %s -o %t.8 && %run %t.8; }
// RUN: %also { %cucpu -O3 --disable=swap_block %s -o %t.off && %run %t.off; }
// CHECK-DAG: product{{.*}}"width": 16{{.*}}"along": "y"{{.*}}"gather_scatter": 0
// CHECK-DAG: product{{.*}}"width": 8{{.*}}"along": "y"{{.*}}"gather_scatter": 0
// CHECK-DAG: without_sign{{.*}}"along": "y"{{.*}}"gather_scatter": 0
// CHECK-DAG: tiles{{.*}}"along": "y"
// CHECK-DAG: leaving{{.*}}"along": "y"
// CHECK-DAG: numbers{{.*}}"along": "y"
// CHECK-DAG: deep{{.*}}"width": 16{{.*}}"along": "z"{{.*}}"gather_scatter": 0
// The rows of these blocks are shorter than a group.
// RUNS-DAG: product{{.*}}(3,16,1){{.*}}W=16 layout=0
// RUNS-DAG: product{{.*}}(3,8,1){{.*}}W=8 layout=0
// RUNS-DAG: tiles{{.*}}(3,16,1){{.*}}W=16 layout=0
// RUNS-DAG: turns{{.*}}(3,16,1){{.*}}W=16 layout=0
// RUNS-DAG: leaving{{.*}}(3,16,1){{.*}}W=16 layout=0
// RUNS-DAG: deep{{.*}}(3,2,16){{.*}}W=16 layout=0
// RUNS-DAG: deep{{.*}}(8,2,16){{.*}}W=16 layout=0
// RUNS-DAG: numbers{{.*}}(3,32,1){{.*}}W=16 layout=0
#include <cstdio>
#include <cuda_runtime.h>

__device__ float sum_of_products(int n, const float *a, const float *b, int row, int column) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    return sum;
}

__global__ void product(int n, const float *a, const float *b, float *c) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = sum_of_products(n, a, b, row, column);
    c[(blockIdx.z * blockDim.z + threadIdx.z) * n * n + row * n + column] = sum;
}

/* Blocks follow each other along y, and are joined to long columns; the grid has no block behind the last column, or some. */
__global__ void plain(int n, const float *a, float *c) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y, layer = blockIdx.z * blockDim.z + threadIdx.z;
    if (row < n && column < n) c[layer * n * n + row * n + column] = 2 * a[row * n + column] + layer;
}
/* Unsigned places might wrap. */
__global__ void without_sign(unsigned n, const float *a, float *c) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) c[row * n + column] = 3 * a[row * n + column];
}
__global__ void places(int n, int *out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) out[row * n + column] = (int)(blockIdx.x + 100 * blockIdx.y + 10000 * gridDim.x + 1000000 * gridDim.y);
}

/* Each block turns its part of the product round. */
__global__ void tiles(int n, const float *a, const float *b, float *c) {
    extern __shared__ float tile[];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * blockDim.x + x, column = blockIdx.y * blockDim.y + y;
    bool inside = row < n && column < n;
    tile[x * (blockDim.y + 1) + y] = inside ? sum_of_products(n, a, b, row, column) : 0;
    __syncthreads();
    int from = (blockDim.x - 1 - x) * (blockDim.y + 1) + blockDim.y - 1 - y;
    if (inside) c[row * n + column] = tile[from] + blockDim.y + 100 * blockDim.x;
}

/* Threads return in front of a barrier, others wait at one of two. */
__global__ void leaving(int n, const float *a, float *c) {
    extern __shared__ float tile[];
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y, at = threadIdx.x * blockDim.y + threadIdx.y;
    float v = row < n && column < n ? a[row * n + column] : 0;
    if (v < 2) return;
    tile[at] = v;
    if (v < 4) {
        __syncthreads();
        c[row * n + column] = 10 * tile[at];
    } else {
        __syncthreads();
        c[row * n + column] = 20 * tile[at];
    }
}

/* A loop that others might end: the runtime looks at all groups of the block after each pass. */
__global__ void turns(int n, const float *a, float *c, int *counts) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y, at = row * n + column;
    if (row >= n || column >= n) return;
    for (int k = 0; k < 5; k++) {
        c[at] += a[at];
        if (atomicAdd(&counts[at], 0) < 2) return;
    }
}

__device__ __noinline__ int id_of_thread() { return threadIdx.x + 100 * threadIdx.y + 10000 * blockDim.x; }
__global__ void numbers(int n, const float *a, const float *b, int *out) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned warp;
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    if (row < n && column < n) out[row * n + column] += (int)warp + 100 * (id_of_thread() % 1000) + 100000 * (int)sum_of_products(n, a, b, row, column);
}

/* x is the slowest dimension, z the fastest. */
__global__ void deep(int n, const float *a, float *c, int *ids) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned warp;
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    if (x < n && y < n && z < n) c[(x * n + y) * n + z] = 2 * a[(x * n + y) * n + z] + 1, ids[(x * n + y) * n + z] = (int)warp + 100 * blockDim.x + 10000 * blockDim.z;
}

static int wrong;
static void check(const char *what, int i, double got, double want) {
    if (got != want && wrong++ < 10) printf("%s %d: %g, not %g\n", what, i, got, want);
}

static volatile int sizes[] = {1, 3, 8, 16, 32}; /* nobody knows what they are */

int main() {
    enum { N = 70 };
    float *a, *b, *c;
    int *ids;
    cudaMallocManaged(&a, N * N * 4), cudaMallocManaged(&b, N * N * 4), cudaMallocManaged(&c, 2 * N * N * 4), cudaMallocManaged(&ids, N * N * 4);
    for (int i = 0; i < N * N; i++) a[i] = (float)(i * 7 % 13), b[i] = (float)(i * 5 % 11);
    static float want[N * N];
    for (int i = 0; i < N * N; i++)
        for (int k = 0; k < N; k++) want[i] += a[i / N * N + k] * b[k * N + i % N];
    for (int ix = 0; ix < 5; ix++)
        for (int iy = 0; iy < 5; iy++) {
            int bx = sizes[ix], by = sizes[iy];
            dim3 block(bx, by), grid((N + bx - 1) / bx, (N + by - 1) / by);
            for (int deep = 1; deep <= 2 && bx * by * deep <= 1024; deep++) {
                for (int i = 0; i < 2 * N * N; i++) c[i] = -1;
                product<<<grid, dim3(bx, by, deep)>>>(N, a, b, c);
                if (cudaDeviceSynchronize() != cudaSuccess) return 1;
                for (int i = 0; i < 2 * N * N; i++) check("product", i, c[i], i < deep * N * N ? want[i % (N * N)] : -1);
            }
            for (int deep = 1; deep <= 2 && bx * by * deep <= 1024; deep++) {
                for (int i = 0; i < 2 * N * N; i++) c[i] = -1;
                plain<<<dim3(grid.x + 1, grid.y, 2 / deep), dim3(bx, by, deep)>>>(N, a, c);
                if (cudaDeviceSynchronize() != cudaSuccess) return 1;
                for (int i = 0; i < 2 * N * N; i++) check("plain", i, c[i], 2 * a[i % (N * N)] + i / (N * N));
            }
            without_sign<<<grid, block>>>(N, a, c);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < N * N; i++) check("without sign", i, c[i], 3 * a[i]);
            places<<<grid, block>>>(N, ids);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < N * N; i++) check("places", i, ids[i], i / N / bx + 100 * (i % N / by) + 10000 * (int)grid.x + 1000000 * (int)grid.y);
            tiles<<<grid, block, bx * (by + 1) * sizeof(float)>>>(N, a, b, c);
            for (int i = 0; i < N * N; i++) c[N * N + i] = -1;
            leaving<<<grid, block, bx * by * sizeof(float)>>>(N, a, c + N * N);
            for (int i = 0; i < N * N; i++) ids[i] = i % 5;
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < N * N; i++) check("leaving", i, c[N * N + i], a[i] < 2 ? -1 : a[i] < 4 ? 10 * a[i] : 20 * a[i]), c[N * N + i] = 0;
            turns<<<grid, block>>>(N, a, c + N * N, ids);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < N * N; i++) check("turns", i, c[N * N + i], (i % 5 < 2 ? 1 : 5) * a[i]);
            for (int i = 0; i < N * N; i++) ids[i] = 7;
            numbers<<<grid, block>>>(N, a, b, ids);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < N * N; i++) {
                int row = i / N, column = i % N, x = row % bx, y = column % by, r = row - x + bx - 1 - x, k = column - y + by - 1 - y;
                check("tiles", i, c[i], (r < N && k < N ? want[r * N + k] : 0) + by + 100 * bx);
                check("numbers", i, ids[i], 7 + (y * bx + x) / 32 + 100 * ((x + 100 * y + 10000 * bx) % 1000) + 100000 * (int)want[i]);
            }
        }
    const int n = 16;
    for (int ix = 0; ix < 5; ix++)
        for (int iz = 1; iz < 5; iz++) {
            dim3 block(sizes[ix], 2, sizes[iz]), grid((n + block.x - 1) / block.x, n / 2, (n + block.z - 1) / block.z);
            if (block.x * block.y * block.z > 1024) continue;
            for (int i = 0; i < n * n * n; i++) c[i] = -1, ids[i] = -1;
            deep<<<grid, block>>>(n, a, c, ids);
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            for (int i = 0; i < n * n * n; i++) {
                int x = i / n / n % block.x, y = i / n % n % 2, z = i % n % block.z;
                check("deep", i, c[i], 2 * a[i] + 1);
                check("ids of deep", i, ids[i], ((z * 2 + y) * (int)block.x + x) / 32 + 100 * (int)block.x + 10000 * (int)block.z);
            }
        }
    deep<<<dim3(2, 8, 1), dim3(8, 2, 16)>>>(n, a, c, ids);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n * n * n; i++) check("known", i, ids[i], ((i % n * 2 + i / n % n % 2) * 8 + i / n / n % 8) / 32 + 800 + 160000);
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
