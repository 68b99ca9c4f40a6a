// Kernels that read threadIdx of two or three dimensions only as the index of the thread in its block, in blocks of all
// shapes: with barriers, shuffles, shared memory, loops through the block; and such that read more than that.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cstring>

enum { N = 9000 };

__global__ void plane(const int *x, int *y, int n) {
    int i = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3 + (i > 0 ? x[i - 1] : 7);
}
__global__ void wide(const int *x, int *y, size_t n) {
    size_t i = ((size_t)blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3 + (i > 0 ? x[i - 1] : 7);
}
__global__ void solid(const int *x, int *y, unsigned n) {
    unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
             size = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned i = blockIdx.x * size + t; i < n; i += size * gridDim.x) y[i] = x[i] * 3 + (i > 0 ? x[i - 1] : 7);
}
// Sums of blocks.
__global__ void sums(const int *x, int *y, int n) {
    __shared__ int s[1024];
    int t = threadIdx.y * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y;
    int i = blockIdx.x * size + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 1; k < size; k *= 2) {
        int v = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (i < n) y[i] = s[t];
}
__global__ void shuffled(const int *x, int *y, int n) {
    int t = threadIdx.y * blockDim.x + threadIdx.x, i = blockIdx.x * blockDim.x * blockDim.y + t;
    int v = i < n ? x[i] : 0, above = __shfl_down_sync(~0u, v, 1);
    if (i < n) y[i] = t % 32 == 31 ? v : v + above;
}
// Columns, too: nothing is flat.
__global__ void columns(int *y, int n) {
    int i = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n) y[i] = threadIdx.x + 100 * threadIdx.y;
}
// The stride is not the block's.
__global__ void apart(int *y) { y[threadIdx.y * 33 + threadIdx.x] = 1 + threadIdx.x * blockDim.y; }
// Planes of a block do the same.
__global__ void planes(const int *x, int *y, int n) {
    int i = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[i], x[i]);
}

static int wrong;
static int *x, *y;

template <class F> static void expect(const char *name, dim3 b, int n, F f) {
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != (i < n ? f(i) : 0);
    if (bad) printf("%s, block %u x %u x %u: %d wrong\n", name, b.x, b.y, b.z, bad);
    wrong += bad;
    memset(y, 0, N * sizeof *y);
}

int main() {
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&y, N * sizeof *y);
    for (int i = 0; i < N; i++) x[i] = i * 2654435761u >> 25;
    memset(y, 0, N * sizeof *y);
    auto neighbour = [](int i) { return x[i] * 3 + (i > 0 ? x[i - 1] : 7); };
    for (int n : {(int)N, 8191, 5})
        for (dim3 b : {dim3(10, 10), dim3(16, 16), dim3(1, 33), dim3(7, 3), dim3(32, 32), dim3(64)}) {
            int size = b.x * b.y, blocks = (N + size - 1) / size;
            plane<<<blocks, b>>>(x, y, n);
            expect("plane", b, n, neighbour);
            wide<<<blocks, b>>>(x, y, n);
            expect("wide", b, n, neighbour);
            sums<<<blocks, b>>>(x, y, n);
            expect("sums", b, n, [&](int i) { int s = 0; for (int k = i / size * size; k <= i; k++) s += x[k]; return s; });
            columns<<<blocks, b>>>(y, n);
            expect("columns", b, n, [&](int i) { return (int)(i % size % b.x + 100 * (i % size / b.x)); });
            b.z = 1024 / size < 3 ? 1 : 3;
            planes<<<blocks, b>>>(x, y, n);
            expect("planes", b, n, [&](int i) { return (int)b.z * x[i]; });
            solid<<<9, b>>>(x, y, n);
            expect("solid", b, n, neighbour);
        }
    for (dim3 b : {dim3(8, 8), dim3(16, 2), dim3(4, 16)}) {
        int size = b.x * b.y;
        shuffled<<<(N + size - 1) / size, b>>>(x, y, N);
        expect("shuffled", b, N, [&](int i) { return i % size % 32 == 31 ? x[i] : x[i] + (i + 1 < N ? x[i + 1] : 0); });
    }
    apart<<<1, dim3(32, 8)>>>(y);
    expect("apart", dim3(32, 8), 264, [](int i) { return i % 33 < 32 ? 1 + i % 33 * 8 : 0; });
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
