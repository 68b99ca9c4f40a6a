/* graph.h: graphs, nodes and executable graphs.
**
** A graph owns its nodes, child graphs and bodies; an operation belongs to all nodes and steps that name it.
** Programs must not change a graph on two threads at once, so only the lists of graphs and of executable graphs have
** locks; no other is taken within these. */
#ifndef CUCPU_GRAPH_H
#define CUCPU_GRAPH_H
#include "base/handles.h"
#include "exec/op.h"

struct CUgraph_st {
    RtLink link;
    cudaGraphNode_t *nodes;
    size_t count;
    unsigned mark; /* of the last topological sort */
    struct RtHeld *held;
    struct RtCondition **conditions; /* of its handles */
    size_t nconditions;
};

struct CUgraphNode_st {
    RtLink link;
    cudaGraph_t graph;
    enum cudaGraphNodeType type;
    RtOp *op; /* NULL: empty, or a child graph */
    cudaGraph_t child;
    cudaGraph_t *bodies; /* of a conditional node */
    unsigned nbodies;
    size_t order; /* in the last topological sort */
    size_t step;  /* of the last steps */
    cudaGraphNode_t *deps;
    size_t ndeps;
    unsigned mark;
    bool used;              /* something depends on it */
    cudaGraphNode_t origin; /* in the graph that this one is a clone of */
    bool described;         /* params are set: it was not captured */
    struct cudaGraphNodeParams params;
    cudaLaunchAttributeValue attributes[cudaLaunchAttributePreferredSharedMemoryCarveout + 1];
};

typedef struct RtStep {
    RtOp *op; /* NULL = nothing to do */
    cudaGraphNode_t node;
    enum cudaGraphNodeType type;
    bool disabled;
    cudaEvent_t event; /* of event nodes */
    uint64_t deps;     /* hash of what it depends on */
    uint32_t *after;   /* where order is checked: how many steps it depends on, and how many steps before it each is */
} RtStep;

struct CUgraphExec_st {
    RtLink link;
    cudaGraph_t memory_of; /* the graph, if it has memory nodes and exists */
    cudaStream_t stream;   /* where its last launch ends, or NULL */
    uint64_t ticket;
    uint32_t order; /* of its last launch: check/check.h */
    RtStep *steps;
    size_t count;
    unsigned long long flags;
    struct RtHeld *held;
};

/* ---- executable.c ---- */
bool rt_is_exec(cudaGraphExec_t e);
void rt_forget_graph(cudaGraph_t g); /* it is freed */
void rt_reset_execs(void);           /* none is left */
cudaError_t rt_set_step(cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaGraphNodeParams *p);
/* The graph's nodes in a topological order, children included, each with its operation. */
cudaError_t rt_make_steps(cudaGraph_t g, RtStep **steps, size_t *count);
void rt_drop_steps(RtStep *steps, size_t n);
/* capture.c: a launch in a capturing stream is a child graph. */
cudaError_t rt_capture_exec(cudaStream_t s, cudaGraphExec_t e);

/* ---- nodes.c ---- */
/* The operation that such a node does, checked; NULL for one that does nothing. */
cudaError_t rt_node_op(const struct cudaGraphNodeParams *p, RtOp **op);
/* Adds a node of any type but a child graph, as p describes it. */
cudaError_t rt_add_described(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                             const struct cudaGraphNodeParams *p);
/* Cooperative or not (`cooperative`: as the attribute has it, else as it is), and in clusters, as the node's
** attributes have them. */
cudaError_t rt_apply_attributes(cudaGraphNode_t node, bool cooperative, RtOp **op);
/* A new operation for the node, as its attributes want it. */
cudaError_t rt_op_for_node(cudaGraphNode_t node, const struct cudaGraphNodeParams *p, RtOp **op);
cudaError_t rt_set_node(cudaGraphNode_t node, const struct cudaGraphNodeParams *p);
struct cudaGraphNodeParams rt_params_1d(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind);

/* ---- user_objects.c ---- */
typedef struct RtHeld RtHeld; /* user objects, with their counts */
bool rt_hold_all(RtHeld **to, const RtHeld *from);
void rt_release_all(RtHeld **held);

/* ---- memory.c ---- */
/* A graph with memory nodes cannot be cloned, be a child, lose nodes, or have two executable graphs. */
bool rt_graph_has_memory(cudaGraph_t g);
bool rt_graph_frees(cudaGraph_t g, const RtOp *free); /* has it a node that frees the same? */
/* A launch begins: what it leaves allocated must not be allocated already. */
cudaError_t rt_graph_claim(cudaGraphExec_t e);

/* ---- conditional.c ---- */
/* p->conditional.phGraph_out becomes the node's bodies. */
cudaError_t rt_add_conditional(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                               struct cudaGraphNodeParams *p);
cudaError_t rt_conditional_op(cudaGraphNode_t n, RtOp **op);
cudaError_t rt_assign_op(cudaGraph_t g, RtOp **op); /* gives the conditions their start values; NULL: there are none */
bool rt_share_conditions(cudaGraph_t to, cudaGraph_t from);
void rt_free_conditions(cudaGraph_t g);

/* ---- graph.c ---- */
bool rt_is_graph(cudaGraph_t g);
bool rt_is_node(cudaGraphNode_t n); /* of any graph */
bool rt_has_node(cudaGraph_t g, cudaGraphNode_t n);
cudaGraph_t rt_new_graph(void);
void rt_free_graph(cudaGraph_t g);
cudaGraph_t rt_clone_graph(cudaGraph_t g); /* NULL: no memory */
bool rt_add_dep(cudaGraphNode_t n, cudaGraphNode_t dep);
/* The same for a caller's graph and dependencies, which are checked; owns op. */
cudaError_t rt_add_checked(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps, RtOp *op,
                           enum cudaGraphNodeType type);
cudaError_t rt_add_node(cudaGraph_t g, RtOp *op, enum cudaGraphNodeType type, const cudaGraphNode_t *deps, size_t ndeps,
                        cudaGraphNode_t *out);
#endif
