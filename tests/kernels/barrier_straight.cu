// Barriers in straight-line code; values and local arrays live across them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define MOST 1024

__global__ void reverse(const int *in, int *out) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = in[global_rank()];
    __syncthreads();
    out[global_rank()] = s[n - 1 - t];
}

/* every thread keeps a divergent, an affine and a uniform value over three barriers */
__global__ void rotate(const int *in, int *out, int factor) {
    __shared__ int s[MOST];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int mine = in[global_rank()], scaled = mine * factor;
    int keep[4] = {mine, mine ^ 5, int(t) * 3, factor};
    s[t] = mine;
    __syncthreads();
    int right = s[(t + 1) % n];
    __syncthreads();
    s[t] = right + scaled;
    __syncthreads();
    int left = s[(t + n - 1) % n];
    keep[left & 3] += 7;
    out[global_rank()] = left + keep[0] + 2 * keep[1] + 3 * keep[2] + 4 * keep[3];
}

/* a group must not see what an earlier group has written for the next phase */
__global__ void write_after_read(int *data) {
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    int *mine = data + block_rank() * n;
    for (int i = 0; i < 3; i++) {
        int v = mine[(t + 1) % n];
        __syncthreads();
        mine[t] = v + 1;
        __syncthreads();
    }
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned blocks = 3;
        Random random(n);
        std::vector<int> in(blocks * n), back(in.size()), turned(in.size()), shifted(in.size());
        for (int &x : in) x = int(random.below(1000)) - 500;
        for (unsigned b = 0; b < blocks; b++)
            for (unsigned t = 0; t < n; t++) {
                const int *row = &in[b * n];
                back[b * n + t] = row[n - 1 - t];
                unsigned l = (t + n - 1) % n;
                int left = row[t] + row[l] * 11, mine = row[t];
                int keep[4] = {mine, mine ^ 5, int(t) * 3, 11};
                keep[left & 3] += 7;
                turned[b * n + t] = left + keep[0] + 2 * keep[1] + 3 * keep[2] + 4 * keep[3];
                shifted[b * n + t] = row[(t + 3) % n] + 3;
            }
        Buffer<int> din(in), dout(in.size());
        reverse<<<blocks, block>>>(din, dout);
        SAME(dout.get(), back);
        rotate<<<blocks, block>>>(din, dout, 11);
        SAME(dout.get(), turned);
        write_after_read<<<blocks, block>>>(din);
        SAME(din.get(), shifted);
    });
    return finish();
}
