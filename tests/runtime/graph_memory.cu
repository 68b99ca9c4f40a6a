// Graphs with memory nodes: what CUDA asks of them, and what they tell; what captured nodes tell of themselves.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t %t.dot | FileCheck %s
// RUN: FileCheck --check-prefix=DOT %s < %t.dot
// CHECK: {{^}}0 bad
// DOT: digraph dot {
// DOT: "graph_1_node_0"[{{.*}} label="0{{.}}n_Z3setPii"];
// DOT: "graph_1_node_1"[{{.*}} label="1{{.}}nGRAPH"];
// DOT: "graph_1_node_0" -> "graph_1_node_1";
// DOT: subgraph cluster_2 {
// DOT: "graph_2_node_0"[{{.*}} label="0{{.}}nHOST"];
#include <cstdio>
#include <cstring>
#include "expect.h"

__global__ void set(int *p, int v) { p[threadIdx.x] = v; }
static void CUDART_CB count_call(void *p) { ++*(int *)p; }

static long long memory(cudaGraphMemAttributeType what) {
    unsigned long long v = 99;
    OK(cudaDeviceGetGraphMemAttribute(0, what, &v));
    return (long long)v;
}

/* A graph that allocates 4096 bytes, and frees them or not. */
static int *captured(cudaStream_t s, cudaGraph_t *g, bool frees) {
    int *p;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&p, 4096, s));
    set<<<1, 32, 0, s>>>(p, 43);
    if (frees) OK(cudaFreeAsync(p, s));
    OK(cudaStreamEndCapture(s, g));
    return p;
}

static void launches_twice(cudaStream_t s) {
    cudaGraph_t g;
    cudaGraphExec_t x;
    int got = 0, *p = captured(s, &g, false);
    IS(cudaFreeAsync(p, s), cudaErrorInvalidValue); /* no launch has allocated it */
    OK(cudaGraphInstantiate(&x, g, 0));
    IS(memory(cudaGraphMemAttrReservedMemCurrent), 0);
    OK(cudaGraphLaunch(x, s));
    IS(cudaGraphLaunch(x, s), cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(s));
    IS(memory(cudaGraphMemAttrUsedMemCurrent), 4096);
    OK(cudaFreeAsync(p, s));
    IS(cudaFreeAsync(p, s), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(x, s));
    OK(cudaFree(p));
    IS(cudaFree(p), cudaErrorInvalidValue);
    IS(memory(cudaGraphMemAttrUsedMemCurrent), 0);
    IS(memory(cudaGraphMemAttrReservedMemCurrent), 4096);
    OK(cudaDeviceGraphMemTrim(0));
    IS(memory(cudaGraphMemAttrReservedMemCurrent), 0);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphInstantiateWithFlags(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(x, s));
    OK(cudaGraphLaunch(x, s));
    OK(cudaMemcpyAsync(&got, p + 31, 4, cudaMemcpyDefault, s));
    OK(cudaStreamSynchronize(s));
    IS(got, 43);
    IS(memory(cudaGraphMemAttrUsedMemCurrent), 4096);
    OK(cudaFree(p));
    unsigned long long zero = 0;
    IS(memory(cudaGraphMemAttrUsedMemHigh), 4096);
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    IS(memory(cudaGraphMemAttrUsedMemHigh), 0);
    IS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
}

/* One executable graph at a time; no clones, no children, nothing taken away; a memory is freed once. */
static void keeps_graphs_whole(cudaStream_t s) {
    cudaGraph_t g, h, copy;
    cudaGraphExec_t x, y;
    cudaGraphNode_t nodes[3], node;
    size_t n = 3;
    int *p = captured(s, &g, true);
    OK(cudaGraphGetNodes(g, nodes, &n));
    OK(cudaGraphInstantiate(&x, g, 0));
    IS(cudaGraphInstantiate(&y, g, 0), cudaErrorNotSupported);
    IS(cudaGraphClone(&copy, g), cudaErrorNotSupported);
    IS(cudaGraphDestroyNode(nodes[1]), cudaErrorNotSupported);
    IS(cudaGraphRemoveDependencies(g, nodes, nodes + 1, 1), cudaErrorNotSupported);
    IS(cudaGraphAddMemFreeNode(&node, g, nodes, 1, p), cudaErrorInvalidValue);
    OK(cudaGraphCreate(&h, 0));
    IS(cudaGraphAddChildGraphNode(&node, h, nullptr, 0, g), cudaErrorNotSupported);
    IS(cudaGraphAddMemFreeNode(&node, h, nullptr, 0, &n), cudaErrorInvalidValue);
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    IS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphInstantiate(&y, g, 0));
    OK(cudaGraphExecDestroy(y));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(h));
}

