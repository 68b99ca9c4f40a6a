// pathfinder.cu: cheapest paths down a grid; blocks of 256 columns advance 8 rows per launch, with
// halo.
#include "bench.h"

extern "C" void pathfinder_omp(const int *wall, const int *in, int *out, int n, int rows);
extern "C" void pathfinder_simd(const int *wall, const int *in, int *out, int n, int rows);
extern "C" void pathfinder_shape(const int *wall, const int *in, int *out, int n, int rows);

#define ROWS 8
#define INNER (256 - 2 * ROWS)

__global__ void pathfinder(const int *wall, const int *in, int *out, int n) {
    __shared__ int s[256], t[256];
    int x = threadIdx.x, col = blockIdx.x * INNER + x - ROWS;
    bool valid = col >= 0 && col < n;
    s[x] = valid ? in[col] : 1 << 29;
    __syncthreads();
    for (int row = 0; row < ROWS; row++) {
        if (valid && x > row && x < 255 - row)
            t[x] = min(s[x], min(s[x - 1], s[x + 1])) + wall[row * n + col];
        __syncthreads();
        if (valid && x > row && x < 255 - row) s[x] = t[x];
        __syncthreads();
    }
    if (valid && x >= ROWS && x < 256 - ROWS) out[col] = s[x];
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "pathfinder");
    int n = bench.small ? 1000 : 65536;
    int *wall = bench.ints(n * ROWS, 0, 10), *in = bench.ints(n, 0, 100);
    int *out = bench.output<int>(n, 0);
    return bench.run([&] { pathfinder<<<(n + INNER - 1) / INNER, 256>>>(wall, in, out, n); },
                     [&] { pathfinder_omp(wall, in, out, n, ROWS); },
                     [&] { pathfinder_simd(wall, in, out, n, ROWS); },
                     [&] { pathfinder_shape(wall, in, out, n, ROWS); });
}
