// Exchanges within a warp over volatile memory, without any barrier: lanes run in step.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

__global__ void reduce(const int *in, int *out, int n) {
    __shared__ volatile int s[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < unsigned(n) ? in[i] : 0;
    __syncthreads();
    if (t < 128) s[t] = s[t] + s[t + 128];
    __syncthreads();
    if (t < 64) s[t] = s[t] + s[t + 64];
    __syncthreads();
    if (t < 32) {
        s[t] = s[t] + s[t + 32];
        s[t] = s[t] + s[t + 16];
        s[t] = s[t] + s[t + 8];
        s[t] = s[t] + s[t + 4];
        s[t] = s[t] + s[t + 2];
        s[t] = s[t] + s[t + 1];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

/* The same in global memory, unrolled and as a loop. */
__global__ void reduce_global(int *data, int *out, int n) {
    unsigned t = threadIdx.x;
    int *row = data + blockIdx.x * blockDim.x;
    for (unsigned d = blockDim.x / 2; d >= 64; d /= 2) {
        if (t < d) row[t] += row[t + d];
        __syncthreads();
    }
    if (t < 32) {
        volatile int *v = row;
        v[t] += v[t + 32];
        if (n % 2) {
            v[t] += v[t + 16];
            v[t] += v[t + 8];
            v[t] += v[t + 4];
            v[t] += v[t + 2];
            v[t] += v[t + 1];
        } else {
            for (int d = 16; d > 0; d >>= 1) v[t] += v[t + d];
        }
    }
    if (t == 0) atomicAdd(out, row[0]);
}

/* Memory that only the run tells: a pointer in a structure, one loaded from memory, shared or global. */
struct Rows {
    volatile int *data;
    int length;
};

__device__ void reduce_warp(volatile int *v, unsigned t) {
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
}

__global__ void reduce_member(Rows r, int *out) {
    volatile int *row = r.data + blockIdx.x * r.length;
    if (threadIdx.x < 32) reduce_warp(row, threadIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = row[0];
}

__global__ void reduce_loaded(int **rows, int *out) {
    if (threadIdx.x < 32) reduce_warp(rows[blockIdx.x], threadIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = rows[blockIdx.x][0];
}

__global__ void reduce_either(int *row, int *out, bool shared) {
    __shared__ int copy[64];
    copy[threadIdx.x] = row[threadIdx.x];
    __syncthreads();
    volatile int *v = shared ? copy : row;
    if (threadIdx.x < 32) reduce_warp(v, threadIdx.x);
    if (threadIdx.x == 0) *out = v[0];
}

static void test_unknown_memory() {
    int *data, **rows, *out;
    CUDA(cudaMallocManaged(&data, 128 * sizeof(int)));
    CUDA(cudaMallocManaged(&rows, 2 * sizeof(int *)));
    CUDA(cudaMallocManaged(&out, 2 * sizeof(int)));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 128; i++) data[i] = i;
        rows[0] = data, rows[1] = data + 64, out[1] = k < 2 ? 0 : 64 * 63 / 2 + 64 * 64;
        if (k == 0) reduce_member<<<2, 64>>>(Rows{data, 64}, out);
        if (k == 1) reduce_loaded<<<2, 64>>>(rows, out);
        if (k >= 2) reduce_either<<<1, 64>>>(data, out, k == 3);
        CUDA(cudaDeviceSynchronize());
        CHECK(out[0] == 64 * 63 / 2 && out[1] == 64 * 63 / 2 + 64 * 64);
    }
}

int main() {
    test_unknown_memory();
    int n = 10000, want = 0, *in, *out;
    CUDA(cudaMallocManaged(&in, n * 4));
    CUDA(cudaMallocManaged(&out, 4));
    *out = 0;
    for (int i = 0; i < n; i++) want += in[i] = i % 17 - 5;
    reduce<<<(n + 255) / 256, 256>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == want);
    for (int odd = 0; odd < 2; odd++) {
        for (int i = 0; i < 10000 / 128 * 128; i++) in[i] = i % 19 - 4;
        want = *out = 0;
        for (int i = 0; i < 10000 / 128 * 128; i++) want += in[i];
        reduce_global<<<n / 128, 128>>>(in, out, odd);
        CUDA(cudaDeviceSynchronize());
        CHECK(*out == want);
    }
    return finish();
}
