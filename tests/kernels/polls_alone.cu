// REQUIRES: run
// RUN: %cucpu -O3 --simd=16 %s -o %t && env CUCPU_NUM_THREADS=4 timeout 60 %run %t
// RUN: env CUCPU_NUM_THREADS=4 %S/Inputs/run_widths.sh %cucpu %s %t.w
#include <cstdio>
// Blocks hand a turn on: one thread polls by an atomic addition of 0, at a place that the lanes of its group have each for itself.  More
// blocks than workers: the loop lets go of its worker, as scalar code of the last lane (serialise_divergent_tail) would not.
__global__ void pass_on(int *turn, const int *seat, const int *place, float *out, const float *in, int n) {
    for (int s = blockIdx.x; s < n; s += gridDim.x) {
        float v = in[place[s * blockDim.x + threadIdx.x]];
        __syncthreads();
        if (threadIdx.x == 5) {
            const int at = seat[s * blockDim.x + threadIdx.x];
            while (atomicAdd(&turn[at], 0) == 0) {}
            atomicAdd(&turn[at + 1], 1);
        }
        __syncthreads();
        out[s * blockDim.x + threadIdx.x] = v;
    }
}
int main() {
    const int n = 50, block = 64;
    int *turn, *place, *seat; float *in, *out;
    cudaMallocManaged(&turn, (n + 1) * 4), cudaMallocManaged(&place, n * block * 4), cudaMallocManaged(&seat, n * block * 4), cudaMallocManaged(&in, n * block * 4), cudaMallocManaged(&out, n * block * 4);
    for (int i = 0; i <= n; i++) turn[i] = i == 0;
    for (int i = 0; i < n * block; i++) place[i] = i * 7 % (n * block), seat[i] = i / block, in[i] = i;
    pass_on<<<3, block>>>(turn, seat, place, out, in, n);
    if (cudaDeviceSynchronize() != cudaSuccess || turn[n] != 1) return 1;
    for (int i = 0; i < n * block; i++) if (out[i] != in[place[i]]) return 1;
    puts("ok");
}
