// The Mandelbrot set over points in random order, as Bulavintsev's loops: each thread takes a list of points, or every n-th one of
// all (a grid-stride loop). Prints the CPU microseconds of a launch of each, and the sum of the results.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>
#include <vector>
const int THREADS = 256, BLOCK = 64, ITEMS = 16, POINTS = THREADS * ITEMS, MOST = 300;
__device__ inline int iterations(float cx, float cy, int most) {
    float x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    return k;
}
__global__ void list(int *out, const float *cx, const float *cy, int items, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < items; j++) out[i * items + j] = iterations(cx[i * items + j], cy[i * items + j], most);
}
__global__ void grid_stride(int *out, const float *cx, const float *cy, int n, int most) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = iterations(cx[i], cy[i], most);
}
static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
template <class F> static double median(F launch) {
    std::vector<double> times;
    for (int r = -2; r < 15; r++) {
        double from = seconds();
        for (int i = 0; i < 10; i++) launch();
        cudaDeviceSynchronize();
        if (r >= 0) times.push_back((seconds() - from) / 10);
    }
    std::sort(times.begin(), times.end());
    return 1e6 * times[times.size() / 2];
}
static long sum(const int *v) {
    long s = 0;
    for (int i = 0; i < POINTS; i++) s = s * 31 + v[i];
    return s;
}
int main() {
    int *out;
    float *cx, *cy;
    cudaMallocManaged(&out, POINTS * sizeof *out), cudaMallocManaged(&cx, POINTS * sizeof *cx), cudaMallocManaged(&cy, POINTS * sizeof *cy);
    for (int i = 0; i < POINTS; i++) cx[i] = rand() / (float)RAND_MAX * 3 - 2, cy[i] = rand() / (float)RAND_MAX * 2 - 1;
    double t = median([&] { list<<<THREADS / BLOCK, BLOCK>>>(out, cx, cy, ITEMS, MOST); });
    printf("list %.1f %ld\n", t, sum(out));
    t = median([&] { grid_stride<<<THREADS / BLOCK, BLOCK>>>(out, cx, cy, POINTS, MOST); });
    printf("grid-stride %.1f %ld\n", t, sum(out));
}
