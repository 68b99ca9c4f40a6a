// Variables of another file, used by kernels and by host code; static ones of the same name.
#include <cstdio>
extern __device__ int offset;
extern __constant__ float factors[4];
static __device__ int own = 5;
static __global__ void kernel(int *p) { *p = offset + (int)factors[1] + own; }
int library();

int main() {
    int value = 7, result = 0, *p;
    float host_factors[4] = {1, 2, 3, 4};
    if (library() != 4) return 1;
    if (cudaMemcpyToSymbol(offset, &value, sizeof value) != cudaSuccess) return 2;
    if (cudaMemcpyToSymbol(factors, host_factors, sizeof host_factors) != cudaSuccess) return 3;
    value = 100;
    if (cudaMemcpyToSymbol(own, &value, sizeof value) != cudaSuccess) return 4;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess) return 5;
    kernel<<<1, 1>>>(p);
    if (cudaMemcpy(&result, p, sizeof *p, cudaMemcpyDeviceToHost) != cudaSuccess) return 6;
    std::printf("symbols %d\n", result);
}
