// options: --simd=8
__global__ void halves(int *x) {
    int i = threadIdx.x;
    if (i < 20) __syncthreads();
    else if (i < 40) { x[i]++; __syncthreads(); }
    else __syncthreads();
    x[63 - i] = i;
}
