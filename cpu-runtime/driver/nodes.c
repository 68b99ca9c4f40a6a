/* nodes.c: the driver API: nodes of graphs, and what graphs own.
**
** Copies, fills and kernels are described otherwise than in the runtime API; all else has one layout. */
#include "driver/driver.h"
#include <string.h>

_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams), "one layout");
_Static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams), "one layout");

#define PLACE (cudaGraphNode_t *)node, (cudaGraph_t)graph, (const cudaGraphNode_t *)deps, count
#define COPY_PARAMS(p)                                                                                                 \
    do {                                                                                                               \
        cudaError_t copy_ = drv_copy_params(copy, p);                                                                  \
        if (copy_) return drv_result(copy_);                                                                           \
    } while (0)

/* ---- parameters of any node ---- */

static cudaError_t node_params(const CUgraphNodeParams *p, struct cudaGraphNodeParams *out) {
    if (!p) return cudaErrorInvalidValue;
    *out = (struct cudaGraphNodeParams){.type = (enum cudaGraphNodeType)p->type};
    const CUDA_MEMSET_NODE_PARAMS fill = {p->memset.dst,         p->memset.pitch, p->memset.value,
                                          p->memset.elementSize, p->memset.width, p->memset.height};
    switch ((int)p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: out->kernel = drv_kernel(&p->kernel); return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_MEMCPY: return drv_copy_params(&p->memcpy.copyParams, &out->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: out->memset = drv_fill(&fill); return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_EMPTY: return cudaSuccess;
    case CU_GRAPH_NODE_TYPE_HOST:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        memcpy(out->reserved1, p->reserved1, sizeof out->reserved1);
        return cudaSuccess;
    }
    return cudaErrorNotSupported;
}

/* An allocation and a conditional node put something into their parameters. */
static cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t count,
                            CUgraphNodeParams *params) {
    struct cudaGraphNodeParams p;
    RT_TRY(node_params(params, &p));
    RT_TRY(cudaGraphAddNode(node, graph, deps, count, &p));
    if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) params->alloc.dptr = (uintptr_t)p.alloc.dptr;
    if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        params->conditional.phGraph_out = (CUgraph *)p.conditional.phGraph_out;
    return cudaSuccess;
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                        CUgraphNodeParams *params) {
    DRV_FORWARD_ANY(add_node(PLACE, params));
}

static cudaError_t set_node(cudaGraphExec_t exec, cudaGraphNode_t node, const CUgraphNodeParams *params) {
    struct cudaGraphNodeParams p;
    RT_TRY(node_params(params, &p));
    return exec ? cudaGraphExecNodeSetParams(exec, node, &p) : cudaGraphNodeSetParams(node, &p);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
    DRV_FORWARD_ANY(set_node(NULL, (cudaGraphNode_t)node, params));
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    DRV_FORWARD_ANY(set_node((cudaGraphExec_t)exec, (cudaGraphNode_t)node, params));
}

/* ---- what nodes do ---- */

static cudaError_t tell_kernel(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *out) {
    struct cudaKernelNodeParams p;
    if (!out) return cudaErrorInvalidValue;
    RT_TRY(cudaGraphKernelNodeGetParams(node, &p));
    *out = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)p.func,
                                     .gridDimX = p.gridDim.x,
                                     .gridDimY = p.gridDim.y,
                                     .gridDimZ = p.gridDim.z,
                                     .blockDimX = p.blockDim.x,
                                     .blockDimY = p.blockDim.y,
                                     .blockDimZ = p.blockDim.z,
                                     .sharedMemBytes = p.sharedMemBytes,
                                     .kernelParams = p.kernelParams,
                                     .extra = p.extra};
    return cudaSuccess;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(tell_kernel((cudaGraphNode_t)node, params));
}

