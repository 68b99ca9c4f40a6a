/* exec.c: the driver API: streams, events, functions, launches.
**
** A CUfunction is what the runtime API takes for a kernel: the address of its host stub (cudaGetFuncBySymbol). */
#include "program/program.h"
#include "queue/event.h"
#include "queue/launch.h"
#include "queue/stream.h"
#include "driver/driver.h"
#include <stdlib.h>
#include <string.h>

/* ---- streams and events ---- */

static cudaStream_t stream(CUstream s) { return (cudaStream_t)s; }
static cudaEvent_t event(CUevent e) { return (cudaEvent_t)e; }

CUresult cuStreamCreate(CUstream *s, unsigned flags) {
    RT_CALL();
    return cuStreamCreateWithPriority(s, flags, 0);
}
CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority) {
    DRV_ENTER(true);
    DrvKept kept = drv_keep();
    cudaError_t error = cudaStreamCreateWithPriority((cudaStream_t *)s, flags, priority);
    drv_restore(kept);
    if (!error && drv_current() != drv_primary()) (*s)->context = drv_current();
    return drv_result(error);
}
CUresult cuStreamDestroy(CUstream s) { DRV_FORWARD_OF(s, cudaStreamDestroy(stream(s))); }
CUresult cuStreamQuery(CUstream s) { DRV_FORWARD_OF(s, cudaStreamQuery(stream(s))); }
CUresult cuStreamSynchronize(CUstream s) { DRV_FORWARD_OF(s, cudaStreamSynchronize(stream(s))); }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) {
    DRV_FORWARD_OF(s, cudaStreamWaitEvent(stream(s), event(e), flags));
}
CUresult cuStreamGetFlags(CUstream s, unsigned *flags) { DRV_FORWARD_OF(s, cudaStreamGetFlags(stream(s), flags)); }
CUresult cuStreamGetPriority(CUstream s, int *priority) {
    DRV_FORWARD_OF(s, cudaStreamGetPriority(stream(s), priority));
}
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *data, unsigned flags) {
    DRV_FORWARD_OF(s, cudaStreamAddCallback(stream(s), (cudaStreamCallback_t)(void *)callback, data, flags));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn f, void *data) {
    DRV_FORWARD_OF(s, cudaLaunchHostFunc(stream(s), f, data));
}

CUresult cuEventCreate(CUevent *e, unsigned flags) {
    DRV_ENTER(true);
    DrvKept kept = drv_keep();
    cudaError_t error = cudaEventCreateWithFlags((cudaEvent_t *)e, flags);
    drv_restore(kept);
    if (!error) rt_event_context(event(*e), drv_current());
    return drv_result(error);
}
CUresult cuEventDestroy(CUevent e) { DRV_FORWARD_OF(e, cudaEventDestroy(event(e))); }

/* Are they known to be of different contexts? */
static bool apart(CUevent e, CUstream s) {
    bool own = (uintptr_t)s > (uintptr_t)cudaStreamPerThread;
    cudaStream_t found = own ? rt_stream(stream(s)) : NULL;
    void *a = rt_event_context(event(e), NULL), *b = own ? found ? found->context : NULL : drv_current();
    return a && b && a != b;
}
CUresult cuEventRecord(CUevent e, CUstream s) {
    RT_CALL();
    return cuEventRecordWithFlags(e, s, 0);
}
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned flags) {
    DRV_ENTER((uintptr_t)s <= (uintptr_t)cudaStreamPerThread);
    if (apart(e, s)) return CUDA_ERROR_INVALID_HANDLE;
    DRV_RETURN(cudaEventRecordWithFlags(event(e), stream(s), flags));
}
CUresult cuEventQuery(CUevent e) { DRV_FORWARD_OF(e, cudaEventQuery(event(e))); }
CUresult cuEventSynchronize(CUevent e) { DRV_FORWARD_OF(e, cudaEventSynchronize(event(e))); }
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
    if (!start || !end) return CUDA_ERROR_INVALID_HANDLE;
    DRV_FORWARD_OF(start, cudaEventElapsedTime(ms, event(start), event(end)));
}

/* ---- functions ---- */

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
    DRV_ENTER(true);
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    RtKernel *k;
    *function = (CUfunction)kernel;
    DRV_RETURN(rt_find_kernel(kernel, &k));
}

CUresult cuFuncGetName(const char **name, CUfunction f) { DRV_FORWARD(cudaFuncGetName(name, f)); }

