// A reversal within a block: threads read what others write, without a barrier between.
#include <cstdio>

__global__ void reverse(int *data) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = data[t];
    data[t] = tile[63 - t]; // right: __syncthreads() before
}

int main() {
    int host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(data);
    int wrong = 0;
    for (int i = 0; i < 64; i++) wrong += host[i] != 63 - i;
    printf("%s\n", wrong ? "some are wrong" : "by luck all are right");
}
