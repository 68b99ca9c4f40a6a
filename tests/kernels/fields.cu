// All fields of structures, and parts of them: float4 and its like, 2 to 6 fields, of one size and of several types, behind
// tests, in other orders, in place, stored and loaded in turns, with structures that end at a page that nobody may touch.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=fields %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 --simd=4 %s -o %t.4 && %run %t.4; }
// RUN: %cucpu -O3 -Rcucpu -c --stop-after=kernel_table %s -o %t.r 2>&1 | FileCheck %s
// CHECK: copy<float4{{.*}} lanes; memory: 0 uniform, {{[1-9][0-9]*}} contiguous, 0 strided, 0 gather or scatter, 0 local; 0 lane by lane
// CHECK: update<float4{{.*}} lanes; memory: 0 uniform, 0 contiguous, {{[1-9][0-9]*}} strided, 0 gather or scatter
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>

struct Three { float x, y, z; };
struct Mixed { int a; float b; unsigned c; float d; };
struct Six { double v[6]; };
struct Bytes { unsigned char r, g, b; };

__device__ void change(float4 &v, int i) { float4 o = v; v = make_float4(o.y + i, o.x - 1, o.w * 2, o.z); }
__device__ void change(uchar4 &v, int i) { uchar4 o = v; v = make_uchar4(o.w + i, o.x ^ 3, o.y, o.z - o.x); }
__device__ void change(Three &v, int i) { Three o = v; v = Three{o.z, o.x + i, o.y - o.z}; }
__device__ void change(Mixed &v, int i) { Mixed o = v; v.d = o.b + i, v.c = o.a * 3u, v.b = o.d - o.c, v.a = (int)(o.b * 2); }
__device__ void change(Six &v, int i) { Six o = v; for (int k = 0; k < 6; k++) v.v[k] = o.v[(k + 1) % 6] - i; }
__device__ void change(Bytes &v, int i) { Bytes o = v; v.r = o.b, v.g = o.r + i, v.b = (o.r + o.g) / 2; }

/* All fields alike: with a factor, a pattern, something that they share, one of them as it is. */
struct Point { float x, y, z; int id; };
__device__ void alike(float4 &v, int i, float s) { float4 o = v; v = make_float4(o.x * s + 1, o.y * s + 2, o.z * s + 3, o.w * s + 4); }
__device__ void alike(uchar4 &v, int i, float s) { uchar4 o = v; v = make_uchar4(min(255, o.x * 3 / 2), min(255, o.y * 3 / 2), min(255, o.z * 3 / 2), o.w); }
__device__ void alike(Three &v, int i, float s) { Three o = v; v = Three{s - o.x, s - o.y, s - o.z}; }
__device__ void alike(Point &v, int i, float s) { v.x *= i, v.y *= i, v.z *= i; }
__device__ void alike(Six &v, int i, float s) { for (int k = 0; k < 6; k++) v.v[k] = fmax(v.v[k] * .5, k < 3 ? 1. : s); }
__device__ void alike(Bytes &v, int i, float s) { v.r ^= 5, v.g ^= 6, v.b ^= (unsigned char)s; }
template <class T> __global__ void all_alike(T *data, int n, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) alike(data[i], i, s);
}
template <class T> __global__ void alike_one_by_one(T *data, int n, float s) {
    for (volatile int i = 0; i < n; i++) alike(data[i], i, s);
}
/* In turns: the second array is another one, the same, or so many floats ahead of the first (no structures: to C++ their
** fields would never meet). */
__host__ __device__ void move(float *p, const float *q, int i, float t) {
    p[8 * i] += q[8 * i] * t;
    p[8 * i + 1] += q[8 * i + 1] * t;
    p[8 * i + 2] += q[8 * i + 2] * t;
}
struct Body { float x, y, z, w, vx, vy, vz, m; };
__host__ __device__ void move_own(Body *p, int i, float t) {
    p[i].x += p[i].vx * t;
    p[i].y += p[i].vy * t;
    p[i].vx = p[i].y - p[i].x;
    p[i].vy = p[i].vx + p[i].m;
    p[i].m = p[i].vy;
}
__global__ void moves(float *p, const float *q, float t) { move(p, q, blockIdx.x * blockDim.x + threadIdx.x, t); }
__global__ void moves_own(Body *p, float t) { move_own(p, blockIdx.x * blockDim.x + threadIdx.x, t); }
/* The last structure ends behind its third field. */
__global__ void part_of(const float *in, float *out, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sum[i] = in[4 * i] + in[4 * i + 1] * 2 + in[4 * i + 2] * 3;
    out[4 * i] = sum[i], out[4 * i + 2] = i;
}

