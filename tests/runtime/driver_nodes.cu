// The driver API: graphs of nodes of each kind, told, changed, looked into.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include "expect.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void count_down(int *p, cudaGraphConditionalHandle h) {
    ++p[1];
    cudaGraphSetConditional(h, --p[0] > 0);
}
static void count_call(void *p) { ++*(int *)p; }

static CUfunction function(const void *kernel) {
    cudaFunction_t f;
    IS(cudaGetFuncBySymbol(&f, kernel), cudaSuccess);
    return (CUfunction)f;
}
static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, size_t n) {
    CUDA_MEMCPY3D c = {};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = from;
    c.dstDevice = to;
    c.WidthInBytes = n;
    c.Height = c.Depth = 1;
    return c;
}

/* fill, kernel, copy, host function, one after another; then with other parameters. */
static void chain(CUcontext context, CUstream s) {
    CUdeviceptr p;
    CUgraph g, copy;
    CUgraphExec x;
    CUgraphNode n[4], twin, from[8], to[8];
    int calls = 0, v = 5, one = 1;
    size_t edges = 8, deps = 8;
    OK(cuMemAllocManaged(&p, 256, CU_MEM_ATTACH_GLOBAL));
    int *q = (int *)p;
    CUDA_MEMSET_NODE_PARAMS fill = {p, 0, 7, 4, 8, 1}, fill2;
    void *args[] = {&p, &v}, *args2[] = {&p, &one};
    CUDA_KERNEL_NODE_PARAMS kernel = {}, kernel2;
    kernel.func = function((void *)add);
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.blockDimX = 8;
    kernel.kernelParams = args;
    CUDA_MEMCPY3D c = copy_of(p + 128, p, 32), c2;
    CUDA_HOST_NODE_PARAMS host = {count_call, &calls}, host2;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddMemsetNode(&n[0], g, nullptr, 0, &fill, context));
    OK(cuGraphAddKernelNode(&n[1], g, &n[0], 1, &kernel));
    OK(cuGraphAddMemcpyNode(&n[2], g, &n[1], 1, &c, context));
    OK(cuGraphAddHostNode(&n[3], g, &n[2], 1, &host));
    OK(cuGraphGetEdges(g, from, to, &edges));
    IS(edges, 3);
    IS(from[2] == n[2] && to[2] == n[3], true);
    OK(cuGraphNodeGetDependencies(n[2], from, &deps));
    IS(deps == 1 && from[0] == n[1], true);
    deps = 8;
    OK(cuGraphNodeGetDependentNodes(n[2], from, &deps));
    IS(deps == 1 && from[0] == n[3], true);
    OK(cuGraphMemsetNodeGetParams(n[0], &fill2));
    IS(fill2.dst == p && fill2.value == 7 && fill2.width == 8, true);
    OK(cuGraphKernelNodeGetParams(n[1], &kernel2));
    IS(kernel2.func == kernel.func && kernel2.blockDimX == 8 && *(int *)kernel2.kernelParams[1] == 5, true);
    OK(cuGraphMemcpyNodeGetParams(n[2], &c2));
    IS(c2.srcDevice == p && c2.dstDevice == p + 128 && c2.WidthInBytes == 32, true);
    IS(c2.dstMemoryType, CU_MEMORYTYPE_DEVICE);
    OK(cuGraphHostNodeGetParams(n[3], &host2));
    IS(host2.fn == count_call && host2.userData == &calls, true);
    OK(cuGraphClone(&copy, g));
    OK(cuGraphNodeFindInClone(&twin, n[1], copy));
    IS(twin != n[1], true);
    OK(cuGraphInstantiateWithFlags(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(q[39] * 10 + calls, 121);
    fill.value = 1;
    kernel.kernelParams = args2;
    c = copy_of(p + 128, p + 4, 4);
    OK(cuGraphExecMemsetNodeSetParams(x, n[0], &fill, context));
    OK(cuGraphExecKernelNodeSetParams(x, n[1], &kernel));
    OK(cuGraphExecMemcpyNodeSetParams(x, n[2], &c, context));
    host.userData = q + 63;
    q[63] = 0;
    OK(cuGraphExecHostNodeSetParams(x, n[3], &host));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(q[32] * 1000 + q[39] * 10 + q[63], 2121);
    unsigned on = 9;
    OK(cuGraphNodeSetEnabled(x, n[1], 0));
    OK(cuGraphNodeGetEnabled(x, n[1], &on));
    IS(on, 0);
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(q[32], 1);
    OK(cuGraphRemoveDependencies(g, &n[2], &n[3], 1));
    OK(cuGraphGetEdges(g, nullptr, nullptr, &edges));
    IS(edges, 2);
    CUkernelNodeAttrValue a = {};
    a.cooperative = 1;
    OK(cuGraphKernelNodeSetAttribute(n[1], CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &a));
    a.cooperative = 0;
    OK(cuGraphKernelNodeGetAttribute(n[1], CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &a));
    IS(a.cooperative, 1);
    cuuint64_t flags = 9;
    OK(cuGraphExecGetFlags(x, &flags));
    IS(flags, 0);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(copy));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(p));
}

