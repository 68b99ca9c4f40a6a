// gaussian: a linear system by Gaussian elimination without pivoting: two launches per column, then back substitution.
#include "../common/sample.h"

/* The multipliers of column k for the rows below it. */
__global__ void multipliers(const float *a, float *m, int n, int k) {
    int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) m[i] = a[i * n + k] / a[k * n + k];
}

__global__ void eliminate(float *a, float *b, const float *m, int n, int k) {
    int j = k + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    a[i * n + j] -= m[i] * a[k * n + j];
    if (j == k) b[i] -= m[i] * b[k];
}

static void eliminate_openmp(float *a, float *b, int n) {
    for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for
        for (int i = k + 1; i < n; i++) {
            float f = a[i * n + k] / a[k * n + k];
#pragma omp simd
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
}

static std::vector<float> substitute(const std::vector<float> &a, std::vector<float> b, int n) {
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[size_t(i) * n + j] * b[j];
        b[i] /= a[size_t(i) * n + i];
    }
    return b;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "gaussian", "Gaussian elimination", INPUT,
                  "n, then n * n coefficients and n right hand sides, as text");
    int n = sample.pick(70, 512, 2048);
    std::vector<float> a, b;
    if (sample.input) {
        Reader reader(sample);
        n = reader.integer(1, 16384);
        a.resize(size_t(n) * n), b.resize(n);
        for (float &v : a) v = reader.number();
        for (float &v : b) v = reader.number();
    } else { // what falls off from the diagonal, so that no pivots are needed
        a.resize(size_t(n) * n), b.resize(n);
        for (int i = 0; i < n * n; i++) a[i] = 10 * std::exp(-0.1f * float(std::abs(i / n - i % n)));
        for (int i = 0; i < n; i++) b[i] = 1 + 0.5f * std::sin(float(i));
    }
    std::vector<float> want_a, want_b;
    DeviceArray<float> da(a), db(b), dm(n);
    dim3 block(32, 8);
    Version cuda = {[&] { da.set(a), db.set(b); },
                    [&] {
                        for (int k = 0; k < n - 1; k++) {
                            multipliers<<<divide_up(n - k - 1, 256), 256>>>(da, dm, n, k);
                            dim3 grid(divide_up(n - k, 32), divide_up(n - k - 1, 8));
                            eliminate<<<grid, block>>>(da, db, dm, n, k);
                        }
                    }};
    Version openmp = {[&] { want_a = a, want_b = b; }, [&] { eliminate_openmp(want_a.data(), want_b.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("unknowns", substitute(da.get(), db.get(), n), substitute(want_a, want_b, n), 1e-3);
    return sample.done();
}
