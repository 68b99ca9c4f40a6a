// histo: a histogram of saturating counters; each block counts in shared memory and adds its counts to those of all.
#include "../common/picture.h"

constexpr int THREADS = 256, BINS = 4096, LIMIT = 255;

__global__ void count(const unsigned short *in, int n, unsigned *bins) {
    __shared__ unsigned s[BINS];
    for (int b = threadIdx.x; b < BINS; b += THREADS) s[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += THREADS)
        if (s[b]) atomicAdd(&bins[b], s[b]);
}

__global__ void saturate(const unsigned *bins, unsigned char *out) {
    int b = blockIdx.x * THREADS + threadIdx.x;
    if (b < BINS) out[b] = min(bins[b], LIMIT);
}

static void histo_openmp(const unsigned short *in, int n, unsigned char *out) {
    unsigned bins[BINS] = {};
#pragma omp parallel for reduction(+ : bins)
    for (int i = 0; i < n; i++) bins[in[i]]++;
#pragma omp simd
    for (int b = 0; b < BINS; b++) out[b] = (unsigned char)std::min(bins[b], unsigned(LIMIT));
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "histo", "histogram with saturating counters", PICTURE);
    int n = sample.pick(100003, 4000037, 100000007);
    Random random;
    std::vector<unsigned short> in(n);
    for (unsigned short &v : in) { // a normal distribution, as the data of a wafer has it
        float x = 2048 + 220 * random.normal();
        v = (unsigned short)std::min(std::max(x, 0.0f), float(BINS - 1));
    }
    std::vector<unsigned char> want(BINS);
    DeviceArray<unsigned short> data(in);
    DeviceArray<unsigned> bins(BINS);
    DeviceArray<unsigned char> out(BINS);
    Version cuda = {[&] { bins.zero(); },
                    [&] {
                        count<<<32, THREADS>>>(data, n, bins);
                        saturate<<<divide_up(BINS, THREADS), THREADS>>>(bins, out);
                    }};
    sample.run(cuda, {[] {}, [&] { histo_openmp(in.data(), n, want.data()); }});
    sample.compare("bins", out.get(), want);
    if (sample.picture) { // before saturation
        auto counts = bins.get();
        Picture p(512, 128);
        unsigned most = *std::max_element(counts.begin(), counts.end());
        for (int x = 0; x < 512; x++)
            for (int y = 0; y < 128; y++) {
                float height = float(counts[1024 + 4 * x]) / float(most);
                p.set(x, 127 - y, float(y) < 120 * height ? heat(0.3f + 0.6f * height) : grey(0.06f));
            }
        p.write(sample);
    }
    return sample.done();
}
