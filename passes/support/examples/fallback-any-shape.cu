// options: --simd=8
__global__ void chained(volatile int *ready, int *x) {
    if (threadIdx.y > 0) while (!ready[threadIdx.y - 1]) ;
    x[threadIdx.y * blockDim.x + threadIdx.x]++;
    __threadfence_block();
    if (threadIdx.x == 0) ready[threadIdx.y] = 1;
}
