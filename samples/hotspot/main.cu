// hotspot: temperature of a chip: a 5-point stencil with a source term, tiles with a halo in shared memory.
#include "../common/picture.h"

constexpr int TILE = 16;

struct Model {
    float power, vertical, horizontal, ambient;
};

__host__ __device__ inline float step_of(Model m, float c, float n, float s, float w, float e, float p) {
    return c + m.power * p + m.vertical * (n + s - 2 * c) + m.horizontal * (w + e - 2 * c) + 0.002f * (m.ambient - c);
}

__global__ void step(Model m, const float *in, const float *power, float *out, int n) {
    __shared__ float t[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int cx = min(x, n - 1), cy = min(y, n - 1);
    t[ty][tx] = in[cy * n + cx];
    if (threadIdx.x == 0) t[ty][0] = in[cy * n + max(cx - 1, 0)];
    if (threadIdx.x == TILE - 1) t[ty][TILE + 1] = in[cy * n + min(cx + 1, n - 1)];
    if (threadIdx.y == 0) t[0][tx] = in[max(cy - 1, 0) * n + cx];
    if (threadIdx.y == TILE - 1) t[TILE + 1][tx] = in[min(cy + 1, n - 1) * n + cx];
    __syncthreads();
    if (x >= n || y >= n) return;
    float c = t[ty][tx], north = t[ty - 1][tx], west = t[ty][tx - 1];
    float south = y == n - 1 ? c : t[ty + 1][tx], east = x == n - 1 ? c : t[ty][tx + 1];
    out[y * n + x] = step_of(m, c, north, south, west, east, power[y * n + x]);
}

static void step_openmp(Model m, const float *in, const float *power, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        const float *row = in + y * n, *above = y ? row - n : row, *below = y < n - 1 ? row + n : row;
        const float *watts = power + y * n;
        out[y * n] = step_of(m, row[0], above[0], below[0], row[0], row[1], watts[0]);
#pragma omp simd
        for (int x = 1; x < n - 1; x++)
            out[y * n + x] = step_of(m, row[x], above[x], below[x], row[x - 1], row[x + 1], watts[x]);
        int e = n - 1;
        out[y * n + e] = step_of(m, row[e], above[e], below[e], row[e - 1], row[e], watts[e]);
    }
}

/* A chip: some units that need much power, and noise. */
static void make_chip(std::vector<float> &t, std::vector<float> &power, int n) {
    Random random;
    for (float &v : t) v = 320 + 2 * random.next();
    for (float &v : power) v = 0.05f * random.next();
    for (int unit = 0; unit < 24; unit++) {
        int w = n / 16 + random.below(n / 5), h = n / 16 + random.below(n / 5);
        int left = random.below(n - w), top = random.below(n - h);
        float p = random.next() * random.next();
        for (int y = top; y < top + h; y++)
            for (int x = left; x < left + w; x++) power[size_t(y) * n + x] = p;
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "hotspot", "temperature of a chip", PICTURE | INPUT,
                  "n, then n * n temperatures and n * n powers, as text");
    int n = sample.pick(70, 1024, 4096), steps = sample.pick(10, 20, 60);
    std::vector<float> initial, power;
    if (sample.input) {
        Reader reader(sample);
        n = reader.integer(2, 16384);
        initial.resize(size_t(n) * n), power.resize(initial.size());
        for (float &v : initial) v = reader.number();
        for (float &v : power) v = reader.number();
    } else {
        initial.resize(size_t(n) * n), power.resize(initial.size());
        make_chip(initial, power, n);
    }
    if (sample.picture) steps *= 10;
    Model m = {0.5f, 0.2f, 0.24f, 300.0f};
    DeviceArray<float> a(initial), b(initial.size()), p(power);
    float *from = a, *to = b;
    dim3 block(TILE, TILE), grid(divide_up(n, TILE), divide_up(n, TILE));
    std::vector<float> t, next(initial.size());
    Version cuda = {[&] { a.set(initial), from = a, to = b; },
                    [&] {
                        for (int k = 0; k < steps; k++, std::swap(from, to))
                            step<<<grid, block>>>(m, from, p, to, n);
                    }};
    Version openmp = {[&] { t = initial; },
                      [&] {
                          for (int k = 0; k < steps; k++, t.swap(next))
                              step_openmp(m, t.data(), power.data(), next.data(), n);
                      }};
    sample.run(cuda, openmp);
    std::vector<float> got = from == a ? a.get() : b.get();
    sample.compare("temperatures", got, t, 1e-5);
    auto range = std::minmax_element(got.begin(), got.end());
    if (sample.picture) write_field(sample, got, n, n, *range.first, *range.second);
    return sample.done();
}
