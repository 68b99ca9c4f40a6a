// options: --cpu=x86-64-v3
__global__ void logs(float *x, float *y, bool wanted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > 0 && wanted) {
        y[i] = logf(x[i]);
        x[i] = 0;
    }
}
