// options: --simd=8
__device__ int nodes(volatile int *left, volatile int *right, int k) {
    return k < 0 ? 0 : 1 + nodes(left, right, left[k]) * nodes(left, right, right[k]);
}
__global__ void sizes(int *left, int *right, int *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = nodes(left, right, i);
}
