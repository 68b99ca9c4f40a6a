// options: --cpu=x86-64-v2 --disable=trial
__global__ void permute(float *y, const float *x, const int *index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[index[i]] = x[index[i]];
}
