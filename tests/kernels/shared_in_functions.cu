// Functions that are not inlined (recursion, indirect calls) use shared variables and dynamic shared memory: the kernel's own,
// in kernels with and without other variables.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>

__shared__ int common[32];
extern __shared__ int dynamic[];

__device__ __noinline__ int visit(int n) {
    common[threadIdx.x] += n;
    dynamic[threadIdx.x] += 1;
    return n < 1 ? 0 : n + visit(n - 1) + visit(n - 2);
}

typedef int (*Read)(int);
__device__ int twice(int n) { return common[n] * 2 + dynamic[n]; }
__device__ int thrice(int n) { return common[n] * 3 - dynamic[n]; }
__device__ Read reads[2] = {twice, thrice};

__global__ void with_own(int *out) {
    __shared__ int own[64];
    int t = threadIdx.x;
    own[t] = own[t + 32] = t;
    common[t] = dynamic[t] = 0;
    __syncthreads();
    int sum = visit(t % 5);
    __syncthreads();
    out[t] = sum + reads[t & 1](31 - t) * 1000 + own[(t + 33) % 64] * 1000000;
}

__global__ void without(int *out) {
    int t = threadIdx.x;
    common[t] = t;
    dynamic[t] = 1;
    __syncthreads();
    out[t] = reads[t % 3 == 0](31 - t);
}

static int sum_of(int n, int *visited, int *calls) {
    *visited += n, ++*calls;
    return n < 1 ? 0 : n + sum_of(n - 1, visited, calls) + sum_of(n - 2, visited, calls);
}

int main() {
    int *out, bad = 0;
    cudaMallocManaged(&out, 32 * sizeof(int));
    with_own<<<1, 32, 32 * sizeof(int)>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; t++) {
        int visited = 0, calls = 0, other = 0, other_calls = 0;
        int sum = sum_of(t % 5, &visited, &calls);
        sum_of((31 - t) % 5, &other, &other_calls);
        int read = t & 1 ? other * 3 - other_calls : other * 2 + other_calls;
        bad += out[t] != sum + read * 1000 + (t + 33) % 64 % 32 * 1000000;
    }
    without<<<1, 32, 32 * sizeof(int)>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; t++) bad += out[t] != (t % 3 ? (31 - t) * 2 + 1 : (31 - t) * 3 - 1);
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad;
}
