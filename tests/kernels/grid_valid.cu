// grid_group::is_valid(): true in a cooperative launch alone; a kernel that asks first may be launched both ways.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t
// RUN: %cucpu -std=c++17 -G --simd=1 %s -o %t.1 && %run %t.1
// RUN: %also { %cucpu -std=c++17 --simd=32 %s -o %t.32 && %run %t.32 && %cucpu -std=c++17 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
namespace cg = cooperative_groups;

__global__ void sum(int *a, int *valid) { // a[i] becomes the sum of all, if the grid can wait
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), s = 0;
    valid[i] = grid.is_valid() + 2 * cg::this_thread_block().is_valid();
    if (grid.is_valid()) {
        for (int k = 0; k < (int)grid.size(); k++) s += a[k];
        grid.sync();
        a[i] = s;
    } else {
        a[i] = -1;
    }
}

__device__ __noinline__ int ask() { return cg::this_grid().is_valid(); }
__global__ void only_ask(int *valid) { valid[threadIdx.x] = (threadIdx.x & 1 ? ask() : 0) + 2; }

enum { BLOCKS = 5, THREADS = 70, N = BLOCKS * THREADS };
static int *a, *valid, bad;

static void begin() {
    for (int i = 0; i < N; i++) a[i] = i, valid[i] = 9;
}

static void check(const char *what, bool cooperative) {
    if (cudaError_t e = cudaDeviceSynchronize()) bad++, printf("%s: %s\n", what, cudaGetErrorString(e));
    for (int i = 0; i < N; i++)
        if (valid[i] != cooperative + 2 || a[i] != (cooperative ? N * (N - 1) / 2 : -1)) {
            bad++;
            printf("%s: thread %d: %d, %d\n", what, i, valid[i], a[i]);
            break;
        }
}

int main() {
    cudaMallocManaged(&a, N * sizeof(int));
    cudaMallocManaged(&valid, N * sizeof(int));
    void *args[] = {&a, &valid};
    begin();
    sum<<<BLOCKS, THREADS>>>(a, valid);
    check("plain", false);
    begin();
    cudaLaunchCooperativeKernel((void *)sum, BLOCKS, THREADS, args, 0, 0);
    check("cooperative", true);
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int cooperative = 0; cooperative < 2; cooperative++) { // by an attribute, and in a graph
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = cooperative;
        c.gridDim = BLOCKS, c.blockDim = THREADS, c.stream = s, c.attrs = &attribute, c.numAttrs = 1;
        begin();
        cudaLaunchKernelEx(&c, sum, a, valid);
        check("attribute", cooperative);
        cudaGraph_t g;
        cudaGraphExec_t x;
        begin();
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        cudaLaunchKernelEx(&c, sum, a, valid);
        cudaStreamEndCapture(s, &g);
        cudaGraphInstantiate(&x, g, 0);
        cudaGraphLaunch(x, s);
        check("graph", cooperative);
    }
    only_ask<<<1, 8>>>(valid);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++) bad += valid[i] != 2;
    return bad != 0;
}