/* By cuGraphAddNode: memory, a loop, events, children. */
static void any_node(CUcontext context, CUstream s) {
    CUgraph g, inner;
    CUgraphExec x;
    CUgraphNode alloc, loop, body, give;
    CUgraphConditionalHandle handle;
    CUgraphNodeParams p = {};
    CUdeviceptr q;
    OK(cuMemAllocManaged(&q, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphConditionalHandleCreate(&handle, g, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    p.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.alloc.bytesize = 4096;
    OK(cuGraphAddNode(&alloc, g, nullptr, 0, &p));
    CUdeviceptr mine = p.alloc.dptr;
    IS(mine != 0, true);
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    p.conditional.size = 1;
    p.conditional.ctx = context;
    OK(cuGraphAddNode(&loop, g, &alloc, 1, &p));
    inner = p.conditional.phGraph_out[0];
    void *args[] = {&q, &handle};
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = function((void *)count_down);
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = args;
    OK(cuGraphAddNode(&body, inner, nullptr, 0, &p));
    OK(cuGraphAddMemFreeNode(&give, g, &loop, 1, mine));
    CUDA_MEM_ALLOC_NODE_PARAMS told;
    CUdeviceptr freed;
    OK(cuGraphMemAllocNodeGetParams(alloc, &told));
    OK(cuGraphMemFreeNodeGetParams(give, &freed));
    IS(told.dptr == mine && told.bytesize == 4096 && freed == mine, true);
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
    OK(cuGraphInstantiateWithParams(&x, g, &how));
    IS(how.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    ((int *)q)[0] = 6;
    ((int *)q)[1] = 0;
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(((int *)q)[1], 6);
    cuuint64_t used = 1;
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    IS(used, 0);
    OK(cuDeviceGraphMemTrim(0));
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuMemFree(q));
}

static void events_and_children(CUstream s) {
    CUgraph g, child, got;
    CUgraphExec x;
    CUgraphNode record, wait, node, inside;
    CUevent e, f, told;
    CUuserObject object;
    int calls = 0, gone = 0;
    CUDA_HOST_NODE_PARAMS host = {count_call, &calls};
    OK(cuEventCreate(&e, 0));
    OK(cuEventCreate(&f, 0));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphCreate(&child, 0));
    OK(cuGraphAddHostNode(&inside, child, nullptr, 0, &host));
    OK(cuGraphAddEventRecordNode(&record, g, nullptr, 0, e));
    OK(cuGraphAddChildGraphNode(&node, g, &record, 1, child));
    OK(cuGraphAddEventWaitNode(&wait, g, &node, 1, f));
    OK(cuGraphEventRecordNodeGetEvent(record, &told));
    IS(told == e, true);
    OK(cuGraphEventRecordNodeSetEvent(record, f));
    OK(cuGraphEventRecordNodeGetEvent(record, &told));
    IS(told == f, true);
    OK(cuGraphEventWaitNodeSetEvent(wait, e));
    OK(cuGraphEventWaitNodeGetEvent(wait, &told));
    IS(told == e, true);
    OK(cuGraphChildGraphNodeGetGraph(node, &got));
    IS(got && got != child, true);
    OK(cuUserObjectCreate(&object, &gone, count_call, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    IS(calls, 1);
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    OK(cuGraphDestroy(child));
    IS(gone, 1);
    OK(cuEventDestroy(e));
    OK(cuEventDestroy(f));
}

int main() {
    CUcontext c;
    CUstream s;
    OK(cuInit(0));
    OK(cuCtxCreate(&c, 0, 0));
    OK(cuStreamCreate(&s, 0));
    chain(c, s);
    any_node(c, s);
    events_and_children(s);
    return report();
}
