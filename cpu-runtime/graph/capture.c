/* capture.c: how a stream capture (queue/capture.c) makes a graph; launches of executable graphs in a capturing
** stream. */
#include "queue/capture.h"
#include "queue/event.h"
#include "queue/launch.h"
#include "queue/stream.h"
#include "graph/graph.h"

static void describe_event(cudaGraphNode_t n, enum cudaGraphNodeType type, const RtOp *op) {
    n->params.type = type;
    if (type == cudaGraphNodeTypeEventRecord) n->params.eventRecord.event = rt_event_of(op);
    if (type == cudaGraphNodeTypeWaitEvent) n->params.eventWait.event = rt_event_of(op);
    n->described = type == cudaGraphNodeTypeEventRecord || type == cudaGraphNodeTypeWaitEvent;
}

/* Owns op; child goes to the node only where there is no error. */
static cudaError_t add(cudaGraph_t g, cudaStream_t s, RtOp *op, cudaGraph_t child, const cudaGraphNode_t *deps,
                       size_t ndeps, cudaGraphNode_t *out) {
    enum cudaGraphNodeType type = op      ? (enum cudaGraphNodeType)op->kind
                                  : child ? cudaGraphNodeTypeGraph
                                          : cudaGraphNodeTypeEmpty;
    RT_TRY(rt_add_node(g, op, type, deps, ndeps, out));
    cudaGraphNode_t n = *out;
    describe_event(n, type, op);
    n->child = child;
    n->attributes[cudaLaunchAttributePriority].priority = s->priority;
    if (type == cudaGraphNodeTypeKernel) rt_kernel_attributes(op, n->attributes);
    return cudaSuccess;
}

static void use(cudaGraphNode_t n) { n->used = true; }
static bool is_used(cudaGraphNode_t n) { return n->used; }

static const RtGraphBuilder builder = {rt_new_graph, rt_free_graph, add, rt_has_node, use, is_used};

/* The steps one after another.  A conditional one is known by its operation alone. */
static cudaError_t add_steps(cudaGraph_t g, const struct CUgraphExec_st *e) {
    cudaGraphNode_t last = NULL, n;
    for (size_t i = 0; i < e->count; i++) {
        const RtStep *step = &e->steps[i];
        enum cudaGraphNodeType type = step->type;
        if (type == cudaGraphNodeTypeGraph || step->disabled) continue; /* what is in it has steps of its own */
        if (type == cudaGraphNodeTypeConditional) type = cudaGraphNodeTypeEmpty;
        if (step->op) rt_keep_op(step->op);
        RT_TRY(rt_add_node(g, step->op, type, &last, last != NULL, &n));
        describe_event(n, type, step->op);
        last = n;
    }
    return cudaSuccess;
}

cudaError_t rt_capture_exec(cudaStream_t s, cudaGraphExec_t e) {
    cudaGraph_t child = rt_new_graph();
    if (!child) return cudaErrorMemoryAllocation;
    cudaError_t error = add_steps(child, e);
    if (!error) error = rt_capture_op(s, NULL, child);
    if (error) rt_free_graph(child);
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    return rt_end(rt_begin_capture(s, &builder, NULL, NULL, 0, mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t ndeps,
                                          enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    (void)edges;
    if (!rt_is_graph(g) || (ndeps && !deps)) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < ndeps; i++)
        if (!rt_has_node(g, deps[i])) return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_begin_capture(s, &builder, g, deps, ndeps, mode));
}
