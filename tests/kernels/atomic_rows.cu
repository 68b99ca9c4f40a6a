// Atomics of neighbouring threads on neighbouring elements of shared memory: all operations and types, results used or not, some threads only,
// rows that begin anywhere and run backward.
// REQUIRES: run
// RUN: %cucpu -DFEW %s -o %t && %run %t
// RUN: %rarely { %cucpu %s -o %t && %run %t; }
// RUN: %also { %cucpu --simd=8 --cpu=x86-64-v2 -DFEW %s -o %t.v2 && %run %t.v2; }
#include "check.h"

enum { ADD, SUB, LEAST, MOST, AND, OR, XOR, EXCHANGE, UP, OPS };

template <class T> struct Does {
    static __device__ T what(int op, T *p, T v) {
        switch (op) {
        case ADD: return atomicAdd(p, v);
        case SUB: return atomicSub(p, v);
        case LEAST: return atomicMin(p, v);
        case MOST: return atomicMax(p, v);
        case AND: return atomicAnd(p, v);
        case OR: return atomicOr(p, v);
        case XOR: return atomicXor(p, v);
        case UP: return T(atomicInc((unsigned *)p, (unsigned)v));
        default: return atomicExch(p, v);
        }
    }
};
template <class T> struct Sums {
    static __device__ T what(int op, T *p, T v) { return atomicAdd(p, op == SUB ? -v : v); }
};
template <> struct Does<float> : Sums<float> {};
template <> struct Does<double> : Sums<double> {};
template <> struct Does<unsigned long long> {
    static __device__ unsigned long long what(int op, unsigned long long *p, unsigned long long v) {
        switch (op) {
        case LEAST: return atomicMin(p, v);
        case MOST: return atomicMax(p, v);
        case AND: return atomicAnd(p, v);
        case OR: return atomicOr(p, v);
        case XOR: return atomicXor(p, v);
        case EXCHANGE: return atomicExch(p, v);
        default: return atomicAdd(p, op == SUB ? -v : v);
        }
    }
};

template <class T> T after(int op, T old, T v) {
    bool whole = T(0.5) == T(0);
    if (!whole || op == ADD || op == SUB) return op == SUB ? old - v : old + v;
    unsigned long long a = (unsigned long long)old, b = (unsigned long long)v;
    switch (op) {
    case LEAST: return v < old ? v : old;
    case MOST: return v > old ? v : old;
    case AND: return T(a & b);
    case OR: return T(a | b);
    case XOR: return T(a ^ b);
    case UP: return sizeof(T) == 8 ? old + v : unsigned(old) >= unsigned(v) ? T(0) : T(old + 1);
    default: return v;
    }
}

/* Threads t where on >> t % 16 & 1 change element t + first (backward: the other way round), twice. */
template <class T, int op> __global__ void rows(const T *in, T *out, T *olds, int first, bool backward, unsigned on) {
    __shared__ T s[300];
    int t = threadIdx.x, n = blockDim.x, at = first + (backward ? n - 1 - t : t);
    for (int i = t; i < 300; i += n) s[i] = in[i];
    __syncthreads();
    T old = 77;
    if (on >> t % 16 & 1) {
        Does<T>::what(op, &s[at], in[t + 1]);
        old = Does<T>::what(op, &s[first + t], in[t + 2]);
    }
    __syncthreads();
    olds[t] = old;
    for (int i = t; i < 300; i += n) out[i] = s[i];
}

template <class T, int op> void check(const std::vector<T> &in, int n, int first, bool backward, unsigned on) {
    Buffer<T> d(in), out(300), olds(n);
    rows<T, op><<<1, n>>>(d, out, olds, first, backward, on);
    std::vector<T> s = in, old(n, T(77));
    for (int t = 0; t < n; t++)
        if (on >> t % 16 & 1) s[first + (backward ? n - 1 - t : t)] = after(op, s[first + (backward ? n - 1 - t : t)], in[t + 1]);
    for (int t = 0; t < n; t++)
        if (on >> t % 16 & 1) old[t] = s[first + t], s[first + t] = after(op, s[first + t], in[t + 2]);
    SAME(out.get(), s);
    if (!backward) SAME(olds.get(), old); /* else two threads change an element, in any order */
}

template <class T, int op> void ways(const std::vector<T> &in) {
    for (int n : {1, 31, 33, 100, 256})
        for (int first : {0, 3})
            for (unsigned on : {0xffffu, 0x5a3fu}) check<T, op>(in, n, first, false, on);
}
template <class T> void type() {
    Random random(sizeof(T));
    std::vector<T> in(300);
    for (T &v : in) v = T(int(random.below(200)) - 100);
    ways<T, ADD>(in);
    if (sizeof(T) == 4 && T(0.5) == T(0)) ways<T, UP>(in);
#ifndef FEW
    ways<T, SUB>(in);
    if (T(0.5) == T(0)) ways<T, LEAST>(in), ways<T, MOST>(in), ways<T, XOR>(in), ways<T, EXCHANGE>(in);
    if (sizeof(T) == 8) ways<T, AND>(in), ways<T, OR>(in);
#endif
    check<T, ADD>(in, 100, 5, true, 0xffff);
}

int main() {
    type<int>(), type<unsigned>(), type<unsigned long long>(), type<float>(), type<double>();
    return finish();
}
