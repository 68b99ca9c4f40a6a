// Device functions with an ellipsis: arguments of all sizes and small structures, lists that are copied and handed on, calls through
// pointers, from divergent code; each against the same function on the host.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O0 %s -o %t.O0 && %t.O0
// RUN: %cucpu -O2 -rdc=true %s -o %t.rdc && %t.rdc
#include <cstdarg>
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 300 };
struct Point {
    int x;
    float y;
    char z;
};
struct Row {
    float v[9];
};

__device__ __host__ double mixed(int n, ...) {
    va_list list, again;
    va_start(list, n);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += va_arg(list, int);
    sum += va_arg(list, double);
    Point p = va_arg(list, Point);
    va_copy(again, list);
    sum += p.x + p.y + p.z + va_arg(again, long long);
    va_end(again);
    sum += 2 * va_arg(list, long long);
    Row r = va_arg(list, Row);
    const char *c = va_arg(list, const char *);
    va_end(list);
    return sum + r.v[0] + r.v[8] + *c;
}

__device__ __host__ int handed(int n, va_list list) {
    int sum = 0;
    while (n--) sum = sum * 3 + va_arg(list, int);
    return sum;
}

__device__ __host__ __noinline__ int hand_on(const char *, int n, ...) {
    va_list list;
    va_start(list, n);
    int r = handed(n, list);
    va_end(list);
    return r;
}

__device__ int (*through[2])(const char *, int, ...) = {hand_on, hand_on};

__device__ __host__ double mixed_of(int t) {
    Point p = {t, t * .5f, (char)(t & 15)};
    Row r;
    for (int i = 0; i < 9; i++) r.v[i] = t + i;
    char c = (char)(t % 50);
    return t & 1 ? mixed(2, t, 3, 1.5f, p, (long long)t << 20, r, &c) : mixed(0, 2.5, p, 7ll, r, &c);
}

__device__ __host__ int handed_of(int t, int n) {
    return t % 3 ? hand_on("x", 3, t, n, t * 2) : hand_on("y", t % 5, 1, 2, 3, t, t + 1);
}

__global__ void variadic(double *a, int *b, int *c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    a[t] = mixed_of(t);
    b[t] = handed_of(t, n);
    if (t % 7) c[t] = through[t & 1]("z", t % 4, t, 5, 6);
}

int main() {
    double *a;
    int *b, *c, failures = 0;
    cudaMallocManaged(&a, N * sizeof *a);
    cudaMallocManaged(&b, N * sizeof *b);
    cudaMallocManaged(&c, N * sizeof *c);
    variadic<<<3, N / 3>>>(a, b, c, 9);
    if (cudaDeviceSynchronize() != cudaSuccess) return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 1;
    for (int t = 0; t < N; t++) {
        int want = t % 7 ? hand_on("z", t % 4, t, 5, 6) : c[t];
        if (a[t] == mixed_of(t) && b[t] == handed_of(t, 9) && c[t] == want) continue;
        if (failures++ < 10) printf("thread %d: %g %d %d, not %g %d %d\n", t, a[t], b[t], c[t], mixed_of(t), handed_of(t, 9), want);
    }
    return failures != 0;
}
