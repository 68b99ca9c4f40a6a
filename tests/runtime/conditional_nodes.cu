// Conditional nodes: if, if-else, while, switch, one in another; start values; clones; what is refused.  Updates see other dependencies.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -w %s -o %t && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
static int bad;
#define IS(call, want)                                                                             \
    do {                                                                                           \
        int got_ = (call);                                                                         \
        if (got_ != (want)) bad++, printf("line %d: %s is %d, not %d\n", __LINE__, #call, got_, (int)(want)); \
    } while (0)
#define OK(call) IS(call, cudaSuccess)
#define WRONG(call) IS(call, cudaErrorInvalidValue)

__global__ void set(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void count_down(cudaGraphConditionalHandle h, int *left, int *sum) {
    *sum += *left;
    cudaGraphSetConditional(h, --*left > 0);
}
__global__ void add(int *p, int v) { *p += v; }
__global__ void restart(cudaGraphConditionalHandle h, int *left, int n) {
    *left = n;
    cudaGraphSetConditional(h, 1);
}

static int *m; // sum, left, outer
static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t *dep, void *f, void **args) {
    cudaGraphNode_t n;
    cudaKernelNodeParams p = {f, 1, 1, 0, args, nullptr};
    OK(cudaGraphAddKernelNode(&n, g, dep, dep ? 1 : 0, &p));
    return n;
}
static cudaGraphNode_t adds(cudaGraph_t g, cudaGraphNode_t *dep, int v) {
    void *args[] = {&m, &v};
    return kernel_node(g, dep, (void *)add, args);
}
static cudaGraphNodeParams conditional(cudaGraph_t g, cudaGraphNode_t *dep, cudaGraphConditionalHandle h,
                                       cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t n;
    OK(cudaGraphAddNode(&n, g, dep, dep ? 1 : 0, &p));
    cudaGraphNodeType got;
    OK(cudaGraphNodeGetType(n, &got));
    IS(got, cudaGraphNodeTypeConditional);
    return p;
}
static int launched(cudaGraph_t g) {
    cudaGraphExec_t exec;
    m[0] = 0;
    OK(cudaGraphInstantiate(&exec, g, 0));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(exec));
    return m[0];
}

static int branch(unsigned value, cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraph_t g, copy;
    cudaGraphConditionalHandle h;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g));
    void *args[] = {&h, &value};
    cudaGraphNode_t first = kernel_node(g, nullptr, (void *)set, args);
    cudaGraphNodeParams p = conditional(g, &first, h, type, size);
    for (unsigned i = 0; i < size; i++) adds(p.conditional.phGraph_out[i], nullptr, 1 << i);
    OK(cudaGraphClone(&copy, g));
    OK(cudaGraphDestroy(g));
    int got = launched(copy);
    OK(cudaGraphDestroy(copy));
    return got;
}

/* 4 times: 5 + 4 + 3 + 2 + 1, in a loop in a loop; a second launch finds the condition as it was at the start. */
static void loops() {
    cudaGraph_t g;
    cudaGraphConditionalHandle outer, inner;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&outer, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = conditional(g, nullptr, outer, cudaGraphCondTypeWhile, 1);
    cudaGraph_t body = p.conditional.phGraph_out[0];
    OK(cudaGraphConditionalHandleCreate(&inner, body));
    int n = 5, *left = m + 1, *turns = m + 2, *unused = m + 3;
    void *start[] = {&inner, &left, &n}, *down[] = {&inner, &left, &m}, *turn[] = {&outer, &turns, &unused};
    cudaGraphNode_t a = kernel_node(body, nullptr, (void *)restart, start), b;
    cudaGraphNodeParams q = conditional(body, &a, inner, cudaGraphCondTypeWhile, 1);
    kernel_node(q.conditional.phGraph_out[0], nullptr, (void *)count_down, down);
    size_t count = 2;
    cudaGraphNode_t nodes[2];
    OK(cudaGraphGetNodes(body, nodes, &count));
    b = nodes[1];
    kernel_node(body, &b, (void *)count_down, turn);
    m[2] = 4;
    IS(launched(g), 4 * 15);
    m[2] = 2;
    IS(launched(g), 2 * 15);
    OK(cudaGraphDestroy(g));
}

static void refusals() {
    cudaGraph_t g, other;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle h;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&other, 0));
    WRONG(cudaGraphConditionalHandleCreate(nullptr, g));
    WRONG(cudaGraphConditionalHandleCreate(&h, nullptr));
    WRONG(cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    OK(cudaGraphConditionalHandleCreate(&h, g));
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional = {h, cudaGraphCondTypeWhile, 2, nullptr};
    WRONG(cudaGraphAddNode(&n, g, nullptr, 0, &p));
    p.conditional.size = 1;
    WRONG(cudaGraphAddNode(&n, other, nullptr, 0, &p));
    p.conditional.handle = 1;
    WRONG(cudaGraphAddNode(&n, g, nullptr, 0, &p));
}

static void updates() {
    cudaGraph_t chain, fork;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphCreate(&chain, 0));
    OK(cudaGraphCreate(&fork, 0));
    cudaGraphNode_t a = adds(chain, nullptr, 1), b = adds(chain, &a, 2), c = adds(fork, nullptr, 1);
    adds(chain, &b, 3), adds(fork, &c, 2), adds(fork, &c, 3);
    OK(cudaGraphInstantiate(&exec, chain, 0));
    IS(cudaGraphExecUpdate(exec, fork, &info), cudaErrorGraphExecUpdateFailure);
    IS(info.result, cudaGraphExecUpdateErrorTopologyChanged);
}

int main() {
    OK(cudaMallocManaged(&m, 64));
    IS(branch(0, cudaGraphCondTypeIf, 1), 0);
    IS(branch(7, cudaGraphCondTypeIf, 1), 1);
    IS(branch(0, cudaGraphCondTypeIf, 2), 2);
    IS(branch(1, cudaGraphCondTypeIf, 2), 1);
    IS(branch(0, cudaGraphCondTypeSwitch, 3), 1);
    IS(branch(2, cudaGraphCondTypeSwitch, 3), 4);
    IS(branch(3, cudaGraphCondTypeSwitch, 3), 0);
    loops();
    refusals();
    updates();
    printf("%d bad\n", bad);
}
