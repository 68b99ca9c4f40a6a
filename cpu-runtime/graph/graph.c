/* graph.c: CUDA graphs: nodes, instantiation, launch.  (Stream capture is in capture.c.)
**
** A node is an operation as streams queue it.  It is made by calling the ordinary function of the API with
** rt_recording set, so that a node is checked exactly as the call would be.  Operations do not change when they run
** and are counted, so graphs, clones and executable graphs share them. An executable graph is its operations in a
** topological order; a launch is one operation of the stream that runs them one after another: kernels use all cores
** anyway. */
#include "memory/copy.h"
#include "graph/nodes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct GraphOp {
    RtOp op;
    size_t count;
    RtOp *ops[];
} GraphOp;

RT_TLS RtOp **rt_recording;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cudaGraph_t graphs;
static cudaGraphExec_t execs;

/* ---- graphs and nodes ---- */

bool rt_is_graph(cudaGraph_t g) {
    pthread_mutex_lock(&lock);
    cudaGraph_t p = graphs;
    while (p && p != g) p = p->next;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

bool rt_is_exec(cudaGraphExec_t e) {
    pthread_mutex_lock(&lock);
    cudaGraphExec_t p = execs;
    while (p && p != e) p = p->next;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

cudaGraph_t rt_new_graph(void) {
    cudaGraph_t g = calloc(1, sizeof *g);
    if (!g) return NULL;
    pthread_mutex_lock(&lock);
    g->next = graphs;
    graphs = g;
    pthread_mutex_unlock(&lock);
    return g;
}

static void free_node(cudaGraphNode_t n) {
    if (n->op) rt_drop_op(n->op);
    if (n->child) rt_free_graph(n->child);
    for (unsigned i = 0; i < n->nbodies; i++) rt_free_graph(n->bodies[i]);
    free(n->bodies);
    free(n->deps);
    free(n);
}

void rt_free_graph(cudaGraph_t g) {
    pthread_mutex_lock(&lock);
    cudaGraph_t *p = &graphs;
    while (*p && *p != g) p = &(*p)->next;
    if (*p) *p = g->next;
    for (cudaGraphExec_t e = execs; e; e = e->next)
        if (e->memory_of == g) e->memory_of = NULL;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < g->count; i++) free_node(g->nodes[i]);
    rt_release_all(&g->held);
    rt_free_conditions(g);
    free(g->nodes);
    free(g);
}

bool rt_has_node(cudaGraph_t g, cudaGraphNode_t n) {
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i] == n) return true;
    return false;
}

static void put_dep(cudaGraphNode_t n, cudaGraphNode_t dep) {
    n->deps[n->ndeps++] = dep;
    dep->used = true;
}

bool rt_add_dep(cudaGraphNode_t n, cudaGraphNode_t dep) {
    cudaGraphNode_t *grown = realloc(n->deps, (n->ndeps + 1) * sizeof *grown);
    if (!grown) return false;
    n->deps = grown;
    put_dep(n, dep);
    return true;
}

/* A node of g with room for its dependencies; NULL, and g as it was, without memory. */
static cudaGraphNode_t new_node(cudaGraph_t g, size_t ndeps) {
    cudaGraphNode_t n = calloc(1, sizeof *n), *grown = NULL;
    if (n && (!ndeps || (n->deps = malloc(ndeps * sizeof *n->deps))))
        grown = realloc(g->nodes, (g->count + 1) * sizeof *grown);
    if (!grown) {
        if (n) free_node(n);
        return NULL;
    }
    g->nodes = grown;
    g->nodes[g->count++] = n;
    n->graph = g;
    return n;
}

