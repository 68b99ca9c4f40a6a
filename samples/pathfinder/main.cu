// pathfinder: the cheapest way down a grid of costs; each launch does several rows on a shrinking tile.
#include "../common/sample.h"
#include <algorithm>
#include <climits>

constexpr int THREADS = 256, ROWS = 16;

__global__ void descend(const int *costs, const int *from, int *to, int width, int first, int rows) {
    __shared__ int now[THREADS], next[THREADS];
    int t = threadIdx.x, inner = THREADS - 2 * ROWS;
    int x = blockIdx.x * inner + t - ROWS;
    bool inside = x >= 0 && x < width;
    now[t] = inside ? from[x] : INT_MAX;
    __syncthreads();
    for (int r = 0; r < rows; r++) {
        if (inside) {
            int best = now[t];
            if (t > 0) best = min(best, now[t - 1]);
            if (t < THREADS - 1) best = min(best, now[t + 1]);
            next[t] = best == INT_MAX ? best : best + costs[(first + r) * width + x];
        } else {
            next[t] = INT_MAX;
        }
        __syncthreads();
        now[t] = next[t];
        __syncthreads();
    }
    if (inside && t >= ROWS && t < THREADS - ROWS) to[x] = now[t];
}

int main(int argc, char **argv) {
    int width = sample_size(argc, argv, 200000), height = 101;
    Numbers numbers;
    std::vector<int> costs(size_t(width) * height);
    for (int &c : costs) c = numbers.below(10);
    std::vector<int> want(costs.begin(), costs.begin() + width), last;
    DeviceArray<int> all(costs), a(want), b(width);
    int *from = a, *to = b, blocks = (width + THREADS - 2 * ROWS - 1) / (THREADS - 2 * ROWS);
    Stopwatch watch;
    for (int y = 1; y < height; y += ROWS, std::swap(from, to))
        descend<<<blocks, THREADS>>>(all, from, to, width, y, std::min(ROWS, height - y));
    double ms = watch.stop();
    for (int y = 1; y < height; y++) {
        last = want;
        for (int x = 0; x < width; x++) {
            int best = last[x];
            if (x > 0) best = std::min(best, last[x - 1]);
            if (x < width - 1) best = std::min(best, last[x + 1]);
            want[x] = best + costs[size_t(y) * width + x];
        }
    }
    auto got = from == a.data ? a.get() : b.get();
    size_t wrong = 0;
    for (int x = 0; x < width; x++) wrong += got[x] != want[x];
    return verdict("pathfinder", wrong, ms);
}
