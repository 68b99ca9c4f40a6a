// The sums are added to, but nobody has set them to 0.
#include <cstdio>

__global__ void add_rows(const int *matrix, int *sums, int rows, int columns) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= columns) return;
    for (int y = 0; y < rows; y++) sums[x] += matrix[y * columns + x];
}

int main() {
    const int rows = 16, columns = 2;
    int *matrix, *sums;
    cudaMalloc(&matrix, rows * columns * sizeof(int));
    cudaMalloc(&sums, columns * sizeof(int)); // right: and cudaMemset(sums, 0, ...)
    cudaMemset(matrix, 1, rows * columns * sizeof(int));
    add_rows<<<1, columns>>>(matrix, sums, rows, columns);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(matrix);
    cudaFree(sums);
}
