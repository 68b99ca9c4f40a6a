// options: --cpu=x86-64-v3
__global__ void histogram(int *bins, const unsigned char *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i]], 1);
}
