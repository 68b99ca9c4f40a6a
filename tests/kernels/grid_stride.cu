// grid_stride.cu: loops that walk through the grid, of all types of counters, with sums that threads carry, inner loops,
// `continue`, conditions; ranges that are empty, odd, or so near the end of the type that a sum wraps around.
// REQUIRES: run
// RUN: %cucpu -O3 --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu -O3 --simd=8 --disable=interchange_grid_stride %s -o %t.off && %run %t.off | FileCheck %s; }
// RUN: %also { %cucpu -O3 --simd=32 %s -o %t.32 && %run %t.32 | FileCheck %s; }
// RUN: %cucpu -O3 %s -o %t.auto && %run %t.auto | FileCheck %s
// CHECK: 0 wrong
#include <climits>
#include <cstdio>
#include <vector>

// Every thread adds to the slots that it comes to, and keeps a sum of what it saw.
#define SLOT(i) ((unsigned)(i) % 997u)

template <class T> __global__ void walk(int *slot, unsigned *sum, T n, T shift, const unsigned char *in) {
    unsigned s = 0;
    for (T i = shift + (T)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&slot[SLOT(i)], 1);
        s += (unsigned)i * 3 + in[(unsigned char)i];
    }
    sum[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

// Steps so large that sums come back from the end of the type.
template <class T> __global__ void leap(unsigned *sum, T n, T shift, T step, const unsigned char *in) {
    unsigned s = 0;
    for (T i = shift + (T)threadIdx.x; i < n; i += step) s += (unsigned)i * 3 + in[(unsigned char)i];
    sum[threadIdx.x] = s;
}

// The block walks, not the grid; a carried pair, an inner loop, `continue`.
__global__ void inner(const int *in, int *out, unsigned *sum, int n) {
    unsigned s = 0, most = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (in[i] % 3 == 0) continue;
        int v = in[i];
        for (int k = 0; k < v % 5; k++) v = v * 7 + k;
        out[i] = v;
        s += v;
        if ((unsigned)v > most) most = v;
    }
    sum[2 * threadIdx.x] = s;
    sum[2 * threadIdx.x + 1] = most;
}

// Threads of a column share their place along x.
__global__ void columns(int *out, int n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)n; i += gridDim.x * blockDim.x) atomicAdd(&out[i], 1 + threadIdx.y);
}

// The grid walks from its start: neighbouring blocks make their steps together.  With rows, and sums that threads carry.
template <class T> __global__ void grid(int *slot, unsigned *sum, T n, const unsigned char *in) {
    unsigned s = threadIdx.y, odd = 1;
    T row = gridDim.x * blockDim.x;
    for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += row) {
        atomicAdd(&slot[SLOT(i)], 1);
        s += (unsigned)i * 3 + in[(unsigned char)i];
        if (i & 1) odd = odd * 5 + s;
    }
    T at = (threadIdx.y + blockIdx.y * blockDim.y) * row + blockIdx.x * blockDim.x + threadIdx.x;
    sum[at] = s ^ odd;
}

// The same loop, spelled in other ways. The index is a sum of 64 bits; the last element is included; the test is at the
// end; the iterations are counted.
enum { WIDE, INCLUSIVE, AT_END, COUNTED, CONSTANT_BLOCK, FORMS };
template <int FORM> __global__ void spelled(int *slot, unsigned *sum, long long n, long long shift) {
    unsigned s = 0;
    auto visit = [&](long long i) {
        atomicAdd(&slot[SLOT(i)], 1);
        s += (unsigned)i * 3 + slot[0] * 0;
    };
    int at = blockIdx.x * blockDim.x + threadIdx.x, by = gridDim.x * blockDim.x;
    if (FORM == WIDE)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; (long long)i + shift < n; i += (size_t)gridDim.x * blockDim.x)
            visit((long long)i + shift);
    if (FORM == INCLUSIVE)
        for (int i = (int)shift + at; i <= (int)n - 1; i += by) visit(i);
    if (FORM == AT_END) {
        long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x + shift;
        if (i < n) do {
                visit(i);
                i += by;
            } while (i < n);
    }
    if (FORM == COUNTED)
        for (int k = 0; k * by + at + (int)shift < (int)n; k++) visit(k * by + at + (int)shift);
    if (FORM == CONSTANT_BLOCK) /* blocks need not be of that size */
        for (long long i = blockIdx.x * 32ll + threadIdx.x; i < n - shift; i += gridDim.x * 32ll) visit(i + shift);
    sum[at] = s;
}

