// needle.cu: Needleman and Wunsch's alignment on tiles of 16x16 by anti-diagonals, 16 threads each.
#include "bench.h"

extern "C" void needle_omp(const int *score, const int *border, int *out, int tiles);
extern "C" void needle_simd(const int *score, const int *border, int *out, int tiles);
extern "C" void needle_shape(const int *score, const int *border, int *out, int tiles);

#define GAP 10

// border: for each tile the corner, 16 values above, 16 values to the left.
__global__ void needle(const int *score, const int *border, int *out) {
    __shared__ int s[17][17], w[16][16];
    int t = threadIdx.x;
    const int *edge = border + blockIdx.x * 33;
    if (t == 0) s[0][0] = edge[0];
    s[0][t + 1] = edge[t + 1];
    s[t + 1][0] = edge[t + 17];
    for (int y = 0; y < 16; y++) w[y][t] = score[blockIdx.x * 256 + y * 16 + t];
    __syncthreads();
    for (int d = 0; d < 31; d++) {
        int y = t, x = d - t;
        if (x >= 0 && x < 16)
            s[y + 1][x + 1] = max(s[y][x] + w[y][x], max(s[y + 1][x] - GAP, s[y][x + 1] - GAP));
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) out[blockIdx.x * 256 + y * 16 + t] = s[y + 1][t + 1];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "needle");
    int tiles = bench.small ? 8 : 512;
    int *score = bench.ints(256 * tiles, -10, 10), *border = bench.ints(33 * tiles, -100, 100);
    int *out = bench.output<int>(256 * tiles, 0);
    return bench.run([&] { needle<<<tiles, 16>>>(score, border, out); },
                     [&] { needle_omp(score, border, out, tiles); },
                     [&] { needle_simd(score, border, out, tiles); },
                     [&] { needle_shape(score, border, out, tiles); });
}
