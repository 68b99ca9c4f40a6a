// streamcluster: facility location for a stream of points: a random candidate is opened as a centre if the points that
// move to it, and the centres that can be closed then, save more than it costs.  The gain is computed on the device.
#include "../common/picture.h"

constexpr int THREADS = 256;

__host__ __device__ inline float distance2(const float *points, int n, int dimensions, int a, int b) {
    float d = 0;
    for (int k = 0; k < dimensions; k++) {
        float x = points[k * n + a] - points[k * n + b];
        d += x * x;
    }
    return d;
}

/* For each point: moves it if the candidate is nearer, and adds what that saves; else notes for its centre how much
** closing the centre would cost. */
__global__ void gains(const float *points, const float *cost, const int *centre, int candidate, int n, int dimensions,
                      float *lower, float *saved, unsigned char *moves) {
    __shared__ float sums[THREADS];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float mine = 0;
    if (i < n) {
        float change = distance2(points, n, dimensions, i, candidate) - cost[i];
        moves[i] = change < 0;
        if (change < 0) mine = change;
        else atomicAdd(&lower[centre[i]], change);
    }
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(saved, sums[0]);
}

__global__ void reassign(const float *points, float *cost, int *centre, int candidate, int n, int dimensions,
                         const unsigned char *moves, const unsigned char *closes) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n || !(moves[i] || closes[centre[i]])) return;
    cost[i] = distance2(points, n, dimensions, i, candidate);
    centre[i] = candidate;
}

/* The part of the decision that both versions share: is the candidate opened, and which centres are closed? */
static bool decide(const std::vector<float> &lower, float saved, float price, const std::vector<int> &open,
                   std::vector<unsigned char> &closes) {
    float gain = -saved - price;
    for (int c : open)
        if ((closes[c] = lower[c] < price)) gain += price - lower[c];
    return gain > 0;
}

static void replace_closed(std::vector<int> &open, std::vector<unsigned char> &closes, int candidate) {
    open.erase(std::remove_if(open.begin(), open.end(), [&](int c) { return closes[c] && c != candidate; }), open.end());
    if (std::find(open.begin(), open.end(), candidate) == open.end()) open.push_back(candidate);
}

struct Problem {
    int n, dimensions;
    float price;
    std::vector<float> points;   // by dimension
    std::vector<int> candidates; // those that are tried
};

static void cluster_openmp(const Problem &p, std::vector<float> &cost, std::vector<int> &centre, std::vector<int> &open) {
    std::vector<float> lower(p.n);
    std::vector<unsigned char> moves(p.n), closes(p.n);
    for (int candidate : p.candidates) {
        float saved = 0;
        std::fill(lower.begin(), lower.end(), 0.0f);
#pragma omp parallel for reduction(+ : saved)
        for (int i = 0; i < p.n; i++) {
            float change = distance2(p.points.data(), p.n, p.dimensions, i, candidate) - cost[i];
            moves[i] = change < 0;
            if (change < 0) saved += change;
            else
#pragma omp atomic
                lower[centre[i]] += change;
        }
        if (!decide(lower, saved, p.price, open, closes)) continue;
#pragma omp parallel for
        for (int i = 0; i < p.n; i++) {
            if (!moves[i] && !closes[centre[i]]) continue;
            cost[i] = distance2(p.points.data(), p.n, p.dimensions, i, candidate);
            centre[i] = candidate;
        }
        replace_closed(open, closes, candidate);
    }
}

static Problem make_problem(int n, int dimensions, int tries) {
    Random random;
    Problem p = {n, dimensions, 40 * std::sqrt(float(n)), std::vector<float>(size_t(n) * dimensions), {}};
    for (int i = 0; i < n; i++) {
        int kind = random.below(12);
        for (int k = 0; k < dimensions; k++)
            p.points[size_t(k) * n + i] = float((kind * (5 * k + 7) + 3 * k) % 13) + 0.7f * random.normal();
    }
    for (int k = 0; k < tries; k++) p.candidates.push_back(random.below(n));
    return p;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "streamcluster", "online clustering", PICTURE);
    int n = sample.pick(2000, 40000, 200000), tries = sample.pick(20, 100, 300);
    const Problem p = make_problem(n, sample.picture ? 2 : 32, tries);
    std::vector<float> first_cost(n), cost, lower(n), saved(1), want_cost;
    std::vector<int> zeros(n), open, want_open, want_centre;
    std::vector<unsigned char> closes(n);
    for (int i = 0; i < n; i++) first_cost[i] = distance2(p.points.data(), n, p.dimensions, i, 0);
    DeviceArray<float> points(p.points), dcost(n), dlower(n), dsaved(1);
    DeviceArray<int> dcentre(n);
    DeviceArray<unsigned char> dmoves(n), dcloses(n);
    auto cuda_cluster = [&] {
        int blocks = divide_up(n, THREADS);
        for (int candidate : p.candidates) {
            CUDA(cudaMemsetAsync(dlower, 0, n * sizeof(float)));
            CUDA(cudaMemsetAsync(dsaved, 0, sizeof(float)));
            gains<<<blocks, THREADS>>>(points, dcost, dcentre, candidate, n, p.dimensions, dlower, dsaved, dmoves);
            CUDA(cudaMemcpy(lower.data(), dlower, n * sizeof(float), cudaMemcpyDeviceToHost));
            CUDA(cudaMemcpy(saved.data(), dsaved, sizeof(float), cudaMemcpyDeviceToHost));
            if (!decide(lower, saved[0], p.price, open, closes)) continue;
            dcloses.set(closes);
            reassign<<<blocks, THREADS>>>(points, dcost, dcentre, candidate, n, p.dimensions, dmoves, dcloses);
            replace_closed(open, closes, candidate);
        }
    };
    Version cuda = {[&] { dcost.set(first_cost), dcentre.zero(), open = {0}, closes.assign(n, 0); }, cuda_cluster};
    Version openmp = {[&] { want_cost = first_cost, want_centre = zeros, want_open = {0}; },
                      [&] { cluster_openmp(p, want_cost, want_centre, want_open); }};
    sample.run(cuda, openmp);
    sample.compare("centres", open, want_open);
    sample.compare("costs", dcost.get(), want_cost, 1e-3);
    if (sample.picture) {
        auto centre = dcentre.get();
        Picture picture(384, 384);
        auto draw = [&](int i, int size, Colour c) {
            int x = int((p.points[i] + 3) * 20), y = int((p.points[size_t(n) + i] + 3) * 20);
            for (int k = 0; k < size * size; k++) picture.set(x + k % size - size / 2, y + k / size - size / 2, c);
        };
        for (int i = 0; i < n; i++) draw(i, 1, label(centre[i]));
        for (int c : open) draw(c, 7, grey(1));
        picture.write(sample);
    }
    return sample.done();
}
