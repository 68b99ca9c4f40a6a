// dct.cu: the DCT of AMD's SDK, which Karrenberg and Hack measured: the size of a block and the direction are arguments,
// and the direction selects between rows and columns of the matrix of cosines.
#include "../bench.h"

extern "C" void dct_omp(const float *in, const float *c, float *out, int n, int size, int inverse);

__global__ void dct(const float *in, const float *c, float *out, int n, int size, int inverse) {
    __shared__ float inter[64];
    int i = threadIdx.x, j = threadIdx.y, left = blockIdx.x * size, top = blockIdx.y * size;
    float sum = 0;
    for (int k = 0; k < size; k++) {
        int at = inverse ? i * size + k : k * size + i;
        sum += c[at] * in[(top + j) * n + left + k];
    }
    inter[j * size + i] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < size; k++) {
        int at = inverse ? j * size + k : k * size + j;
        sum += inter[k * size + i] * c[at];
    }
    out[(top + j) * n + left + i] = sum;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "dct");
    int n = bench.small ? 64 : 512, size = 8, inverse = 0;
    float *in = bench.floats(n * n, -128, 128), *c = bench.array<float>(64);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            c[k * 8 + i] = (k ? 0.5f : 0.35355339f) * cosf((2 * i + 1) * k * 3.14159265f / 16);
    float *out = bench.output<float>(n * n, 1e-4);
    return bench.run([&] { dct<<<dim3(n / 8, n / 8), dim3(8, 8)>>>(in, c, out, n, size, inverse); },
                     [&] { dct_omp(in, c, out, n, size, inverse); }, {});
}
