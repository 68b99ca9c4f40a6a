/* occupancy.c: how many clusters run at once. */
#include "base/limits.h"
#include "host/topo.h"
#include "exec/launch.h"
#include "queue/launch.h"

static int product(const uint32_t n[3]) { return (int)(n[0] * n[1] * n[2]); }

static cudaError_t find(const void *function, const cudaLaunchConfig_t *c, RtKernel **k, RtAttributes *how) {
    if (!c) return cudaErrorInvalidValue;
    RT_TRY(rt_find_kernel(function, k));
    RT_TRY(rt_launch_attributes(c->attrs, c->numAttrs, how));
    uint64_t threads = (uint64_t)c->blockDim.x * c->blockDim.y * c->blockDim.z;
    return !threads || threads > RT_MAX_THREADS ? cudaErrorInvalidConfiguration : cudaSuccess;
}

static int blocks_at_once(const RtKernel *k, const cudaLaunchConfig_t *c) {
    uint32_t threads = c->blockDim.x * c->blockDim.y * c->blockDim.z;
    if (k->abi->max_threads && threads > k->abi->max_threads) return 0;
    return rt_resident_blocks(k, (int)threads, c->dynamicSmemBytes) * rt_topo()->threads;
}

/* The blocks of a cluster run on one worker: their number is not limited by that of the workers. */
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *c) {
    RT_ENTER();
    RtKernel *k;
    RtAttributes how;
    uint32_t n[3];
    if (!size) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = find(function, c, &k, &how);
    if (error) return rt_end(error);
    *size = rt_required_cluster(k, n) ? product(n) : (int)rt_max_cluster(k);
    if (!blocks_at_once(k, c)) *size = 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *c) {
    RT_ENTER();
    RtKernel *k;
    RtAttributes how;
    uint32_t n[3];
    bool set;
    if (!clusters) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = find(function, c, &k, &how);
    if (!error) error = rt_cluster_of(k, how.cluster, n, &set);
    if (!error && !set) error = cudaErrorInvalidClusterSize;
    if (error) return rt_end(error);
    int blocks = blocks_at_once(k, c);
    *clusters = blocks / product(n);
    if (blocks && !*clusters) *clusters = 1;
    return cudaSuccess;
}
