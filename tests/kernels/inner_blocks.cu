// Kernels with barriers in blocks inside the grid, at its border, and where sums of indices wrap around.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O2 --disable=version_interior_blocks %s -o %t.plain && %t.plain; }
// RUN: %also { %cucpu -O3 --disable=promote_shared %s -o %t.memory && %t.memory; }
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

static int failures;

static void compare(const char *what, int n, const int *got, const std::vector<int> &expected) {
    if (cudaDeviceSynchronize() != cudaSuccess && failures++ < 10) printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    for (size_t i = 0; i < expected.size(); i++)
        if (got[i] != expected[i] && failures++ < 10) printf("%s of %d [%zu]: %d, expected %d\n", what, n, i, got[i], expected[i]);
}

// One dimension, halo of two, several steps.
__global__ void line(const int *in, int *out, int n, int steps) {
    __shared__ int s[32], r[32];
    int x = threadIdx.x, i = blockIdx.x * 28 + x - 2;
    bool valid = i >= 0 && i < n;
    if (valid) s[x] = in[i];
    __syncthreads();
    int left = i > 0 ? x - 1 : x, right = i < n - 1 ? x + 1 : x;
    for (int k = 0; k < steps; k++) {
        bool in_step = valid && x > k && x < 31 - k;
        if (in_step) r[x] = s[left] + s[x] + s[right];
        __syncthreads();
        if (in_step) s[x] = r[x];
        __syncthreads();
    }
    if (valid && x >= 2 && x < 30) out[i] = s[x];
}

static std::vector<int> line_reference(const int *in, int n, int steps) {
    std::vector<int> s(in, in + n), r(n);
    for (int k = 0; k < steps; k++, s = r)
        for (int i = 0; i < n; i++) r[i] = s[i > 0 ? i - 1 : 0] + s[i] + s[i < n - 1 ? i + 1 : i];
    return s;
}

// Two dimensions, tested in several ways: && of comparisons, unsigned, ||, ==.
__global__ void plane(const int *in, int *out, int w, int h) {
    __shared__ int s[10][18];
    int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x - 1, gy = blockIdx.y * 8 + y - 1;
    s[y][x] = (unsigned)gx < (unsigned)w && gy >= 0 && !(gy >= h) ? in[gy * w + gx] : 0;
    __syncthreads();
    if (x == 0 || x == 17 || y == 0 || y == 9 || gx >= w || gy >= h) return;
    int v = s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x];
    if (gx == 0 || gx == w - 1) v += 1000;
    out[gy * w + gx] = v;
}

static std::vector<int> plane_reference(const int *in, int w, int h) {
    std::vector<int> out(w * h);
    auto at = [&](int x, int y) { return x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            out[y * w + x] = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) + (x == 0 || x == w - 1 ? 1000 : 0);
    return out;
}

// The same with the border repeated: clamped places, one clamp within another, and a sum between the two.
__global__ void repeated(const int *in, int *out, int w, int h) {
    __shared__ int s[10][18];
    int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x - 1, gy = blockIdx.y * 8 + y - 1;
    int cx = min(max(gx, 0), w - 1), cy = max(min(gy, h - 1), 0), far = min(max(gx, -2) + 3, w - 1);
    s[y][x] = in[cy * w + cx] + 5 * in[cy * w + far];
    __syncthreads();
    if (x == 0 || x == 17 || y == 0 || y == 9 || gx >= w || gy >= h) return;
    out[gy * w + gx] = s[y][x - 1] + 2 * s[y][x + 1] + 3 * s[y - 1][x] + 4 * s[y + 1][x];
}

static std::vector<int> repeated_reference(const int *in, int w, int h) {
    std::vector<int> out(w * h);
    auto clamp = [](int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; };
    auto at = [&](int x, int y) { return in[clamp(y, h) * w + clamp(x, w)] + 5 * in[clamp(y, h) * w + (x + 3 < w ? x + 3 : w - 1)]; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) out[y * w + x] = at(x - 1, y) + 2 * at(x + 1, y) + 3 * at(x, y - 1) + 4 * at(x, y + 1);
    return out;
}

// Clamped places that wrap around within the block.
__global__ void clamped(int *out, int base, unsigned ubase, long long lbase, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = (int)((unsigned)base + blockIdx.x * 64 + t);
    unsigned u = ubase + blockIdx.x * 64 + t;
    long long l = (long long)((unsigned long long)lbase + blockIdx.x * 64ull + t);
    s[t] = (int)((unsigned)max(i, -5) + 3u * (unsigned)min(i, n) + 5u * min(u, 1000u) + 7u * max(u, 70u) + 11u * (unsigned)min(l, 17ll) + 13u * (unsigned)max(l, (long long)n));
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}

static std::vector<int> clamped_reference(int base, unsigned ubase, long long lbase, int n) {
    std::vector<int> out(3 * 64);
    for (int k = 0; k < 3 * 64; k++) {
        unsigned off = k / 64 * 64 + 63 - k % 64, u = ubase + off;
        int i = (int)((unsigned)base + off);
        long long l = (long long)((unsigned long long)lbase + off);
        unsigned a = i > -5 ? i : -5, b = i < n ? i : n, c = u < 1000u ? u : 1000u, d = u > 70u ? u : 70u, e = (unsigned)(l < 17 ? l : 17), f = (unsigned)(l > n ? l : n);
        out[k] = (int)(a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f);
    }
    return out;
}

