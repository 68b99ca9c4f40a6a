// Rows that a block goes through: all rounds that whole groups run are a loop without masks (peel_full_iterations), the rest is not. Rows that are empty,
// shorter than a group, odd or whole; counters that wrap around, go down or leap; what a thread carries, and what it has behind the loop.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=peel_full_iterations %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 --simd=4 %s -o %t.v3 && %run %t.v3; }
#include <climits>
#include <cstdio>
#include <vector>

struct Args {
    const int *start;  // rows + 1
    const int *value;  // elements, and a margin on either side
    int *out;          // elements
    int *sum, *where;  // rows * threads
};

// Each does for thread t of n what it does on the host too.
#define ROW(name, ...) struct name { __host__ __device__ static void run(const Args &a, int row, int t, int n, int &s, int &w) { int b = a.start[row], e = a.start[row + 1]; __VA_ARGS__ } }
ROW(whole_rows, int i = b + t; for (; i < e; i += n) { s = s * 3 + a.value[i]; a.out[i] = s; } w = i;);
ROW(counted, int i; int k = 0; for (i = b + t; i < e; i += n) s += a.value[i] * ++k; w = k;);
ROW(to_end, size_t i = b + t, last = e; do { if (i >= last) break; s ^= a.value[i] + (int)i; i += n; } while (true); w = (int)i;);
ROW(downwards, int i = e - 1 - t; for (; i >= b; i -= n) { s = s * 5 + a.value[i]; a.out[i] = s; } w = i;);
ROW(turned, int k = t; for (; k < e - b; k += n) { s = s * 7 + a.value[e - 1 - k]; a.out[e - 1 - k] = a.value[b + k]; } w = k;);
ROW(fields, int k = t; for (; 2 * k + 1 < e - b; k += n) { s += a.value[b + 2 * k] * 3 - a.value[b + 2 * k + 1]; a.out[b + 2 * k] = s; a.out[b + 2 * k + 1] = k; } w = k;);
ROW(triangle, for (int k = 0; k <= t && b + 33 * k + t < e; k++) { s = s * 3 + a.value[b + 33 * k + t]; w += k; });
ROW(suffix, int m = e - b < 70 ? e - b : 70; for (int k = t; k < m; k++) { s = s * 3 + a.value[b + k]; w += k; });
ROW(inside, int i = b + t; for (; i < e; i += n) { int v = a.value[i]; if (v & 1) { s += v; a.out[i] = s; } else { s -= 3; } for (int k = 0; k < (row & 3); k++) s += a.value[i + k] << k; } w = i;);
ROW(leaves, int i = b + t; for (; i < e; i += n) { s += a.value[i]; if (s % 7 == 5) break; a.out[i] = s; } w = i;);
ROW(unequal, int m = e - b - (e - b) % n, i = t; for (; i != m + t; i += n) { s = s * 3 + a.value[b + i]; a.out[b + i] = s; } w = i;);
ROW(wraps, unsigned i = UINT_MAX - 300 + t, last = UINT_MAX - 10; for (; i < last && w < 9; i += n) { s = s * 3 + a.value[b + (i & 15)]; w++; });
ROW(twice, for (int r = 0; r < 2; r++) { int i = b + t + r; for (; i < e; i += n) { s = s * 3 + a.value[i]; a.out[i - r] = s; } w += i; });
ROW(some, if (t % 5 != 2) { int i = b + t; for (; i < e; i += n) { s = s * 3 + a.value[i]; a.out[i] = s; } w = i; } else { w = -1; });
ROW(first, if (t >= row) { int i = b + t; for (; i < e; i += n) { s += a.value[i]; a.out[i] = s; } w = i; });

template <class Body> __global__ void kernel(Args a) {
    int row = blockIdx.x, t = threadIdx.x + threadIdx.y * blockDim.x, n = blockDim.x * blockDim.y, s = 0, w = 0;
    Body::run(a, row, t, n, s, w);
    a.sum[row * n + t] = s;
    a.where[row * n + t] = w;
}

// Barriers around the loops, as in a reduction.
__global__ void means(Args a, int n) {
    __shared__ int total[256];
    int row = blockIdx.x, b = a.start[row], e = a.start[row + 1], s = 0;
    for (int i = b + threadIdx.x; i < e; i += n) s += a.value[i];
    total[threadIdx.x] = s;
    for (int k = n / 2; k; k >>= 1) {
        __syncthreads();
        if (threadIdx.x < k) total[threadIdx.x] += total[threadIdx.x + k];
    }
    __syncthreads();
    for (int i = b + threadIdx.x; i < e; i += n) a.out[i] = a.value[i] - total[0] / (e - b);
}

