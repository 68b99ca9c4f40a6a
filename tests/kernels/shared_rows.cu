// Stencils whose rows share loads: access groups of rows in lockstep, at borders, under masks, in loops, with writes between
// the loads, through pointers that may alias.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --cpu=x86-64-v3 --simd=8 %s -o %t.v3 && %t.v3
// RUN: %also { %cucpu --disable=access_groups %s -o %t.apart && %t.apart; }
// RUN: %also { %cucpu --disable=version_interior_blocks,version_all_active,wide_rows %s -o %t.masks && %t.masks; }
#include "check.h"

enum { N = 70, ALL = N * N * 4 };
#define BOTH static __host__ __device__ inline
typedef const int *In;
#define INDEX int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

BOTH int nine(In a, int n, int x, int y) {
    int s = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) s = s * 3 + a[(y + i) * n + x + j];
    return s;
}
BOTH int by_pitch(In a, int n, int x, int y) { /* idx - n, idx + n */
    int at = y * n + x;
    return a[at - n] * 5 - a[at] * 7 + a[at + n] * 11 + a[at - 1] + a[at + 1] * 2;
}
BOTH int by_pointers(In a, int n, int x, int y) {
    In row = a + (size_t)y * n + x, up = row - n, down = row + n;
    return up[0] * 3 + up[1] + row[0] * 5 - row[-1] + down[0] * 7 + down[-1];
}
BOTH int wide(In a, int n, int x, int y) { /* rows two and three apart */
    return a[(y - 2) * n + x] + 3 * a[y * n + x] - a[(y + 3) * n + x + 2] + 2 * a[(y + 1) * n + x];
}
BOTH int clamped(In a, int n, int x, int y) {
    int up = y > 0 ? y - 1 : 0, down = y < n - 1 ? y + 1 : n - 1;
    return a[up * n + x] + 3 * a[y * n + x] + 9 * a[down * n + x];
}
BOTH int in_loop(In a, int n, int x, int y) {
    int s = 0;
    for (int k = 0; k < 3; k++) s = s * 2 + a[(y - 1) * n + x + k] + a[y * n + x + k] * 3 + a[(y + 1) * n + x + k];
    return s;
}
BOTH int padded(In a, int n, int x, int y) { /* rows longer by a border */
    int s = 0, pitch = n + 2 * 2;
    for (int i = -1; i <= 1; i++) s = s * 3 + a[(y + i) * pitch + x] + a[(y + i) * pitch + x + 1] * 7;
    return s;
}
BOTH int twice_padded(In a, int n, int x, int y) { /* a product of two sums of what rows share */
    int s = 0;
    for (int i = 0; i <= 2; i++) s = s * 5 + a[(y + i) * (n + x / 1000 + 1) + x] + a[(2 * y + i) * (n - 3) + x];
    return s;
}

#define KERNEL(f)                                                                                                      \
    __global__ void f##_inner(int *__restrict__ o, const int *__restrict__ a, int n) {                                 \
        INDEX;                                                                                                         \
        if (x >= 3 && x < n - 3 && y >= 3 && y < n - 3) o[y * n + x] = f(a, n, x, y);                                  \
    }                                                                                                                  \
    __global__ void f##_all(int *o, const int *a, int n) {                                                             \
        INDEX;                                                                                                         \
        o[(y + 3) * n + x + 3] = f(a, n, x + 3, y + 3);                                                                \
    }
KERNEL(nine) KERNEL(by_pitch) KERNEL(by_pointers) KERNEL(wide) KERNEL(clamped) KERNEL(in_loop) KERNEL(padded) KERNEL(twice_padded)

// each thread writes between its loads, to memory that it reads afterwards
__global__ void written(int *o, int *a, int n) {
    int x = threadIdx.x, y = threadIdx.y;
    int *own = a + 2 * y * n + x, v = own[0] + own[2 * n];
    own[0] = v + 1;
    own[n] = v * 3;
    o[y * n + x] = v + own[0] * 5 + own[n] * 7;
}
// lanes are left out by what other lanes do not share
__global__ void some(int *__restrict__ o, const int *__restrict__ a, const int *__restrict__ which, int n) {
    INDEX;
    if (which[x] & 1) o[y * n + x] = a[y * n + x] + a[(y + 1) * n + x] * 3 + a[(y + 2) * n + x] * 5;
}

static int *o, *a, *expected;

static int differ(const char *what) {
    int bad = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < ALL; i++) bad += o[i] != expected[i];
    if (bad) printf("%s: %d bad\n", what, bad);
    return bad;
}

template <class F, class K> static int check(const char *what, F f, K inner, K all) {
    int bad = 0;
    const dim3 blocks[] = {{32, 8}, {16, 16}, {8, 4}, {64, 2}, {32, 6}, {20, 5}, {64, 16}};
    for (dim3 b : blocks) {
        for (int i = 0; i < ALL; i++) o[i] = expected[i] = -1;
        for (int y = 3; y < N - 3; y++)
            for (int x = 3; x < N - 3; x++) expected[y * N + x] = f(a, N, x, y);
        inner<<<dim3((N + b.x - 1) / b.x, (N + b.y - 1) / b.y), b>>>(o, a, N), bad += differ(what);
        dim3 g((N - 6) / b.x, (N - 6) / b.y);
        for (int i = 0; i < ALL; i++) o[i] = expected[i] = -1;
        for (int y = 3; y < 3 + (int)(g.y * b.y); y++)
            for (int x = 3; x < 3 + (int)(g.x * b.x); x++) expected[y * N + x] = f(a, N, x, y);
        if (g.x && g.y) all<<<g, b>>>(o, a, N), bad += differ(what);
    }
    return bad;
}
#define STENCIL(f) check(#f, f, f##_inner, f##_all)

static int others() {
    int bad = 0, *which;
    cudaMallocManaged(&which, N * sizeof *which);
    for (int i = 0; i < N; i++) which[i] = i * 7 / 3;
    for (int i = 0; i < ALL; i++) o[i] = expected[i] = -1;
    some<<<dim3(2, 4), dim3(32, 8)>>>(o, a, which, N);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 64; x++)
            if (which[x] & 1) expected[y * N + x] = a[y * N + x] + a[(y + 1) * N + x] * 3 + a[(y + 2) * N + x] * 5;
    bad += differ("some");
    /* rows 0, 2, 4, ... of threads that run one after the other: each writes what it has read alone */
    for (int i = 0; i < ALL; i++) o[i] = expected[i] = -1;
    written<<<1, dim3(32, 1)>>>(o, a, N);
    cudaDeviceSynchronize();
    for (int x = 0; x < 32; x++) expected[x] = (a[x] - 1) + a[x] * 5 + a[x + N] * 7;
    return bad + differ("written");
}

int main() {
    cudaMallocManaged(&o, ALL * 4), cudaMallocManaged(&a, ALL * 4), expected = new int[ALL];
    for (int i = 0; i < ALL; i++) a[i] = i * 37 % 1009;
    int bad = STENCIL(nine) + STENCIL(by_pitch) + STENCIL(by_pointers) + STENCIL(wide) + STENCIL(clamped) + STENCIL(in_loop);
    bad += STENCIL(padded) + STENCIL(twice_padded) + others();
    printf("%d bad\n", bad);
    return bad != 0;
}
