// What a thread may only do behind a test (go through a pointer, bind a reference, divide, overflow) says nothing of the threads that fail
// the test, though code under masks does it in front of further tests of the same value.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t.G -G
// RUN: %also { %cucpu -G --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
#include "check.h"

struct Node { int value; bool flag; const Node *left; };

static __device__ __noinline__ int value_of(const Node &n) { return n.value; }

__global__ void tests(const Node *const *roots, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i >= n) return;
    const Node *p = roots[i];
    if (p) s += p->value;
    if (p && p->left) s += 10 * p->left->value;
    if (!p) s -= 1;
    out[i] = s;
}

__global__ void references(const Node *const *roots, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i >= n) return;
    const Node *p = roots[i];
    if (p) s += value_of(*p);
    s += p ? 10 : 20;
    out[i] = s;
}

__global__ void shared_pointer(const Node *p, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i < n && p) s += p->value;
    s += p ? 10 : 20;
    if (i < n && p) s += p->flag ? 100 : 1000;
    out[i] = s;
}

__global__ void shared_divisor(int a, int d, long long e, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i < n && d != 0) s += a / d;
    if (i < n && e != 0) s += (int)(a % e);
    out[i] = s + (d ? 10 : 20) + (e ? 100 : 200);
}

__global__ void divisors(const int *a, const long long *d, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0, y = (int)d[i];
    long long x = d[i];
    if (i < n && x != 0) s += (int)(a[i] / x);
    if (i < n && y != 0) s += a[i] / y;
    out[i] = s + (x ? 10 : 20) + (y ? 100 : 200);
}

__global__ void overflows(int *out, int big, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    if (i < n && big < 1000) {
        if (big * 1000000 > 5) s = 1;
        for (int k = big * 1000000; k > big * 1000000 - 2; k--) s += 2;
    }
    out[i] = s + (big < 1000 ? 10 : 20);
}

template <class Want> static void compare(const char *what, const int *out, Want want) {
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 96; i++)
        if (out[i] != want(i) && failures++ < 8) std::printf("%s, thread %d: %d, want %d\n", what, i, out[i], want(i));
}

int main() {
    Node *n;
    const Node **roots;
    int *out, *a;
    long long *d;
    CUDA(cudaMallocManaged(&n, 8 * sizeof *n));
    CUDA(cudaMallocManaged(&roots, 96 * sizeof *roots));
    CUDA(cudaMallocManaged(&out, 96 * sizeof *out));
    CUDA(cudaMallocManaged(&a, 96 * sizeof *a));
    CUDA(cudaMallocManaged(&d, 96 * sizeof *d));
    for (int i = 0; i < 8; i++) n[i] = Node{i, i % 2 == 0, 2 * i + 1 < 8 ? n + 2 * i + 1 : nullptr};
    for (int i = 0; i < 96; i++) roots[i] = i % 3 ? n + i % 8 : nullptr, d[i] = i % 3, a[i] = 7 * i;
    for (int threads : {32, 24}) {
        dim3 grid(96 / threads);
        tests<<<grid, threads>>>(roots, out, 96);
        compare("tests", out, [](int i) { int k = i % 8; return i % 3 ? k + (2 * k + 1 < 8 ? 20 * k + 10 : 0) : -1; });
        references<<<grid, threads>>>(roots, out, 96);
        compare("references", out, [](int i) { return i % 3 ? i % 8 + 10 : 20; });
        shared_pointer<<<grid, threads>>>(nullptr, out, 40);
        compare("no pointer", out, [](int) { return 20; });
        shared_pointer<<<grid, threads>>>(n + 2, out, 40);
        compare("a pointer", out, [](int i) { return i < 40 ? 112 : 10; });
        shared_divisor<<<grid, threads>>>(11, 0, 0, out, 40);
        compare("no divisor", out, [](int) { return 220; });
        shared_divisor<<<grid, threads>>>(11, 2, 7, out, 40);
        compare("a divisor", out, [](int i) { return (i < 40 ? 9 : 0) + 110; });
        divisors<<<grid, threads>>>(a, d, out, 50);
        compare("divisors", out, [](int i) { int m = i % 3; return (i < 50 && m ? 2 * (i * 7 / m) : 0) + (m ? 110 : 220); });
        overflows<<<grid, threads>>>(out, 2000000000, 50);
        compare("overflow", out, [](int) { return 20; });
        overflows<<<grid, threads>>>(out, 3, 50);
        compare("no overflow", out, [](int i) { return (i < 50 ? 5 : 0) + 10; });
    }
    return finish();
}
