// fields.cu: float4 in, float4 out: each thread has a structure whose fields lie beside each other.
#include "bench.h"

extern "C" void fields_omp(const float4 *in, float4 *out, int n);
extern "C" void fields_simd(const float4 *in, float4 *out, int n);

__global__ void fields(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z) + v.w;
    out[i] = make_float4(v.x / length, v.y / length, v.z / length, length);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "fields");
    int n = bench.small ? 1000 : 20000;
    float4 *in = (float4 *)bench.floats(4 * n, 0.5f, 2), *out = (float4 *)bench.output<float>(4 * n, 1e-5);
    return bench.run([&] { fields<<<(n + 255) / 256, 256>>>(in, out, n); }, [&] { fields_omp(in, out, n); },
                     [&] { fields_simd(in, out, n); });
}
