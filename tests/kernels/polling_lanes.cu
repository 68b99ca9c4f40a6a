// Threads that poll for other groups and blocks, while the rest of their group waits at a barrier or is done: SIMD code.
// Where a lane may wait for one of its own group, width 1: right, and it ends.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --simd=8 -Rcucpu -c --stop-after=kernel_table %s -o %t.o > %t.r 2>&1 && FileCheck %s < %t.r
// CHECK-DAG: grid_rounds: vectorized with 8 lanes
// CHECK-DAG: chained_sums: vectorized with 8 lanes
// CHECK-DAG: remark: tickets: vectorized with 8 lanes
// CHECK-DAG: warp_tickets: vectorized with 32 lanes
// CHECK-DAG: behind: vectorized with 32 lanes
// CHECK-DAG: all_poll: vectorized with 8 lanes
// CHECK-DAG: look_back: vectorized with 8 lanes
// CHECK-DAG: search: vectorized with {{8|32}} lanes
// CHECK-DAG: others: not vectorized: width 1 instead of 8: a lane waits for another lane of its own group
// CHECK-DAG: relay: not vectorized: width 1 instead of 8: a lane waits for another lane of its own group
// CHECK-DAG: next_round: not vectorized: width 1 instead of 8: a lane waits for another lane of its own group
// CHECK-DAG: late: not vectorized: width 1 instead of 8: a lane waits for another lane of its own group
// RUN: not grep 'lock_of_block.*width 1' %t.r
// RUN: env CUCPU_NUM_THREADS=1 %run %t && env CUCPU_NUM_THREADS=5 %run %t
#include "check.h"

enum { BLOCKS = 6 };

/* a barrier of the grid, made by hand */
__global__ void grid_rounds(volatile unsigned *arrived, int *a, int rounds) {
    int n = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        a[(r + 1) * n + t] = a[r * n + (t + 1) % n] + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd((unsigned *)arrived, 1);
            while (*arrived < gridDim.x * (r + 1)) {}
            __threadfence();
        }
        __syncthreads();
    }
}

/* each block waits for the sum of those before it */
__global__ void chained_sums(volatile int *ready, volatile int *before, int *out, const int *in) {
    __shared__ int sum, start;
    int t = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[t]);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (b)
            while (!ready[b - 1]) {}
        start = b ? before[b - 1] : 0;
        before[b] = start + sum;
        __threadfence();
        ready[b] = 1;
    }
    __syncthreads();
    out[t] = start + in[t];
}

/* one thread of each block takes a lock and gives it back */
__global__ void tickets(int *lock, volatile int *count, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 7;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1)) {}
        int c = *count;
        *count = c + 1;
        __threadfence();
        atomicExch(lock, 0);
        out[blockIdx.x * blockDim.x] = c >= 0;
    }
}

/* one lane of each warp does, and returns */
__global__ void warp_tickets(int *lock, volatile int *count, int *out, const int *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned odd = __ballot_sync(__activemask(), in[t] & 1);
    out[t] = in[t];
    if ((threadIdx.x & 31) == 0) {
        while (atomicCAS(lock, 0, 1)) {}
        *count = *count + __popc(odd);
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* the thread that is waited for stands in front of the loop */
__global__ void behind(int *out, int who) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == who) flag = 5;
    if (threadIdx.x == 0)
        while (flag == 0) {}
    __syncthreads();
    out[threadIdx.x] = flag + int(threadIdx.x);
}

/* every thread polls; the first block has what they wait for */
__global__ void all_poll(volatile int *flag, int *out, const int *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, rounds = 0;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) *flag = 3;
    } else if (in[t] & 1) {
        while (*flag == 0) rounds = 1;
        rounds = 0;
    }
    __syncthreads();
    out[t] = *flag + rounds;
}

/* each thread adds up its own column of the blocks before, as far as they have got: look-back of scans and sorts */
enum { PARTIAL = 1 << 30, WHOLE = 2 << 30, COLUMNS = 64 };
__global__ void look_back(volatile unsigned *words, int *sums, int *last, const int *in) {
    int t = threadIdx.x, b = blockIdx.x, all = 0;
    unsigned own = in[b * COLUMNS + t];
    words[b * COLUMNS + t] = own | (b ? PARTIAL : WHOLE);
    for (int k = b - 1; k >= 0; k--) {
        unsigned w;
        do w = words[k * COLUMNS + t];
        while (w == 0);
        all += w & ~(PARTIAL | WHOLE);
        if (w & WHOLE) break;
    }
    if (b) words[b * COLUMNS + t] = (all + own) | WHOLE;
    if (b == gridDim.x - 1) last[t] = all + own;
    __syncthreads();
    sums[b * COLUMNS + t] = all;
}

