// needleman_wunsch: global alignment of two sequences: the score table, one diagonal of tiles per launch.
#include "../common/sample.h"
#include <algorithm>

constexpr int TILE = 32, GAP = 2;

__host__ __device__ inline int match(char a, char b) { return a == b ? 3 : -1; }

/* table has (n + 1) columns; tile (tx, ty) with tx + ty == diagonal */
__global__ void align(int *table, const char *a, const char *b, int n, int diagonal, int first) {
    __shared__ int s[TILE + 1][TILE + 1];
    int t = threadIdx.x, tx = first + blockIdx.x, ty = diagonal - tx;
    int *corner = table + ty * TILE * (n + 1) + tx * TILE;
    s[0][t + 1] = corner[t + 1];
    s[t + 1][0] = corner[(t + 1) * (n + 1)];
    if (t == 0) s[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int x = t + 1, y = d - t + 1;
        if (y >= 1 && y <= TILE) {
            int diagonal_score = s[y - 1][x - 1] + match(a[ty * TILE + y - 1], b[tx * TILE + x - 1]);
            s[y][x] = max(diagonal_score, max(s[y - 1][x], s[y][x - 1]) - GAP);
        }
        __syncthreads();
    }
    for (int y = 1; y <= TILE; y++) corner[y * (n + 1) + t + 1] = s[y][t + 1];
}

int main(int argc, char **argv) {
    int n = (sample_size(argc, argv, 2048) + TILE - 1) / TILE * TILE, tiles = n / TILE;
    Numbers numbers;
    std::vector<char> a(n), b(n);
    for (char &c : a) c = "ACGT"[numbers.below(4)];
    for (char &c : b) c = "ACGT"[numbers.below(4)];
    std::vector<int> table(size_t(n + 1) * (n + 1));
    for (int i = 0; i <= n; i++) table[i] = table[size_t(i) * (n + 1)] = -GAP * i;
    DeviceArray<int> device(table);
    DeviceArray<char> da(a), db(b);
    Stopwatch watch;
    for (int d = 0; d < 2 * tiles - 1; d++) {
        int first = std::max(0, d - tiles + 1), count = std::min(d, tiles - 1) - first + 1;
        align<<<count, TILE>>>(device, da, db, n, d, first);
    }
    double ms = watch.stop();
    for (int y = 1; y <= n; y++)
        for (int x = 1; x <= n; x++) {
            int *at = &table[size_t(y) * (n + 1) + x];
            *at = std::max(at[-n - 2] + match(a[y - 1], b[x - 1]), std::max(at[-n - 1], at[-1]) - GAP);
        }
    auto got = device.get();
    size_t wrong = 0;
    for (size_t i = 0; i < table.size(); i++) wrong += got[i] != table[i];
    return verdict("needleman_wunsch", wrong, ms);
}
