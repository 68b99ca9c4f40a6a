// cutcp: the electrostatic potential of charged atoms on the points of a grid, with a cutoff: an atom acts on points
// within RADIUS only.  Atoms are sorted into cells; a block reads the atoms of the cells around it by shared memory.
#include "../common/picture.h"

constexpr float RADIUS = 4, SPACING = 0.5f;
constexpr int CELL = 8; // points of a cell along an axis; its side is RADIUS

__host__ __device__ inline float potential_of(float4 atom, float x, float y, float z) {
    float dx = atom.x - x, dy = atom.y - y, dz = atom.z - z, r2 = dx * dx + dy * dy + dz * dz;
    float s = 1 - r2 * (1 / (RADIUS * RADIUS)); // 1 at the atom, 0 at the cutoff
    return r2 < RADIUS * RADIUS ? atom.w * rsqrtf(r2 + 0.01f) * s * s : 0;
}

/* first[c] .. first[c + 1] - 1 are the atoms of cell c; a block does one plane of a cell: 8 x 8 points, 2 of them
** for each thread */
__global__ void potentials(const float4 *atoms, const int *first, float *out, int cells) {
    __shared__ float4 s[32];
    int n = cells * CELL, cx = blockIdx.x, cy = blockIdx.y, cz = blockIdx.z / CELL, id = threadIdx.y * CELL + threadIdx.x;
    int ix = cx * CELL + threadIdx.x, iy = cy * CELL + threadIdx.y, iz = blockIdx.z;
    float x = SPACING * float(ix), y = SPACING * float(iy), z = SPACING * float(iz), a = 0, b = 0;
    for (int oz = max(cz - 1, 0); oz <= min(cz + 1, cells - 1); oz++)
        for (int oy = max(cy - 1, 0); oy <= min(cy + 1, cells - 1); oy++) {
            int row = (oz * cells + oy) * cells;
            int begin = first[row + max(cx - 1, 0)], end = first[row + min(cx + 1, cells - 1) + 1];
            for (int at = begin; at < end; at += 32) {
                int count = min(32, end - at);
                if (id < count) s[id] = atoms[at + id];
                __syncthreads();
                for (int k = 0; k < count; k++) {
                    a += potential_of(s[k], x, y, z);
                    b += potential_of(s[k], x, y + 4 * SPACING, z);
                }
                __syncthreads();
            }
        }
    out[(iz * n + iy) * n + ix] = a;
    out[(iz * n + iy + 4) * n + ix] = b;
}

/* For each row of points the atoms near it; for each of these the points within its radius. */
static void potentials_openmp(const float4 *atoms, const int *first, float *out, int cells) {
    int n = cells * CELL;
#pragma omp parallel for collapse(2)
    for (int iz = 0; iz < n; iz++)
        for (int iy = 0; iy < n; iy++) {
            float *row = out + (iz * n + iy) * n;
            std::fill(row, row + n, 0.0f);
            for (int oz = std::max(iz / CELL - 1, 0); oz <= std::min(iz / CELL + 1, cells - 1); oz++)
                for (int oy = std::max(iy / CELL - 1, 0); oy <= std::min(iy / CELL + 1, cells - 1); oy++)
                    for (int k = first[(oz * cells + oy) * cells]; k < first[(oz * cells + oy + 1) * cells]; k++) {
                        float dy = atoms[k].y - SPACING * float(iy), dz = atoms[k].z - SPACING * float(iz);
                        float rest = RADIUS * RADIUS - dy * dy - dz * dz;
                        if (rest <= 0) continue;
                        float dx = std::sqrt(rest);
                        int low = std::max(int((atoms[k].x - dx) / SPACING), 0);
                        int high = std::min(int((atoms[k].x + dx) / SPACING) + 1, n - 1);
#pragma omp simd
                        for (int ix = low; ix <= high; ix++)
                            row[ix] += potential_of(atoms[k], SPACING * float(ix), SPACING * float(iy),
                                                    SPACING * float(iz));
                    }
        }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "cutcp", "electrostatic potential with a cutoff", PICTURE);
    int cells = sample.pick(2, 8, 24), n = cells * CELL;
    Random random;
    std::vector<std::vector<float4>> bins(size_t(cells) * cells * cells);
    for (auto &bin : bins)
        for (int k = 0; k < 40; k++) {
            int c = int(&bin - &bins[0]);
            float4 atom = {RADIUS * (float(c % cells) + random.next()), RADIUS * (float(c / cells % cells) + random.next()),
                           RADIUS * (float(c / cells / cells) + random.next()), 0};
            float clustered = std::sin(0.6f * atom.x) + std::sin(0.5f * atom.y + 0.2f * atom.x);
            atom.w = random.next(-1, 1) + 0.4f * clustered;
            bin.push_back(atom);
        }
    std::vector<float4> atoms;
    std::vector<int> first{0};
    for (auto &bin : bins) {
        atoms.insert(atoms.end(), bin.begin(), bin.end());
        first.push_back(int(atoms.size()));
    }
    std::vector<float> want(size_t(n) * n * n);
    DeviceArray<float4> datoms(atoms);
    DeviceArray<int> dfirst(first);
    DeviceArray<float> out(want.size());
    Version cuda = {[&] { out.zero(); },
                    [&] { potentials<<<dim3(cells, cells, n), dim3(8, 4)>>>(datoms, dfirst, out, cells); }};
    sample.run(cuda, {[] {}, [&] { potentials_openmp(atoms.data(), first.data(), want.data(), cells); }});
    auto got = out.get();
    sample.compare("potentials", got, want, 1e-3);
    if (sample.picture) { // a plane, magnified
        Picture p(4 * n, 4 * n);
        for (int y = 0; y < 4 * n; y++)
            for (int x = 0; x < 4 * n; x++)
                p.set(x, y, signs(got[(size_t(n / 2) * n + size_t(y / 4)) * n + size_t(x / 4)] / 12));
        p.write(sample);
    }
    return sample.done();
}
