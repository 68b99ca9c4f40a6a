// Graphs: captured and made by hand, changed, cloned, with memory and event nodes and user objects.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -w %s -o %t && %run %t | FileCheck %s
// RUN: env CUCPU_LAUNCH=async %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cstring>
#include "expect.h"
#define T(expr) IS(!!(expr), 1)
#include <cooperative_groups.h>
#include <vector>
__global__ void add(int *p, int v) { *p += v; }
__global__ void setk(int *p, int v) { *p = v; }
static void CUDART_CB hf(void *p) { ++*(int *)p; }
__global__ void sums(int *p, int first) {
    p[blockIdx.x] = blockIdx.x + first;
    cooperative_groups::this_grid().sync();
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += p[i];
    p[gridDim.x + blockIdx.x] = sum;
}

/* The attribute of a node makes its launch a cooperative one, also after its parameters have changed. */
static void cooperative_nodes(int *d, cudaStream_t s) {
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t e;
    int first = 1, other = 2;
    void *args[] = {&d, &first}, *others[] = {&d, &other};
    cudaKernelNodeParams p = {(void *)sums, 4, 32, 0, args, nullptr};
    cudaLaunchAttributeValue on = {};
    on.cooperative = 1;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddKernelNode(&n, g, nullptr, 0, &p));
    OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeCooperative, &on));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(d[7], 10);
    p.kernelParams = others;
    OK(cudaGraphExecKernelNodeSetParams(e, n, &p));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(d[7], 14);
    p.gridDim = 1 << 20;
    IS(cudaGraphExecKernelNodeSetParams(e, n, &p), cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
}
__global__ void cluster_ranks(int *p) {
    auto c = cooperative_groups::this_cluster();
    c.sync();
    if (threadIdx.x == 0) p[blockIdx.x] = c.block_rank() * 10 + c.num_blocks();
}

/* Captured nodes keep how they were launched when their parameters change. */
static void captured_attributes(int *d) {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t nodes[2];
    size_t n = 2;
    int first = 1, other = 2;
    void *args[] = {&d, &first}, *others[] = {&d, &other}, *out[] = {&d};
    cudaLaunchAttributeValue v;
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a = {};
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -2));
    c.gridDim = 4;
    c.blockDim = 32;
    c.stream = s;
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim = {2, 1, 1};
    c.attrs = &a;
    c.numAttrs = 1;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchCooperativeKernel((void *)sums, 4, 32, args, 0, s));
    OK(cudaLaunchKernelEx(&c, cluster_ranks, d));
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphGetNodes(g, nodes, &n));
    OK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributeCooperative, &v));
    IS(v.cooperative, 1);
    OK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributePriority, &v));
    IS(v.priority, -2);
    OK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeClusterDimension, &v));
    IS(v.clusterDim.x * 100 + v.clusterDim.y * 10 + v.clusterDim.z, 211);
    OK(cudaGraphInstantiate(&e, g, 0));
    cudaKernelNodeParams p = {(void *)sums, 4, 32, 0, others, nullptr}, q = {(void *)cluster_ranks, 6, 32, 0, out, nullptr};
    OK(cudaGraphExecKernelNodeSetParams(e, nodes[0], &p));
    OK(cudaGraphExecKernelNodeSetParams(e, nodes[1], &q));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(d[0] * 100 + d[5], 212);
    IS(d[7], 14);
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    OK(cudaStreamDestroy(s));
}

__global__ void increase(int *p) {
    int v = *(volatile int *)p;
    for (volatile int i = 0; i < 1000; i = i + 1) continue;
    *(volatile int *)p = v + 1;
}

