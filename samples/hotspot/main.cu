// hotspot: temperature of a chip: a 5-point stencil with a source term, tiles with a halo in shared memory.
#include "../common/sample.h"

constexpr int TILE = 16, STEPS = 20;

struct Model {
    float power, vertical, horizontal, ambient;
};

__host__ __device__ inline float step_of(Model m, float c, float n, float s, float w, float e, float p) {
    return c + m.power * p + m.vertical * (n + s - 2 * c) + m.horizontal * (w + e - 2 * c) + 0.01f * (m.ambient - c);
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

static void reference(Model m, std::vector<float> &t, const std::vector<float> &power, int n) {
    std::vector<float> next(t.size());
    for (int k = 0; k < STEPS; k++, t.swap(next))
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int i = y * n + x;
                float c = t[i], north = y ? t[i - n] : c, south = y < n - 1 ? t[i + n] : c;
                float west = x ? t[i - 1] : c, east = x < n - 1 ? t[i + 1] : c;
                next[i] = step_of(m, c, north, south, west, east, power[i]);
            }
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 1024);
    Model m = {0.5f, 0.1f, 0.15f, 80.0f};
    Numbers numbers;
    std::vector<float> t(size_t(n) * n), power(t.size());
    for (float &v : t) v = 320 + 20 * numbers.next();
    for (float &v : power) v = numbers.next();
    DeviceArray<float> a(t), b(t.size()), p(power);
    float *from = a, *to = b;
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    Stopwatch watch;
    for (int k = 0; k < STEPS; k++, std::swap(from, to)) step<<<grid, block>>>(m, from, p, to, n);
    double ms = watch.stop();
    reference(m, t, power, n);
    return verdict("hotspot", count_wrong(STEPS % 2 ? b.get() : a.get(), t, 1e-5f), ms);
}
