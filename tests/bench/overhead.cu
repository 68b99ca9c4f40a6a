// overhead.cu: what launches and barriers cost.  Prints "name value unit", the best of several rounds.
#include <cstdio>
#include <cstring>
#include <time.h>

__global__ void empty() {}

// A barrier and nothing else; the loop is not unrolled so that 1000 passes cost 1000 barriers.
__global__ void barriers(int *out, int n) {
    int v = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        __syncthreads();
        v ^= i;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

template <class F> static double best(int times, F body) {
    double least = 1e9;
    for (int r = 0; r < 30; r++) {
        double start = now();
        for (int i = 0; i < times; i++) {
            body();
            cudaDeviceSynchronize();
        }
        double each = (now() - start) / times;
        if (each < least) least = each;
    }
    return least;
}

int main() {
    for (int blocks : {1, 64, 1024})
        printf("launch_%d %.3f us\n", blocks, 1e6 * best(200, [=] { empty<<<blocks, 128>>>(); }));
    int *out;
    cudaMallocManaged(&out, 256 * sizeof *out);
    double none = best(20, [=] { barriers<<<1, 256>>>(out, 0); });
    double all = best(5, [=] { barriers<<<1, 256>>>(out, 1000); });
    for (int t = 0; t < 256; t++) {
        int want = t;
        for (int i = 0; i < 1000; i++) want ^= i;
        if (out[t] != want) return printf("wrong result\n"), 1;
    }
    printf("barrier %.4f ns per thread\n", 1e9 * (all - none) / 1000 / 256);
    return cudaGetLastError() != cudaSuccess;
}