// Each thread has a few elements, blockDim.x apart: control that the block shares. A condition, and a value of before.
template <class T> __global__ void rows_of_block(int *out, const int *in, T n) {
    T b = (T)blockIdx.x * blockDim.x * 4;
    int before = in[threadIdx.x % 16] & 3;
    for (int k = 0; k < 4; k++) {
        T i = b + k * blockDim.x + threadIdx.x;
        if (i < n) out[i] = in[i] * (k + 2) + before;
    }
}

static int wrong;
static int *slot;
static unsigned *sum;
static unsigned char *ones;

template <class T> void check_walk(T n, T shift, int grid, int block) {
    std::vector<int> want(997);
    std::vector<unsigned> sums(grid * block);
    for (int t = 0; t < grid * block; t++)
        for (T i = shift + (T)(unsigned)t; i < n; i = (T)(i + (T)(unsigned)(grid * block))) want[SLOT(i)]++, sums[t] += (unsigned)i * 3 + 1;
    for (int k = 0; k < 997; k++) slot[k] = 0;
    walk<T><<<grid, block>>>(slot, sum, n, shift, ones);
    if (cudaDeviceSynchronize()) wrong++;
    for (int k = 0; k < 997; k++) wrong += slot[k] != want[k];
    for (int t = 0; t < grid * block; t++) wrong += sum[t] != sums[t];
}

template <class T> void check_grid(T n, dim3 g, dim3 b) {
    unsigned row = g.x * b.x, rows = g.y * b.y;
    std::vector<int> want(997);
    for (int k = 0; k < 997; k++) slot[k] = 0;
    grid<T><<<g, b>>>(slot, sum, n, ones);
    if (cudaDeviceSynchronize()) wrong++;
    for (unsigned y = 0; y < rows; y++)
        for (unsigned x = 0; x < row; x++) {
            unsigned s = y % b.y, odd = 1;
            for (T i = x; i < n; i += row) {
                want[SLOT(i)]++, s += (unsigned)i * 3 + 1;
                if (i & 1) odd = odd * 5 + s;
            }
            wrong += sum[y * row + x] != (s ^ odd);
        }
    for (int k = 0; k < 997; k++) wrong += slot[k] != want[k];
}

template <int FORM> void check_spelled(long long n, long long shift, int grid, int block) {
    int from = FORM == CONSTANT_BLOCK ? 32 : block;
    std::vector<int> want(997);
    for (int k = 0; k < 997; k++) slot[k] = 0;
    spelled<FORM><<<grid, block>>>(slot, sum, n, shift);
    if (cudaDeviceSynchronize()) wrong++;
    for (int b = 0; b < grid; b++)
        for (int t = 0; t < block; t++) {
            unsigned s = 0;
            for (long long i = shift + b * from + t; i < n; i += grid * from) want[SLOT(i)]++, s += (unsigned)i * 3;
            wrong += sum[b * block + t] != s;
        }
    for (int k = 0; k < 997; k++) wrong += slot[k] != want[k];
    if constexpr (FORM + 1 < FORMS) check_spelled<FORM + 1>(n, shift, grid, block);
}

template <class T> void check_rows(int *out, const int *in, int n, int block) {
    for (int k = 0; k < n; k++) out[k] = -1;
    rows_of_block<T><<<(n + 4 * block - 1) / (4 * block), block>>>(out, in, (T)n);
    cudaDeviceSynchronize();
    for (int k = 0; k < n; k++) {
        int r = k % (4 * block), before = in[r % block % 16] & 3;
        wrong += out[k] != in[k] * (r / block + 2) + before;
    }
}

