// Launches and calls with wrong arguments: CUDA's error codes, and the program goes on.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// CHECK: 0 failures
#include <cstdio>
#include <cstdlib>

__global__ void kernel(int *p) {
    if (p) *p = 5;
}
__global__ void __launch_bounds__(64) bounded(int *p) {
    if (p) *p = 6;
}
constexpr int two = 2;
__global__ void __cluster_dims__(two, 1, 1) cluster(int *p) {
    if (p) *p = 7;
}
__global__ void __cluster_dims__(1, 1, 1) lone_cluster(int *p) {
    if (p) *p = 8;
}
__device__ int variable;
static int host_variable;
static int failures;

static void expect(cudaError_t got, cudaError_t want, const char *what) {
    if (got == want) return;
    failures++;
    std::printf("%s: %s, not %s\n", what, cudaGetErrorName(got), cudaGetErrorName(want));
}

static void launch(dim3 grid, dim3 block, size_t shared, cudaError_t want, const char *what) {
    kernel<<<grid, block, shared>>>(nullptr);
    expect(cudaPeekAtLastError(), want, what);
    expect(cudaGetLastError(), want, what);
    expect(cudaGetLastError(), cudaSuccess, "the error was taken");
}

static void launches() {
    launch(dim3(1), dim3(1024), 0, cudaSuccess, "1024 threads");
    launch(dim3(1), dim3(1025), 0, cudaErrorInvalidConfiguration, "1025 threads");
    launch(dim3(1), dim3(0), 0, cudaErrorInvalidConfiguration, "no threads");
    launch(dim3(0), dim3(1), 0, cudaErrorInvalidConfiguration, "no blocks");
    launch(dim3(1), dim3(32, 0), 0, cudaErrorInvalidConfiguration, "a block of 32x0");
    launch(dim3(0x7fffffff), dim3(1), 0, cudaSuccess, "gridDim.x of 2^31 - 1");
    launch(dim3(0x80000000u), dim3(1), 0, cudaErrorInvalidConfiguration, "gridDim.x of 2^31");
    launch(dim3(1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration, "gridDim.y of 65536");
    launch(dim3(1, 1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration, "gridDim.z of 65536");
    launch(dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration, "blockDim.z of 65");
    launch(dim3(1), dim3(33, 32), 0, cudaErrorInvalidConfiguration, "33x32 threads");
    launch(dim3(1), dim3(1), size_t(1) << 30, cudaErrorInvalidValue, "1 GiB of shared memory");
    bounded<<<1, 64>>>(nullptr);
    expect(cudaGetLastError(), cudaSuccess, "64 threads of 64");
    bounded<<<1, 65>>>(nullptr);
    expect(cudaGetLastError(), cudaErrorLaunchOutOfResources, "65 threads of 64");
}

static void cooperative() {
    void *null = nullptr, *args[] = {&null};
    auto launch = [&](unsigned blocks, unsigned threads) {
        return cudaLaunchCooperativeKernel((const void *)kernel, blocks, threads, args, 0, nullptr);
    };
    expect(launch(512, 1024), cudaSuccess, "512 cooperative blocks of 1024 threads");
    expect(launch(513, 1024), cudaErrorCooperativeLaunchTooLarge, "513 cooperative blocks of 1024 threads");
    expect(launch(1 << 30, 1), cudaErrorCooperativeLaunchTooLarge, "2^30 cooperative blocks");
    expect(launch(0, 1), cudaErrorInvalidConfiguration, "no cooperative blocks");
    (void)cudaGetLastError();
}

static cudaError_t launch_clusters(void (*k)(int *), dim3 grid, dim3 blocks) {
    cudaLaunchAttribute a = {cudaLaunchAttributeClusterDimension};
    a.val.clusterDim = {blocks.x, blocks.y, blocks.z};
    cudaLaunchConfig_t config = {grid, 32, 0, nullptr, &a, 1};
    return cudaLaunchKernelEx(&config, k, (int *)nullptr);
}

/* A cluster has 8 blocks at most, or 16 where the kernel allows it; the grid is a multiple of it, and a kernel that was compiled for
** clusters has no others. */
static void clusters() {
    cluster<<<2, 32>>>(nullptr);
    expect(cudaGetLastError(), cudaSuccess, "clusters of two blocks");
    cluster<<<3, 32>>>(nullptr);
    expect(cudaGetLastError(), cudaErrorInvalidClusterSize, "three blocks in clusters of two");
    expect(launch_clusters(cluster, 4, 2), cudaSuccess, "the clusters that it was compiled for");
    expect(launch_clusters(cluster, 4, dim3(1, 1, 1)), cudaErrorInvalidClusterSize, "other clusters than it was compiled for");
    expect(launch_clusters(lone_cluster, 2, 2), cudaErrorInvalidClusterSize, "two blocks instead of one");
    expect(launch_clusters(kernel, 8, 8), cudaSuccess, "clusters of eight blocks");
    expect(launch_clusters(kernel, dim3(4, 6, 4), dim3(1, 3, 2)), cudaSuccess, "clusters in space");
    expect(launch_clusters(kernel, dim3(4, 5, 4), dim3(1, 3, 2)), cudaErrorInvalidClusterSize, "a grid that is no multiple");
    expect(launch_clusters(kernel, 6, dim3(2, 0, 1)), cudaErrorInvalidClusterSize, "clusters of nothing");
    expect(launch_clusters(kernel, 16, 16), cudaErrorInvalidClusterSize, "clusters of 16 blocks");
    expect(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), cudaSuccess, "clusters of 16 are allowed");
    expect(launch_clusters(kernel, 16, 16), cudaSuccess, "clusters of 16 blocks, allowed");
    expect(launch_clusters(kernel, 32, 32), cudaErrorInvalidClusterSize, "clusters of 32 blocks");
    (void)cudaGetLastError();
}

static void expect_is(int got, int want, const char *what) {
    if (got == want) return;
    failures++;
    std::printf("%s: %d, not %d\n", what, got, want);
}

static void cluster_attributes() {
    cudaFuncAttributes a;
    cudaLaunchAttribute four = {cudaLaunchAttributeClusterDimension};
    four.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t plain = {64, 128, 0, nullptr, nullptr, 0}, fours = {64, 128, 0, nullptr, &four, 1}, large = {64, 1024, 60000, nullptr, &four, 1};
    int n = 0, sms = 0, each = 0;
    cudaDeviceGetAttribute(&n, cudaDevAttrClusterLaunch, 0);
    expect_is(n, 1, "the device has clusters");
    expect(cudaFuncGetAttributes(&a, (const void *)cluster), cudaSuccess, "attributes");
    expect_is(a.requiredClusterWidth * 100 + a.requiredClusterHeight * 10 + a.requiredClusterDepth, 211, "required clusters");
    expect_is(a.clusterDimMustBeSet, 0, "clusters that are known need not be set");
    expect(cudaFuncSetAttribute(cluster, cudaFuncAttributeRequiredClusterWidth, 4), cudaErrorNotPermitted, "clusters are compiled in");
    expect(cudaFuncSetAttribute(bounded, cudaFuncAttributeRequiredClusterWidth, 3), cudaSuccess, "a width");
    bounded<<<3, 32>>>(nullptr);
    expect(cudaGetLastError(), cudaErrorInvalidClusterSize, "a width without a height");
    expect(cudaFuncSetAttribute(bounded, cudaFuncAttributeRequiredClusterHeight, 1), cudaSuccess, "a height");
    expect(cudaFuncSetAttribute(bounded, cudaFuncAttributeRequiredClusterDepth, 1), cudaSuccess, "a depth");
    bounded<<<3, 32>>>(nullptr);
    expect(cudaGetLastError(), cudaSuccess, "clusters by attributes of the function");
    bounded<<<4, 32>>>(nullptr);
    expect(cudaGetLastError(), cudaErrorInvalidClusterSize, "and no others");
    for (int k = 0; k < 3; k++) cudaFuncSetAttribute(bounded, (cudaFuncAttribute)(cudaFuncAttributeRequiredClusterWidth + k), 0);
    expect(cudaOccupancyMaxPotentialClusterSize(&n, cluster, &plain), cudaSuccess, "largest cluster");
    expect_is(n, 2, "that is compiled in");
    expect(cudaOccupancyMaxPotentialClusterSize(&n, kernel, &plain), cudaSuccess, "largest cluster");
    expect_is(n, 16, "that need not be portable");
    expect(cudaOccupancyMaxPotentialClusterSize(&n, bounded, &plain), cudaSuccess, "largest cluster");
    expect_is(n, 0, "of blocks that are too large");
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, 128, 0);
    expect(cudaOccupancyMaxActiveClusters(&n, kernel, &fours), cudaSuccess, "clusters at once");
    expect_is(n, each * sms / 4, "clusters at once");
    expect(cudaOccupancyMaxActiveClusters(&n, kernel, &large), cudaSuccess, "clusters at once of too much memory");
    expect_is(n, 0, "clusters at once of too much memory");
    expect(cudaOccupancyMaxActiveClusters(&n, kernel, &plain), cudaErrorInvalidClusterSize, "no clusters");
    expect(cudaOccupancyMaxActiveClusters(&n, cluster, &fours), cudaErrorInvalidClusterSize, "other clusters");
    (void)cudaGetLastError();
}