/* Owns op, also when it fails. */
cudaError_t rt_add_node(cudaGraph_t g, RtOp *op, enum cudaGraphNodeType type, const cudaGraphNode_t *deps, size_t ndeps,
                        cudaGraphNode_t *out) {
    if (type == cudaGraphNodeTypeMemFree && rt_graph_frees(g, op)) {
        rt_drop_op(op);
        return cudaErrorInvalidValue;
    }
    cudaGraphNode_t n = new_node(g, ndeps);
    if (!n) {
        if (op) rt_drop_op(op);
        return cudaErrorMemoryAllocation;
    }
    n->op = op;
    n->type = type;
    for (size_t i = 0; i < ndeps; i++) put_dep(n, deps[i]);
    *out = n;
    return cudaSuccess;
}

static bool is_repeated(const cudaGraphNode_t *deps, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (deps[k] == deps[i]) return true;
    return false;
}

cudaError_t rt_add_checked(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps, RtOp *op,
                           enum cudaGraphNodeType type) {
    cudaError_t error = !out || !rt_is_graph(g) || (ndeps && !deps) ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < ndeps && !error; i++)
        if (!rt_has_node(g, deps[i]) || is_repeated(deps, i)) error = cudaErrorInvalidValue;
    if (!error) return rt_add_node(g, op, type, deps, ndeps, out);
    if (op) rt_drop_op(op);
    return error;
}

/* ---- operations from parameters ---- */

#define RECORD(op, call)                                                                                               \
    do {                                                                                                               \
        *(op) = NULL;                                                                                                  \
        rt_recording = (op);                                                                                           \
        cudaError_t record_ = (call);                                                                                  \
        rt_recording = NULL;                                                                                           \
        RT_TRY(record_);                                                                                               \
    } while (0)

static cudaError_t kernel_op(const struct cudaKernelNodeParams *p, RtOp **op) {
    if (!p) return cudaErrorInvalidValue;
    void **unpacked = NULL;
    if (p->extra) {
        RtKernel *k;
        if (p->kernelParams) return cudaErrorInvalidValue;
        RT_TRY(rt_find_kernel(p->func, &k));
        RT_TRY(rt_unpack_params(k->abi, p->extra, &unpacked));
    }
    *op = NULL;
    rt_recording = op;
    cudaError_t error = rt_launch(p->func, p->gridDim, p->blockDim, unpacked ? unpacked : p->kernelParams,
                                  p->sharedMemBytes, NULL, NULL);
    rt_recording = NULL;
    free(unpacked);
    return error == cudaErrorInvalidConfiguration || error == cudaErrorLaunchOutOfResources ? cudaErrorInvalidValue
                                                                                            : error;
}

static cudaError_t copy_op(const struct cudaMemcpy3DParms *p, RtOp **op) {
    RECORD(op, rt_copy_3d(p, NULL, false));
    return *op ? cudaSuccess : cudaErrorInvalidValue; /* unlike a call, a node must have something to do */
}

