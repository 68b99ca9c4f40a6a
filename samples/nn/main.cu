// nn: the k records that are nearest to a place: distances on the device, then the k least of each block in shared
// memory, and the least of these on the host.
#include "../common/sample.h"

constexpr int THREADS = 256, PER_THREAD = 16, NEAREST = 10;

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

__global__ void distances(const Place *places, float *d, int n, Place target) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = places[i].latitude - target.latitude, y = places[i].longitude - target.longitude;
    d[i] = sqrtf(x * x + y * y);
}

/* Each block: the least of its part, NEAREST times, by a tree; the thread that owned it looks for its next. */
__global__ void nearest(const float *d, Found *out, int n) {
    __shared__ Found s[THREADS];
    int t = threadIdx.x, begin = (blockIdx.x * THREADS) * PER_THREAD + t;
    Found last = {-1, -1};
    for (int k = 0; k < NEAREST; k++) {
        Found best = {3e38f, n};
        for (int j = 0; j < PER_THREAD; j++) {
            int i = begin + j * THREADS;
            if (i >= n) break;
            Found here = {d[i], i};
            if (last < here && here < best) best = here;
        }
        s[t] = best;
        __syncthreads();
        for (int half = THREADS / 2; half > 0; half /= 2) {
            if (t < half && s[t + half] < s[t]) s[t] = s[t + half];
            __syncthreads();
        }
        last = s[0];
        if (t == 0) out[blockIdx.x * NEAREST + k] = last;
        __syncthreads();
    }
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
    int n = int(places.size()), blocks = divide_up(n, THREADS * PER_THREAD);
    Place target = {30, 90};
    std::vector<float> scratch(n);
    std::vector<Found> got, want;
    DeviceArray<Place> dplaces(places);
    DeviceArray<float> d(n);
    DeviceArray<Found> found(blocks * NEAREST);
    Version cuda = {[] {}, [&] {
                        distances<<<divide_up(n, 256), 256>>>(dplaces, d, n, target);
                        nearest<<<blocks, THREADS>>>(d, found, n);
                        got.clear();
                        for (Found f : found.get())
                            if (f.index < n) add_nearest(got, f);
                    }};
    sample.run(cuda, {[] {}, [&] { nn_openmp(places.data(), n, target, scratch.data(), want); }});
    std::vector<float> got_distance, want_distance;
    for (Found f : got) got_distance.push_back(f.distance);
    for (Found f : want) want_distance.push_back(f.distance);
    sample.compare("distances", got_distance, want_distance, 1e-6);
    return sample.done();
}
