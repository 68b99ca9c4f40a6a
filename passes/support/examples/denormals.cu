// options: --simd=8 -ftz=true
__global__ void mixed(float *x, double *y) {
    y[threadIdx.x] = y[threadIdx.x] * 0.5 + x[threadIdx.x];
}