CUresult drv_function_attribute(int *value, CUfunction_attribute attribute, CUfunction f) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    struct cudaFuncAttributes a;
    DrvKept kept = drv_keep();
    cudaError_t error = cudaFuncGetAttributes(&a, f);
    drv_restore(kept);
    if (error) return drv_result(error);
    const int values[] = {a.maxThreadsPerBlock,
                          (int)a.sharedSizeBytes,
                          (int)a.constSizeBytes,
                          (int)a.localSizeBytes,
                          a.numRegs,
                          a.ptxVersion,
                          a.binaryVersion,
                          a.cacheModeCA,
                          a.maxDynamicSharedSizeBytes,
                          a.preferredShmemCarveout,
                          a.clusterDimMustBeSet,
                          a.requiredClusterWidth,
                          a.requiredClusterHeight,
                          a.requiredClusterDepth,
                          a.nonPortableClusterSizeAllowed,
                          a.clusterSchedulingPolicyPreference};
    if ((unsigned)attribute >= RT_COUNT(values)) return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f) {
    DRV_ENTER(true);
    return drv_function_attribute(value, attribute, f);
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value) {
    DRV_FORWARD(cudaFuncSetAttribute(f, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config) {
    DRV_FORWARD(cudaFuncSetCacheConfig(f, (enum cudaFuncCache)config));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int block, size_t shared) {
    DRV_FORWARD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, block, shared));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f, int block, size_t shared,
                                                              unsigned flags) {
    DRV_FORWARD(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, f, block, shared, flags));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks, int block) {
    DRV_FORWARD(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, block));
}

/* The largest block among those with which most threads are resident. */
static cudaError_t best_block(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size, size_t shared, int limit) {
    struct cudaFuncAttributes a;
    int warp = rt_warp_size(), sms = 0, best = 0;
    if (!grid || !block) return cudaErrorInvalidValue;
    RT_TRY(cudaFuncGetAttributes(&a, f));
    RT_TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    int max = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    for (int n = (int)RT_ROUND(max, warp); n > 0; n -= warp) {
        int b = n < max ? n : max, blocks;
        RT_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, b, size ? size(b) : shared));
        if (blocks * b <= best) continue;
        best = blocks * b;
        *block = b;
        *grid = blocks * sms;
    }
    return best ? cudaSuccess : cudaErrorInvalidValue;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size, size_t shared,
                                          int limit) {
    DRV_FORWARD(best_block(grid, block, f, size, shared, limit));
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f, CUoccupancyB2DSize size,
                                                   size_t shared, int limit, unsigned flags) {
    DRV_ENTER(true);
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(best_block(grid, block, f, size, shared, limit));
}

static cudaLaunchConfig_t config_of(const CUlaunchConfig *c) {
    return (cudaLaunchConfig_t){.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ},
                                .blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ},
                                .dynamicSmemBytes = c->sharedMemBytes,
                                .attrs = (cudaLaunchAttribute *)c->attrs,
                                .numAttrs = c->numAttrs};
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *c) {
    DRV_ENTER(true);
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t config = config_of(c);
    DRV_RETURN(cudaOccupancyMaxPotentialClusterSize(size, f, &config));
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *c) {
    DRV_ENTER(true);
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t config = config_of(c);
    DRV_RETURN(cudaOccupancyMaxActiveClusters(clusters, f, &config));
}

/* ---- launches ---- */

static cudaError_t launch(CUfunction f, dim3 grid, dim3 block, size_t shared, CUstream s, void **params, void **extra,
                          const RtAttributes *how) {
    void **unpacked = NULL;
    RtKernel *k;
    RT_TRY(rt_sticky());
    RT_TRY(rt_find_kernel(f, &k));
    if (params && extra) return cudaErrorInvalidValue;
    if (k->abi->max_threads && (uint64_t)block.x * block.y * block.z > k->abi->max_threads)
        return cudaErrorInvalidValue; /* not OutOfResources */
    if (extra) RT_TRY(rt_unpack_params(k->abi, extra, &unpacked));
    cudaError_t error = rt_launch(f, grid, block, unpacked ? unpacked : params, shared, stream(s), how);
    free(unpacked);
    return error;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream s, void **params, void **extra) {
    DRV_FORWARD_OF(s, launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, params, extra, NULL));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream s, void **params) {
    static const RtAttributes how = {.cooperative = true};
    DRV_FORWARD_OF(s, launch(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, params, NULL, &how));
}

static cudaError_t launch_and_record(const CUlaunchConfig *c, CUfunction f, void **params, void **extra,
                                     const RtAttributes *how) {
    RT_TRY(launch(f, (dim3){c->gridDimX, c->gridDimY, c->gridDimZ}, (dim3){c->blockDimX, c->blockDimY, c->blockDimZ},
                  c->sharedMemBytes, c->hStream, params, extra, how));
    return how->event ? cudaEventRecord(how->event, stream(c->hStream)) : cudaSuccess;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra) {
    DRV_ENTER(!c || (uintptr_t)c->hStream <= (uintptr_t)cudaStreamPerThread);
    if (!c || (c->numAttrs && !c->attrs)) return CUDA_ERROR_INVALID_VALUE;
    RtAttributes how;
    cudaError_t e = rt_launch_attributes((const cudaLaunchAttribute *)c->attrs, c->numAttrs, &how);
    if (e) DRV_RETURN(e);
    DRV_RETURN(launch_and_record(c, f, params, extra, &how));
}