static cudaError_t tell_copy(cudaGraphNode_t node, CUDA_MEMCPY3D *out) {
    struct cudaMemcpy3DParms p;
    if (!out) return cudaErrorInvalidValue;
    RT_TRY(cudaGraphMemcpyNodeGetParams(node, &p));
    drv_tell_copy(&p, out);
    return cudaSuccess;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
    DRV_FORWARD_ANY(tell_copy((cudaGraphNode_t)node, copy));
}

static cudaError_t tell_fill(cudaGraphNode_t node, CUDA_MEMSET_NODE_PARAMS *out) {
    struct cudaMemsetParams p;
    if (!out) return cudaErrorInvalidValue;
    RT_TRY(cudaGraphMemsetNodeGetParams(node, &p));
    *out = (CUDA_MEMSET_NODE_PARAMS){(uintptr_t)p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
    return cudaSuccess;
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(tell_fill((cudaGraphNode_t)node, params));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphHostNodeGetParams((cudaGraphNode_t)node, (struct cudaHostNodeParams *)params));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
    DRV_FORWARD_ANY(cudaGraphChildGraphNodeGetGraph((cudaGraphNode_t)node, (cudaGraph_t *)graph));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
    DRV_FORWARD_ANY(cudaGraphEventRecordNodeGetEvent((cudaGraphNode_t)node, (cudaEvent_t *)event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
    DRV_FORWARD_ANY(cudaGraphEventWaitNodeGetEvent((cudaGraphNode_t)node, (cudaEvent_t *)event));
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphMemAllocNodeGetParams((cudaGraphNode_t)node, (struct cudaMemAllocNodeParams *)params));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *ptr) {
    DRV_FORWARD_ANY(cudaGraphMemFreeNodeGetParams((cudaGraphNode_t)node, ptr));
}

/* ---- nodes of a kind ---- */

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context,
                                        unsigned int value, unsigned int flags) {
    (void)context;
    DRV_FORWARD_ANY(
        cudaGraphConditionalHandleCreate((cudaGraphConditionalHandle *)handle, (cudaGraph_t)graph, value, flags));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext context) {
    (void)context;
    struct cudaMemcpy3DParms p;
    COPY_PARAMS(&p);
    DRV_FORWARD_ANY(cudaGraphAddMemcpyNode(PLACE, &p));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                                   CUevent event) {
    DRV_FORWARD_ANY(cudaGraphAddEventRecordNode(PLACE, (cudaEvent_t)event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                                 CUevent event) {
    DRV_FORWARD_ANY(cudaGraphAddEventWaitNode(PLACE, (cudaEvent_t)event));
}
CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphAddMemAllocNode(PLACE, (struct cudaMemAllocNodeParams *)params));
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *deps, size_t count,
                               CUdeviceptr ptr) {
    DRV_FORWARD_ANY(cudaGraphAddMemFreeNode(PLACE, (void *)(uintptr_t)ptr));
}