static cudaError_t fill_op(const struct cudaMemsetParams *p, RtOp **op) {
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return cudaErrorInvalidValue;
    RECORD(op, rt_fill(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, NULL));
    return *op ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t host_op(const struct cudaHostNodeParams *p, RtOp **op) {
    if (!p) return cudaErrorInvalidValue;
    RECORD(op, cudaLaunchHostFunc(NULL, p->fn, p->userData));
    return cudaSuccess;
}

/* ---- API: graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags) {
    RT_ENTER();
    if (!out || flags) return rt_end(cudaErrorInvalidValue);
    *out = rt_new_graph();
    return rt_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphDestroy(cudaGraph_t g) {
    RT_ENTER();
    if (!rt_is_graph(g)) return rt_end(cudaErrorInvalidValue);
    rt_free_graph(g);
    return cudaSuccess;
}

static cudaGraphNode_t twin(cudaGraph_t to, cudaGraph_t from, cudaGraphNode_t n) {
    for (size_t i = 0; i < from->count; i++)
        if (from->nodes[i] == n) return to->nodes[i];
    return NULL;
}

static bool describe_twin(cudaGraphNode_t m, cudaGraphNode_t n) {
    m->origin = n;
    m->described = n->described;
    m->params = n->params;
    memcpy(m->attributes, n->attributes, sizeof m->attributes);
    return true;
}

static cudaGraph_t clone(cudaGraph_t g);

static bool clone_inner(cudaGraphNode_t m, cudaGraphNode_t n) {
    if (n->child && !(m->child = clone(n->child))) return false;
    if (n->nbodies && !(m->bodies = calloc(n->nbodies, sizeof(cudaGraph_t)))) return false;
    for (; m->nbodies < n->nbodies; m->nbodies++)
        if (!(m->bodies[m->nbodies] = clone(n->bodies[m->nbodies]))) return false;
    return true;
}

static cudaGraph_t clone(cudaGraph_t g) {
    cudaGraph_t c = rt_new_graph();
    if (c && !(rt_hold_all(&c->held, g->held) && rt_share_conditions(c, g))) {
        rt_free_graph(c);
        return NULL;
    }
    for (size_t i = 0; c && i < g->count; i++) {
        cudaGraphNode_t n = g->nodes[i], m;
        if (n->op) rt_keep_op(n->op);
        if (rt_add_node(c, n->op, n->type, NULL, 0, &m) || !describe_twin(m, n) || !clone_inner(m, n)) {
            rt_free_graph(c);
            return NULL;
        }
    }
    for (size_t i = 0; c && i < g->count; i++)
        for (size_t d = 0; d < g->nodes[i]->ndeps; d++)
            if (!rt_add_dep(c->nodes[i], twin(c, g, g->nodes[i]->deps[d]))) {
                rt_free_graph(c);
                return NULL;
            }
    return c;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t g) {
    RT_ENTER();
    if (!out || !rt_is_graph(g)) return rt_end(cudaErrorInvalidValue);
    if (rt_graph_has_memory(g)) return rt_end(cudaErrorNotSupported);
    *out = clone(g);
    return rt_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* ---- API: nodes ---- */

cudaError_t rt_node_op(const struct cudaGraphNodeParams *p, RtOp **op) {
    *op = NULL;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return kernel_op(&p->kernel, op);
    case cudaGraphNodeTypeMemcpy: return copy_op(&p->memcpy.copyParams, op);
    case cudaGraphNodeTypeMemset: return fill_op(&p->memset, op);
    case cudaGraphNodeTypeHost: return host_op(&p->host, op);
    case cudaGraphNodeTypeEventRecord: return rt_event_op(p->eventRecord.event, true, op);
    case cudaGraphNodeTypeWaitEvent: return rt_event_op(p->eventWait.event, false, op);
    case cudaGraphNodeTypeMemFree: return rt_graph_free_op(p->free.dptr, op);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    default: return cudaErrorNotSupported;
    }
}

static cudaError_t add_op(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                          const struct cudaGraphNodeParams *p, RtOp *op) {
    RT_TRY(rt_add_checked(out, g, deps, ndeps, op, p->type));
    (*out)->params = *p;
    (*out)->described = true;
    return cudaSuccess;
}

cudaError_t rt_add_described(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                             const struct cudaGraphNodeParams *p) {
    RtOp *op;
    if (!out || !rt_is_graph(g)) return cudaErrorInvalidValue;
    RT_TRY(rt_node_op(p, &op));
    return add_op(out, g, deps, ndeps, p, op);
}

#define ADD(...)                                                                                                       \
    RT_ENTER();                                                                                                        \
    if (!p) return rt_end(cudaErrorInvalidValue);                                                                      \
    struct cudaGraphNodeParams all = {__VA_ARGS__};                                                                    \
    return rt_end(rt_add_described(out, g, deps, ndeps, &all))

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaKernelNodeParams *p) {
    ADD(.type = cudaGraphNodeTypeKernel, .kernel = *p);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemcpy3DParms *p) {
    ADD(.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *p});
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemsetParams *p) {
    ADD(.type = cudaGraphNodeTypeMemset, .memset = *p);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaHostNodeParams *p) {
    ADD(.type = cudaGraphNodeTypeHost, .host = *p);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                        cudaEvent_t p) {
    ADD(.type = cudaGraphNodeTypeEventRecord, .eventRecord = {p});
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                      cudaEvent_t p) {
    ADD(.type = cudaGraphNodeTypeWaitEvent, .eventWait = {p});
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                    void *p) {
    ADD(.type = cudaGraphNodeTypeMemFree, .free = {p});
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                     struct cudaMemAllocNodeParams *p) {
    RT_ENTER();
    RtOp *op;
    if (!out || !rt_is_graph(g) || !p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id)
        return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_graph_alloc_op(&p->dptr, p->bytesize, &op);
    struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeMemAlloc, .alloc = *p};
    return rt_end(error ? error : add_op(out, g, deps, ndeps, &all, op));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps) {
    struct cudaGraphNodeParams all = {.type = cudaGraphNodeTypeEmpty};
    RT_ENTER();
    return rt_end(rt_add_described(out, g, deps, ndeps, &all));
}

