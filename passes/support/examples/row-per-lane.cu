// options: --cpu=x86-64-v3 --disable=trial
__global__ void sum_rows(const int *x, int *sums, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < columns; k++) sum += x[row * columns + k];
    sums[row] = sum;
}
