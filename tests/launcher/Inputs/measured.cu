// The times of events and the attributes of a kernel as the program sees them, for profile_agrees.test.
#include <cstdio>
__global__ void __launch_bounds__(128) spin(float *p, int n) {
    __shared__ float tile[128];
    float v = p[threadIdx.x];
    for (int k = 0; k < n; k++) v = v * 0.999f + 1;
    tile[threadIdx.x] = v;
    __syncthreads();
    p[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
    float *p, ms;
    cudaEvent_t begin, end;
    cudaMalloc(&p, 512);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    spin<<<1, 128>>>(p, 10);
    cudaEventRecord(begin);
    spin<<<64, 128>>>(p, 500000);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    cudaFuncAttributes a;
    cudaFuncGetAttributes(&a, spin);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, spin, 128, 0);
    printf("%f %d %zu %d\n", ms, a.numRegs, a.sharedSizeBytes, blocks);
}
