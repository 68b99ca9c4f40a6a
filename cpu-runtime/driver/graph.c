/* graph.c: the driver API's names for capture, graphs and memory pools, and functions of it that came with later
** versions.
**
** Handles, enumerations and most structures are those of the runtime API, number for number. */
#include "driver/driver.h"
#include <string.h>

static cudaStream_t stream(CUstream s) { return (cudaStream_t)s; }

/* ---- contexts and managed memory ---- */

CUresult cuCtxCreate_v3(CUcontext *out, void *affinity, int count, unsigned flags, CUdevice device) {
    RT_CALL();
    if (count < 0 || (count && !affinity)) return CUDA_ERROR_INVALID_VALUE;
    return cuCtxCreate(out, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags, CUdevice device) {
    RT_CALL();
    (void)params;
    return cuCtxCreate(out, flags, device);
}

static struct cudaMemLocation location(CUmemLocation l) {
    return (struct cudaMemLocation){.type = (enum cudaMemLocationType)l.type, .id = l.id};
}

CUresult cuMemAdvise_v2(CUdeviceptr p, size_t size, int advice, CUmemLocation l) {
    DRV_FORWARD_ANY(cudaMemAdvise_v2((void *)(uintptr_t)p, size, (enum cudaMemoryAdvise)advice, location(l)));
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t size, CUmemLocation l, unsigned flags, CUstream s) {
    DRV_FORWARD_OF(s, cudaMemPrefetchAsync_v2((void *)(uintptr_t)p, size, location(l), flags, stream(s)));
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute a, CUdeviceptr p, size_t n) {
    DRV_FORWARD_ANY(cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)a, (void *)(uintptr_t)p, n));
}
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *a, size_t count, CUdeviceptr p,
                                 size_t n) {
    DRV_FORWARD_ANY(
        cudaMemRangeGetAttributes(data, sizes, (enum cudaMemRangeAttribute *)a, count, (void *)(uintptr_t)p, n));
}

/* ---- settings ---- */

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute a, CUdevice src, CUdevice dst) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)a, src, dst));
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
    DRV_FORWARD(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config));
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    DRV_FORWARD(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}
CUresult cuCtxResetPersistingL2Cache(void) { DRV_FORWARD(cudaCtxResetPersistingL2Cache()); }
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config) {
    DRV_FORWARD(cudaFuncSetSharedMemConfig(f, (enum cudaSharedMemConfig)config));
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    DRV_ENTER(false);
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}
CUresult cuStreamGetId(CUstream s, unsigned long long *id) { DRV_FORWARD_OF(s, cudaStreamGetId(stream(s), id)); }
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    DRV_FORWARD_OF(to, cudaStreamCopyAttributes(stream(to), stream(from)));
}

/* ---- memory pools ---- */

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "one layout");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "one layout");

static cudaMemPool_t pool(CUmemoryPool p) { return (cudaMemPool_t)p; }

CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props) {
    DRV_FORWARD_ANY(cudaMemPoolCreate((cudaMemPool_t *)out, (const struct cudaMemPoolProps *)props));
}
CUresult cuMemPoolDestroy(CUmemoryPool p) { DRV_FORWARD_ANY(cudaMemPoolDestroy(pool(p))); }
CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep) { DRV_FORWARD_ANY(cudaMemPoolTrimTo(pool(p), keep)); }
CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *value) {
    DRV_FORWARD_ANY(cudaMemPoolSetAttribute(pool(p), (enum cudaMemPoolAttr)a, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *value) {
    DRV_FORWARD_ANY(cudaMemPoolGetAttribute(pool(p), (enum cudaMemPoolAttr)a, value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *map, size_t count) {
    DRV_FORWARD_ANY(cudaMemPoolSetAccess(pool(p), (const struct cudaMemAccessDesc *)map, count));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool p, CUmemLocation *l) {
    DRV_FORWARD_ANY(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool(p), (struct cudaMemLocation *)l));
}

/* ---- kernels ---- */

static CUfunction function(CUkernel k) { return (CUfunction)k; }

/* A kernel of a library belongs to no context. */
#define DRV_OF_DEVICE(d, call)                                                                                         \
    do {                                                                                                               \
        DRV_ENTER(false);                                                                                              \
        if (d) return CUDA_ERROR_INVALID_DEVICE;                                                                       \
        DRV_RETURN(call);                                                                                              \
    } while (0)

CUresult cuKernelGetName(const char **name, CUkernel k) { DRV_FORWARD_ANY(cudaFuncGetName(name, function(k))); }
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute a, CUkernel k, CUdevice d) {
    DRV_ENTER(false);
    return d ? CUDA_ERROR_INVALID_DEVICE : drv_function_attribute(value, a, function(k));
}
CUresult cuKernelSetAttribute(CUfunction_attribute a, int value, CUkernel k, CUdevice d) {
    DRV_OF_DEVICE(d, cudaFuncSetAttribute(function(k), (enum cudaFuncAttribute)a, value));
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice d) {
    DRV_OF_DEVICE(d, cudaFuncSetCacheConfig(function(k), (enum cudaFuncCache)config));
}
CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *size) {
    DRV_FORWARD(cudaFuncGetParamInfo(f, index, offset, size));
}
CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *size) {
    DRV_FORWARD_ANY(cudaFuncGetParamInfo(function(k), index, offset, size));
}