/* all threads go round, over barriers, until one of them has found something */
__global__ void search(int *out, const int *in) {
    __shared__ volatile int found;
    __shared__ int s[COLUMNS];
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    int rounds = 0;
    while (!found) {
        s[threadIdx.x] = in[threadIdx.x + COLUMNS * rounds];
        __syncthreads();
        if (threadIdx.x > 0 && s[threadIdx.x] != s[threadIdx.x - 1]) found = 1;
        __syncthreads();
        rounds++;
    }
    out[threadIdx.x] = s[threadIdx.x] * 100 + rounds;
}

/* all but one wait for that one, which goes another way */
__global__ void others(volatile int *flag, int *out, int who) {
    if ((int)threadIdx.x != who) {
        while (*flag == 0) {}
        out[threadIdx.x] = *flag;
    } else {
        *flag = 8;
        out[threadIdx.x] = 1;
    }
}

/* each block takes a lock that is free, found by its first thread, and gives it back behind barriers */
struct Locks {
    int n, *taken, *out;
};
__global__ void lock_of_block(Locks l) {
    __shared__ int found;
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        int i = blockIdx.x % l.n;
        while (atomicCAS(&l.taken[i], 0, 1)) i = (i + 1) % l.n;
        found = i;
    }
    __syncthreads();
    atomicAdd(&l.out[found], 1 + t);
    __syncthreads();
    if (t == 0) atomicExch(&l.taken[found], 0);
}

/* the same memory by two names */
__global__ void two_names(int *f, volatile int *g, int *out) {
    if (threadIdx.x == 3) f[0] = 1;
    else
        while (g[0] == 0) {}
    out[threadIdx.x] = 4;
}

/* each thread waits for the one before it */
__global__ void relay(volatile int *turn, int *out) {
    while (*turn != (int)threadIdx.x) {}
    out[threadIdx.x] = *turn;
    __threadfence();
    *turn = threadIdx.x + 1;
}

/* the thread of the next round releases the one of this round */
__global__ void next_round(volatile int *flag, int *out, int n) {
    int seen = 0;
    for (int i = 0; i < n; i++) {
        if ((int)threadIdx.x == i + 1) flag[i] = i + 10;
        if ((int)threadIdx.x == i) {
            while (flag[i] == 0) {}
            seen = flag[i];
        }
        if ((int)threadIdx.x == i + 2) flag[i + 1] = flag[i + 1] + 0;
    }
    out[threadIdx.x] = seen;
}

/* a thread further on in the program releases the first one */
__global__ void late(volatile int *flag, int *out) {
    int v = 0;
    if (threadIdx.x == 0) {
        while ((v = *flag) == 0) {}
    }
    if (threadIdx.x == 1) *flag = 9;
    out[threadIdx.x] = v;
}

static void blocks(unsigned n) {
    const int rounds = 4, all = BLOCKS * int(n);
    std::vector<int> first((rounds + 1) * all), numbers(all), want(all);
    for (int i = 0; i < all; i++) first[i] = i * 3, numbers[i] = i * 7 % 13;
    Buffer<int> a(first), arrived(1), ready(BLOCKS), before(BLOCKS), in(numbers), out(all), lock(1), count(1), lock2(1), count2(1), flag(1);
    grid_rounds<<<BLOCKS, n>>>((unsigned *)arrived.device, a, rounds);
    first = a.get();
    for (int i = 0; i < all; i++) CHECK(first[rounds * all + i] == (i + rounds) % all * 3 + rounds);

    chained_sums<<<BLOCKS, n>>>(ready, before, out, in);
    int sum = 0;
    for (int b = 0; b < BLOCKS; b++) {
        for (unsigned t = 0; t < n; t++) want[b * n + t] = sum + numbers[b * n + t];
        for (unsigned t = 0; t < n; t++) sum += numbers[b * n + t];
    }
    SAME(out.get(), want);

    tickets<<<BLOCKS, n>>>(lock, count, out);
    for (int i = 0; i < all; i++) want[i] = i % n ? 7 : 1;
    SAME(out.get(), want);
    CHECK(count.get()[0] == BLOCKS);

    warp_tickets<<<BLOCKS, n>>>(lock2, count2, out, in);
    int odd = 0;
    for (int i = 0; i < all; i++) odd += numbers[i] & 1;
    SAME(out.get(), numbers);
    CHECK(count2.get()[0] == odd);

    all_poll<<<BLOCKS, n>>>(flag, out, in);
    SAME(out.get(), std::vector<int>(all, 3));
}

