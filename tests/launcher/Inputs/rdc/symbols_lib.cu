__device__ int offset = 1;
__constant__ float factors[4];
static __device__ int own = 6;
static __global__ void kernel(int *p) { *p = own + offset; }

int library() {
    int value = 3, *p;
    if (cudaMemcpyToSymbol(own, &value, sizeof value) != cudaSuccess) return -1;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess) return -2;
    kernel<<<1, 1>>>(p);
    return cudaMemcpy(&value, p, sizeof *p, cudaMemcpyDeviceToHost) == cudaSuccess ? value : -3;
}
