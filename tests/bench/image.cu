// image.cu: kernels on bytes. OPERATION 0: threshold; 1: grey value, from three planes; 2: mean of 3 x 3 pixels.
#include "bench.h"

#ifndef OPERATION
#define OPERATION 2
#endif
typedef unsigned char Byte;
extern "C" void image_omp(const Byte *in, Byte *out, int width, int height);
extern "C" void image_simd(const Byte *in, Byte *out, int width, int height);

#if OPERATION == 0
__global__ void image(const Byte *in, Byte *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] > 100 ? in[i] : 0;
}
#elif OPERATION == 1
__global__ void image(const Byte *in, Byte *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (77 * in[i] + 150 * in[n + i] + 29 * in[2 * n + i]) >> 8;
}
#else
__global__ void image(const Byte *in, Byte *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum / 9;
}
#endif

int main(int argc, char **argv) {
    Bench bench(argc, argv, "image");
    int width = bench.small ? 100 : 512, height = bench.small ? 20 : 256, n = width * height;
    Byte *in = bench.array<Byte>(3 * n);
    for (int i = 0; i < 3 * n; i++) in[i] = (Byte)bench.random();
    Byte *out = bench.output<Byte>(n, 0);
    return bench.run(
#if OPERATION == 2
        [&] { image<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(in, out, width, height); },
#else
        [&] { image<<<(n + 255) / 256, 256>>>(in, out, n); },
#endif
        [&] { image_omp(in, out, width, height); }, [&] { image_simd(in, out, width, height); });
}
