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

int main() {
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
