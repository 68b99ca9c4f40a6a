// Neighbours at places that are clamped to the image, go round its border or stop at zero: signed and unsigned, 32 and 64
// bits, images narrower than a group, radii known and not, clamps within clamps, places next to the ends of the type, under a
// test, in loops, with values that go on behind them, in bytes.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --disable=split_clamps %s -o %t.off && %run %t.off
// RUN: %cucpu -O3 --disable=copy_unmasked %s -o %t.masked && %run %t.masked
// RUN: for cpu in x86-64-v2 x86-64-v3; do %cucpu -O3 --cpu=$cpu %s -o %t.$cpu && %run %t.$cpu || exit 1; done
// RUN: %cucpu -O3 -Rcucpu --cpu=x86-64-v4 %s -o %t.r 2>&1 | FileCheck %s
// CHECK: _Z4meanPKiPiii: 16 lanes; memory: 0 uniform, {{1[0-9]}} contiguous
#include <climits>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { TABLE = 256 };
template <class T> __host__ __device__ T least(T a, T b) { return a < b ? a : b; }
template <class T> __host__ __device__ T most(T a, T b) { return a > b ? a : b; }

__host__ __device__ int mean_at(const int *in, int x, int y, int w, int h) {
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += (dx + 2) * in[least(most(y + dy, 0), h - 1) * w + least(most(x + dx, 0), w - 1)];
    return sum;
}
__global__ void mean(const int *in, int *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = mean_at(in, x, y, w, h);
}
/* The border goes round; the neighbour two to the left stops at zero. */
__host__ __device__ int round_at(const int *in, unsigned x, int y, unsigned w) {
    unsigned left = x == 0 ? w - 1 : x - 1, right = x + 1 == w ? 0 : x + 1, far = x < 2 ? 0 : x - 2;
    int last = (int)x < (int)w - 1 ? x + 1 : x;
    return in[y * w + left] + 3 * in[y * w + right] + 5 * in[y * w + far] + 7 * in[y * w + last];
}
__global__ void rounds(const int *in, int *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = round_at(in, x, y, w);
}
/* A radius that nobody knows, bytes, a value that goes on behind the loop, half of the threads do nothing. */
__host__ __device__ int radius_at(const unsigned char *in, int x, int y, int w, int r) {
    int sum = 0, last = -1;
    for (int d = -r; d <= r; d++) {
        last = least(most(x + d, 0), w - 1);
        if (in[y * w + last] & 1) sum += in[y * w + last] * (d + 9);
    }
    return sum * 4096 + last;
}
__global__ void radii(const unsigned char *in, int *out, int w, int h, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h && (in[y * w + x] & 2)) out[y * w + x] = radius_at(in, x, y, w, r);
}
/* Places near the ends of the type, which wrap on their way along the lanes. */
template <class T> struct Span { T start, low, high; };
template <class T> __host__ __device__ int ends_at(const int *table, Span<T> s, int i) {
    typedef unsigned long long U;
    T x = (T)((U)s.start + (U)i), y = least(most(x, s.low), s.high), z = most(least(x, s.high), s.low);
    return table[(U)y % TABLE] + 3 * table[(U)z % TABLE] + 5 * table[((U)y - (U)s.start) % TABLE];
}
template <class T> __global__ void ends(const int *table, int *out, Span<T> s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ends_at(table, s, i);
}

static int bad;
static void compare(const char *name, const int *a, const int *b, int n, int w, int h) {
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) {
            if (bad++ < 20) printf("%s %d x %d: element %d is %d instead of %d\n", name, w, h, i, a[i], b[i]);
            return;
        }
}
static void image(int w, int h, dim3 block) {
    int n = w * h, *in, *out, *want = new int[n];
    unsigned char *bytes;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&bytes, n);
    for (int i = 0; i < n; i++) in[i] = i * 7919 % 1009, bytes[i] = (unsigned char)(i * 31 + i / 7);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    mean<<<grid, block>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) want[i] = mean_at(in, i % w, i / w, w, h);
    compare("mean", out, want, n, w, h);
    rounds<<<grid, block>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) want[i] = round_at(in, i % w, i / w, w);
    if (w > 1) compare("rounds", out, want, n, w, h);
    for (int r = 0; r < 6; r += 5) {
        memset(out, 0, n * sizeof(int));
        radii<<<grid, block>>>(bytes, out, w, h, r);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) want[i] = bytes[i] & 2 ? radius_at(bytes, i % w, i / w, w, r) : 0;
        compare("radii", out, want, n, w, h);
    }
    cudaFree(in), cudaFree(out), cudaFree(bytes);
    delete[] want;
}
template <class T> static void numbers(const char *name, T start, T low, T high) {
    const int n = 300;
    int *table, *out, want[n];
    cudaMallocManaged(&table, TABLE * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < TABLE; i++) table[i] = i * i + 1;
    Span<T> s = {start, low, high};
    for (int i = 0; i < n; i++) want[i] = ends_at(table, s, i);
    for (int b = 32; b <= 128; b += 48) {
        ends<T><<<(n + b - 1) / b, b>>>(table, out, s, n);
        cudaDeviceSynchronize();
        compare(name, out, want, n, b, 1);
    }
    cudaFree(table), cudaFree(out);
}
int main() {
    static const int sizes[][2] = {{1, 1}, {1, 5}, {2, 3}, {7, 9}, {16, 16}, {31, 4}, {33, 5}, {64, 64}, {100, 37}, {257, 3}};
    for (auto &s : sizes) {
        image(s[0], s[1], dim3(16, 16));
        image(s[0], s[1], dim3(32, 8));
        image(s[0], s[1], dim3(64));
        image(s[0], s[1], dim3(10, 3));
    }
    numbers<int>("int", INT_MAX - 100, 0, INT_MAX - 50);
    numbers<int>("int", INT_MAX - 100, INT_MIN + 20, INT_MAX);
    numbers<int>("int", -20, 0, 200);
    numbers<unsigned>("unsigned", UINT_MAX - 100, 10, UINT_MAX - 20);
    numbers<unsigned>("unsigned", 0, 17, 129);
    numbers<long long>("long long", LLONG_MAX - 64, -5, LLONG_MAX - 10);
    numbers<long long>("long long", -40, 0, 40);
    numbers<unsigned long long>("unsigned long long", ULLONG_MAX - 90, 5, ULLONG_MAX - 33);
    numbers<short>("short", 32700, -100, 32750);
    puts(bad ? "bad" : "ok");
    return bad != 0;
}
