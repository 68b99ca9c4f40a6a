/* graph_nodes.h: graphs and nodes as graph.c and capture.c build them. */
#ifndef CUCPU_GRAPH_NODES_H
#define CUCPU_GRAPH_NODES_H
#include "graph.h"

struct CUgraph_st {
    cudaGraph_t next;
    cudaGraphNode_t *nodes;
    size_t count;
    unsigned mark; /* of the last topological sort */
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    enum cudaGraphNodeType type;
    RtOp *op; /* NULL: empty, or a child graph */
    cudaGraph_t child;
    cudaGraphNode_t *deps;
    size_t ndeps;
    unsigned mark;
    bool used; /* something depends on it */
};

bool rt_is_graph(cudaGraph_t g);
cudaGraph_t rt_new_graph(void);
void rt_free_graph(cudaGraph_t g);
bool rt_add_dep(cudaGraphNode_t n, cudaGraphNode_t dep);
cudaError_t rt_add_node(cudaGraph_t g, RtOp *op, enum cudaGraphNodeType type,
                        const cudaGraphNode_t *deps, size_t ndeps, cudaGraphNode_t *out);
#endif
