/* capture.c: stream capture: a stream's operations become nodes of a graph instead of running.
**
** The order in which the host issues operations is a topological order of the captured graph, so a
** capturing stream only keeps its last node and the nodes that it has been told to wait for since.
** A stream joins the capture by waiting for an event that was recorded in it, and must be joined
** back before the end. */
#include "graph/nodes.h"
#include <pthread.h>
#include <stdlib.h>

struct RtCapture {
    RtCapture *next;
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

static bool add_wait(Member *m, cudaGraphNode_t n) {
    for (size_t i = 0; i < m->nwaits; i++)
        if (m->waits[i] == n) return true;
    cudaGraphNode_t *grown = realloc(m->waits, (m->nwaits + 1) * sizeof *grown);
    if (!grown) return false;
    m->waits = grown;
    m->waits[m->nwaits++] = n;
    return true;
}

static void tell_event(cudaGraphNode_t n, enum cudaGraphNodeType type, const RtOp *op) {
    n->params.type = type;
    if (type == cudaGraphNodeTypeEventRecord) n->params.eventRecord.event = rt_event_of(op);
    if (type == cudaGraphNodeTypeWaitEvent) n->params.eventWait.event = rt_event_of(op);
    n->described = type == cudaGraphNodeTypeEventRecord || type == cudaGraphNodeTypeWaitEvent;
}

static cudaError_t append(RtCapture *c, Member *m, RtOp *op, enum cudaGraphNodeType type) {
    cudaGraphNode_t n;
    RT_TRY(rt_add_node(c->graph, op, type, m->waits, m->nwaits, &n));
    tell_event(n, type, op);
    n->attributes[cudaLaunchAttributePriority].priority = m->stream->priority;
    if (type == cudaGraphNodeTypeKernel) rt_tell_attributes(op, n->attributes);
    m->nwaits = 0;
    return add_wait(m, n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Owns op and child, also when it fails; one of them is NULL. */
static cudaError_t capture(cudaStream_t s, RtOp *op, cudaGraph_t child) {
    pthread_mutex_lock(&lock);
    RtCapture *c = s->capture;
    bool valid = c && !c->invalid;
    enum cudaGraphNodeType type = op ? (enum cudaGraphNodeType)op->kind : cudaGraphNodeTypeGraph;
    cudaError_t error = valid ? append(c, member(c, s), op, type) : cudaErrorStreamCaptureInvalidated;
    if (!valid && op) rt_drop_op(op);
    if (valid && error) c->invalid = true;
    if (!error && child) c->graph->nodes[c->graph->count - 1]->child = child;
    pthread_mutex_unlock(&lock);
    if (error && child) rt_free_graph(child);
    return error;
}

cudaError_t rt_capture_op(cudaStream_t s, RtOp *op) { return capture(s, op, NULL); }

/* The steps one behind the other.  A conditional one is known by its operation alone. */
static cudaError_t add_steps(cudaGraph_t g, const struct CUgraphExec_st *e) {
    cudaGraphNode_t last = NULL, n;
    for (size_t i = 0; i < e->count; i++) {
        const RtStep *step = &e->steps[i];
        enum cudaGraphNodeType type = step->type;
        if (type == cudaGraphNodeTypeGraph || step->disabled) continue; /* what is in it has steps of its own */
        if (type == cudaGraphNodeTypeConditional) type = cudaGraphNodeTypeEmpty;
        if (step->op) rt_keep_op(step->op);
        RT_TRY(rt_add_node(g, step->op, type, &last, last != NULL, &n));
        tell_event(n, type, step->op);
        last = n;
    }
    return cudaSuccess;
}

cudaError_t rt_capture_exec(cudaStream_t s, cudaGraphExec_t e) {
    cudaGraph_t child = rt_new_graph();
    if (!child) return cudaErrorMemoryAllocation;
    cudaError_t error = add_steps(child, e);
    if (!error) return capture(s, NULL, child);
    rt_free_graph(child);
    return error;
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

/* ---- events ---- */

static RtCapture *find(unsigned long long id) {
    RtCapture *c = captures;
    while (c && c->id != id) c = c->next;
    return c;
}

cudaError_t rt_capture_asked(unsigned long long id) {
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
    if (m && m->nwaits > 1) error = append(c, m, NULL, cudaGraphNodeTypeEmpty);
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
    if (!error && node) node->used = true;
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

static cudaError_t begin(cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t ndeps,
                         enum cudaStreamCaptureMode mode) {
    cudaStream_t s = rt_stream(handle);
    if (!s) return cudaErrorInvalidResourceHandle;
    if (!capturable(s)) return cudaErrorStreamCaptureUnsupported;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (s->capture) return cudaErrorIllegalState;
    RtCapture *c = calloc(1, sizeof *c);
    if (!c) return cudaErrorMemoryAllocation;
    c->own_graph = !graph;
    c->graph = graph ? graph : rt_new_graph();
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

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    return rt_end(begin(s, NULL, NULL, 0, mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps,
                                          const cudaGraphEdgeData *edges, size_t ndeps,
                                          enum cudaStreamCaptureMode mode) {
    RT_ENTER();
    (void)edges;
    if (!rt_is_graph(g) || (ndeps && !deps)) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < ndeps; i++)
        if (!rt_has_node(g, deps[i])) return rt_end(cudaErrorInvalidValue);
    return rt_end(begin(s, g, deps, ndeps, mode));
}

static bool is_loose(const Member *m) {
    for (size_t i = 0; i < m->nwaits; i++)
        if (!m->waits[i]->used) return true;
    return false;
}

static bool unjoined(const RtCapture *c) {
    for (const Member *m = c->members; m; m = m->next)
        if (m->stream != c->origin && is_loose(m)) return true;
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

/* out may be NULL where the program has the graph: of a capture into one.  All errors of the stream that began the capture end
** it, too. */
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
    if (error && c->own_graph) rt_free_graph(c->graph);
    free(c);
    return error;
}

/* lock held: what it leaves behind must have been joined back. */
static void leave(RtCapture *c, cudaStream_t s) {
    Member **link = &c->members;
    while ((*link)->stream != s) link = &(*link)->next;
    Member *m = *link;
    *link = m->next;
    if (is_loose(m)) c->invalid = true;
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
    if (c->own_graph) rt_free_graph(c->graph);
    free(c);
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out) {
    RT_ENTER();
    return rt_end(end(s, out));
}

/* ---- questions ---- */

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
        if (!rt_has_node(c->graph, deps[i])) error = cudaErrorInvalidValue;
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
