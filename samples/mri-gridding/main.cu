// mri-gridding: samples of k-space at arbitrary positions are spread over a regular grid with a Kaiser-Bessel kernel.
// The samples are sorted by tiles of the grid; each block gathers the samples near its tile, without atomics.
#include "../common/picture.h"

constexpr int TILE = 8, CHUNK = TILE * TILE;
constexpr float RADIUS = 2, BETA = 9;

struct Measured {
    float x, y, re, im;
};

/* The modified Bessel function I0, as in Abramowitz and Stegun 9.8.1 and 9.8.2. */
__host__ __device__ inline float bessel_i0(float x) {
    if (x < 3.75f) {
        float t = x / 3.75f, u = t * t;
        return 1 + u * (3.5156229f + u * (3.0899424f + u * (1.2067492f + u * (0.2659732f + u * 0.0360768f))));
    }
    float u = 3.75f / x;
    return expf(x) / sqrtf(x) * (0.39894228f + u * (0.01328592f + u * (0.00225319f - u * 0.00157565f)));
}

__host__ __device__ inline float kernel_value(float dx, float dy) {
    float d = (dx * dx + dy * dy) / (RADIUS * RADIUS);
    return d < 1 ? bessel_i0(BETA * sqrtf(1 - d)) * 1e-3f : 0;
}

/* first[t] .. first[t + 1] - 1 are the samples of tile t; tiles are n / TILE by n / TILE */
__global__ void gather(const Measured *samples, const int *first, float2 *grid, int n) {
    __shared__ Measured s[CHUNK];
    int tiles = n / TILE, id = threadIdx.y * TILE + threadIdx.x;
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float2 sum = {0, 0};
    for (int ty = max(int(blockIdx.y) - 1, 0); ty <= min(int(blockIdx.y) + 1, tiles - 1); ty++) {
        int begin = first[ty * tiles + max(int(blockIdx.x) - 1, 0)];
        int end = first[ty * tiles + min(int(blockIdx.x) + 1, tiles - 1) + 1];
        for (int at = begin; at < end; at += CHUNK) {
            int count = min(CHUNK, end - at);
            if (id < count) s[id] = samples[at + id];
            __syncthreads();
            for (int k = 0; k < count; k++) {
                float w = kernel_value(s[k].x - float(x), s[k].y - float(y));
                sum.x += w * s[k].re, sum.y += w * s[k].im;
            }
            __syncthreads();
        }
    }
    grid[y * n + x] = sum;
}

/* Each tile is the work of one thread, which scatters the samples near it into its own elements. */
static void gridding_openmp(const Measured *samples, const int *first, float2 *grid, int n) {
    int tiles = n / TILE;
#pragma omp parallel for collapse(2) schedule(dynamic)
    for (int by = 0; by < tiles; by++)
        for (int bx = 0; bx < tiles; bx++) {
            float2 sums[TILE][TILE] = {};
            for (int ty = std::max(by - 1, 0); ty <= std::min(by + 1, tiles - 1); ty++)
                for (int k = first[ty * tiles + std::max(bx - 1, 0)];
                     k < first[ty * tiles + std::min(bx + 1, tiles - 1) + 1]; k++) {
                    Measured m = samples[k];
                    int x0 = std::max(int(std::ceil(m.x - RADIUS)) - bx * TILE, 0);
                    int y0 = std::max(int(std::ceil(m.y - RADIUS)) - by * TILE, 0);
                    int x1 = std::min(int(std::floor(m.x + RADIUS)) - bx * TILE, TILE - 1);
                    int y1 = std::min(int(std::floor(m.y + RADIUS)) - by * TILE, TILE - 1);
                    for (int y = y0; y <= y1; y++)
                        for (int x = x0; x <= x1; x++) {
                            float w = kernel_value(m.x - float(bx * TILE + x), m.y - float(by * TILE + y));
                            sums[y][x].x += w * m.re, sums[y][x].y += w * m.im;
                        }
                }
            for (int y = 0; y < TILE; y++)
                for (int x = 0; x < TILE; x++) grid[(by * TILE + y) * n + bx * TILE + x] = sums[y][x];
        }
}

/* Spokes through the centre, as a radial scan measures them; sorted by tiles. */
static std::vector<Measured> scan(int n, int spokes, std::vector<int> &first) {
    int tiles = n / TILE;
    std::vector<std::vector<Measured>> bins(size_t(tiles) * tiles);
    for (int s = 0; s < spokes; s++)
        for (int k = 0; k < n; k++) {
            float r = float(k) - 0.5f * float(n), angle = 3.14159265f * float(s) / float(spokes);
            float x = 0.5f * float(n) + r * std::cos(angle), y = 0.5f * float(n) + r * std::sin(angle);
            if (x < 0 || y < 0 || x >= float(n) || y >= float(n)) continue;
            float magnitude = std::exp(-r * r / float(n * n) * 8) * (0.2f + std::fabs(std::sin(0.5f * r)));
            bins[int(y) / TILE * tiles + int(x) / TILE].push_back({x, y, magnitude, magnitude * std::sin(angle)});
        }
    std::vector<Measured> all;
    for (auto &bin : bins) {
        first.push_back(int(all.size()));
        all.insert(all.end(), bin.begin(), bin.end());
    }
    first.push_back(int(all.size()));
    return all;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "mri-gridding", "samples of k-space onto a regular grid", PICTURE);
    int n = sample.pick(64, 256, 512), spokes = sample.pick(30, 64, 600);
    std::vector<int> first;
    std::vector<Measured> measured = scan(n, spokes, first);
    std::vector<float2> want(size_t(n) * n);
    DeviceArray<Measured> samples(measured);
    DeviceArray<int> dfirst(first);
    DeviceArray<float2> grid(want.size());
    Version cuda = {[&] { grid.zero(); },
                    [&] { gather<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(samples, dfirst, grid, n); }};
    sample.run(cuda, {[] {}, [&] { gridding_openmp(measured.data(), first.data(), want.data(), n); }});
    auto parts = [](const std::vector<float2> &v) {
        std::vector<float> f;
        for (float2 c : v) f.push_back(c.x), f.push_back(c.y);
        return f;
    };
    std::vector<float> got = parts(grid.get());
    sample.compare("values", got, parts(want), 1e-3);
    if (sample.picture) {
        std::vector<float> magnitude;
        for (size_t i = 0; i < got.size(); i += 2) magnitude.push_back(std::log(1 + std::hypot(got[i], got[i + 1])));
        write_field(sample, magnitude, n, n, 0, *std::max_element(magnitude.begin(), magnitude.end()));
    }
    return sample.done();
}
