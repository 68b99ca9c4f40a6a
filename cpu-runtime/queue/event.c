/* event.c: events, and the host functions of streams.
**
** An event names the point in a stream at which it was last recorded (stream.h); its time is taken when that point is
** reached.  Event structures are recycled, never freed: a record that is still in a queue when its event is destroyed
** finds another serial number and leaves it alone. */
#include "queue/event.h"
#include "check/check.h"
#include "host/topo.h"
#include "exec/printf.h"
#include "queue/capture.h"
#include "queue/stream.h"
#include <pthread.h>
#include <stdlib.h>

struct CUevent_st {
    cudaEvent_t next; /* in the list of all events */
    bool alive;
    unsigned flags;
    uint64_t serial;     /* of the last record; 0 = never recorded */
    cudaStream_t stream; /* NULL = reached at the call */
    uint64_t ticket, ns;
    uint32_t order;             /* of the record: check/check.h */
    RtSharedEvent *shared;      /* made for several processes, or NULL */
    uint64_t point;             /* of it: the last record by this process */
    void *context;              /* of the driver API, if that has made it */
    unsigned long long capture; /* recorded in this capture, after this node */
    cudaGraphNode_t node;
};

typedef struct RecordOp {
    RtOp op;
    cudaEvent_t event;
    uint64_t serial;
    RtSharedEvent *shared;
    uint64_t point;
} RecordOp;

typedef struct HostOp {
    RtOp op;
    cudaHostFn_t function;
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *data;
} HostOp;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cudaEvent_t events;
static uint64_t last_serial;

/* The event of a handle, or NULL (lock held). */
static cudaEvent_t find_event(cudaEvent_t handle) {
    cudaEvent_t e = events;
    while (e && (e != handle || !e->alive)) e = e->next;
    return e;
}

static cudaEvent_t new_event(void) { /* lock held */
    for (cudaEvent_t e = events; e; e = e->next)
        if (!e->alive) return e;
    cudaEvent_t e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->next = events;
    return events = e;
}

static cudaError_t make_event(cudaEvent_t *out, unsigned flags, RtSharedEvent *shared) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = new_event();
    if (e) {
        e->alive = true;
        e->flags = flags;
        e->serial = e->ticket = e->ns = e->capture = e->point = 0;
        e->order = 0;
        e->stream = NULL;
        e->context = NULL;
        e->shared = shared;
    }
    pthread_mutex_unlock(&lock);
    *out = e;
    return e ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    RT_ENTER();
    bool shared = flags & cudaEventInterprocess, alone = shared && !(flags & cudaEventDisableTiming);
    if (!out || flags & ~7u || alone) return rt_end(cudaErrorInvalidValue);
    RtSharedEvent *s = shared ? rt_make_shared_event() : NULL;
    return rt_end(shared && !s ? cudaErrorMemoryAllocation : make_event(out, flags, s));
}

cudaError_t rt_open_event(cudaEvent_t *out, RtSharedEvent *shared) {
    return make_event(out, cudaEventInterprocess | cudaEventDisableTiming, shared);
}

cudaError_t cudaEventCreate(cudaEvent_t *out) {
    RT_CALL();
    return cudaEventCreateWithFlags(out, 0);
}