template <class T> __global__ void copy(const T *__restrict__ in, T *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
template <class T> __global__ void update(T *data, int n, int skip) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % skip != 1) change(data[i], i);
}
/* The first and the last field, and one of both again: its stores must stay in order. */
__global__ void ends(const float4 *in, float *sum, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    sum[i] = in[i].x + in[i].w * 2;
    out[i].x = 1, out[i].y = 2, out[i].x = 3 + i, out[i].z = 4, out[i].w = out[i].x + 1;
}
/* The next structure is another lane's: it is read before or after that one writes, but never half of it between. */
__global__ void shift(const Three *in, Three *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = in[i + 1];
}

static int failures;
static void fail(const char *what, size_t size, int i) {
    if (failures++ < 10) printf("%s of %zu bytes: [%d] is wrong\n", what, size, i);
}

/* n structures that end at a page that may not be touched, or begin behind one. */
template <class T> static T *at_edge(int n, bool end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (n * sizeof(T) + page - 1) / page * page;
    char *p = (char *)mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p, page, PROT_NONE), mprotect(p + page + bytes, page, PROT_NONE);
    return (T *)(end ? p + page + bytes - n * sizeof(T) : p + page);
}
template <class T> __global__ void one_by_one(T *data, int n, int skip) {
    for (volatile int i = 0; i < n; i++)
        if (i % skip != 1) change(data[i], i);
}
template <class T> static void test(int n, bool end) {
    T *a = at_edge<T>(n, end), *b = at_edge<T>(n, end), *c = at_edge<T>(n, end);
    unsigned char *bytes = (unsigned char *)a;
    for (size_t i = 0; i < n * sizeof(T); i++) bytes[i] = i * 37 % 61; /* no NaN among floats */
    copy<<<(n + 63) / 64, 64>>>(a, b, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof(T))) fail("copy", sizeof(T), i);
    for (int skip : {2, 1 << 30}) {
        memcpy(b, a, n * sizeof(T)), memcpy(c, a, n * sizeof(T));
        update<<<(n + 63) / 64, 64>>>(b, n, skip);
        one_by_one<<<1, 1>>>(c, n, skip);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++)
            if (memcmp(b + i, c + i, sizeof(T))) fail("update", sizeof(T), i);
    }
}

