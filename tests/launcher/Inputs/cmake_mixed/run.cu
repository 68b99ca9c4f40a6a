extern __device__ int twice(int);
__global__ void k(int *p, int v) { *p = twice(v); }
int run(int v) {
    int *p, r;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(p, v);
    cudaDeviceSynchronize();
    r = *p;
    cudaFree(p);
    return r;
}
