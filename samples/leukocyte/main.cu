// leukocyte: finds white blood cells in microscopy of vessels: for each pixel the best of some circles around it, by
// the gradient inverse coefficient of variation (GICOV: mean of the outward gradient on the circle over its deviation),
// its maxima, and around them the motion gradient vector flow, which diffuses the edges of the cells.
#include "../common/picture.h"

constexpr int POINTS = 64, RADII = 5, FIRST_RADIUS = 6, MARGIN = FIRST_RADIUS + 2 * RADII, DILATE = 8;
constexpr float MU = 0.12f, EPSILON = 0.05f;

struct Circles {
    float cosine[POINTS], sine[POINTS];
};
__constant__ Circles circles;

__host__ __device__ inline float gicov_of(const float *gx, const float *gy, const Circles &c, int w, int x, int y) {
    float best = 0;
    for (int k = 0; k < RADII; k++) {
        float r = float(FIRST_RADIUS + 2 * k), sum = 0, squares = 0;
        for (int p = 0; p < POINTS; p++) {
            int i = (y + int(rintf(r * c.sine[p]))) * w + x + int(rintf(r * c.cosine[p]));
            float g = gx[i] * c.cosine[p] + gy[i] * c.sine[p];
            sum += g, squares += g * g;
        }
        float mean = sum / POINTS, variance = (squares - sum * mean) / (POINTS - 1);
        best = fmaxf(best, mean * mean / (variance + 1e-3f));
    }
    return best;
}

__global__ void gicov(const float *gx, const float *gy, float *out, int w, int h) {
    int x = MARGIN + blockIdx.x * blockDim.x + threadIdx.x, y = MARGIN + blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w - MARGIN && y < h - MARGIN) out[y * w + x] = gicov_of(gx, gy, circles, w, x, y);
}

/* The largest value within a square: where it is the pixel's own, the pixel is a maximum. */
__host__ __device__ inline float dilate_of(const float *in, int w, int h, int x, int y) {
    float best = 0;
    for (int v = max(y - DILATE, 0); v <= min(y + DILATE, h - 1); v++)
        for (int u = max(x - DILATE, 0); u <= min(x + DILATE, w - 1); u++) best = fmaxf(best, in[v * w + u]);
    return best;
}

__global__ void dilate(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = dilate_of(in, w, h, x, y);
}

/* A step of the flow: diffusion to each of 8 neighbours, more where the field rises, and back to the edges. */
__host__ __device__ inline float flow_of(const float *m, const float *edges, int w, int h, int x, int y) {
    float here = m[y * w + x], sum = here;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++) {
            int nx = min(max(x + u, 0), w - 1), ny = min(max(y + v, 0), h - 1);
            float d = m[ny * w + nx] - here, heaviside = 0.5f + 0.31830989f * atanf(d / EPSILON);
            sum += MU * heaviside * d;
        }
    float e = edges[y * w + x];
    return sum - 0.2f * e * (sum - e);
}

__global__ void flow(const float *m, const float *edges, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = flow_of(m, edges, w, h, x, y);
}

struct Image {
    int w, h;
    std::vector<float> pixels, gx, gy, edges;
};

struct Result {
    std::vector<float> score, largest, flow;
};

static void detect_openmp(const Image &im, const Circles &c, Result &r, int steps) {
    std::vector<float> next(im.pixels.size());
#pragma omp parallel for
    for (int y = MARGIN; y < im.h - MARGIN; y++)
        for (int x = MARGIN; x < im.w - MARGIN; x++)
            r.score[y * im.w + x] = gicov_of(im.gx.data(), im.gy.data(), c, im.w, x, y);
#pragma omp parallel for
    for (int y = 0; y < im.h; y++)
        for (int x = 0; x < im.w; x++) r.largest[y * im.w + x] = dilate_of(r.score.data(), im.w, im.h, x, y);
    for (int s = 0; s < steps; s++, r.flow.swap(next))
#pragma omp parallel for
        for (int y = 0; y < im.h; y++)
            for (int x = 0; x < im.w; x++)
                next[y * im.w + x] = flow_of(r.flow.data(), im.edges.data(), im.w, im.h, x, y);
}

