// nn: the k records that are nearest to a place: distances and the least of each block; the k-th of these is a bound,
// below which there are few, which are collected.
#include "../common/sample.h"

constexpr int THREADS = 256, NEAREST = 10;

struct Place {
    float latitude, longitude;
};
struct Found {
    float distance;
    int index;
    __host__ __device__ bool operator<(const Found &o) const {
        return distance < o.distance || (distance == o.distance && index < o.index);
    }
};

__global__ void distances(const Place *places, float *d, float *least, int n, Place target) {
    __shared__ float s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    s[t] = INFINITY;
    if (i < n) {
        float x = places[i].latitude - target.latitude, y = places[i].longitude - target.longitude;
        s[t] = d[i] = sqrtf(x * x + y * y);
    }
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) s[t] = fminf(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) least[blockIdx.x] = s[0];
}

__global__ void collect(const float *d, int n, float bound, Found *found, int *count) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && d[i] <= bound) found[atomicAdd(count, 1)] = {d[i], i};
}

static void add_nearest(std::vector<Found> &list, Found f) { // list: sorted, at most NEAREST
    if (list.size() == NEAREST && !(f < list.back())) return;
    list.insert(std::upper_bound(list.begin(), list.end(), f), f);
    if (list.size() > NEAREST) list.pop_back();
}

static void nn_openmp(const Place *places, int n, Place target, float *d, std::vector<Found> &result) {
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        float x = places[i].latitude - target.latitude, y = places[i].longitude - target.longitude;
        d[i] = std::sqrt(x * x + y * y);
    }
    result.clear();
#pragma omp parallel
    {
        std::vector<Found> mine;
#pragma omp for nowait
        for (int i = 0; i < n; i++) add_nearest(mine, {d[i], i});
#pragma omp critical
        for (Found f : mine) add_nearest(result, f);
    }
}

/* Rodinia's records: 49 characters, latitude and longitude in columns 28 and 33. */
static std::vector<Place> read_places(const Sample &sample) {
    Reader reader(sample);
    std::vector<Place> places;
    std::string line;
    while (reader.line(line)) {
        if (line.size() < 38) reader.fail("a record is too short");
        Place p = {std::strtof(line.substr(28, 5).c_str(), nullptr), std::strtof(line.substr(33, 5).c_str(), nullptr)};
        places.push_back(p);
    }
    if (places.empty()) reader.fail("no records");
    return places;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "nn", "nearest neighbours", INPUT, "records of hurricanes, as Rodinia's files have them");
    std::vector<Place> places(sample.pick(40000, 2000000, 50000000));
    Random random;
    for (Place &p : places) p = {random.next(7, 70), random.next(0, 359)};
    if (sample.input) places = read_places(sample);
    int n = int(places.size()), blocks = divide_up(n, THREADS);
    Place target = {30, 90};
    std::vector<float> scratch(n);
    std::vector<Found> got, want;
    DeviceArray<Place> dplaces(places);
    DeviceArray<float> d(n), least(blocks);
    DeviceArray<Found> found(n);
    DeviceArray<int> count(1);
    auto cuda_nn = [&] {
        distances<<<blocks, THREADS>>>(dplaces, d, least, n, target);
        std::vector<float> bounds = least.get();
        int k = std::min(NEAREST, blocks) - 1;
        std::nth_element(bounds.begin(), bounds.begin() + k, bounds.end());
        float bound = blocks < NEAREST ? INFINITY : bounds[k];
        count.zero();
        collect<<<blocks, THREADS>>>(d, n, bound, found, count);
        std::vector<Found> some(count.get()[0]);
        CUDA(cudaMemcpy(some.data(), found, some.size() * sizeof(Found), cudaMemcpyDeviceToHost));
        got.clear();
        for (Found f : some) add_nearest(got, f);
    };
    sample.run({[] {}, cuda_nn}, {[] {}, [&] { nn_openmp(places.data(), n, target, scratch.data(), want); }});
    std::vector<float> got_distance, want_distance;
    for (Found f : got) got_distance.push_back(f.distance);
    for (Found f : want) want_distance.push_back(f.distance);
    sample.compare("distances", got_distance, want_distance, 1e-6);
    return sample.done();
}
