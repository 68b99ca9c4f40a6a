// options: --cpu=x86-64-v3 --disable=trial
__global__ void norm(float *x, const float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = sqrtf(x[i] * x[i] + y[i] * y[i]) / (1 + x[i] * y[i]);
}
