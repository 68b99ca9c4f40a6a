// Rows and columns out of a flattened place: signed and unsigned, 32 and 64 bits, several strides, divisors below and above
// a group's lanes, negative ones and ones near the ends of the type, places that wrap, divisions of remainders, loops
// through the grid, parts under a mask, values that go on behind them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 --disable=version_uniform_quotient %s -o %t.v2 && %run %t.v2; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 --disable=version_all_active %s -o %t.v3 && %run %t.v3; }
// RUN: %cucpu -O3 -Rcucpu --cpu=x86-64-v4 -c --stop-after=kernel_table %s -o %t.r 2>&1 | FileCheck %s
// CHECK: image: vectorized with 16 lanes; memory: {{[0-9]+}} uniform, {{[1-9][0-9]*}} contiguous
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>
#include <type_traits>

enum { N = 700, TABLE = 64 };
template <class T> struct Case { T start, by; };

/* What depends on the quotient and on the rest is a place in memory, so that both are worth it. */
template <int STRIDE, class T> __host__ __device__ void place(Case<T> c, int i, const int *table, int *out, T *values) {
    typedef typename std::make_unsigned<T>::type U;
    T x = (T)((U)c.start + (U)i * STRIDE), q = x / c.by, r = x % c.by;
    out[i] = table[(unsigned long long)q % TABLE] * 3 + table[(unsigned long long)r % TABLE];
    values[2 * i] = q;
    values[2 * i + 1] = r;
}
template <int STRIDE, class T> __global__ void places(Case<T> c, int n, const int *table, int *out, T *values) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) place<STRIDE>(c, i, table, out, values);
}
/* The rows of an image, upside down. */
__global__ void image(const int *in, int *out, int w, int h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int y = i / w, x = i % w;
    out[(h - 1 - y) * w + x] = in[y * w + x] + in[x];
}
/* Image, channel, row, column; the order of the channels turned round, rows shifted. */
__host__ __device__ int moved(int i, int c, int h, int w) {
    int x = i % w, y = i / w % h, k = i / (w * h) % c, m = i / (w * h * c);
    return ((m * c + c - 1 - k) * h + (y + 1) % h) * w + x;
}
__global__ void channels(const int *in, int *out, int c, int h, int w, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[moved(i, c, h, w)] = in[i];
}
/* Values that go on behind the part, and from pass to pass; only some threads divide. */
__host__ __device__ int sum_of(const int *in, int i, int n, int w, int step) {
    int sum = 0, last = -1;
    for (int k = i; k < n; k += step) {
        int y = k / w;
        if (y != last) sum += in[y % TABLE] * 5;
        last = y;
        if (in[k % TABLE] & 1) sum += in[k % w % TABLE];
    }
    return sum + last;
}
__global__ void sums(const int *in, int *out, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i % TABLE] % 3) out[i] = sum_of(in, i, n, w, blockDim.x * gridDim.x);
}
/* Threads leave the loop one by one, in the middle of the part. */
__host__ __device__ int first_of(const int *in, int i, int w) {
    for (int k = i;; k += 7) {
        int y = k / w, x = k % w;
        if (in[(y + x) % TABLE] > 40 || k > 5000) return k;
        if (in[x % TABLE] == 13) return -k;
    }
}
__global__ void firsts(const int *in, int *out, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = first_of(in, i, w);
}

static int failures;
static void check(bool ok, const char *what, long long a, long long b, long long i) {
    if (!ok && failures++ < 10) printf("%s %lld %lld: [%lld] is wrong\n", what, a, b, i);
}
static int *table, *in, *out;
static int want[N * 4];

template <int STRIDE, class T> static void test(const char *name, Case<T> c) {
    static T *values, expect[2 * N];
    if (!values) cudaMallocManaged(&values, sizeof expect);
    for (int block : {64, 33, 5}) {
        places<STRIDE><<<(N + block - 1) / block, block>>>(c, N, table, out, values);
        cudaDeviceSynchronize();
        for (int i = 0; i < N; i++) {
            place<STRIDE>(c, i, table, want, expect);
            check(out[i] == want[i] && values[2 * i] == expect[2 * i] && values[2 * i + 1] == expect[2 * i + 1], name, (long long)c.start, (long long)c.by, i);
        }
    }
}
template <class T> static void test_all(const char *name, T least, T most) {
    for (T by : {(T)1, (T)2, (T)7, (T)15, (T)16, (T)17, (T)31, (T)32, (T)40, (T)64, (T)100, (T)333, (T)5000, (T)(most - 1), most, (T)-3, (T)-40, (T)-1, least})
        for (T start : {(T)0, (T)1, (T)-50, (T)-1000, (T)(most - 300), (T)(least + 2), (T)12345})
            if (by && !(by == (T)-1 && least)) test<1>(name, Case<T>{start, by}), test<3>(name, Case<T>{start, by});
}

int main() {
    cudaMallocManaged(&table, sizeof(int) * TABLE), cudaMallocManaged(&in, sizeof(int) * N * 4), cudaMallocManaged(&out, sizeof(int) * N * 4);
    for (int i = 0; i < TABLE; i++) table[i] = i * i % 61;
    for (int i = 0; i < N * 4; i++) in[i] = i * 37 % 101;
    test_all<unsigned>("unsigned", 0, UINT_MAX), test_all<unsigned long long>("64 bits, unsigned", 0, ULLONG_MAX);
    test_all<int>("signed", INT_MIN, INT_MAX), test_all<long long>("64 bits", LLONG_MIN, LLONG_MAX);
    for (int w : {1, 3, 15, 16, 20, 48, 100, 350}) {
        int h = N / w, n = w * h;
        for (int block : {128, 50}) {
            image<<<(n + block - 1) / block, block>>>(in, out, w, h, n);
            cudaDeviceSynchronize();
            for (int i = 0; i < n; i++) check(out[(h - 1 - i / w) * w + i % w] == in[i] + in[i % w], "image", w, block, i);
        }
        for (int c : {1, 3}) {
            int all = c * h * w / c * 3;
            if (all > N * 4) continue;
            int rows = c == 3 ? h : h / 2 ? h / 2 : 1, total = c * rows * w;
            channels<<<3, 64>>>(in, out, c, rows, w, total);
            cudaDeviceSynchronize();
            for (int i = 0; i < total; i++) check(out[moved(i, c, rows, w)] == in[i], "channels", w, c, i);
        }
        for (int i = 0; i < 192; i++) out[i] = -7;
        sums<<<3, 64>>>(table, out, 1500, w);
        cudaDeviceSynchronize();
        for (int i = 0; i < 192; i++) check(out[i] == (table[i % TABLE] % 3 ? sum_of(table, i, 1500, w, 192) : -7), "sums", w, 0, i);
        firsts<<<3, 64>>>(table, out, w);
        cudaDeviceSynchronize();
        for (int i = 0; i < 192; i++) check(out[i] == first_of(table, i, w), "firsts", w, 0, i);
    }
    places<1><<<1, 64>>>(Case<int>{5, 0}, 64, table, out, (int *)in); /* any result, but one */
    check(cudaDeviceSynchronize() == cudaSuccess, "division by zero", 0, 0, 0);
    if (!failures) printf("ok\n");
    return failures != 0;
}