void *rt_event_context(cudaEvent_t handle, void *context) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e && context) e->context = context;
    if (e) context = e->context;
    pthread_mutex_unlock(&lock);
    return e ? context : NULL;
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    RT_ENTER();
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) {
        e->alive = false;
        e->serial = 0;
    }
    pthread_mutex_unlock(&lock);
    return rt_end(e ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

void rt_reset_events(void) {
    pthread_mutex_lock(&lock);
    for (cudaEvent_t e = events; e; e = e->next) e->alive = false;
    pthread_mutex_unlock(&lock);
}

void rt_end_events_of(const void *context) {
    pthread_mutex_lock(&lock);
    for (cudaEvent_t e = events; e; e = e->next)
        if (e->context == context) e->alive = false;
    pthread_mutex_unlock(&lock);
}

/* ---- recording ---- */

static void stamp(const RecordOp *r) {
    uint64_t now = rt_now_ns();
    pthread_mutex_lock(&lock);
    if (r->event->serial == r->serial) r->event->ns = now;
    pthread_mutex_unlock(&lock);
    if (r->shared) rt_reach_shared(r->shared, r->point);
}

static void run_record(RtOp *op) { stamp((RecordOp *)op); }

/* Begins a record; false: no such event. */
static bool begin_record(cudaEvent_t handle, RecordOp *out) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) {
        e->serial = ++last_serial;
        e->stream = NULL;
        e->ticket = e->capture = 0;
        if (e->shared) e->point = rt_begin_shared(e->shared);
        *out = (RecordOp){.event = e, .serial = e->serial, .shared = e->shared, .point = e->point};
    }
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

static void set_point(cudaEvent_t e, uint64_t serial, cudaStream_t s, uint64_t ticket) {
    pthread_mutex_lock(&lock);
    if (e->serial == serial) {
        e->stream = s;
        e->ticket = ticket;
    }
    pthread_mutex_unlock(&lock);
}

static cudaError_t enqueue_record(const RecordOp *r, cudaStream_t s) {
    uint64_t ticket;
    RecordOp *op = rt_new_op(sizeof *op, run_record, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.always = op->op.instant = true;
    op->event = r->event;
    op->serial = r->serial;
    op->shared = r->shared;
    op->point = r->point;
    RT_TRY(rt_enqueue_ticket(s, &op->op, &ticket));
    set_point(r->event, r->serial, rt_stream(s), ticket);
    return cudaSuccess;
}

static cudaError_t record_captured(cudaEvent_t handle, cudaStream_t s) {
    unsigned long long id;
    cudaGraphNode_t node;
    RT_TRY(rt_capture_point(s, &id, &node));
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) {
        e->serial = 0;
        e->stream = NULL;
        e->capture = id;
        e->node = node;
    }
    pthread_mutex_unlock(&lock);
    return e ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static void set_order(cudaEvent_t handle, uint32_t order) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) e->order = order;
    pthread_mutex_unlock(&lock);
}

static cudaError_t record(cudaEvent_t e, cudaStream_t s) {
    bool now;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (rt_stream(s)->capture) return record_captured(e, rt_stream(s));
    RecordOp r;
    if (!begin_record(e, &r)) return cudaErrorInvalidResourceHandle;
    cudaError_t error = rt_begin_inline(s, &now);
    if (!error && !now) error = enqueue_record(&r, s);
    if (rt_orders() && !error) set_order(e, rt_stream_order(rt_stream(s)));
    if (error && r.shared) rt_reach_shared(r.shared, r.point);
    if (error || !now) return error;
    stamp(&r);
    rt_end_inline(s);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    RT_ENTER();
    return rt_end(record(e, s));
}

/* A node of its own in the graph that the stream captures: for those outside the graph. */
static cudaError_t capture_external(cudaEvent_t e, cudaStream_t s, bool recorded) {
    RtOp *op;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (!rt_stream(s)->capture) return cudaErrorIllegalState;
    RT_TRY(rt_event_op(e, recorded, &op));
    return rt_enqueue(s, op);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags) {
    RT_ENTER();
    if (flags > cudaEventRecordExternal) return rt_end(cudaErrorInvalidValue);
    return rt_end(flags ? capture_external(e, s, true) : record(e, s));
}

RtSharedEvent *rt_shared_event(cudaEvent_t handle) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    RtSharedEvent *shared = e ? e->shared : NULL;
    pthread_mutex_unlock(&lock);
    return shared;
}

