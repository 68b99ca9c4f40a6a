// nested_if.cu: a cascade of divergent branches of different cost.
#include "bench.h"

extern "C" void nested_if_omp(const float *in, float *out, int n);
extern "C" void nested_if_simd(const float *in, float *out, int n);

__global__ void nested_if(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], r;
    if (x < 0.5f) {
        if (x < 0.25f) {
            if (x < 0.125f) r = sqrtf(x) + 1.0f;
            else r = 1.0f / (x + 1.0f);
        } else {
            r = x * x * x - 0.5f * x;
        }
    } else if (x < 0.75f) {
        r = (x - 0.5f) / (x + 0.5f);
    } else {
        r = x;
        for (int k = 0; k < 8; k++) r = r * x + 0.25f;
    }
    out[i] = r;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "nested_if");
    int n = bench.small ? 1000 : 65536;
    float *in = bench.floats(n, 0, 1), *out = bench.output<float>(n, 1e-5);
    return bench.run([&] { nested_if<<<(n + 255) / 256, 256>>>(in, out, n); },
                     [&] { nested_if_omp(in, out, n); },
                     [&] { nested_if_simd(in, out, n & ~15); nested_if_omp(in + (n & ~15), out + (n & ~15), n & 15); });
}