/* ---- capture ---- */

CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode) {
    DRV_FORWARD_OF(s, cudaStreamBeginCapture(stream(s), (enum cudaStreamCaptureMode)mode));
}
CUresult cuStreamEndCapture(CUstream s, CUgraph *graph) {
    DRV_FORWARD_OF(s, cudaStreamEndCapture(stream(s), (cudaGraph_t *)graph));
}
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status) {
    DRV_FORWARD_OF(s, cudaStreamIsCapturing(stream(s), (enum cudaStreamCaptureStatus *)status));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    DRV_FORWARD(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* ---- graphs ---- */

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
    DRV_FORWARD_ANY(cudaGraphCreate((cudaGraph_t *)graph, flags));
}
CUresult cuGraphDestroy(CUgraph graph) { DRV_FORWARD_ANY(cudaGraphDestroy((cudaGraph_t)graph)); }
CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
    DRV_FORWARD_ANY(cudaGraphClone((cudaGraph_t *)clone, (cudaGraph_t)graph));
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
    DRV_FORWARD_ANY(cudaGraphInstantiateWithFlags((cudaGraphExec_t *)exec, (cudaGraph_t)graph, flags));
}

/* Of CUDA before 12; the headers give these names to the function above. */
#undef cuGraphInstantiate
#define OLD __attribute__((visibility("default")))
OLD CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes);
OLD CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes);
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes) {
    RT_CALL();
    if (node) *node = NULL;
    if (log && bytes) *log = 0;
    return cuGraphInstantiateWithFlags(exec, graph, 0);
}
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log, size_t bytes) {
    RT_CALL();
    return cuGraphInstantiate(exec, graph, node, log, bytes);
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream s) {
    DRV_FORWARD_OF(s, cudaGraphLaunch((cudaGraphExec_t)exec, stream(s)));
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream s) {
    DRV_FORWARD_OF(s, cudaGraphUpload((cudaGraphExec_t)exec, stream(s)));
}
CUresult cuGraphExecDestroy(CUgraphExec exec) { DRV_FORWARD_ANY(cudaGraphExecDestroy((cudaGraphExec_t)exec)); }
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
    DRV_FORWARD_ANY(
        cudaGraphExecUpdate((cudaGraphExec_t)exec, (cudaGraph_t)graph, (cudaGraphExecUpdateResultInfo *)info));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphGetNodes((cudaGraph_t)graph, (cudaGraphNode_t *)nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphGetRootNodes((cudaGraph_t)graph, (cudaGraphNode_t *)nodes, count));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    DRV_FORWARD_ANY(cudaGraphNodeGetType((cudaGraphNode_t)node, (enum cudaGraphNodeType *)type));
}
CUresult cuGraphDestroyNode(CUgraphNode node) { DRV_FORWARD_ANY(cudaGraphDestroyNode((cudaGraphNode_t)node)); }
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    DRV_FORWARD_ANY(cudaGraphAddDependencies((cudaGraph_t)graph, (const cudaGraphNode_t *)from,
                                             (const cudaGraphNode_t *)to, count));
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
    DRV_FORWARD_ANY(cudaGraphDebugDotPrint((cudaGraph_t)graph, path, flags));
}

/* ---- nodes ---- */

#define PLACE (cudaGraphNode_t *)node, (cudaGraph_t)graph, (const cudaGraphNode_t *)deps, count

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count) {
    DRV_FORWARD_ANY(cudaGraphAddEmptyNode(PLACE));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                                  CUgraph child) {
    DRV_FORWARD_ANY(cudaGraphAddChildGraphNode(PLACE, (cudaGraph_t)child));
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                            const CUDA_HOST_NODE_PARAMS *p) {
    DRV_FORWARD_ANY(cudaGraphAddHostNode(PLACE, (const struct cudaHostNodeParams *)p));
}

struct cudaMemsetParams drv_fill(const CUDA_MEMSET_NODE_PARAMS *p) {
    return (struct cudaMemsetParams){.dst = (void *)(uintptr_t)p->dst,
                                     .pitch = p->pitch,
                                     .value = p->value,
                                     .elementSize = p->elementSize,
                                     .width = p->width,
                                     .height = p->height};
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
    (void)context;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    struct cudaMemsetParams q = drv_fill(p);
    DRV_FORWARD_ANY(cudaGraphAddMemsetNode(PLACE, &q));
}

struct cudaKernelNodeParams drv_kernel(const CUDA_KERNEL_NODE_PARAMS *p) {
    return (struct cudaKernelNodeParams){.func = p->func ? (void *)p->func : (void *)p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams q = drv_kernel(p);
    DRV_FORWARD_ANY(cudaGraphAddKernelNode(PLACE, &q));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams q = drv_kernel(p);
    DRV_FORWARD_ANY(cudaGraphKernelNodeSetParams((cudaGraphNode_t)node, &q));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    struct cudaKernelNodeParams q = drv_kernel(p);
    DRV_FORWARD_ANY(cudaGraphExecKernelNodeSetParams((cudaGraphExec_t)exec, (cudaGraphNode_t)node, &q));
}
