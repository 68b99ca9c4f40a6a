#include <cublas_v2.h>
#include <cstdio>

int main() {
    float *x, result = 0;
    cublasHandle_t handle;
    cudaMallocManaged(&x, 2 * sizeof(float));
    x[0] = 3, x[1] = 4;
    cublasCreate(&handle);
    cublasSnrm2(handle, 2, x, 1, &result);
    cudaDeviceSynchronize();
    printf("norm %g\n", result);
}