/* A launch in a capturing stream is a child graph, as the executable graph is then. */
static void launch_captured(int *p, cudaStream_t s) {
    cudaGraph_t g, h, child = nullptr;
    cudaGraphExec_t x, y;
    cudaGraphNode_t nodes[3];
    cudaGraphNodeType type;
    size_t n = 3, inner = 0;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    increase<<<1, 1, 0, s>>>(p);
    increase<<<1, 1, 0, s>>>(p);
    OK(cudaStreamEndCapture(s, &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    setk<<<1, 1, 0, s>>>(p, 10);
    OK(cudaGraphLaunch(x, s));
    increase<<<1, 1, 0, s>>>(p);
    OK(cudaStreamEndCapture(s, &h));
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    OK(cudaGraphGetNodes(h, nodes, &n));
    IS(n, 3);
    OK(cudaGraphNodeGetType(nodes[1], &type));
    IS(type, cudaGraphNodeTypeGraph);
    OK(cudaGraphChildGraphNodeGetGraph(nodes[1], &child));
    OK(cudaGraphGetNodes(child, nullptr, &inner));
    IS(inner, 2);
    OK(cudaGraphInstantiate(&y, h, 0));
    for (int i = 0; i < 3; i++) {
        OK(cudaGraphLaunch(y, s));
        OK(cudaStreamSynchronize(s));
        IS(*p, 13);
    }
    OK(cudaGraphExecDestroy(y));
    OK(cudaGraphDestroy(h));
}

/* Launches of one executable graph follow each other, in whatever streams they are. */
static void launches_in_turn(int *p) {
    cudaStream_t s[4];
    cudaGraph_t g;
    cudaGraphExec_t x;
    for (cudaStream_t &one : s) OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    increase<<<1, 1, 0, s[0]>>>(p);
    increase<<<1, 1, 0, s[0]>>>(p);
    OK(cudaStreamEndCapture(s[0], &g));
    OK(cudaGraphInstantiate(&x, g, 0));
    *p = 0;
    for (int i = 0; i < 100; i++) OK(cudaGraphLaunch(x, i % 5 < 4 ? s[i % 5] : cudaStreamLegacy));
    OK(cudaDeviceSynchronize());
    IS(*p, 200);
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    for (cudaStream_t one : s) OK(cudaStreamDestroy(one));
}

int main() {
    int *d;
    cudaMallocManaged(&d, 4096);
    *d = 0;
    cudaStream_t s, s2;
    cudaStreamCreate(&s);
    cudaStreamCreate(&s2);
    cudaGraph_t g;
    cudaGraphExec_t e;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(d, 5);
    cudaStreamCaptureStatus cs;
    OK(cudaStreamIsCapturing(s, &cs));
    IS(cs, cudaStreamCaptureStatusActive);
    cudaEvent_t ev;
    cudaEventCreate(&ev);
    OK(cudaEventRecord(ev, s));
    OK(cudaStreamWaitEvent(s2, ev));
    add<<<1, 1, 0, s2>>>(d, 7);
    cudaEvent_t ev2;
    cudaEventCreate(&ev2);
    OK(cudaEventRecord(ev2, s2));
    OK(cudaStreamWaitEvent(s, ev2));
    OK(cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice, s));
    OK(cudaMemsetAsync(d + 2, 1, 4, s));
    int hc = 0;
    OK(cudaLaunchHostFunc(s, hf, &hc));
    OK(cudaStreamEndCapture(s, &g));
    IS(*d, 0);
    size_t n = 0;
    OK(cudaGraphGetNodes(g, 0, &n));
    IS(n, 5);
    std::vector<cudaGraphNode_t> nodes(n);
    OK(cudaGraphGetNodes(g, nodes.data(), &n));
    size_t ne = 0;
    OK(cudaGraphGetEdges(g, 0, 0, &ne));
    IS(ne, 5);
    size_t nr = 0;
    OK(cudaGraphGetRootNodes(g, 0, &nr));
    IS(nr, 1);
    OK(cudaGraphInstantiate(&e, g, 0, 0, 0));
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(*d, 36);
    IS(d[1], 36);
    IS(d[2], 0x01010101);
    IS(hc, 3);
    OK(cudaGraphExecDestroy(e));
    OK(cudaGraphDestroy(g));
    // errors in capture
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    {
        cudaError_t x = cudaStreamEndCapture(s, &g);
        IS(x, cudaErrorStreamCaptureInvalidated);
    }
    cudaGetLastError();
    IS(cudaStreamEndCapture(s, &g), cudaErrorIllegalState);
    cudaGetLastError();
    // manual
    OK(cudaGraphCreate(&g, 0));
    int v1 = 10, v2 = 20;
    void *a1[] = {&d, &v1}, *a2[] = {&d, &v2};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)setk;
    kp.gridDim = 1;
    kp.blockDim = 1;
    kp.kernelParams = a1;
    cudaGraphNode_t k1, k2, m1, h1, ms, em, ch;
    OK(cudaGraphAddKernelNode(&k1, g, 0, 0, &kp));
    kp.func = (void *)add;
    kp.kernelParams = a2;
    OK(cudaGraphAddKernelNode(&k2, g, &k1, 1, &kp));
    int out = 0;
    OK(cudaGraphAddMemcpyNode1D(&m1, g, &k2, 1, &out, d, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams hp = {hf, &hc};
    OK(cudaGraphAddHostNode(&h1, g, &m1, 1, &hp));
    cudaMemsetParams mp = {};
    mp.dst = d + 4;
    mp.value = 3;
    mp.elementSize = 4;
    mp.width = 2;
    mp.height = 1;
    OK(cudaGraphAddMemsetNode(&ms, g, 0, 0, &mp));
    OK(cudaGraphAddEmptyNode(&em, g, 0, 0));
    OK(cudaGraphAddDependencies(g, &em, &h1, 1));
    cudaGraphNodeType ty;
    OK(cudaGraphNodeGetType(k1, &ty));
    IS(ty, cudaGraphNodeTypeKernel);
    cudaGraph_t cl;
    OK(cudaGraphClone(&cl, g));
    cudaGraphNode_t fc;
    OK(cudaGraphNodeFindInClone(&fc, k1, cl));
    OK(cudaGraphNodeGetType(fc, &ty));
    size_t nd = 9;
    OK(cudaGraphNodeGetDependencies(k2, 0, &nd));
    IS(nd, 1);
    cudaGraphNode_t dd;
    OK(cudaGraphNodeGetDependencies(k2, &dd, &nd));
    T(dd == k1);
    OK(cudaGraphNodeGetDependentNodes(k1, 0, &nd));
    IS(nd, 1);
    cudaKernelNodeParams gp;
    OK(cudaGraphKernelNodeGetParams(k2, &gp));
    T(gp.func == (void *)add && *(int *)gp.kernelParams[1] == 20);
    cudaHostNodeParams ghp;
    OK(cudaGraphHostNodeGetParams(h1, &ghp));
    T(ghp.fn == hf);
    cudaMemsetParams gmp;
    OK(cudaGraphMemsetNodeGetParams(ms, &gmp));
    IS(gmp.value, 3);
    cudaMemcpy3DParms gc;
    OK(cudaGraphMemcpyNodeGetParams(m1, &gc));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphLaunch(e, 0));
    OK(cudaDeviceSynchronize());
    IS(out, 30);
    IS(d[4], 3);
    IS(d[5], 3);
    IS(hc, 4);
    int v3 = 100;
    void *a3[] = {&d, &v3};
    kp.kernelParams = a3;
    OK(cudaGraphExecKernelNodeSetParams(e, k2, &kp));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(out, 110);
    OK(cudaGraphKernelNodeSetParams(k2, &kp));
    mp.value = 9;
    OK(cudaGraphExecMemsetNodeSetParams(e, ms, &mp));
    OK(cudaGraphMemsetNodeSetParams(ms, &mp));
    hp.userData = &out;
    OK(cudaGraphExecHostNodeSetParams(e, h1, &hp));
    OK(cudaGraphHostNodeSetParams(h1, &hp));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(out, 111);
    IS(d[5], 9);
    unsigned en = 7;
    OK(cudaGraphNodeGetEnabled(e, k2, &en));
    IS(en, 1);
    OK(cudaGraphNodeSetEnabled(e, k2, 0));
    OK(cudaGraphLaunch(e, s));
    OK(cudaStreamSynchronize(s));
    IS(out, 11);
    cudaGraphExecUpdateResultInfo ri;
    OK(cudaGraphExecUpdate(e, g, &ri));
    IS(ri.result, cudaGraphExecUpdateSuccess);
    cudaGraph_t g0;
    cudaGraphCreate(&g0, 0);
    IS(cudaGraphExecUpdate(e, g0, &ri), cudaErrorGraphExecUpdateFailure);
    cudaGetLastError();
    OK(cudaGraphRemoveDependencies(g, &em, &h1, 1));
    OK(cudaGraphDestroyNode(em));
    OK(cudaGraphDebugDotPrint(g, "/dev/null", 0));
    OK(cudaGraphUpload(e, s));
    unsigned long long fl;
    OK(cudaGraphExecGetFlags(e, &fl));
    // child, events
    cudaGraph_t gg;
    OK(cudaGraphCreate(&gg, 0));
    OK(cudaGraphAddChildGraphNode(&ch, gg, 0, 0, g));
    cudaGraph_t cg;
    OK(cudaGraphChildGraphNodeGetGraph(ch, &cg));
    cudaGraphNode_t er, ew;
    OK(cudaGraphAddEventRecordNode(&er, gg, &ch, 1, ev));
    OK(cudaGraphAddEventWaitNode(&ew, gg, &er, 1, ev));
    cudaEvent_t qe;
    OK(cudaGraphEventRecordNodeGetEvent(er, &qe));
    T(qe == ev);
    cudaGraphExec_t e2;
    OK(cudaGraphInstantiate(&e2, gg, 0));
    OK(cudaGraphLaunch(e2, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaEventQuery(ev));
    // memalloc
    cudaGraph_t gm;
    OK(cudaGraphCreate(&gm, 0));
    cudaMemAllocNodeParams ap = {};
    ap.bytesize = 1024;
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t an, fn, kn;
    OK(cudaGraphAddMemAllocNode(&an, gm, 0, 0, &ap));
    T(ap.dptr);
    int *dp = (int *)ap.dptr;
    void *a4[] = {&dp, &v1};
    kp.func = (void *)setk;
    kp.kernelParams = a4;
    OK(cudaGraphAddKernelNode(&kn, gm, &an, 1, &kp));
    cudaGraphNode_t cn;
    OK(cudaGraphAddMemcpyNode1D(&cn, gm, &kn, 1, &out, dp, 4, cudaMemcpyDefault));
    OK(cudaGraphAddMemFreeNode(&fn, gm, &cn, 1, dp));
    cudaGraphExec_t e3;
    OK(cudaGraphInstantiate(&e3, gm, 0));
    OK(cudaGraphLaunch(e3, s));
    OK(cudaStreamSynchronize(s));
    IS(out, 10);
    OK(cudaGraphLaunch(e3, s));
    OK(cudaStreamSynchronize(s));
    // capture of mallocAsync
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    int *ma;
    OK(cudaMallocAsync(&ma, 64, s));
    setk<<<1, 1, 0, s>>>(ma, 5);
    OK(cudaMemcpyAsync(d, ma, 4, cudaMemcpyDefault, s));
    OK(cudaFreeAsync(ma, s));
    OK(cudaStreamEndCapture(s, &g0));
    cudaGraphExec_t e4;
    OK(cudaGraphInstantiate(&e4, g0, 0));
    OK(cudaGraphLaunch(e4, s));
    OK(cudaStreamSynchronize(s));
    IS(*d, 5);
    // user objects
    static int gone = 0;
    cudaUserObject_t uo;
    OK(cudaUserObjectCreate(&uo, &gone, hf, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(gm, uo, 1, cudaGraphUserObjectMove));
    OK(cudaGraphExecDestroy(e3));
    OK(cudaGraphDestroy(gm));
    cudaDeviceSynchronize();
    IS(gone, 1);
    cudaGraphNodeParams np = {};
    np.type = cudaGraphNodeTypeKernel;
    np.kernel.func = (void *)setk;
    np.kernel.gridDim = 1;
    np.kernel.blockDim = 1;
    np.kernel.kernelParams = a1;
    OK(cudaGraphCreate(&g0, 0));
    OK(cudaGraphAddNode(&k1, g0, 0, 0, &np));
    OK(cudaGraphNodeSetParams(k1, &np));
    OK(cudaGraphInstantiate(&e4, g0, 0));
    OK(cudaGraphExecNodeSetParams(e4, k1, &np));
    OK(cudaGraphLaunch(e4, s));
    OK(cudaStreamSynchronize(s));
    IS(*d, 10);
    cudaGraphInstantiateParams ip = {};
    OK(cudaGraphInstantiateWithParams(&e4, g0, &ip));
    IS(ip.result_out, cudaGraphInstantiateSuccess);
    cooperative_nodes(d, s);
    captured_attributes(d);
    launch_captured(d, s);
    launches_in_turn(d);
    return report();
}
