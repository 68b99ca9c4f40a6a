/* conditional.c: conditional nodes of graphs: if, while, switch.
**
** A handle is the address of a condition, which kernels set (cudaGraphSetConditional) and which lives as long as a
** graph or an operation names it.  The node owns its body graphs; its operation in an executable graph has the steps
** of these and runs them as the condition requires.  Start values are assigned by an operation before all others of
** the launch. */
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

struct RtCondition {
    _Atomic int refs;
    _Atomic unsigned value;
    unsigned start;
    bool assign; /* start, at each launch */
};
typedef struct RtCondition Condition;

typedef struct Body {
    RtStep *steps;
    size_t count;
} Body;

typedef struct ConditionalOp {
    RtOp op;
    Condition *condition;
    enum cudaGraphConditionalNodeType type;
    unsigned nbodies;
    Body bodies[];
} ConditionalOp;

typedef struct AssignOp {
    RtOp op;
    size_t count;
    Condition *conditions[];
} AssignOp;

static void release(Condition *c) {
    if (atomic_fetch_sub(&c->refs, 1) == 1) free(c);
}

/* ---- handles ---- */

static bool keep(cudaGraph_t g, Condition *c) {
    Condition **grown = realloc(g->conditions, (g->nconditions + 1) * sizeof(Condition *));
    if (!grown) return false;
    g->conditions = grown;
    g->conditions[g->nconditions++] = c;
    return true;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out, cudaGraph_t g, unsigned value,
                                             unsigned flags) {
    RT_ENTER();
    if (!out || !rt_is_graph(g) || flags > cudaGraphCondAssignDefault) return rt_end(cudaErrorInvalidValue);
    Condition *c = calloc(1, sizeof *c);
    if (!c || !keep(g, c)) {
        free(c);
        return rt_end(cudaErrorMemoryAllocation);
    }
    c->refs = 1;
    c->value = c->start = value;
    c->assign = flags & cudaGraphCondAssignDefault;
    *out = (uintptr_t)c;
    return cudaSuccess;
}

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
    atomic_store(&((Condition *)(uintptr_t)handle)->value, value);
}

bool rt_share_conditions(cudaGraph_t to, cudaGraph_t from) {
    for (size_t i = 0; i < from->nconditions; i++) {
        if (!keep(to, from->conditions[i])) return false;
        atomic_fetch_add(&from->conditions[i]->refs, 1);
    }
    return true;
}

void rt_free_conditions(cudaGraph_t g) {
    for (size_t i = 0; i < g->nconditions; i++) release(g->conditions[i]);
    free(g->conditions);
}

/* ---- nodes ---- */

cudaError_t rt_add_conditional(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *deps, size_t ndeps,
                               struct cudaGraphNodeParams *p) {
    struct cudaConditionalNodeParams *c = &p->conditional;
    bool known = false, sized = c->type == cudaGraphCondTypeSwitch ? c->size > 0
                                : c->type == cudaGraphCondTypeIf   ? c->size == 1 || c->size == 2
                                                                   : c->type == cudaGraphCondTypeWhile && c->size == 1;
    if (!rt_is_graph(g) || !sized) return cudaErrorInvalidValue;
    for (size_t i = 0; i < g->nconditions; i++) known |= (uintptr_t)g->conditions[i] == c->handle;
    if (!known) return cudaErrorInvalidValue;
    RT_TRY(rt_add_checked(out, g, deps, ndeps, NULL, cudaGraphNodeTypeConditional));
    cudaGraphNode_t n = *out;
    n->bodies = calloc(c->size, sizeof(cudaGraph_t));
    for (unsigned i = 0; n->bodies && i < c->size; i++)
        if ((n->bodies[i] = rt_new_graph())) n->nbodies++;
    if (n->nbodies != c->size) return cudaErrorMemoryAllocation;
    c->phGraph_out = n->bodies;
    n->params = *p;
    n->described = true;
    return cudaSuccess;
}

static bool holds(const ConditionalOp *c) {
    unsigned value = c->condition->value;
    return c->type == cudaGraphCondTypeSwitch ? value < c->nbodies : value != 0;
}

static void run_body(const Body *b) {
    for (size_t i = 0; i < b->count; i++)
        if (b->steps[i].op) rt_run_op(b->steps[i].op);
}

static void run_conditional(RtOp *op) {
    const ConditionalOp *c = (const ConditionalOp *)op;
    if (c->type == cudaGraphCondTypeWhile) {
        while (holds(c) && !rt_sticky()) run_body(&c->bodies[0]);
    } else if (holds(c)) {
        run_body(&c->bodies[c->type == cudaGraphCondTypeSwitch ? c->condition->value : 0]);
    } else if (c->type == cudaGraphCondTypeIf && c->nbodies == 2) {
        run_body(&c->bodies[1]);
    }
}

static void drop_conditional(RtOp *op) {
    ConditionalOp *c = (ConditionalOp *)op;
    for (unsigned i = 0; i < c->nbodies; i++) rt_drop_steps(c->bodies[i].steps, c->bodies[i].count);
    release(c->condition);
}

cudaError_t rt_conditional_op(cudaGraphNode_t n, RtOp **out) {
    ConditionalOp *c = rt_new_op(sizeof *c + n->nbodies * sizeof(Body), run_conditional, drop_conditional);
    if (!c) return cudaErrorMemoryAllocation;
    c->op.kind = cudaGraphNodeTypeConditional;
    c->condition = (Condition *)(uintptr_t)n->params.conditional.handle;
    atomic_fetch_add(&c->condition->refs, 1);
    c->type = n->params.conditional.type;
    cudaError_t error = cudaSuccess;
    for (c->nbodies = 0; c->nbodies < n->nbodies && !error; c->nbodies += !error) {
        Body *b = &c->bodies[c->nbodies];
        error = rt_make_steps(n->bodies[c->nbodies], &b->steps, &b->count);
    }
    if (error) rt_drop_op(&c->op);
    else *out = &c->op;
    return error;
}

/* ---- start values ---- */

static void run_assign(RtOp *op) {
    const AssignOp *a = (const AssignOp *)op;
    for (size_t i = 0; i < a->count; i++) a->conditions[i]->value = a->conditions[i]->start;
}

static void drop_assign(RtOp *op) {
    AssignOp *a = (AssignOp *)op;
    for (size_t i = 0; i < a->count; i++) release(a->conditions[i]);
}

/* Those of the graph and of all graphs in its nodes; counts them where a is NULL. */
static size_t collect(cudaGraph_t g, AssignOp *a) {
    size_t n = 0;
    for (size_t i = 0; i < g->nconditions; i++) {
        if (!g->conditions[i]->assign) continue;
        n++;
        if (!a) continue;
        atomic_fetch_add(&g->conditions[i]->refs, 1);
        a->conditions[a->count++] = g->conditions[i];
    }
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->child) n += collect(g->nodes[i]->child, a);
        for (unsigned b = 0; b < g->nodes[i]->nbodies; b++) n += collect(g->nodes[i]->bodies[b], a);
    }
    return n;
}

cudaError_t rt_assign_op(cudaGraph_t g, RtOp **out) {
    size_t n = collect(g, NULL);
    *out = NULL;
    if (!n) return cudaSuccess;
    AssignOp *a = rt_new_op(sizeof *a + n * sizeof(Condition *), run_assign, drop_assign);
    if (!a) return cudaErrorMemoryAllocation;
    a->count = 0;
    collect(g, a);
    *out = &a->op;
    return cudaSuccess;
}
