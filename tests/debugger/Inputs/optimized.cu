#include <cstdio>

__device__ int twice(int v) {
    int doubled = v * 2;
    return doubled;
}

__global__ void steps(int *a, const int *b, int n) {
    __shared__ int tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = a[i], three[3] = {v, v + 1, v + 2};
    if (v & 1) {
        v = twice(v);
        a[i] = v;
    } else {
        a[i] = b[v & 63];
    }
    tile[threadIdx.x] = v;
    __syncthreads();
    int sum = tile[63 - threadIdx.x];
    for (int j = 0; j < (i & 7); j++) sum += b[j + v % 7] + three[j % 3];
    a[i] += sum;
}

int main() {
    int *a, *b;
    cudaMallocManaged(&a, 512);
    cudaMallocManaged(&b, 512);
    for (int k = 0; k < 128; k++) a[k] = k + 100, b[k] = 3 * k;
    steps<<<2, 64>>>(a, b, 128);
    cudaDeviceSynchronize();
    printf("%d %d %s\n", a[5], a[99], cudaGetErrorString(cudaGetLastError()));
}
