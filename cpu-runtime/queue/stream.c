/* stream.c: streams as queues, the threads that run them, and the default stream.
**
** Operations of a stream run in order; a few threads (CUCPU_STREAM_THREADS) take the streams whose
** next operation may run, and a host thread that waits for a stream helps with its operations, so
** that launch-and-wait needs no change of thread.  A kernel uses the OpenMP team of the thread that
** runs it.
** The legacy default stream runs at the call, on the calling thread, as long as no stream that it
** synchronises with has work left; else it is a queue too.  What it must wait for becomes a wait
** mark in the queue, and so does what later operations of blocking streams must wait for.
** One lock guards all queues; it is not held while an operation runs. */
#include "queue/stream.h"
#include "base/env.h"
#include "check/check.h"
#include "exec/children.h"
#include "exec/printf.h"
#include "queue/capture.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EXECUTORS = 64, PRIORITY_LOW = 0, PRIORITY_HIGH = -5 };

typedef struct WaitMark {
    RtOp op;
    cudaStream_t target;
    uint64_t ticket;
} WaitMark;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* some operation is done */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;    /* some stream may be ready */
static pthread_mutex_t inline_lock = PTHREAD_MUTEX_INITIALIZER;

static struct CUstream_st legacy = {.alive = true};
/* Counts what runs at the call; no queue, not in the list of streams. */
static struct CUstream_st inline_point;
static _Atomic int inline_marks;       /* wait marks for it: the only ones that need waking */
static cudaStream_t streams = &legacy; /* all there ever were */
static unsigned long long next_id = 3;
static _Atomic int busy, busy_blocking; /* streams with work left; those that legacy waits for */
static int executors, idle_executors, waiters, wait_marks;
static RT_TLS cudaStream_t own; /* cudaStreamPerThread */
RT_TLS bool rt_null_is_own;
RT_TLS RtOp **rt_recording;
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static bool blocking(cudaStream_t s) { return !(s->flags & cudaStreamNonBlocking); }
static bool idle(cudaStream_t s) { return s->issued == s->done; }

/* ---- handles ---- */

static cudaStream_t take_struct(void) { /* lock held */
    for (cudaStream_t s = streams; s; s = s->next)
        if (!s->alive && idle(s) && !s->running) return s;
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->next = streams;
    return streams = s;
}

