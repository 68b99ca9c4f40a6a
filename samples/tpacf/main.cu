// tpacf: two-point angular correlation of galaxies: a histogram of the angles of all pairs, for data and random sets.
// A block takes points of the first set in shared memory past all threads; bins are found by search on the cosine.
#include "../common/picture.h"

constexpr int THREADS = 128, BINS = 20;

__constant__ float edges[BINS + 1]; // cosines of the bins' edges, falling

struct Sky { // coordinates on the unit sphere, by component
    std::vector<float> x, y, z;
    int size() const { return int(x.size()); }
};

__host__ __device__ inline int bin_of(const float *e, float cosine) {
    int low = 0, high = BINS;
    while (high > low + 1) {
        int middle = (low + high) / 2;
        if (cosine >= e[middle]) high = middle;
        else low = middle;
    }
    return low;
}

/* pairs (i, j) of two sets, or those with i < j of one set */
__global__ void correlate(const float *ax, const float *ay, const float *az, int na, const float *bx, const float *by,
                          const float *bz, int nb, bool same, unsigned long long *histogram) {
    __shared__ float sx[THREADS], sy[THREADS], sz[THREADS];
    __shared__ unsigned bins[BINS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    if (t < BINS) bins[t] = 0;
    float x = i < na ? ax[i] : 0, y = i < na ? ay[i] : 0, z = i < na ? az[i] : 0;
    for (int at = same ? blockIdx.x * THREADS : 0; at < nb; at += THREADS) {
        if (at + t < nb) sx[t] = bx[at + t], sy[t] = by[at + t], sz[t] = bz[at + t];
        __syncthreads();
        if (i < na)
            for (int k = same ? max(i + 1 - at, 0) : 0; k < min(THREADS, nb - at); k++)
                atomicAdd(&bins[bin_of(edges, x * sx[k] + y * sy[k] + z * sz[k])], 1);
        __syncthreads();
    }
    if (t < BINS) atomicAdd(&histogram[t], (unsigned long long)bins[t]);
}

static void correlate_openmp(const float *e, const Sky &a, const Sky &b, bool same, unsigned long long *histogram) {
    unsigned long long bins[BINS] = {};
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : bins)
    for (int i = 0; i < a.size(); i++)
        for (int j = same ? i + 1 : 0; j < b.size(); j++)
            bins[bin_of(e, a.x[i] * b.x[j] + a.y[i] * b.y[j] + a.z[i] * b.z[j])]++;
    std::copy(bins, bins + BINS, histogram);
}

/* clustering: the part of the points that lie near others */
static Sky make_sky(int n, float clustering, uint32_t seed) {
    Random random(seed);
    Sky s;
    for (int i = 0; i < n; i++) {
        float x = random.normal(), y = random.normal(), z = random.normal();
        if (i > 100 && random.next() < clustering) {
            int near = random.below(i);
            x = s.x[near] + 0.02f * x, y = s.y[near] + 0.02f * y, z = s.z[near] + 0.02f * z;
        }
        float r = 1 / std::sqrt(x * x + y * y + z * z);
        s.x.push_back(x * r), s.y.push_back(y * r), s.z.push_back(z * r);
    }
    return s;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "tpacf", "angular correlation of galaxies", PICTURE);
    int n = sample.pick(500, 4096, 20000);
    float e[BINS + 1];
    for (int b = 0; b <= BINS; b++) e[b] = std::cos(3.14159265f * std::pow(10.0f, -0.12f * float(BINS - b)));
    CUDA(cudaMemcpyToSymbol(edges, e, sizeof e));
    Sky data = make_sky(n, 0.6f, 1), noise = make_sky(n, 0, 2);
    DeviceArray<float> dx(data.x), dy(data.y), dz(data.z), rx(noise.x), ry(noise.y), rz(noise.z);
    DeviceArray<unsigned long long> histogram(3 * BINS);
    std::vector<unsigned long long> want(3 * BINS);
    int blocks = divide_up(n, THREADS);
    Version cuda = {[&] { histogram.zero(); },
                    [&] {
                        unsigned long long *h = histogram;
                        correlate<<<blocks, THREADS>>>(dx, dy, dz, n, dx, dy, dz, n, true, h);
                        correlate<<<blocks, THREADS>>>(rx, ry, rz, n, rx, ry, rz, n, true, h + BINS);
                        correlate<<<blocks, THREADS>>>(dx, dy, dz, n, rx, ry, rz, n, false, h + 2 * BINS);
                    }};
    Version openmp = {[] {}, [&] {
                          correlate_openmp(e, data, data, true, &want[0]);
                          correlate_openmp(e, noise, noise, true, &want[BINS]);
                          correlate_openmp(e, data, noise, false, &want[2 * BINS]);
                      }};
    sample.run(cuda, openmp);
    auto got = histogram.get();
    // A pair at the edge of a bin may fall to either side, as products and sums may be fused or not.
    sample.compare("bins", got, want, 1e-3);
    if (sample.picture) { // Landy and Szalay's estimate, over the logarithm of the angle
        Picture p(24 * BINS, 160);
        for (int b = 0; b < BINS; b++) {
            float dd = float(got[b]), rr = float(got[BINS + b]), dr = float(got[2 * BINS + b]) * 0.5f;
            float w = rr > 0 ? std::max((dd - 2 * dr + rr) / rr, 0.0f) : 0, height = 30 * std::log1p(w * 4);
            for (int x = 0; x < 22; x++)
                for (int y = 0; y < 160; y++)
                    p.set(24 * b + x, 159 - y, float(y) < height ? heat(0.3f + height / 300) : grey(0.06f));
        }
        p.write(sample);
    }
    return sample.done();
}
