// scan: inclusive prefix sums of any length: scan each block, scan the sums of the blocks, add them.
#include "../common/sample.h"
#ifdef _OPENMP
#include <omp.h>
#endif

constexpr int THREADS = 256;

__global__ void scan_blocks(int *data, int *sums, int n) {
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, from = 0;
    s[0][t] = i < n ? data[i] : 0;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        s[1 - from][t] = s[from][t] + (t >= step ? s[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) data[i] = s[from][t];
    if (t == THREADS - 1) sums[blockIdx.x] = s[from][t];
}

__global__ void add_sums(int *data, const int *sums, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (blockIdx.x > 0 && i < n) data[i] += sums[blockIdx.x - 1];
}

/* sums: for each level the sums of its blocks, one level after the other */
static void scan(int *data, int *sums, int n) {
    int blocks = divide_up(n, THREADS);
    scan_blocks<<<blocks, THREADS>>>(data, sums, n);
    if (blocks == 1) return;
    scan(sums, sums + blocks, blocks);
    add_sums<<<blocks, THREADS>>>(data, sums, n);
}

/* Each thread scans a part; the parts before it are added in a second pass. */
static void scan_openmp(int *data, int n) {
    std::vector<int> sums(1);
#pragma omp parallel
    {
        int threads = 1, me = 0;
#ifdef _OPENMP
        threads = omp_get_num_threads(), me = omp_get_thread_num();
#endif
#pragma omp single
        sums.assign(size_t(threads) + 1, 0);
        int begin = int((long long)n * me / threads), end = int((long long)n * (me + 1) / threads), sum = 0;
        for (int i = begin; i < end; i++) data[i] = sum += data[i];
        sums[size_t(me) + 1] = sum;
#pragma omp barrier
        int before = 0;
        for (int t = 0; t <= me; t++) before += sums[size_t(t)];
        if (before)
#pragma omp simd
            for (int i = begin; i < end; i++) data[i] += before;
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "scan", "inclusive prefix sums");
    int n = sample.pick(70001, 5000011, 100000007);
    Random random;
    std::vector<int> in(n), want;
    for (int &x : in) x = random.below(100) - 40;
    DeviceArray<int> data(n), sums(n / (THREADS - 1) + 64);
    Version cuda = {[&] { data.set(in); }, [&] { scan(data, sums, n); }};
    Version openmp = {[&] { want = in; }, [&] { scan_openmp(want.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("sums", data.get(), want);
    return sample.done();
}
