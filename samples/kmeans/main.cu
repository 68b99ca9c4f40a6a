// kmeans: Lloyd's iteration: each point joins the nearest centre, each centre moves to the mean of its points.
#include "../common/picture.h"

constexpr int K = 8, THREADS = 256;

/* points: coordinates by dimension, points[j * n + i]; centres: K rows */
__global__ void assign(const float *points, const float *centres, int *group, int n, int dimensions) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float least = 3e38f;
    int best = 0;
    for (int k = 0; k < K; k++) {
        float d = 0;
        for (int j = 0; j < dimensions; j++) {
            float x = points[j * n + i] - centres[k * dimensions + j];
            d += x * x;
        }
        if (d < least) least = d, best = k;
    }
    group[i] = best;
}

/* Block (j, part) adds coordinate j of a part of the points; dimension `dimensions` counts the members. */
__global__ void add_members(const float *points, const int *group, float *sums, int n, int dimensions) {
    __shared__ float s[K];
    int t = threadIdx.x, j = blockIdx.x;
    if (t < K) s[t] = 0;
    __syncthreads();
    for (int i = blockIdx.y * THREADS + t; i < n; i += gridDim.y * THREADS)
        atomicAdd(&s[group[i]], j < dimensions ? points[j * n + i] : 1);
    __syncthreads();
    if (t < K) atomicAdd(&sums[t * (dimensions + 1) + j], s[t]);
}

__global__ void move(const float *sums, float *centres, int dimensions) {
    int k = blockIdx.x, j = threadIdx.x;
    float members = sums[k * (dimensions + 1) + dimensions];
    if (j < dimensions && members > 0) centres[k * dimensions + j] = sums[k * (dimensions + 1) + j] / members;
}

static void iterate_openmp(const float *points, float *centres, int *group, int n, int dimensions) {
    std::vector<float> sums(size_t(K) * (dimensions + 1));
    float *s = sums.data();
#pragma omp parallel for reduction(+ : s[ : K * (dimensions + 1)])
    for (int i = 0; i < n; i++) {
        float least = 3e38f;
        int best = 0;
        for (int k = 0; k < K; k++) {
            float d = 0;
#pragma omp simd reduction(+ : d)
            for (int j = 0; j < dimensions; j++) {
                float x = points[i * dimensions + j] - centres[k * dimensions + j];
                d += x * x;
            }
            if (d < least) least = d, best = k;
        }
        group[i] = best;
        for (int j = 0; j < dimensions; j++) s[best * (dimensions + 1) + j] += points[i * dimensions + j];
        s[best * (dimensions + 1) + dimensions] += 1;
    }
    for (int k = 0; k < K; k++)
        for (int j = 0; j < dimensions; j++) {
            float members = s[k * (dimensions + 1) + dimensions];
            if (members > 0) centres[k * dimensions + j] = s[k * (dimensions + 1) + j] / members;
        }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "kmeans", "clusters of points", PICTURE | INPUT,
                  "lines of numbers, the first of each being the name of the point");
    int n = sample.pick(3001, 100000, 1000000), dimensions = sample.picture ? 2 : 16, steps = 10;
    std::vector<float> points; // by point, as the host likes it
    if (sample.input) {
        Reader reader(sample);
        std::string line;
        for (n = 0; reader.line(line); n++) {
            char *at = &line[0], *end = at;
            int count = -1;
            for (float v = std::strtof(at, &end); end != at; at = end, v = std::strtof(at, &end))
                if (++count) points.push_back(v);
            if (n && count != dimensions) reader.fail("lines differ in the number of their values");
            dimensions = count;
        }
        if (n < K || dimensions < 1 || dimensions > 1024) reader.fail("8 points of 1 to 1024 values are needed");
    } else {
        Random random;
        for (int i = 0; i < n; i++) {
            int kind = random.below(K);
            for (int j = 0; j < dimensions; j++)
                points.push_back(float((kind * (3 * j + 5) + j * j) % 11) + 0.8f * random.normal());
        }
    }
    std::vector<float> transposed(points.size());
    for (int i = 0; i < n; i++)
        for (int j = 0; j < dimensions; j++) transposed[size_t(j) * n + i] = points[size_t(i) * dimensions + j];
    std::vector<float> initial(points.begin(), points.begin() + K * dimensions), centres;
    std::vector<int> group(n);
    DeviceArray<float> dpoints(transposed), dcentres(initial), sums(K * (dimensions + 1));
    DeviceArray<int> dgroup(n);
    Version cuda = {[&] { dcentres.set(initial); },
                    [&] {
                        for (int s = 0; s < steps; s++) {
                            assign<<<divide_up(n, THREADS), THREADS>>>(dpoints, dcentres, dgroup, n, dimensions);
                            sums.zero();
                            add_members<<<dim3(dimensions + 1, 8), THREADS>>>(dpoints, dgroup, sums, n, dimensions);
                            move<<<K, dimensions>>>(sums, dcentres, dimensions);
                        }
                    }};
    Version openmp = {[&] { centres = initial; },
                      [&] {
                          for (int s = 0; s < steps; s++)
                              iterate_openmp(points.data(), centres.data(), group.data(), n, dimensions);
                      }};
    sample.run(cuda, openmp);
    sample.compare("centres", dcentres.get(), centres, 1e-2);
    if (sample.picture) {
        auto got = dgroup.get();
        Picture p(384, 384);
        for (int i = 0; i < n; i++) {
            float x = points[size_t(i) * dimensions], y = points[size_t(i) * dimensions + 1];
            p.set(int((x + 4) * 22), int((y + 4) * 22), label(got[i]));
        }
        p.write(sample);
    }
    return sample.done();
}
