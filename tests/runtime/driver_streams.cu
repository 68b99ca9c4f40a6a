// The driver API: streams that wait for values in memory and write them; capture that is looked into; attributes.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// RUN: env CUCPU_STREAM_THREADS=1 %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#include "expect.h"

static CUdeviceptr memory(size_t n) {
    CUdeviceptr p;
    OK(cuMemAllocManaged(&p, n, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemsetD8(p, 0, n));
    return p;
}
template <class T> static T load(CUdeviceptr p) { return *(volatile T *)p; }

/* Each stream waits for the one behind it; the last is let go by the host. */
static void chain() {
    enum { N = 12 };
    CUstream s[N];
    CUdeviceptr p = memory(4 * (N + 1));
    for (int i = 0; i < N; i++) {
        OK(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
        OK(cuStreamWaitValue32(s[i], p + 4 * (i + 1), 7, CU_STREAM_WAIT_VALUE_EQ));
        OK(cuStreamWriteValue32(s[i], p + 4 * i, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    }
    IS(cuStreamQuery(s[0]), CUDA_ERROR_NOT_READY);
    IS(load<int>(p), 0);
    *(volatile int *)(p + 4 * N) = 7;
    OK(cuStreamSynchronize(s[0]));
    for (int i = 0; i <= N; i++) IS(load<int>(p + 4 * i), 7);
    for (CUstream one : s) OK(cuStreamDestroy(one));
    OK(cuMemFree(p));
}

/* The comparisons: before the value is written the stream stands, with it it goes on. */
static void compare(CUstream s, unsigned flags, unsigned long long waited, unsigned long long before, unsigned long long after, bool wide) {
    CUdeviceptr p = memory(16);
    if (wide) *(volatile unsigned long long *)p = before;
    else *(volatile unsigned *)p = (unsigned)before;
    if (wide) OK(cuStreamWaitValue64(s, p, waited, flags));
    else OK(cuStreamWaitValue32(s, p, (unsigned)waited, flags));
    OK(cuStreamWriteValue64(s, p + 8, ~0ull, 0));
    for (volatile int i = 0; i < 1000000; i = i + 1) continue;
    IS(load<long long>(p + 8), 0);
    if (wide) *(volatile unsigned long long *)p = after;
    else *(volatile unsigned *)p = (unsigned)after;
    OK(cuStreamSynchronize(s));
    IS(load<long long>(p + 8), -1);
    OK(cuMemFree(p));
}

static void comparisons(CUstream s) {
    compare(s, CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6, false);
    compare(s, CU_STREAM_WAIT_VALUE_GEQ, 2, 0xfffffff0u, 2, false); /* cyclic */
    compare(s, CU_STREAM_WAIT_VALUE_GEQ, 1ull << 40, (1ull << 40) - 1, 1ull << 40, true);
    compare(s, CU_STREAM_WAIT_VALUE_EQ, 1ull << 33, 0, 1ull << 33, true);
    compare(s, CU_STREAM_WAIT_VALUE_AND, 6, 9, 4, false);
    compare(s, CU_STREAM_WAIT_VALUE_NOR, 0xffff0000u, 0xffff, 0xfffe, false);
}

static void batches(CUstream s) {
    CUdeviceptr p = memory(16);
    CUstreamBatchMemOpParams ops[3] = {};
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = p;
    ops[0].writeValue.value = 3;
    ops[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    ops[2].waitValue.address = p;
    ops[2].waitValue.value = 3;
    ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    OK(cuStreamBatchMemOp(s, 3, ops, 0));
    OK(cuStreamSynchronize(s));
    IS(load<int>(p), 3);
    IS(cuStreamBatchMemOp(s, 257, ops, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamBatchMemOp(s, 1, ops, 1), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWriteValue32(s, p + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWriteValue64(s, p + 12, 1, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWaitValue32(s, p, 1, 4), CUDA_ERROR_INVALID_VALUE);
    IS(cuStreamWaitValue32(s, (CUdeviceptr)ops, 1, 0), CUDA_ERROR_INVALID_VALUE);
    int can = 0;
    OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
    IS(can, 1);
    OK(cuMemFree(p));
}

static void captures(CUstream s) {
    CUdeviceptr p = memory(16);
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    CUgraph g, seen;
    CUgraphExec x;
    CUgraphNode nodes[2];
    const CUgraphNode *deps;
    CUgraphNodeType type;
    size_t n = 2, ndeps;
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamWriteValue32(s, p, 5, 0));
    OK(cuStreamGetCaptureInfo(s, &status, &id, &seen, &deps, &ndeps));
    IS(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    IS(ndeps, 1);
    OK(cuStreamUpdateCaptureDependencies(s, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuStreamWriteValue32(s, p + 4, 6, 0));
    OK(cuStreamEndCapture(s, &g));
    IS(seen == g && id, true);
    OK(cuGraphGetRootNodes(g, nodes, &n));
    IS(n, 2);
    OK(cuGraphNodeGetType(nodes[0], &type));
    IS(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(load<int>(p) * 10 + load<int>(p + 4), 56);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    CUstreamAttrValue v = {};
    v.priority = -2;
    OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_PRIORITY, &v));
    v.priority = 9;
    OK(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_PRIORITY, &v));
    IS(v.priority, -2);
    OK(cuMemFree(p));
}

int main() {
    CUcontext c;
    CUstream s;
    OK(cuInit(0));
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuStreamCreate(&s, 0));
    chain();
    comparisons(s);
    batches(s);
    captures(s);
    return report();
}
