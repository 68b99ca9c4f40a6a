// options:
__global__ void squares(const float *x, float *y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int q = 0; q < 4; q++)
        if (first + q < n) y[first + q] = x[first + q] * x[first + q];
}
