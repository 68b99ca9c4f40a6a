// scan: inclusive prefix sums of any length: scan each block, scan the block sums, add them back.
#include "../common/sample.h"

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

static void scan(int *data, int n) {
    int blocks = (n + THREADS - 1) / THREADS;
    DeviceArray<int> sums(blocks);
    scan_blocks<<<blocks, THREADS>>>(data, sums, n);
    if (blocks == 1) return;
    scan(sums, blocks);
    add_sums<<<blocks, THREADS>>>(data, sums, n);
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 5000011);
    Numbers numbers;
    std::vector<int> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = numbers.below(100) - 40;
        want[i] = (i ? want[i - 1] : 0) + in[i];
    }
    DeviceArray<int> data(in);
    Stopwatch watch;
    scan(data, n);
    double ms = watch.stop();
    auto got = data.get();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != want[i];
    return verdict("scan", wrong, ms);
}
