/* nodes.c: nodes of graphs from parameters.
**
** The operation is made by calling the ordinary function of the API with rt_recording set, so that a node is checked
** exactly as the call would be. */
#include "program/program.h"
#include "queue/capture.h"
#include "queue/event.h"
#include "queue/launch.h"
#include "memory/copy.h"
#include "memory/memory.h"
#include "graph/graph.h"
#include <stdlib.h>

/* ---- operations ---- */

#define RECORD(op, call)                                                                                               \
    do {                                                                                                               \
        *(op) = NULL;                                                                                                  \
        rt_recording = (op);                                                                                           \
        cudaError_t record_ = (call);                                                                                  \
        rt_recording = NULL;                                                                                           \
        RT_TRY(record_);                                                                                               \
    } while (0)

static cudaError_t kernel_op(const struct cudaKernelNodeParams *p, RtOp **op) {
    if (!p) return cudaErrorInvalidValue;
    void **unpacked = NULL;
    if (p->extra) {
        RtKernel *k;
        if (p->kernelParams) return cudaErrorInvalidValue;
        RT_TRY(rt_find_kernel(p->func, &k));
        RT_TRY(rt_unpack_params(k->abi, p->extra, &unpacked));
    }
    *op = NULL;
    rt_recording = op;
    cudaError_t error = rt_launch(p->func, p->gridDim, p->blockDim, unpacked ? unpacked : p->kernelParams,
                                  p->sharedMemBytes, NULL, NULL);
    rt_recording = NULL;
    free(unpacked);
    return error == cudaErrorInvalidConfiguration || error == cudaErrorLaunchOutOfResources ? cudaErrorInvalidValue
                                                                                            : error;
}

static cudaError_t copy_op(const struct cudaMemcpy3DParms *p, RtOp **op) {
    RECORD(op, rt_copy_3d(p, NULL, false));
    return *op ? cudaSuccess : cudaErrorInvalidValue; /* unlike a call, a node must have something to do */
}

static cudaError_t fill_op(const struct cudaMemsetParams *p, RtOp **op) {
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return cudaErrorInvalidValue;
    RECORD(op, rt_fill(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, NULL));
    return *op ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t host_op(const struct cudaHostNodeParams *p, RtOp **op) {
    if (!p) return cudaErrorInvalidValue;
    RECORD(op, cudaLaunchHostFunc(NULL, p->fn, p->userData));
    return cudaSuccess;
}

cudaError_t rt_node_op(const struct cudaGraphNodeParams *p, RtOp **op) {
    *op = NULL;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return kernel_op(&p->kernel, op);
    case cudaGraphNodeTypeMemcpy: return copy_op(&p->memcpy.copyParams, op);
    case cudaGraphNodeTypeMemset: return fill_op(&p->memset, op);
    case cudaGraphNodeTypeHost: return host_op(&p->host, op);
    case cudaGraphNodeTypeEventRecord: return rt_event_op(p->eventRecord.event, true, op);
    case cudaGraphNodeTypeWaitEvent: return rt_event_op(p->eventWait.event, false, op);
    case cudaGraphNodeTypeMemFree: return rt_graph_free_op(p->free.dptr, op);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    default: return cudaErrorNotSupported;
    }
}

/* ---- API: new nodes ---- */

static cudaError_t add_op(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                          const struct cudaGraphNodeParams *p, RtOp *op) {
    RT_TRY(rt_add_checked(out, g, deps, ndeps, op, p->type));
    (*out)->params = *p;
    (*out)->described = true;
    return cudaSuccess;
}

cudaError_t rt_add_described(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                             const struct cudaGraphNodeParams *p) {
    RtOp *op;
    if (!out || !rt_is_graph(g)) return cudaErrorInvalidValue;
    RT_TRY(rt_node_op(p, &op));
    return add_op(out, g, deps, ndeps, p, op);
}

