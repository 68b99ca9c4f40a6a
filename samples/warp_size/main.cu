// warp_size: kernels that the number of threads which go together, the warp size or SIMD width, matters to, or not.
// The Mandelbrot set in two orders: neighbouring threads do neighbouring pixels, or pixels that are far apart; a loop
// runs until the last thread of the warp has left it.  And a sum that all widths are alike to.
//
//   cucpu-sweep samples/warp_size/main.cu --warp-size 4,8,16,32,64 --simd auto,1,4,8,16 -- --size small
#include "../common/picture.h"

constexpr int THREADS = 256, LIMIT = 300;

/* Explicit fused operations, so that host and device agree on each pixel. */
__host__ __device__ inline int escape(float cx, float cy) {
    float x = 0, y = 0;
    int k = 0;
    for (; k < LIMIT && fmaf(x, x, y * y) < 4; k++) {
        float next = fmaf(-y, y, x * x) + cx;
        y = fmaf(x + x, y, cy);
        x = next;
    }
    return k;
}

__host__ __device__ inline int escape_pixel(int pixel, int side) {
    float step = 2.6f / float(side);
    return escape(fmaf(float(pixel % side), step, -2), fmaf(float(pixel / side), step, -1.3f));
}

/* The pixel of thread i: neighbours are far apart, as the bits of i are reversed; `bits` is that of side * side. */
__host__ __device__ inline int scattered(int i, int bits) {
    unsigned r = 0;
    for (int k = 0; k < bits; k++) r |= (unsigned(i) >> k & 1) << (bits - 1 - k);
    return int(r);
}

__global__ void neighbours(int *counts, int side, int *warp_size) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    counts[i] = escape_pixel(i, side);
    if (i == 0) *warp_size = warpSize;
}

__global__ void strangers(int *counts, int side, int bits) {
    int i = scattered(blockIdx.x * THREADS + threadIdx.x, bits);
    counts[i] = escape_pixel(i, side);
}

__global__ void sum(const int *counts, int *total) {
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = counts[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(total, s[0]);
}

static void escape_openmp(int *counts, int side, int &total) {
    int all = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : all)
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) all += counts[y * side + x] = escape_pixel(y * side + x, side);
    total = all;
}

/* The part of the lanes of a warp that are active, on average over the iterations that it does. */
static double efficiency(const std::vector<int> &counts, int warp, int bits, bool scatter, std::vector<float> *map) {
    double active = 0, iterations = 0;
    for (int first = 0; first < int(counts.size()); first += warp) {
        int sum = 0, most = 1;
        for (int i = first; i < first + warp; i++) {
            int k = counts[scatter ? scattered(i, bits) : i];
            sum += k, most = std::max(most, k);
        }
        active += sum, iterations += double(most) * warp;
        for (int i = first; i < first + warp && map; i++)
            (*map)[scatter ? scattered(i, bits) : i] = float(sum) / float(most * warp);
    }
    return active / iterations;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "warp_size", "divergent loops and the size of warps", PICTURE);
    int side = sample.pick(64, 256, 1024), n = side * side, bits = 0, want_total;
    while (1 << bits < n) bits++;
    std::vector<int> want(n);
    DeviceArray<int> a(n), b(n), total(1), warp(1);
    Version cuda = {[&] { a.zero(), b.zero(), total.zero(); },
                    [&] {
                        neighbours<<<n / THREADS, THREADS>>>(a, side, warp);
                        strangers<<<n / THREADS, THREADS>>>(b, side, bits);
                        sum<<<n / THREADS, THREADS>>>(b, total);
                    }};
    Version openmp = {[] {},
                      [&] {
                          escape_openmp(want.data(), side, want_total);
                          escape_openmp(want.data(), side, want_total); // as often as the device
                      }};
    sample.run(cuda, openmp);
    sample.compare("pixels", a.get(), want);
    sample.compare("pixels in another order", b.get(), want);
    sample.compare("sum", total.get(), std::vector<int>{want_total});
    int size = warp.get()[0];
    std::vector<float> map(n), scattered_map(n);
    double near = efficiency(want, size, bits, false, &map), far = efficiency(want, size, bits, true, &scattered_map);
    // Not on standard output, which is the same for all sizes of warps.
    std::fprintf(stderr, "warps of %d threads: active lanes %.0f %% (neighbours), %.0f %% (strangers)\n", size,
                 100 * near, 100 * far);
    if (sample.picture) { // the set, and the active part of the warp of each pixel in both orders
        Picture p(3 * side + 8, side);
        for (int i = 0; i < n; i++) {
            p.set(i % side, i / side, heat(want[i] == LIMIT ? 0 : std::log(float(want[i]) + 1) / std::log(60.f)));
            p.set(side + 4 + i % side, i / side, grey(map[i]));
            p.set(2 * side + 8 + i % side, i / side, grey(scattered_map[i]));
        }
        p.write(sample);
    }
    return sample.done();
}
