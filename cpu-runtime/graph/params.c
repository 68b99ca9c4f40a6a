/* params.c: parameters of nodes of graphs and of executable graphs.
**
** Captured nodes get theirs at the first query, from the operation. */
#include "program/program.h"
#include "queue/event.h"
#include "queue/launch.h"
#include "memory/copy.h"
#include "graph/graph.h"
#include <stdio.h>
#include <string.h>

static bool describe(cudaGraphNode_t node) {
    struct cudaGraphNodeParams p = {.type = node->type};
    bool known = node->type == cudaGraphNodeTypeMemcpy   ? rt_copy_params(node->op, &p.memcpy.copyParams)
                 : node->type == cudaGraphNodeTypeMemset ? rt_fill_params(node->op, &p.memset)
                 : node->type == cudaGraphNodeTypeHost   ? rt_host_params(node->op, &p.host)
                                                         : false;
    if (known) node->params = p;
    return node->described = known;
}

static const struct cudaGraphNodeParams *described(cudaGraphNode_t node, enum cudaGraphNodeType type) {
    return rt_is_node(node) && node->type == type && (node->described || describe(node)) ? &node->params : NULL;
}

/* ---- queries ---- */

#define GET(kind, type_, member)                                                                                       \
    RT_ENTER();                                                                                                        \
    const struct cudaGraphNodeParams *all = described(node, type_);                                                    \
    if (!out || !all) return rt_end(cudaErrorInvalidValue);                                                            \
    *out = all->member;                                                                                                \
    return cudaSuccess

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
    RT_ENTER();
    if (!out || !rt_is_node(node) || node->type != cudaGraphNodeTypeKernel) return rt_end(cudaErrorInvalidValue);
    rt_kernel_params(node->op, out);
    return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out) {
    GET(copy, cudaGraphNodeTypeMemcpy, memcpy.copyParams);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out) {
    GET(fill, cudaGraphNodeTypeMemset, memset);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out) {
    GET(host, cudaGraphNodeTypeHost, host);
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
    GET(event, cudaGraphNodeTypeEventRecord, eventRecord.event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *out) {
    GET(event, cudaGraphNodeTypeWaitEvent, eventWait.event);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *out) {
    GET(alloc, cudaGraphNodeTypeMemAlloc, alloc);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p) {
    void **out = p;
    GET(release, cudaGraphNodeTypeMemFree, free.dptr);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out) {
    RT_ENTER();
    if (!out || !rt_is_node(node) || node->type != cudaGraphNodeTypeGraph) return rt_end(cudaErrorInvalidValue);
    *out = node->child;
    return cudaSuccess;
}

/* ---- changing nodes, and nodes of executable graphs ---- */

#define SET(...)                                                                                                       \
    RT_ENTER();                                                                                                        \
    if (!p) return rt_end(cudaErrorInvalidValue);                                                                      \
    struct cudaGraphNodeParams all = {__VA_ARGS__};                                                                    \
    return rt_end(rt_set_node(node, &all))
#define SET_EXEC(...)                                                                                                  \
    RT_ENTER();                                                                                                        \
    if (!p) return rt_end(cudaErrorInvalidValue);                                                                      \
    struct cudaGraphNodeParams all = {__VA_ARGS__};                                                                    \
    return rt_end(rt_set_step(e, node, &all))
#define KERNEL .type = cudaGraphNodeTypeKernel, .kernel = *p
#define MEMCPY .type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *p}
#define MEMSET .type = cudaGraphNodeTypeMemset, .memset = *p
#define HOST .type = cudaGraphNodeTypeHost, .host = *p
#define RECORD .type = cudaGraphNodeTypeEventRecord, .eventRecord = {p}
#define WAIT .type = cudaGraphNodeTypeWaitEvent, .eventWait = {p}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *p) { SET(KERNEL); }
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p) { SET(MEMCPY); }
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p) { SET(MEMSET); }
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p) { SET(HOST); }
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t p) { SET(RECORD); }
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t p) { SET(WAIT); }
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    RT_ENTER();
    return rt_end(p ? rt_set_node(node, p) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
    SET_EXEC(KERNEL);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p) {
    SET_EXEC(MEMCPY);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p) {
    SET_EXEC(MEMSET);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p) {
    SET_EXEC(HOST);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t e, cudaGraphNode_t node, cudaEvent_t p) {
    SET_EXEC(RECORD);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t e, cudaGraphNode_t node, cudaEvent_t p) {
    SET_EXEC(WAIT);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    RT_ENTER();
    return rt_end(p ? rt_set_step(e, node, p) : cudaErrorInvalidValue);
}

/* ---- copies with other parameters ---- */

static cudaError_t symbol_place(const void *symbol, size_t offset, size_t n, char **out) {
    void *address;
    size_t size;
    RT_TRY(rt_find_symbol(symbol, &address, &size));
    if (offset > size || n > size - offset) return cudaErrorInvalidValue;
    *out = (char *)address + offset;
    return cudaSuccess;
}

