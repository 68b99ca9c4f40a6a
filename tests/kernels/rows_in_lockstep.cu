// Rows of threads that go through a loop together: what they load once for all, tests of rows and columns at the border
// of the grid, loops and branches that rows do not share.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=unroll_and_jam %s -o %t.apart && %t.apart; }
// RUN: %also { %cucpu --disable=version_interior_blocks,wide_rows %s -o %t.plain && %t.plain; }
#include "check.h"
#include <climits>

#define SIDES static __host__ __device__ inline
enum { MOST = 96 * 96 * 8 };
struct Place {
    int x, y, z;
};

// The thread's code; the host runs it for all threads in turn.
SIDES void product(Place p, const int *a, const int *b, int *out, int n, int) {
    if (p.y >= n || p.x >= n) return;
    int s = 0;
    for (int k = 0; k < n; k++) s += a[p.y * n + k] * b[k * n + p.x];
    out[p.y * n + p.x] = s;
}
SIDES void product_unsigned(Place p, const int *a, const int *b, int *out, int n, int) {
    size_t x = (unsigned)p.x, y = (unsigned)p.y, m = (unsigned)n;
    if (x < m && y < m) {
        int s = a[y];
        for (size_t k = 0; k < m; k++) s += a[y * m + k] * b[k * m + x];
        out[y * m + x] = s;
    }
}
SIDES void planes(Place p, const int *a, const int *, int *out, int n, int m) {
    if (p.x == 0 || p.y == 0 || p.x >= n - 1 || p.y >= n - 1) return;
    int at = (n + p.y) * n + p.x, plane = n * n, below = a[at - plane], here = a[at];
    for (int z = 1; z < m - 1; z++, at += plane) {
        int above = a[at + plane];
        out[at] = below + above + a[at - 1] + a[at + 1] + a[at - n] + a[at + n] - 6 * here;
        below = here, here = above;
    }
}
SIDES void filter(Place p, const int *a, const int *b, int *out, int n, int m) {
    if (p.y - m < 0 || p.y + m >= n || p.x >= n || p.z != 0) return;
    int s = 0;
    for (int k = -m; k <= m; k++) s = s * 3 + b[k + m] * a[(p.y + k) * n + p.x];
    out[p.y * n + p.x] = s;
}
// Turns and branches by row, by column, by what was loaded.
SIDES void ragged(Place p, const int *a, const int *b, int *out, int n, int m) {
    if (p.y >= n || p.x >= n) return;
    int s = 0;
    for (int k = 0; k < n; k++) {
        int v = b[k * n + p.x];
        if (k > p.y) s += v;
        if (v == m) break;
        if (a[k] > 3 && p.x % 3 == 1) s = s * 5 + v;
    }
    for (int k = 0; k < p.y; k++) s ^= b[k * n + p.x];
    out[p.y * n + p.x] = s;
}
// Rows whose places wrap around: y counts up to INT_MAX and on from INT_MIN.
SIDES void wraps(Place p, const int *a, const int *b, int *out, int n, int m) {
    int y = (int)((unsigned)p.y + (unsigned)m);
    if (y < 0 || p.x >= n || p.y >= n) return;
    int s = 1;
    for (int k = 0; k < n; k++) s += a[p.y] * b[k * n + p.x];
    out[p.y * n + p.x] = s;
}
// Each row writes what it loads again itself; a column is one thread's.
SIDES void own_column(Place p, const int *, const int *b, int *out, int n, int m) {
    if (p.x >= n || p.y >= m) return;
    for (int k = 1; k < n; k++) {
        int *o = out + p.y * n * n + k * n + p.x;
        *o = o[-n] + b[k * n + p.x] + p.y;
    }
}

#define KERNEL(name)                                                                                                   \
    __global__ void name##_kernel(const int *a, const int *b, int *out, int n, int m) {                                \
        name(Place{(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(blockIdx.y * blockDim.y + threadIdx.y),         \
                   (int)(blockIdx.z * blockDim.z + threadIdx.z)}, a, b, out, n, m);                                    \
    }
KERNEL(product) KERNEL(product_unsigned) KERNEL(planes) KERNEL(filter) KERNEL(ragged) KERNEL(wraps) KERNEL(own_column)

typedef void Thread(Place, const int *, const int *, int *, int, int);
typedef void Kernel(const int *, const int *, int *, int, int);
static int *a, *b, *out;
static std::vector<int> expected(MOST);

static void check(const char *what, Kernel *kernel, Thread *thread, dim3 block, int n, int m) {
    dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    for (int i = 0; i < MOST; i++) out[i] = expected[i] = i % 11;
    for (int z = 0; z < (int)block.z; z++)
        for (int y = 0; y < (int)(grid.y * block.y); y++)
            for (int x = 0; x < (int)(grid.x * block.x); x++) thread(Place{x, y, z}, a, b, expected.data(), n, m);
    kernel<<<grid, block>>>(a, b, out, n, m);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < MOST; i++)
        if (out[i] != expected[i] && failures++ < 20)
            std::printf("%s of %d, %d, blocks of %ux%ux%u [%d]: %d, expected %d\n", what, n, m, block.x, block.y, block.z, i, out[i], expected[i]);
}

int main() {
    CUDA(cudaMallocManaged(&a, MOST * sizeof *a));
    CUDA(cudaMallocManaged(&b, MOST * sizeof *b));
    CUDA(cudaMallocManaged(&out, MOST * sizeof *out));
    for (int i = 0; i < MOST; i++) a[i] = i * 7 % 13 - 5, b[i] = i * 11 % 17 - 6;
    for (dim3 block : {dim3(32, 4), dim3(16, 16), dim3(32, 8), dim3(16, 3, 2), dim3(33, 5), dim3(8, 8), dim3(64, 1), dim3(64, 7)})
        for (int n : {1, 17, 32, 50, 64, 96}) {
            if (n * block.z > 96) continue;
#define CHECK_ALL(name, m) check(#name, name##_kernel, name, block, n, m)
            CHECK_ALL(product, 0), CHECK_ALL(product_unsigned, 0), CHECK_ALL(planes, 8);
            CHECK_ALL(filter, 1), CHECK_ALL(filter, 5), CHECK_ALL(ragged, 40), CHECK_ALL(ragged, 7), CHECK_ALL(own_column, 8);
            CHECK_ALL(wraps, INT_MAX - 20), CHECK_ALL(wraps, INT_MAX - 15), CHECK_ALL(wraps, -5), CHECK_ALL(wraps, 0);
        }
    return finish();
}
