// heartwall: follows points of the inner and outer wall of a beating heart in an ultrasound video: each point has a
// template, which is looked for around its last place by normalised cross-correlation; a block per point.
#include "../common/picture.h"

constexpr int T = 10, SIDE = 2 * T + 1, RANGE = 8, OFFSETS = (2 * RANGE + 1) * (2 * RANGE + 1), THREADS = 128;

struct Video {
    int width, height, frames;
    std::vector<float> pixels;
    const float *frame(int f) const { return &pixels[size_t(f) * width * height]; }
};

/* The correlation of a template (mean 0, length 1) with the image around (x, y). */
__host__ __device__ inline float correlation(const float *frame, int width, const float *pattern, int x, int y) {
    float sum = 0, squares = 0, product = 0;
    for (int dy = 0; dy < SIDE; dy++)
        for (int dx = 0; dx < SIDE; dx++) {
            float v = frame[(y + dy - T) * width + x + dx - T];
            sum += v, squares += v * v, product += v * pattern[dy * SIDE + dx];
        }
    return product / sqrtf(fmaxf(squares - sum * sum / (SIDE * SIDE), 1e-6f));
}

__host__ __device__ inline int inside(int v, int size) {
    int low = T + RANGE, high = size - 1 - T - RANGE;
    return v < low ? low : v > high ? high : v;
}

/* Of equal correlations the one with the lower number counts, whatever the order of threads. */
struct Best {
    float value;
    int offset;
};
__host__ __device__ inline Best better(Best a, Best b) {
    return a.value > b.value || (a.value == b.value && a.offset < b.offset) ? a : b;
}

__global__ void make_templates(const float *frame, int width, const int2 *points, float *templates) {
    __shared__ float sum, squares;
    int2 p = points[blockIdx.x];
    if (threadIdx.x == 0) sum = squares = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        float v = frame[(p.y + i / SIDE - T) * width + p.x + i % SIDE - T];
        atomicAdd(&sum, v), atomicAdd(&squares, v * v);
    }
    __syncthreads();
    float mean = sum / (SIDE * SIDE), scale = rsqrtf(fmaxf(squares - sum * mean, 1e-6f));
    for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS) {
        float v = frame[(p.y + i / SIDE - T) * width + p.x + i % SIDE - T];
        templates[blockIdx.x * SIDE * SIDE + i] = (v - mean) * scale;
    }
}

__global__ void track(const float *frame, int width, int height, const float *templates, int2 *points) {
    __shared__ float pattern[SIDE * SIDE];
    __shared__ Best best[THREADS];
    int t = threadIdx.x;
    for (int i = t; i < SIDE * SIDE; i += THREADS) pattern[i] = templates[blockIdx.x * SIDE * SIDE + i];
    int2 p = points[blockIdx.x];
    p.x = inside(p.x, width), p.y = inside(p.y, height);
    __syncthreads();
    Best mine = {-2, 0};
    for (int o = t; o < OFFSETS; o += THREADS) {
        int x = p.x + o % (2 * RANGE + 1) - RANGE, y = p.y + o / (2 * RANGE + 1) - RANGE;
        mine = better(mine, {correlation(frame, width, pattern, x, y), o});
    }
    best[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) best[t] = better(best[t], best[t + half]);
        __syncthreads();
    }
    if (t) return;
    int o = best[0].offset;
    points[blockIdx.x] = {p.x + o % (2 * RANGE + 1) - RANGE, p.y + o / (2 * RANGE + 1) - RANGE};
}

static void track_openmp(const Video &v, std::vector<int2> &points) {
    std::vector<float> templates(points.size() * SIDE * SIDE);
    for (int f = 0; f < v.frames; f++) {
#pragma omp parallel for
        for (size_t i = 0; i < points.size(); i++) {
            float *pattern = &templates[i * SIDE * SIDE];
            int2 &p = points[i];
            if (f == 0) {
                float sum = 0, squares = 0;
                for (int k = 0; k < SIDE * SIDE; k++) {
                    float value = v.frame(0)[(p.y + k / SIDE - T) * v.width + p.x + k % SIDE - T];
                    sum += value, squares += value * value, pattern[k] = value;
                }
                float mean = sum / (SIDE * SIDE), scale = 1 / std::sqrt(std::fmax(squares - sum * mean, 1e-6f));
                for (int k = 0; k < SIDE * SIDE; k++) pattern[k] = (pattern[k] - mean) * scale;
                continue;
            }
            p.x = inside(p.x, v.width), p.y = inside(p.y, v.height);
            Best best = {-2, 0};
            for (int o = 0; o < OFFSETS; o++) {
                int x = p.x + o % (2 * RANGE + 1) - RANGE, y = p.y + o / (2 * RANGE + 1) - RANGE;
                best = better(best, {correlation(v.frame(f), v.width, pattern, x, y), o});
            }
            p.x += best.offset % (2 * RANGE + 1) - RANGE, p.y += best.offset / (2 * RANGE + 1) - RANGE;
        }
    }
}

