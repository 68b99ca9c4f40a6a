// mriq.cu: sums of sines and cosines over samples in constant memory (MRI reconstruction).
#include "bench.h"

struct Sample {
    float x, y, z, weight;
};
extern "C" void mriq_omp(const float *x, const float *y, const float *z, const Sample *k, int samples, float *qr, float *qi, int n);
extern "C" void mriq_simd(const float *x, const float *y, const float *z, const Sample *k, int samples, float *qr, float *qi, int n);

__constant__ Sample ck[64];

__global__ void mriq(const float *x, const float *y, const float *z, float *qr, float *qi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sx = x[i], sy = y[i], sz = z[i], r = 0, m = 0;
    for (int k = 0; k < 64; k++) {
        float angle = 6.2831853f * (ck[k].x * sx + ck[k].y * sy + ck[k].z * sz);
        r += ck[k].weight * cosf(angle);
        m += ck[k].weight * sinf(angle);
    }
    qr[i] = r;
    qi[i] = m;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "mriq");
    int n = bench.small ? 256 : 4096;
    float *x = bench.floats(n, -1, 1), *y = bench.floats(n, -1, 1), *z = bench.floats(n, -1, 1);
    Sample *k = (Sample *)bench.floats(4 * 64, -1, 1);
    cudaMemcpyToSymbol(ck, k, sizeof ck);
    float *qr = bench.output<float>(n, 1e-3), *qi = bench.output<float>(n, 1e-3);
    return bench.run([&] { mriq<<<n / 256, 256>>>(x, y, z, qr, qi); },
                     [&] { mriq_omp(x, y, z, k, 64, qr, qi, n); },
                     [&] { mriq_simd(x, y, z, k, 64, qr, qi, n); });
}
