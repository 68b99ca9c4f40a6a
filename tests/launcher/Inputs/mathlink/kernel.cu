// Powers and exponentials: vector code calls SLEEF for them.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void kernel(float *x, double *y) {
    int i = threadIdx.x;
    x[i] = powf(x[i], 1.5f);
    y[i] = exp(y[i]);
}

extern "C" int run(void) {
    float *x;
    double *y;
    if (cudaMallocManaged(&x, 64 * sizeof *x) != cudaSuccess) return 1;
    if (cudaMallocManaged(&y, 64 * sizeof *y) != cudaSuccess) return 1;
    for (int i = 0; i < 64; i++) x[i] = float(i), y[i] = i / 8.0;
    kernel<<<1, 64>>>(x, y);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        wrong +=
            fabs(x[i] - pow(i, 1.5)) > 1e-5 * pow(i, 1.5) || fabs(y[i] / exp(i / 8.0) - 1) > 1e-12;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
