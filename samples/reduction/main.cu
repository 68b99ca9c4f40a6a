// reduction: the sum of many integers: a grid-stride loop, a tree in shared memory, one atomic per block.
#include "../common/sample.h"

constexpr int THREADS = 256;

__global__ void sum(const int *in, int n, unsigned long long *total) {
    __shared__ long long partial[THREADS];
    long long mine = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) mine += in[i];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)partial[0]);
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 1 << 24);
    Numbers numbers;
    std::vector<int> in(n);
    long long want = 0;
    for (int &x : in) want += x = numbers.below(2000) - 900;
    DeviceArray<int> device(in);
    DeviceArray<unsigned long long> total(std::vector<unsigned long long>{0});
    Stopwatch watch;
    sum<<<240, THREADS>>>(device, n, total);
    double ms = watch.stop();
    return verdict("reduction", (long long)total.get()[0] != want, ms);
}
