/* graph.h: what streams and events must know about stream capture (graph.c). */
#ifndef CUCPU_GRAPH_H
#define CUCPU_GRAPH_H
#include "queue/stream.h"

extern _Atomic int rt_blocking_captures; /* under way, of streams that legacy synchronises with */
bool rt_capture_forbids(void);           /* calls that wait for the device or get memory, on this thread; then
                                  what forbids it is invalid */
extern RT_TLS RtOp **rt_recording;       /* not NULL: the next op goes there instead of a queue */

/* Takes the op as a new node behind what the capturing stream has. */
cudaError_t rt_capture_op(cudaStream_t s, RtOp *op);
void rt_invalidate_capture(cudaStream_t s);
void rt_invalidate_all_captures(void);
bool rt_capture_any(
    void); /* calls that wait for all streams: the captures under way, of whatever mode, are invalid now */
cudaError_t rt_check_legacy(
    cudaStream_t s); /* stream.c: the legacy stream may not be used while a stream that it waits for is captured */
/* A point in a capture, for events: its id and the node to wait for (NULL = its start). */
cudaError_t rt_capture_point(cudaStream_t s, unsigned long long *id, cudaGraphNode_t *node);
cudaError_t rt_capture_wait(cudaStream_t s, unsigned long long id, cudaGraphNode_t node);
cudaError_t rt_capture_asked(
    unsigned long long id); /* a point of it cannot be asked for: it is invalid now, unless it has ended; the error */
void rt_drop_capture(cudaStream_t s); /* the stream is destroyed: a capture that began in it is gone */
bool rt_capture_alive(unsigned long long id);
/* launch.c: the parameters with which the kernel op was made; pointers into the op. */
void rt_kernel_params(const RtOp *op, struct cudaKernelNodeParams *out);
#endif
