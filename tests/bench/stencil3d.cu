// stencil3d.cu: seven points; each thread walks along z.
#include "bench.h"

extern "C" void stencil3d_omp(const float *in, float *out, int n);
extern "C" void stencil3d_simd(const float *in, float *out, int n);

__global__ void stencil3d(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
    int at = (n + y) * n + x, plane = n * n;
    float below = in[at - plane], here = in[at];
    for (int z = 1; z < n - 1; z++, at += plane) {
        float above = in[at + plane];
        out[at] = 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) - 0.6f * here;
        below = here;
        here = above;
    }
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "stencil3d");
    int n = bench.small ? 32 : 64;
    float *in = bench.floats(n * n * n, -1, 1), *out = bench.output<float>(n * n * n, 1e-5);
    return bench.run([&] { stencil3d<<<dim3(n / 32, n / 4), dim3(32, 4)>>>(in, out, n); },
                     [&] { stencil3d_omp(in, out, n); }, [&] { stencil3d_simd(in, out, n); });
}
