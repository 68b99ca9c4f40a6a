// Recursive functions as vector functions: trees, sorting, Ackermann, functions that call each other, virtual ones, with structures, pointers
// as results, stores, atomics, ids of the thread, local arrays, calls of other functions, and with more than the vectors' part of the stack.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: not %run %t.v3 endless 2>&1 | FileCheck %s
// RUN: %also { %cucpu -G %s -o %t.G && %run %t.G && %cucpu --disable=outline_recursion %s -o %t.off && %run %t.off; }
// CHECK: endless{{.*}}: stack overflow
#include "check.h"

#define BOTH __host__ __device__ static

struct Node { float key; int left, right, count; };
BOTH int walk(const Node *t, int n, float lo, float hi) {
    if (n < 0) return 0;
    int r = 0;
    if (t[n].key >= lo) r += walk(t, t[n].left, lo, hi);
    if (t[n].key >= lo && t[n].key < hi) r += t[n].count;
    if (t[n].key < hi) r += walk(t, t[n].right, lo, hi);
    return r;
}
/* The address of a node, found from both ends. */
BOTH const Node *find(const Node *t, int n, float key, int depth) {
    if (n < 0) return nullptr;
    if (t[n].key == key) return &t[n];
    const Node *first = depth & 1 ? find(t, t[n].left, key, depth + 1) : find(t, t[n].right, key, depth + 1);
    return first ? first : depth & 1 ? find(t, t[n].right, key, depth + 1) : find(t, t[n].left, key, depth + 1);
}
BOTH int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
BOTH void sort(int *v, int lo, int hi) {
    if (lo >= hi) return;
    int pivot = v[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) { int t = v[i]; v[i++] = v[j]; v[j--] = t; }
    }
    sort(v, lo, j);
    sort(v, i, hi);
}
struct Pair { double a; int b; };
BOTH Pair pairs(Pair p, int depth) {
    if (depth == 0) return Pair{p.a * 0.5, p.b + 1};
    Pair q = pairs(Pair{p.a + depth, p.b ^ depth}, depth - 1), local[3] = {p, q, p};
    for (int k = 0; k < depth % 3; k++) local[k] = pairs(local[(k + p.b) & 1], depth / 2);
    return Pair{local[0].a + q.a, local[1].b * 3 + q.b};
}
BOTH int odd(int n, int v);
BOTH int even(int n, int v) { return n <= 0 ? v : odd(n - 1 - v % 2, v * 5 + 1) * 2 % 1009 + n; }
BOTH int odd(int n, int v) { return n <= 0 ? -v : even(n - 1, v + 3) % 1013 + v % 7; }
BOTH bool bits(unsigned v, unsigned char depth, bool flip) { /* parameters and results that are no words */
    if (depth == 0) return flip;
    return bits(v >> 1, (unsigned char)(depth - 1), flip != (v & 1)) != bits(v >> 2, (unsigned char)(depth / 2), (v & 2) != 0);
}

/* Ids of the thread below, in a function that is not inlined either; through a pointer; atomic operations. */
__device__ int deeper(int n, int *sum);
__device__ int (*through)(int, int *) = deeper;
__device__ int deeper(int n, int *sum) {
    if (n <= 0) return int(threadIdx.x + 1000 * blockIdx.x);
    atomicAdd(sum + n % 4, int(blockDim.x));
    int a = deeper(n - 2, sum);
    return n % 3 ? a + n : a * 3 + through(n - 1, sum) % 1000;
}
static int deeper_of(int n, int *sum, int x, int block, int size) {
    if (n <= 0) return x + 1000 * block;
    sum[n % 4] += size;
    int a = deeper_of(n - 2, sum, x, block, size);
    return n % 3 ? a + n : a * 3 + deeper_of(n - 1, sum, x, block, size) % 1000;
}

/* Expressions as objects that evaluate each other. */
struct Expr { __device__ virtual float value(float x) const = 0; };
struct Leaf : Expr {
    float c;
    __device__ float value(float x) const override { return x + c; }
};
struct Sum : Expr {
    const Expr *a, *b;
    __device__ float value(float x) const override { return a->value(x) + b->value(x * 0.5f); }
};
struct Product : Expr {
    const Expr *a, *b;
    __device__ float value(float x) const override { return x < 2 ? a->value(x) * b->value(x) : a->value(x - 1); }
};

/* Deeper than vectors have stack for, but not too deep for scalar code. */
__host__ __device__ int deep(int n, int v) {
    if (n == 0) return v;
    int below = deep(n - 1, v ^ n);
    return below + (v & n);
}

