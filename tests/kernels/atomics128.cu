// atomicCAS and atomicExch of 16 bytes: nothing is torn and no update is lost.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t -arch=sm_90
// RUN: %cucpu -arch=sm_90 %s -o %t.n && env CUCPU_NUM_THREADS=4 %run %t.n
#include <cstdio>
#include <cuda_runtime.h>

struct alignas(16) Pair {
    unsigned long long count, sum;
};

__global__ void add(Pair *total, unsigned long long *seen, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pair old = {0, 0}, assumed;
    do {
        assumed = old;
        old = atomicCAS(total, assumed, Pair{assumed.count + 1, assumed.sum + i});
    } while (old.count != assumed.count || old.sum != assumed.sum);
    seen[i] = old.count;
}

/* What each thread takes out another one has put in, or the host. */
__global__ void pass_on(unsigned __int128 *place, unsigned __int128 *taken, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned __int128 mine = (unsigned __int128)(i + 1) << 64 | ~(unsigned long long)(i + 1);
    if (i < n) taken[i] = atomicExch(place, mine);
}

__global__ void in_block(unsigned long long *out) {
    __shared__ Pair s;
    if (threadIdx.x == 0) s.count = s.sum = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        Pair was = s, next = {was.count + 1, was.sum + threadIdx.x};
        Pair found = atomicCAS_block(&s, was, next);
        done = found.count == was.count && found.sum == was.sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s.count, out[1] = s.sum;
}

int main() {
    const int n = 5000;
    Pair *total;
    unsigned long long *seen, *out;
    unsigned __int128 *place, *taken;
    cudaMallocManaged(&total, sizeof *total), cudaMallocManaged(&seen, n * sizeof *seen), cudaMallocManaged(&out, 16);
    cudaMallocManaged(&place, 16), cudaMallocManaged(&taken, n * 16);
    *total = {0, 0};
    *place = ~(unsigned __int128)0 >> 64;
    add<<<(n + 127) / 128, 128>>>(total, seen, n);
    pass_on<<<(n + 99) / 100, 100>>>(place, taken, n);
    in_block<<<1, 77>>>(out);
    if (cudaDeviceSynchronize()) return puts(cudaGetErrorString(cudaGetLastError())), 1;
    unsigned long long sum = 0, left = (unsigned long long)(*place >> 64), all = left;
    for (int i = 0; i < n; i++) {
        unsigned long long high = (unsigned long long)(taken[i] >> 64);
        sum += seen[i], all += high;
        if ((unsigned long long)taken[i] != ~high) return printf("torn at %d\n", i), 1;
    }
    unsigned long long of_counts = (unsigned long long)n * (n - 1) / 2, of_numbers = (unsigned long long)n * (n + 1) / 2;
    if (total->count != n || total->sum != of_counts || sum != of_counts) return printf("sum %llu %llu\n", total->count, total->sum), 1;
    if (all != of_numbers || out[0] != 77 || out[1] != 77 * 76 / 2) return printf("exchanged %llu, block %llu\n", all, out[1]), 1;
    return 0;
}
