// Atomic functions on global and shared memory: every operation and type, values returned.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <algorithm>

enum { CELLS = 7 };

__global__ void integers(int *i, unsigned *u, unsigned long long *l, const int *in) {
    unsigned t = global_rank(), c = t % CELLS;
    int v = in[t];
    atomicAdd(&i[c], v);
    atomicSub(&i[CELLS + c], v);
    atomicMin(&i[2 * CELLS + c], v);
    atomicMax(&i[3 * CELLS + c], v);
    atomicAnd(&u[c], ~(1u << (v & 31)));
    atomicOr(&u[CELLS + c], 1u << (v & 31));
    atomicXor(&u[2 * CELLS + c], unsigned(v));
    atomicInc(&u[3 * CELLS + c], 12u);
    atomicDec(&u[4 * CELLS + c], 12u);
    atomicMax(&u[5 * CELLS + c], unsigned(v));
    atomicAdd(&l[c], (unsigned long long)v << 33);
    atomicMax(&l[CELLS + c], (unsigned long long)(long long)v);
}

__global__ void floats(float *f, double *d, const int *in) {
    unsigned t = global_rank();
    atomicAdd(&f[t % CELLS], float(in[t]));
    atomicAdd(&d[t % CELLS], double(in[t]) * 0.5);
}

/* every ticket is given out once; the sum at one address is seen by each in turn */
__global__ void tickets(int *next, int *taken, unsigned *all) {
    unsigned t = global_rank();
    int ticket = atomicAdd(next, 1);
    atomicAdd(&taken[ticket], 1);
    if (t % 3 == 0) all[ticket] = atomicExch(&all[gridDim.x * blockDim.x * blockDim.y * blockDim.z], t + 1) ? 1u : 2u;
}

__global__ void compare_and_swap(float *sum, const int *in) {
    int *word = (int *)sum;
    int old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + float(in[global_rank()])));
    } while (old != assumed);
}

__global__ void histogram(const int *in, unsigned *out) {
    __shared__ unsigned bins[16];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned b = t; b < 16; b += n) bins[b] = 0;
    __syncthreads();
    atomicAdd(&bins[in[global_rank()] & 15], 1u);
    __syncthreads();
    for (unsigned b = t; b < 16; b += n) atomicAdd(&out[b], bins[b]);
}

int main() {
    each_shape([](dim3 block, unsigned threads) {
        const unsigned blocks = 3, n = blocks * threads;
        Random random(threads);
        std::vector<int> in(n), i(4 * CELLS);
        std::vector<unsigned> u(6 * CELLS), bins(16);
        std::vector<unsigned long long> l(2 * CELLS);
        std::vector<float> f(CELLS), sum(1);
        std::vector<double> d(CELLS);
        for (int &x : in) x = int(random.below(2000)) - 1000;
        for (int c = 0; c < CELLS; c++) u[c] = ~0u;
        Buffer<int> din(in), di(i), next(1), taken(n);
        Buffer<unsigned> du(u), dbins(16), all(n + 1);
        Buffer<unsigned long long> dl(l);
        Buffer<float> df(f), dsum(1);
        Buffer<double> dd(d);
        for (unsigned t = 0; t < n; t++) {
            unsigned c = t % CELLS;
            int v = in[t];
            i[c] += v, i[CELLS + c] -= v;
            i[2 * CELLS + c] = std::min(i[2 * CELLS + c], v), i[3 * CELLS + c] = std::max(i[3 * CELLS + c], v);
            u[c] &= ~(1u << (v & 31)), u[CELLS + c] |= 1u << (v & 31), u[2 * CELLS + c] ^= unsigned(v);
            unsigned &up = u[3 * CELLS + c], &down = u[4 * CELLS + c];
            up = up >= 12 ? 0 : up + 1, down = down == 0 || down > 12 ? 12 : down - 1;
            u[5 * CELLS + c] = std::max(u[5 * CELLS + c], unsigned(v));
            l[c] += (unsigned long long)v << 33;
            l[CELLS + c] = std::max(l[CELLS + c], (unsigned long long)(long long)v);
            f[c] += float(v), d[c] += v * 0.5, sum[0] += float(v), bins[v & 15]++;
        }
        integers<<<blocks, block>>>(di, du, dl, din);
        SAME(di.get(), i);
        SAME(du.get(), u);
        SAME(dl.get(), l);
        floats<<<blocks, block>>>(df, dd, din);
        SAME(df.get(), f);
        SAME(dd.get(), d);
        tickets<<<blocks, block>>>(next, taken, all);
        SAME(taken.get(), std::vector<int>(n, 1));
        auto exchanged = all.get();
        CHECK(std::count(exchanged.begin(), exchanged.end() - 1, 2u) == 1);
        compare_and_swap<<<blocks, block>>>(dsum, din);
        SAME(dsum.get(), sum);
        histogram<<<blocks, block>>>(din, dbins);
        SAME(dbins.get(), bins);
    });
    return finish();
}