// Sums that wrap around within the block: signed, unsigned, and in 64 bits.
__global__ void wraps(int *out, int base, unsigned ubase, long long lbase, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, i = (int)((unsigned)base + blockIdx.x * 64 + t);
    unsigned u = ubase + blockIdx.x * 64 + t;
    long long l = (long long)((unsigned long long)lbase + blockIdx.x * 64ull + t);
    s[t] = (i < n) + 2 * (i > -5) + 4 * (u < 1000u) + 8 * (u >= 70u) + 16 * (l < n) + 32 * (l != 17) + 64 * (-i + 3 < n);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}

static std::vector<int> wraps_reference(int base, unsigned ubase, long long lbase, int n) {
    std::vector<int> out(3 * 64);
    for (int k = 0; k < 3 * 64; k++) {
        unsigned off = k / 64 * 64 + 63 - k % 64, u = ubase + off;
        int i = (int)((unsigned)base + off), m = (int)(0u - (unsigned)i + 3u);
        long long l = (long long)((unsigned long long)lbase + off);
        out[k] = (i < n) + 2 * (i > -5) + 4 * (u < 1000u) + 8 * (u >= 70u) + 16 * (l < n) + 32 * (l != 17) + 64 * (m < n);
    }
    return out;
}

// Bounds within the block that the block selects: from both sides, as selects, minima, of sums that wrap around.
__global__ void selected(const int *in, int *out, int n, int shift) {
    __shared__ int s[32];
    int x = threadIdx.x, start = (int)((unsigned)blockIdx.x * 28u - 2u + (unsigned)shift), last = start + 31;
    int from = start < 0 ? -start : 0, to = last > n - 1 ? 31 - (last - n + 1) : 31, low = -min(start, 0), high = min(31, n - 1 - start);
    bool inside = x >= from && x <= to;
    s[x] = inside ? in[start + x] : 0;
    __syncthreads();
    int left = x - 1 < from ? from : x - 1, right = x + 1 > to ? to : x + 1;
    if (inside && x >= 2 && x < 30) out[start + x] = s[left] + 2 * s[right] + (x == low) * 4 + (x == high) * 8;
}

static std::vector<int> selected_reference(const int *in, int n, int shift) {
    std::vector<int> out(n, -1);
    for (int b = 0; b < 4; b++)
        for (int x = 2; x < 30; x++) {
            int start = b * 28 - 2 + shift, i = start + x;
            if (i < 0 || i >= n) continue;
            int l = x > 0 && i > 0 ? i - 1 : i, r = i < n - 1 ? i + 1 : i;
            int low = start < 0 ? -start : 0, high = n - 1 - start < 31 ? n - 1 - start : 31;
            out[i] = in[l] + 2 * in[r] + (x == low) * 4 + (x == high) * 8;
        }
    return out;
}

// Early return of whole threads in front of a barrier, and a structure as parameter.
struct Box { int from, to; };
__global__ void boxed(const int *in, int *out, Box box) {
    __shared__ int s[64];
    int t = threadIdx.x, i = box.from + blockIdx.x * 64 + t;
    if (i >= box.to) return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t & ~1] * 2 + (i + 1 < box.to || (t & 1) ? 1 : 0);
}

int main() {
    enum { MOST = 64 * 40 };
    int *in, *out;
    cudaMallocManaged(&in, MOST * sizeof(int));
    cudaMallocManaged(&out, MOST * sizeof(int));
    for (int i = 0; i < MOST; i++) in[i] = i * 7919 % 1000 - 300;
    for (int n : {1, 27, 28, 29, 60, 300}) {
        line<<<(n + 27) / 28, 32>>>(in, out, n, 2);
        compare("line", n, out, line_reference(in, n, 2));
    }
    for (int n : {1, 20, 28, 29, 57, 100})
        for (int shift : {0, -28, -40, 3, INT_MIN + 10}) {
            memset(out, 255, n * sizeof(int));
            selected<<<4, 32>>>(in, out, n, shift);
            if (shift > INT_MIN + 10) compare("selected", n, out, selected_reference(in, n, shift));
        }
    for (int w : {1, 16, 17, 64})
        for (int h : {1, 8, 30}) {
            plane<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(18, 10)>>>(in, out, w, h);
            compare("plane", w, out, plane_reference(in, w, h));
            repeated<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(18, 10)>>>(in, out, w, h);
            compare("repeated", w, out, repeated_reference(in, w, h));
        }
    for (int base : {0, -100, INT_MAX - 20, INT_MIN, -64})
        for (unsigned ubase : {0u, 64u, 5000u, UINT_MAX - 100})
            for (long long lbase : {0ll, LLONG_MAX - 70, -90ll}) {
                wraps<<<3, 64>>>(out, base, ubase, lbase, 100);
                compare("wraps", base, out, wraps_reference(base, ubase, lbase, 100));
                clamped<<<3, 64>>>(out, base, ubase, lbase, 100);
                compare("clamped", base, out, clamped_reference(base, ubase, lbase, 100));
            }
    for (int n : {64, 100, 192}) {
        memset(out, 0, MOST * sizeof(int));
        boxed<<<3, 64>>>(in, out, Box{5, 5 + n});
        std::vector<int> expected(5 + 192 + 1);
        for (int i = 5; i < 5 + n; i++) {
            int t = (i - 5) % 64;
            expected[i] = in[i - (t & 1)] * 2 + (i + 1 < 5 + n || (t & 1));
        }
        compare("boxed", n, out, expected);
    }
    printf("%d failures\n", failures);
    return failures != 0;
}
