/* stream.h: streams and events as the files of the runtime see them (stream.c, event.c, graph.c).
**
** A stream counts the operations it was given (issued) and has finished (done): a pair (stream,
** ticket) names a point in its history for ever, since the structures are recycled but never freed
** and the counters never go back.  Waiting for an event is waiting for such a point. */
#ifndef CUCPU_STREAM_H
#define CUCPU_STREAM_H
#include "base/rt.h"

typedef struct RtCapture RtCapture; /* graph.c */

struct CUstream_st {
    cudaStream_t next;            /* in the list of all streams */
    bool alive, running, instant; /* instant: what runs takes no time */
    unsigned flags;
    int priority;
    unsigned long long id;
    RtOp *head, *tail;
    _Atomic uint64_t issued, done;
    RtCapture *capture; /* not NULL: operations go into a graph */
    void *context;      /* of the driver API, in which it was made; NULL: the primary one */
    cudaLaunchAttributeValue attributes[cudaLaunchAttributePreferredSharedMemoryCarveout + 1];
};

/* The stream behind a handle, or NULL if there is none. */
cudaStream_t rt_stream(cudaStream_t handle);
extern RT_TLS bool rt_null_is_own; /* stream 0 of this thread is its own stream, not the legacy one */
bool rt_busy(cudaStream_t s);      /* is work left that cudaStreamQuery sees? */
bool rt_reached(cudaStream_t s, uint64_t ticket);
/* Waits, and helps with the work, until the point is reached. */
void rt_wait_for(cudaStream_t s, uint64_t ticket);
/* Lets what is enqueued from now on in s wait for the point. */
cudaError_t rt_enqueue_wait(cudaStream_t s, cudaStream_t target, uint64_t ticket);
/* As rt_enqueue; *ticket is the op's place. */
cudaError_t rt_enqueue_ticket(cudaStream_t s, RtOp *op, uint64_t *ticket);
/* An operation polls memory, or no longer: its thread is none of those that may run queues. */
void rt_queue_polls(bool begins);
void rt_reset_events(void);
/* ipc.c: an event that several processes know, in memory that they share: records are numbered. */
typedef struct RtSharedEvent {
    _Alignas(64) _Atomic uint64_t recorded, reached;
    _Atomic int recorder; /* process of the last record */
} RtSharedEvent;
RtSharedEvent *rt_make_shared_event(void);                     /* NULL: no memory */
RtSharedEvent *rt_shared_event(cudaEvent_t e);                 /* event.c; NULL: it is not shared */
cudaError_t rt_open_event(cudaEvent_t *out, RtSharedEvent *e); /* event.c */
uint64_t rt_begin_shared(RtSharedEvent *e);                    /* the number of a new record */
void rt_reach_shared(RtSharedEvent *e, uint64_t point);
void rt_wait_shared(RtSharedEvent *e, uint64_t point);
cudaError_t rt_enqueue_shared_wait(cudaStream_t s, RtSharedEvent *e, uint64_t point);
void rt_reset_ipc(void); /* what was opened is closed */
/* The context of the driver API in which an event was made, or NULL; sets it if it is given. */
void *rt_event_context(cudaEvent_t e, void *context);
/* event.c: the operation of an event node, and the event's state while a launched graph has not reached it. */
cudaError_t rt_event_op(cudaEvent_t e, bool record, RtOp **op);
cudaEvent_t rt_event_of(const RtOp *op);
cudaError_t rt_event_wait(cudaEvent_t e, cudaStream_t s);
void rt_event_pending(cudaEvent_t e, cudaStream_t s, uint64_t ticket);
#endif
