// Loads and stores of a few neighbouring elements at an address of each lane, and copies: structures of 2 to 8 elements of 4 or 8 bytes, whole
// and in parts, found through an index, a list or a large stride; in branches and loops; at both ends of mapped memory.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t
// RUN: %also { %cucpu --simd=32 --disable=runs %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O1 --simd=1 --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
// RUN: %cucpu -O1 --cpu=x86-64-v3 -Rcucpu %s -o %t.v3 2>&1 | FileCheck %s
// RUN: %run %t.v3
// CHECK-DAG: remark: {{.*}}: gather: each lane reads a few neighbouring elements, at once
// CHECK-DAG: remark: {{.*}}: scatter: each lane writes a few neighbouring elements, at once
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>

struct Two { float a, b; };
struct Three { float a, b, c; };
struct alignas(16) Padded { float a, b, c; };
struct Mixed { int a; float b; unsigned c; int d, e; };
struct Six { int v[6]; };
struct Eight { float v[8]; };
struct Doubles { double a, b, c; };
struct Longs { long long a; double b; };
struct Wide { float v[40]; };

__device__ double sum(const Two &s) { return s.a + 2.0 * s.b; }
__device__ double sum(const Three &s) { return s.a + 2.0 * s.b + 3.0 * s.c; }
__device__ double sum(const Padded &s) { return s.c - s.a + s.b; }
__device__ double sum(const float4 &s) { return s.x + 2.0 * s.y - s.z * 3.0 + s.w; }
__device__ double sum(const int2 &s) { return s.x - 5.0 * s.y; }
__device__ double sum(const Mixed &s) { return s.e + s.a * 2.0 + s.b + s.c + s.d * 3.0; }
__device__ double sum(const Six &s) { return s.v[5] + s.v[1] * 2.0 - s.v[2] + s.v[4] * 7.0; }
__device__ double sum(const Eight &s) { return s.v[0] + s.v[7] * 2.0 - s.v[3] + s.v[4] * 7.0 + s.v[6]; }
__device__ double sum(const Doubles &s) { return s.a + 2 * s.b + 3 * s.c; }
__device__ double sum(const Longs &s) { return s.a - s.b; }
__device__ double sum(const Wide &s) { return s.v[11] + 2.0 * s.v[12] + 3.0 * s.v[13] - s.v[30] + s.v[31] * 2.0 + s.v[39]; }

template <class T> __global__ void through(const T *from, const int *list, double *out, int n, int skip) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double r = sum(from[list[i]]);
    if (list[i] % skip) r += 2 * sum(from[n - 1 - list[i]]);
    for (int k = list[i] % 5; k < 4; k++) r -= sum(from[(list[i] + k * 7) % n]);
    out[i] = r;
}
template <class T> __global__ void one_by_one(const T *from, const int *list, double *out, int n, int skip) {
    for (volatile int v = 0; v < n; v++) {
        int i = v;
        double r = sum(from[list[i]]);
        if (list[i] % skip) r += 2 * sum(from[n - 1 - list[i]]);
        for (int k = list[i] % 5; k < 4; k++) r -= sum(from[(list[i] + k * 7) % n]);
        out[i] = r;
    }
}
/* Stores between loads: what they change must be seen. */
__global__ void chase(float4 *at, const int *list, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 *p = at + list[i];
    float x = p->x, y = p->y;
    p->z = x + y;
    float z = p->z, w = p->w;
    p->x = z + w;
}

/* Structures by list, as they are and element by element. */
template <class T, class E> __host__ __device__ void move_one(T *copy, T *changed, const T *from, const int *list, int i, int skip) {
    copy[list[i]] = from[i];
    T s = from[list[i]];
    for (size_t k = 0; k < sizeof(T) / sizeof(E); k++) ((E *)&s)[k] += E(k + 1);
    if (list[i] % skip) changed[list[i]] = s;
    else changed[list[i]] = from[0];
}
template <class T, class E> __global__ void move(T *copy, T *changed, const T *from, const int *list, int n, int skip) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) move_one<T, E>(copy, changed, from, list, i, skip);
}

static int failures;
/* n structures that end at a page that may not be touched, or begin behind one. */
template <class T> static T *at_edge(int n, bool end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (n * sizeof(T) + page - 1) / page * page;
    char *p = (char *)mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p, page, PROT_NONE), mprotect(p + page + bytes, page, PROT_NONE);
    return (T *)(end ? p + page + bytes - n * sizeof(T) : p + page);
}
template <class T> static void test(const char *name, const int *list, int n, bool end) {
    T *from = at_edge<T>(n, end);
    double *a = at_edge<double>(n, end), *b = at_edge<double>(n, end);
    int *words = (int *)from;
    for (size_t i = 0; i < n * sizeof(T) / 4; i++) words[i] = i % 3 == 1 && sizeof(T) % 8 == 0 ? 0 : (int)(i * 37 % 1009);
    for (int skip : {2, 3, 1}) {
        through<<<(n + 63) / 64, 64>>>(from, list, a, n, skip);
        one_by_one<<<1, 1>>>(from, list, b, n, skip);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++)
            if (a[i] != b[i] && failures++ < 10) printf("%s, %d of %d: %g, not %g\n", name, i, n, a[i], b[i]);
    }
}
template <class T, class E> static void test_move(const char *name, const int *list, int n, bool end) {
    T *v[5];
    for (T *&p : v) p = at_edge<T>(n, end);
    for (size_t i = 0; i < n * sizeof(T) / sizeof(E); i++) ((E *)v[4])[i] = E(i * 37 % 1009);
    for (int skip : {2, 1}) {
        move<T, E><<<(n + 63) / 64, 64>>>(v[0], v[1], v[4], list, n, skip);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) move_one<T, E>(v[2], v[3], v[4], list, i, skip);
        for (int k = 0; k < 2; k++)
            if (memcmp(v[k], v[k + 2], n * sizeof(T)) && failures++ < 10) printf("%s of %d: %s wrong\n", name, n, k ? "change" : "copy");
    }
}

int main() {
    for (int n : {1, 3, 17, 64, 259})
        for (bool end : {false, true}) {
            int *list = at_edge<int>(n, end);
            for (int i = 0; i < n; i++) list[i] = (int)(i * 7919LL % n);
            test<Two>("Two", list, n, end), test<Three>("Three", list, n, end), test<Padded>("Padded", list, n, end);
            test<float4>("float4", list, n, end), test<int2>("int2", list, n, end), test<Mixed>("Mixed", list, n, end);
            test<Six>("Six", list, n, end), test<Eight>("Eight", list, n, end), test<Doubles>("Doubles", list, n, end);
            test<Longs>("Longs", list, n, end), test<Wide>("Wide", list, n, end);
            test_move<Two, float>("move Two", list, n, end), test_move<Three, float>("move Three", list, n, end);
            test_move<float4, float>("move float4", list, n, end), test_move<Six, int>("move Six", list, n, end);
            test_move<Eight, float>("move Eight", list, n, end), test_move<Doubles, double>("move Doubles", list, n, end);
            test_move<Wide, float>("move Wide", list, n, end), test_move<uchar4, unsigned char>("move uchar4", list, n, end);
            float4 *at = at_edge<float4>(n, end);
            for (int i = 0; i < n; i++) at[i] = make_float4(i, 2, 100, 3), list[i] = n - 1 - i;
            chase<<<(n + 63) / 64, 64>>>(at, list, n);
            cudaDeviceSynchronize();
            for (int i = 0; i < n; i++)
                if (at[i].z != i + 2 || at[i].x != i + 5) failures++, printf("chase %d\n", i);
        }
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
