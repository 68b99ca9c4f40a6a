// transpose.cu: through padded tiles of shared memory, 32x8 threads for 32x32 values.
#include "bench.h"

extern "C" void transpose_omp(const float *in, float *out, int n);
extern "C" void transpose_simd(const float *in, float *out, int n);
extern "C" void transpose_shape(const float *in, float *out, int n);

__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "transpose");
    int n = bench.small ? 64 : 480;
    float *in = bench.floats(n * n, 0, 1), *out = bench.output<float>(n * n, 0);
    return bench.run([&] { transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n); },
                     [&] { transpose_omp(in, out, n); }, [&] { transpose_simd(in, out, n); },
                     [&] { transpose_shape(in, out, n); });
}
