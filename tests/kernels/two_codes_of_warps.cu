// Kernels with functions of the warp that are not estimated to gain by whole warps have code of one lane as well: both run, and give the
// same; kernels that ask which lanes are active, or count on lanes running in step, have whole warps only.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t && %cucpu -Rcucpu -c --stop-after=kernel_table %s -o %t.ll > %t.r 2>&1 && FileCheck %s < %t.r
// CHECK: warps.cu:[[# @LINE + 17]]:1: remark: {{.*}}: scalar variant beside that of 32 lanes
// CHECK: warps.cu:[[# @LINE + 35]]:1: remark: {{.*}}: 32 lanes, for warp-level functions
// CHECK: warps.cu:[[# @LINE + 40]]:1: remark: {{.*}}: 32 lanes, for warp-level functions
// RUN: env CUCPU_TRACE=1 %run %t > %t.trace 2>&1 && FileCheck --check-prefix=BOTH %s < %t.trace
// RUN: env CUCPU_TRACE=1 CUCPU_TRIAL=0 %run %t > %t.off 2>&1 && FileCheck --check-prefix=SIMD %s < %t.off
// RUN: env CUCPU_NUM_THREADS=3 %run %t && env CUCPU_SCHED=shuffle:5 %run %t
// BOTH-DAG: walk{{.*}}W=1 layout
// BOTH-DAG: walk{{.*}}W=32 layout
// SIMD-NOT: W=1 layout
// SIMD: passed
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;

/* Each thread goes from node to node as long as they fall, and counts; lanes sum up, and those that went far vote. */
__global__ void walk(const int *next, int *counts, int *sums, int *far, int n) {
    __shared__ int most;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i % n, steps = 0;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    for (; next[at] < at; at = next[at]) steps++, atomicAdd(&counts[at], at & 7);
    int sum = steps;
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    unsigned votes = __ballot_sync(~0u, steps > 3);
    if (steps > 3) {
        unsigned peers = __match_any_sync(votes, steps);
        if (__ffs(peers) - 1 == i % 32) atomicMax(&most, __popc(peers));
    }
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int of_tile = tile.shfl(steps, 7);
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[i / 32] = sum + 1000 * __popc(votes);
    far[i] = of_tile + 1000 * most;
}
__global__ void asks(const int *next, int *counts, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i % n;
    for (; next[at] < at; at = next[at]) atomicAdd(&counts[at], at & 7);
    __syncwarp();
    out[i] = __popc(__activemask()) > 0 ? at : -1;
}
__global__ void steps(const int *next, int *counts, int *out, int n) {
    __shared__ volatile int last[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i % n;
    for (; next[at] < at; at = next[at]) atomicAdd(&counts[at], at & 7);
    last[threadIdx.x] = at;
    __syncwarp();
    out[i] = last[threadIdx.x ^ 1];
}

static int wrong;
static void check(const char *what, int i, int got, int want) {
    if (got != want && wrong++ < 10) printf("%s %d: %d, not %d\n", what, i, got, want);
}

int main() {
    const int n = 5003;
    for (int blocks : {8, 500})
        for (int block : {96, 256}) {
            const int threads = blocks * block;
            int *next, *counts, *sums, *far, *active, *pairs;
            cudaMallocManaged(&next, n * 4), cudaMallocManaged(&counts, n * 4), cudaMallocManaged(&sums, threads * 4), cudaMallocManaged(&far, threads * 4);
            cudaMallocManaged(&active, threads * 4), cudaMallocManaged(&pairs, threads * 4);
            std::vector<int> counted(n);
            for (int i = 0; i < n; i++) next[i] = (int)(i * 40503ll % n), counts[i] = 0;
            for (int launch = 0; launch < 60; launch++) {
                walk<<<blocks, block>>>(next, counts, sums, far, n);
                if (launch % 20 != 19) continue;
                asks<<<blocks, block>>>(next, counts, active, n), steps<<<blocks, block>>>(next, counts, pairs, n);
                if (cudaDeviceSynchronize() != cudaSuccess) return 1;
                std::vector<int> took(threads), end(threads);
                for (int i = 0; i < threads; i++)
                    for (end[i] = i % n; next[end[i]] < end[i]; end[i] = next[end[i]]) took[i]++, counted[end[i]] += (end[i] & 7) * 22;
                for (int i = 0; i < n; i++) check("count", i, counts[i], counted[i]);
                for (int b = 0; b < blocks; b++) {
                    int most = 0;
                    for (int w = b * block; w < (b + 1) * block; w += 32) {
                        int sum = 0, votes = 0;
                        for (int l = 0; l < 32; l++) {
                            int alike = 0;
                            for (int o = 0; o < 32; o++) alike += took[w + o] == took[w + l];
                            sum += took[w + l], votes += took[w + l] > 3;
                            if (took[w + l] > 3 && alike > most) most = alike;
                        }
                        check("sum of a warp", w, sums[w / 32], sum + 1000 * votes);
                    }
                    for (int i = b * block; i < (b + 1) * block; i++) {
                        check("far", i, far[i], took[i | 7] + 1000 * most);
                        check("active", i, active[i], end[i]);
                        check("pair", i, pairs[i], end[i ^ 1]);
                    }
                }
            }
            cudaFree(next), cudaFree(counts), cudaFree(sums), cudaFree(far), cudaFree(active), cudaFree(pairs);
        }
    printf(wrong ? "failed\n" : "passed\n");
    return wrong != 0;
}
