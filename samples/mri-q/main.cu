// mri-q: the matrix Q of a non-Cartesian MRI reconstruction: for each voxel a sum over all samples of k-space.
#include "../common/picture.h"

constexpr int CHUNK = 512, THREADS = 256;
constexpr float TWO_PI = 6.2831853071795864f;

struct Point {
    float x, y, z, magnitude;
};

__constant__ Point k_space[CHUNK];

__global__ void add_chunk(const float *x, const float *y, const float *z, float *re, float *im, int voxels, int count) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= voxels) return;
    float px = x[i], py = y[i], pz = z[i], r = re[i], m = im[i];
    for (int k = 0; k < count; k++) {
        float s, c, phase = TWO_PI * (k_space[k].x * px + k_space[k].y * py + k_space[k].z * pz);
        __sincosf(phase, &s, &c);
        r += k_space[k].magnitude * c;
        m += k_space[k].magnitude * s;
    }
    re[i] = r, im[i] = m;
}

static void q_openmp(const std::vector<Point> &points, const float *x, const float *y, const float *z, float *re,
                     float *im, int voxels) {
#pragma omp parallel for
    for (int i = 0; i < voxels; i++) {
        float r = 0, m = 0;
        for (size_t k = 0; k < points.size(); k++) {
            float phase = TWO_PI * (points[k].x * x[i] + points[k].y * y[i] + points[k].z * z[i]);
            r += points[k].magnitude * std::cos(phase);
            m += points[k].magnitude * std::sin(phase);
        }
        re[i] = r, im[i] = m;
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "mri-q", "the matrix Q of an MRI reconstruction", PICTURE);
    int side = sample.pick(8, 20, 64), voxels = sample.picture ? 256 * 256 : side * side * side;
    int samples = sample.pick(300, 2048, 3072);
    Random random;
    std::vector<Point> points(samples);
    for (int k = 0; k < samples; k++) { // a spiral
        float t = float(k) / float(samples), r = 0.5f * t, angle = 60 * t;
        float magnitude = random.next(0.5f, 1) / float(samples);
        points[k] = {r * std::cos(angle), r * std::sin(angle), 0.5f * t - 0.25f, magnitude};
    }
    std::vector<float> x(voxels), y(voxels), z(voxels), re(voxels), im(voxels);
    for (int i = 0; i < voxels; i++) {
        if (sample.picture) x[i] = 0.12f * float(i % 256 - 128), y[i] = 0.12f * float(i / 256 - 128);
        else x[i] = float(i % side), y[i] = float(i / side % side), z[i] = float(i / side / side);
    }
    DeviceArray<float> dx(x), dy(y), dz(z), dre(voxels), dim(voxels);
    Version cuda = {[&] { dre.zero(), dim.zero(); },
                    [&] {
                        for (int k = 0; k < samples; k += CHUNK) {
                            int count = std::min(CHUNK, samples - k);
                            CUDA(cudaMemcpyToSymbolAsync(k_space, &points[k], size_t(count) * sizeof(Point)));
                            add_chunk<<<divide_up(voxels, THREADS), THREADS>>>(dx, dy, dz, dre, dim, voxels, count);
                        }
                    }};
    Version openmp = {[] {}, [&] { q_openmp(points, x.data(), y.data(), z.data(), re.data(), im.data(), voxels); }};
    sample.run(cuda, openmp);
    sample.compare("real parts", dre.get(), re, 1e-3);
    sample.compare("imaginary parts", dim.get(), im, 1e-3);
    if (sample.picture) write_field(sample, dre.get(), 256, 256, -0.12f, 0.12f, signs);
    return sample.done();
}
