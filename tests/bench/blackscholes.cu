// blackscholes.cu: European option prices; straight-line code with functions.
#include "bench.h"

extern "C" void blackscholes_omp(const float *s, const float *x, const float *t, float *call, float *put, int n);
extern "C" void blackscholes_simd(const float *s, const float *x, const float *t, float *call, float *put, int n);

__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1.0f - tail : tail;
}

__global__ void blackscholes(const float *s, const float *x, const float *t, float *call, float *put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float root = sqrtf(t[i]);
    float d1 = (logf(s[i] / x[i]) + (rate + 0.5f * volatility * volatility) * t[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal(d1), n2 = normal(d2), discount = expf(-rate * t[i]);
    call[i] = s[i] * n1 - x[i] * discount * n2;
    put[i] = x[i] * discount * (1.0f - n2) - s[i] * (1.0f - n1);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "blackscholes");
    int n = bench.small ? 1000 : 65536;
    float *s = bench.floats(n, 5, 30), *x = bench.floats(n, 1, 100), *t = bench.floats(n, 0.25f, 10);
    float *call = bench.output<float>(n, 1e-4), *put = bench.output<float>(n, 1e-4);
    return bench.run([&] { blackscholes<<<(n + 127) / 128, 128>>>(s, x, t, call, put, n); },
                     [&] { blackscholes_omp(s, x, t, call, put, n); },
                     [&] { blackscholes_simd(s, x, t, call, put, n & ~15); if (n & 15) blackscholes_omp(s + (n & ~15), x + (n & ~15), t + (n & ~15), call + (n & ~15), put + (n & ~15), n & 15); });
}
