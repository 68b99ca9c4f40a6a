// hotspot3D: temperature of a stack of chip layers: a 7-point stencil with a source term; a thread goes up the layers.
#include "../common/picture.h"

struct Model {
    float x, y, z, power, ambient;
};

__host__ __device__ inline float step_of(const Model &m, float c, float w, float e, float n, float s, float b, float t,
                                         float p) {
    float centre = 1 - 2 * (m.x + m.y + m.z);
    return centre * c + m.x * (w + e) + m.y * (n + s) + m.z * (b + t) + m.power * p + 0.002f * (m.ambient - c);
}

__global__ void step(Model m, const float *in, const float *power, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int i = y * nx + x, plane = nx * ny;
    int w = x == 0 ? 0 : -1, e = x == nx - 1 ? 0 : 1, n = y == 0 ? 0 : -nx, s = y == ny - 1 ? 0 : nx;
    float below = in[i], here = in[i];
    for (int z = 0; z < nz; z++, i += plane) {
        float above = z < nz - 1 ? in[i + plane] : here;
        out[i] = step_of(m, here, in[i + w], in[i + e], in[i + n], in[i + s], below, above, power[i]);
        below = here, here = above;
    }
}

static void step_openmp(Model m, const float *in, const float *power, float *out, int nx, int ny, int nz) {
#pragma omp parallel for collapse(2)
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++) {
            int plane = nx * ny, row = z * plane + y * nx;
            const float *c = in + row, *n = y ? c - nx : c, *s = y < ny - 1 ? c + nx : c;
            const float *b = z ? c - plane : c, *t = z < nz - 1 ? c + plane : c, *p = power + row;
            float *o = out + row;
            int l = nx - 1;
            o[0] = step_of(m, c[0], c[0], c[1], n[0], s[0], b[0], t[0], p[0]);
#pragma omp simd
            for (int x = 1; x < l; x++) o[x] = step_of(m, c[x], c[x - 1], c[x + 1], n[x], s[x], b[x], t[x], p[x]);
            o[l] = step_of(m, c[l], c[l - 1], c[l], n[l], s[l], b[l], t[l], p[l]);
        }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "hotspot3D", "temperature of a stack of chips", PICTURE);
    int nx = sample.pick(64, 256, 512), ny = sample.pick(40, 256, 512), nz = 8, steps = sample.pick(5, 10, 100);
    if (sample.picture) steps *= 30;
    Random random;
    std::vector<float> initial(size_t(nx) * ny * nz), power(initial.size()), t, next(initial.size());
    for (float &v : initial) v = 320 + random.next();
    for (int z = 0; z < nz; z++)
        for (int k = 0; k < 6; k++) { // units of each layer
            int w = nx / 8 + random.below(nx / 5), h = ny / 8 + random.below(ny / 5);
            int left = random.below(nx - w), top = random.below(ny - h);
            for (int y = top; y < top + h; y++)
                for (int x = left; x < left + w; x++) power[(size_t(z) * ny + y) * nx + x] = float(k) / 3;
        }
    Model m = {0.12f, 0.11f, 0.02f, 0.4f, 300};
    DeviceArray<float> a(initial), b(initial.size()), p(power);
    float *from = a, *to = b;
    dim3 block(64, 4), grid(divide_up(nx, 64), divide_up(ny, 4));
    Version cuda = {[&] { a.set(initial), from = a, to = b; },
                    [&] {
                        for (int k = 0; k < steps; k++, std::swap(from, to))
                            step<<<grid, block>>>(m, from, p, to, nx, ny, nz);
                    }};
    Version openmp = {[&] { t = initial; },
                      [&] {
                          for (int k = 0; k < steps; k++, t.swap(next))
                              step_openmp(m, t.data(), power.data(), next.data(), nx, ny, nz);
                      }};
    sample.run(cuda, openmp);
    auto got = from == a ? a.get() : b.get();
    sample.compare("temperatures", got, t, 1e-5);
    auto range = std::minmax_element(got.begin(), got.end());
    if (sample.picture) { // all layers, in two rows
        Picture picture(nz / 2 * (nx / 2 + 2), 2 * (ny / 2 + 2));
        for (int z = 0; z < nz; z++)
            for (int y = 0; y < ny; y += 2)
                for (int x = 0; x < nx; x += 2) {
                    float v = (got[(size_t(z) * ny + y) * nx + x] - *range.first) / (*range.second - *range.first);
                    picture.set(z % (nz / 2) * (nx / 2 + 2) + x / 2, z / (nz / 2) * (ny / 2 + 2) + y / 2, heat(v));
                }
        picture.write(sample);
    }
    return sample.done();
}
