// options: --simd=8
__device__ int nodes(const int *left, const int *right, int k) {
    return k < 0 ? 0 : 1 + nodes(left, right, left[k]) + nodes(left, right, right[k]);
}
__global__ void sizes(const int *left, const int *right, int *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = nodes(left, right, i);
}
