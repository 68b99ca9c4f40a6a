// All threads count in one word of shared memory, without an atomic operation.
#include <cstdio>

__global__ void count_even(const int *in, int n, int *result) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x < n && in[threadIdx.x] % 2 == 0) count++; // right: atomicAdd(&count, 1)
    __syncthreads();
    if (threadIdx.x == 0) *result = count;
}

int main() {
    int host[256], *in, *result, count;
    for (int i = 0; i < 256; i++) host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&result, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    count_even<<<1, 256>>>(in, 256, result);
    cudaMemcpy(&count, result, sizeof count, cudaMemcpyDeviceToHost);
    printf("even: %s\n", count == 128 ? "128" : "wrong");
    cudaFree(in);
    cudaFree(result);
}
