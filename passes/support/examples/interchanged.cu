// options: --cpu=x86-64-v3
__global__ void smooth_planes(float *x, const float *y, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    for (int k = 1; k < nz - 1; k++)
        x[(k * ny + j) * nx + i] = y[((k - 1) * ny + j) * nx + i] + y[((k + 1) * ny + j) * nx + i];
}
