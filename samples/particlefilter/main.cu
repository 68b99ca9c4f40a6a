// particlefilter: tracks a disc in a noisy video: particles move at random, weights are the likelihood of the pixels
// around them, and particles are drawn again by weight.
#include "../common/picture.h"

constexpr int THREADS = 128, RADIUS = 5;

struct Video {
    int width, height, frames;
    std::vector<unsigned char> pixels;
};

struct Particles { // on the device, or arrays of the host
    float *x, *y, *weight, *old_x, *old_y, *sums;
    unsigned *state;
};

/* Numbers of a particle: a linear congruential generator, and two of a normal distribution. */
__host__ __device__ inline float uniform(unsigned &state) {
    state = state * 1664525u + 1013904223u;
    return (float(state >> 8) + 0.5f) / 16777216.0f;
}
__host__ __device__ inline float2 normal2(unsigned &state) {
    float r = sqrtf(-2 * logf(uniform(state))), angle = 6.2831853f * uniform(state);
    return {r * cosf(angle), r * sinf(angle)};
}

/* Moves a particle, and weighs it: pixels of the disc are 100 +- noise on the background of 228. */
__host__ __device__ inline void move_and_weigh(const Particles &p, const unsigned char *frame, int width, int height,
                                               int i) {
    unsigned state = p.state[i];
    float2 r = normal2(state);
    p.state[i] = state;
    float x = p.old_x[i] + 1 + 3 * r.x, y = p.old_y[i] - 0.5f + 2 * r.y, sum = 0;
    p.x[i] = x, p.y[i] = y;
    int count = 0;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            if (dx * dx + dy * dy > RADIUS * RADIUS) continue;
            int px = min(max(int(x + 0.5f) + dx, 0), width - 1), py = min(max(int(y + 0.5f) + dy, 0), height - 1);
            float v = float(frame[py * width + px]);
            sum += ((v - 228) * (v - 228) - (v - 100) * (v - 100)) / 5000;
            count++;
        }
    p.weight[i] = expf(fminf(sum / float(count) * 4, 40));
}

/* The first particle whose cumulated weight reaches u; positions are taken in even steps. */
__host__ __device__ inline int draw(const float *sums, int n, float u) {
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sums[middle] < u) low = middle + 1;
        else high = middle;
    }
    return low;
}

__global__ void weigh(Particles p, const unsigned char *frame, int width, int height, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) move_and_weigh(p, frame, width, height, i);
}

/* Sums of weights within blocks; the last of each goes to totals. */
__global__ void scan_blocks(const float *in, float *out, float *totals, int n) {
    __shared__ float s[2][THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2, from = 1 - from) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        __syncthreads();
    }
    if (i < n) out[i] = s[from][t];
    if (t == THREADS - 1) totals[blockIdx.x] = s[from][t];
}

__global__ void add_offsets(float *sums, const float *offsets, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) sums[i] += offsets[blockIdx.x];
}

__global__ void resample(Particles p, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    int from = draw(p.sums, n, p.sums[n - 1] * (float(i) + 0.5f) / float(n));
    p.old_x[i] = p.x[from], p.old_y[i] = p.y[from];
}

__global__ void moments(Particles p, int n, float *result) {
    __shared__ float sx[THREADS], sy[THREADS];
    int t = threadIdx.x;
    sx[t] = sy[t] = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        sx[t] += p.old_x[i], sy[t] += p.old_y[i];
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) sx[t] += sx[t + half], sy[t] += sy[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(&result[0], sx[0] / float(n)), atomicAdd(&result[1], sy[0] / float(n));
}

static void track_openmp(const Video &v, const Particles &p, int n, std::vector<float> &path) {
    for (int f = 0; f < v.frames; f++) {
        const unsigned char *frame = &v.pixels[size_t(f) * v.width * v.height];
#pragma omp parallel for
        for (int i = 0; i < n; i++) move_and_weigh(p, frame, v.width, v.height, i);
        double sum = 0;
        for (int i = 0; i < n; i++) p.sums[i] = float(sum += p.weight[i]);
        float x = 0, y = 0;
#pragma omp parallel for reduction(+ : x, y)
        for (int i = 0; i < n; i++) {
            int from = draw(p.sums, n, p.sums[n - 1] * (float(i) + 0.5f) / float(n));
            x += p.old_x[i] = p.x[from], y += p.old_y[i] = p.y[from];
        }
        path[2 * size_t(f)] = x / float(n), path[2 * size_t(f) + 1] = y / float(n);
    }
}