cudaError_t rt_check_launch_event(cudaEvent_t handle) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    bool plain = e && e->flags & cudaEventDisableTiming && !(e->flags & cudaEventInterprocess);
    pthread_mutex_unlock(&lock);
    return !e ? cudaErrorInvalidResourceHandle : plain ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- nodes of graphs ---- */

static void run_node_record(RtOp *op) {
    uint64_t now = rt_now_ns();
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(((RecordOp *)op)->event);
    if (e) {
        if (!e->serial) e->serial = ++last_serial;
        e->stream = NULL;
        e->capture = 0;
        e->ns = now;
        e->order = rt_order_running();
        if (e->shared) rt_reach_shared(e->shared, e->point);
    }
    pthread_mutex_unlock(&lock);
}

static void run_node_wait(RtOp *op) { (void)op; } /* the launch waits: graph/executable.c */

cudaError_t rt_event_op(cudaEvent_t e, bool recorded, RtOp **out) {
    pthread_mutex_lock(&lock);
    bool known = find_event(e) != NULL;
    pthread_mutex_unlock(&lock);
    if (!known) return cudaErrorInvalidResourceHandle;
    RecordOp *op = rt_new_op(sizeof *op, recorded ? run_node_record : run_node_wait, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = recorded ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent;
    op->op.always = true;
    op->event = e;
    *out = &op->op;
    return cudaSuccess;
}

cudaEvent_t rt_event_of(const RtOp *op) { return ((const RecordOp *)op)->event; }

void rt_event_pending(cudaEvent_t handle, cudaStream_t s, uint64_t ticket) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) {
        e->serial = ++last_serial;
        e->stream = s;
        e->ticket = ticket;
        e->order = rt_stream_order(s);
        e->capture = 0;
        if (e->shared) e->point = rt_begin_shared(e->shared);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- waiting ---- */

static uint64_t last_record(const struct CUevent_st *e) { return e->shared ? atomic_load(&e->shared->recorded) : 0; }

/* The last record is another process's. */
static bool is_foreign(const struct CUevent_st *e) { return e->shared && last_record(e) != e->point; }

static bool read_event(cudaEvent_t handle, struct CUevent_st *out) {
    pthread_mutex_lock(&lock);
    cudaEvent_t e = find_event(handle);
    if (e) *out = *e;
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    RT_ENTER();
    struct CUevent_st e;
    if (!read_event(handle, &e)) return rt_end(cudaErrorInvalidResourceHandle);
    if (e.capture) return rt_end(rt_capture_queried(e.capture));
    if (rt_capture_forbids()) return rt_end(cudaErrorStreamCaptureUnsupported);
    if (e.shared ? atomic_load(&e.shared->reached) < last_record(&e) : e.stream && !rt_reached(e.stream, e.ticket))
        return cudaErrorNotReady;
    if (rt_orders()) rt_order_host(e.order);
    rt_flush_printf();
    return rt_end(rt_sticky());
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    RT_ENTER();
    struct CUevent_st e;
    if (!read_event(handle, &e)) return rt_end(cudaErrorInvalidResourceHandle);
    if (e.capture) return rt_end(rt_capture_queried(e.capture));
    if (rt_capture_forbids()) return rt_end(cudaErrorStreamCaptureUnsupported);
    if (e.stream) rt_wait_for(e.stream, e.ticket);
    if (e.shared) rt_wait_shared(e.shared, last_record(&e));
    if (rt_orders()) rt_order_host(e.order);
    rt_synchronised();
    return rt_end(rt_sticky());
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t handle, unsigned flags) {
    RT_ENTER();
    struct CUevent_st e;
    cudaStream_t waiting = rt_stream(s);
    if (!waiting || !read_event(handle, &e)) return rt_end(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventWaitExternal) return rt_end(cudaErrorInvalidValue);
    if (flags) return rt_end(capture_external(handle, s, false));
    cudaError_t error = rt_check_legacy(waiting);
    if (error) return rt_end(error);
    if (e.capture)
        return rt_end(rt_capture_alive(e.capture) ? rt_capture_wait(waiting, e.capture, e.node)
                                                  : cudaErrorInvalidValue);
    if (waiting->capture) {
        rt_invalidate_capture(waiting);
        return rt_end(cudaErrorStreamCaptureIsolation);
    }
    if (is_foreign(&e)) return rt_end(rt_enqueue_shared_wait(waiting, e.shared, last_record(&e)));
    if (rt_orders()) rt_order_stream(waiting, e.order);
    return rt_end(e.stream ? rt_enqueue_wait(waiting, e.stream, e.ticket) : cudaSuccess);
}

cudaError_t rt_event_wait(cudaEvent_t handle, cudaStream_t s) {
    struct CUevent_st e;
    if (!read_event(handle, &e)) return cudaErrorInvalidResourceHandle;
    if (is_foreign(&e)) return rt_enqueue_shared_wait(rt_stream(s), e.shared, last_record(&e));
    if (rt_orders()) rt_order_stream(rt_stream(s), e.order);
    return e.stream ? rt_enqueue_wait(rt_stream(s), e.stream, e.ticket) : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    RT_ENTER();
    struct CUevent_st a, b;
    if (!ms) return rt_end(cudaErrorInvalidValue);
    if (!read_event(start, &a) || !read_event(end, &b) || !a.serial || !b.serial ||
        (a.flags | b.flags) & cudaEventDisableTiming)
        return rt_end(cudaErrorInvalidResourceHandle);
    if ((a.stream && !rt_reached(a.stream, a.ticket)) || (b.stream && !rt_reached(b.stream, b.ticket)))
        return cudaErrorNotReady;
    *ms = (float)(((double)b.ns - (double)a.ns) / 1e6);
    return cudaSuccess;
}

/* ---- host functions ---- */

static void run_host(RtOp *op) {
    HostOp *h = (HostOp *)op;
    rt_in_host_function = true;
    CucpuRecord r = {.kind = CUCPU_REC_HOST, .start = RT_UNLIKELY(rt_profiled) ? rt_profile_now() : 0};
    if (h->callback) h->callback(h->stream, rt_sticky(), h->data);
    else h->function(h->data);
    if (RT_UNLIKELY(rt_profiled && r.start)) {
        r.end = rt_profile_now();
        r.name = rt_record_constant("[host function]");
        r.correlation = rt_doing().correlation;
        r.stream = rt_doing().stream;
        rt_record(&r);
    }
    rt_in_host_function = false;
    if (rt_orders()) rt_order_host(rt_order_running()); /* it may have told other threads of the host */
}

static cudaError_t enqueue_host(cudaStream_t s, cudaHostFn_t f, cudaStreamCallback_t c, void *data) {
    HostOp *h = rt_new_op(sizeof *h, run_host, NULL);
    if (!h) return cudaErrorMemoryAllocation;
    h->op.kind = cudaGraphNodeTypeHost;
    h->op.always = c != NULL; /* a callback gets the error, a host function is not called */
    h->function = f;
    h->callback = c;
    h->stream = s;
    h->data = data;
    return rt_enqueue(s, &h->op);
}

bool rt_host_params(const RtOp *op, struct cudaHostNodeParams *out) {
    const HostOp *h = (const HostOp *)op;
    *out = (struct cudaHostNodeParams){h->function, h->data};
    return h->function != NULL;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) {
    RT_ENTER();
    return rt_end(f ? enqueue_host(s, f, NULL, data) : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t c, void *data, unsigned flags) {
    RT_ENTER();
    cudaStream_t known = rt_stream(s);
    if (!c || flags) return rt_end(cudaErrorInvalidValue);
    if (known && known->capture) { /* unlike a host function */
        rt_invalidate_capture(known);
        return rt_end(cudaErrorStreamCaptureUnsupported);
    }
    return rt_end(enqueue_host(s, NULL, c, data));
}
