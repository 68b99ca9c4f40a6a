/* event.h: events, also those of several processes, and host functions. */
#ifndef CUCPU_EVENT_H
#define CUCPU_EVENT_H
#include "exec/op.h"

void rt_reset_events(void); /* none is left */
void rt_end_events_of(const void *context);
/* The context of the driver API in which an event was made, or NULL; sets it if it is given. */
void *rt_event_context(cudaEvent_t e, void *context);
cudaError_t rt_check_launch_event(cudaEvent_t e);                    /* may an attribute of a launch name it? */
bool rt_host_params(const RtOp *op, struct cudaHostNodeParams *out); /* false: it is a callback */

/* The operation of an event node, and the event's state while a launched graph has not reached it. */
cudaError_t rt_event_op(cudaEvent_t e, bool record, RtOp **op);
cudaEvent_t rt_event_of(const RtOp *op);
cudaError_t rt_event_wait(cudaEvent_t e, cudaStream_t s);
void rt_event_pending(cudaEvent_t e, cudaStream_t s, uint64_t ticket);

/* ---- shared_event.c: events of several processes, in memory that they share: records are numbered ---- */
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
#endif
