// A kernel with barriers whose blocks are known and leave most lanes idle has code of one lane beside that of several.
// REQUIRES: run
// RUN: for n in 5 7; do %cucpu -Rcucpu -DTHREADS=$n %s -o %t > %t.r 2>&1 && FileCheck %s < %t.r && %run %t || exit 1; done
// CHECK: few_threads.cu:[[# @LINE + 3]]:1: remark: {{.*}}: scalar variant beside that of
#include "check.h"

__global__ void smooth(const float *in, float *out, int rounds) {
    __shared__ float row[66];
    int t = threadIdx.x, n = blockDim.x;
    float v = in[blockIdx.x * n + t];
    for (int r = 0; r < rounds; r++) {
        row[t + 1] = v;
        __syncthreads();
        v = 0.5f * v + 0.25f * ((t ? row[t] : 0) + (t < n - 1 ? row[t + 2] : 0));
        __syncthreads();
    }
    out[blockIdx.x * n + t] = v;
}

int main() {
    enum { BLOCKS = 40, N = THREADS * BLOCKS, ROUNDS = 3 };
    float *in, *out;
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&out, N * sizeof *out);
    for (int i = 0; i < N; i++) in[i] = (float)(i * 7 % 64);
    for (int k = 0; k < 30; k++) {
        smooth<<<BLOCKS, THREADS>>>(in, out, ROUNDS);
        cudaDeviceSynchronize();
        for (int b = 0; b < BLOCKS; b++) {
            float v[THREADS], w[THREADS];
            for (int t = 0; t < THREADS; t++) v[t] = in[b * THREADS + t];
            for (int r = 0; r < ROUNDS; r++) {
                for (int t = 0; t < THREADS; t++) w[t] = 0.5f * v[t] + 0.25f * ((t ? v[t - 1] : 0) + (t < THREADS - 1 ? v[t + 1] : 0));
                for (int t = 0; t < THREADS; t++) v[t] = w[t];
            }
            for (int t = 0; t < THREADS; t++) CHECK(out[b * THREADS + t] == v[t]);
        }
    }
    return finish();
}
