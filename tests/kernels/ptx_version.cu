// cudaFuncGetAttributes names the architecture that the kernel was compiled for: libraries choose the sizes of blocks by it, and
// the kernel chooses the same by __CUDA_ARCH__.
// RUN: %cucpu %s -o %t && %t
// RUN: %cucpu -arch=sm_60 %s -o %t && %t
// RUN: %cucpu -arch=sm_90 -rdc=true %s -o %t && %t
#include <cstdio>
__global__ void arch(int *out) {
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}
int main() {
    int *out;
    cudaFuncAttributes a;
    cudaMallocManaged(&out, 4);
    arch<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaFuncGetAttributes(&a, arch);
    printf("%d, %d\n", *out, a.ptxVersion);
    return *out != 10 * a.ptxVersion;
}
