/* executable.c: executable graphs.
**
** An executable graph is its operations in a topological order; a launch is one operation of the stream that runs
** them one after another: kernels use all cores anyway. */
#include "check/check.h"
#include "queue/event.h"
#include "queue/stream.h"
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

typedef struct GraphOp {
    RtOp op;
    size_t count;
    RtOp *ops[];
} GraphOp;

static RtHandles execs = RT_HANDLES;

bool rt_is_exec(cudaGraphExec_t e) { return rt_has_handle(&execs, e); }

/* Executable graphs that hold the memory of g: are there any? With `forget` they do no longer. */
typedef struct Holder {
    cudaGraph_t graph;
    bool forget, found;
} Holder;

static void look_for_memory(RtLink *l, void *data) {
    cudaGraphExec_t e = (cudaGraphExec_t)l;
    Holder *h = data;
    if (e->memory_of != h->graph) return;
    h->found = true;
    if (h->forget) e->memory_of = NULL;
}

static bool find_exec(cudaGraph_t g, bool forget) {
    Holder h = {g, forget, false};
    rt_visit_handles(&execs, look_for_memory, &h);
    return h.found;
}

void rt_forget_graph(cudaGraph_t g) { find_exec(g, true); }
static bool has_exec(cudaGraph_t g) { return find_exec(g, false); }

/* ---- steps ---- */

static size_t count_steps(cudaGraph_t g) {
    size_t n = g->count;
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->child) n += count_steps(g->nodes[i]->child);
    return n;
}

static bool deps_done(cudaGraphNode_t n, unsigned mark) {
    for (size_t d = 0; d < n->ndeps; d++)
        if (n->deps[d]->mark != mark) return false;
    return true;
}

/* Distinguishes graphs that have the same nodes with other dependencies. */
static uint64_t hash_deps(const struct CUgraphNode_st *n) {
    uint64_t h = n->ndeps;
    for (size_t d = 0; d < n->ndeps; d++) h += (n->deps[d]->order + 1) * 0x9e3779b97f4a7c15u;
    return h;
}

/* Where operations are checked: the steps that the one of n, which is next, depends on.  `inner`: steps of its child.
** What depends on nothing in a child depends on what its node does. */
static uint32_t *steps_before(cudaGraphNode_t n, const struct CUgraphNode_st *parent, size_t next, size_t inner) {
    const struct CUgraphNode_st *of = n->ndeps ? n : parent;
    size_t ndeps = of ? of->ndeps : 0;
    uint32_t *after = malloc((1 + ndeps + inner) * sizeof *after);
    if (!after) return NULL;
    after[0] = (uint32_t)(ndeps + inner);
    for (size_t d = 0; d < ndeps; d++) after[1 + d] = (uint32_t)(next - of->deps[d]->step);
    for (size_t i = 0; i < inner; i++) after[1 + ndeps + i] = (uint32_t)(i + 1);
    return after;
}

static cudaError_t append_node(cudaGraphNode_t n, const struct CUgraphNode_st *parent, RtStep *steps, size_t *count);

