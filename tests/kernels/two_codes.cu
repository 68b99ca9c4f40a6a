// Kernels with code of one lane beside that of several: both run, any mixture of them gives the same results, and where the order of
// threads shows in results there is one code only; sums of floats in global memory have two, of which times choose where several workers run.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t && %cucpu -Rcucpu -c --stop-after=kernel_table %s -o %t.ll > %t.r 2>&1 && FileCheck %s < %t.r
// RUN: FileCheck --check-prefix=ONE %s < %t.r
// RUN: env CUCPU_TRACE=1 %run %t > %t.trace 2>&1 && FileCheck --check-prefix=BOTH %s < %t.trace
// RUN: env CUCPU_TRACE=1 CUCPU_TRIAL=0 %run %t > %t.off 2>&1 && FileCheck --check-prefix=SIMD %s < %t.off
// RUN: %cucpu -O3 --disable=trial %s -o %t.d && env CUCPU_TRACE=1 %run %t.d > %t.off 2>&1 && FileCheck --check-prefix=SIMD %s < %t.off
// RUN: env CUCPU_NUM_THREADS=3 %run %t && env CUCPU_SCHED=shuffle:5 %run %t && env CUCPU_LAUNCH=async %run %t
// CHECK-DAG: two_codes.cu:[[# @LINE + 19]]:1: remark: {{.*}}: scalar variant beside that of
// CHECK-DAG: two_codes.cu:[[# @LINE + 22]]:1: remark: {{.*}}: scalar variant beside that of
// CHECK-DAG: two_codes.cu:[[# @LINE + 28]]:1: remark: {{.*}}: scalar variant beside that of
// CHECK-DAG: two_codes.cu:[[# @LINE + 38]]:1: remark: {{.*}}: scalar variant beside that of
// CHECK-DAG: two_codes.cu:[[# @LINE + 41]]:1: remark: {{.*}}: scalar variant beside that of
// ONE-NOT: _codes.cu:{{6[7-9]|7[0-9]|8[0-7]}}:1: remark: {{.*}}: scalar variant beside
// RUN: env CUCPU_TRACE=1 CUCPU_NUM_THREADS=1 %run %t > %t.worker 2>&1 && FileCheck --check-prefix=WORKER %s < %t.worker
// WORKER-NOT: _Z6floats{{.*}}, and runs from now on
// WORKER: passed
// BOTH-DAG: W=1 layout
// BOTH-DAG: {{W=(2|4|8|16|32)}} layout={{[01]}}
// SIMD-NOT: gather{{.*}}W=1 layout
// SIMD: passed
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

/* Every seventh thread has no place. */
__global__ void gather(const int *in, const int *place, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && place[i] >= 0) out[i] += in[place[i]] + i;
}
__global__ void reversed(const int *in, int *out, int n) {
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = in[i < n ? i : 0] & 255;
    tile[threadIdx.x] = at;
    __syncthreads();
    if (i < n) out[i] += tile[blockDim.x - 1 - threadIdx.x] + at;
}
__global__ void floats(const int *place, float *sum, int n) { /* the order of a sum */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum[place[i] & 7], place[i] * 0.1f);
}
__device__ void add(double *p, double v) { /* as programs did before there was an atomicAdd of doubles, and cannot be fused */
    unsigned long long *q = (unsigned long long *)p, old = *q, seen;
    do {
        seen = old;
        old = atomicCAS(q, seen, __double_as_longlong(__longlong_as_double(seen) * 1.0625 + v));
    } while (old != seen);
}
__global__ void retries(const int *place, double *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) add(&sum[place[i] & 7], place[i] * 0.1);
}
__global__ void floats_of_block(const int *place, float *sum, int n) { /* the same in each run: both codes add in the order of the threads */
    __shared__ float part[8], all, more;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 8) part[threadIdx.x] = all = more = 0;
    __syncthreads();
    if (i < n) atomicAdd(&part[place[i] & 7], place[i] * 0.1f);
    __syncthreads();
    if (i < n) atomicAdd(&all, part[place[i] & 7] * 0.7f), atomicAdd(&more, place[i] * 0.3f);
    __syncthreads();
    if (threadIdx.x < 9) sum[blockIdx.x * 9 + threadIdx.x] = threadIdx.x < 8 ? part[threadIdx.x] : all + more;
}
__global__ void floats_of_sides(const int *place, float *sum, int n) { /* lanes come to one addition after the other, threads to either */
    __shared__ float all;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    if (i < n && place[i] & 1) atomicAdd(&all, place[i] * 0.1f);
    else if (i < n) atomicAdd(&all, place[place[i] & 7] * 0.3f);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = all;
}
__global__ void floats_of_loop(const int *place, float *sum, int n) { /* a thread adds twice before the next one */
    __shared__ float all;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 50) atomicAdd(&all, place[place[i] & 7] * 0.1f);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = all;
}
__global__ void prints(const int *place, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && place[place[i] & 7] == 12345) printf("%d\n", i);
}
__global__ void votes(const int *place, int *out, int n) { /* whole warps */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (__any_sync(~0u, i < n && place[place[i % n] & 7] < 8) && i < n) out[i] = 1;
}