#define ADD(...)                                                                                                       \
    RT_ENTER();                                                                                                        \
    if (!p) return rt_end(cudaErrorInvalidValue);                                                                      \
    struct cudaGraphNodeParams all = {__VA_ARGS__};                                                                    \
    return rt_end(rt_add_described(out, g, deps, ndeps, &all))

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaKernelNodeParams *p) {
    ADD(.type = cudaGraphNodeTypeKernel, .kernel = *p);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemcpy3DParms *p) {
    ADD(.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *p});
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemsetParams *p) {
    ADD(.type = cudaGraphNodeTypeMemset, .memset = *p);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaHostNodeParams *p) {
    ADD(.type = cudaGraphNodeTypeHost, .host = *p);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                        cudaEvent_t p) {
    ADD(.type = cudaGraphNodeTypeEventRecord, .eventRecord = {p});
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                      cudaEvent_t p) {
    ADD(.type = cudaGraphNodeTypeWaitEvent, .eventWait = {p});
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                    void *p) {
    ADD(.type = cudaGraphNodeTypeMemFree, .free = {p});
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                     struct cudaMemAllocNodeParams *p) {
    RT_ENTER();
    RtOp *op;
    if (!out || !rt_is_graph(g) || !p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id)
        return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_graph_alloc_op(&p->dptr, p->bytesize, &op);
    struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeMemAlloc, .alloc = *p};
    return rt_end(error ? error : add_op(out, g, deps, ndeps, &all, op));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps) {
    struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeEmpty};
    RT_ENTER();
    return rt_end(rt_add_described(out, g, deps, ndeps, &all));
}

struct cudaGraphNodeParams rt_params_1d(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms c = {
        .srcPtr = {(void *)(uintptr_t)src, n, n, 1}, .dstPtr = {dst, n, n, 1}, .extent = {n, 1, 1}, .kind = kind};
    return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = c}};
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                     void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
    RT_ENTER();
    struct cudaGraphNodeParams all = rt_params_1d(dst, src, n, kind);
    return rt_end(rt_add_described(out, g, deps, ndeps, &all));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                       cudaGraph_t child) {
    RT_ENTER();
    if (!rt_is_graph(child) || child == g) return rt_end(cudaErrorInvalidValue);
    if (rt_graph_has_memory(child)) return rt_end(cudaErrorNotSupported);
    cudaGraph_t copy = rt_clone_graph(child);
    if (!copy) return rt_end(cudaErrorMemoryAllocation);
    cudaError_t error = rt_add_checked(out, g, deps, ndeps, NULL, cudaGraphNodeTypeGraph);
    if (error) rt_free_graph(copy);
    else (*out)->child = copy;
    return rt_end(error);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                             struct cudaGraphNodeParams *p) {
    RT_ENTER();
    if (!p) return rt_end(cudaErrorInvalidValue);
    if (p->type == cudaGraphNodeTypeGraph) return cudaGraphAddChildGraphNode(out, g, deps, ndeps, p->graph.graph);
    if (p->type == cudaGraphNodeTypeConditional) return rt_end(rt_add_conditional(out, g, deps, ndeps, p));
    if (p->type == cudaGraphNodeTypeMemAlloc) return cudaGraphAddMemAllocNode(out, g, deps, ndeps, &p->alloc);
    return rt_end(rt_add_described(out, g, deps, ndeps, p));
}

/* ---- other parameters ---- */

/* The clusters that the node's attributes name; all 0: none. */
static RtAttributes how_of(cudaGraphNode_t node) {
    const cudaLaunchAttributeValue *a = node->attributes;
    return (RtAttributes){.cooperative = a[cudaLaunchAttributeCooperative].cooperative,
                          .cluster = {a[cudaLaunchAttributeClusterDimension].clusterDim.x,
                                      a[cudaLaunchAttributeClusterDimension].clusterDim.y,
                                      a[cudaLaunchAttributeClusterDimension].clusterDim.z}};
}

static cudaError_t relaunch(const RtAttributes *how, RtOp **op) {
    RtOp *made;
    RT_TRY(rt_relaunch_op(*op, how, &made));
    rt_drop_op(*op);
    *op = made;
    return cudaSuccess;
}

cudaError_t rt_apply_attributes(cudaGraphNode_t node, bool cooperative, RtOp **op) {
    RtAttributes how = how_of(node);
    if (!cooperative) how.cooperative = rt_op_is_cooperative(*op);
    return relaunch(&how, op);
}

/* A new operation for the node, as its attributes want it. */
cudaError_t rt_op_for_node(cudaGraphNode_t node, const struct cudaGraphNodeParams *p, RtOp **op) {
    RT_TRY(rt_node_op(p, op));
    RtAttributes how = how_of(node);
    if (p->type != cudaGraphNodeTypeKernel || !(how.cooperative || how.cluster[0] || how.cluster[1] || how.cluster[2]))
        return cudaSuccess;
    cudaError_t error = relaunch(&how, op);
    if (error) rt_drop_op(*op);
    return error;
}

cudaError_t rt_set_node(cudaGraphNode_t node, const struct cudaGraphNodeParams *p) {
    RtOp *op;
    if (!rt_is_node(node) || node->type != p->type || p->type == cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
    RT_TRY(rt_op_for_node(node, p, &op));
    if (node->op) rt_drop_op(node->op);
    node->op = op;
    node->params = *p;
    node->described = true;
    return cudaSuccess;
}
