// options: --cpu=x86-64-v3
__global__ void warp_sums(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
    for (int n = 16; n; n /= 2) sum += __shfl_xor_sync(~0u, sum, n);
    x[i] = sum;
}
