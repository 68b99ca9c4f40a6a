// The benchmark of Bulavintsev (2019): an outer loop of ITERATIONS items, in each of which k of 32 threads leave the inner loop at once
// and others run ROUNDS iterations of it; OUTER and INNER are the work of the two. Prints the CPU time of a launch for each k given.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>
#include <vector>
const int THREADS = 1024, BLOCK = 128, ITEMS = 64, ROUNDS = 20;
template <int N> __device__ inline float work(float x) {
    for (int i = 0; i < N; i++) x = x * 1.0001f + 0.5f;
    return x;
}
template <int OUTER, int INNER> __global__ void nest(float *out, int k, int items, int rounds) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, count = 0;
    float x = t;
    for (int a = 0; a < items; a++) {
        bool early = ((lane + a * 7 + 3) & 31) < k;
        x = work<OUTER>(x);
        for (int b = 0; b < rounds && !early; b++) x = work<INNER>(x), count++;
        x += count;
    }
    out[t] = x + count;
}
static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int, char **arguments) {
    float *out;
    cudaMallocManaged(&out, THREADS * sizeof *out);
    while (*++arguments) {
        int k = atoi(*arguments);
        std::vector<double> times;
        for (int r = -1; r < 7; r++) {
            double from = seconds();
            for (int i = 0; i < 4; i++) nest<A, B><<<THREADS / BLOCK, BLOCK>>>(out, k, ITEMS, ROUNDS);
            cudaDeviceSynchronize();
            if (r >= 0) times.push_back((seconds() - from) / 4);
        }
        std::sort(times.begin(), times.end());
        double sum = 0;
        for (int t = 0; t < THREADS; t++) sum += out[t];
        printf("%d %.3g %.17g\n", k, times[times.size() / 2], sum);
    }
}
