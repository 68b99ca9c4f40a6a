/* func.c: attributes of kernels and occupancy.
**
** A "multiprocessor" is one worker with the limits that the device properties report; occupancy
** follows from these limits alone, so that the arithmetic of programs which size their grids by it
** comes out consistent.  Registers do not limit anything here and are reported as a constant. */
#include "base/limits.h"
#include "program/program.h"
#include <string.h>

static int max_threads(const RtKernel *k) {
    return k->abi->max_threads && k->abi->max_threads < RT_MAX_THREADS ? (int)k->abi->max_threads : RT_MAX_THREADS;
}

static size_t dynamic_limit(const RtKernel *k) {
    int set = atomic_load(&k->max_dyn_shared);
    if (set) return (size_t)set - 1;
    return k->abi->static_shared < RT_SHARED_DEFAULT ? RT_SHARED_DEFAULT - k->abi->static_shared : 0;
}

static size_t constant_bytes(const RtModule *m) {
    size_t n = 0;
    for (uint32_t i = 0; i < m->abi->nvars; i++)
        if (m->abi->vars[i].flags & CUCPU_VAR_CONSTANT) n += m->abi->vars[i].size;
    return n;
}

/* As the kernel was compiled, or as cudaFuncSetAttribute has set it; false: neither. */
bool rt_required_cluster(const RtKernel *k, uint32_t n[3]) {
    memcpy(n, k->abi->req_cluster, 3 * sizeof *n);
    for (int d = 0; d < 3 && !k->abi->req_cluster[0]; d++)
        n[d] = (uint32_t)atomic_load_explicit(&k->req_cluster[d], memory_order_relaxed);
    return n[0] || n[1] || n[2];
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function) {
    RT_ENTER();
    RtKernel *k;
    if (!a) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_find_kernel(function, &k);
    if (error) return rt_end(error);
    int major = 0, minor = 0, arch = k->abi->flags >> CUCPU_KERNEL_ARCH & CUCPU_KERNEL_ARCH_MASK;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    uint32_t cluster[3];
    rt_required_cluster(k, cluster);
    *a = (struct cudaFuncAttributes){.sharedSizeBytes = k->abi->static_shared,
                                     .constSizeBytes = constant_bytes(k->module),
                                     .localSizeBytes = k->abi->local_bytes,
                                     .maxThreadsPerBlock = max_threads(k),
                                     .numRegs = RT_REGISTERS_PER_THREAD,
                                     .ptxVersion = k->module->target ? k->module->target
                                                   : arch            ? arch
                                                                     : major * 10 + minor,
                                     .binaryVersion = major * 10 + minor,
                                     .maxDynamicSharedSizeBytes = (int)dynamic_limit(k),
                                     .preferredShmemCarveout = atomic_load(&k->carveout) - 1,
                                     .clusterDimMustBeSet = (k->abi->flags & CUCPU_KERNEL_EXPLICIT_CLUSTER) != 0,
                                     .requiredClusterWidth = (int)cluster[0],
                                     .requiredClusterHeight = (int)cluster[1],
                                     .requiredClusterDepth = (int)cluster[2],
                                     .clusterSchedulingPolicyPreference = atomic_load(&k->cluster_policy),
                                     .nonPortableClusterSizeAllowed = atomic_load(&k->nonportable_cluster)};
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value) {
    RT_ENTER();
    RtKernel *k;
    cudaError_t error = rt_find_kernel(function, &k);
    if (error) return rt_end(error);
    switch ((int)attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint32_t)value + k->abi->static_shared > RT_SHARED_OPTIN)
            return rt_end(cudaErrorInvalidValue);
        atomic_store(&k->max_dyn_shared, value + 1);
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return rt_end(cudaErrorInvalidValue);
        atomic_store(&k->carveout, value + 1);
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (k->abi->req_cluster[0] && (int)k->abi->req_cluster[attr - cudaFuncAttributeRequiredClusterWidth] != value)
            return rt_end(cudaErrorNotPermitted);
        if (value < 0) return rt_end(cudaErrorInvalidValue);
        atomic_store(&k->req_cluster[attr - cudaFuncAttributeRequiredClusterWidth], value);
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        atomic_store(&k->nonportable_cluster, value != 0);
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if ((unsigned)value > cudaClusterSchedulingPolicyLoadBalancing) return rt_end(cudaErrorInvalidValue);
        atomic_store(&k->cluster_policy, value);
        return cudaSuccess;
    }
    return rt_end(cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    RT_ENTER();
    RtKernel *k;
    if ((unsigned)config > cudaFuncCachePreferEqual) return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_find_kernel(function, &k));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    RT_ENTER();
    RtKernel *k;
    if ((unsigned)config > cudaSharedMemBankSizeEightByte) return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_find_kernel(function, &k));
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    RT_ENTER();
    RtKernel *k;
    if (!name) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_find_kernel(function, &k);
    if (!error) *name = k->abi->name;
    return rt_end(error);
}

