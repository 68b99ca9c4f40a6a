// lbm: lattice Boltzmann method, 19 velocities in 3D: flow through a channel with obstacles.  Each thread streams and
// collides one cell; the distributions are stored by velocity, so that neighbouring threads read neighbouring values.
#include "../common/picture.h"

constexpr int Q = 19;
constexpr float OMEGA = 1.6f, FORCE = 4e-5f;

/* The velocities, and for each the index of the opposite one. */
__host__ __device__ inline void velocity(int q, int &x, int &y, int &z) {
    constexpr signed char cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    constexpr signed char cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    constexpr signed char cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    x = cx[q], y = cy[q], z = cz[q];
}
__host__ __device__ constexpr int opposite(int q) { return q == 0 ? 0 : q % 2 ? q + 1 : q - 1; }
__host__ __device__ constexpr float weight(int q) { return q == 0 ? 1.0f / 3 : q < 7 ? 1.0f / 18 : 1.0f / 36; }

struct Size {
    int x, y, z;
    __host__ __device__ int cells() const { return x * y * z; }
};

/* Cell (x, y, z): pull from the neighbours, bounce back from solid cells, relax towards equilibrium.  x is periodic;
** the cells at the walls of y and z are solid and not updated. */
__host__ __device__ inline void update(const float *in, float *out, const unsigned char *solid, Size n, int x, int y,
                                       int z) {
    int cell = (z * n.y + y) * n.x + x, cells = n.cells();
    if (solid[cell]) return;
    float f[Q], rho = 0, ux = FORCE, uy = 0, uz = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        int cx, cy, cz;
        velocity(q, cx, cy, cz);
        int from_x = x - cx;
        if (from_x < 0) from_x += n.x;
        if (from_x >= n.x) from_x -= n.x;
        int from = ((z - cz) * n.y + y - cy) * n.x + from_x;
        f[q] = solid[from] ? in[opposite(q) * cells + cell] : in[q * cells + from];
        rho += f[q];
        ux += float(cx) * f[q], uy += float(cy) * f[q], uz += float(cz) * f[q];
    }
    ux /= rho, uy /= rho, uz /= rho;
    float square = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
    for (int q = 0; q < Q; q++) {
        int cx, cy, cz;
        velocity(q, cx, cy, cz);
        float cu = 3 * (float(cx) * ux + float(cy) * uy + float(cz) * uz);
        float equilibrium = weight(q) * rho * (square + cu + 0.5f * cu * cu);
        out[q * cells + cell] = f[q] + OMEGA * (equilibrium - f[q]) + weight(q) * 3 * float(cx) * FORCE;
    }
}

__global__ void step(const float *in, float *out, const unsigned char *solid, Size n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n.x) update(in, out, solid, n, x, blockIdx.y + 1, blockIdx.z + 1);
}

static void step_openmp(const float *in, float *out, const unsigned char *solid, Size n) {
#pragma omp parallel for collapse(2)
    for (int z = 1; z < n.z - 1; z++)
        for (int y = 1; y < n.y - 1; y++)
            for (int x = 0; x < n.x; x++) update(in, out, solid, n, x, y, z);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "lbm", "flow in a channel, lattice Boltzmann method", PICTURE);
    Size n = sample.pick(Size{40, 20, 6}, Size{120, 60, 12}, Size{480, 200, 40});
    int steps = sample.pick(5, 10, 100);
    if (sample.picture) n = {256, 96, 3}, steps = 2500;
    std::vector<unsigned char> solid(n.cells());
    for (int i = 0; i < n.cells(); i++) {
        int x = i % n.x, y = i / n.x % n.y, z = i / n.x / n.y;
        float dx = float(x) - 0.25f * float(n.x), dy = float(y) - 0.47f * float(n.y), r = 0.12f * float(n.y);
        bool wall = y == 0 || y == n.y - 1 || z == 0 || z == n.z - 1;
        solid[i] = wall || dx * dx + dy * dy < r * r;
    }
    if (sample.picture) // flow in two dimensions: no walls at z, all cells beside the plane are like it
        for (int i = 0; i < n.x * n.y; i++) solid[i] = solid[i + 2 * n.x * n.y] = solid[i + n.x * n.y];
    std::vector<float> initial(size_t(Q) * n.cells()), f, next;
    for (int q = 0; q < Q; q++) std::fill_n(initial.begin() + long(q) * n.cells(), n.cells(), weight(q));
    DeviceArray<float> a(initial), b(initial);
    DeviceArray<unsigned char> dsolid(solid);
    float *from = a, *to = b;
    dim3 grid(divide_up(n.x, 64), n.y - 2, n.z - 2);
    Version cuda = {[&] { a.set(initial), b.set(initial), from = a, to = b; },
                    [&] {
                        for (int k = 0; k < steps; k++, std::swap(from, to))
                            step<<<grid, 64>>>(from, to, dsolid, n);
                    }};
    Version openmp = {[&] { f = next = initial; },
                      [&] {
                          for (int k = 0; k < steps; k++, f.swap(next))
                              step_openmp(f.data(), next.data(), solid.data(), n);
                      }};
    sample.run(cuda, openmp);
    auto got = from == a ? a.get() : b.get();
    sample.compare("distributions", got, f, 1e-4);
    if (sample.picture) { // speed in the middle plane
        std::vector<float> speed(n.x * n.y);
        for (int i = 0; i < n.x * n.y; i++) {
            float ux = 0, uy = 0;
            for (int q = 0; q < Q; q++) {
                int x, y, z;
                velocity(q, x, y, z);
                float v = got[size_t(q) * n.cells() + size_t(n.z / 2 * n.x * n.y + i)];
                ux += float(x) * v, uy += float(y) * v;
            }
            speed[i] = solid[n.z / 2 * n.x * n.y + i] ? 0 : std::hypot(ux, uy);
        }
        write_field(sample, speed, n.x, n.y, 0, *std::max_element(speed.begin(), speed.end()));
    }
    return sample.done();
}
