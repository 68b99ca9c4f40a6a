// srad: speckle-reducing anisotropic diffusion of an ultrasound image: two stencils per step.
#include "../common/picture.h"

constexpr float LAMBDA = 0.5f;

struct Slopes {
    float n, s, w, e;
};

__host__ __device__ inline Slopes slopes(const float *v, int x, int y, int n) {
    int i = y * n + x;
    float c = v[i];
    return {y ? v[i - n] - c : 0, y < n - 1 ? v[i + n] - c : 0, x ? v[i - 1] - c : 0, x < n - 1 ? v[i + 1] - c : 0};
}

/* How much a pixel diffuses: less where it differs from its neighbours by more than speckle does (q0). */
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

static void step_openmp(const float *v, float *k, float *out, int n, float q0) {
#pragma omp parallel for
    for (int y = 0; y < n; y++)
#pragma omp simd
        for (int x = 0; x < n; x++) k[y * n + x] = conduct(v, x, y, n, q0);
#pragma omp parallel for
    for (int y = 0; y < n; y++)
#pragma omp simd
        for (int x = 0; x < n; x++) out[y * n + x] = diffuse(v, k, x, y, n);
}

/* Tissue with some vessels in it, and speckle: noise that is multiplied. */
static void make_image(std::vector<float> &v, int n) {
    Random random;
    std::fill(v.begin(), v.end(), 0.45f);
    for (int k = 0; k < 14; k++) {
        float cx = random.next() * float(n), cy = random.next() * float(n), grey = random.next(0.15f, 0.95f);
        float rx = random.next(0.04f, 0.2f) * float(n), ry = random.next(0.04f, 0.2f) * float(n);
        for (int i = 0; i < n * n; i++) {
            float dx = (float(i % n) - cx) / rx, dy = (float(i / n) - cy) / ry;
            if (dx * dx + dy * dy < 1) v[i] = grey;
        }
    }
    for (float &x : v) x *= std::exp(0.3f * random.normal());
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "srad", "speckle-reducing diffusion of an image", PICTURE);
    int n = sample.pick(61, 512, 2048), steps = sample.pick(6, 20, 100);
    std::vector<float> image(size_t(n) * n), v, k(image.size()), next(image.size());
    make_image(image, n);
    DeviceArray<float> a(image), b(image.size()), dk(image.size());
    float *from = a, *to = b;
    dim3 block(32, 8), grid(divide_up(n, 32), divide_up(n, 8));
    auto q0 = [](int s) { return 0.09f * std::exp(-0.02f * float(s)); };
    if (sample.picture) steps *= 4;
    Version cuda = {[&] { a.set(image), from = a, to = b; },
                    [&] {
                        for (int s = 0; s < steps; s++, std::swap(from, to)) {
                            conductances<<<grid, block>>>(from, dk, n, q0(s));
                            diffusion<<<grid, block>>>(from, dk, to, n);
                        }
                    }};
    Version openmp = {[&] { v = image; },
                      [&] {
                          for (int s = 0; s < steps; s++, v.swap(next))
                              step_openmp(v.data(), k.data(), next.data(), n, q0(s));
                      }};
    sample.run(cuda, openmp);
    std::vector<float> got = from == a ? a.get() : b.get();
    sample.compare("pixels", got, v, 1e-3);
    if (sample.picture) { // the image before and after
        Picture p(2 * n + 4, n);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                p.set(x, y, grey(image[y * n + x]));
                p.set(n + 4 + x, y, grey(got[y * n + x]));
            }
        p.write(sample);
    }
    return sample.done();
}
