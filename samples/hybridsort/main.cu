// hybridsort: sorts numbers: a bucket sort with splitters from a sample, then each bucket in shared memory, bitonic.
#include "../common/sample.h"

constexpr int BUCKETS = 2048, THREADS = 256, CAPACITY = 4096;

__constant__ float splitters[BUCKETS]; // bucket b has numbers from splitters[b] on; splitters[0] is -infinity

__host__ __device__ inline int bucket_of(const float *s, float v) {
    int b = 0;
    for (int step = BUCKETS / 2; step > 0; step /= 2)
        if (v >= s[b + step]) b += step;
    return b;
}

__global__ void count(const float *in, int n, int *counts, unsigned short *buckets) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    int b = bucket_of(splitters, in[i]);
    buckets[i] = b;
    atomicAdd(&counts[b], 1);
}

__global__ void scatter(const float *in, const unsigned short *buckets, int n, int *next, float *out) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) out[atomicAdd(&next[buckets[i]], 1)] = in[i];
}

/* A block sorts a bucket; what is missing to a power of 2 is filled with infinities. */
__global__ void sort_buckets(float *data, const int *first) {
    __shared__ float s[CAPACITY];
    int begin = first[blockIdx.x], size = first[blockIdx.x + 1] - begin, padded = 2;
    if (size > CAPACITY) return; // the host sorts it
    while (padded < size) padded *= 2;
    for (int i = threadIdx.x; i < padded; i += THREADS) s[i] = i < size ? data[begin + i] : INFINITY;
    __syncthreads();
    for (int k = 2; k <= padded; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            for (int p = threadIdx.x; p < padded / 2; p += THREADS) {
                int i = 2 * p - (p & (j - 1));
                float a = s[i], b = s[i + j];
                bool up = (i & k) == 0;
                s[i] = up ? fminf(a, b) : fmaxf(a, b);
                s[i + j] = up ? fmaxf(a, b) : fminf(a, b);
            }
            __syncthreads();
        }
    for (int i = threadIdx.x; i < size; i += THREADS) data[begin + i] = s[i];
}

static std::vector<float> choose_splitters(const std::vector<float> &v) {
    std::vector<float> some, s(BUCKETS);
    for (size_t i = 0; i < 16 * BUCKETS; i++) some.push_back(v[i * 7919 % v.size()]);
    std::sort(some.begin(), some.end());
    for (int b = 1; b < BUCKETS; b++) s[b] = some[16 * size_t(b)];
    s[0] = -INFINITY;
    return s;
}

static std::vector<int> starts_of(const std::vector<int> &counts) {
    std::vector<int> first(1);
    for (int c : counts) first.push_back(first.back() + c);
    return first;
}

static void sort_openmp(const std::vector<float> &in, std::vector<float> &out) {
    std::vector<float> s = choose_splitters(in);
    std::vector<int> counts(BUCKETS);
    std::vector<unsigned short> buckets(in.size());
    int *c = counts.data();
#pragma omp parallel for reduction(+ : c[ : BUCKETS])
    for (size_t i = 0; i < in.size(); i++) c[buckets[i] = (unsigned short)bucket_of(s.data(), in[i])]++;
    std::vector<int> first = starts_of(counts), next = first;
#pragma omp parallel for
    for (size_t i = 0; i < in.size(); i++) {
        int at;
#pragma omp atomic capture
        at = next[buckets[i]]++;
        out[size_t(at)] = in[i];
    }
#pragma omp parallel for schedule(dynamic, 16)
    for (int b = 0; b < BUCKETS; b++) std::sort(out.begin() + first[b], out.begin() + first[b + 1]);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "hybridsort", "bucket sort and bitonic sort");
    int n = sample.pick(40000, 1000000, 4000000), blocks = divide_up(n, THREADS);
    Random random;
    std::vector<float> in(n), want(n), got;
    for (float &v : in) v = 1000 * random.normal() + random.next();
    DeviceArray<float> din(in), out(n);
    DeviceArray<int> counts(BUCKETS), first(BUCKETS + 1), next(BUCKETS + 1);
    DeviceArray<unsigned short> buckets(n);
    std::vector<int> starts;
    Version cuda = {[&] { counts.zero(); },
                    [&] {
                        std::vector<float> s = choose_splitters(in);
                        CUDA(cudaMemcpyToSymbol(splitters, s.data(), s.size() * sizeof(float)));
                        count<<<blocks, THREADS>>>(din, n, counts, buckets);
                        starts = starts_of(counts.get());
                        first.set(starts), next.set(starts);
                        scatter<<<blocks, THREADS>>>(din, buckets, n, next, out);
                        sort_buckets<<<BUCKETS, THREADS>>>(out, first);
                        for (int b = 0; b < BUCKETS; b++) // with a sample of 16 per bucket rare
                            if (starts[b + 1] - starts[b] > CAPACITY) {
                                std::vector<float> large(size_t(starts[b + 1] - starts[b]));
                                size_t bytes = large.size() * sizeof(float);
                                CUDA(cudaMemcpy(large.data(), out + starts[b], bytes, cudaMemcpyDeviceToHost));
                                std::sort(large.begin(), large.end());
                                CUDA(cudaMemcpy(out + starts[b], large.data(), bytes, cudaMemcpyHostToDevice));
                            }
                    }};
    sample.run(cuda, {[] {}, [&] { sort_openmp(in, want); }});
    sample.compare("numbers", out.get(), want);
    return sample.done();
}
