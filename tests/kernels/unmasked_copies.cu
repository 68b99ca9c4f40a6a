// Range tests: groups that pass whole, in part, not at all; tests that wrap between two lanes of a group.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define BOTH __host__ __device__

struct Point {
    float x, y, z;
};

struct Data {
    int *out;
    const int *in;
    Point *points;
    int *count;
};

// Each case: the body of one thread.  i: its linear id, n: how many there are to be.
template <int CASE> BOTH void body(int i, int n, unsigned base, Data d) {
    if (CASE == 0) { // upper bound
        if (i < n) d.out[i] = 3 * d.in[i] + d.in[i + 1];
    } else if (CASE == 1) { // wraps within a group for some bases
        unsigned u = base + (unsigned)i;
        if (u < (unsigned)n) d.out[u] = d.in[u] + d.in[u + 1] + i;
    } else if (CASE == 2) { // lower bound and upper bound, border
        if (i == 0 || i >= n - 1) return;
        d.out[i] = d.in[i - 1] + d.in[i] + d.in[i + 1];
    } else if (CASE == 3) { // runs backwards
        int k = n - 1 - i;
        if (k >= 0) d.out[k] = d.in[k] + 2 * d.in[k + 1] - d.in[i];
    } else if (CASE == 4) { // structures
        if (i < n) {
            Point p = d.points[i];
            p.x += p.y;
            p.z = p.x * 2.0f;
            d.points[i] = p;
        }
    } else if (CASE == 5) { // a loop, and in it a test of data
        if (i < n) {
            int sum = 0;
            for (int k = 0; k < 5; k++) {
                if (d.in[i] & 1) sum += d.in[i + k];
                else sum -= k;
            }
            d.out[i] = sum;
        }
    } else if (CASE == 6) { // the test in a loop, with continue and break
        int sum = 0;
        for (int k = 0; k < 4; k++) {
            int at = i + k * 7;
            if (at >= n) continue;
            sum += d.in[at] + d.in[at + 1] * k + d.in[at / 2];
            if (sum > 1000) break;
        }
        d.out[i] = sum;
    } else if (CASE == 7) { // 64 bits, a different step
        long long at = 2LL * i + 1;
        if (at + 1 < n) d.out[at] = d.in[at] + d.in[at - 1] + d.in[at + 1];
    } else if (CASE == 8) { // a value from each side
        int v;
        if (i < n / 2) v = d.in[i] + d.in[i + 1] + d.in[i + 2];
        else v = -d.in[i];
        d.out[i] = v;
    } else if (CASE == 9) { // signed values that wrap: i + base is computed unsigned
        int s = (int)(base + (unsigned)i);
        if (s > 5) d.out[i] = d.in[i] + d.in[i + 1] + d.in[i + 2];
    } else if (CASE == 10) { // not equal
        if (i != n) d.out[i] = d.in[i] + d.in[i + 1] + d.in[i + 2];
    } else { // a divergent loop around the test
        for (int k = 0; k < (d.in[i] & 3); k++)
            if (i + k < n) d.out[i] += d.in[i + k] + d.in[i] * k + d.in[k];
    }
}

template <int CASE> __global__ void kernel(int n, unsigned base, Data d) {
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    body<CASE>(block * (int)(blockDim.x * blockDim.y * blockDim.z) + thread, n, base, d);
}

__global__ void count(int n, Data d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&d.count[d.in[i] & 7], 1);
}

enum { SIZE = 8192 };
static Data device, host;

static void fill() {
    for (int i = 0; i < SIZE; i++) {
        host.out[i] = device.out[i] = -i;
        host.points[i] = device.points[i] = {(float)i, (float)(i % 13), 1.0f};
    }
}

template <int CASE> void run(dim3 block, int n, unsigned base) {
    int threads = 2 * (int)volume(block);
    fill();
    kernel<CASE><<<dim3(2), block>>>(n, base, device);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < threads; i++) body<CASE>(i, n, base, host);
    bool same = !memcmp(host.out, device.out, SIZE * sizeof(int)) && !memcmp(host.points, device.points, SIZE * sizeof(Point));
    if (!same) std::printf("case %d, block %u %u %u, n %d, base %u\n", CASE, block.x, block.y, block.z, n, base);
    CHECK(same);
}

template <int CASE> void all_cases(dim3 block, int n, unsigned base) {
    run<CASE>(block, n, base);
    if constexpr (CASE < 11) all_cases<CASE + 1>(block, n, base);
}

template <class T> T *managed(size_t n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof(T)));
    memset(p, 0, n * sizeof(T));
    return p;
}

int main() {
    int *in = managed<int>(SIZE);
    for (int i = 0; i < SIZE; i++) in[i] = (int)((unsigned)i * 2654435761u >> 20);
    device = {managed<int>(SIZE), in, managed<Point>(SIZE), managed<int>(8)};
    host = {new int[SIZE], in, new Point[SIZE], new int[8]};
    for (dim3 block : block_shapes) {
        int threads = 2 * (int)volume(block);
        for (int n : {0, 1, 7, threads - 5, threads - 1, threads, threads + 3})
            for (unsigned base : {0u, 3u, 0u - 5u, 0u - 40u, 0x7fffffffu - 20u})
                if (n >= 0) all_cases<0>(block, n, base);
        for (int n : {1, threads / 2 + 1, threads}) {
            memset(device.count, 0, 8 * sizeof(int));
            memset(host.count, 0, 8 * sizeof(int));
            count<<<2, block.x>>>(n, device);
            CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < n && i < 2 * (int)block.x; i++) host.count[in[i] & 7]++;
            CHECK(!memcmp(host.count, device.count, 8 * sizeof(int)));
        }
    }
    return finish();
}
