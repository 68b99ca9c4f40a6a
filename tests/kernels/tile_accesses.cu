// Columns that rows of threads access together: transpositions of several element sizes, with borders, masks that differ by
// column, indices that wrap, loops, matrices that are swapped in place, and blocks of few rows.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --cpu=x86-64-v3 %s -o %t.v3 && %t.v3
// RUN: %also { %cucpu --disable=tile_accesses %s -o %t.apart && %t.apart; }
// RUN: %also { %cucpu --disable=swap_block,launch_sites %s -o %t.plain && %t.plain; }
// RUN: %also { %cucpu --disable=version_all_active,launch_sites --cpu=x86-64-v2 %s -o %t.masks && %t.masks; }
#include "check.h"

enum { N = 83, PITCH = 96, ALL = PITCH * PITCH };

template <class T> __global__ void transpose(T *o, const T *a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) o[x * n + y] = a[y * n + x];
}
template <class T> __global__ void transpose_whole(T *__restrict__ o, const T *__restrict__ a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    o[x * n + y] = a[y * n + x];
}
template <class T> __global__ void transpose_unsigned(T *o, const T *a, unsigned n, unsigned from) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) o[x * n + y] = a[(y * n + x + from)];
}
// the index of a column wraps in the middle of a tile
__global__ void wrapping(unsigned char *o, const unsigned char *a, unsigned pitch, unsigned from) {
    unsigned x = threadIdx.x, y = threadIdx.y;
    o[y * blockDim.x + x] = a[x * pitch + y + from];
}
// lanes are left out by what they load; rows do not share that mask
__global__ void some(float *o, const float *a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n && a[y * n + x] > 40) o[x * n + y] = a[y * n + x];
}
// ... or share it
__global__ void odd_columns(float *o, const float *a, const int *which, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        if (which[x] & 1) o[x * n + y] = a[y * n + x] + 1;
    }
}
// rows of a block in steps, as NVIDIA's sample has it
__global__ void in_steps(float *o, const float *a, int w, int h) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, in = x + w * y, out = y + h * x;
    for (int i = 0; i < 32; i += blockDim.y) o[out + i] = a[in + i * w];
}
// loads of columns in a loop
__global__ void sums(float *o, const float *a, int n, int times) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float s = 0;
    for (int k = 0; k < times; k++) s += a[(x * times + k) * n + y];
    o[y * n + x] = s;
}
// each thread above the diagonal swaps two elements
__global__ void swap(int *a, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < x) {
        int t = a[x * n + y];
        a[x * n + y] = a[y * n + x];
        a[y * n + x] = t;
    }
}

template <class T> struct Both {
    T *o, *a;
    Both() {
        cudaMallocManaged(&o, ALL * 4 * sizeof(T));
        cudaMallocManaged(&a, ALL * 4 * sizeof(T));
        fill();
    }
    void fill() {
        for (int i = 0; i < 4 * ALL; i++) o[i] = (T)99, a[i] = (T)(i * 7 % 101);
    }
};

template <class T> int transposed(const char *what, const Both<T> &m, int n, T added = 0) {
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += m.o[i * n + j] != (T)(m.a[j * n + i] + added);
    for (int i = n * n; i < 2 * n * n; i++) bad += m.o[i] != (T)99; /* nothing beyond it */
    if (bad) printf("%s %d, %zu bytes: %d bad\n", what, n, sizeof(T), bad);
    return bad;
}

template <class T> int all_of(const char *type) {
    int bad = 0;
    const dim3 blocks[] = {{16, 16}, {32, 8}, {8, 32}, {64, 4}, {16, 3}, {5, 7}, {32, 32}, {1, 64}, {48, 20}};
    for (dim3 b : blocks)
        for (int n : {(int)N, 64, (int)PITCH}) {
            dim3 g((n + b.x - 1) / b.x, (n + b.y - 1) / b.y);
            Both<T> m;
            transpose<<<g, b>>>(m.o, m.a, n), bad += transposed("guarded", m, n), m.fill();
            if constexpr (sizeof(T) != 4) continue;
            transpose_unsigned<<<g, b>>>(m.o, m.a, (unsigned)n, 0u), bad += transposed("unsigned", m, n), m.fill();
            if (n % b.x == 0 && n % b.y == 0) transpose_whole<<<g, b>>>(m.o, m.a, n), bad += transposed("whole", m, n);
        }
    if (bad) printf("%s: %d bad\n", type, bad);
    return bad;
}

/* Both ends of 4 GiB are touched. */
static int wraps() {
    int bad = 0;
    unsigned char *o, *a;
    const unsigned pitch = 64;
    if (cudaMallocManaged(&a, (1ull << 32) + 4096) != cudaSuccess) return 0;
    cudaMallocManaged(&o, 256);
    for (unsigned i = 0; i < 2048; i++) a[i] = (unsigned char)(i * 3), a[0u - 1 - i] = (unsigned char)(i * 5 + 1);
    for (unsigned from : {0u, 0u - 7, 0u - 64 - 9, 0u - 15, 0u - 16}) {
        wrapping<<<1, dim3(16, 16)>>>(o, a, pitch, from), cudaDeviceSynchronize();
        for (unsigned x = 0; x < 16; x++)
            for (unsigned y = 0; y < 16; y++) bad += o[y * 16 + x] != a[x * pitch + y + from];
    }
    if (bad) printf("indices that wrap: %d bad\n", bad);
    cudaFree(a);
    return bad;
}

static int others() {
    int bad = 0, n = N, *which;
    const dim3 b(16, 16), g(6, 6);
    Both<float> m;
    some<<<g, b>>>(m.o, m.a, n), cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += m.o[i * n + j] != (m.a[j * n + i] > 40 ? m.a[j * n + i] : 99);
    m.fill(), cudaMallocManaged(&which, n * sizeof *which);
    for (int i = 0; i < n; i++) which[i] = i * 5 / 3;
    odd_columns<<<g, b>>>(m.o, m.a, which, n), cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += m.o[i * n + j] != (which[i] & 1 ? m.a[j * n + i] + 1 : 99);
    m.fill(), in_steps<<<dim3(3, 3), dim3(32, 8)>>>(m.o, m.a, PITCH, PITCH), bad += transposed("in steps", m, PITCH);
    m.fill(), in_steps<<<dim3(2, 2), dim3(32, 16)>>>(m.o, m.a, 64, 64), bad += transposed("in steps", m, 64);
    m.fill(), sums<<<g, b>>>(m.o, m.a, n, 3), cudaDeviceSynchronize();
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++) {
            float s = 0;
            for (int k = 0; k < 3; k++) s += m.a[(x * 3 + k) * n + y];
            bad += m.o[y * n + x] != s;
        }
    if (bad) printf("others: %d bad\n", bad);
    Both<int> t;
    for (int i = 0; i < ALL; i++) t.o[i] = t.a[i];
    swap<<<g, b>>>(t.o, n), cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) bad += t.o[i * n + j] != t.a[j * n + i];
    bad += wraps();
    return bad;
}

int main() {
    int bad = all_of<float>("float") + all_of<double>("double") + all_of<short>("short") + all_of<signed char>("char");
    bad += others();
    printf("%d bad\n", bad);
    return bad != 0;
}