static int wrong;
static void check(const char *what, int i, int got, int want) {
    if (got != want && wrong++ < 10) printf("%s %d: %d, not %d\n", what, i, got, want);
}

int main() {
    const int launches = 60;
    for (int n : {1000, 100003}) {
        int *in, *place, *a, *b, *votes_;
        float *sum;
        double *sums;
        cudaMallocManaged(&in, n * 4), cudaMallocManaged(&place, n * 4), cudaMallocManaged(&a, n * 4), cudaMallocManaged(&b, n * 4);
        cudaMallocManaged(&votes_, n * 4), cudaMallocManaged(&sum, 8 * 4), cudaMallocManaged(&sums, 8 * 8);
        for (int l = 0; l < 8; l++) sums[l] = 0;
        for (int i = 0; i < n; i++) in[i] = i * 7919 % 1013, place[i] = i % 7 ? (int)(i * 40503ll % n) : -1, a[i] = b[i] = 0;
        const int block = 200, blocks = (n + block - 1) / block;
        for (int l = 0; l < launches; l++) {
            gather<<<blocks, block>>>(in, place, a, n);
            reversed<<<blocks, block>>>(in, b, n);
        }
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) place[i] = i % 10;
        for (int l = 0; l < 8; l++) sum[l] = 0;
        for (int l = 0; l < launches; l++) floats<<<blocks, block>>>(place, sum, n);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        double want = 0, got = 0;
        for (int i = 0; i < n; i++) want += place[i] * 0.1 * launches;
        for (int l = 0; l < 8; l++) got += sum[l];
        check("sum of floats is near", n, got > 0.999 * want && got < 1.001 * want, 1);
        float *parts, *first = (float *)malloc(blocks * 9 * sizeof(float));
        cudaMallocManaged(&parts, blocks * 9 * sizeof(float));
        for (int l = 0; l < launches; l++) {
            floats_of_block<<<blocks, block>>>(place, parts, n);
            cudaDeviceSynchronize();
            if (l == 0) memcpy(first, parts, blocks * 9 * sizeof(float));
            check("bits of a block's sums", l, memcmp(first, parts, blocks * 9 * sizeof(float)) != 0, 0);
        }
        free(first), cudaFree(parts);
        floats_of_sides<<<blocks, block>>>(place, sum, n), floats_of_loop<<<1, block>>>(place, sum, 500), retries<<<blocks, block>>>(place, sums, n), prints<<<blocks, block>>>(place, n), votes<<<(n + 31) / 32, 32>>>(place, votes_, n);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        for (int i = 0; i < n; i++) {
            int last = (i / block + 1) * block, from = i / block * block + last - 1 - i;
            check("gather", i, a[i], i % 7 ? (in[i * 40503ll % n] + i) * launches : 0);
            check("reversed", i, b[i], ((in[from < n ? from : 0] & 255) + (in[i] & 255)) * launches);
            check("votes", i, votes_[i], 1);
        }
    }
    printf(wrong ? "failed\n" : "passed\n");
    return wrong != 0;
}
