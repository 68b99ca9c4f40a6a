// Threads that leave from one side of a branch have done their work before the others' next barrier opens.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define MOST 1024

/* odd threads leave after the first barrier, from different places */
__global__ void later(int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = int(t);
    __syncthreads();
    if (t % 2) {
        out[global_rank()] = s[n - 1 - t] + 7;
        if (t % 4 == 1) return;
        out[global_rank()] += 1;
        return;
    }
    int v = s[n - 1 - t];
    __syncthreads();
    s[t] = v;
    __syncthreads();
    out[global_rank()] = s[(t + 2) % n / 2 * 2];
}

/* some leave in each round of an unrolled loop, by one exit that reads what the others are about to change */
__global__ void each_round(int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (i == int(t % 5)) {
            out[global_rank()] = i * 1000 + s[(t + 1) % n];
            return;
        }
        __syncthreads();
        s[t] = i + 1;
        __syncthreads();
    }
    out[global_rank()] = 77;
}

/* lanes that go round the barrier do the same as the others do behind it */
__global__ void around(int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = int(t);
    __syncthreads();
    int v = s[n - 1 - t];
    if (t % 3) {
        v += 10000;
        __syncthreads();
        s[t] = v;
    }
    for (unsigned i = 0; i < 2; i++) v += s[(t + 3 * i) % n / 3 * 3];
    out[global_rank()] = v;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        Buffer<int> round(n), past(n);
        std::vector<int> rounds(n), ways(n);
        for (unsigned t = 0; t < n; t++) {
            int m = int(t % 5), other = int((t + 1) % n % 5);
            rounds[t] = m == 4 ? 77 : m * 1000 + (m < other ? m : other);
            ways[t] = int(n - 1 - t) + (t % 3 ? 10000 : 0) + int(t / 3 * 3) + int((t + 3) % n / 3 * 3);
        }
        each_round<<<1, block>>>(round);
        SAME(round.get(), rounds);
        around<<<1, block>>>(past);
        SAME(past.get(), ways);
    });
    each_shape([](dim3 block, unsigned n) {
        Buffer<int> out(n);
        std::vector<int> want(n);
        for (unsigned t = 0; t < n; t++) {
            unsigned from = (t + 2) % n / 2 * 2;
            want[t] = t % 2 ? int(n - 1 - t) + 7 + (t % 4 != 1) : int(n - 1 - from);
        }
        later<<<1, block>>>(out);
        SAME(out.get(), want);
    });
    return finish();
}
