// saxpy.cu: y = a * x + z; memory-bound, no barrier.
#include "bench.h"

extern "C" void saxpy_omp(float a, const float *x, const float *z, float *y, int n);
extern "C" void saxpy_simd(float a, const float *x, const float *z, float *y, int n);

__global__ void saxpy(float a, const float *x, const float *z, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + z[i];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "saxpy");
    int n = bench.small ? 1000 : 100000;
    float *x = bench.floats(n, -1, 1), *z = bench.floats(n, -1, 1);
    float *y = bench.output<float>(n, 1e-6);
    return bench.run([&] { saxpy<<<(n + 255) / 256, 256>>>(2.5f, x, z, y, n); },
                     [&] { saxpy_omp(2.5f, x, z, y, n); }, [&] { saxpy_simd(2.5f, x, z, y, n); });
}
