/* cuda13.c: functions of the runtime API that take something else since CUDA 13.
**
** Programs that were linked against libcudart.so.13 ask for its functions by that version.  Of most functions there is
** one, which serves all versions; those below have a second one under the version of CUDA 13 (exports.map): what the
** header of CUDA 12 calls by a name with _v2 or _v3 there. */
#include "base/base.h"
#include <assert.h>
#include <string.h>

struct DeviceProp13 {
#define FIELD(type, name, dimension) type name dimension;
#include "api/device_prop13.def"
};
static_assert(sizeof(struct DeviceProp13) == 1008, "as in CUDA 13");
static_assert(sizeof(struct cudaDeviceProp) == 1032, "as in CUDA 12");

#define SINCE_13(name, params)                                                                                         \
    __asm__(".symver " #name "_13, " #name "@libcudart.so.13, remove");                                                \
    __attribute__((visibility("default"))) cudaError_t name##_13 params;                                               \
    cudaError_t name##_13 params

SINCE_13(cudaGetDeviceProperties, (struct DeviceProp13 * p, int device)) {
    struct cudaDeviceProp all;
    if (!p) return cudaGetDeviceProperties(NULL, device);
    cudaError_t error = cudaGetDeviceProperties(&all, device);
    if (error) return error;
#define FIELD(type, name, dimension) memcpy(&p->name, &all.name, sizeof p->name);
#include "api/device_prop13.def"
    return cudaSuccess;
}

SINCE_13(cudaMemPrefetchAsync, (const void *p, size_t n, struct cudaMemLocation to, unsigned flags, cudaStream_t s)) {
    return cudaMemPrefetchAsync_v2(p, n, to, flags, s);
}

cudaError_t cudaMemPrefetchAsync_v2_ptsz(const void *, size_t, struct cudaMemLocation, unsigned, cudaStream_t);
SINCE_13(cudaMemPrefetchAsync_ptsz,
         (const void *p, size_t n, struct cudaMemLocation to, unsigned flags, cudaStream_t s)) {
    return cudaMemPrefetchAsync_v2_ptsz(p, n, to, flags, s);
}

SINCE_13(cudaMemAdvise, (const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation where)) {
    return cudaMemAdvise_v2(p, n, advice, where);
}

SINCE_13(cudaStreamGetCaptureInfo,
         (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
          const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges, size_t *n)) {
    return cudaStreamGetCaptureInfo_v3(s, status, id, graph, deps, edges, n);
}

cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t, enum cudaStreamCaptureStatus *, unsigned long long *,
                                             cudaGraph_t *, const cudaGraphNode_t **, const cudaGraphEdgeData **,
                                             size_t *);
SINCE_13(cudaStreamGetCaptureInfo_ptsz,
         (cudaStream_t s, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
          const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges, size_t *n)) {
    return cudaStreamGetCaptureInfo_v3_ptsz(s, status, id, graph, deps, edges, n);
}

SINCE_13(cudaStreamUpdateCaptureDependencies,
         (cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, unsigned flags)) {
    return cudaStreamUpdateCaptureDependencies_v2(s, deps, edges, n, flags);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t, cudaGraphNode_t *, const cudaGraphEdgeData *,
                                                        size_t, unsigned);
SINCE_13(cudaStreamUpdateCaptureDependencies_ptsz,
         (cudaStream_t s, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, unsigned flags)) {
    return cudaStreamUpdateCaptureDependencies_v2_ptsz(s, deps, edges, n, flags);
}

SINCE_13(cudaGraphAddNode, (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps,
                            const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *params)) {
    return cudaGraphAddNode_v2(node, graph, deps, edges, n, params);
}

SINCE_13(cudaGraphAddDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                    const cudaGraphEdgeData *edges, size_t n)) {
    return cudaGraphAddDependencies_v2(graph, from, to, edges, n);
}

SINCE_13(cudaGraphRemoveDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                       const cudaGraphEdgeData *edges, size_t n)) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, edges, n);
}

SINCE_13(cudaGraphGetEdges,
         (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n)) {
    return cudaGraphGetEdges_v2(graph, from, to, edges, n);
}

SINCE_13(cudaGraphNodeGetDependencies,
         (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges, size_t *n)) {
    return cudaGraphNodeGetDependencies_v2(node, deps, edges, n);
}

SINCE_13(cudaGraphNodeGetDependentNodes,
         (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n)) {
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, n);
}

SINCE_13(cudaMemcpyBatchAsync,
         (void **to, void **from, size_t *sizes, size_t n, struct cudaMemcpyAttributes *attributes, size_t *first,
          size_t n_attributes, cudaStream_t s)) {
    return cudaMemcpyBatchAsync(to, from, sizes, n, attributes, first, n_attributes, NULL, s);
}

SINCE_13(cudaMemcpy3DBatchAsync,
         (size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags, cudaStream_t s)) {
    return cudaMemcpy3DBatchAsync(n, ops, NULL, flags, s);
}

/* CUDA 12 has no such functions for the stream of the thread. */
static cudaStream_t own(cudaStream_t s) { return s ? s : cudaStreamPerThread; }

cudaError_t cudaMemcpyBatchAsync_ptsz(void **, void **, size_t *, size_t, struct cudaMemcpyAttributes *, size_t *,
                                      size_t, cudaStream_t);
__attribute__((visibility("default"))) cudaError_t
cudaMemcpyBatchAsync_ptsz(void **to, void **from, size_t *sizes, size_t n, struct cudaMemcpyAttributes *attributes,
                          size_t *first, size_t n_attributes, cudaStream_t s) {
    return cudaMemcpyBatchAsync(to, from, sizes, n, attributes, first, n_attributes, NULL, own(s));
}

cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t, struct cudaMemcpy3DBatchOp *, unsigned long long, cudaStream_t);
__attribute__((visibility("default"))) cudaError_t
cudaMemcpy3DBatchAsync_ptsz(size_t n, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags, cudaStream_t s) {
    return cudaMemcpy3DBatchAsync(n, ops, NULL, flags, own(s));
}
