// Barriers and functions of the warp in recursive functions: with locals and pointers to them, structures as arguments and results, several calls,
// calls in loops and in tail position, functions that call each other; a recursion without end is told.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -G %s -o %t.G && %run %t.G
// RUN: env CUCPU_SCHED=shuffle:1 %run %t
// RUN: not %run %t endless 2>&1 | FileCheck %s
// RUN: %also { %cucpu --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// CHECK: endless{{.*}}: stack overflow: a thread recurses over more than 512 KiB of local memory
#include "check.h"

static __device__ int shift(int v, int by, int *s) {
    s[threadIdx.x] = v;
    __syncthreads();
    int r = s[(threadIdx.x + by) % blockDim.x];
    __syncthreads();
    return r;
}

/* What is used behind the call lives in the record of its activation, and so does what a pointer points to. */
static __device__ int once(int depth, int v, int *up, int *s) {
    if (depth == 0) return v + *up;
    int mine[3] = {v, v + depth, v * 3 % 1009};
    int other = shift(mine[depth % 3], depth, s);
    int below = once(depth - 1, other, &mine[1], s);
    __syncthreads();
    return below + mine[(depth + 1) % 3] % 7 + *up;
}

struct Pair { int a, b; double c; };
/* Twice, one of them in a loop. */
static __device__ Pair twice(Pair p, int depth, int *s) {
    if (depth == 0) return Pair{shift(p.a, 1, s), p.b + 1, p.c * 2};
    Pair q = twice(Pair{p.b, p.a, p.c + 1}, depth - 1, s);
    for (int i = 0; i < depth; i++) {
        Pair r = twice(q, i % 2 ? 0 : depth - 1, s);
        q.a += r.b, q.b ^= r.a, q.c += r.c;
    }
    return q;
}

static __device__ void down(int n, int *v, int *s) {
    *v = shift(*v, n, s) + n;
    if (n > 0) down(n - 1, v, s);
}

static __device__ int odd(int n, int v, int *s);
static __device__ int even(int n, int v, int *s) { return n == 0 ? v : odd(n - 1, shift(v, 1, s), s) * 2 % 1009; }
static __device__ int odd(int n, int v, int *s) { return n == 0 ? -v : even(n - 1, v + 1, s) + v % 5; }

/* Lanes recurse to different depths and vote with those that do. */
static __device__ unsigned votes(int depth, unsigned mask) {
    unsigned deeper = __ballot_sync(mask, depth > 0);
    unsigned below = depth > 0 ? votes(depth - 1, deeper) : 0;
    return below + __popc(deeper);
}

__global__ void kernel(int *out, int depth) {
    __shared__ int s[256];
    int t = threadIdx.x, v = t * 7 % 31, zero = 0, *o = out + t * 5;
    o[0] = once(depth, v, &zero, s);
    Pair p = twice(Pair{v, t, 0.5}, depth % 3, s);
    o[1] = p.a * 3 + p.b * 5 + int(p.c);
    o[2] = v;
    down(depth, &o[2], s);
    o[3] = even(depth, v, s);
    o[4] = int(votes(t % 4, 0xffffffffu));
}

static __device__ int endless_calls(int n, int *s) {
    __syncthreads();
    return endless_calls(n + 1, s) + s[n % 8];
}
__global__ void endless(int *out) { out[threadIdx.x] = endless_calls(int(threadIdx.x), out); }

typedef std::vector<int> V;
static V moved(const V &v, int by) {
    V r(v.size());
    for (size_t t = 0; t < v.size(); t++) r[t] = v[(t + size_t(by)) % v.size()];
    return r;
}
static V once_of(int depth, const V &v, const V &up) {
    size_t n = v.size();
    V r(n), mine[3] = {v, v, v}, pick(n);
    if (depth == 0) {
        for (size_t t = 0; t < n; t++) r[t] = v[t] + up[t];
        return r;
    }
    for (size_t t = 0; t < n; t++) mine[1][t] += depth, mine[2][t] = v[t] * 3 % 1009;
    r = once_of(depth - 1, moved(mine[depth % 3], depth), mine[1]);
    for (size_t t = 0; t < n; t++) r[t] += mine[(depth + 1) % 3][t] % 7 + up[t];
    return r;
}
typedef std::vector<Pair> P;
static P twice_of(P p, int depth) {
    size_t n = p.size();
    P q = p;
    if (depth == 0) {
        for (size_t t = 0; t < n; t++) q[t] = Pair{p[(t + 1) % n].a, p[t].b + 1, p[t].c * 2};
        return q;
    }
    for (Pair &x : q) x = Pair{x.b, x.a, x.c + 1};
    q = twice_of(q, depth - 1);
    for (int i = 0; i < depth; i++) {
        P r = twice_of(q, i % 2 ? 0 : depth - 1);
        for (size_t t = 0; t < n; t++) q[t].a += r[t].b, q[t].b ^= r[t].a, q[t].c += r[t].c;
    }
    return q;
}
static V even_of(int n, V v, bool odd) {
    if (n == 0) {
        for (int &x : v) x = odd ? -x : x;
        return v;
    }
    V w = odd ? v : moved(v, 1);
    for (int &x : w) x += odd;
    w = even_of(n - 1, w, !odd);
    for (size_t t = 0; t < v.size(); t++) w[t] = odd ? w[t] + v[t] % 5 : w[t] * 2 % 1009;
    return w;
}

static void check(int *out, unsigned n, int depth) {
    kernel<<<1, n>>>(out, depth);
    CUDA(cudaDeviceSynchronize());
    V v(n), w(n), zero(n);
    P p(n);
    for (size_t t = 0; t < n; t++) v[t] = int(t) * 7 % 31, p[t] = Pair{v[t], int(t), 0.5};
    w = v;
    for (int k = depth; k >= 0; k--) {
        w = moved(w, k);
        for (int &x : w) x += k;
    }
    V first = once_of(depth, v, zero), both = even_of(depth, v, false);
    p = twice_of(p, depth % 3);
    for (size_t t = 0; t < n; t++) {
        int *o = out + t * 5, votes = 0;
        for (int d = 0; d <= int(t % 4); d++) /* of a whole warp: 24, 16, 8, 0 lanes go deeper */
            votes += 24 - 8 * d;
        CHECK(o[0] == first[t]);
        CHECK(o[1] == p[t].a * 3 + p[t].b * 5 + int(p[t].c));
        CHECK(o[2] == w[t]);
        CHECK(o[3] == both[t]);
        CHECK(n % 32 || o[4] == votes);
    }
}

int main(int argc, char **) {
    int *out;
    CUDA(cudaMallocManaged(&out, 256 * 5 * sizeof *out));
    if (argc > 1) {
        endless<<<1, 32>>>(out);
        return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
    }
    for (unsigned n : {1u, 32u, 33u, 256u})
        for (int depth : {0, 1, 5, 40}) check(out, n, depth);
    return finish();
}
