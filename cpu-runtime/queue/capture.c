/* capture.c: stream capture: a stream's operations become nodes of a graph instead of running.
**
** The order in which the host issues operations is a topological order of the captured graph, so a
** capturing stream only keeps its last node and the nodes that it was made to wait for since.
** A stream joins the capture by waiting for an event that was recorded in it, and must be joined
** back before the end.  What a graph and a node are is left to the caller that begins the capture (RtGraphBuilder:
** graph/capture.c). */
#include "queue/capture.h"
#include "queue/stream.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct RtCapture RtCapture;
struct RtCapture {
    RtCapture *next;
    const RtGraphBuilder *builder;
    cudaGraph_t graph;
    cudaStream_t origin;
    unsigned long long id;
    enum cudaStreamCaptureMode mode;
    pthread_t thread; /* that began it */
    bool invalid, own_graph;
    struct Member {
        struct Member *next;
        cudaStream_t stream;
        cudaGraphNode_t *waits; /* last node, and what was waited for since */
        size_t nwaits;
    } * members;
};
typedef struct Member Member;

_Atomic int rt_blocking_captures;
static _Atomic int under_way, strict_captures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static RtCapture *captures;
static unsigned long long last_id;
static RT_TLS enum cudaStreamCaptureMode thread_mode; /* cudaStreamCaptureModeGlobal */

static Member *member(RtCapture *c, cudaStream_t s) {
    Member *m = c->members;
    while (m && m->stream != s) m = m->next;
    return m;
}

static Member *join(RtCapture *c, cudaStream_t s) {
    Member *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->stream = s;
    m->next = c->members;
    c->members = m;
    s->capture = c;
    return m;
}

/* For one more wait. */
static bool make_room(Member *m) {
    cudaGraphNode_t *grown = realloc(m->waits, (m->nwaits + 1) * sizeof *grown);
    if (grown) m->waits = grown;
    return grown != NULL;
}

static bool add_wait(Member *m, cudaGraphNode_t n) {
    for (size_t i = 0; i < m->nwaits; i++)
        if (m->waits[i] == n) return true;
    if (!make_room(m)) return false;
    m->waits[m->nwaits++] = n;
    return true;
}

void rt_invalidate_capture(cudaStream_t s) {
    pthread_mutex_lock(&lock);
    if (s->capture) s->capture->invalid = true;
    pthread_mutex_unlock(&lock);
}

/* The legacy stream, which would wait for blocking streams, is used. */
void rt_invalidate_all_captures(void) {
    pthread_mutex_lock(&lock);
    for (RtCapture *c = captures; c; c = c->next)
        if (c->mode != cudaStreamCaptureModeRelaxed || !(c->origin->flags & cudaStreamNonBlocking)) c->invalid = true;
    pthread_mutex_unlock(&lock);
}

bool rt_capture_any(void) {
    if (RT_LIKELY(!under_way)) return false;
    pthread_mutex_lock(&lock);
    for (RtCapture *c = captures; c; c = c->next) c->invalid = true;
    bool any = captures != NULL;
    pthread_mutex_unlock(&lock);
    return any;
}

static cudaError_t append(RtCapture *c, Member *m, RtOp *op, cudaGraph_t child) {
    cudaGraphNode_t n;
    if (!make_room(m)) {
        if (op) rt_drop_op(op);
        return cudaErrorMemoryAllocation;
    }
    RT_TRY(c->builder->add(c->graph, m->stream, op, child, m->waits, m->nwaits, &n));
    m->waits[0] = n;
    m->nwaits = 1;
    return cudaSuccess;
}