static void columns() {
    const int n = 40;
    std::vector<int> numbers(n * COLUMNS), want(n * COLUMNS), total(COLUMNS);
    for (int i = 0; i < n * COLUMNS; i++) numbers[i] = i * 11 % 101;
    for (int i = 0; i < n * COLUMNS; i++) want[i] = total[i % COLUMNS], total[i % COLUMNS] += numbers[i];
    Buffer<int> words(n * COLUMNS), sums(n * COLUMNS), last(COLUMNS), in(numbers);
    look_back<<<n, COLUMNS>>>((unsigned *)words.device, sums, last, in);
    SAME(sums.get(), want);
    SAME(last.get(), total);
}

/* the last block is waited for by a load with a cache operator, which nvcc makes again in each round */
__global__ void cached(int *flag, int *data, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == gridDim.x - 1) {
        data[t] = 5 * t;
        __threadfence();
        __syncthreads();
        if (t == 0) atomicExch(flag, 1);
    } else {
        if (t == 0)
            while (__ldcg(flag) == 0) {}
        __syncthreads();
        out[blockIdx.x * blockDim.x + t] = __ldcg(&data[t]);
    }
}

static void cached_flags() {
    Buffer<int> flag(1), data(64), out(3 * 64);
    cached<<<4, 64>>>(flag, data, out);
    for (int i = 0; i < 3 * 64; i++) CHECK(out.get()[i] == i % 64 * 5);
}

static void locks(dim3 block) {
    const int n = 3, threads = volume(block);
    Buffer<int> taken(n), out(n);
    lock_of_block<<<20, block>>>({n, taken, out});
    std::vector<int> sums = out.get();
    CHECK(sums[0] + sums[1] + sums[2] == 20 * (threads * (threads + 1) / 2));
    SAME(taken.get(), std::vector<int>(n));
}

int main() {
    columns();
    for (dim3 block : {dim3(1), dim3(64), dim3(1, 32), dim3(3, 11), dim3(5, 13)}) locks(block);
    cached_flags();
    for (unsigned n : {1u, 31u, 64u, 100u, 256u}) blocks(n);
    for (int who : {0, 3, 40, 127}) {
        Buffer<int> out(128);
        std::vector<int> want(128);
        behind<<<1, 128>>>(out, who);
        for (int i = 0; i < 128; i++) want[i] = 5 + i;
        SAME(out.get(), want);
    }
    Buffer<int> turn(1), flags(64), flag(1), out(77), seen(50), first(40);
    relay<<<1, 77>>>(turn, out);
    for (int i = 0; i < 77; i++) CHECK(out.get()[i] == i);
    next_round<<<1, 50>>>(flags, seen, 20);
    for (int i = 0; i < 50; i++) CHECK(seen.get()[i] == (i < 20 ? i + 10 : 0));
    late<<<1, 40>>>(flag, first);
    for (int i = 0; i < 40; i++) CHECK(first.get()[i] == (i ? 0 : 9));
    std::vector<int> numbers(10 * COLUMNS, 5), want(COLUMNS, 508);
    numbers[7 * COLUMNS + 40] = 6;
    want[40] += 100;
    Buffer<int> in(numbers), sorted(COLUMNS);
    search<<<1, COLUMNS>>>(sorted, in);
    SAME(sorted.get(), want);
    for (int who : {0, 5, 76}) {
        Buffer<int> stop(1);
        others<<<1, 77>>>(stop, out, who);
        for (int i = 0; i < 77; i++) CHECK(out.get()[i] == (i == who ? 1 : 8));
    }
    Buffer<int> named(1), fours(40);
    two_names<<<1, 40>>>(named, named, fours);
    SAME(fours.get(), std::vector<int>(40, 4));
    return finish();
}
