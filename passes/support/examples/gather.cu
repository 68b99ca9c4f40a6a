// options: --simd=8
__global__ void take(float *y, const float *x, const int *index) {
    y[threadIdx.x] = x[index[threadIdx.x]];
}
