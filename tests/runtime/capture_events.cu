// Events outside the graph that a capture records and waits for; edges with their data; names of later versions.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -std=c++17 --default-stream=per-thread %s -o %t && %run %t own | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cstring>
#include "expect.h"

__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void copy(int *to, const int *from) { *to = *from; }

static cudaGraphNodeType type_of(cudaGraphNode_t n) {
    cudaGraphNodeType t;
    OK(cudaGraphNodeGetType(n, &t));
    return t;
}

/* A graph records an event in its middle; another waits for it, as it was recorded when that is launched. */
static void external_events(cudaStream_t s, cudaStream_t other, int *p) {
    cudaGraph_t g, h;
    cudaGraphExec_t x, y;
    cudaEvent_t e, told;
    cudaGraphNode_t nodes[4];
    size_t n = 4;
    OK(cudaEventCreate(&e));
    IS(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal), cudaErrorIllegalState); /* no capture */
    IS(cudaStreamWaitEvent(s, e, cudaEventWaitExternal), cudaErrorIllegalState);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, s>>>(p, 1);
    OK(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    add<<<1, 32, 0, s>>>(p + 1, 1);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaEventQuery(e)); /* the capture has not recorded it */
    OK(cudaGraphGetNodes(g, nodes, &n));
    IS(n, 3);
    IS(type_of(nodes[1]), cudaGraphNodeTypeEventRecord);
    OK(cudaGraphEventRecordNodeGetEvent(nodes[1], &told));
    IS(told == e, true);
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    OK(cudaStreamWaitEvent(other, e, cudaEventWaitExternal));
    copy<<<1, 1, 0, other>>>(p + 2, p);
    OK(cudaStreamEndCapture(other, &h));
    n = 4;
    OK(cudaGraphGetNodes(h, nodes, &n));
    IS(n, 2);
    IS(type_of(nodes[0]), cudaGraphNodeTypeWaitEvent);
    OK(cudaGraphEventWaitNodeGetEvent(nodes[0], &told));
    IS(told == e, true);
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphInstantiate(&y, h, 0));
    for (int i = 1; i <= 20; i++) {
        OK(cudaGraphLaunch(x, s));
        OK(cudaGraphLaunch(y, other));
        OK(cudaStreamSynchronize(other));
        IS(p[2], 32 * i);
        OK(cudaEventSynchronize(e));
        OK(cudaStreamSynchronize(s));
        IS(p[1], 32 * i);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphExecDestroy(y));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphDestroy(h));
    OK(cudaEventDestroy(e));
}

static void edges(cudaStream_t s, int *p) {
    cudaGraph_t g, seen;
    cudaGraphNode_t a, b, c, from[4], to[4];
    cudaGraphEdgeData plain = {}, data[4];
    cudaGraphNodeParams empty = {cudaGraphNodeTypeEmpty};
    const cudaGraphNode_t *deps;
    const cudaGraphEdgeData *told;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    size_t n;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(p, 1);
    OK(cudaStreamGetCaptureInfo_v2(s, &status, &id, &seen, &deps, &n));
    IS(n, 1);
    OK(cudaStreamGetCaptureInfo_v3(s, &status, &id, &seen, &deps, &told, &n));
    IS(n == 1 && told && told[0].type == 0, true);
    a = deps[0];
    OK(cudaGraphAddNode_v2(&b, seen, &a, &plain, 1, &empty));
    OK(cudaStreamUpdateCaptureDependencies_v2(s, &b, &plain, 1, cudaStreamSetCaptureDependencies));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
    OK(cudaGraphAddDependencies_v2(g, &b, &c, &plain, 1));
    memset(data, 1, sizeof data);
    n = 4;
    OK(cudaGraphGetEdges_v2(g, from, to, data, &n));
    IS(n, 2);
    IS(data[1].type + data[1].from_port, 0);
    n = 4;
    OK(cudaGraphNodeGetDependencies_v2(c, from, data, &n));
    IS(n == 1 && from[0] == b, true);
    n = 4;
    OK(cudaGraphNodeGetDependentNodes(a, to, data, &n)); /* as CUDA 13 has it */
    IS(n == 1 && to[0] == b, true);
    OK(cudaGraphRemoveDependencies_v2(g, &b, &c, &plain, 1));
    n = 4;
    OK(cudaGraphGetEdges(g, from, to, nullptr, &n));
    IS(n, 1);
    OK(cudaGraphDestroy(g));
}

int main(int argc, char **) {
    cudaStream_t s, other;
    int *p;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaMallocManaged(&p, 64));
    memset(p, 0, 64);
    external_events(s, other, p);
    edges(s, p);
    if (argc > 1) edges(nullptr, p); /* stream 0 of this thread */
    return report();
}