struct cudaGraphNodeParams rt_params_1d(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms c = {
        .srcPtr = {(void *)(uintptr_t)src, n, n, 1}, .dstPtr = {dst, n, n, 1}, .extent = {n, 1, 1}, .kind = kind};
    return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = c}};
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                     void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
    RT_ENTER();
    struct cudaGraphNodeParams all = rt_params_1d(dst, src, n, kind);
    return rt_end(rt_add_described(out, g, deps, ndeps, &all));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                                       cudaGraph_t child) {
    RT_ENTER();
    if (!rt_is_graph(child) || child == g) return rt_end(cudaErrorInvalidValue);
    if (rt_graph_has_memory(child)) return rt_end(cudaErrorNotSupported);
    cudaGraph_t copy = clone(child);
    if (!copy) return rt_end(cudaErrorMemoryAllocation);
    cudaError_t error = rt_add_checked(out, g, deps, ndeps, NULL, cudaGraphNodeTypeGraph);
    if (error) rt_free_graph(copy);
    else (*out)->child = copy;
    return rt_end(error);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                             struct cudaGraphNodeParams *p) {
    RT_ENTER();
    if (!p) return rt_end(cudaErrorInvalidValue);
    if (p->type == cudaGraphNodeTypeGraph) return cudaGraphAddChildGraphNode(out, g, deps, ndeps, p->graph.graph);
    if (p->type == cudaGraphNodeTypeConditional) return rt_end(rt_add_conditional(out, g, deps, ndeps, p));
    if (p->type == cudaGraphNodeTypeMemAlloc) return cudaGraphAddMemAllocNode(out, g, deps, ndeps, &p->alloc);
    return rt_end(rt_add_described(out, g, deps, ndeps, p));
}

static cudaError_t add_edge(cudaGraph_t g, cudaGraphNode_t from, cudaGraphNode_t to) {
    if (!rt_has_node(g, from) || !rt_has_node(g, to) || from == to) return cudaErrorInvalidValue;
    for (size_t d = 0; d < to->ndeps; d++)
        if (to->deps[d] == from) return cudaErrorInvalidValue;
    return rt_add_dep(to, from) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* All or none. */
cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
    RT_ENTER();
    if (!rt_is_graph(g) || (n && (!from || !to))) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        cudaError_t error = add_edge(g, from[i], to[i]);
        if (!error) continue;
        while (i--) to[i]->ndeps--;
        return rt_end(error);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    RT_ENTER();
    cudaGraph_t g = node ? node->graph : NULL;
    if (!rt_is_graph(g) || !rt_has_node(g, node)) return rt_end(cudaErrorInvalidValue);
    if (rt_graph_has_memory(g)) return rt_end(cudaErrorNotSupported);
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        cudaGraphNode_t n = g->nodes[i];
        size_t left = 0;
        for (size_t d = 0; d < n->ndeps; d++)
            if (n->deps[d] != node) n->deps[left++] = n->deps[d];
        n->ndeps = left;
        if (n != node) g->nodes[kept++] = n;
    }
    g->count = kept;
    free_node(node);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    RT_ENTER();
    if (!node || !type) return rt_end(cudaErrorInvalidValue);
    *type = node->type;
    return cudaSuccess;
}

