// options:
__device__ void step(int n, int *x) {
    alignas(64) int row[16];
    row[n] = x[n];
    __syncthreads();
    if (n) step(n - 1, x);
    x[n] = row[x[n]];
}
__global__ void steps(int *x) { step(3, x); }
