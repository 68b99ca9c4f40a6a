/* capture.h: stream capture, as streams, events and calls that wait see it.
**
** Its lock is taken before that of the graphs (graph/graph.c). */
#ifndef CUCPU_CAPTURE_H
#define CUCPU_CAPTURE_H
#include "exec/op.h"

/* How a capture makes a graph.  Graphs and nodes are opaque in this folder. */
typedef struct RtGraphBuilder {
    cudaGraph_t (*make)(void); /* NULL: no memory */
    void (*free)(cudaGraph_t g);
    /* A node that depends on these, for the operation or the child graph; both NULL: an empty node.  Owns op, also
    ** on errors, and the child where there is none. */
    cudaError_t (*add)(cudaGraph_t g, cudaStream_t s, RtOp *op, cudaGraph_t child, const cudaGraphNode_t *deps,
                       size_t ndeps, cudaGraphNode_t *out);
    bool (*has)(cudaGraph_t g, cudaGraphNode_t n);
    void (*use)(cudaGraphNode_t n); /* something will depend on it */
    bool (*is_used)(cudaGraphNode_t n);
} RtGraphBuilder;

extern _Atomic int rt_blocking_captures; /* active ones of streams that legacy synchronises with */
extern RT_TLS RtOp **rt_recording;       /* not NULL: the next operation goes there instead of a queue */

/* graph NULL: a new one. */
cudaError_t rt_begin_capture(cudaStream_t s, const RtGraphBuilder *builder, cudaGraph_t graph,
                             const cudaGraphNode_t *deps, size_t ndeps, enum cudaStreamCaptureMode mode);
/* The operation, or the child graph, becomes a node that depends on what the capturing stream has so far.  Owns op,
** also on errors, and the child where there is none. */
cudaError_t rt_capture_op(cudaStream_t s, RtOp *op, cudaGraph_t child);
void rt_drop_capture(cudaStream_t s); /* the stream is destroyed: a capture that began in it is gone */

/* Calls that wait for the device or get memory, on this thread: true: not now, and the captures that forbid it are
** invalid. */
bool rt_capture_forbids(void);
void rt_invalidate_capture(cudaStream_t s);
void rt_invalidate_all_captures(void);
/* For calls that wait for all streams: are there captures?  Whatever their mode, they are invalid now. */
bool rt_capture_any(void);

/* A point in a capture, for events: its id and the node to wait for (NULL = its start). */
cudaError_t rt_capture_point(cudaStream_t s, unsigned long long *id, cudaGraphNode_t *node);
cudaError_t rt_capture_wait(cudaStream_t s, unsigned long long id, cudaGraphNode_t node);
/* A program queries such a point, which it may not: the capture is invalid now, unless it has ended; the error. */
cudaError_t rt_capture_queried(unsigned long long id);
bool rt_capture_alive(unsigned long long id);
#endif
