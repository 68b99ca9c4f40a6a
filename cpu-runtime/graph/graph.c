/* graph.c: CUDA graphs: what they consist of.
**
** A node is an operation as streams queue it.  Operations do not change when they run and are counted, so graphs,
** clones and executable graphs share them. */
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

static RtHandles graphs = RT_HANDLES, all_nodes = RT_HANDLES;

/* ---- graphs and nodes ---- */

bool rt_is_node(cudaGraphNode_t n) { return rt_has_handle(&all_nodes, n); }
bool rt_is_graph(cudaGraph_t g) { return rt_has_handle(&graphs, g); }

cudaGraph_t rt_new_graph(void) {
    cudaGraph_t g = calloc(1, sizeof *g);
    if (g) rt_add_handle(&graphs, &g->link);
    return g;
}

static void free_node(cudaGraphNode_t n) {
    rt_remove_handle(&all_nodes, &n->link);
    if (n->op) rt_drop_op(n->op);
    if (n->child) rt_free_graph(n->child);
    for (unsigned i = 0; i < n->nbodies; i++) rt_free_graph(n->bodies[i]);
    free(n->bodies);
    free(n->deps);
    free(n);
}

void rt_free_graph(cudaGraph_t g) {
    rt_remove_handle(&graphs, &g->link);
    rt_forget_graph(g);
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
    rt_add_handle(&all_nodes, &n->link);
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

/* ---- API ---- */

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

static bool clone_inner(cudaGraphNode_t m, cudaGraphNode_t n) {
    if (n->child && !(m->child = rt_clone_graph(n->child))) return false;
    if (n->nbodies && !(m->bodies = calloc(n->nbodies, sizeof(cudaGraph_t)))) return false;
    for (; m->nbodies < n->nbodies; m->nbodies++)
        if (!(m->bodies[m->nbodies] = rt_clone_graph(n->bodies[m->nbodies]))) return false;
    return true;
}

cudaGraph_t rt_clone_graph(cudaGraph_t g) {
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
    *out = rt_clone_graph(g);
    return rt_end(*out ? cudaSuccess : cudaErrorMemoryAllocation);
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
    cudaGraph_t g = rt_is_node(node) ? node->graph : NULL;
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
    if (!rt_is_node(node) || !type) return rt_end(cudaErrorInvalidValue);
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
