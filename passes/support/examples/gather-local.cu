// options: --simd=8
__global__ void pick(int *x, const int *index) {
    int row[8];
    for (int k = 0; k < 8; k++) row[k] = x[k * blockDim.x + threadIdx.x];
    x[threadIdx.x] = row[index[threadIdx.x]];
}
