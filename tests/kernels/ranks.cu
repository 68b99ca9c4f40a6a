// Counters that give out places: stream compaction, queues, tickets; counters in shared and global memory, of 32 and 64 bits,
// that start below zero or count by twos, downwards or by what each thread needs; stores under the mask of the counter and
// under another one, of elements of 1 to 8 bytes.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %run %t
// RUN: %also { %cucpu -O1 --simd=1 %s -o %t.1 && %run %t.1; }
// RUN: %also { %cucpu -O1 --simd=32 --disable=version_all_active %s -o %t.32 && %run %t.32; }
// RUN: %also { %cucpu -O1 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
// RUN: %also { %cucpu -O1 --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void compact(const int *in, int n, int *out, double *twice, unsigned char *low, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 1) {
        int k = atomicAdd(count, 1);
        out[k] = in[i], twice[k] = 2. * in[i], low[k] = (unsigned char)in[i];
    }
}
/* A block collects its own, then takes a stretch of the whole. */
__global__ void compact_blocks(const int *in, int n, int *out, unsigned long long *count) {
    __shared__ int mine, kept[128];
    __shared__ unsigned long long from;
    if (threadIdx.x == 0) mine = -5;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 1) kept[atomicAdd(&mine, 1) + 5] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) from = atomicAdd(count, (unsigned long long)(mine + 5));
    __syncthreads();
    if ((int)threadIdx.x < mine + 5) out[from + threadIdx.x] = kept[threadIdx.x];
}
/* A counter that goes on where the memory ends. */
__global__ void limited(const int *in, int n, int *out, int *first, int limit, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int all = atomicAdd(count, 1);
    if (all < limit) first[all] = i;
    if (in[i] % 3 == 1) {
        int k = atomicAdd(count + 1, 1);
        if (k < limit) out[k] = in[i];
    }
}
/* All lanes are on; then some of those that have a place do not use it. */
__global__ void tickets(int *owner, int *used, unsigned *count) {
    unsigned k = atomicAdd(count, 1u);
    owner[k] = blockIdx.x * blockDim.x + threadIdx.x;
    if (k % 5 == 2) used[k] = 1;
}
__global__ void strides(int *even, int *down, long long *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 7 == 3) return;
    even[atomicAdd((unsigned long long *)&counts[0], 2ull)] = i;
    down[atomicSub((int *)&counts[1], 1)] = i;
}
/* Each thread takes as many places as it needs: 0 to 3. */
__global__ void take(const int *need, int n, int *owner, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || need[i] == 9) return;
    int k = atomicAdd(count, need[i]);
    for (int j = 0; j < need[i]; j++) owner[k + j] = i;
}
/* In each pass of a divergent loop. */
__global__ void loops(const int *in, int n, int *out, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int v = in[i]; v > 0; v /= 10)
        if (v % 10 == 7) out[atomicAdd(count, 1)] = i;
}

static int failures;
static void expect(bool good, const char *what, int n) {
    if (!good && failures++ < 10) printf("%s, n = %d: wrong\n", what, n);
}
template <class T> static T *memory(size_t n, T v) {
    T *p;
    cudaMallocManaged(&p, (n + 1) * sizeof *p);
    std::fill(p, p + n + 1, v);
    return p;
}
/* The same numbers; of one block in the same order. */
template <class T> static bool same(const T *have, std::vector<T> want, int blocks) {
    std::vector<T> h(have, have + want.size());
    if (blocks > 1) std::sort(h.begin(), h.end()), std::sort(want.begin(), want.end());
    return h == want && have[want.size()] == T(-1);
}

