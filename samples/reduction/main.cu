// reduction: the sum of many integers: a grid-stride loop, a tree in shared memory, one atomic per block.
#include "../common/sample.h"

constexpr int THREADS = 256;

__global__ void sum(const int *in, int n, unsigned long long *total) {
    __shared__ long long partial[THREADS];
    long long mine = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) mine += in[i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)partial[0]);
}

static long long sum_openmp(const int *in, int n) {
    long long total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < n; i++) total += in[i];
    return total;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "reduction", "sum of many integers");
    int n = sample.pick(100003, 1 << 24, 1 << 28);
    Random random;
    std::vector<int> in(n);
    for (int &x : in) x = random.below(2000) - 900;
    std::vector<unsigned long long> want(1);
    DeviceArray<int> device(in);
    DeviceArray<unsigned long long> total(1);
    Version cuda = {[&] { total.zero(); }, [&] { sum<<<240, THREADS>>>(device, n, total); }};
    Version openmp = {[] {}, [&] { want[0] = sum_openmp(in.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("sum", total.get(), want);
    return sample.done();
}
