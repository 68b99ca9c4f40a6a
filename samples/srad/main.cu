// srad: speckle-reducing anisotropic diffusion of an image: two stencils per step.
#include "../common/sample.h"
#include <algorithm>

constexpr int STEPS = 10;
constexpr float LAMBDA = 0.5f;

struct Slopes {
    float n, s, w, e;
};

__host__ __device__ inline Slopes slopes(const float *v, int x, int y, int n) {
    int i = y * n + x;
    float c = v[i];
    return {y ? v[i - n] - c : 0, y < n - 1 ? v[i + n] - c : 0, x ? v[i - 1] - c : 0, x < n - 1 ? v[i + 1] - c : 0};
}

__host__ __device__ inline float conduct(const float *v, int x, int y, int n, float q0) {
    float c = v[y * n + x];
    Slopes d = slopes(v, x, y, n);
    float g = (d.n * d.n + d.s * d.s + d.w * d.w + d.e * d.e) / (c * c);
    float l = (d.n + d.s + d.w + d.e) / c, half = 1 + 0.25f * l;
    float q = (0.5f * g - l * l / 16) / (half * half);
    float r = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return r < 0 ? 0 : r > 1 ? 1 : r;
}

__host__ __device__ inline float diffuse(const float *v, const float *k, int x, int y, int n) {
    int i = y * n + x;
    Slopes d = slopes(v, x, y, n);
    float south = y < n - 1 ? k[i + n] : k[i], east = x < n - 1 ? k[i + 1] : k[i];
    return v[i] + 0.25f * LAMBDA * (k[i] * (d.n + d.w) + south * d.s + east * d.e);
}

__global__ void conductances(const float *v, float *k, int n, float q0) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) k[y * n + x] = conduct(v, x, y, n, q0);
}

__global__ void diffusion(const float *v, const float *k, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[y * n + x] = diffuse(v, k, x, y, n);
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 512);
    Numbers numbers;
    std::vector<float> v(size_t(n) * n), k(v.size()), next(v.size());
    for (float &x : v) x = std::exp(numbers.next());
    DeviceArray<float> a(v), b(v.size()), dk(v.size());
    float *from = a, *to = b;
    const float q0 = 0.3f;
    dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
    Stopwatch watch;
    for (int s = 0; s < STEPS; s++, std::swap(from, to)) {
        conductances<<<grid, block>>>(from, dk, n, q0);
        diffusion<<<grid, block>>>(from, dk, to, n);
    }
    double ms = watch.stop();
    for (int s = 0; s < STEPS; s++, v.swap(next)) {
        for (int i = 0; i < n * n; i++) k[i] = conduct(v.data(), i % n, i / n, n, q0);
        for (int i = 0; i < n * n; i++) next[i] = diffuse(v.data(), k.data(), i % n, i / n, n);
    }
    return verdict("srad", count_wrong(STEPS % 2 ? b.get() : a.get(), v, 1e-4f), ms);
}
