// curand_kernel.h: the integers that cuRAND gives for seed, subsequence and offset; uniform, normal and Poisson numbers.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <curand_kernel.h>

/* The first three numbers. */
struct Row {
    unsigned long long seed, subsequence, offset;
    unsigned xorwow[3], philox[3], mrg[3];
};
static const Row rows[] = {
    {0, 0, 0, {0xbd7f03b6, 0x703e556d, 0x845af0c5}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c}, {0x2083cd07, 0x518b05c4, 0x4f26d091}},
    {1234, 0, 0, {0x253d5e15, 0x6f558604, 0xdee6daf2}, {0x2090b348, 0xda7cf0ab, 0x4401906f}, {0xc96891f0, 0x9650c684, 0x0cbc7881}},
    {0x123456789abcdef, 1, 0, {0x6d3c9475, 0x4395cedf, 0xa645739f}, {0xfa9dff5e, 0x6c10844b, 0x6979c717}, {0x1234526d, 0xab74c60d, 0xa9bc6231}},
    {42, 5, 3, {0x63a7543d, 0x33840b98, 0x773e10c0}, {0xdf5aef1c, 0x98712bb9, 0xc696c1de}, {0x03009b75, 0x1236ffda, 0x1e2d4cd3}},
    {42, 1000, 0, {0x153042c5, 0x6263e975, 0xd73def95}, {0xf681cc28, 0xd5beacd7, 0x1822baf3}, {0xef6b5e88, 0x3a82b7a7, 0x44df11fc}},
    {7, 0x123456789a, 77, {0xd8a66b72, 0xf70b0ae5, 0x6830974f}, {0x05783baa, 0x21e358d1, 0x2f020965}, {0x3021a583, 0xfa958c2d, 0x951023ff}},
    {99, 3, 123456789012, {0xd257aa45, 0x934236c0, 0xeeff14ee}, {0x38c71aaf, 0xca93afe6, 0x90de2478}, {0xec31e223, 0x4fadacbc, 0x0b688976}},
};
enum { ROWS = sizeof rows / sizeof *rows };

template <class State> __global__ void integers(const Row *r, unsigned *out) {
    int t = threadIdx.x;
    State s;
    curand_init(r[t % ROWS].seed, r[t % ROWS].subsequence, r[t % ROWS].offset, &s);
    for (int i = 0; i < 3; i++) out[t * 3 + i] = curand(&s);
}

/* Numbers skipped are numbers drawn, however many a thread skips. */
template <class State> __global__ void skips(unsigned *bad) {
    State a, b;
    curand_init(5, threadIdx.x, 0, &a);
    b = a;
    skipahead((unsigned long long)threadIdx.x, &a);
    for (int i = 0; i < (int)threadIdx.x; i++) curand(&b);
    for (int i = 0; i < 5; i++)
        if (curand(&a) != curand(&b)) atomicAdd(bad, 1);
    float2 pair = curand_normal2(&b), next = curand_normal2(&b); /* a normal number in waiting is not a log-normal one */
    if (curand_normal(&a) != pair.x || curand_log_normal(&a, 1.0f, 2.0f) != expf(1.0f + 2.0f * next.x)) atomicAdd(bad, 1);
    if (curand_log_normal(&a, 1.0f, 2.0f) != expf(1.0f + 2.0f * next.y)) atomicAdd(bad, 1);
}
__global__ void fours(unsigned *bad) {
    curandStatePhilox4_32_10_t a;
    curand_init(5, threadIdx.x, 0, &a);
    curandStatePhilox4_32_10_t b = a;
    double4 u = curand_uniform4_double(&a), n = curand_normal4_double(&a);
    double2 v = curand_uniform2_double(&b), w = curand_uniform2_double(&b), p = curand_normal2_double(&b), q = curand_normal2_double(&b);
    if (u.x != v.x || u.y != v.y || u.z != w.x || u.w != w.y || n.x != p.x || n.y != p.y || n.z != q.x || n.w != q.y) atomicAdd(bad, 1);
    uint4 few = curand_poisson4(&a, 1e-9), many = curand_poisson4(&a, 1e8);
    if (few.x + few.y + few.z + few.w || many.x < 99900000 || many.w > 100100000) atomicAdd(bad, 1);
}

enum { UNIFORM, NORMAL, UNIFORM_DOUBLE, NORMAL_DOUBLE, FEW, MANY, KINDS, DRAWS = 200 };
template <class State> __global__ void numbers(double *sums, double *squares) {
    State s;
    curand_init(1, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
    for (int kind = 0; kind < KINDS; kind++) {
        double sum = 0, square = 0;
        for (int i = 0; i < DRAWS; i++) {
            double x = kind == UNIFORM          ? curand_uniform(&s)
                       : kind == NORMAL         ? curand_normal(&s)
                       : kind == UNIFORM_DOUBLE ? curand_uniform_double(&s)
                       : kind == NORMAL_DOUBLE  ? curand_normal_double(&s)
                                                : (double)curand_poisson(&s, kind == FEW ? 4.5 : 300);
            sum += x, square += x * x;
        }
        atomicAdd(&sums[kind], sum), atomicAdd(&squares[kind], square);
    }
}

template <class State> static void test(const unsigned (Row::*want)[3]) {
    const int n = 77;
    Buffer<Row> in(std::vector<Row>(rows, rows + ROWS));
    Buffer<unsigned> out(n * 3), bad(1);
    integers<State><<<1, n>>>(in, out);
    auto got = out.get();
    for (int i = 0; i < n * 3; i++) CHECK(got[i] == (rows[i / 3 % ROWS].*want)[i % 3]);
    skips<State><<<1, n>>>(bad);
    fours<<<1, n>>>(bad);
    CHECK(bad.get()[0] == 0);
}

template <class State> static void test_numbers() {
    const int n = 77, blocks = 20;
    Buffer<double> sums(KINDS), squares(KINDS);
    numbers<State><<<blocks, n>>>(sums, squares);
    auto sum = sums.get(), square = squares.get();
    const double mean[KINDS] = {0.5, 0, 0.5, 0, 4.5, 300}, variance[KINDS] = {1 / 12.0, 1, 1 / 12.0, 1, 4.5, 300};
    for (int k = 0; k < KINDS; k++) {
        double draws = double(n) * blocks * DRAWS, m = sum[k] / draws, v = square[k] / draws - m * m;
        CHECK(std::fabs(m - mean[k]) < 5 * std::sqrt(variance[k] / draws)); // five standard deviations
        CHECK(std::fabs(v / variance[k] - 1) < 0.03);
    }
}

int main() {
    test<curandState>(&Row::xorwow);
    test<curandStatePhilox4_32_10_t>(&Row::philox);
    test<curandStateMRG32k3a>(&Row::mrg);
    test_numbers<curandState>();
    test_numbers<curandStatePhilox4_32_10_t>();
    return finish();
}
