// The old value of a counter is an index where its sum with a value of the lane is below a limit: the indices of active lanes
// are not consecutive.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %run %t
// RUN: %cucpu -O1 --simd=8 %s -o %t.8 && %run %t.8
// RUN: %also { %cucpu -O1 --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -O1 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
#include <cstdio>
__global__ void fill(int *n, const int *d, int limit, int *out, int *rank) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = atomicAdd(n, 1);
    rank[i] = k;
    if (k + d[i] < limit) out[k] = i + 1;
}
__global__ void fill2(int *n, const int *d, int limit, int *out, int *rank) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int add = d[i];
    int k = atomicAdd(n, 1);
    rank[i] = k;
    if (add + k < limit) out[k] = i + 1;
}
int main() {
    bool all = true;
    const int N = 256;
    int *n, *d, *out, *rank;
    cudaMallocManaged(&n, 4); cudaMallocManaged(&d, 4 * N); cudaMallocManaged(&out, 4 * N); cudaMallocManaged(&rank, 4 * N);
    for (int which = 0; which < 2; which++) {
        *n = 0;
        int want = 0, have = 0;
        for (int i = 0; i < N; i++) d[i] = i * 37 % 5 ? 0 : 1000, out[i] = 0;
        (which ? fill2 : fill)<<<N / 64, 64>>>(n, d, 500, out, rank);
        cudaDeviceSynchronize();
        bool ok = true;
        for (int i = 0; i < N; i++) want += d[i] == 0;
        for (int k = 0; k < N; k++)
            if (out[k]) have++, ok &= rank[out[k] - 1] == k;
        printf("%d: %d of %d, %s\n", which, have, want, ok ? "right" : "wrong");
        all &= ok && have == want;
    }
    return !all;
}
