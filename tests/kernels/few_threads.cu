// A kernel with barriers whose groups are estimated several times as fast has no code of one lane where its blocks fill the lanes; it has
// where they leave most of them idle.
// REQUIRES: run
// RUN: %cucpu -Rcucpu -DTHREADS=5 %s -o %t > %t.few 2>&1 && FileCheck --check-prefix=FEW %s < %t.few && %run %t
// RUN: %cucpu -Rcucpu -DTHREADS=64 %s -o %t > %t.many 2>&1 && FileCheck --check-prefix=MANY %s < %t.many && %run %t
// FEW: few_threads.cu:[[# @LINE + 6]]:1: remark: code of one lane beside that of
// MANY-NOT: code of one lane beside
// MANY: few_threads.cu:[[# @LINE + 4]]:1: remark: {{[0-9]+}} lanes; estimate
// MANY-NOT: code of one lane beside
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