/* A ring of muscle, with speckle that moves with it, around a dark chamber; it contracts by a fifth. */
static float phase_of(int f) { return 1 - 0.1f * (1 - std::cos(0.35f * float(f))); }
static Video make_video(int width, int height, int frames) {
    Random random;
    std::vector<float> speckle(256 * 256);
    for (float &s : speckle) s = 0.5f + 0.5f * random.next();
    Video v = {width, height, frames, std::vector<float>(size_t(width) * height * frames)};
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < width * height; i++) {
            float dx = float(i % width) - 0.5f * float(width), dy = float(i / width) - 0.5f * float(height);
            float r = std::hypot(dx, dy) / phase_of(f) / float(height), angle = std::atan2(dy, dx);
            float wall = r > 0.18f && r < 0.32f ? 0.9f : r <= 0.18f ? 0.12f : 0.4f;
            float u = 20 + 80 * (r * std::cos(angle) + 1), w = 20 + 80 * (r * std::sin(angle) + 1);
            int a = int(u) & 255, b = int(w) & 255;
            float fu = u - std::floor(u), fw = w - std::floor(w);
            auto at = [&](int x, int y) { return speckle[(y & 255) * 256 + (x & 255)]; };
            float texture = (at(a, b) * (1 - fu) + at(a + 1, b) * fu) * (1 - fw) +
                            (at(a, b + 1) * (1 - fu) + at(a + 1, b + 1) * fu) * fw;
            v.pixels[size_t(f) * width * height + i] = 200 * wall * texture + 6 * random.next();
        }
    return v;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "heartwall", "tracking the wall of a heart", PICTURE);
    int count = sample.pick(12, 50, 400), frames = sample.pick(3, 10, 30);
    if (sample.picture) frames = 14;
    Video v = make_video(sample.pick(160, 320, 640), sample.pick(160, 320, 640), frames);
    std::vector<int2> start(count), want;
    for (int i = 0; i < count; i++) { // points of the inner and the outer wall
        float angle = 6.2831853f * float(i / 2) / float((count + 1) / 2), r = float(v.height) * (i % 2 ? 0.32f : 0.18f);
        start[i] = {int(0.5f * float(v.width) + r * std::cos(angle)), int(0.5f * float(v.height) + r * std::sin(angle))};
    }
    DeviceArray<float> pixels(v.pixels), templates(size_t(count) * SIDE * SIDE);
    DeviceArray<int2> points(start);
    Version cuda = {[&] { points.set(start); },
                    [&] {
                        make_templates<<<count, THREADS>>>(pixels, v.width, points, templates);
                        for (int f = 1; f < frames; f++) {
                            const float *frame = pixels + size_t(f) * v.width * v.height;
                            track<<<count, THREADS>>>(frame, v.width, v.height, templates, points);
                        }
                    }};
    sample.run(cuda, {[&] { want = start; }, [&] { track_openmp(v, want); }});
    std::vector<int> got_xy, want_xy;
    auto got = points.get();
    for (int i = 0; i < count; i++) {
        got_xy.insert(got_xy.end(), {got[i].x, got[i].y});
        want_xy.insert(want_xy.end(), {want[i].x, want[i].y});
    }
    sample.compare("coordinates", got_xy, want_xy);
    if (sample.picture) { // the last frame, where the points were at first and where they are
        Picture p(v.width, v.height);
        for (int i = 0; i < v.width * v.height; i++)
            p.set(i % v.width, i / v.width, grey(v.frame(frames - 1)[i] / 230));
        auto mark = [&](int2 at, Colour c) {
            for (int k = -3; k <= 3; k++) p.set(at.x + k, at.y, c), p.set(at.x, at.y + k, c);
        };
        for (int2 at : start) mark(at, {80, 120, 255});
        for (int2 at : got) mark(at, {255, 210, 40});
        p.write(sample);
    }
    return sample.done();
}
