#include <cstdio>
__host__ __device__ int both(int v) {
    if (v > 2) return v;
    return 0;
}
template <typename T> __global__ void fill(T *p, int n) {
    int i = threadIdx.x;
    if (i < n && i > 1) p[i] = both(i);
}
__global__ void other(int *p) {
    p[threadIdx.x]++;
}
int main() {
    int *p;
    cudaMallocManaged(&p, 400);
    fill<<<1, 64>>>(p, 32);
    fill<<<1, 16>>>((short *)p, 8);
    other<<<2, 8>>>(p);
    cudaDeviceSynchronize();
    printf("%d\n", both(1) + both(5));
    cudaDeviceReset();
}