#define FROM_1D(call)                                                                                                  \
    RT_ENTER();                                                                                                        \
    struct cudaGraphNodeParams all = rt_params_1d(dst, src, n, kind);                                                  \
    return rt_end(call)
#define TO_SYMBOL(call)                                                                                                \
    RT_ENTER();                                                                                                        \
    char *dst;                                                                                                         \
    cudaError_t error = symbol_place(symbol, offset, n, &dst);                                                         \
    if (error) return rt_end(error);                                                                                   \
    struct cudaGraphNodeParams all = rt_params_1d(dst, src, n, kind);                                                  \
    return rt_end(call)
#define FROM_SYMBOL(call)                                                                                              \
    RT_ENTER();                                                                                                        \
    char *src;                                                                                                         \
    cudaError_t error = symbol_place(symbol, offset, n, &src);                                                         \
    if (error) return rt_end(error);                                                                                   \
    struct cudaGraphNodeParams all = rt_params_1d(dst, src, n, kind);                                                  \
    return rt_end(call)

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t n,
                                           enum cudaMemcpyKind kind) {
    FROM_1D(rt_set_node(node, &all));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t e, cudaGraphNode_t node, void *dst, const void *src,
                                               size_t n, enum cudaMemcpyKind kind) {
    FROM_1D(rt_set_step(e, node, &all));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                           size_t ndeps, const void *symbol, const void *src, size_t n, size_t offset,
                                           enum cudaMemcpyKind kind) {
    TO_SYMBOL(rt_add_described(out, g, deps, ndeps, &all));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps,
                                             size_t ndeps, void *dst, const void *symbol, size_t n, size_t offset,
                                             enum cudaMemcpyKind kind) {
    FROM_SYMBOL(rt_add_described(out, g, deps, ndeps, &all));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t n,
                                                 size_t offset, enum cudaMemcpyKind kind) {
    TO_SYMBOL(rt_set_node(node, &all));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t n,
                                                   size_t offset, enum cudaMemcpyKind kind) {
    FROM_SYMBOL(rt_set_node(node, &all));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t e, cudaGraphNode_t node, const void *symbol,
                                                     const void *src, size_t n, size_t offset,
                                                     enum cudaMemcpyKind kind) {
    TO_SYMBOL(rt_set_step(e, node, &all));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t e, cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t n, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    FROM_SYMBOL(rt_set_step(e, node, &all));
}

/* ---- attributes of kernel nodes: kept and returned; only whether the launch is cooperative, and its
 * clusters, have an effect ---- */

static bool has_attribute(cudaGraphNode_t node, cudaLaunchAttributeID id) {
    return rt_is_node(node) && node->type == cudaGraphNodeTypeKernel && (unsigned)id < RT_COUNT(node->attributes);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
    RT_ENTER();
    if (!value || !has_attribute(node, id)) return rt_end(cudaErrorInvalidValue);
    cudaLaunchAttributeValue before = node->attributes[id];
    node->attributes[id] = *value;
    if (id != cudaLaunchAttributeCooperative && id != cudaLaunchAttributeClusterDimension) return cudaSuccess;
    cudaError_t error = rt_apply_attributes(node, id == cudaLaunchAttributeCooperative, &node->op);
    if (error) node->attributes[id] = before;
    return rt_end(error);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
    RT_ENTER();
    if (!value || !has_attribute(node, id)) return rt_end(cudaErrorInvalidValue);
    *value = node->attributes[id];
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    RT_ENTER();
    if (!has_attribute(to, cudaLaunchAttributeIgnore) || !has_attribute(from, cudaLaunchAttributeIgnore))
        return rt_end(cudaErrorInvalidValue);
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    return rt_end(rt_apply_attributes(to, true, &to->op));
}

/* ---- shape ---- */

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t original, cudaGraph_t clone) {
    RT_ENTER();
    if (!out || !original || !rt_is_graph(clone)) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < clone->count; i++)
        if (clone->nodes[i]->origin == original) {
            *out = clone->nodes[i];
            return cudaSuccess;
        }
    return rt_end(cudaErrorInvalidValue);
}

static void put(cudaGraphNode_t *list, size_t room, size_t *n, cudaGraphNode_t node) {
    if (list && *n < room) list[*n] = node;
    ++*n;
}

static cudaError_t finish(cudaGraphNode_t *list, size_t *count, size_t n) {
    for (size_t i = n; list && i < *count; i++) list[i] = NULL;
    if (!list || n < *count) *count = n;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count) {
    RT_ENTER();
    size_t n = 0;
    if (!rt_is_node(node) || !count) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < node->ndeps; i++) put(list, *count, &n, node->deps[i]);
    return finish(list, count, n);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count) {
    RT_ENTER();
    size_t n = 0;
    if (!rt_is_node(node) || !count || !rt_is_graph(node->graph)) return rt_end(cudaErrorInvalidValue);
    for (size_t i = 0; i < node->graph->count; i++) {
        cudaGraphNode_t other = node->graph->nodes[i];
        for (size_t d = 0; d < other->ndeps; d++)
            if (other->deps[d] == node) put(list, *count, &n, other);
    }
    return finish(list, count, n);
}