static void captured_nodes_tell(cudaStream_t s) {
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t nodes[4];
    cudaMemcpy3DParms copy;
    cudaMemsetParams fill;
    cudaHostNodeParams host;
    size_t n = 4, edges;
    int calls = 0, *p, back[8];
    cudaEvent_t e;
    OK(cudaMalloc(&p, 64));
    OK(cudaEventCreate(&e));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemset2DAsync(p, 16, 1, 8, 4, s));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(s, e)); /* for what it waits anyway */
    OK(cudaMemcpyAsync(back, p, 32, cudaMemcpyDeviceToHost, s));
    OK(cudaLaunchHostFunc(s, count_call, &calls));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetNodes(g, nodes, &n));
    OK(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
    IS(n * 10 + edges, 32);
    OK(cudaGraphMemsetNodeGetParams(nodes[0], &fill));
    IS(fill.dst == p && fill.pitch == 16 && fill.value == 1, true);
    IS(fill.width * fill.elementSize * 10 + fill.height, 84);
    OK(cudaGraphMemcpyNodeGetParams(nodes[1], &copy));
    IS(copy.srcPtr.ptr == p && copy.dstPtr.ptr == back && copy.kind == cudaMemcpyDeviceToHost, true);
    IS(copy.extent.width * copy.extent.height * copy.extent.depth, 32);
    OK(cudaGraphHostNodeGetParams(nodes[2], &host));
    IS(host.fn == count_call && host.userData == &calls, true);
    OK(cudaGraphInstantiate(&x, g, 0));
    fill.value = 3;
    copy.extent.width = 20;
    OK(cudaGraphExecMemsetNodeSetParams(x, nodes[0], &fill));
    OK(cudaGraphExecMemcpyNodeSetParams(x, nodes[1], &copy));
    memset(back, 0, sizeof back);
    OK(cudaMemset(p, 0, 64));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    IS(calls, 1);
    IS(back[0] == 0x03030303 && back[1] == 0x03030303 && !back[2] && back[4] == 0x03030303 && !back[5], true);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaFree(p));
}

/* For graphviz: a cluster for each graph, nodes by their kind or kernel. */
static void prints(const char *file) {
    cudaGraph_t g, h;
    cudaGraphNode_t a, b;
    int calls = 0, *p = nullptr, v = 1;
    void *args[] = {&p, &v};
    cudaHostNodeParams host = {count_call, &calls};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)set;
    kernel.gridDim = kernel.blockDim = 1;
    kernel.kernelParams = args;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&h, 0));
    OK(cudaGraphAddHostNode(&a, h, nullptr, 0, &host));
    OK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &kernel));
    OK(cudaGraphAddChildGraphNode(&b, g, &a, 1, h));
    OK(cudaGraphDebugDotPrint(g, file, 0));
    IS(cudaGraphDebugDotPrint(g, "/nowhere/at/all", 0), cudaErrorOperatingSystem);
}

/* The node in the new graph that does not fit. */
static void updates_name_the_node() {
    cudaGraph_t g, h;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b, c;
    cudaGraphExecUpdateResultInfo info;
    int calls = 0;
    cudaHostNodeParams host = {count_call, &calls};
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&h, 0));
    OK(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&b, g, &a, 1));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphAddEmptyNode(&a, h, nullptr, 0));
    OK(cudaGraphAddHostNode(&b, h, &a, 1, &host));
    IS(cudaGraphExecUpdate(x, h, &info), cudaErrorGraphExecUpdateFailure);
    IS(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    IS(info.errorNode == b, true);
    OK(cudaGraphAddEmptyNode(&c, h, nullptr, 0));
    IS(cudaGraphExecUpdate(x, h, &info), cudaErrorGraphExecUpdateFailure);
    IS(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    IS(info.errorNode == nullptr, true);
}

int main(int argc, char **argv) {
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    launches_twice(s);
    keeps_graphs_whole(s);
    captured_nodes_tell(s);
    updates_name_the_node();
    if (argc > 1) prints(argv[1]);
    return report();
}
