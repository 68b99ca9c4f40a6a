// Launches in clusters inside graphs: captured ones, node attributes that are set, changed, copied, and lost with none of the other.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// CHECK: 0 failures
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

static int failures;
#define EXPECT(got, want) ((long)(got) != (long)(want) ? (void)(failures++, std::printf("line %d: %ld, not %ld\n", __LINE__, (long)(got), (long)(want))) : (void)0)

__global__ void size(int *out) {
    __shared__ int sum;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    c.sync();
    atomicAdd(c.map_shared_rank(&sum, 0), 1);
    c.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) *out = sum;
}

static int *out;
static int run(cudaGraph_t g) {
    cudaGraphExec_t e;
    *out = -1;
    if (cudaGraphInstantiate(&e, g, 0)) return -2;
    EXPECT(cudaGraphLaunch(e, nullptr), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    cudaGraphExecDestroy(e);
    return *out;
}
static cudaError_t set(cudaGraphNode_t node, unsigned x) {
    cudaLaunchAttributeValue v = {};
    v.clusterDim = {x, 1, 1};
    return cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v);
}

int main() {
    cudaMallocManaged(&out, 4);
    cudaGraph_t g, captured;
    cudaGraphNode_t node, other;
    void *args[] = {&out};
    cudaKernelNodeParams p = {};
    p.func = (void *)size;
    p.gridDim = 12;
    p.blockDim = 32;
    p.kernelParams = args;
    EXPECT(cudaGraphCreate(&g, 0), 0);
    EXPECT(cudaGraphAddKernelNode(&node, g, nullptr, 0, &p), 0);
    EXPECT(run(g), 32);
    EXPECT(set(node, 4), 0);
    EXPECT(run(g), 128);
    EXPECT(set(node, 5), cudaErrorInvalidClusterSize);
    cudaLaunchAttributeValue v = {};
    EXPECT(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v), 0);
    EXPECT(v.clusterDim.x, 4);
    EXPECT(run(g), 128);
    v.cooperative = 1;
    EXPECT(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &v), 0);
    EXPECT(run(g), 128);
    p.gridDim = 8; // the attributes stay
    EXPECT(cudaGraphKernelNodeSetParams(node, &p), 0);
    EXPECT(run(g), 128);
    cudaGraph_t second;
    EXPECT(cudaGraphCreate(&second, 0), 0);
    EXPECT(cudaGraphAddKernelNode(&other, second, nullptr, 0, &p), 0);
    EXPECT(cudaGraphKernelNodeCopyAttributes(other, node), 0);
    EXPECT(run(second), 128);

    cudaStream_t s;
    EXPECT(cudaStreamCreate(&s), 0);
    EXPECT(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), 0);
    cudaLaunchAttribute a = {cudaLaunchAttributeClusterDimension};
    a.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t c = {8, 32, 0, s, &a, 1};
    EXPECT(cudaLaunchKernelEx(&c, size, out), 0);
    EXPECT(cudaStreamEndCapture(s, &captured), 0);
    EXPECT(run(captured), 64);
    EXPECT(cudaLaunchKernelEx(&c, size, out), 0);
    EXPECT(cudaStreamSynchronize(s), 0);
    EXPECT(*out, 64);
    std::printf("%d failures\n", failures);
}
