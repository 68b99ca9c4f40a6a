// options: --cpu=x86-64-v3
__global__ void along_x(const int *a, int *b, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    b[x * rows + y] = a[x * rows + y] + 1;
}
