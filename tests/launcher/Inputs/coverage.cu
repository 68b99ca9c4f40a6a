#include <cstdio>

__device__ int weight(int i) {
    if (i % 3 == 0)
        return 2;
    return 1;
}

__global__ void sum(int *out, int n) {
    __shared__ int part;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    if (i < n) {
        int s = 0;
        for (int k = 0; k < i % 4; k++)
            s += weight(k);
        atomicAdd(&part, s);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, part);
    if (n < 0)
        *out = -1;
}

int main() {
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    sum<<<5, 100>>>(out, 450);
    cudaDeviceSynchronize();
    printf("%d %s\n", *out, cudaGetErrorString(cudaGetLastError()));
}
