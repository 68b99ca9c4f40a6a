// stencil: Jacobi iteration of a 7-point stencil in 3D; a thread goes along z and keeps the column in registers.
#include "../common/picture.h"

constexpr float C0 = 1.0f / 6, C1 = 1.0f / 6 / 6;

__global__ void jacobi(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    int plane = nx * ny, i = y * nx + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < nz - 1; z++) {
        i += plane;
        float above = in[i + plane];
        out[i] = (below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]) * C0 * 0.9f + here * C1 * 0.6f;
        below = here, here = above;
    }
}

static void jacobi_openmp(const float *in, float *out, int nx, int ny, int nz) {
    int plane = nx * ny;
#pragma omp parallel for
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
#pragma omp simd
            for (int x = 1; x < nx - 1; x++) {
                int i = z * plane + y * nx + x;
                out[i] = (in[i - plane] + in[i + plane] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]) * C0 * 0.9f +
                         in[i] * C1 * 0.6f;
            }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "stencil", "7-point stencil in 3D", PICTURE);
    int nx = sample.pick(67, 128, 512), ny = sample.pick(33, 128, 512), nz = sample.pick(17, 32, 64);
    int steps = sample.pick(4, 10, 50);
    Random random;
    std::vector<float> initial(size_t(nx) * ny * nz), t, next;
    for (size_t i = 0; i < initial.size(); i++) { // hot and cold balls
        int x = int(i) % nx, y = int(i) / nx % ny;
        float fx = 12 * float(x) / float(nx) , fy = 12 * float(y) / float(ny);
        initial[i] = 1 + std::sin(fx * fx * 0.25f) * std::cos(fy * 1.7f) + 0.2f * random.next();
    }
    DeviceArray<float> a(initial), b(initial);
    float *from = a, *to = b;
    dim3 block(32, 4), grid(divide_up(nx - 2, 32), divide_up(ny - 2, 4));
    Version cuda = {[&] { a.set(initial), b.set(initial), from = a, to = b; },
                    [&] {
                        for (int k = 0; k < steps; k++, std::swap(from, to))
                            jacobi<<<grid, block>>>(from, to, nx, ny, nz);
                    }};
    Version openmp = {[&] { t = next = initial; },
                      [&] {
                          for (int k = 0; k < steps; k++, t.swap(next))
                              jacobi_openmp(t.data(), next.data(), nx, ny, nz);
                      }};
    sample.run(cuda, openmp);
    std::vector<float> got = from == a ? a.get() : b.get();
    sample.compare("values", got, t, 1e-5);
    if (sample.picture) {
        std::vector<float> slice(got.begin() + nz / 2 * nx * ny, got.begin() + (nz / 2 + 1) * nx * ny);
        auto range = std::minmax_element(slice.begin(), slice.end());
        write_field(sample, slice, nx, ny, *range.first, *range.second);
    }
    return sample.done();
}
