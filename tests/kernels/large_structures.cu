// A kernel of several 10,000 instructions before it is optimised: structures go by value through thousands of calls, from and to a
// local array that a loop indexes. Pairs, structures with gaps, unions of two structures with gaps at different places.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 100 };
struct Pair {
    unsigned low, high;
};
struct Gap {
    char small;
    int large;
    short last;
};
union Both {
    struct { char a; int b; } first;
    struct { short a, b; int c; } second;
};

#define HD __host__ __device__
HD inline Pair operator+(Pair a, Pair b) { return {a.low + b.low, a.high + b.high + (a.low + b.low < a.low)}; }
HD inline Pair operator^(Pair a, Pair b) { return {a.low ^ b.low, a.high ^ b.high}; }
HD inline Pair swap(Pair a) { return {a.high, a.low}; }
HD inline Gap next(Gap g) { return {(char)(g.small + 1), g.large * 3 + g.small, (short)(g.last ^ g.large)}; }
HD inline void turn(Both b, Both *to) {
    Both c = b;
    c.second.a += c.second.b, c.second.b ^= 0x5a, c.second.c += c.second.a;
    *to = c;
}

#define STEP(i, j, k) v[i] = v[i] + v[j], v[k] = swap(v[k] ^ v[i]), g[i & 1] = next(g[i & 1]), turn(u[j & 1], &u[j & 1]);
#define STEPS STEP(0, 1, 2) STEP(3, 4, 5) STEP(6, 7, 0) STEP(2, 5, 1) STEP(4, 0, 3) STEP(1, 6, 7) STEP(5, 2, 4) STEP(7, 3, 6)
#define MANY STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS STEPS

HD inline unsigned mix(unsigned seed, int rounds) {
    Pair v[8];
    Gap g[2] = {{1, (int)seed, 3}, {2, 5, (short)seed}};
    Both u[2];
    for (int i = 0; i < 2; i++) u[i].second.a = 1, u[i].second.b = (short)(seed + i), u[i].second.c = i;
    for (int i = 0; i < 8; i++) v[i] = {seed * (2 * i + 1), seed ^ i};
    for (int r = 0; r < rounds; r++) {
        v[(r * 3) & 7].low += r;
        MANY
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) sum = sum * 31 + (v[i].low ^ v[i].high);
    for (int i = 0; i < 2; i++) sum = sum * 31 + g[i].small + g[i].large + g[i].last + u[i].second.a + u[i].second.b + u[i].second.c;
    return sum;
}

__global__ void work(unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mix(i, 1 + i % 3);
}

int main() {
    unsigned *out;
    int wrong = 0;
    cudaMallocManaged(&out, N * sizeof(unsigned));
    work<<<(N + 31) / 32, 32>>>(out, N);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) wrong += out[i] != mix(i, 1 + i % 3);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
