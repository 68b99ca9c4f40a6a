// options: --simd=8
__device__ int depth(volatile int *list, int k) {
    return k < 0 ? 0 : 1 + depth(list, list[k]);
}
__global__ void depths(int *list, int *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = depth(list, i) * 2 + depth(list, i / 2);
}
