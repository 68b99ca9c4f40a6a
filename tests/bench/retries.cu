// retries.cu: sums of doubles by compare-and-swap: one for the block in shared memory, then one for all, and 61 bins.
#include "bench.h"

extern "C" void retries_omp(const float *in, double *sums, int n);
extern "C" void retries_simd(const float *in, double *sums, int n);
extern "C" void retries_shape(const float *in, double *sums, int n);

__device__ void add(double *a, double v) {
    unsigned long long *p = (unsigned long long *)a, old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);
}

__global__ void retries(const float *in, double *sums, int n) {
    __shared__ double s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        add(&s, in[i]);
        add(&sums[1 + i % 61], in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) add(sums, s);
}

int main(int argc, char **argv) {
    Bench bench(argc, argv, "retries");
    int n = bench.small ? 1000 : 50000;
    float *in = bench.floats(n, 0, 1);
    double *sums = bench.output<double>(62, 1e-9);
    auto zero = [&] { memset(sums, 0, 62 * sizeof *sums); };
    return bench.run([&] { zero(), retries<<<(n + 255) / 256, 256>>>(in, sums, n); }, [&] { zero(), retries_omp(in, sums, n); },
                     [&] { zero(), retries_simd(in, sums, n); }, [&] { zero(), retries_shape(in, sums, n); });
}
