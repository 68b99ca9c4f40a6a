/* test_graphs.c: explicit graphs, stream capture, and the misuse of both. */
#include "check.h"
#include "fail_alloc.h"
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int steps;
static int trail[100];

static void add(const CucpuLaunch *l, CucpuWorker *w, uint64_t first, uint64_t end) {
    (void)w, (void)first, (void)end;
    memcpy(&trail[steps++], l->args[0], sizeof(int));
}

static const CucpuVariant variant = {add, 8, CUCPU_LAYOUT_GENERAL, {0}, 0, 0, 0, 0, 0, 0, 0};
static const CucpuParam param = {4, 4};
static const CucpuKernel kernel = {
    .name = "add", .variants = &variant, .nvariants = 1, .params = &param, .nparams = 1};
static const CucpuModule module = {CUCPU_ABI_VERSION, 32, 88, "g", &kernel, NULL, 1, 0, NULL, 0, 0, 0, NULL, NULL};
static char stub;
static const dim3 one = {1, 1, 1};

static int setup(void **state) {
    (void)state;
    const void *list[] = {&stub};
    fake_register(&module, list, NULL, true);
    return 0;
}

static cudaError_t step(int number, cudaStream_t s) {
    void *args[] = {&number};
    return fake_launch(&stub, one, one, 0, s, args);
}

static void expect_trail(int n, const int *want) {
    assert_int_equal(steps, n);
    for (int i = 0; i < n; i++) assert_int_equal(trail[i], want[i]);
    steps = 0;
}

static void host_step(void *data) { trail[steps++] = *(int *)data; }

static cudaGraphNode_t add_kernel(cudaGraph_t g, int number, const cudaGraphNode_t *deps,
                                  size_t n) {
    void *args[] = {&number};
    struct cudaKernelNodeParams p = {
        .func = &stub, .gridDim = one, .blockDim = one, .kernelParams = args};
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, g, deps, n, &p));
    return node;
}

static void runs_explicit_graphs(void **state) {
    (void)state;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaStream_t s;
    int three = 3, value = 9;
    unsigned *device, host[4] = {0};
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc((void **)&device, sizeof host));
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t a = add_kernel(g, 1, NULL, 0), b = add_kernel(g, 2, &a, 1), c, d, f;
    struct cudaHostNodeParams h = {host_step, &three};
    OK(cudaGraphAddHostNode(&c, g, &b, 1, &h));
    struct cudaMemsetParams m = {device, 0, 0x01020304, 4, 4, 1};
    OK(cudaGraphAddMemsetNode(&d, g, &c, 1, &m));
    OK(cudaGraphAddMemcpyNode1D(&f, g, &d, 1, host, device, sizeof host, cudaMemcpyDeviceToHost));
    size_t n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    assert_int_equal(n, 5);
    OK(cudaGraphGetRootNodes(g, NULL, &n));
    assert_int_equal(n, 1);
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 4);
    assert_int_equal(steps, 0);
    OK(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 3; i++) {
        memset(host, 0, sizeof host);
        OK(cudaGraphLaunch(e, i ? s : NULL));
        OK(cudaStreamSynchronize(i ? s : NULL));
        expect_trail(3, (const int[]){1, 2, 3});
        assert_int_equal(host[3], 0x01020304);
    }
    void *args[] = {&value};
    struct cudaKernelNodeParams p = {
        .func = &stub, .gridDim = one, .blockDim = one, .kernelParams = args};
    OK(cudaGraphExecKernelNodeSetParams(e, b, &p));
    OK(cudaGraphDestroy(g)); /* the executable graph does not need it */
    OK(cudaGraphLaunch(e, s));
    OK(cudaGraphExecDestroy(e)); /* nor the launch under way that one */
    OK(cudaStreamSynchronize(s));
    expect_trail(3, (const int[]){1, 9, 3});
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(e, s));
    OK(cudaFree(device));
    OK(cudaStreamDestroy(s));
}

static void sorts_and_nests(void **state) {
    (void)state;
    cudaGraph_t g, child, copy;
    cudaGraphExec_t e;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&child, 0));
    add_kernel(child, 5, NULL, 0);
    cudaGraphNode_t late = add_kernel(g, 3, NULL, 0), early = add_kernel(g, 1, NULL, 0), nested;
    OK(cudaGraphAddChildGraphNode(&nested, g, &early, 1, child));
    OK(cudaGraphAddDependencies(g, &nested, &late, 1));
    OK(cudaGraphClone(&copy, g));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphInstantiateWithFlags(&e, copy, 0));
    OK(cudaGraphLaunch(e, NULL));
    OK(cudaDeviceSynchronize());
    expect_trail(3, (const int[]){1, 5, 3});
    OK(cudaGraphExecDestroy(e));
    cudaGraphNode_t nodes[3];
    size_t n = 3;
    OK(cudaGraphGetNodes(copy, nodes, &n));
    OK(cudaGraphAddDependencies(copy, &nodes[0], &nodes[1], 1)); /* a cycle */
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&e, copy, 0));
    OK(cudaGraphDestroyNode(nodes[0]));
    OK(cudaGraphInstantiate(&e, copy, 0));
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(copy));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(copy));
}

