// Exchanges within a warp over shared memory that is not volatile, without
// __syncwarp: lanes run in step, as on a GPU.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

template <class T, unsigned N> struct Halves {
    static __device__ void add(T *s, T *out) {
        if (N > 16) __syncthreads();
        if (threadIdx.x < N) {
            s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + N];
            Halves<T, N / 2>::add(s, out);
        }
    }
};
template <class T> struct Halves<T, 0> {
    static __device__ void add(T *s, T *out) { out[blockIdx.x] = s[0]; }
};

template <class T> __global__ void sum(const int *in, T *out) {
    __shared__ T s[256];
    s[threadIdx.x] = T(in[blockIdx.x * 256 + threadIdx.x]);
    Halves<T, 128>::add(s, out);
}

/* Each warp its own scan. */
__global__ void scan(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    if (lane >= 1) s[t] += s[t - 1];
    if (lane >= 2) s[t] += s[t - 2];
    if (lane >= 4) s[t] += s[t - 4];
    if (lane >= 8) s[t] += s[t - 8];
    if (lane >= 16) s[t] += s[t - 16];
    out[i] = s[t];
}

/* Eight threads go through rows of their tile, then through its columns. */
__global__ void turn(const int *in, int *out) {
    __shared__ int s[8][33];
    int t = threadIdx.x, low = t & 7, high = t & ~7;
    int *down = &s[0][t], *across = &s[low][high];
    for (int i = 0; i < 8; i++) down[i * 33] = in[i * 32 + t];
    int sum = 0, row[8];
    for (int i = 0; i < 8; i++) sum += row[i] = across[i];
    for (int i = 0; i < 8; i++) across[i] = row[i] + sum;
    for (int i = 0; i < 8; i++) out[i * 32 + t] = down[i * 33];
}

static void test_turn(const int *in) {
    int *out;
    CUDA(cudaMallocManaged(&out, 256 * sizeof *out));
    turn<<<1, 32>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 256; i++) {
        int sum = 0;
        for (int k = 0; k < 8; k++) sum += in[i / 8 * 8 + k];
        CHECK(out[i] == in[i] + sum);
    }
}

static int start(int i) { return i * 7 % 31 - 9; }

int main() {
    const int n = 1024;
    int *in, *sums, *scanned;
    double *reals;
    CUDA(cudaMallocManaged(&in, n * sizeof *in));
    CUDA(cudaMallocManaged(&sums, 4 * sizeof *sums));
    CUDA(cudaMallocManaged(&reals, 4 * sizeof *reals));
    CUDA(cudaMallocManaged(&scanned, n * sizeof *scanned));
    for (int i = 0; i < n; i++) in[i] = start(i);
    sum<<<n / 256, 256>>>(in, sums);
    sum<<<n / 256, 256>>>(in, reals);
    scan<<<n / 256, 256>>>(in, scanned);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < n / 256; b++) {
        int expect = 0;
        for (int i = 0; i < 256; i++) expect += start(b * 256 + i);
        CHECK(sums[b] == expect);
        CHECK(reals[b] == expect);
    }
    for (int i = 0, expect = 0; i < n; i++) {
        expect = (i % 32 ? expect : 0) + start(i);
        CHECK(scanned[i] == expect);
    }
    test_turn(in);
    return finish();
}
