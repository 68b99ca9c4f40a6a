// cfd: inviscid compressible flow (Euler's equations) on an unstructured mesh, by finite volumes with Rusanov's fluxes;
// three launches per step: step sizes, fluxes, update.  The mesh surrounds a cylinder; cells know their neighbours only.
#include "../common/picture.h"

constexpr int SIDES = 4, WALL = -1, FAR_FIELD = -2;
constexpr float GAMMA = 1.4f, MACH = 0.8f, CFL = 0.5f;

struct State { // per volume: mass, momentum, energy
    float rho, u, v, e;
};

struct Mesh { // element i; by side: s * n + i: the neighbour and the outward normal times the length of the side
    int n;
    std::vector<int> neighbour;
    std::vector<float> nx, ny, area;
};

__host__ __device__ inline float pressure(State s) {
    return (GAMMA - 1) * (s.e - 0.5f * (s.u * s.u + s.v * s.v) / s.rho);
}
__host__ __device__ inline State far_field() { return {1, MACH, 0, 1 / GAMMA / (GAMMA - 1) + 0.5f * MACH * MACH}; }

/* Fields are stored one after the other: density, momentum, energy. */
__host__ __device__ inline State load(const float *f, int n, int i) {
    return {f[i], f[n + i], f[2 * n + i], f[3 * n + i]};
}
__host__ __device__ inline void store(float *f, int n, int i, State s) {
    f[i] = s.rho, f[n + i] = s.u, f[2 * n + i] = s.v, f[3 * n + i] = s.e;
}

__host__ __device__ inline float step_size(const float *f, const float *nx, const float *ny, const float *area, int n,
                                           int i) {
    State s = load(f, n, i);
    float sound = sqrtf(GAMMA * pressure(s) / s.rho), speed = sqrtf(s.u * s.u + s.v * s.v) / s.rho, length = 0;
    for (int k = 0; k < SIDES; k++) length += sqrtf(nx[k * n + i] * nx[k * n + i] + ny[k * n + i] * ny[k * n + i]);
    return CFL * area[i] / (length * (speed + sound));
}

__host__ __device__ inline State flux_of(const float *f, const int *neighbour, const float *nx, const float *ny, int n,
                                         int i) {
    State a = load(f, n, i), sum = {0, 0, 0, 0};
    float pa = pressure(a), ca = sqrtf(GAMMA * pa / a.rho);
    for (int k = 0; k < SIDES; k++) {
        int j = neighbour[k * n + i];
        float x = nx[k * n + i], y = ny[k * n + i];
        if (j == WALL) { // pressure alone
            sum.u += pa * x, sum.v += pa * y;
            continue;
        }
        State b = j == FAR_FIELD ? far_field() : load(f, n, j);
        float pb = pressure(b), cb = sqrtf(GAMMA * pb / b.rho), length = sqrtf(x * x + y * y);
        float wa = (a.u * x + a.v * y) / a.rho, wb = (b.u * x + b.v * y) / b.rho;
        float fastest = fmaxf(fabsf(wa) + ca * length, fabsf(wb) + cb * length);
        sum.rho += 0.5f * (a.rho * wa + b.rho * wb - fastest * (b.rho - a.rho));
        sum.u += 0.5f * (a.u * wa + b.u * wb + (pa + pb) * x - fastest * (b.u - a.u));
        sum.v += 0.5f * (a.v * wa + b.v * wb + (pa + pb) * y - fastest * (b.v - a.v));
        sum.e += 0.5f * ((a.e + pa) * wa + (b.e + pb) * wb - fastest * (b.e - a.e));
    }
    return sum;
}

__host__ __device__ inline void advance(float *f, const float *flux, float dt_per_area, int n, int i) {
    for (int k = 0; k < 4; k++) f[k * n + i] -= dt_per_area * flux[k * n + i];
}

__global__ void step_sizes(const float *f, const float *nx, const float *ny, const float *area, float *dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dt[i] = step_size(f, nx, ny, area, n, i) / area[i];
}

__global__ void fluxes(const float *f, const int *neighbour, const float *nx, const float *ny, float *flux, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store(flux, n, i, flux_of(f, neighbour, nx, ny, n, i));
}

__global__ void update(float *f, const float *flux, const float *dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) advance(f, flux, dt[i], n, i);
}

