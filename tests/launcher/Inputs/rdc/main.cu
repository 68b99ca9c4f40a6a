#include <cstdio>
extern __device__ int offset;
extern __device__ int add_offset(int x);

__global__ void kernel(int *p) {
    offset += 40;
    *p = add_offset(100);
}

int main() {
    int *p, result = 0;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess) return 1;
    kernel<<<1, 1>>>(p);
    if (cudaMemcpy(&result, p, sizeof *p, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    std::printf("result %d\n", result);
}
