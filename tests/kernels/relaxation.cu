// Rounds over an array, again and again until the elements that others compute are there: each round looks at
// the same places, so such a loop polls, and the other threads of the block run meanwhile.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

/* level[i] is one more than that of before[i], which any other thread may have to find first */
__global__ void by_threads(int n, volatile int *level, const int *before) {
    bool again;
    do {
        again = false;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
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
        for (int k = threadIdx.x; __any_sync(~0u, k < n); k += blockDim.x) {
            if (k >= n) continue;
            int i = list[k];
            if (level[i] >= 0) continue;
            int l = level[before[i]];
            if (l >= 0) level[i] = l + 1;
            else again = true;
        }
    } while (__any_sync(~0u, again));
}

int main() {
    const int n = 3000, step = 1237;
    std::vector<int> start(n, -1), before(n), list(n), want(n);
    for (int k = 0; k < n; k++) {
        before[k * step % n] = k ? (k - 1) * step % n : 0;
        want[k * step % n] = k;
        list[k] = n - 1 - k;
    }
    start[0] = 0;
    Buffer<int> b(before), l(list);
    for (int threads : {32, 96, 256, 1024}) {
        Buffer<int> level(start), voted(start);
        by_threads<<<1, threads>>>(n, level, b);
        SAME(level.get(), want);
        by_warps<<<1, threads>>>(n, voted, b, l);
        SAME(voted.get(), want);
    }
    return finish();
}
