// options: --simd=8
__global__ void put_four(float *y, const float *x, const int *index) {
    int at = index[threadIdx.x];
    for (int k = 0; k < 4; k++) y[at + k] = x[threadIdx.x] * k;
}
