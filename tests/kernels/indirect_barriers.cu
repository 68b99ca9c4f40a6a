// Barriers and warp-level functions behind virtual calls and calls through addresses.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t && %cucpu -G %s -o %t && %run %t
#include "check.h"

#define MOST 1024

struct Step {
    __device__ virtual int make(int *s, int t, int n) const = 0;
    __device__ virtual int plain(int v) const { return v + 1; }
};
struct Mirror : Step {
    __device__ int make(int *s, int t, int n) const override {
        __syncthreads();
        int v = s[n - 1 - t];
        __syncthreads();
        s[t] = plain(v);
        return v;
    }
};
struct Turn : Step {
    int by;
    __device__ explicit Turn(int by) : by(by) {}
    __device__ int make(int *s, int t, int n) const override {
        for (int i = 0; i < by; i++) {
            __syncthreads();
            int v = s[(t + 1) % n];
            __syncthreads();
            s[t] = v;
        }
        return s[t];
    }
    __device__ int plain(int v) const override { return v * 2; }
};
struct Nothing : Step {
    __device__ int make(int *, int t, int) const override { return -t; }
};

/* The object is the same for all threads of the block, but known only when it runs. */
__global__ void steps(int *out, int first) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    Mirror mirror;
    Turn turn(3);
    Nothing nothing;
    const Step *all[] = {&mirror, &turn, &nothing};
    s[t] = int(t);
    int sum = 0;
    for (int i = 0; i < 3; i++) sum = sum * 10 + all[(first + i) % 3]->make(s, int(t), int(n));
    out[t] = sum;
}

static int steps_by_hand(std::vector<int> &out, int n, int first) {
    std::vector<int> s(n), old;
    for (int t = 0; t < n; t++) s[t] = t, out[t] = 0;
    for (int i = 0; i < 3; i++) {
        int kind = (first + i) % 3;
        old = s;
        for (int t = 0; t < n; t++) {
            if (kind == 0) s[t] = old[n - 1 - t] + 1;
            if (kind == 1) s[t] = old[(t + 3) % n];
            out[t] = out[t] * 10 + (kind == 0 ? old[n - 1 - t] : kind == 1 ? s[t] : -t);
        }
    }
    return 0;
}

typedef int (*Sum)(int);
__device__ int butterfly(int v) {
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    return v;
}
__device__ int reduced(int v) { return 10 * __reduce_add_sync(~0u, v); }
__device__ int same(int v) { return v; }
__device__ Sum table[] = {butterfly, reduced, same};
__constant__ Sum fixed[] = {same, butterfly};

/* Warps call different functions. */
__global__ void sums(int *out, Sum given) {
    int t = threadIdx.x;
    out[t] = table[t / 32 % 3](t) + fixed[blockDim.x > 64](1) + given(2);
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        if (n == 1) return;
        for (int first : {0, 1, 2}) {
            Buffer<int> out(n);
            std::vector<int> want(n);
            steps<<<1, block>>>(out, first);
            steps_by_hand(want, int(n), first);
            SAME(out.get(), want);
        }
    });
    Sum given;
    CUDA(cudaMemcpyFromSymbol(&given, table, sizeof given, sizeof given));
    for (int n : {64, 96, 256}) {
        Buffer<int> out(n);
        std::vector<int> want(n);
        sums<<<1, n>>>(out, given);
        for (int t = 0; t < n; t++) {
            int w = t / 32, sum = 32 * 32 * w + 496;
            want[t] = (w % 3 == 0 ? sum : w % 3 == 1 ? 10 * sum : t) + (n > 64 ? 32 : 1) + 640;
        }
        SAME(out.get(), want);
    }
    return finish();
}
