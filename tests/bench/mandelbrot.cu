// mandelbrot.cu: iterations until escape; a divergent loop.
#include "bench.h"

extern "C" void mandelbrot_omp(int *out, int n, int limit);
extern "C" void mandelbrot_simd(int *out, int n, int limit);

__global__ void mandelbrot(int *out, int n, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= n || py >= n) return;
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    int i = 0;
    while (i < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        i++;
    }
    out[py * n + px] = i;
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "mandelbrot");
    int n = bench.small ? 64 : 256, limit = 256;
    // Rounding decides at the border of the set: the check is on the sums of rows.
    int *out = bench.array<int>(n * n), *sums = bench.output<int>(n, 0.1);
    auto rows = [&] {
        for (int y = 0; y < n; y++) {
            sums[y] = 0;
            for (int x = 0; x < n; x++) sums[y] += out[y * n + x];
        }
    };
    bool check = bench.check;
    return bench.run(
        [&] {
            mandelbrot<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(out, n, limit);
            if (check) cudaDeviceSynchronize(), rows();
        },
        [&] { mandelbrot_omp(out, n, limit); if (check) rows(); },
        [&] { mandelbrot_simd(out, n, limit); if (check) rows(); });
}