static cudaStream_t new_stream(unsigned flags, int priority) {
    pthread_mutex_lock(&lock);
    cudaStream_t s = take_struct();
    if (s) {
        s->alive = true;
        s->flags = flags;
        s->priority = priority;
        s->id = next_id++;
        s->capture = NULL;
        s->context = NULL;
        s->order = 0;
        memset(s->attributes, 0, sizeof s->attributes);
        s->attributes[cudaLaunchAttributePriority].priority = priority;
        s->attributes[cudaLaunchAttributeSynchronizationPolicy].syncPolicy = cudaSyncPolicyAuto;
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static void release_own(void *s) {
    pthread_mutex_lock(&lock);
    ((cudaStream_t)s)->alive = false;
    pthread_mutex_unlock(&lock);
    own = NULL;
}

static void make_own_key(void) { pthread_key_create(&own_key, release_own); }

static cudaStream_t own_stream(void) {
    if (own && own->alive) return own;
    pthread_once(&own_once, make_own_key);
    own = new_stream(cudaStreamDefault, 0);
    pthread_setspecific(own_key, own);
    return own;
}

cudaStream_t rt_stream(cudaStream_t handle) {
    if (RT_LIKELY(!handle)) return RT_UNLIKELY(rt_null_is_own) ? own_stream() : &legacy;
    if (handle == cudaStreamLegacy) return &legacy;
    if (handle == cudaStreamPerThread) return own_stream();
    pthread_mutex_lock(&lock);
    cudaStream_t s = streams;
    while (s && (s != handle || !s->alive)) s = s->next;
    pthread_mutex_unlock(&lock);
    return s;
}

/* ---- running (lock held on entry and exit) ---- */

static void wake(void) {
    if (waiters) pthread_cond_broadcast(&changed);
    if (wait_marks && idle_executors) pthread_cond_broadcast(&work);
}

static void finish_op(cudaStream_t s) {
    s->done++;
    if (idle(s)) {
        busy--;
        if (blocking(s)) busy_blocking--;
    }
    wake();
}

static RtOp *pop(cudaStream_t s) {
    RtOp *op = s->head;
    s->head = op->next;
    if (!s->head) s->tail = NULL;
    return op;
}

/* Passes the wait marks that are reached; true if an operation can run. */
static bool ready(cudaStream_t s) {
    if (s->running) return false;
    while (s->head && !s->head->run) {
        WaitMark *w = (WaitMark *)s->head;
        if (w->target->done < w->ticket) return false;
        if (w->target == &inline_point) inline_marks--;
        wait_marks--;
        rt_drop_op(pop(s));
        finish_op(s);
    }
    return s->head != NULL;
}

/* As profilers number streams. */
static uint32_t number_of(cudaStream_t s) {
    return s == &legacy ? CUCPU_DEFAULT_STREAM : (uint32_t)s->id + CUCPU_FIRST_STREAM_NUMBER;
}

static void drain(cudaStream_t s, uint64_t until) {
    while (s->done < until && ready(s)) {
        RtOp *op = pop(s);
        s->running = true;
        s->instant = op->instant;
        pthread_mutex_unlock(&lock);
        const RtDoing before = rt_doing_op(op, number_of(s));
        uint32_t outer = rt_order_run(op->order);
        rt_run_op(op);
        rt_order_run(outer);
        rt_set_doing(before);
        rt_drop_op(op);
        pthread_mutex_lock(&lock);
        s->running = false;
        finish_op(s);
    }
}

static cudaStream_t find_ready(cudaStream_t except) {
    cudaStream_t best = NULL;
    for (cudaStream_t s = streams; s; s = s->next)
        if (s != except && ready(s) && (!best || s->priority < best->priority)) best = s;
    return best;
}

static void call_executor(void);

static void *executor(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        cudaStream_t s = find_ready(NULL);
        if (s) {
            if (find_ready(s)) call_executor();
            drain(s, UINT64_MAX);
            continue;
        }
        idle_executors++;
        pthread_cond_wait(&work, &lock);
        idle_executors--;
    }
    return NULL;
}

static void call_executor(void) {
    if (idle_executors) {
        pthread_cond_signal(&work);
        return;
    }
    int limit = rt_env()->stream_threads < MAX_EXECUTORS ? rt_env()->stream_threads : MAX_EXECUTORS;
    if (executors >= (limit ? limit : 1)) return;
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    if (!pthread_create(&t, &a, executor, NULL)) executors++;
    pthread_attr_destroy(&a);
}

void rt_queue_polls(bool begins) {
    pthread_mutex_lock(&lock);
    executors += begins ? -1 : 1;
    if (begins && find_ready(NULL)) call_executor();
    pthread_mutex_unlock(&lock);
}

/* ---- order, where it is checked (lock held) ---- */

static uint32_t left_order; /* what streams had that are destroyed */

static void order_after_blocking(uint32_t op) {
    for (cudaStream_t t = streams; t; t = t->next)
        if (blocking(t)) rt_order_after(op, t->order);
    rt_order_after(op, left_order);
}

static uint32_t order_op(cudaStream_t s) {
    uint32_t op = rt_order_new();
    rt_order_after(op, s->order);
    if (s == &legacy) order_after_blocking(op);
    else if (blocking(s)) rt_order_after(op, legacy.order);
    return s->order = op;
}

static uint32_t order_next(cudaStream_t s, uint32_t before) {
    if (!rt_orders()) return 0;
    pthread_mutex_lock(&lock);
    uint32_t op = order_op(s);
    rt_order_after(op, before);
    pthread_mutex_unlock(&lock);
    return op;
}

uint32_t rt_stream_order(cudaStream_t s) { return s->order; }

void rt_order_stream(cudaStream_t s, uint32_t before) { order_next(s, before); }

/* The host has waited for the stream. */
static void order_host(cudaStream_t s) {
    if (rt_orders()) rt_order_host(s == &legacy ? order_next(s, 0) : s->order);
}

static void order_destroyed(cudaStream_t s) { /* lock held */
    uint32_t op = rt_orders() ? rt_order_new() : 0;
    rt_order_after(op, left_order);
    rt_order_after(op, s->order);
    if (op && blocking(s)) left_order = op;
}

/* ---- enqueuing ---- */

static uint64_t push(cudaStream_t s, RtOp *op) { /* lock held */
    op->next = NULL;
    if (idle(s)) {
        busy++;
        if (blocking(s)) busy_blocking++;
    }
    uint64_t ticket = ++s->issued;
    if (s->tail) s->tail->next = op;
    else s->head = op;
    s->tail = op;
    return ticket;
}

static bool push_wait(cudaStream_t s, cudaStream_t target, uint64_t ticket) { /* lock held */
    if (target == s || target->done >= ticket) return true;
    WaitMark *w = rt_new_op(sizeof *w, NULL, NULL);
    if (!w) return false;
    w->target = target;
    w->ticket = ticket;
    wait_marks++;
    if (target == &inline_point) inline_marks++; /* then ready() looks at `done` again */
    push(s, &w->op);
    return true;
}

/* What the legacy default stream orders (lock held). */
static bool push_legacy_waits(cudaStream_t s) {
    if (!blocking(s)) return true;
    if (!push_wait(s, &inline_point, inline_point.issued)) return false;
    if (s != &legacy) return push_wait(s, &legacy, legacy.issued);
    bool ok = true;
    for (cudaStream_t t = streams; t && ok; t = t->next)
        if (t != &legacy && blocking(t)) ok = push_wait(s, t, t->issued);
    return ok;
}

cudaError_t rt_wait_for_streams(cudaStream_t s) {
    pthread_mutex_lock(&lock);
    bool ok = push_wait(s, &inline_point, inline_point.issued);
    for (cudaStream_t t = streams; t && ok; t = t->next)
        if (t != s) ok = push_wait(s, t, t->issued);
    pthread_mutex_unlock(&lock);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool is_for_children(cudaStream_t s) { return s == cudaStreamTailLaunch || s == cudaStreamFireAndForget; }

cudaError_t rt_enqueue_ticket(cudaStream_t handle, RtOp *op, uint64_t *ticket) {
    *ticket = 0;
    if (RT_UNLIKELY(rt_in_kernel())) return rt_add_child(handle, op);
    cudaStream_t s = rt_stream(handle);
    cudaError_t error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (RT_UNLIKELY(rt_recording != NULL)) {
        *rt_recording = op;
        return cudaSuccess;
    }
    if (RT_UNLIKELY(s && s->capture)) return rt_capture_op(s, op, NULL);
    pthread_mutex_lock(&lock);
    /* counted before legacy's tickets are read: rt_begin_inline does the two in the other order */
    if (!error && blocking(s)) busy_blocking++;
    if (!error && !push_legacy_waits(s)) error = cudaErrorMemoryAllocation;
    if (!error) {
        *ticket = push(s, op);
        op->order = rt_orders() ? order_op(s) : 0;
        call_executor();
    }
    if (s && blocking(s)) busy_blocking--;
    pthread_mutex_unlock(&lock);
    if (error) rt_drop_op(op);
    return error;
}

cudaError_t rt_enqueue(cudaStream_t s, RtOp *op) {
    uint64_t ticket;
    return rt_enqueue_ticket(s, op, &ticket);
}

cudaError_t rt_enqueue_wait(cudaStream_t s, cudaStream_t target, uint64_t ticket) {
    pthread_mutex_lock(&lock);
    bool ok = push_wait(s, target, ticket);
    call_executor();
    pthread_mutex_unlock(&lock);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ---- at the call ---- */

cudaError_t rt_begin_inline(cudaStream_t handle, bool *now) {
    *now = false;
    bool inside = rt_in_kernel();
    if (RT_UNLIKELY(inside && is_for_children(handle))) return cudaSuccess;
    cudaStream_t s = rt_stream(handle);
    if (RT_UNLIKELY(!s)) return cudaErrorInvalidResourceHandle;
    if (RT_UNLIKELY(inside)) return cudaSuccess;
    if (RT_UNLIKELY(s->capture || rt_recording)) return cudaSuccess;
    if (s != &legacy && rt_env()->mode != RT_MODE_SYNC) return cudaSuccess;
    RT_TRY(rt_check_legacy(s));
    if (busy_blocking || rt_env()->mode == RT_MODE_ASYNC) return cudaSuccess;
    pthread_mutex_lock(&inline_lock);
    inline_point.issued++;
    if (RT_LIKELY(!busy_blocking)) *now = true;
    else rt_end_inline(handle);
    if (rt_orders() && *now) rt_order_run(order_next(s, 0));
    if (RT_UNLIKELY(rt_profiled)) rt_set_doing((RtDoing){rt_doing().correlation, number_of(s)});
    return cudaSuccess;
}

void rt_end_inline(cudaStream_t handle) {
    (void)handle;
    if (rt_orders()) rt_order_run(0);
    inline_point.done++;
    pthread_mutex_unlock(&inline_lock);
    if (RT_LIKELY(!inline_marks)) return;
    pthread_mutex_lock(&lock);
    wake();
    pthread_mutex_unlock(&lock);
}

/* ---- waiting ---- */

bool rt_reached(cudaStream_t s, uint64_t ticket) { return s->done >= ticket; }

static void wait_locked(cudaStream_t s, uint64_t ticket) {
    while (s->done < ticket) {
        cudaStream_t t = s;
        uint64_t until = ticket;
        while (!ready(t) && !t->running && t->head) { /* at a wait mark */
            until = ((WaitMark *)t->head)->ticket;
            t = ((WaitMark *)t->head)->target;
        }
        if (ready(t)) {
            drain(t, until);
        } else if (s->done < ticket) {
            waiters++;
            pthread_cond_wait(&changed, &lock);
            waiters--;
        }
    }
}

/* Events that are next after what the host has waited for: a GPU has recorded them by the time that the host goes
** on, and programs read their times. */
static void wait_for_records(void) {
    pthread_mutex_lock(&lock);
    for (cudaStream_t s = streams; s; s = s->next) {
        while (ready(s) && s->head->instant) drain(s, s->done + 1);
        while (s->running && s->instant) {
            waiters++;
            pthread_cond_wait(&changed, &lock);
            waiters--;
        }
    }
    pthread_mutex_unlock(&lock);
}

void rt_wait_for(cudaStream_t s, uint64_t ticket) {
    if (rt_reached(s, ticket)) return;
    pthread_mutex_lock(&lock);
    wait_locked(s, ticket);
    pthread_mutex_unlock(&lock);
}

/* Waits for all that was issued to the blocking streams, or to all streams. */
static void wait_each(bool nonblocking_too) {
    pthread_mutex_lock(&lock);
    for (cudaStream_t s = streams; s; s = s->next)
        if (nonblocking_too || blocking(s)) wait_locked(s, s->issued);
    pthread_mutex_unlock(&lock);
}

cudaError_t rt_check_legacy(cudaStream_t s) {
    if (RT_LIKELY(!rt_blocking_captures || s != &legacy)) return cudaSuccess;
    rt_invalidate_all_captures();
    return cudaErrorStreamCaptureImplicit;
}

static void (*_Atomic after_sync)(void);

void rt_on_synchronised(void (*f)(void)) { atomic_store(&after_sync, f); }

void rt_synchronised(void) {
    void (*f)(void) = atomic_load_explicit(&after_sync, memory_order_relaxed);
    rt_flush_printf();
    if (f) f();
}

cudaError_t rt_sync_stream(cudaStream_t handle) {
    cudaStream_t s = rt_stream(handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (RT_UNLIKELY(rt_in_kernel())) return rt_wait_for_children();
    if (RT_UNLIKELY(s->capture)) {
        rt_invalidate_capture(s);
        return cudaErrorStreamCaptureUnsupported;
    }
    if (s == &legacy && busy_blocking) wait_each(false);
    else if (s != &legacy) rt_wait_for(s, s->issued);
    if (busy) wait_for_records();
    order_host(s);
    rt_synchronised();
    return rt_sticky();
}

cudaError_t rt_sync_all(void) {
    if (RT_UNLIKELY(rt_in_kernel())) return rt_wait_for_children();
    if (RT_UNLIKELY(rt_capture_forbids())) return cudaErrorStreamCaptureUnsupported;
    if (busy) wait_each(true);
    if (rt_orders()) rt_order_host_all();
    rt_synchronised();
    return rt_sticky();
}

bool rt_is_capturing(cudaStream_t handle) {
    cudaStream_t s = rt_stream(handle);
    return rt_recording || (s && s->capture);
}

bool rt_busy(cudaStream_t s) { return s == &legacy ? busy_blocking != 0 : !idle(s); }

/* ---- API ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
    RT_ENTER();
    if (!out || flags & ~(unsigned)cudaStreamNonBlocking) return rt_end(cudaErrorInvalidValue);
    if (priority > PRIORITY_LOW) priority = PRIORITY_LOW;
    if (priority < PRIORITY_HIGH) priority = PRIORITY_HIGH;
    *out = new_stream(flags, priority);
    return rt_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    RT_CALL();
    return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *out) {
    RT_CALL();
    return cudaStreamCreateWithPriority(out, 0, 0);
}

static cudaStream_t created(cudaStream_t handle) {
    return !handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread ? NULL : rt_stream(handle);
}

/* The work that is left is still done; the structure is used again when it is. */
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    RT_ENTER();
    cudaStream_t s = created(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (s->capture) rt_drop_capture(s);
    pthread_mutex_lock(&lock);
    s->alive = false;
    order_destroyed(s);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

void rt_end_streams_of(const void *context) {
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->alive && s->context == context) cudaStreamDestroy(s);
}

/* What a stream has done is not queried while streams are captured, as far as that is forbidden. */
static cudaError_t check_query(cudaStream_t s) {
    if (!s || rt_in_kernel()) return cudaSuccess;
    if (RT_UNLIKELY(s->capture)) {
        rt_invalidate_capture(s);
        return cudaErrorStreamCaptureUnsupported;
    }
    RT_TRY(rt_check_legacy(s));
    return rt_capture_forbids() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s) {
    RT_ENTER();
    cudaError_t error = check_query(rt_stream(s));
    return rt_end(error ? error : rt_sync_stream(s));
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    cudaError_t error = check_query(s);
    if (error) return rt_end(error);
    if (rt_busy(s)) return cudaErrorNotReady;
    order_host(s);
    rt_flush_printf();
    return rt_end(rt_sticky());
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    RT_ENTER_WITHOUT_CONTEXT();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!priority) return rt_end(cudaErrorInvalidValue);
    *priority = s->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    RT_ENTER_WITHOUT_CONTEXT();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!flags) return rt_end(cudaErrorInvalidValue);
    *flags = s->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!id) return rt_end(cudaErrorInvalidValue);
    *id = s == &legacy ? 1 : s->id;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
    RT_ENTER();
    if (!rt_stream(handle)) return rt_end(cudaErrorInvalidResourceHandle);
    if (!device) return rt_end(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

/* Attributes are hints: remembered, without effect but for the priority. */
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!value || (unsigned)id >= RT_COUNT(s->attributes)) return rt_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    s->attributes[id] = *value;
    if (id == cudaLaunchAttributePriority) s->priority = value->priority;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!value || (unsigned)id >= RT_COUNT(s->attributes)) return rt_end(cudaErrorInvalidValue);
    *value = s->attributes[id];
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    RT_ENTER();
    cudaStream_t d = rt_stream(to), s = rt_stream(from);
    if (!d || !s) return rt_end(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    memcpy(d->attributes, s->attributes, sizeof d->attributes);
    d->priority = s->priority;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    RT_ENTER();
    if (least) *least = PRIORITY_LOW;
    if (greatest) *greatest = PRIORITY_HIGH;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_ENTER();
    if (!rt_in_kernel() && rt_capture_any()) return rt_end(cudaErrorStreamCaptureUnsupported);
    return rt_end(rt_sync_all());
}

cudaError_t cudaThreadSynchronize(void) {
    RT_CALL();
    return cudaDeviceSynchronize();
}

void rt_reset_streams(void) {
    for (cudaStream_t s = streams; s; s = s->next)
        if (s->capture) rt_drop_capture(s);
    pthread_mutex_lock(&lock);
    for (cudaStream_t s = streams; s; s = s->next) s->alive = s == &legacy;
    pthread_mutex_unlock(&lock);
}