static void memory() {
    void *p = nullptr;
    int *d, x = 0;
    expect(cudaMalloc(&p, size_t(1) << 60), cudaErrorMemoryAllocation, "cudaMalloc of an exabyte");
    expect(cudaGetLastError(), cudaErrorMemoryAllocation, "the error of cudaMalloc stays for cudaGetLastError");
    expect(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue, "cudaMalloc to nowhere");
    expect(cudaMalloc(&p, 0), cudaSuccess, "cudaMalloc of nothing");
    expect(cudaFree(nullptr), cudaSuccess, "cudaFree of null");
    expect(cudaFree(&x), cudaErrorInvalidValue, "cudaFree of a host variable");
    expect(cudaMalloc(&d, 16), cudaSuccess, "cudaMalloc");
    expect(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "copy from null");
    expect(cudaMemcpy(d, &x, 4, cudaMemcpyKind(9)), cudaErrorInvalidMemcpyDirection, "copy in an unknown direction");
    expect(cudaFree(d), cudaSuccess, "cudaFree");
    expect(cudaFree(d), cudaErrorInvalidValue, "cudaFree again");
    (void)cudaGetLastError();
}

static void names() {
    int x = 1;
    expect(cudaMemcpyToSymbol(variable, &x, sizeof x), cudaSuccess, "a symbol");
    expect(cudaMemcpyToSymbol(variable, &x, 2 * sizeof x), cudaErrorInvalidValue, "more than the symbol holds");
    expect(cudaMemcpyToSymbol(host_variable, &x, sizeof x), cudaErrorInvalidSymbol, "no symbol");
    cudaFuncAttributes attributes;
    expect(cudaFuncGetAttributes(&attributes, (const void *)launches), cudaErrorInvalidDeviceFunction, "no kernel");
    expect(cudaSetDevice(77), cudaErrorInvalidDevice, "no such device");
    expect(cudaStreamSynchronize(cudaStream_t(0x1234)), cudaErrorInvalidResourceHandle, "no such stream");
    (void)cudaGetLastError();
}

int main() {
    launches();
    cooperative();
    clusters();
    cluster_attributes();
    memory();
    names();
    int *d, x = 0;
    expect(cudaMalloc(&d, sizeof x), cudaSuccess, "cudaMalloc after the errors");
    kernel<<<1, 1>>>(d);
    expect(cudaMemcpy(&x, d, sizeof x, cudaMemcpyDeviceToHost), cudaSuccess, "a copy after the errors");
    failures += x != 5;
    std::printf("%d failures\n", failures);
}
