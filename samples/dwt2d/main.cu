// dwt2d: the reversible 5/3 wavelet transform of JPEG 2000 on an image, some levels: lifting along rows by shared memory,
// then along columns.
#include "../common/picture.h"

constexpr int THREADS = 128;

/* Lifting: odd samples less the mean of their neighbours; even ones more a quarter of what is left of theirs. */
__host__ __device__ inline int predict(int left, int odd, int right) { return odd - ((left + right) >> 1); }
__host__ __device__ inline int lift(int before, int even, int after) { return even + ((before + after + 2) >> 2); }

/* A block does 2 * THREADS samples of a row of w; low parts go to the left half.  The border is mirrored. */
__global__ void rows(const int *in, int *out, int w, int pitch) {
    __shared__ int s[2 * THREADS + 2], high[THREADS + 1]; // s[0] is sample first - 1, high[0] that of pair -1
    int t = threadIdx.x, first = blockIdx.x * 2 * THREADS;
    const int *row = in + blockIdx.y * pitch;
    for (int i = t; i < 2 * THREADS + 2; i += THREADS) {
        int x = abs(first + i - 1);
        s[i] = row[x < w ? x : max(2 * (w - 1) - x, 0)];
    }
    __syncthreads();
    high[t + 1] = predict(s[2 * t + 1], s[2 * t + 2], t == THREADS - 1 ? row[min(first + 2 * THREADS, w - 2)] : s[2 * t + 3]);
    if (t == 0) high[0] = first ? predict(row[first - 2], s[0], s[1]) : predict(row[0], row[1], row[min(2, w - 2)]);
    __syncthreads();
    int k = first / 2 + t;
    if (2 * k >= w) return;
    int *to = out + blockIdx.y * pitch;
    to[k] = lift(high[t], s[2 * t + 1], high[t + 1]);
    to[w / 2 + k] = high[t + 1];
}

/* A thread does a pair of a column of h. */
__host__ __device__ inline void column_pair(const int *in, int *out, int x, int k, int h, int pitch) {
    auto at = [&](int y) { return in[(y < h ? y : 2 * (h - 1) - y) * pitch + x]; };
    auto high = [&](int j) { return predict(at(2 * j), at(2 * j + 1), at(2 * j + 2)); };
    int here = high(k);
    out[k * pitch + x] = lift(high(k ? k - 1 : 0), at(2 * k), here);
    out[(h / 2 + k) * pitch + x] = here;
}

__global__ void columns(const int *in, int *out, int w, int h, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && k < h / 2) column_pair(in, out, x, k, h, pitch);
}

static void level_openmp(int *data, int *scratch, int w, int h, int pitch) {
#pragma omp parallel
    {
#pragma omp for
        for (int y = 0; y < h; y++) {
            const int *row = data + y * pitch;
            int *low = scratch + y * pitch, *high = low + w / 2;
#pragma omp simd
            for (int k = 0; k < w / 2 - 1; k++) high[k] = predict(row[2 * k], row[2 * k + 1], row[2 * k + 2]);
            high[w / 2 - 1] = predict(row[w - 2], row[w - 1], row[w - 2]);
            low[0] = lift(high[0], row[0], high[0]);
#pragma omp simd
            for (int k = 1; k < w / 2; k++) low[k] = lift(high[k - 1], row[2 * k], high[k]);
        }
#pragma omp for
        for (int k = 0; k < h / 2; k++)
#pragma omp simd
            for (int x = 0; x < w; x++) column_pair(scratch, data, x, k, h, pitch);
    }
}

static std::vector<float> make_image(int w, int h) {
    std::vector<float> v(size_t(w) * h);
    Random random;
    for (int i = 0; i < w * h; i++) {
        float x = float(i % w) / float(w) - 0.5f, y = float(i / w) / float(h) - 0.5f, r = std::hypot(x, y);
        float f = 0.5f + 0.5f * std::sin(220 * r * r);                              // a zone plate
        if (std::fabs(x + y) < 0.06f) f = 0.2f;                                      // a bar
        if (std::hypot(x - 0.25f, y + 0.2f) < 0.13f) f = std::fmod(40 * (x + 1), 2.0f) < 1; // stripes in a disc
        v[i] = 255 * std::min(std::max(0.9f * f + 0.05f * random.next(), 0.0f), 1.0f);
    }
    return v;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "dwt2d", "wavelet transform of an image", PICTURE | INPUT, "a grey image (PGM, P5)");
    int w = sample.pick(264, 1024, 4096), h = sample.pick(72, 1024, 4096), levels = 3;
    std::vector<float> image;
    if (sample.input) {
        image = read_pgm(sample, w, h);
        if (w % 8 || h % 8) sample_fail("dwt2d", "width and height of the image must be multiples of 8");
    } else {
        image = make_image(w, h);
    }
    std::vector<int> initial(image.begin(), image.end()), want, scratch(initial.size());
    DeviceArray<int> data(initial), between(initial.size());
    Version cuda = {[&] { data.set(initial); },
                    [&] {
                        for (int l = 0; l < levels; l++) {
                            int lw = w >> l, lh = h >> l;
                            rows<<<dim3(divide_up(lw, 2 * THREADS), lh), THREADS>>>(data, between, lw, w);
                            dim3 grid(divide_up(lw, 32), divide_up(lh / 2, 8));
                            columns<<<grid, dim3(32, 8)>>>(between, data, lw, lh, w);
                        }
                    }};
    Version openmp = {[&] { want = initial; },
                      [&] {
                          for (int l = 0; l < levels; l++) level_openmp(want.data(), scratch.data(), w >> l, h >> l, w);
                      }};
    sample.run(cuda, openmp);
    auto got = data.get();
    sample.compare("coefficients", got, want);
    if (sample.picture) { // details around middle grey, the low part as it is
        Picture p(w, h);
        for (int i = 0; i < w * h; i++) {
            bool low = i % w < w >> levels && i / w < h >> levels;
            p.set(i % w, i / w, grey(low ? float(got[i]) / 255 : 0.5f + float(got[i]) / 200));
        }
        p.write(sample);
    }
    return sample.done();
}
