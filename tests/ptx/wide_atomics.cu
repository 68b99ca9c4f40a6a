// atom.exch.b128 and atom.cas.b128: both halves change at once, no value is lost; ld and st of 128 bits with hints; st.async and red.async to
// global memory.
// REQUIRES: run, cucpu
// RUN: for w in 1 4 16; do %cucpu --simd=$w %s -o %t.$w && %run %t.$w || exit 1; done
#include <cstdint>
#include <cstdio>

typedef uint64_t u64;
enum { BLOCKS = 6, THREADS = 96, N = BLOCKS * THREADS };

__global__ void exchange(u64 *cell, u64 *old) {
    u64 i = blockIdx.x * THREADS + threadIdx.x + 1;
    asm volatile("{ .reg .b128 x, y; mov.b128 y, {%3, %4}; atom.global.exch.b128 x, [%2], y; mov.b128 {%0, %1}, x; }"
                 : "=l"(old[2 * i]), "=l"(old[2 * i + 1])
                 : "l"(cell), "l"(i), "l"(~i)
                 : "memory");
}

__global__ void count(u64 *cell, u64 *turns) {
    u64 low = 0, high = 0, was_low, was_high;
    if (threadIdx.x % 3 == 1) return;
    for (bool done = false; !done; turns[blockIdx.x * THREADS + threadIdx.x]++) {
        asm volatile("{ .reg .b128 x, y, z; mov.b128 y, {%3, %4}; mov.b128 z, {%5, %6};"
                     "atom.acq_rel.gpu.global.cas.b128 x, [%2], y, z; mov.b128 {%0, %1}, x; }"
                     : "=l"(was_low), "=l"(was_high)
                     : "l"(cell), "l"(low), "l"(high), "l"(low + 1), "l"(high - 3)
                     : "memory");
        done = was_low == low && was_high == high;
        low = was_low, high = was_high;
    }
}

__global__ void hints(u64 *cell, unsigned *sum) {
    asm volatile("{ .reg .b128 x; ld.global.cg.b128 x, [%0]; st.global.L1::no_allocate.b128 [%0+16], x; }" ::"l"(cell) : "memory");
    asm volatile("st.async.release.gpu.global.u32 [%0], %1; red.async.release.gpu.global.add.u32 [%0+4], %1;" ::"l"(sum), "r"(5) : "memory");
}

alignas(16) static __managed__ u64 cell[4], old[2 * N + 2], turns[N];
static __managed__ unsigned sum[2];

int main() {
    int bad = 0, seen[N + 1] = {0};
    cell[1] = ~0ull;
    exchange<<<BLOCKS, THREADS>>>(cell, old);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    old[0] = cell[0], old[1] = cell[1];
    for (int i = 0; i <= N; i++) {
        bad += old[2 * i + 1] != ~old[2 * i] || old[2 * i] > N;
        if (old[2 * i] <= N) seen[old[2 * i]]++;
    }
    for (int i = 0; i <= N; i++) bad += seen[i] != 1;
    cell[0] = cell[1] = 0;
    count<<<BLOCKS, THREADS>>>(cell, turns);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    u64 want = N / 3 * 2;
    bad += cell[0] != want || cell[1] != 0 - 3 * want;
    for (int i = 0; i < N; i++) bad += (turns[i] == 0) != (i % 3 == 1);
    hints<<<1, 1>>>(cell, sum);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    bad += cell[2] != cell[0] || cell[3] != cell[1] || sum[0] != 5 || sum[1] != 5;
    printf("%d wrong\n", bad);
    return bad != 0;
}