/* What a thread stores it loads and stores again, in two arrays or in one. */
__global__ void turns(int2 *a, int2 *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i].x = b[i].y, b[i].x = a[i].y, a[i].y = b[i].x + 1, b[i].y = a[i].x;
}
__global__ void turn(int2 *a, int2 *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i].x = b[i].y, a[i].y = b[i].x;
}
__global__ void steps(int2 *a, int2 *b, int n) {
    for (int k = 0; k < n; k++) b[k + 1].x = a[k].x + 1, a[k + 1].x = b[k].x + k, a[k].y = a[k].x, b[k].y = b[k].x;
}
static void test_order(int n) {
    int2 *a = at_edge<int2>(n + 1, true), *b = at_edge<int2>(n + 1, true);
    for (int i = 0; i < n; i++) a[i] = make_int2(i, 2 * i), b[i] = make_int2(3 * i, 5);
    turns<<<(n + 63) / 64, 64>>>(a, b, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (a[i].x != 5 || a[i].y != 2 * i + 1 || b[i].x != 2 * i || b[i].y != 5) fail("turns", 8, i);
    for (int i = 0; i < n; i++) a[i] = make_int2(i, 7 * i);
    turn<<<(n + 63) / 64, 64>>>(a, a, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (a[i].x != 7 * i || a[i].y != 7 * i) fail("turn", 8, i);
    a[0] = b[0] = make_int2(1, 1);
    steps<<<1, 1>>>(a, b, n);
    cudaDeviceSynchronize();
    for (int i = 0, x = 1, y = 1; i < n; i++) {
        if (a[i].x != x || a[i].y != x || b[i].x != y || b[i].y != y) fail("steps", 8, i);
        int next = y + i;
        y = x + 1, x = next;
    }
}

template <class T> static void test_alike(int n, bool end) {
    T *a = at_edge<T>(n, end), *b = at_edge<T>(n, end);
    unsigned char *bytes = (unsigned char *)a;
    for (size_t i = 0; i < n * sizeof(T); i++) bytes[i] = i * 37 % 61;
    memcpy(b, a, n * sizeof(T));
    all_alike<<<(n + 63) / 64, 64>>>(a, n, 77.f);
    alike_one_by_one<<<1, 1>>>(b, n, 77.f);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof(T))) fail("alike", sizeof(T), i);
}
static void test_moves() {
    const int n = 128, floats = 8 * n + 16;
    float *a = at_edge<float>(floats, true), *b = at_edge<float>(floats, true), *c = at_edge<float>(floats, true);
    for (int ahead = -4; ahead <= 6; ahead++) { /* 6: another array */
        for (int i = 0; i < floats; i++) a[i] = b[i] = i % 11, c[i] = i % 7;
        const float *from = ahead == 6 ? c : a + 8 + ahead, *other = ahead == 6 ? c : b + 8 + ahead;
        moves<<<2, 64>>>(a + 8, from, 2);
        moves_own<<<2, 64>>>((Body *)(a + 8), 3);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) move(b + 8, other, i, 2);
        for (int i = 0; i < n; i++) move_own((Body *)(b + 8), i, 3);
        for (int i = 0; i < floats; i++)
            if (a[i] != b[i]) fail("moves", 32, i);
    }
}
static void test_part(int n, bool end) {
    float *in = at_edge<float>(4 * n - 1, end), *out = at_edge<float>(4 * n - 1, end), *sum = at_edge<float>(n, end);
    for (int i = 0; i < 4 * n - 1; i++) in[i] = i % 53, out[i] = -1;
    part_of<<<(n + 63) / 64, 64>>>(in, out, sum, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        float want = in[4 * i] + in[4 * i + 1] * 2 + in[4 * i + 2] * 3;
        if (sum[i] != want || out[4 * i] != want || out[4 * i + 1] != -1 || out[4 * i + 2] != i || (i < n - 1 && out[4 * i + 3] != -1)) fail("part", 16, i);
    }
}

int main() {
    test_moves();
    for (int n : {1, 5, 64, 100, 515}) test_order(n);
    for (int n : {1, 3, 64, 100, 515})
        for (bool end : {false, true}) {
            test<float4>(n, end), test<uchar4>(n, end), test<Three>(n, end), test<Mixed>(n, end), test<Six>(n, end), test<Bytes>(n, end);
            test_alike<float4>(n, end), test_alike<uchar4>(n, end), test_alike<Three>(n, end), test_alike<Point>(n, end);
            test_alike<Six>(n, end), test_alike<Bytes>(n, end), test_part(n, end);
            float4 *in = at_edge<float4>(n, end), *out = at_edge<float4>(n, end);
            float *sum = at_edge<float>(n, end);
            for (int i = 0; i < n; i++) in[i] = make_float4(i, 100, 200, 3 * i);
            ends<<<(n + 63) / 64, 64>>>(in, sum, out, n);
            Three *from = at_edge<Three>(n, end), *to = at_edge<Three>(n, end);
            for (int i = 0; i < n; i++) from[i] = Three{i + .5f, i * 2.f, i * 3.f};
            shift<<<(n + 63) / 64, 64>>>(from, to, n);
            cudaDeviceSynchronize();
            for (int i = 0; i < n; i++) {
                if (sum[i] != 7 * i || out[i].x != 3 + i || out[i].y != 2 || out[i].z != 4 || out[i].w != 4 + i) fail("ends", 16, i);
                if (i < n - 1 && memcmp(to + i, from + i + 1, sizeof *to)) fail("shift", sizeof *to, i);
            }
        }
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
