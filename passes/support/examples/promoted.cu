// options: --cpu=x86-64-v3
__global__ void products(const float *a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += a[i * n + k] * x[k];
}