/* Appends the nodes in topological order, children included; an error if there is a cycle. */
static cudaError_t flatten(cudaGraph_t g, const struct CUgraphNode_st *parent, RtStep *steps, size_t *count) {
    unsigned mark = ++g->mark;
    for (size_t done = 0; done < g->count;) {
        size_t before = done;
        for (size_t i = 0; i < g->count; i++) {
            cudaGraphNode_t n = g->nodes[i];
            if (n->mark == mark || !deps_done(n, mark)) continue;
            n->mark = mark;
            n->order = done++;
            RT_TRY(append_node(n, parent, steps, count));
        }
        if (done == before) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t append_node(cudaGraphNode_t n, const struct CUgraphNode_st *parent, RtStep *steps, size_t *count) {
    RtOp *op = n->op;
    size_t first = *count;
    if (n->child) RT_TRY(flatten(n->child, n->ndeps ? n : parent, steps, count));
    if (op) rt_keep_op(op);
    if (n->type == cudaGraphNodeTypeConditional) RT_TRY(rt_conditional_op(n, &op));
    cudaEvent_t event = n->type == cudaGraphNodeTypeEventRecord ? n->params.eventRecord.event
                        : n->type == cudaGraphNodeTypeWaitEvent ? n->params.eventWait.event
                                                                : NULL;
    uint32_t *after = rt_orders() ? steps_before(n, parent, *count, *count - first) : NULL;
    n->step = *count;
    steps[(*count)++] = (RtStep){op, n, n->type, false, event, hash_deps(n), after};
    return cudaSuccess;
}

void rt_drop_steps(RtStep *steps, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (steps[i].op) rt_drop_op(steps[i].op);
    for (size_t i = 0; i < n; i++) free(steps[i].after);
    free(steps);
}

cudaError_t rt_make_steps(cudaGraph_t g, RtStep **out, size_t *count) {
    RtStep *steps = calloc(count_steps(g) + 2, sizeof *steps);
    *count = 0;
    if (!steps) return cudaErrorMemoryAllocation;
    *out = steps;
    cudaError_t error = flatten(g, NULL, steps, count);
    if (error) rt_drop_steps(steps, *count);
    return error;
}

/* Of a whole graph: first its conditions have their start values. */
static cudaError_t make_all_steps(cudaGraph_t g, RtStep **out, size_t *count) {
    RtOp *assign;
    RT_TRY(rt_make_steps(g, out, count));
    cudaError_t error = rt_assign_op(g, &assign);
    if (error) rt_drop_steps(*out, *count);
    if (error || !assign) return error;
    memmove(*out + 1, *out, *count * sizeof **out);
    **out = (RtStep){.op = assign, .type = cudaGraphNodeTypeEmpty};
    ++*count;
    return cudaSuccess;
}

/* ---- API ---- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
    RT_ENTER();
    if (!out || !rt_is_graph(g) || flags > 15) return rt_end(cudaErrorInvalidValue);
    bool memory = rt_graph_has_memory(g);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch || (memory && has_exec(g))) return rt_end(cudaErrorNotSupported);
    cudaGraphExec_t e = calloc(1, sizeof *e);
    if (!e) return rt_end(cudaErrorMemoryAllocation);
    cudaError_t error = make_all_steps(g, &e->steps, &e->count);
    if (!error && !rt_hold_all(&e->held, g->held)) {
        rt_drop_steps(e->steps, e->count);
        error = cudaErrorMemoryAllocation;
    }
    e->flags = flags;
    e->memory_of = memory ? g : NULL;
    if (error) {
        free(e);
        return rt_end(error);
    }
    rt_add_handle(&execs, &e->link);
    *out = e;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
    RT_CALL();
    return cudaGraphInstantiateWithFlags(out, g, flags);
}

static void destroy_exec(cudaGraphExec_t e) {
    rt_remove_handle(&execs, &e->link);
    rt_release_all(&e->held);
    rt_drop_steps(e->steps, e->count); /* launches that still run hold their own */
    free(e);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) {
    RT_ENTER();
    if (!rt_is_exec(e)) return rt_end(cudaErrorInvalidValue);
    destroy_exec(e);
    return cudaSuccess;
}

void rt_reset_execs(void) {
    for (RtLink *e; (e = rt_any_handle(&execs));) destroy_exec((cudaGraphExec_t)e);
}

static void run_graph(RtOp *op) {
    GraphOp *g = (GraphOp *)op;
    for (size_t i = 0; i < g->count; i++) rt_run_op(g->ops[i]);
}

static void drop_graph_op(RtOp *op) {
    GraphOp *g = (GraphOp *)op;
    for (size_t i = 0; i < g->count; i++) rt_drop_op(g->ops[i]);
}

/* One launch of an executable graph runs at a time, in whatever streams they are. */
static cudaError_t wait_for_last(cudaGraphExec_t e, cudaStream_t s) {
    if (!e->stream || e->stream == s) return cudaSuccess;
    return rt_enqueue_wait(s, e->stream, e->ticket);
}

static void run_step(const RtStep *s) {
    if (s->op && !s->disabled) rt_run_op(s->op);
}

/* Each step is an operation of its own, after those that it depends on. */
static void run_in_order(cudaGraphExec_t e, cudaStream_t s) {
    rt_order_after(rt_order_running(), e->order);
    uint32_t all = rt_order_running(), *ops = calloc(e->count + 1, sizeof *ops);
    for (size_t i = 0; i < e->count; i++) {
        const uint32_t *after = e->steps[i].after;
        uint32_t op = rt_order_new();
        rt_order_after(op, all);
        for (uint32_t k = 1; ops && after && k <= after[0]; k++) rt_order_after(op, ops[i - after[k]]);
        if (!after) all = op; /* what is not known is as it runs */
        rt_order_run(op);
        run_step(&e->steps[i]);
        if (ops) ops[i] = op;
    }
    uint32_t end = rt_order_new();
    for (size_t i = 0; ops && i < e->count; i++) rt_order_after(end, ops[i]);
    rt_order_stream(rt_stream(s), end);
    e->order = end;
    free(ops);
}

static cudaError_t launch(cudaGraphExec_t e, cudaStream_t s) {
    bool now;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (rt_stream(s)->capture) return rt_capture_exec(rt_stream(s), e);
    RT_TRY(rt_graph_claim(e));
    RT_TRY(wait_for_last(e, rt_stream(s)));
    for (size_t i = 0; i < e->count; i++) /* the whole graph waits, which is more than the node requires */
        if (e->steps[i].type == cudaGraphNodeTypeWaitEvent && !e->steps[i].disabled)
            RT_TRY(rt_event_wait(e->steps[i].event, s));
    RT_TRY(rt_begin_inline(s, &now));
    if (now) {
        if (rt_orders()) run_in_order(e, s);
        for (size_t i = 0; i < e->count && !rt_orders(); i++) run_step(&e->steps[i]);
        rt_end_inline(s);
        return cudaSuccess;
    }
    GraphOp *g = rt_new_op(sizeof *g + e->count * sizeof *g->ops, run_graph, drop_graph_op);
    if (!g) return cudaErrorMemoryAllocation;
    g->op.kind = cudaGraphNodeTypeGraph;
    g->op.always = true; /* each op decides for itself */
    g->count = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (!e->steps[i].op || e->steps[i].disabled) continue;
        rt_keep_op(e->steps[i].op);
        g->ops[g->count++] = e->steps[i].op;
    }
    uint64_t ticket;
    RT_TRY(rt_enqueue_ticket(s, &g->op, &ticket));
    if (ticket) e->stream = rt_stream(s), e->ticket = ticket;
    for (size_t i = 0; i < e->count && ticket; i++)
        if (e->steps[i].type == cudaGraphNodeTypeEventRecord && !e->steps[i].disabled)
            rt_event_pending(e->steps[i].event, rt_stream(s), ticket);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rt_is_exec(e) ? launch(e, s) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s) {
    RT_ENTER();
    return rt_end(rt_is_exec(e) && rt_stream(s) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- changing executable graphs ---- */

static cudaEvent_t event_of(const struct cudaGraphNodeParams *p) {
    return p->type == cudaGraphNodeTypeEventRecord ? p->eventRecord.event
           : p->type == cudaGraphNodeTypeWaitEvent ? p->eventWait.event
                                                   : NULL;
}

cudaError_t rt_set_step(cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaGraphNodeParams *p) {
    RtStep *step = NULL;
    RtOp *op;
    if (!rt_is_exec(e)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < e->count; i++)
        if (e->steps[i].node == node && e->steps[i].type == p->type) step = &e->steps[i];
    if (!step || !rt_is_node(node)) return cudaErrorInvalidValue;
    RT_TRY(rt_op_for_node(node, p, &op));
    if (step->op) rt_drop_op(step->op);
    step->op = op;
    step->event = event_of(p);
    return cudaSuccess;
}

static cudaGraphExecUpdateResultInfo compare(cudaGraphExec_t e, const RtStep *b, size_t n) {
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateSuccess};
    if (e->count != n) info.result = cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < n && !info.result; i++) {
        if (e->steps[i].type != b[i].type) info.result = cudaGraphExecUpdateErrorNodeTypeChanged;
        else if (e->steps[i].deps != b[i].deps) info.result = cudaGraphExecUpdateErrorTopologyChanged;
        if (info.result) info.errorNode = b[i].node;
    }
    return info;
}

