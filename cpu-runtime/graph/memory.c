/* memory.c: what CUDA requires of graphs with memory nodes (memory/node_memory.c). */
#include "memory/memory.h"
#include "graph/graph.h"

static bool is_memory(enum cudaGraphNodeType type) {
    return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
}

bool rt_graph_has_memory(cudaGraph_t g) {
    for (size_t i = 0; i < g->count; i++)
        if (is_memory(g->nodes[i]->type)) return true;
    return false;
}

bool rt_graph_frees(cudaGraph_t g, const RtOp *op) {
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->type == cudaGraphNodeTypeMemFree && rt_node_memory(g->nodes[i]->op) == rt_node_memory(op))
            return true;
    return false;
}

static bool freed_by(const struct CUgraphExec_st *e, const void *p) {
    for (size_t i = 0; i < e->count; i++)
        if (e->steps[i].type == cudaGraphNodeTypeMemFree && rt_node_memory(e->steps[i].op) == p) return true;
    return false;
}

cudaError_t rt_graph_claim(cudaGraphExec_t e) {
    bool again = e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    for (int check = !again; check >= 0; check--)
        for (size_t i = 0; i < e->count; i++) {
            const RtStep *step = &e->steps[i];
            if (step->type == cudaGraphNodeTypeMemFree && !check) rt_graph_give_back(rt_node_memory(step->op));
            if (step->type != cudaGraphNodeTypeMemAlloc || freed_by(e, rt_node_memory(step->op))) continue;
            if (check && rt_node_is_out(step->op)) return cudaErrorInvalidValue;
            if (!check) rt_node_set_out(step->op);
        }
    return cudaSuccess;
}