/* Bright cells, some on others, in a vessel. */
static Image make_image(int w, int h) {
    Random random;
    Image im = {w, h, std::vector<float>(size_t(w) * h, 0.25f), {}, {}, {}};
    for (int k = 0; k < w * h / 1600; k++) {
        float cx = float(random.below(w)), cy = float(random.below(h)), r = random.next(6, 13);
        float bright = random.next(0.5f, 1.0f);
        for (int y = std::max(int(cy - r), 0); y < std::min(int(cy + r) + 1, h); y++)
            for (int x = std::max(int(cx - r), 0); x < std::min(int(cx + r) + 1, w); x++) {
                float d = std::hypot(float(x) - cx, float(y) - cy) / r;
                if (d < 1) im.pixels[y * w + x] = bright * (1 - 0.3f * d * d);
            }
    }
    for (float &v : im.pixels) v += 0.03f * random.normal();
    im.gx.resize(im.pixels.size()), im.gy = im.edges = im.gx;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            const float *p = &im.pixels[y * w + x];
            im.gx[y * w + x] = 0.5f * (p[-1] - p[1]), im.gy[y * w + x] = 0.5f * (p[-w] - p[w]);
            im.edges[y * w + x] = std::min(4 * std::hypot(im.gx[y * w + x], im.gy[y * w + x]), 1.0f);
        }
    return im;
}

static void draw(const Sample &sample, const Image &im, const Result &r) {
    Picture p(2 * im.w + 4, im.h);
    for (int y = 0; y < im.h; y++)
        for (int x = 0; x < im.w; x++) {
            p.set(x, y, grey(im.pixels[y * im.w + x]));
            p.set(im.w + 4 + x, y, heat(r.flow[y * im.w + x]));
        }
    for (int i = 0; i < im.w * im.h; i++) // maxima
        if (r.score[i] > 1.2f && r.score[i] == r.largest[i])
            for (int k = -12; k < 12; k++) {
                p.set(i % im.w + k / 2, i / im.w + k % 2, {255, 40, 40});
                p.set(i % im.w + k % 2, i / im.w + k / 2, {255, 40, 40});
            }
    p.write(sample);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "leukocyte", "detection of white blood cells", PICTURE);
    Image im = make_image(sample.pick(96, 320, 1024), sample.pick(64, 240, 1024));
    int steps = sample.pick(4, 20, 100), w = im.w, h = im.h;
    Circles c;
    for (int p = 0; p < POINTS; p++) {
        c.cosine[p] = std::cos(6.2831853f * float(p) / POINTS), c.sine[p] = std::sin(6.2831853f * float(p) / POINTS);
    }
    CUDA(cudaMemcpyToSymbol(circles, &c, sizeof c));
    Result want = {std::vector<float>(size_t(w) * h), std::vector<float>(size_t(w) * h), {}}, got;
    DeviceArray<float> gx(im.gx), gy(im.gy), edges(im.edges), score(gx.count), largest(gx.count), a(gx.count),
        b(gx.count);
    float *from = a, *to = b;
    dim3 block(32, 4), grid(divide_up(w, 32), divide_up(h, 4));
    Version cuda = {[&] { score.zero(), a.set(im.edges), from = a, to = b; },
                    [&] {
                        gicov<<<grid, block>>>(gx, gy, score, w, h);
                        dilate<<<grid, block>>>(score, largest, w, h);
                        for (int s = 0; s < steps; s++, std::swap(from, to))
                            flow<<<grid, block>>>(from, edges, to, w, h);
                    }};
    sample.run(cuda, {[&] { want.flow = im.edges; }, [&] { detect_openmp(im, c, want, steps); }});
    got = {score.get(), largest.get(), from == a ? a.get() : b.get()};
    sample.compare("scores", got.score, want.score, 1e-3);
    sample.compare("largest scores", got.largest, want.largest, 1e-3);
    sample.compare("values of the flow", got.flow, want.flow, 1e-4);
    if (sample.picture) draw(sample, im, got);
    return sample.done();
}