static void step_openmp(const Mesh &m, float *f, float *flux, float *dt) {
    const int n = m.n, *neighbour = m.neighbour.data();
    const float *nx = m.nx.data(), *ny = m.ny.data(), *area = m.area.data();
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) dt[i] = step_size(f, nx, ny, area, n, i) / area[i];
#pragma omp for
        for (int i = 0; i < n; i++) store(flux, n, i, flux_of(f, neighbour, nx, ny, n, i));
#pragma omp for
        for (int i = 0; i < n; i++) advance(f, flux, dt[i], n, i);
    }
}

/* Rings around a cylinder of radius 1; ring r has its inner corners at radius 1.05^r or so. */
static float radius(int ring, int rings) { return std::pow(12.0f, float(ring) / float(rings)); }
static Mesh make_mesh(int around, int rings) {
    int n = around * rings;
    Mesh m = {n, std::vector<int>(SIDES * n), std::vector<float>(SIDES * n), std::vector<float>(SIDES * n), {}};
    for (int i = 0; i < n; i++) {
        int a = i % around, r = i / around;
        float x[4], y[4]; // corners: inner, outer, outer of the next angle, inner of the next angle
        for (int k = 0; k < 4; k++) {
            float angle = 6.2831853f * float(a + k / 2) / float(around), d = radius(r + (k == 1 || k == 2), rings);
            x[k] = d * std::cos(angle), y[k] = d * std::sin(angle);
        }
        m.area.push_back(0.5f * std::fabs((x[2] - x[0]) * (y[3] - y[1]) - (x[3] - x[1]) * (y[2] - y[0])));
        int neighbours[4] = {r * around + (a + around - 1) % around, r < rings - 1 ? i + around : FAR_FIELD,
                             r * around + (a + 1) % around, r ? i - around : WALL};
        for (int k = 0; k < 4; k++) {
            int next = (k + 1) % 4;
            m.neighbour[k * n + i] = neighbours[k];
            m.nx[k * n + i] = y[next] - y[k], m.ny[k * n + i] = x[k] - x[next];
        }
    }
    return m;
}

static void draw(const Sample &sample, const std::vector<float> &f, int around, int rings) { // Mach numbers
    Picture p(400, 300);
    int n = around * rings;
    for (int y = 0; y < 300; y++)
        for (int x = 0; x < 400; x++) {
            float fx = (float(x) - 160) / 40, fy = (float(y) - 149.5f) / 40;
            int r = int(float(rings) * std::log(std::hypot(fx, fy)) / std::log(12.0f));
            int a = int((std::atan2(fy, fx) / 6.2831853f + 1) * float(around)) % around;
            if (std::hypot(fx, fy) < 1 || r >= rings) continue;
            State s = load(f.data(), n, r * around + a);
            float mach = std::hypot(s.u, s.v) / s.rho / std::sqrt(GAMMA * pressure(s) / s.rho);
            p.set(x, y, heat(mach / 1.8f));
        }
    p.write(sample);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "cfd", "compressible flow on an unstructured mesh", PICTURE);
    int around = sample.pick(64, 256, 1024), rings = sample.pick(32, 128, 512), steps = sample.pick(20, 50, 1000);
    if (sample.picture) steps = 6000;
    Mesh m = make_mesh(around, rings);
    int n = m.n, blocks = divide_up(n, 128);
    std::vector<float> initial(4 * n), f, flux(4 * n), dt(n);
    for (int i = 0; i < n; i++) store(initial.data(), n, i, far_field());
    DeviceArray<int> neighbour(m.neighbour);
    DeviceArray<float> nx(m.nx), ny(m.ny), area(m.area), df(initial), dflux(4 * n), ddt(n);
    Version cuda = {[&] { df.set(initial); },
                    [&] {
                        for (int k = 0; k < steps; k++) {
                            step_sizes<<<blocks, 128>>>(df, nx, ny, area, ddt, n);
                            fluxes<<<blocks, 128>>>(df, neighbour, nx, ny, dflux, n);
                            update<<<blocks, 128>>>(df, dflux, ddt, n);
                        }
                    }};
    Version openmp = {[&] { f = initial; },
                      [&] {
                          for (int k = 0; k < steps; k++) step_openmp(m, f.data(), flux.data(), dt.data());
                      }};
    sample.run(cuda, openmp);
    auto got = df.get();
    sample.compare("values", got, f, 1e-3);
    if (sample.picture) draw(sample, got, around, rings);
    return sample.done();
}