/* ---- other parameters ---- */

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy) {
    struct cudaMemcpy3DParms p;
    COPY_PARAMS(&p);
    DRV_FORWARD_ANY(cudaGraphMemcpyNodeSetParams((cudaGraphNode_t)node, &p));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    struct cudaMemsetParams p = drv_fill(params);
    DRV_FORWARD_ANY(cudaGraphMemsetNodeSetParams((cudaGraphNode_t)node, &p));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphHostNodeSetParams((cudaGraphNode_t)node, (const struct cudaHostNodeParams *)params));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    DRV_FORWARD_ANY(cudaGraphEventRecordNodeSetEvent((cudaGraphNode_t)node, (cudaEvent_t)event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    DRV_FORWARD_ANY(cudaGraphEventWaitNodeSetEvent((cudaGraphNode_t)node, (cudaEvent_t)event));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
                                        CUcontext context) {
    (void)context;
    struct cudaMemcpy3DParms p;
    COPY_PARAMS(&p);
    DRV_FORWARD_ANY(cudaGraphExecMemcpyNodeSetParams((cudaGraphExec_t)exec, (cudaGraphNode_t)node, &p));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context) {
    (void)context;
    if (!params) return CUDA_ERROR_INVALID_VALUE;
    struct cudaMemsetParams p = drv_fill(params);
    DRV_FORWARD_ANY(cudaGraphExecMemsetNodeSetParams((cudaGraphExec_t)exec, (cudaGraphNode_t)node, &p));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphExecHostNodeSetParams((cudaGraphExec_t)exec, (cudaGraphNode_t)node,
                                                   (const struct cudaHostNodeParams *)params));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
    DRV_FORWARD_ANY(
        cudaGraphExecChildGraphNodeSetParams((cudaGraphExec_t)exec, (cudaGraphNode_t)node, (cudaGraph_t)child));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    DRV_FORWARD_ANY(
        cudaGraphExecEventRecordNodeSetEvent((cudaGraphExec_t)exec, (cudaGraphNode_t)node, (cudaEvent_t)event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    DRV_FORWARD_ANY(
        cudaGraphExecEventWaitNodeSetEvent((cudaGraphExec_t)exec, (cudaGraphNode_t)node, (cudaEvent_t)event));
}

/* ---- attributes, edges, executable graphs ---- */

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value) {
    DRV_FORWARD_ANY(cudaGraphKernelNodeGetAttribute((cudaGraphNode_t)node, (cudaLaunchAttributeID)id,
                                                    (cudaLaunchAttributeValue *)value));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value) {
    DRV_FORWARD_ANY(cudaGraphKernelNodeSetAttribute((cudaGraphNode_t)node, (cudaLaunchAttributeID)id,
                                                    (const cudaLaunchAttributeValue *)value));
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    DRV_FORWARD_ANY(cudaGraphKernelNodeCopyAttributes((cudaGraphNode_t)to, (cudaGraphNode_t)from));
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphGetEdges((cudaGraph_t)graph, (cudaGraphNode_t *)from, (cudaGraphNode_t *)to, count));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *deps, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphNodeGetDependencies((cudaGraphNode_t)node, (cudaGraphNode_t *)deps, count));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    DRV_FORWARD_ANY(cudaGraphNodeGetDependentNodes((cudaGraphNode_t)node, (cudaGraphNode_t *)nodes, count));
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    DRV_FORWARD_ANY(cudaGraphRemoveDependencies((cudaGraph_t)graph, (const cudaGraphNode_t *)from,
                                                (const cudaGraphNode_t *)to, count));
}
CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
    DRV_FORWARD_ANY(cudaGraphNodeFindInClone((cudaGraphNode_t *)node, (cudaGraphNode_t)original, (cudaGraph_t)clone));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled) {
    DRV_FORWARD_ANY(cudaGraphNodeGetEnabled((cudaGraphExec_t)exec, (cudaGraphNode_t)node, enabled));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
    DRV_FORWARD_ANY(cudaGraphNodeSetEnabled((cudaGraphExec_t)exec, (cudaGraphNode_t)node, enabled));
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
    DRV_FORWARD_ANY(cudaGraphExecGetFlags((cudaGraphExec_t)exec, (unsigned long long *)flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
    DRV_FORWARD_ANY(cudaGraphInstantiateWithParams((cudaGraphExec_t *)exec, (cudaGraph_t)graph,
                                                   (cudaGraphInstantiateParams *)params));
}

/* ---- what graphs own ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *ptr, CUhostFn destroy, unsigned int count, unsigned int flags) {
    DRV_FORWARD_ANY(cudaUserObjectCreate((cudaUserObject_t *)object, ptr, destroy, count, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
    DRV_FORWARD_ANY(cudaUserObjectRetain((cudaUserObject_t)object, count));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
    DRV_FORWARD_ANY(cudaUserObjectRelease((cudaUserObject_t)object, count));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
    DRV_FORWARD_ANY(cudaGraphRetainUserObject((cudaGraph_t)graph, (cudaUserObject_t)object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
    DRV_FORWARD_ANY(cudaGraphReleaseUserObject((cudaGraph_t)graph, (cudaUserObject_t)object, count));
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGraphMemTrim(device));
}
