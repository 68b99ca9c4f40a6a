// Kernel and device function have the names that two.cu has, too: nothing of it may clash.
static __device__ int helper(int x) { return x + 1; }
static __global__ void kernel(int *p) { *p = helper(10); }

int one() {
    int *p, result = 0;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess) return -1;
    kernel<<<1, 1>>>(p);
    if (cudaMemcpy(&result, p, sizeof *p, cudaMemcpyDeviceToHost) != cudaSuccess) return -2;
    cudaFree(p);
    return result;
}
