// Barriers in both arms of a block-uniform branch, in a switch, inside device functions.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define MOST 1024

__device__ int neighbour(int *s, unsigned t, unsigned n, int v) {
    s[t] = v;
    __syncthreads();
    int r = s[(t + 1) % n];
    __syncthreads();
    return r;
}

__device__ __noinline__ int twice(int *s, unsigned t, unsigned n, int v) {
    int a = neighbour(s, t, n, v);
    if (blockIdx.x & 1) return neighbour(s, t, n, a + v);
    return a - v;
}

__global__ void arms(int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int v = int(t) * 3 + 1;
    if (blockIdx.x % 2) {
        s[t] = v;
        __syncthreads();
        v = s[n - 1 - t];
    } else {
        s[n - 1 - t] = v * 2;
        __syncthreads();
        v += s[t];
    }
    out[global_rank()] = v;
}

__global__ void cases(int *out, const int *mode) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int v = int(t);
    switch (mode[blockIdx.x]) {
    case 0: v = neighbour(s, t, n, v); break;
    case 1: v = neighbour(s, t, n, v * 5); // falls through
    case 2: v += neighbour(s, t, n, v + 1); break;
    default: v = -v;
    }
    out[global_rank()] = v;
}

__global__ void calls(int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int v = int(t * t % 97);
    for (int i = 0; i < 3; i++) v = twice(s, t, n, v) + i;
    out[global_rank()] = v;
}

typedef std::vector<int> Row;

static Row turn(const Row &v) {
    Row r(v.size());
    for (size_t t = 0; t < v.size(); t++) r[t] = v[(t + 1) % v.size()];
    return r;
}

static Row map(Row v, int factor, int add) {
    for (int &x : v) x = x * factor + add;
    return v;
}

static Row plus(Row v, const Row &w, int sign) {
    for (size_t t = 0; t < v.size(); t++) v[t] += sign * w[t];
    return v;
}

static Row case_of(int mode, Row v) {
    if (mode == 0) return turn(v);
    if (mode == 1) v = turn(map(v, 5, 0));
    if (mode == 1 || mode == 2) return plus(v, turn(map(v, 1, 1)), 1);
    return map(v, -1, 0);
}

static Row calls_of(unsigned block, Row v) {
    for (int i = 0; i < 3; i++) {
        Row a = turn(v);
        v = map(block & 1 ? turn(plus(a, v, 1)) : plus(a, v, -1), 1, i);
    }
    return v;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned blocks = 4;
        Buffer<int> out(blocks * n), modes(std::vector<int>{2, 1, 7, 0});
        const int mode[] = {2, 1, 7, 0};
        std::vector<int> want_arms, want_cases, want_calls;
        for (unsigned b = 0; b < blocks; b++) {
            Row ids(n), squares(n);
            for (unsigned t = 0; t < n; t++) {
                ids[t] = int(t), squares[t] = int(t * t % 97);
                int here = int(t) * 3 + 1, there = int(n - 1 - t) * 3 + 1;
                want_arms.push_back(b % 2 ? there : here + there * 2);
            }
            Row c = case_of(mode[b], ids), d = calls_of(b, squares);
            want_cases.insert(want_cases.end(), c.begin(), c.end());
            want_calls.insert(want_calls.end(), d.begin(), d.end());
        }
        arms<<<blocks, block>>>(out);
        SAME(out.get(), want_arms);
        cases<<<blocks, block>>>(out, modes);
        SAME(out.get(), want_cases);
        calls<<<blocks, block>>>(out);
        SAME(out.get(), want_calls);
    });
    return finish();
}
