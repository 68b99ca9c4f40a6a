// options: --simd=8
__global__ void turn(float *x, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x;
    float v = x[t] * 2;
    tile[t] = v;
    __syncthreads();
    x[t] = v + tile[255 - t];
}