static void captures_streams(void **state) {
    (void)state;
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t e;
    enum cudaStreamCaptureStatus status;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaStreamIsCapturing(s, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    OK(step(1, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    OK(step(2, t));
    OK(step(3, s));
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(step(4, s));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaStreamIsCapturing(t, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_int_equal(steps, 0);
    size_t n;
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    assert_int_equal(n, 4);
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    expect_trail(4, (const int[]){1, 2, 3, 4});
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

static void refuses_misuse_of_capture(void **state) {
    (void)state;
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaGraph_t g;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&e));
    FAILS(cudaErrorStreamCaptureUnsupported,
          cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorIllegalState, cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    FAILS(cudaErrorStreamCaptureInvalidated, step(1, s));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    assert_null(g);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureImplicit, step(1, NULL));
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    OK(step(1, t));
    FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
    assert_int_equal(steps, 0);
    OK(step(1, t)); /* all is as before */
    OK(cudaStreamSynchronize(t));
    expect_trail(1, (const int[]){1});
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaEventDestroy(e));
}

static void updates_executable_graphs(void **state) {
    (void)state;
    cudaGraph_t a, b, c;
    cudaGraphExec_t e;
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphCreate(&a, 0));
    OK(cudaGraphCreate(&b, 0));
    OK(cudaGraphCreate(&c, 0));
    add_kernel(a, 1, NULL, 0);
    add_kernel(b, 2, NULL, 0);
    OK(cudaGraphInstantiate(&e, a, 0));
    OK(cudaGraphExecUpdate(e, b, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(e, NULL));
    OK(cudaDeviceSynchronize());
    expect_trail(1, (const int[]){2});
    FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(e, c, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(a));
    OK(cudaGraphDestroy(b));
    OK(cudaGraphDestroy(c));
}

static size_t nodes_of(cudaGraph_t g) {
    size_t n = 0;
    OK(cudaGraphGetNodes(g, NULL, &n));
    return n;
}

static size_t edges_of(cudaGraph_t g) {
    size_t n = 0;
    OK(cudaGraphGetEdges(g, NULL, NULL, &n));
    return n;
}

/* Each allocation of a call fails in turn: the graph stays as it was, until there is none left to fail. */
static void keeps_graphs_without_memory(void **state) {
    (void)state;
    if (!CAN_FAIL_ALLOC) return;
    cudaGraph_t g, copy;
    int number = 1, failed = 0;
    void *args[] = {&number};
    struct cudaKernelNodeParams p = {.func = &stub, .gridDim = one, .blockDim = one, .kernelParams = args};
    OK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t deps[2] = {add_kernel(g, 1, NULL, 0), add_kernel(g, 2, NULL, 0)}, n, to[2];
    cudaError_t error = cudaErrorMemoryAllocation;
    for (int k = 1; error; k++, failed += error != 0) {
        fail_alloc = k;
        error = cudaGraphAddKernelNode(&n, g, deps, 2, &p);
        fail_alloc = 0;
        if (error) assert_int_equal(error, cudaErrorMemoryAllocation);
        assert_int_equal(nodes_of(g), error ? 2 : 3);
        assert_int_equal(edges_of(g), error ? 0 : 2);
    }
    assert_true(failed >= 3); /* node, dependencies, list of nodes */
    to[0] = n, to[1] = add_kernel(g, 3, NULL, 0);
    cudaGraphNode_t from[2] = {to[1], deps[0]};
    for (int k = 2; k; k--) { /* the second edge first */
        fail_alloc = k;
        FAILS(cudaErrorMemoryAllocation, cudaGraphAddDependencies(g, k == 2 ? from : from + 1, k == 2 ? to : to + 1, (size_t)k));
        assert_int_equal(edges_of(g), 2);
    }
    error = cudaErrorMemoryAllocation;
    for (int k = 1; error; k++) {
        fail_alloc = k;
        error = cudaGraphClone(&copy, g);
        fail_alloc = 0;
        if (error) assert_int_equal(error, cudaErrorMemoryAllocation);
    }
    assert_int_equal(nodes_of(copy), 4);
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(g));
    cudaGetLastError();
}

static void *add_packed(void *graph) {
    int number = 7;
    size_t bytes = sizeof number;
    void *extra[] = {(void *)1, &number, (void *)2, &bytes, NULL}; /* CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END */
    struct cudaKernelNodeParams p = {.func = &stub, .gridDim = one, .blockDim = one, .extra = extra};
    cudaGraphNode_t node;
    return cudaGraphAddKernelNode(&node, graph, NULL, 0, &p) ? NULL : node;
}

/* A thread with little stack adds a kernel node with packed arguments. */
static void needs_little_stack(void **state) {
    (void)state;
    cudaGraph_t g;
    cudaGraphExec_t e;
    pthread_t thread;
    pthread_attr_t small;
    void *node;
    pthread_attr_init(&small);
    if (CAN_FAIL_ALLOC) pthread_attr_setstacksize(&small, 32 << 10); /* those of sanitizers take more */
    OK(cudaGraphCreate(&g, 0));
    assert_int_equal(pthread_create(&thread, &small, add_packed, g), 0);
    pthread_join(thread, &node);
    assert_non_null(node);
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, NULL));
    OK(cudaDeviceSynchronize());
    expect_trail(1, (const int[]){7});
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    pthread_attr_destroy(&small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_explicit_graphs),      cmocka_unit_test(sorts_and_nests),
        cmocka_unit_test(captures_streams),          cmocka_unit_test(refuses_misuse_of_capture),
        cmocka_unit_test(updates_executable_graphs),  cmocka_unit_test(keeps_graphs_without_memory),
        cmocka_unit_test(needs_little_stack),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
