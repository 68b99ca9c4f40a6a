#include <cstdio>

__device__ int twice(int v) {
    int w = 2 * v;
    return w;
}

__global__ void shift(int *a, int n, float scale) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    int v = i < n ? twice(a[i]) : 0;
    tile[t] = v;
    __syncthreads();
    int left = t > 0 ? tile[t - 1] : -1;
    if (i < n) a[i] = left + v;
}

int main() {
    int *a;
    cudaMallocManaged(&a, 128 * sizeof(int));
    for (int i = 0; i < 128; i++) a[i] = i;
    shift<<<2, 64>>>(a, 128, 1.5f);
    cudaDeviceSynchronize();
    printf("%d %s\n", a[5], cudaGetErrorString(cudaGetLastError()));
}