cudaError_t rt_capture_op(cudaStream_t s, RtOp *op, cudaGraph_t child) {
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    bool valid = c && !c->invalid;
    cudaError_t error = valid ? append(c, member(c, s), op, child) : cudaErrorStreamCaptureInvalidated;
    if (!valid && op) rt_drop_op(op);
    if (valid && error) c->invalid = true;
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- events ---- */

static RtCapture *find(unsigned long long id) {
    RtCapture *c = captures;
    while (c && c->id != id) c = c->next;
    return c;
}

cudaError_t rt_capture_queried(unsigned long long id) {
    pthread_mutex_lock(&lock);
    RtCapture *c = find(id);
    if (c) c->invalid = true;
    pthread_mutex_unlock(&lock);
    return c ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
}

bool rt_capture_alive(unsigned long long id) {
    pthread_mutex_lock(&lock);
    bool alive = id && find(id);
    pthread_mutex_unlock(&lock);
    return alive;
}

/* An event names one node: several are gathered by an empty one. */
cudaError_t rt_capture_point(cudaStream_t s, unsigned long long *id, cudaGraphNode_t *node) {
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    cudaError_t error = !c || c->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    Member *m = error ? NULL : member(c, s);
    if (m && m->nwaits > 1) error = append(c, m, NULL, NULL);
    if (!error) {
        *id = c->id;
        *node = m->nwaits ? m->waits[0] : NULL;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t rt_capture_wait(cudaStream_t s, unsigned long long id, cudaGraphNode_t node) {
    pthread_mutex_lock(&lock);
    RtCapture *c = find(id);
    cudaError_t error = !c || c->invalid                ? cudaErrorStreamCaptureInvalidated
                        : s->capture && s->capture != c ? cudaErrorStreamCaptureMerge
                                                        : cudaSuccess;
    Member *m = error ? NULL : s->capture ? member(c, s) : join(c, s);
    if (!error && (!m || (node && !add_wait(m, node)))) error = cudaErrorMemoryAllocation;
    if (!error && node) c->builder->use(node);
    if (error == cudaErrorStreamCaptureMerge) c->invalid = s->capture->invalid = true;
    pthread_mutex_unlock(&lock);
    return error;
}

/* Its own captures and the global ones of other threads, as far as the thread has not chosen
 * otherwise. */
static bool forbids(const RtCapture *c) {
    if (c->mode == cudaStreamCaptureModeRelaxed) return false;
    return pthread_equal(c->thread, pthread_self()) ||
           (c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal);
}

bool rt_capture_forbids(void) {
    bool forbidden = false;
    if (RT_LIKELY(!strict_captures) || thread_mode == cudaStreamCaptureModeRelaxed) return false;
    pthread_mutex_lock(&lock);
    for (RtCapture *c = captures; c; c = c->next)
        if (forbids(c)) c->invalid = forbidden = true;
    pthread_mutex_unlock(&lock);
    return forbidden;
}

/* ---- begin and end ---- */

static bool capturable(cudaStream_t s) { return s && s != rt_stream(cudaStreamLegacy); }

cudaError_t rt_begin_capture(cudaStream_t handle, const RtGraphBuilder *builder, cudaGraph_t graph,
                             const cudaGraphNode_t *deps, size_t ndeps, enum cudaStreamCaptureMode mode) {
    cudaStream_t s = rt_stream(handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!capturable(s)) return cudaErrorStreamCaptureUnsupported;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (s->capture) return cudaErrorIllegalState;
    RtCapture *c = calloc(1, sizeof *c);
    if (!c) return cudaErrorMemoryAllocation;
    c->builder = builder;
    c->own_graph = !graph;
    c->graph = graph ? graph : builder->make();
    c->origin = s;
    c->mode = mode;
    c->thread = pthread_self();
    pthread_mutex_lock(&lock);
    Member *m = c->graph ? join(c, s) : NULL;
    for (size_t i = 0; m && i < ndeps; i++) add_wait(m, deps[i]);
    if (m) {
        c->id = ++last_id;
        c->next = captures;
        captures = c;
        under_way++;
        if (mode != cudaStreamCaptureModeRelaxed) strict_captures++;
        if (!(s->flags & cudaStreamNonBlocking)) rt_blocking_captures++;
    }
    pthread_mutex_unlock(&lock);
    if (!m) free(c);
    return m ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool is_loose(const RtCapture *c, const Member *m) {
    for (size_t i = 0; i < m->nwaits; i++)
        if (!c->builder->is_used(m->waits[i])) return true;
    return false;
}

static bool unjoined(const RtCapture *c) {
    for (const Member *m = c->members; m; m = m->next)
        if (m->stream != c->origin && is_loose(c, m)) return true;
    return false;
}

static void remove_capture(RtCapture *c) { /* lock held */
    RtCapture **p = &captures;
    while (*p != c) p = &(*p)->next;
    *p = c->next;
    under_way--;
    if (c->mode != cudaStreamCaptureModeRelaxed) strict_captures--;
    if (!(c->origin->flags & cudaStreamNonBlocking)) rt_blocking_captures--;
    while (c->members) {
        Member *m = c->members;
        c->members = m->next;
        m->stream->capture = NULL;
        free(m->waits);
        free(m);
    }
}

/* out may be NULL where the program has the graph: of a capture into one.  All errors of the stream that began the
** capture end it, too. */
static cudaError_t end(cudaStream_t handle, cudaGraph_t *out) {
    cudaStream_t s = rt_stream(handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (out) *out = NULL;
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    bool foreign = c && c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self());
    cudaError_t error = !c                     ? cudaErrorIllegalState
                        : c->origin != s       ? cudaErrorStreamCaptureUnmatched
                        : foreign              ? cudaErrorStreamCaptureWrongThread
                        : c->invalid           ? cudaErrorStreamCaptureInvalidated
                        : unjoined(c)          ? cudaErrorStreamCaptureUnjoined
                        : !out && c->own_graph ? cudaErrorInvalidValue
                                               : cudaSuccess;
    if (!c && !out) error = cudaErrorInvalidValue;
    bool ended = c && c->origin == s && !foreign;
    if (ended) remove_capture(c);
    else if (c && !foreign) c->invalid = true;
    pthread_mutex_unlock(&lock);
    if (!ended) return error;
    if (!error && out) *out = c->graph;
    if (error && c->own_graph) c->builder->free(c->graph);
    free(c);
    return error;
}

/* lock held: what it has left must have been joined back. */
static void leave(RtCapture *c, cudaStream_t s) {
    Member **link = &c->members;
    while ((*link)->stream != s) link = &(*link)->next;
    Member *m = *link;
    *link = m->next;
    if (is_loose(c, m)) c->invalid = true;
    s->capture = NULL;
    free(m->waits);
    free(m);
}

void rt_drop_capture(cudaStream_t s) {
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    bool ended = c && c->origin == s;
    if (ended) remove_capture(c);
    else if (c) leave(c, s);
    pthread_mutex_unlock(&lock);
    if (!ended) return;
    if (c->own_graph) c->builder->free(c->graph);
    free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out) {
    RT_ENTER();
    return rt_end(end(s, out));
}

/* ---- queries ---- */

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *deps, size_t ndeps,
                                                unsigned flags) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if ((ndeps && !deps) || flags > cudaStreamSetCaptureDependencies) return rt_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    Member *m = c ? member(c, s) : NULL;
    cudaError_t error = !m ? cudaErrorIllegalState : c->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    for (size_t i = 0; i < ndeps && !error; i++)
        if (!c->builder->has(c->graph, deps[i])) error = cudaErrorInvalidValue;
    if (!error && flags == cudaStreamSetCaptureDependencies) m->nwaits = 0;
    for (size_t i = 0; i < ndeps && !error; i++)
        if (!add_wait(m, deps[i])) error = cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&lock);
    return rt_end(error);
}

static enum cudaStreamCaptureStatus status_of(const RtCapture *c) {
    return !c           ? cudaStreamCaptureStatusNone
           : c->invalid ? cudaStreamCaptureStatusInvalidated
                        : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *ndeps) {
    RT_ENTER();
    cudaStream_t s = rt_stream(handle);
    if (!s) return rt_end(cudaErrorInvalidResourceHandle);
    if (!status) return rt_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    *status = status_of(c);
    if (c && id) *id = c->id;
    if (c && graph) *graph = c->graph;
    if (c && deps) *deps = member(c, s)->waits;
    if (c && ndeps) *ndeps = member(c, s)->nwaits;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status) {
    RT_CALL();
    return cudaStreamGetCaptureInfo(s, status, NULL, NULL, NULL, NULL);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    RT_ENTER();
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed) return rt_end(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}
