// Warp-level functions that can never be complete, at width 1: the launch fails and says where and who.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t && %run %t missing 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: %run %t mixed 2>&1 | FileCheck --check-prefix=MIXED %s
#include <cstdio>

// MISSING: kernel missing(int*) ({{.*}}), block [0,0,0]: {{.*}}warp_errors.cu:[[@LINE+5]]: __shfl_down_sync with mask 0xffffffff cannot be met: threads that its mask names do not come: 12 threads of the warp of thread 32 have arrived, 20 are elsewhere, 0 have returned
// MISSING: unspecified launch failure
__global__ void missing(int *out) {
    int v = int(threadIdx.x);
    if (threadIdx.x < 44)
        v += __shfl_down_sync(0xffffffffu, v, 1);
    __syncthreads();
    out[threadIdx.x] = v;
}

// MIXED: [[@LINE+5]]: __ballot_sync with mask 0x0000ffff cannot be met: its threads call different functions: 16 threads of the warp of thread 0 have arrived, 0 are elsewhere, 16 have returned
// MIXED: unspecified launch failure
__global__ void mixed(int *out) {
    if (threadIdx.x >= 16) return;
    if (threadIdx.x < 8)
        out[threadIdx.x] = int(__ballot_sync(0xffffu, 1));
    else
        out[threadIdx.x] = __reduce_add_sync(0xffffu, 1);
}

int main(int, char **argv) {
    int *out;
    cudaMalloc(&out, 256);
    if (argv[1][1] == 'i' && argv[1][2] == 's') missing<<<1, 64>>>(out);
    else mixed<<<1, 32>>>(out);
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
