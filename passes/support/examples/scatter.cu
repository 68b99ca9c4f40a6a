// options: --simd=8
__global__ void put(float *y, const float *x, const int *index) {
    y[index[threadIdx.x]] = x[threadIdx.x];
}