static cudaError_t list_nodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *count, bool roots) {
    if (!rt_is_graph(g) || !count) return cudaErrorInvalidValue;
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (roots && g->nodes[i]->ndeps) continue;
        if (nodes && n < *count) nodes[n] = g->nodes[i];
        n++;
    }
    for (size_t i = n; nodes && i < *count; i++) nodes[i] = NULL;
    if (!nodes || n < *count) *count = n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *count) {
    RT_ENTER();
    return rt_end(list_nodes(g, nodes, count, false));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *count) {
    RT_ENTER();
    return rt_end(list_nodes(g, nodes, count, true));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    RT_ENTER();
    if (!rt_is_graph(g) || !count || !from != !to) return rt_end(cudaErrorInvalidValue);
    size_t n = 0;
    for (size_t i = 0; i < g->count; i++)
        for (size_t d = 0; d < g->nodes[i]->ndeps; d++, n++)
            if (from && n < *count) {
                from[n] = g->nodes[i]->deps[d];
                to[n] = g->nodes[i];
            }
    if (!from || n < *count) *count = n;
    return cudaSuccess;
}

/* The clusters that the node's attributes name; all 0: none. */
static RtHow how_of(cudaGraphNode_t node) {
    const cudaLaunchAttributeValue *a = node->attributes;
    return (RtHow){.cooperative = a[cudaLaunchAttributeCooperative].cooperative,
                   .cluster = {a[cudaLaunchAttributeClusterDimension].clusterDim.x,
                               a[cudaLaunchAttributeClusterDimension].clusterDim.y,
                               a[cudaLaunchAttributeClusterDimension].clusterDim.z}};
}

static cudaError_t relaunch(const RtHow *how, RtOp **op) {
    RtOp *made;
    RT_TRY(rt_relaunch_op(*op, how, &made));
    rt_drop_op(*op);
    *op = made;
    return cudaSuccess;
}

cudaError_t rt_apply_attributes(cudaGraphNode_t node, bool cooperative, RtOp **op) {
    RtHow how = how_of(node);
    if (!cooperative) how.cooperative = rt_op_is_cooperative(*op);
    return relaunch(&how, op);
}

/* A new operation for the node, as its attributes want it. */
static cudaError_t op_for(cudaGraphNode_t node, const struct cudaGraphNodeParams *p, RtOp **op) {
    RT_TRY(rt_node_op(p, op));
    RtHow how = how_of(node);
    if (p->type != cudaGraphNodeTypeKernel || !(how.cooperative || how.cluster[0] || how.cluster[1] || how.cluster[2]))
        return cudaSuccess;
    cudaError_t error = relaunch(&how, op);
    if (error) rt_drop_op(*op);
    return error;
}

