/* batch.c: the driver API: what is the runtime API's, with other names for its structures: copies in batches, edges
** with data; copies between contexts, of which there is one memory; affinity: contexts have all multiprocessors but
** those of green.c. */
#include "driver/driver.h"
#include <stddef.h>

_Static_assert(sizeof(CUmemcpyAttributes) == sizeof(struct cudaMemcpyAttributes), "one layout");
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp), "one layout");
_Static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, extent) == offsetof(struct cudaMemcpy3DBatchOp, extent), "one layout");
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "one layout");

static cudaStream_t stream(CUstream s) { return (cudaStream_t)s; }

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                            CUstream s) {
    DRV_FORWARD_OF(s,
                   cudaMemcpyBatchAsync((void **)dsts, (void **)srcs, sizes, count,
                                        (struct cudaMemcpyAttributes *)attrs, attrsIdxs, numAttrs, failIdx, stream(s)));
}
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failIdx, unsigned long long flags,
                              CUstream s) {
    DRV_FORWARD_OF(s, cudaMemcpy3DBatchAsync(count, (struct cudaMemcpy3DBatchOp *)ops, failIdx, flags, stream(s)));
}

static CUDA_MEMCPY3D without_contexts(const CUDA_MEMCPY3D_PEER *c) {
    return (CUDA_MEMCPY3D){.srcXInBytes = c->srcXInBytes,
                           .srcY = c->srcY,
                           .srcZ = c->srcZ,
                           .srcLOD = c->srcLOD,
                           .srcMemoryType = c->srcMemoryType,
                           .srcHost = c->srcHost,
                           .srcDevice = c->srcDevice,
                           .srcArray = c->srcArray,
                           .srcPitch = c->srcPitch,
                           .srcHeight = c->srcHeight,
                           .dstXInBytes = c->dstXInBytes,
                           .dstY = c->dstY,
                           .dstZ = c->dstZ,
                           .dstLOD = c->dstLOD,
                           .dstMemoryType = c->dstMemoryType,
                           .dstHost = c->dstHost,
                           .dstDevice = c->dstDevice,
                           .dstArray = c->dstArray,
                           .dstPitch = c->dstPitch,
                           .dstHeight = c->dstHeight,
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = c->Depth};
}
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *c, CUstream s, bool wait) {
    unsigned long long id;
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    if (drv_context_id(c->srcContext, &id) || drv_context_id(c->dstContext, &id)) return CUDA_ERROR_INVALID_CONTEXT;
    CUDA_MEMCPY3D whole = without_contexts(c);
    return wait ? cuMemcpy3D(&whole) : cuMemcpy3DAsync(&whole, s);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) {
    DRV_ENTER(true);
    return copy_peer(c, NULL, true);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream s) {
    DRV_ENTER((uintptr_t)s <= (uintptr_t)cudaStreamPerThread);
    return copy_peer(c, s, false);
}

/* ---- edges ---- */

CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
    DRV_FORWARD_ANY(cudaGraphAddDependencies_v2((cudaGraph_t)g, (const cudaGraphNode_t *)from,
                                                (const cudaGraphNode_t *)to, (const cudaGraphEdgeData *)edges, count));
}
CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count) {
    DRV_FORWARD_ANY(cudaGraphRemoveDependencies_v2((cudaGraph_t)g, (const cudaGraphNode_t *)from,
                                                   (const cudaGraphNode_t *)to, (const cudaGraphEdgeData *)edges,
                                                   count));
}
CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphGetEdges_v2((cudaGraph_t)g, (cudaGraphNode_t *)from, (cudaGraphNode_t *)to,
                                         (cudaGraphEdgeData *)edges, count));
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *deps, CUgraphEdgeData *edges, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphNodeGetDependencies_v2((cudaGraphNode_t)node, (cudaGraphNode_t *)deps,
                                                    (cudaGraphEdgeData *)edges, count));
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphNodeGetDependentNodes_v2((cudaGraphNode_t)node, (cudaGraphNode_t *)nodes,
                                                      (cudaGraphEdgeData *)edges, count));
}
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *edges,
                           size_t count, CUgraphNodeParams *params) {
    RT_CALL();
    (void)edges;
    return cuGraphAddNode(node, graph, deps, count, params);
}
CUresult cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *count) {
    unsigned long long number = 0;
    DRV_ENTER((uintptr_t)s <= (uintptr_t)cudaStreamPerThread);
    DrvKept kept = drv_keep();
    cudaError_t error =
        cudaStreamGetCaptureInfo_v3(stream(s), (enum cudaStreamCaptureStatus *)status, &number, (cudaGraph_t *)graph,
                                    (const cudaGraphNode_t **)deps, (const cudaGraphEdgeData **)edges, count);
    drv_restore(kept);
    if (!error && id) *id = number;
    return drv_result(error);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *deps, const CUgraphEdgeData *edges, size_t count,
                                              unsigned flags) {
    DRV_FORWARD_OF(s, cudaStreamUpdateCaptureDependencies_v2(stream(s), (cudaGraphNode_t *)deps,
                                                             (const cudaGraphEdgeData *)edges, count, flags));
}

/* ---- affinity ---- */

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device) {
    DRV_ENTER(false);
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    if (!supported || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_INVALID_VALUE;
    *supported = 0; /* cuCtxCreate_v3 gives no context less than all */
    return CUDA_SUCCESS;
}
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type) {
    CUdevResource r;
    DRV_ENTER(true);
    if (!affinity || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuCtxGetDevResource(drv_current(), &r, CU_DEV_RESOURCE_TYPE_SM);
    if (!error) *affinity = (CUexecAffinityParam){.type = type, .param.smCount.val = r.sm.smCount};
    return error;
}
