// options: --simd=8
__global__ void sum(float *total, const float *x) {
    atomicAdd(total, x[threadIdx.x]);
}