template <class T> void check_leap(T n, T shift, T step) {
    leap<T><<<1, 50>>>(sum, n, shift, step, ones);
    if (cudaDeviceSynchronize()) wrong++;
    for (unsigned t = 0; t < 50; t++) {
        unsigned s = 0;
        for (T i = (T)((unsigned)shift + t); i < n; i = (T)((unsigned)i + (unsigned)step)) s += (unsigned)i * 3 + 1;
        wrong += sum[t] != s;
    }
}

template <class T> void check_type(T most) {
    static const int shapes[][2] = {{1, 1}, {1, 33}, {3, 70}, {2, 256}, {5, 1}, {1, 1000}};
    for (auto &s : shapes)
        for (int n : {-5, 0, 1, 31, 32, 33, 1000, 4099}) {
            check_walk<T>((T)n < (T)5000 ? (T)n : (T)3, 0, s[0], s[1]);
            check_walk<T>((T)n < (T)5000 ? (T)n : (T)3, 7, s[0], s[1]);
            check_grid<T>((T)n < (T)5000 ? (T)n : (T)3, s[0], s[1]);
            if (n > 0) check_walk<T>(most - 9000 + n, most - 9003, s[0], s[1]); /* no sum wraps */
        }
}

int main() {
    const int n = 3001;
    int *in, *out;
    cudaMallocManaged(&slot, 997 * sizeof(int));
    cudaMallocManaged(&sum, 4096 * sizeof(unsigned));
    cudaMallocManaged(&ones, 256);
    for (int k = 0; k < 256; k++) ones[k] = 1;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    check_type<int>(INT_MAX);
    check_type<unsigned>(UINT_MAX);
    check_type<long long>(LLONG_MAX);
    check_type<size_t>(SIZE_MAX);
    for (int n : {-5, 1, 100, 3999, 4001, 30000})
        for (dim3 g : {dim3(40), dim3(7, 2), dim3(129)})
            for (dim3 b : {dim3(16), dim3(5, 3), dim3(31)}) check_grid<int>(n, g, b);
    for (int n : {-5, 0, 1, 31, 1000, 4099})
        for (dim3 g : {dim3(1, 33), dim3(3, 70), dim3(2, 256), dim3(5, 1), dim3(9, 32)}) {
            check_spelled<0>(n, 0, g.x, g.y);
            check_spelled<0>(INT_MAX - 9000 + n, INT_MAX - 9003, g.x, g.y);
        }
    check_leap<unsigned>(0xe0000000u, 5, 0x60000000u);
    check_leap<unsigned>(0xe0000000u, 0xffffffe0u, 0x60000000u); /* the block begins around the end of the type */
    check_leap<int>(0x60000000, 5, 0x50000000);
    check_leap<int>(2000, 100, -0x50000000);
    check_leap<int>(0x60000000, 0x5ffffff0, 0x20000000);
    for (int k = 0; k < n; k++) in[k] = k * 5 % 113, out[k] = 0;
    for (int block : {16, 33, 64, 256})
        for (int size : {1, 500, 1024, n}) {
            check_rows<int>(out, in, size, block);
            check_rows<unsigned>(out, in, size, block);
            check_rows<size_t>(out, in, size, block);
        }
    for (int k = 0; k < n; k++) out[k] = 0;
    inner<<<1, 100>>>(in, out, sum, n);
    cudaDeviceSynchronize();
    for (int t = 0; t < 100; t++) {
        unsigned s = 0, most = 0;
        for (int i = t; i < n; i += 100) {
            if (in[i] % 3 == 0) continue;
            int v = in[i];
            for (int k = 0; k < v % 5; k++) v = v * 7 + k;
            wrong += out[i] != v;
            s += v;
            if ((unsigned)v > most) most = v;
        }
        wrong += (sum[2 * t] != s) + (sum[2 * t + 1] != most);
    }
    for (int k = 0; k < n; k++) out[k] = 0;
    columns<<<7, dim3(30, 3)>>>(out, n);
    cudaDeviceSynchronize();
    for (int k = 0; k < n; k++) wrong += out[k] != 6;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
}