/* The offset of a parameter in the parameter buffer of a launch, in bytes. */
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
    RT_ENTER();
    RtKernel *k;
    size_t at = 0;
    if (!offset) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_find_kernel(function, &k);
    if (error) return rt_end(error);
    if (index >= k->abi->nparams) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i <= index; i++) {
        const CucpuParam *p = &k->abi->params[i];
        at = RT_ROUND(at, p->align ? p->align : 1);
        if (i < index) at += p->size;
    }
    *offset = at;
    if (size) *size = k->abi->params[index].size;
    return cudaSuccess;
}

/* A function handle is the host stub's address: all calls that take one take the other. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *symbol) {
    RT_ENTER();
    RtKernel *k;
    cudaError_t error = rt_find_kernel(symbol, &k);
    if (!error && out) *out = (cudaFunction_t)(uintptr_t)symbol;
    return rt_end(error);
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *symbol) {
    RT_CALL();
    return cudaGetFuncBySymbol((cudaFunction_t *)out, symbol);
}

cudaError_t cudaSetDoubleForDevice(double *d) {
    RT_CALL();
    return rt_end(d ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaSetDoubleForHost(double *d) {
    RT_CALL();
    return rt_end(d ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- occupancy ---- */

int rt_resident_blocks(const RtKernel *k, int block, size_t dynamic) {
    int warp = rt_warp_size(), threads = (block + warp - 1) / warp * warp;
    size_t max = k->abi->static_shared + dynamic_limit(k);
    if (max < RT_SHARED_DEFAULT)
        max = RT_SHARED_DEFAULT; /* neither a limit below that nor __launch_bounds__ counts here */
    if (block > RT_MAX_THREADS || dynamic > max || k->abi->static_shared + dynamic > max) return 0;
    int n = RT_BLOCKS_PER_SM;
    if (RT_THREADS_PER_SM / threads < n) n = RT_THREADS_PER_SM / threads;
    size_t shared = k->abi->static_shared + dynamic + (RT_SHARED_PER_SM - RT_SHARED_OPTIN);
    if ((int)(RT_SHARED_PER_SM / shared) < n) n = (int)(RT_SHARED_PER_SM / shared);
    return n;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int block,
                                                                   size_t dynamic, unsigned flags) {
    RT_ENTER();
    RtKernel *k;
    if (!blocks || block <= 0 || flags > 1) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_find_kernel(function, &k);
    if (!error) *blocks = rt_resident_blocks(k, block, dynamic);
    return rt_end(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block,
                                                          size_t dynamic) {
    RT_CALL();
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, dynamic, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int block) {
    RT_ENTER();
    RtKernel *k;
    if (!bytes || blocks <= 0 || block <= 0) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_find_kernel(function, &k);
    if (error) return rt_end(error);
    if (rt_resident_blocks(k, block, 0) < blocks) return rt_end(cudaErrorInvalidValue);
    size_t taken = RT_SHARED_PER_SM - RT_SHARED_OPTIN; /* without the kernel's own, as a GPU reports it */
    size_t each = RT_SHARED_PER_SM / (unsigned)blocks, limit = dynamic_limit(k);
    *bytes = each - taken < limit ? each - taken : limit;
    return cudaSuccess;
}
