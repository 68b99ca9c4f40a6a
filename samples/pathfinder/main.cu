// pathfinder: the cheapest path down a grid of costs; each launch does several rows on a shrinking tile.
#include "../common/picture.h"
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

static void descend_openmp(const int *costs, const int *from, int *to, int width) {
    to[0] = std::min(from[0], from[1]) + costs[0];
#pragma omp parallel for simd
    for (int x = 1; x < width - 1; x++) to[x] = std::min(from[x], std::min(from[x - 1], from[x + 1])) + costs[x];
    to[width - 1] = std::min(from[width - 1], from[width - 2]) + costs[width - 1];
}

/* The costs, and the cheapest path in white, found again from the bottom. */
static void draw(const Sample &sample, const std::vector<int> &costs, int width, int height) {
    std::vector<int> sums(costs);
    for (int y = 1; y < height; y++)
        descend_openmp(&costs[size_t(y) * width], &sums[size_t(y - 1) * width], &sums[size_t(y) * width], width);
    int columns = std::min(width, 512);
    Picture p(columns, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < columns; x++)
            p.set(x, y, heat(float(costs[size_t(y) * width + x]) / 25 + float(sums[size_t(y) * width + x] % 16) / 40));
    int x = int(std::min_element(sums.end() - width, sums.end() - width + columns) - (sums.end() - width));
    for (int y = height - 1; y >= 0; y--) {
        p.set(x, y, grey(1));
        if (!y) break;
        const int *above = &sums[size_t(y - 1) * width];
        int best = x;
        for (int k = std::max(x - 1, 0); k <= std::min(x + 1, columns - 1); k++)
            if (above[k] < above[best]) best = k;
        x = best;
    }
    p.write(sample);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "pathfinder", "the cheapest path down a grid of costs", PICTURE);
    int width = sample.pick(5000, 200000, 1000000), height = sample.pick(51, 101, 501);
    Random random;
    std::vector<int> costs(size_t(width) * height);
    for (int &c : costs) c = random.below(10);
    std::vector<int> top(costs.begin(), costs.begin() + width), want, next(width);
    DeviceArray<int> all(costs), a(top), b(width);
    int *from = a, *to = b, blocks = divide_up(width, THREADS - 2 * ROWS);
    Version cuda = {[&] { a.set(top), from = a, to = b; },
                    [&] {
                        for (int y = 1; y < height; y += ROWS, std::swap(from, to))
                            descend<<<blocks, THREADS>>>(all, from, to, width, y, std::min(ROWS, height - y));
                    }};
    Version openmp = {[&] { want = top; },
                      [&] {
                          for (int y = 1; y < height; y++, want.swap(next))
                              descend_openmp(&costs[size_t(y) * width], want.data(), next.data(), width);
                      }};
    sample.run(cuda, openmp);
    sample.compare("costs", from == a ? a.get() : b.get(), want);
    if (sample.picture) draw(sample, costs, width, height);
    return sample.done();
}
