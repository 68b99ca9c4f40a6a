// Rows of shared memory and of local arrays of which some lanes are off: at the end of that memory, one over the other, at an address that
// means nothing where no lane is on, of all sizes of elements, falling; rows of global memory that others write between; masks of loops
// that lanes leave one by one.  Without AVX-512 such rows are blended, and masks that go from block to block are words.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --cpu=x86-64-v3 %s -o %t && %run %t
// RUN: %also { for way in "--simd=16 --cpu=x86-64-v2" "--simd=4" "--simd=32" "--simd=8 --disable=blend_rows" "--simd=8 --disable=widen_live_masks" "--simd=16 --disable=spread_masks"; do %cucpu -O3 --cpu=x86-64-v3 $way %s -o %t && %run %t || exit 1; done; }
#include "check.h"

enum { THREADS = 100, BLOCKS = 6, N = THREADS * BLOCKS, HALF = THREADS / 2, ALL = 3 * THREADS };

/* The last row ends with the memory; each element is stored at most once in a phase, all of them by the end. */
template <class T> __global__ void ends(const int *keys, T *out, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *s = (T *)raw;
    int t = threadIdx.x, key = keys[blockIdx.x * blockDim.x + t];
    s[t] = (T)t;
    __syncthreads();
    if (key & 1) s[t] = (T)(key * 3);
    __syncthreads();
    if (t < n && key & 2) s[n - 1 - t] = (T)(s[n - 1 - t] + key);
    __syncthreads();
    if (t >= 3 && key % 3) s[t - 3 + (3 & -(t >= n))] = (T)(key + 1);
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[t];
}

/* Eight threads have a row whose second half is the first half of the next eight threads' row; only the first halves are written. */
__global__ void overlapping(const int *keys, int *out) {
    __shared__ int s[THREADS / 2 + 8];
    int t = threadIdx.x, at = t / 8 * 4 + t % 8;
    if (t < THREADS / 2 + 8) s[t] = -1;
    __syncthreads();
    if (t % 8 < 4) s[at] = keys[t] + t;
    __syncthreads();
    if (t < THREADS / 2) out[blockIdx.x * (THREADS / 2) + t] = s[t];
}

/* Blocks with an odd number have no address: nobody goes there. */
__global__ void nowhere(const int *keys, const int *start, int *out) {
    __shared__ int s[3 * THREADS];
    int t = threadIdx.x, key = keys[blockIdx.x * THREADS + t], from = start[blockIdx.x];
    for (int k = t; k < 3 * THREADS; k += THREADS) s[k] = k;
    __syncthreads();
    if (key % 5 && !(blockIdx.x & 1)) s[from + t] = key;
    __syncthreads();
    for (int k = t; k < 3 * THREADS; k += THREADS) out[blockIdx.x * 3 * THREADS + k] = s[k];
}

/* Neighbouring blocks write every other element of the same rows. */
__global__ void between(const int *keys, int *out, int n) {
    int i = blockIdx.x / 2 * THREADS + threadIdx.x;
    if (i < n && (keys[i] & 1) == (int)(blockIdx.x & 1)) out[i] = keys[i] + (int)blockIdx.x;
}

__host__ __device__ int collatz(int key, int limit) {
    int history[8] = {0}, n = 0, v = key + 1;
    while (v != 1 && n < limit) {
        if (v % 2) {
            v = 3 * v + 1;
            if (v > 4000) history[n & 7] = v;
        } else {
            v /= 2;
            if (n % 3 == 1) history[(n >> 1) & 7] += 1;
        }
        if (v == 97 || (v & 63) == 17) break;
        n++;
    }
    for (int k = 0; k < 8; k++) n = n * 31 + history[k];
    return n;
}
__global__ void steps(const int *keys, int *out, double *sum, int limit) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = collatz(keys[i], limit);
    double d = 0;
    for (int k = 0; k < keys[i] % 19; k++) {
        d += k * 0.5;
        if (d > keys[i]) break;
    }
    sum[i] = d;
}

static int *keys;

template <class T> static void check_ends() {
    T *out, s[THREADS];
    CUDA(cudaMallocManaged(&out, N * sizeof *out));
    for (int n = THREADS - 5; n <= THREADS; n += 5) {
        ends<<<BLOCKS, THREADS, THREADS * sizeof(T)>>>(keys, out, n);
        CUDA(cudaDeviceSynchronize());
        for (int b = 0; b < BLOCKS; b++) {
            const int *k = keys + b * THREADS;
            for (int t = 0; t < THREADS; t++) s[t] = k[t] & 1 ? (T)(k[t] * 3) : (T)t;
            for (int t = 0; t < n; t++)
                if (k[t] & 2) s[n - 1 - t] = (T)(s[n - 1 - t] + k[t]);
            T now[THREADS];
            memcpy(now, s, sizeof s);
            for (int t = 3; t < THREADS; t++)
                if (k[t] % 3 && t < n) now[t - 3] = (T)(k[t] + 1);
            for (int t = 3; t < THREADS; t++)
                if (k[t] % 3 && t >= n) now[t] = (T)(k[t] + 1);
            for (int t = 0; t < THREADS; t++) CHECK(out[b * THREADS + t] == now[t]);
        }
    }
    CUDA(cudaFree(out));
}

template <class T> static T *managed(int n) {
    T *p;
    CUDA(cudaMallocManaged(&p, n * sizeof *p));
    for (int i = 0; i < n; i++) p[i] = (T)-1;
    return p;
}

static void check_others() {
    int *out = managed<int>(BLOCKS * ALL), *start = managed<int>(BLOCKS);
    double *sum = managed<double>(N);
    overlapping<<<1, THREADS>>>(keys, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < HALF; i++) { /* element i is of thread i / 4 * 8 + i % 4 */
        int t = i / 4 * 8 + i % 4;
        CHECK(out[i] == (t < THREADS ? keys[t] + t : -1));
    }
    for (int b = 0; b < BLOCKS; b++) start[b] = b & 1 ? 1 << 29 : 37 * b;
    nowhere<<<BLOCKS, THREADS>>>(keys, start, out);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < ALL; k++) {
            int t = k - start[b];
            CHECK(out[b * ALL + k] == (t >= 0 && t < THREADS && keys[b * THREADS + t] % 5 ? keys[b * THREADS + t] : k));
        }
    for (int i = 0; i < N; i++) out[i] = -1;
    between<<<BLOCKS, THREADS>>>(keys, out, N - 7);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS / 2 * THREADS; i++) CHECK(out[i] == keys[i] + 2 * (i / THREADS) + (keys[i] & 1));
    steps<<<BLOCKS, THREADS>>>(keys, out, sum, 60);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        double d = 0;
        for (int k = 0; k < keys[i] % 19 && d <= keys[i]; k++) d += k * 0.5;
        CHECK(out[i] == collatz(keys[i], 60) && sum[i] == d);
    }
}

int main() {
    keys = managed<int>(N);
    for (int i = 0; i < N; i++) keys[i] = (int)((i * 2654435761u) >> 22);
    check_ends<unsigned char>();
    check_ends<short>();
    check_ends<int>();
    check_ends<float>();
    check_ends<double>();
    check_others();
    return finish();
}