static void test(int n) {
    int threads = 64, blocks = (n + threads - 1) / threads;
    int *in = memory(n, 0), *out = memory(2 * n, -1), *count = memory(1, 0), *other = memory(2 * n, -1);
    std::vector<int> want, sevens;
    std::vector<double> doubled;
    for (int i = 0; i < n; i++) {
        in[i] = (int)(i * 7919LL % 1009);
        if (in[i] % 3 == 1) want.push_back(in[i]), doubled.push_back(2. * in[i]);
        for (int v = in[i]; v > 0; v /= 10)
            if (v % 10 == 7) sevens.push_back(i);
    }
    double *twice = memory(n, -1.);
    unsigned char *low = memory(n, (unsigned char)255);
    compact<<<blocks, threads>>>(in, n, out, twice, low, count);
    cudaDeviceSynchronize();
    expect(*count == (int)want.size() && same(out, want, blocks) && same(twice, doubled, blocks), "compact", n);
    for (int i = 0; i < *count; i++) expect(low[i] == (unsigned char)out[i] && twice[i] == 2. * out[i], "compact in step", n);

    unsigned long long *long_count = memory(1, 0ull);
    std::fill(out, out + n, -1);
    compact_blocks<<<blocks, threads>>>(in, n, out, long_count);
    cudaDeviceSynchronize();
    expect(*long_count == want.size() && same(out, want, blocks), "compact_blocks", n);

    *count = 0, std::fill(out, out + 2 * n, -1);
    loops<<<blocks, threads>>>(in, n, out, count);
    cudaDeviceSynchronize();
    expect(*count == (int)sevens.size() && same(out, sevens, 2), "loops", n);

    int *counts2 = memory(2, 0), limit = n / 5, *first = memory(n, -1);
    std::fill(out, out + 2 * n, -1);
    limited<<<blocks, threads>>>(in, n, out, first, limit, counts2);
    cudaDeviceSynchronize();
    expect(counts2[0] == n && counts2[1] == (int)want.size(), "limited count", n);
    for (int k = 0; k < n; k++) {
        expect(k < limit ? first[k] >= 0 && first[k] < n : first[k] == -1, "limited first", n);
        expect(k < limit && k < (int)want.size() ? out[k] % 3 == 1 : out[k] == -1, "limited", n);
        if (blocks == 1 && k < limit) expect(first[k] == k, "limited order", n);
    }

    int all = blocks * threads, *owner = memory(all, -1), *used = memory(all, -1);
    *count = 0;
    tickets<<<blocks, threads>>>(owner, used, (unsigned *)count);
    cudaDeviceSynchronize();
    std::vector<int> everybody(all);
    for (int i = 0; i < all; i++) everybody[i] = i, expect(used[i] == (i % 5 == 2 ? 1 : -1), "tickets used", n);
    expect(*count == all && same(owner, everybody, blocks), "tickets", n);

    int *even = memory(2 * all, -1), *down = memory(all, -1), some = 0;
    long long *counts = memory(2, 0ll);
    *(int *)&counts[1] = all - 1;
    strides<<<blocks, threads>>>(even, down, counts);
    cudaDeviceSynchronize();
    for (int i = 0; i < all; i++) some += i % 7 != 3;
    std::vector<int> seen(all, 0);
    for (int k = 0; k < some; k++) {
        expect(even[2 * k] >= 0 && even[2 * k + 1] == -1 && down[all - 1 - k] >= 0, "strides", n);
        if (even[2 * k] >= 0) seen[even[2 * k]]++;
        if (down[all - 1 - k] >= 0) seen[down[all - 1 - k]]++;
    }
    for (int i = 0; i < all; i++) expect(seen[i] == (i % 7 == 3 ? 0 : 2), "strides once", n);
    expect(counts[0] == 2 * some && *(int *)&counts[1] == all - 1 - some, "strides count", n);

    int *need = memory(n, 0), *taken = memory(3 * n, -1), sum = 0;
    for (int i = 0; i < n; i++) need[i] = i % 11 == 5 ? 9 : in[i] % 4, sum += need[i] == 9 ? 0 : need[i];
    *count = 0;
    take<<<blocks, threads>>>(need, n, taken, count);
    cudaDeviceSynchronize();
    expect(*count == sum && taken[sum] == -1, "take", n);
    for (int k = 0, run; k < sum; k += run) {
        int i = taken[k];
        run = i >= 0 && i < n && need[i] > 0 && need[i] < 9 ? need[i] : 1;
        for (int j = 0; j < run; j++) expect(k + j < sum && taken[k + j] == i, "take in a row", n);
    }
}

int main() {
    for (int n : {1, 9, 64, 65, 1000, 5003}) test(n);
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
