// Barriers of the cluster that cannot be met, ranks that no block has: a message and CUDA's error, at every width, and no hang.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1 && sh -c '%run %t.1 2>&1' | FileCheck %s
// RUN: %cucpu --simd=8 %s -o %t.8 && sh -c '%run %t.8 2>&1' | FileCheck %s
// RUN: %cucpu --simd=32 -G %s -o %t.32 && sh -c '%run %t.32 2>&1' | FileCheck %s
// CHECK: cluster_errors.cu:[[# @LINE + 18]]: barrier of the cluster cannot be met: nothing can go on
// CHECK: block: unspecified launch failure
// CHECK: the barrier of its cluster cannot be met: {{.*}} wait for the grid
// CHECK: grid: unspecified launch failure
// CHECK: the grid is synchronised, but the launch was not a cooperative one
// CHECK: not cooperative: unspecified launch failure
// CHECK: illegal memory access
// CHECK: rank: an illegal memory access was encountered
// CHECK: afterwards: 15
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

/* Half of the block waits for the cluster, the other half for the whole block. */
__global__ void __cluster_dims__(2) block(int *p) {
    auto c = cg::this_cluster();
    if (threadIdx.x / 32 == 0 || c.block_rank() == 1) {

        c.sync();
    } else {
        __syncthreads();
    }
    if (p) *p = 2;
}
__global__ void __cluster_dims__(2) grid() {
    if (cg::this_cluster().block_rank() == 0) cg::this_cluster().sync();
    else cg::this_grid().sync();
}
__global__ void one_by_one() {
    cg::this_cluster().sync();
    cg::this_grid().sync();
}
__global__ void rank(int *out, int r) {
    __shared__ int s[32];
    s[threadIdx.x] = 5;
    cg::this_cluster().sync();
    int v = 0;
    for (int k = 0; k < 3; k++) v += cg::this_cluster().map_shared_rank(s, r)[threadIdx.x];
    *out = v;
    cg::this_cluster().sync();
}
static void report(const char *what) {
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("%s: %s\n", what, cudaGetErrorString(e));
    std::fflush(stdout);
    cudaDeviceReset();
}
int main() {
    int *d;
    block<<<2, 64>>>(nullptr);
    report("block");
    cudaLaunchAttribute a = {cudaLaunchAttributeCooperative};
    a.val.cooperative = 1;
    cudaLaunchConfig_t c = {4, 64, 0, nullptr, &a, 1};
    cudaLaunchKernelEx(&c, grid);
    report("grid");
    cudaLaunchAttribute none = {cudaLaunchAttributeIgnore};
    c.attrs = &none;
    cudaLaunchKernelEx(&c, one_by_one);
    report("not cooperative");
    cudaMallocManaged(&d, 4);
    rank<<<2, 32>>>(d, 1);
    report("rank");
    cudaMallocManaged(&d, 4);
    rank<<<2, 32>>>(d, 0);
    cudaDeviceSynchronize();
    std::printf("afterwards: %d\n", *d);
}
