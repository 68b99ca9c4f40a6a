// options: --simd=8
__global__ void any_negative(float *x, int *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = __any_sync(~0u, x[i] < 0);
}
