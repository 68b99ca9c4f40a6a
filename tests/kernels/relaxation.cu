// Rounds over an array, again and again until the elements that others compute are there: each round looks at
// the same places, so such a loop polls, and the other threads of the block run meanwhile.  So do the other
// blocks, if there are no more of them than the device says are resident at once.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: env CUCPU_NUM_THREADS=1 %run %t && env CUCPU_NUM_THREADS=3 %run %t
#include "check.h"

/* level[i] is one more than that of before[i], which any other thread may have to find first */
__global__ void by_threads(int n, volatile int *level, const int *before) {
    bool again;
    do {
        again = false;
        for (int i = global_rank(); i < n; i += gridDim.x * blockDim.x) {
            if (level[i] >= 0) continue;
            int l = level[before[i]];
            if (l >= 0) level[i] = l + 1;
            else again = true;
        }
    } while (again);
}

/* the list of places is read from memory, and the warp votes on another round */
__global__ void by_warps(int n, volatile int *level, const int *before, const int *list) {
    bool again;
    do {
        again = false;
        for (int k = global_rank(); __any_sync(~0u, k < n); k += gridDim.x * blockDim.x) {
            if (k >= n) continue;
            int i = list[k];
            if (level[i] >= 0) continue;
            int l = level[before[i]];
            if (l >= 0) level[i] = l + 1;
            else again = true;
        }
    } while (__any_sync(~0u, again));
}

static int resident(int threads) {
    int each, n;
    CUDA(cudaDeviceGetAttribute(&each, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    CUDA(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    n = n < 8 ? n : 8;
    return n * each / threads;
}

int main() {
    const int n = 400, step = 147;
    std::vector<int> start(n, -1), before(n), list(n), want(n);
    for (int k = 0; k < n; k++) {
        before[k * step % n] = k ? (k - 1) * step % n : 0;
        want[k * step % n] = k;
        list[k] = n - 1 - k;
    }
    start[0] = 0;
    Buffer<int> b(before), l(list);
    for (int threads : {32, 96, 256, 1024}) {
        for (int blocks : {1, 2, threads < 256 ? 5 : resident(threads)}) {
            Buffer<int> level(start), voted(start);
            by_threads<<<blocks, threads>>>(n, level, b);
            SAME(level.get(), want);
            by_warps<<<blocks, threads>>>(n, voted, b, l);
            SAME(voted.get(), want);
        }
    }
    return finish();
}
