// Kernels that look at their place in the grid alone run neighbouring blocks as one row: every thread runs once, with
// its ids, whatever the shapes of block and grid are.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=coalesce_blocks %s -o %t.plain && %t.plain; }
// RUN: %also { %cucpu --simd=1 --disable=bound_from_guard %s -o %t.unbounded && %t.unbounded; }
// RUN: %also { %cucpu --simd=16 --disable=version_all_active,guard_coherent %s -o %t.masked && %t.masked; }
#include "check.h"

#define PLACE int(blockIdx.x * blockDim.x + threadIdx.x)
enum { STRIDE = 64, MOST = 1 << 17 };

__global__ void mark(int *out) { atomicAdd(&out[PLACE], 1); }

__global__ void below(int n, int *out) {
    int i = PLACE;
    if (i < n) out[i] += 1 + i;
}

__global__ void between(int low, int high, const int *in, int *out) {
    int i = PLACE;
    if (i < low || i >= high) return;
    int sum = 0;
    for (int k = in[i]; k < in[i + 1]; k++) sum += k;
    out[i] = sum + in[i];
}

// rows of a sparse matrix: the end of one is the start of the next
__global__ void row_sums(int n, const int *start, int *out) {
    int i = PLACE;
    if (i >= n) return;
    int sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += k;
    out[i] = sum;
}

// a constant in place of blockDim.x: threads of different blocks meet, or leave gaps
__global__ void constant(int n, int *out) {
    int i = blockIdx.x * STRIDE + threadIdx.x;
    if (i < n) atomicAdd(&out[i], 1);
}

__global__ void grid_stride(int n, int *out) {
    for (int i = PLACE; i < n; i += gridDim.x * blockDim.x) out[i] += 1 + i;
}

// other dimensions are looked at beside it
__global__ void rows(int n, int *out) {
    int i = PLACE, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    int height = gridDim.y * blockDim.y, width = gridDim.x * blockDim.x;
    if (i < n) atomicAdd(&out[(z * height + y) * width + i], 1 + i);
}

// what is stored comes from a local array, and from the last thread of all: the order is that of the blocks
__global__ void local_array(int n, int *out, int *last) {
    int i = PLACE, a[8];
    for (int k = 0; k < 8; k++) a[(k + i) & 7] = i * k;
    if (i >= n) return;
    out[i] = a[i & 7] + a[(i + 3) & 7];
    if (i % 5 == 0) atomicMax(last, i);
}

__global__ void bytes(int n, const unsigned char *in, unsigned char *out) {
    int i = PLACE;
    if (i < n) out[i] = in[i] > 100 ? in[i] : 255 - in[i];
}

static int *out, *in;

static void clear(int n) {
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) out[i] = 0;
}

static void check_line(dim3 grid, dim3 block) {
    int threads = grid.x * block.x, copies = grid.y * grid.z * block.y * block.z;
    clear(threads);
    mark<<<grid, block>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < threads; i++) CHECK(out[i] == copies);
    clear(threads * copies + 1);
    for (int n : {0, 1, threads / 2 + 3, threads - 1, threads}) {
        clear(threads * copies + 1);
        rows<<<grid, block>>>(n, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < threads * copies; i++) CHECK(out[i] == (i % threads < n ? 1 + i % threads : 0));
        CHECK(out[threads * copies] == 0);
    }
    clear(MOST);
    constant<<<grid, block>>>(MOST, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0, n = (grid.x - 1) * STRIDE + block.x; i < n; i++) {
        int times = 0;
        for (unsigned b = 0; b < grid.x; b++) times += unsigned(i) - b * STRIDE < block.x;
        CHECK(out[i] == times * copies);
    }
}

static void check_sums(int grid, int block, int *last) {
    int threads = grid * block;
    for (int n : {0, 1, threads / 3, threads - 1, threads, threads + 5}) {
        int end = n < threads ? n : threads;
        clear(threads + 1);
        below<<<grid, block>>>(n, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i <= threads; i++) CHECK(out[i] == (i < end ? 1 + i : 0));
        clear(2 * threads + 5);
        grid_stride<<<grid, block>>>(2 * threads + 5, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 2 * threads + 5; i++) CHECK(out[i] == 1 + i);
        clear(threads + 1);
        between<<<grid, block>>>(3, n, in, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i <= threads; i++) {
            int sum = in[i];
            for (int k = in[i]; k < in[i + 1]; k++) sum += k;
            CHECK(out[i] == (i >= 3 && i < end ? sum : 0));
        }
        clear(threads + 1);
        row_sums<<<grid, block>>>(n, in, out);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i <= threads; i++) {
            int sum = 0;
            for (int k = in[i]; k < in[i + 1]; k++) sum += k;
            CHECK(out[i] == (i < end ? sum : 0));
        }
        clear(threads + 1);
        *last = -1;
        local_array<<<grid, block>>>(n, out, last);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i <= threads; i++) CHECK(out[i] == (i < end ? 3 * i : 0));
        CHECK(*last == (end ? (end - 1) / 5 * 5 : -1));
        clear(threads + 1);
        const unsigned char *from = (const unsigned char *)in;
        unsigned char *to = (unsigned char *)out;
        bytes<<<grid, block>>>(n, from, to);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i <= threads; i++) CHECK(to[i] == (i < end ? from[i] > 100 ? from[i] : 255 - from[i] : 0));
    }
}

int main() {
    int *last;
    CUDA(cudaMallocManaged(&out, (MOST + 8) * sizeof(int)));
    CUDA(cudaMallocManaged(&in, (MOST + 8) * sizeof(int)));
    CUDA(cudaMallocManaged(&last, sizeof(int)));
    for (int i = 0; i < MOST + 8; i++) in[i] = i * 2 + i % 3;
    for (dim3 block : {dim3(1), dim3(7), dim3(16), dim3(33), dim3(64), dim3(100), dim3(256), dim3(8, 2), dim3(16, 4), dim3(32, 1, 2), dim3(5, 3)})
        for (dim3 grid : {dim3(1), dim3(2), dim3(7), dim3(23), dim3(5, 3), dim3(3, 2, 2)}) check_line(grid, block);
    for (int block : {1, 7, 16, 33, 64, 100, 256, 1024})
        for (int grid : {1, 3, 17}) check_sums(grid, block, last);
    return finish();
}
