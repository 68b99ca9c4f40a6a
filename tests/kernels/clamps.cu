// Neighbours at places that are clamped to the image, go round its border or stop at zero: signed and unsigned, 32 and 64
// bits, remainders and masks that go round, images narrower than a group, radii known and not, clamps within clamps, places next to the ends of the type, under a
// test, in loops, with values that go on behind them, in bytes.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 --disable=version_unclamped %s -o %t.v2 && %run %t.v2; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 --disable=version_all_active %s -o %t.v3 && %run %t.v3; }
// RUN: %cucpu -O3 -Rcucpu --cpu=x86-64-v4 -c --stop-after=kernel_table %s -o %t.r 2>&1 | FileCheck %s
// CHECK: mean: vectorized with 16 lanes; memory: 0 uniform, {{1[0-9]}} contiguous
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
/* A torus: neighbours by remainders, rows by a remainder that all lanes share; of a constant size; by masks. */
template <class T> __host__ __device__ int torus_at(const int *in, T x, T y, T w, T h) {
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += (dx + 3 * dy + 5) * in[(y + (T)dy + h) % h * w + (x + (T)dx + w) % w];
    return sum + in[y * w + (x + 1) % w] + 3 * in[(y + 1) % h * w + (x + w - 1) % w];
}
template <class T> __global__ void torus(const int *in, int *out, T w, T h) {
    T x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = torus_at<T>(in, x, y, w, h);
}
template <int W> __host__ __device__ int ring_at(const int *in, int x) {
    return in[(x + 1) % W] + 3 * in[(x + W - 1) % W] + 5 * in[(x + W - 2) % W] + 7 * in[(unsigned)(x - 3 + W) % W];
}
template <int W> __global__ void ring(const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < W) out[x] = ring_at<W>(in, x);
}
__host__ __device__ int mask_at(const int *in, int x, int n) {
    return in[(x + 1) & 127] + 3 * in[(x - 1) & 127] + 5 * in[(x + 64) & 127] + 7 * in[(x + n) % n];
}
__global__ void masks(const int *in, int *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n) out[x] = mask_at(in, x, n);
}
/* Sums that are negative, go round more than once, or beyond the end of the type; numbers of no sense. */
template <class T> __host__ __device__ int odd_at(const int *table, T start, T by, int i) {
    typedef unsigned long long U;
    T x = (T)((U)start + (U)i), y = (T)((U)x + (U)by) % by, z = x % by;
    return table[(U)y % 256] + 3 * table[(U)z % 256];
}
template <class T> __global__ void odds(const int *table, int *out, T start, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = odd_at<T>(table, start, by, i);
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
    torus<int><<<grid, block>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) want[i] = torus_at<int>(in, i % w, i / w, w, h);
    compare("torus int", out, want, n, w, h);
    torus<unsigned><<<grid, block>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) want[i] = torus_at<unsigned>(in, i % w, i / w, w, h);
    if (w > 1 && h > 1) compare("torus unsigned", out, want, n, w, h);
    torus<long long><<<grid, block>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) want[i] = torus_at<long long>(in, i % w, i / w, w, h);
    compare("torus long long", out, want, n, w, h);
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
template <int W> static void rings() {
    int *in, *out, want[W];
    cudaMallocManaged(&in, W * sizeof(int));
    cudaMallocManaged(&out, W * sizeof(int));
    for (int i = 0; i < W; i++) in[i] = i * i % 251 + 1;
    for (int i = 0; i < W; i++) want[i] = ring_at<W>(in, i);
    ring<W><<<(W + 63) / 64, 64>>>(in, out);
    cudaDeviceSynchronize();
    compare("ring", out, want, W, W, 1);
    for (int n = 1; W == 128 && n <= 128; n = n * 2 + 1) {
        for (int i = 0; i < n; i++) want[i] = mask_at(in, i, n);
        masks<<<2, 64>>>(in, out, n);
        cudaDeviceSynchronize();
        compare("masks", out, want, n, n, 1);
    }
    cudaFree(in), cudaFree(out);
}
template <class T> static void odd_numbers(const char *name, T start, T by) {
    const int n = 200;
    int *table, *out, want[n];
    cudaMallocManaged(&table, 256 * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < 256; i++) table[i] = i * i + 1;
    for (int i = 0; i < n; i++) want[i] = odd_at<T>(table, start, by, i);
    odds<T><<<(n + 63) / 64, 64>>>(table, out, start, by, n);
    cudaDeviceSynchronize();
    compare(name, out, want, n, 64, 1);
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
    rings<128>(), rings<100>(), rings<7>(), rings<37>();
    static const int steps[] = {1, 3, 17, 64, 100, 199, 1000, -3, -64, INT_MAX, INT_MIN};
    for (int by : steps) {
        static const int starts[] = {0, 1, -5, -100, -250, 64, 99, 500, INT_MAX - 80, INT_MIN + 2};
        for (int start : starts) {
            if ((long long)start + 200 + by <= INT_MAX && (long long)start + by >= INT_MIN && start < INT_MAX - 200) odd_numbers<int>("odd int", start, by);
            odd_numbers<unsigned>("odd unsigned", start, by);
            odd_numbers<long long>("odd long long", start, by);
            odd_numbers<unsigned long long>("odd unsigned long long", start, by);
        }
    }
    puts(bad ? "bad" : "ok");
    return bad != 0;
}