static Video make_video(int width, int height, int frames) {
    Random random;
    Video v = {width, height, frames, std::vector<unsigned char>(size_t(width) * height * frames)};
    for (int f = 0; f < frames; f++) {
        float cx = 30 + 1.2f * float(f), cy = 0.6f * float(height) - 0.4f * float(f) + 8 * std::sin(0.2f * float(f));
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                float value = (std::hypot(float(x) - cx, float(y) - cy) < RADIUS ? 100.f : 228.f) + 25 * random.normal();
                v.pixels[(size_t(f) * height + y) * width + x] = (unsigned char)std::min(std::max(value, 0.f), 255.f);
            }
    }
    return v;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "particlefilter", "tracking an object by a particle filter", PICTURE);
    int n = sample.pick(1000, 20000, 400000), frames = sample.pick(4, 10, 40), blocks = divide_up(n, THREADS);
    if (sample.picture) frames = 100;
    Video v = make_video(192, 128, frames);
    std::vector<float> start_x(n, 28), start_y(n, 0.6f * 128), path(2 * frames), totals;
    std::vector<unsigned> seeds(n), state;
    for (int i = 0; i < n; i++) seeds[i] = unsigned(i) * 2654435761u + 97;
    DeviceArray<unsigned char> pixels(v.pixels);
    DeviceArray<unsigned> dstate(seeds);
    DeviceArray<float> x(n), y(n), weight(n), old_x(n), old_y(n), sums(n), dtotals(blocks), dpath(2 * frames);
    Particles device = {x, y, weight, old_x, old_y, sums, dstate};
    std::vector<float> hx(n), hy(n), hweight(n), hold_x, hold_y, hsums(n);
    Version cuda = {[&] { dstate.set(seeds), old_x.set(start_x), old_y.set(start_y), dpath.zero(); },
                    [&] {
                        for (int f = 0; f < frames; f++) {
                            const unsigned char *frame = pixels + size_t(f) * v.width * v.height;
                            weigh<<<blocks, THREADS>>>(device, frame, v.width, v.height, n);
                            scan_blocks<<<blocks, THREADS>>>(weight, sums, dtotals, n);
                            totals = dtotals.get();
                            double sum = 0; // the sums before each block
                            for (float &t : totals) {
                                double before = sum;
                                sum += t, t = float(before);
                            }
                            dtotals.set(totals);
                            add_offsets<<<blocks, THREADS>>>(sums, dtotals, n);
                            resample<<<blocks, THREADS>>>(device, n);
                            moments<<<16, THREADS>>>(device, n, dpath + 2 * f);
                        }
                    }};
    Version openmp = {[&] { state = seeds, hold_x = start_x, hold_y = start_y; },
                      [&] {
                          Particles host = {hx.data(), hy.data(), hweight.data(), hold_x.data(), hold_y.data(),
                                            hsums.data(), state.data()};
                          track_openmp(v, host, n, path);
                      }};
    sample.run(cuda, openmp);
    auto got = dpath.get();
    sample.compare("positions", got, path, 5e-3);
    if (sample.picture) { // the last frame and the path
        Picture p(2 * v.width, 2 * v.height);
        const unsigned char *last = &v.pixels[size_t(frames - 1) * v.width * v.height];
        for (int i = 0; i < 4 * v.width * v.height; i++) {
            int px = i % (2 * v.width), py = i / (2 * v.width);
            p.set(px, py, grey(0.8f * float(last[py / 2 * v.width + px / 2]) / 255));
        }
        for (int f = 0; f < frames; f++)
            for (int k = 0; k < 9; k++)
                p.set(int(2 * got[2 * size_t(f)]) + k % 3, int(2 * got[2 * size_t(f) + 1]) + k / 3, heat(0.55f));
        p.write(sample);
    }
    return sample.done();
}