/* The steps of a child graph precede its node's own. */
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node, cudaGraph_t child) {
    RT_ENTER();
    RtStep *steps = NULL;
    size_t n, at = 0;
    if (!rt_is_exec(e) || !rt_is_graph(child)) return rt_end(cudaErrorInvalidValue);
    while (at < e->count && (e->steps[at].node != node || e->steps[at].type != cudaGraphNodeTypeGraph)) at++;
    if (at == e->count) return rt_end(cudaErrorInvalidValue);
    RT_TRY(rt_end(rt_make_steps(child, &steps, &n)));
    bool same = rt_is_node(node) && n == count_steps(node->child) && n <= at;
    for (size_t i = 0; i < n && same; i++)
        same = e->steps[at - n + i].type == steps[i].type && e->steps[at - n + i].deps == steps[i].deps;
    for (size_t i = 0; i < n && same; i++) {
        RtStep *s = &e->steps[at - n + i];
        RtOp *op = s->op;
        s->op = steps[i].op;
        s->event = steps[i].event;
        steps[i].op = op;
    }
    rt_drop_steps(steps, n);
    return rt_end(same ? cudaSuccess : cudaErrorInvalidValue);
}

/* The nodes keep their identity: later changes still name those of the first graph. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info) {
    RT_ENTER();
    RtStep *steps = NULL;
    size_t n;
    if (!rt_is_exec(e) || !rt_is_graph(g)) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = make_all_steps(g, &steps, &n);
    if (error) return rt_end(error);
    cudaGraphExecUpdateResultInfo found = compare(e, steps, n);
    if (info) *info = found;
    for (size_t i = 0; i < n && !found.result; i++) {
        RtOp *op = e->steps[i].op;
        e->steps[i].op = steps[i].op;
        e->steps[i].event = steps[i].event;
        steps[i].op = op;
    }
    rt_drop_steps(steps, n);
    return rt_end(found.result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
