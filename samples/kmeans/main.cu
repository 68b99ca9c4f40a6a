// kmeans: points in groups around moving centres; coordinates are stored by dimension.
#include "../common/sample.h"

constexpr int K = 8, DIMENSIONS = 12, ROUNDS = 8, THREADS = 256;

__constant__ float centres[K][DIMENSIONS];

__global__ void assign(const float *points, int *group, int *moved, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x, best = 0;
    bool changed = false;
    if (i < n) {
        float least = 3e38f;
        for (int k = 0; k < K; k++) {
            float d = 0;
            for (int j = 0; j < DIMENSIONS; j++) {
                float x = points[j * n + i] - centres[k][j];
                d += x * x;
            }
            if (d < least) least = d, best = k;
        }
        changed = group[i] != best;
        group[i] = best;
    }
    int count = __syncthreads_count(changed);
    if (threadIdx.x == 0 && count) atomicAdd(moved, count);
}

static void move(const std::vector<float> &points, const std::vector<int> &group, float (&c)[K][DIMENSIONS], int n) {
    for (int k = 0; k < K; k++) {
        double sum[DIMENSIONS] = {};
        int members = 0;
        for (int i = 0; i < n; i++) {
            if (group[i] != k) continue;
            members++;
            for (int j = 0; j < DIMENSIONS; j++) sum[j] += points[size_t(j) * n + i];
        }
        for (int j = 0; j < DIMENSIONS && members; j++) c[k][j] = float(sum[j] / members);
    }
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 200000);
    Numbers numbers;
    std::vector<float> points(size_t(n) * DIMENSIONS);
    std::vector<int> kind(n), group(n, -1);
    for (int &k : kind) k = numbers.below(K);
    for (int j = 0; j < DIMENSIONS; j++)
        for (int i = 0; i < n; i++) points[size_t(j) * n + i] = float(kind[i] * (j + 1) % 7 * 10) + numbers.next();
    float c[K][DIMENSIONS];
    for (int k = 0; k < K; k++)
        for (int j = 0; j < DIMENSIONS; j++) c[k][j] = points[size_t(j) * n + size_t(k) % n];
    DeviceArray<float> dpoints(points);
    DeviceArray<int> dgroup(group), moved(1);
    double ms = 0;
    size_t wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        CUDA(cudaMemcpyToSymbol(centres, c, sizeof c));
        CUDA(cudaMemset(moved, 0, sizeof(int)));
        Stopwatch watch;
        assign<<<(n + THREADS - 1) / THREADS, THREADS>>>(dpoints, dgroup, moved, n);
        ms += watch.stop();
        auto got = dgroup.get();
        int changes = 0;
        for (int i = 0; i < n; i++) {
            double d[K] = {}, least = 1e300;
            for (int k = 0; k < K; k++) {
                for (int j = 0; j < DIMENSIONS; j++) {
                    double x = double(points[size_t(j) * n + i]) - c[k][j];
                    d[k] += x * x;
                }
                least = std::fmin(least, d[k]);
            }
            wrong += got[i] < 0 || got[i] >= K || d[got[i]] > least * 1.0001 + 1e-4;
            changes += got[i] != group[i];
        }
        wrong += changes != moved.get()[0];
        group = got;
        move(points, group, c, n);
    }
    return verdict("kmeans", wrong, ms);
}
