/* stream.h: streams as queues of operations.
**
** A stream counts the operations it was given (issued) and has finished (done): a pair (stream, ticket) names a
** point in its history for ever, since the structures are recycled but never freed and the counters never go back.
** Waiting for an event is waiting for such a point. One lock guards all queues.  It is taken after those of the
** program's registry, captures and events, before that of memory, and not held while an operation runs.  What the
** legacy stream runs at the call holds a lock of its own, also while a kernel runs. */
#ifndef CUCPU_STREAM_H
#define CUCPU_STREAM_H
#include "exec/op.h"

struct CUstream_st {
    cudaStream_t next;            /* in the list of all streams */
    bool alive, running, instant; /* instant: what runs takes no time */
    unsigned flags;
    int priority;
    unsigned long long id;
    RtOp *head, *tail;
    _Atomic uint64_t issued, done;
    uint32_t order;            /* of its last operation: check/check.h */
    struct RtCapture *capture; /* not NULL: operations go into a graph; queue/capture.c */
    void *context;             /* of the driver API, in which it was made; NULL: the primary one */
    cudaLaunchAttributeValue attributes[cudaLaunchAttributePreferredSharedMemoryCarveout + 1];
};

/* The stream of a handle, or NULL if there is none. */
cudaStream_t rt_stream(cudaStream_t handle);
extern RT_TLS bool rt_null_is_own; /* stream 0 of this thread is its own stream, not the legacy one */

/* ---- enqueuing ---- */
cudaError_t rt_enqueue(cudaStream_t s, RtOp *op); /* owns op, also on errors */
/* The same; *ticket is the op's. */
cudaError_t rt_enqueue_ticket(cudaStream_t s, RtOp *op, uint64_t *ticket);
/* Lets what is enqueued from now on in s wait for the point. */
cudaError_t rt_enqueue_wait(cudaStream_t s, cudaStream_t target, uint64_t ticket);
/* s, which is not the default stream, waits for what all have so far. */
cudaError_t rt_wait_for_streams(cudaStream_t s);
/* *now = true: nothing is pending before it, the caller does the work and calls rt_end_inline; false: it makes an op
** and enqueues it. */
cudaError_t rt_begin_inline(cudaStream_t s, bool *now);
void rt_end_inline(cudaStream_t s);
bool rt_is_capturing(cudaStream_t s); /* it takes operations into a graph */
/* The legacy stream may not be used while a stream that it waits for is captured. */
cudaError_t rt_check_legacy(cudaStream_t s);
/* An operation polls memory, or no longer: its thread is none of those that may run queues. */
void rt_queue_polls(bool begins);

/* Where the order of operations is checked: */
uint32_t rt_stream_order(cudaStream_t s);              /* what its last operation is */
void rt_order_stream(cudaStream_t s, uint32_t before); /* what comes in s is after that */

/* ---- waiting ---- */
bool rt_busy(cudaStream_t s); /* is work left that cudaStreamQuery sees? */
bool rt_reached(cudaStream_t s, uint64_t ticket);
/* Waits, and helps with the work, until the point is reached. */
void rt_wait_for(cudaStream_t s, uint64_t ticket);
cudaError_t rt_sync_stream(cudaStream_t s);
cudaError_t rt_sync_all(void);
void rt_synchronised(void);               /* the host has waited */
void rt_on_synchronised(void (*f)(void)); /* f is called then, each time; NULL: nothing */
void rt_reset_streams(void);              /* all but the legacy one are gone */
void rt_end_streams_of(const void *context);
#endif
