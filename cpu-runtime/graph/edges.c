/* edges.c: the functions of graphs and capture with data of edges.
**
** Every edge is a plain one: a node waits for the whole of those that it depends on, which is more than a programmatic
** dependency requires.  So data that is passed has no effect, and what is returned is zero. */
#include "base/base.h"
#include <string.h>

enum { MAX_EDGES = 256 };
static const cudaGraphEdgeData plain[MAX_EDGES];

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *ndeps) {
    RT_CALL();
    return cudaStreamGetCaptureInfo(s, status, id, graph, deps, ndeps);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **deps,
                                        const cudaGraphEdgeData **edges, size_t *ndeps) {
    RT_CALL();
    size_t n = 0;
    cudaError_t error = cudaStreamGetCaptureInfo(s, status, id, graph, deps, &n);
    if (edges) *edges = n <= MAX_EDGES ? plain : NULL;
    if (ndeps) *ndeps = n;
    return error;
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, cudaGraphNode_t *deps,
                                                   const cudaGraphEdgeData *edges, size_t ndeps, unsigned flags) {
    RT_CALL();
    (void)edges;
    return cudaStreamUpdateCaptureDependencies(s, deps, ndeps, flags);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *deps,
                                const cudaGraphEdgeData *edges, size_t ndeps, struct cudaGraphNodeParams *params) {
    RT_CALL();
    (void)edges;
    return cudaGraphAddNode(node, g, deps, ndeps, params);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t n) {
    RT_CALL();
    (void)edges;
    return cudaGraphAddDependencies(g, from, to, n);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t n) {
    RT_CALL();
    (void)edges;
    return cudaGraphRemoveDependencies(g, from, to, n);
}

/* ---- queries ---- */

static cudaError_t clear_edges(cudaError_t error, cudaGraphEdgeData *edges, size_t room) {
    if (!error && edges) memset(edges, 0, room * sizeof *edges);
    return error;
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                 size_t *count) {
    RT_CALL();
    size_t room = count ? *count : 0;
    return clear_edges(cudaGraphGetEdges(g, from, to, count), edges, room);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges,
                                            size_t *count) {
    RT_CALL();
    size_t room = count ? *count : 0;
    return clear_edges(cudaGraphNodeGetDependencies(node, deps, count), edges, room);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                              size_t *count) {
    RT_CALL();
    size_t room = count ? *count : 0;
    return clear_edges(cudaGraphNodeGetDependentNodes(node, nodes, count), edges, room);
}