// Rows of a warp: what the lanes have is added up by shuffles.
__global__ void warps(Args a, int rows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, s = 0;
    if (row >= rows) return;
    for (int i = a.start[row] + threadIdx.x; i < a.start[row + 1]; i += 32) s += a.value[i] * (i & 7);
    for (int k = 16; k; k >>= 1) s += __shfl_down_sync(0xffffffffu, s, k);
    if (threadIdx.x == 0) a.sum[row] = s;
}

static int wrong;
static const int ROWS = 24;
static std::vector<int> start;
static Args dev, host;
static int elements, most;
static int blocks[][2] = {{1, 1}, {7, 1}, {32, 1}, {45, 1}, {64, 1}, {256, 1}, {16, 5}}; // not const: one code for all

static void compare(const char *name, int n, bool out) {
    int bad = 0;
    for (int i = 0; i < ROWS * n; i++) bad += dev.sum[i] != host.sum[i] || dev.where[i] != host.where[i];
    for (int i = 0; out && i < elements; i++) bad += dev.out[i] != host.out[i];
    if (bad) printf("%s with %d threads: %d wrong\n", name, n, bad);
    wrong += bad;
}

static void clear() {
    for (Args *a : {&dev, &host}) {
        for (int i = 0; i < elements; i++) a->out[i] = -5;
        for (int i = 0; i < most; i++) a->sum[i] = a->where[i] = -7;
    }
}

template <class Body> static void test(const char *name) {
    for (auto &block : blocks) {
        int n = block[0] * block[1];
        clear();
        kernel<Body><<<ROWS, dim3(block[0], block[1])>>>(dev);
        if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
        for (int k = 0; k < ROWS * n; k++) {
            int s = 0, w = 0;
            Body::run(host, k / n, k % n, n, s, w);
            host.sum[k] = s;
            host.where[k] = w;
        }
        compare(name, n, true);
    }
}

static void test_warps() {
    clear();
    warps<<<(ROWS + 3) / 4, dim3(32, 4)>>>(dev, ROWS);
    if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
    for (int row = 0; row < ROWS; row++) {
        host.sum[row] = 0;
        for (int i = start[row]; i < start[row + 1]; i++) host.sum[row] += host.value[i] * (i & 7);
    }
    compare("warps", 1, false);
}

static void test_means() {
    for (int n : {32, 256}) {
        clear();
        means<<<ROWS, n>>>(dev, n);
        if (cudaDeviceSynchronize() != cudaSuccess) wrong++;
        for (int row = 0; row < ROWS; row++) {
            int total = 0;
            for (int i = start[row]; i < start[row + 1]; i++) total += host.value[i];
            for (int i = start[row]; i < start[row + 1]; i++) host.out[i] = host.value[i] - total / (start[row + 1] - start[row]);
        }
        compare("means", 0, true);
    }
}

int main() {
    static const int length[] = {0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 0, 255, 256, 257, 300, 512, 1000, 2, 1023, 48};
    start.push_back(0);
    for (int l : length) start.push_back(start.back() + l);
    elements = start.back() + 64;
    most = ROWS * 256;
    int *memory, *starts;
    cudaMallocManaged(&starts, start.size() * sizeof(int));
    cudaMallocManaged(&memory, (3 * elements + 4 * most) * sizeof(int));
    for (size_t i = 0; i < start.size(); i++) starts[i] = start[i];
    for (int i = 0; i < elements; i++) memory[i] = (int)(i * 2654435761u >> 7) % 1000;
    dev = {starts, memory, memory + elements, memory + 3 * elements, memory + 3 * elements + most};
    host = {starts, memory, memory + 2 * elements, memory + 3 * elements + 2 * most, memory + 3 * elements + 3 * most};
#define TEST(name) test<name>(#name)
    TEST(whole_rows); TEST(counted); TEST(to_end); TEST(downwards); TEST(turned); TEST(fields); TEST(triangle); TEST(suffix);
    TEST(inside); TEST(leaves); TEST(unequal); TEST(wraps); TEST(twice); TEST(some); TEST(first);
    test_warps();
    test_means();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
