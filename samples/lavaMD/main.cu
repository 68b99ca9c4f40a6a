// lavaMD: forces between particles within a cutoff; space is cut into boxes, a block does one box: the particles of
// each neighbour box come to shared memory, each thread adds their forces on its own particle.
#include "../common/picture.h"

constexpr int PER_BOX = 100, THREADS = 128;

struct Particle {
    float x, y, z, charge;
};

/* A screened potential: exp(-2 alpha^2 r^2), and the force from it. */
__host__ __device__ inline void interact(const Particle &a, const Particle &b, float4 &f) {
    constexpr float A2 = 2 * 0.5f * 0.5f;
    float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    float v = expf(-A2 * (dx * dx + dy * dy + dz * dz)), s = 2 * v * b.charge;
    f.x += s * dx, f.y += s * dy, f.z += s * dz, f.w += v * b.charge;
}

__global__ void forces(const Particle *particles, float4 *out, int boxes) {
    __shared__ Particle s[PER_BOX];
    int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
    int mine = ((bz * boxes + by) * boxes + bx) * PER_BOX + t;
    Particle me = {};
    float4 f = {0, 0, 0, 0};
    if (t < PER_BOX) me = particles[mine];
    for (int k = 0; k < 27; k++) {
        int x = bx + k % 3 - 1, y = by + k / 3 % 3 - 1, z = bz + k / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= boxes || y >= boxes || z >= boxes) continue;
        if (t < PER_BOX) s[t] = particles[((z * boxes + y) * boxes + x) * PER_BOX + t];
        __syncthreads();
        if (t < PER_BOX)
            for (int j = 0; j < PER_BOX; j++) interact(me, s[j], f);
        __syncthreads();
    }
    if (t < PER_BOX) out[mine] = f;
}

static void forces_openmp(const Particle *particles, float4 *out, int boxes) {
#pragma omp parallel for
    for (int box = 0; box < boxes * boxes * boxes; box++) {
        int bx = box % boxes, by = box / boxes % boxes, bz = box / boxes / boxes;
        for (int i = box * PER_BOX; i < (box + 1) * PER_BOX; i++) {
            float4 f = {0, 0, 0, 0};
            for (int z = std::max(bz - 1, 0); z <= std::min(bz + 1, boxes - 1); z++)
                for (int y = std::max(by - 1, 0); y <= std::min(by + 1, boxes - 1); y++)
                    for (int x = std::max(bx - 1, 0); x <= std::min(bx + 1, boxes - 1); x++) {
                        const Particle *other = particles + ((z * boxes + y) * boxes + x) * PER_BOX;
                        for (int j = 0; j < PER_BOX; j++) interact(particles[i], other[j], f);
                    }
            out[i] = f;
        }
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "lavaMD", "forces between particles", PICTURE);
    int boxes = sample.pick(2, 6, 16), n = boxes * boxes * boxes * PER_BOX;
    Random random;
    std::vector<Particle> particles(n);
    for (int i = 0; i < n; i++) {
        int box = i / PER_BOX;
        Particle &p = particles[i];
        p = {float(box % boxes), float(box / boxes % boxes), float(box / boxes / boxes), random.next(0.1f, 1)};
        p.x = 3 * (p.x + random.next()), p.y = 3 * (p.y + random.next()), p.z = 3 * (p.z + random.next());
    }
    std::vector<float4> want(n);
    DeviceArray<Particle> device(particles);
    DeviceArray<float4> out(n);
    Version cuda = {[&] { out.zero(); },
                    [&] { forces<<<dim3(boxes, boxes, boxes), THREADS>>>(device, out, boxes); }};
    sample.run(cuda, {[] {}, [&] { forces_openmp(particles.data(), want.data(), boxes); }});
    auto values = [](const std::vector<float4> &v) {
        std::vector<float> all;
        for (float4 f : v) all.insert(all.end(), {f.x, f.y, f.z, f.w});
        return all;
    };
    auto got = values(out.get());
    sample.compare("components of forces", got, values(want), 1e-3);
    if (sample.picture) { // the lowest layer of boxes: particles by their potential, and the directions of forces
        Picture p(360, 360);
        float scale = 360 / (3 * float(boxes));
        for (int i = 0; i < boxes * boxes * PER_BOX; i++) {
            float fx = got[4 * size_t(i)], fy = got[4 * size_t(i) + 1], length = std::hypot(fx, fy) + 1e-6f;
            for (int k = 0; k < 10; k++)
                p.set(int(particles[i].x * scale + fx / length * float(k)),
                      int(particles[i].y * scale + fy / length * float(k)), heat(got[4 * size_t(i) + 3] / 25));
        }
        p.write(sample);
    }
    return sample.done();
}
