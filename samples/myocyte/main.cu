// myocyte: the action potential of heart muscle cells, by the model of Beeler and Reuter (1977): one thread integrates
// one cell; cells differ in the conductance of their slow inward current.  Gates by Rush and Larsen's exponential step.
#include "../common/picture.h"

constexpr int GATES = 6, SAMPLES = 512;
constexpr float DT = 0.02f; // ms

/* (c1 exp(c2 (v + c3)) + c4 (v + c5)) / (exp(c6 (v + c3)) + c7): opening and closing of x1, m, h, j, d, f */
struct Rate {
    float c1, c2, c3, c4, c5, c6, c7;
};
__host__ __device__ inline float rate(Rate r, float v) {
    return (r.c1 * expf(r.c2 * (v + r.c3)) + r.c4 * (v + r.c5)) / (expf(r.c6 * (v + r.c3)) + r.c7);
}
__host__ __device__ inline void rates(float v, float (&alpha)[GATES], float (&beta)[GATES]) {
    alpha[0] = rate({0.0005f, 0.083f, 50, 0, 0, 0.057f, 1}, v), beta[0] = rate({0.0013f, -0.06f, 20, 0, 0, -0.04f, 1}, v);
    float near = fabsf(v + 47) < 1e-3f ? v + 1e-2f : v; // 0/0 there
    alpha[1] = rate({0, 0, 47, -1, 47, -0.1f, -1}, near), beta[1] = rate({40, -0.056f, 72, 0, 0, 0, 0}, v);
    alpha[2] = rate({0.126f, -0.25f, 77, 0, 0, 0, 0}, v), beta[2] = rate({1.7f, 0, 22.5f, 0, 0, -0.082f, 1}, v);
    alpha[3] = rate({0.055f, -0.25f, 78, 0, 0, -0.2f, 1}, v), beta[3] = rate({0.3f, 0, 32, 0, 0, -0.1f, 1}, v);
    alpha[4] = rate({0.095f, -0.01f, -5, 0, 0, -0.072f, 1}, v), beta[4] = rate({0.07f, -0.017f, 44, 0, 0, 0.05f, 1}, v);
    alpha[5] = rate({0.012f, -0.008f, 28, 0, 0, 0.15f, 1}, v), beta[5] = rate({0.0065f, -0.02f, 30, 0, 0, -0.2f, 1}, v);
}

struct Cell {
    float v = -84.57f, calcium = 1.8e-7f, gate[GATES] = {0.0057f, 0.011f, 0.988f, 0.975f, 0.003f, 0.999f};
};

__host__ __device__ inline void step(Cell &c, float slow, float stimulus) {
    float v = c.v, *g = c.gate, alpha[GATES], beta[GATES];
    float k1 = 4 * (expf(0.04f * (v + 85)) - 1) / (expf(0.08f * (v + 53)) + expf(0.04f * (v + 53)));
    float w = fabsf(v + 23) < 1e-3f ? 1e-2f : v + 23; // 0/0 there
    k1 = 0.35f * (k1 + 0.2f * w / (1 - expf(-0.04f * w)));
    float x1 = 0.8f * g[0] * (expf(0.04f * (v + 77)) - 1) / expf(0.04f * (v + 35));
    float sodium = (4 * g[1] * g[1] * g[1] * g[2] * g[3] + 0.003f) * (v - 50);
    float inward = slow * g[4] * g[5] * (v + 82.3f + 13.0287f * logf(c.calcium));
    rates(v, alpha, beta);
#pragma unroll
    for (int k = 0; k < GATES; k++) {
        float sum = alpha[k] + beta[k], end = alpha[k] / sum;
        g[k] = end + (g[k] - end) * expf(-DT * sum);
    }
    c.calcium += DT * (-1e-7f * inward + 0.07f * (1e-7f - c.calcium));
    c.v += DT * (stimulus - k1 - x1 - sodium - inward);
}

/* Stimulated for 2 ms, then left alone; SAMPLES voltages of each cell are kept: voltages[s * cells + i]. */
__host__ __device__ inline void integrate(float *voltages, int cells, int i, int steps) {
    Cell c;
    float slow = 0.05f + 0.05f * float(i) / float(cells);
    for (int s = 0; s < SAMPLES; s++) {
        for (int k = 0; k < steps / SAMPLES; k++) step(c, slow, s * (steps / SAMPLES) * DT < 2 ? 40 : 0);
        voltages[s * cells + i] = c.v;
    }
}

__global__ void cells_kernel(float *voltages, int cells, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) integrate(voltages, cells, i, steps);
}

static void cells_openmp(float *voltages, int cells, int steps) {
#pragma omp parallel for
    for (int i = 0; i < cells; i++) integrate(voltages, cells, i, steps);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "myocyte", "action potentials of heart muscle cells", PICTURE);
    int cells = sample.pick(64, 256, 16384), steps = sample.pick(1024, 4096, 20480);
    if (sample.picture) steps = 20480;
    std::vector<float> want(size_t(SAMPLES) * cells);
    DeviceArray<float> voltages(want.size());
    Version cuda = {[&] { voltages.zero(); },
                    [&] { cells_kernel<<<divide_up(cells, 64), 64>>>(voltages, cells, steps); }};
    sample.run(cuda, {[] {}, [&] { cells_openmp(want.data(), cells, steps); }});
    auto got = voltages.get();
    sample.compare("voltages", got, want, 2e-2);
    if (sample.picture) {
        Picture p(SAMPLES, 260);
        for (int x = 0; x < SAMPLES; x++) p.set(x, 100, grey(0.3f)); // 0 mV
        for (int cell = 0; cell < cells; cell += cells / 8)
            for (int s = 1; s < SAMPLES; s++) {
                int y = int(100 - 1.6f * got[size_t(s) * cells + cell]);
                int last = int(100 - 1.6f * got[size_t(s - 1) * cells + cell]);
                for (int k = std::min(y, last); k <= std::max(y, last); k++)
                    p.set(s, k, heat(0.35f + 0.6f * float(cell) / float(cells)));
            }
        p.write(sample);
    }
    return sample.done();
}