cudaError_t rt_set_node(cudaGraphNode_t node, const struct cudaGraphNodeParams *p) {
    RtOp *op;
    if (!node || node->type != p->type || p->type == cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
    RT_TRY(op_for(node, p, &op));
    if (node->op) rt_drop_op(node->op);
    node->op = op;
    node->params = *p;
    node->described = true;
    return cudaSuccess;
}

/* ---- executable graphs ---- */

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

/* Tells graphs apart that have the same nodes with other dependencies. */
static uint64_t hash_deps(const struct CUgraphNode_st *n) {
    uint64_t h = n->ndeps;
    for (size_t d = 0; d < n->ndeps; d++) h += (n->deps[d]->place + 1) * 0x9e3779b97f4a7c15u;
    return h;
}

static cudaError_t append_node(cudaGraphNode_t n, RtStep *steps, size_t *count);

/* Appends the nodes in topological order, children in place; an error if there is a cycle. */
static cudaError_t flatten(cudaGraph_t g, RtStep *steps, size_t *count) {
    unsigned mark = ++g->mark;
    for (size_t done = 0; done < g->count;) {
        size_t before = done;
        for (size_t i = 0; i < g->count; i++) {
            cudaGraphNode_t n = g->nodes[i];
            if (n->mark == mark || !deps_done(n, mark)) continue;
            n->mark = mark;
            n->place = done++;
            RT_TRY(append_node(n, steps, count));
        }
        if (done == before) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t append_node(cudaGraphNode_t n, RtStep *steps, size_t *count) {
    RtOp *op = n->op;
    if (n->child) RT_TRY(flatten(n->child, steps, count));
    if (op) rt_keep_op(op);
    if (n->type == cudaGraphNodeTypeConditional) RT_TRY(rt_conditional_op(n, &op));
    cudaEvent_t event = n->type == cudaGraphNodeTypeEventRecord ? n->params.eventRecord.event
                        : n->type == cudaGraphNodeTypeWaitEvent ? n->params.eventWait.event
                                                                : NULL;
    steps[(*count)++] = (RtStep){op, n, n->type, false, event, hash_deps(n)};
    return cudaSuccess;
}

void rt_drop_steps(RtStep *steps, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (steps[i].op) rt_drop_op(steps[i].op);
    free(steps);
}

cudaError_t rt_make_steps(cudaGraph_t g, RtStep **out, size_t *count) {
    RtStep *steps = calloc(count_steps(g) + 2, sizeof *steps);
    *count = 0;
    if (!steps) return cudaErrorMemoryAllocation;
    *out = steps;
    cudaError_t error = flatten(g, steps, count);
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

static bool has_exec(cudaGraph_t g) {
    pthread_mutex_lock(&lock);
    cudaGraphExec_t e = execs;
    while (e && e->memory_of != g) e = e->next;
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

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
    pthread_mutex_lock(&lock);
    e->next = execs;
    execs = e;
    pthread_mutex_unlock(&lock);
    *out = e;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(out, g, flags);
}

static void destroy_exec(cudaGraphExec_t e) {
    pthread_mutex_lock(&lock);
    cudaGraphExec_t *p = &execs;
    while (*p != e) p = &(*p)->next;
    *p = e->next;
    pthread_mutex_unlock(&lock);
    rt_release_all(&e->held);
    rt_drop_steps(e->steps, e->count); /* launches under way hold their own */
    free(e);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) {
    RT_ENTER();
    if (!rt_is_exec(e)) return rt_end(cudaErrorInvalidValue);
    destroy_exec(e);
    return cudaSuccess;
}

void rt_reset_execs(void) {
    while (execs) destroy_exec(execs);
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

static cudaError_t launch(cudaGraphExec_t e, cudaStream_t s) {
    bool now;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (rt_stream(s)->capture) return rt_capture_exec(rt_stream(s), e);
    RT_TRY(rt_graph_claim(e));
    RT_TRY(wait_for_last(e, rt_stream(s)));
    for (size_t i = 0; i < e->count; i++) /* the whole graph waits, which is more than the node asks */
        if (e->steps[i].type == cudaGraphNodeTypeWaitEvent && !e->steps[i].disabled)
            RT_TRY(rt_event_wait(e->steps[i].event, s));
    RT_TRY(rt_begin_inline(s, &now));
    if (now) {
        for (size_t i = 0; i < e->count; i++)
            if (e->steps[i].op && !e->steps[i].disabled) rt_run_op(e->steps[i].op);
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
    if (!step) return cudaErrorInvalidValue;
    RT_TRY(op_for(node, p, &op));
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

/* The steps of a child graph stand in front of its node's own. */
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node, cudaGraph_t child) {
    RT_ENTER();
    RtStep *steps;
    size_t n, at = 0;
    if (!rt_is_exec(e) || !rt_is_graph(child)) return rt_end(cudaErrorInvalidValue);
    while (at < e->count && (e->steps[at].node != node || e->steps[at].type != cudaGraphNodeTypeGraph)) at++;
    if (at == e->count) return rt_end(cudaErrorInvalidValue);
    RT_TRY(rt_end(rt_make_steps(child, &steps, &n)));
    bool same = n == count_steps(node->child) && n <= at;
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
    RtStep *steps;
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