static bool remove_dep(cudaGraphNode_t node, cudaGraphNode_t dep) {
    for (size_t d = 0; d < node->ndeps; d++)
        if (node->deps[d] == dep) {
            node->deps[d] = node->deps[--node->ndeps];
            return true;
        }
    return false;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t n) {
    RT_ENTER();
    if (!rt_is_graph(g) || (n && (!from || !to))) return rt_end(cudaErrorInvalidValue);
    if (n && rt_graph_has_memory(g)) return rt_end(cudaErrorNotSupported);
    for (size_t i = 0; i < n; i++)
        if (!rt_has_node(g, from[i]) || !rt_has_node(g, to[i]) || !remove_dep(to[i], from[i]))
            return rt_end(cudaErrorInvalidValue);
    return cudaSuccess;
}

static const char *node_label(cudaGraphNode_t n) {
    static const char *const names[] = {
        "KERNEL",       "MEMCPY",           "MEMSET",         "HOST",      "GRAPH",    "EMPTY",        "WAIT_EVENT",
        "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "CONDITIONAL"};
    const char *kernel;
    struct cudaKernelNodeParams p;
    if ((unsigned)n->type >= RT_COUNT(names)) return "?";
    if (n->type != cudaGraphNodeTypeKernel) return names[n->type];
    rt_kernel_params(n->op, &p);
    return cudaFuncGetName(&kernel, p.func) ? names[0] : kernel;
}

static size_t place_in(cudaGraph_t g, cudaGraphNode_t n) {
    size_t i = 0;
    while (g->nodes[i] != n) i++;
    return i;
}

/* A cluster for each graph, those of children and bodies inside; *count graphs were printed before.
 */
static void print_graph(FILE *f, cudaGraph_t g, unsigned *count) {
    unsigned id = ++*count;
    fprintf(f, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", id, id);
    for (size_t i = 0; i < g->count; i++)
        fprintf(f, "\"graph_%u_node_%zu\"[style=\"solid\" shape=\"rectangle\" label=\"%zu\\n%s\"];\n", id, i, i,
                node_label(g->nodes[i]));
    for (size_t i = 0; i < g->count; i++)
        for (size_t d = 0; d < g->nodes[i]->ndeps; d++)
            fprintf(f, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", id, place_in(g, g->nodes[i]->deps[d]), id,
                    i);
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->child) print_graph(f, g->nodes[i]->child, count);
        for (unsigned k = 0; k < g->nodes[i]->nbodies; k++) print_graph(f, g->nodes[i]->bodies[k], count);
    }
    fprintf(f, "}\n");
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t g, const char *path, unsigned flags) {
    RT_ENTER();
    (void)flags;
    if (!rt_is_graph(g) || !path) return rt_end(cudaErrorInvalidValue);
    FILE *f = fopen(path, "w");
    if (!f) return rt_end(cudaErrorOperatingSystem);
    unsigned count = 0;
    fprintf(f, "digraph dot {\n");
    print_graph(f, g, &count);
    fprintf(f, "}\n");
    return rt_end(fclose(f) ? cudaErrorOperatingSystem : cudaSuccess);
}

/* ---- executable graphs ---- */

static RtStep *find_step(cudaGraphExec_t e, cudaGraphNode_t node) {
    bool can = rt_is_node(node) && (node->type == cudaGraphNodeTypeKernel || node->type == cudaGraphNodeTypeMemcpy ||
                                    node->type == cudaGraphNodeTypeMemset);
    for (size_t i = 0; can && rt_is_exec(e) && i < e->count; i++)
        if (e->steps[i].node == node) return &e->steps[i];
    return NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t e, cudaGraphNode_t node, unsigned enabled) {
    RT_ENTER();
    RtStep *step = find_step(e, node);
    if (!step) return rt_end(cudaErrorInvalidValue);
    step->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t e, cudaGraphNode_t node, unsigned *enabled) {
    RT_ENTER();
    RtStep *step = find_step(e, node);
    if (!step || !enabled) return rt_end(cudaErrorInvalidValue);
    *enabled = !step->disabled;
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t e, unsigned long long *flags) {
    RT_ENTER();
    if (!rt_is_exec(e) || !flags) return rt_end(cudaErrorInvalidValue);
    *flags = e->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p) {
    RT_ENTER();
    if (!p) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = cudaGraphInstantiateWithFlags(out, g, p->flags);
    p->errNode_out = NULL;
    p->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    if (!error && p->flags & cudaGraphInstantiateFlagUpload) error = cudaGraphUpload(*out, p->uploadStream);
    return rt_end(error);
}
