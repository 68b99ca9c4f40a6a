/* stream.c: streams; first version: every operation runs at the call, in the calling thread.
**
** One lock stands for the device, so that operations of several host threads do not overlap. */
#include "rt.h"
#include <pthread.h>
#include <stdlib.h>

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
};

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned long long next_id = 3;

cudaError_t rt_begin_inline(cudaStream_t s, bool *now) {
    (void)s;
    pthread_mutex_lock(&device_lock);
    *now = true;
    return cudaSuccess;
}

void rt_end_inline(cudaStream_t s) {
    (void)s;
    pthread_mutex_unlock(&device_lock);
}

void *rt_new_op(size_t bytes, RtRun *run, RtRun *drop) {
    RtOp *op = aligned_alloc(RT_ARG_ALIGN, RT_ROUND(bytes, RT_ARG_ALIGN));
    if (op) *op = (RtOp){run, drop, NULL};
    return op;
}

cudaError_t rt_enqueue(cudaStream_t s, RtOp *op) {
    bool now;
    rt_begin_inline(s, &now);
    op->run(op);
    rt_end_inline(s);
    if (op->drop) op->drop(op);
    free(op);
    return cudaSuccess;
}

cudaError_t rt_sync_stream(cudaStream_t s) {
    (void)s;
    return rt_sync_all();
}

cudaError_t rt_sync_all(void) {
    rt_flush_printf();
    return rt_sticky();
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
    RT_ENTER();
    if (!out || flags & ~(unsigned)cudaStreamNonBlocking) return rt_end(cudaErrorInvalidValue);
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s) return rt_end(cudaErrorMemoryAllocation);
    s->flags = flags;
    s->priority = priority;
    s->id = next_id++;
    *out = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    return cudaStreamCreateWithPriority(out, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *out) { return cudaStreamCreateWithPriority(out, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t s) {
    RT_ENTER();
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    free(s);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s) { return rt_end(rt_sync_stream(s)); }
cudaError_t cudaStreamQuery(cudaStream_t s) {
    (void)s;
    return rt_end(rt_sticky());
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) {
    RT_ENTER();
    (void)s;
    return rt_end(e && !flags ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data) {
    RT_ENTER();
    (void)s;
    if (!fn) return rt_end(cudaErrorInvalidValue);
    fn(data);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return rt_end(rt_sync_all()); }
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceReset(void) {
    rt_sync_all();
    rt_free_all();
    rt_clear_sticky();
    return cudaSuccess;
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

/* ---- events ---- */

struct CUevent_st {
    unsigned flags;
    uint64_t ns; /* 0 = not recorded */
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    RT_ENTER();
    if (!out || flags & ~7u) return rt_end(cudaErrorInvalidValue);
    *out = calloc(1, sizeof **out);
    if (*out) (*out)->flags = flags;
    return rt_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t *out) { return cudaEventCreateWithFlags(out, 0); }

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
    RT_ENTER();
    (void)s;
    if (!e) return rt_end(cudaErrorInvalidResourceHandle);
    e->ns = rt_now_ns();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e) {
    RT_ENTER();
    return rt_end(e ? rt_sync_all() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t e) {
    RT_ENTER();
    return rt_end(e ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventDestroy(cudaEvent_t e) {
    RT_ENTER();
    if (!e) return rt_end(cudaErrorInvalidResourceHandle);
    free(e);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    RT_ENTER();
    if (!ms) return rt_end(cudaErrorInvalidValue);
    if (!start || !end || !start->ns || !end->ns || (start->flags | end->flags) & cudaEventDisableTiming)
        return rt_end(cudaErrorInvalidResourceHandle);
    *ms = (float)(((double)end->ns - (double)start->ns) / 1e6);
    return cudaSuccess;
}