struct Results { int walked, found, ackermann, even, sorted, deeper, deep; bool bits; Pair pair; float value; };
__global__ void kernel(Results *out, const Node *t, int *sums, int count) {
    int i = int(global_rank());
    if (i >= count) return;
    Results r = {};
    r.walked = walk(t, 0, i % 50 / 60.f, i % 7 / 7.f);
    const Node *n = find(t, 0, t[i % 60].key, i & 1);
    r.found = n ? int(n - t) : -1;
    r.ackermann = ackermann(i % 3, i % 5);
    r.even = even(i % 20, i);
    r.bits = bits(unsigned(i) * 2654435761u, (unsigned char)(i % 9), i & 4);
    r.pair = pairs(Pair{i * 0.25, i}, i % 6);
    int v[24];
    for (int k = 0; k < 24; k++) v[k] = (i * 7 + k * 31) % 37;
    sort(v, 0, i % 24);
    for (int k = 0; k < 24; k++) r.sorted = r.sorted * 3 + v[k];
    if (i % 5) r.deeper = deeper(i % 10, sums);
    Leaf x, y;
    x.c = 1, y.c = float(i);
    Sum s, s2;
    Product p;
    s.a = &x, s.b = &y, p.a = &s, p.b = &x, s2.a = &p, s2.b = &s;
    const Expr *all[] = {&x, &s, &p, &s2};
    r.value = all[i % 4]->value(i % 3);
    out[i] = r;
}
__global__ void descend(int *out, int n) { out[threadIdx.x] = deep(n + int(threadIdx.x) % 3, int(threadIdx.x)); }
static __device__ int without_end(int n, const int *s) { return n == -1 ? 0 : without_end(n + 1 - s[0], s) * s[1] + s[n & 7]; }
__global__ void endless(int *out) { out[threadIdx.x] = without_end(int(threadIdx.x) + 1, out); }

static float value_of(int which, float x, float y) {
    if (which == 0) return x + 1;
    if (which == 1) return x + 1 + (x * 0.5f + y);
    if (which == 2) return x < 2 ? value_of(1, x, y) * value_of(0, x, y) : value_of(1, x - 1, y);
    return value_of(2, x, y) + value_of(1, x * 0.5f, y);
}
static int build(Node *t, int *n, float lo, float hi, int d) {
    if (!d) return -1;
    int me = (*n)++;
    t[me].key = (lo + hi) / 2, t[me].count = me & 7;
    t[me].left = build(t, n, lo, t[me].key, d - 1);
    t[me].right = build(t, n, t[me].key, hi, d - 1);
    return me;
}

static void check(const Node *t, dim3 block, unsigned threads) {
    const unsigned n = 2 * threads, count = n - n / 9;
    Buffer<Results> out(n);
    Buffer<int> sums(4);
    CUDA(cudaMemset(sums, 0, 4 * sizeof(int)));
    kernel<<<2, block>>>(out, t, sums, int(count));
    std::vector<Results> got = out.get();
    std::vector<int> sum(4);
    for (unsigned k = 0; k < count; k++) {
        int i = int(k), x = int(k % threads % block.x), v[24], sorted = 0;
        const Results &r = got[k];
        CHECK(r.walked == walk(t, 0, i % 50 / 60.f, i % 7 / 7.f));
        CHECK(r.found == find(t, 0, t[i % 60].key, i & 1) - t);
        CHECK(r.ackermann == ackermann(i % 3, i % 5));
        CHECK(r.even == even(i % 20, i));
        CHECK(r.bits == bits(unsigned(i) * 2654435761u, (unsigned char)(i % 9), i & 4));
        Pair p = pairs(Pair{i * 0.25, i}, i % 6);
        CHECK(r.pair.a == p.a && r.pair.b == p.b);
        for (int e = 0; e < 24; e++) v[e] = (i * 7 + e * 31) % 37;
        sort(v, 0, i % 24);
        for (int e = 0; e < 24; e++) sorted = sorted * 3 + v[e];
        CHECK(r.sorted == sorted);
        CHECK(r.deeper == (i % 5 ? deeper_of(i % 10, sum.data(), x, int(k / threads), int(block.x)) : 0));
        CHECK(r.value == value_of(i % 4, float(i % 3), float(i)));
    }
    SAME(sums.get(), sum);
}

int main(int argc, char **) {
    int *out, n = 0;
    Node *t;
    CUDA(cudaMallocManaged(&out, 1024 * sizeof *out));
    CUDA(cudaMallocManaged(&t, 64 * sizeof *t));
    CUDA(cudaMemset(out, 0, 1024 * sizeof *out));
    if (argc > 1) {
        out[1] = 3;
        endless<<<1, 32>>>(out);
        return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
    }
    build(t, &n, 0, 1, 6);
    each_shape([&](dim3 block, unsigned threads) { check(t, block, threads); });
    descend<<<1, 100>>>(out, 20000);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++) CHECK(out[i] == deep(20000 + i % 3, i));
    return finish();
}
