// The driver API: copies in batches and between contexts, edges with data, affinity, normalized formats of arrays.
// REQUIRES: run
// RUN: %cucpu -std=c++17 %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#include "expect.h"

static CUstream s;
static CUdeviceptr d;
__global__ void fetch(CUtexObject t, float2 *out) { *out = tex2D<float2>(t, 1.5f, 0.5f); }

static void copies(CUcontext context) {
    int a[4] = {1, 2, 3, 4}, b[2] = {5, 6}, back[16];
    CUdeviceptr to[] = {d, d + 32}, from[] = {(CUdeviceptr)a, (CUdeviceptr)b};
    size_t sizes[] = {16, 8}, at[] = {0}, failed = 9;
    CUmemcpyAttributes attributes = {CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    OK(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, at, 1, &failed, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, d, 64));
    IS(back[3] * 10 + back[9], 46);
    sizes[1] = 1 << 20;
    IS(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, at, 1, &failed, s), CUDA_ERROR_INVALID_VALUE);
    IS(failed, 1);
    CUDA_MEMCPY3D_BATCH_OP op = {};
    op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op.src.op.ptr.ptr = d, op.dst.op.ptr.ptr = d + 128;
    op.extent = {16, 1, 1};
    OK(cuMemcpy3DBatchAsync(1, &op, &failed, 0, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, d + 128, 16));
    IS(back[2], 3);
    CUDA_MEMCPY3D_PEER p = {};
    p.srcMemoryType = CU_MEMORYTYPE_HOST, p.srcHost = b, p.srcPitch = 4;
    p.dstMemoryType = CU_MEMORYTYPE_DEVICE, p.dstDevice = d, p.dstPitch = 8;
    p.WidthInBytes = 4, p.Height = 2, p.Depth = 1;
    IS(cuMemcpy3DPeer(&p), CUDA_ERROR_INVALID_CONTEXT);
    p.srcContext = p.dstContext = context;
    OK(cuMemcpy3DPeer(&p));
    p.dstDevice = d + 4;
    OK(cuMemcpy3DPeerAsync(&p, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, d, 16));
    IS(back[0] * 1000 + back[1] * 100 + back[2] * 10 + back[3], 5566);
}

static void edges() {
    CUgraph g;
    CUgraphNode a, b, from[2], to[2];
    CUgraphEdgeData plain = {}, told[2];
    size_t n = 2;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&a, g, nullptr, 0));
    OK(cuGraphAddEmptyNode(&b, g, nullptr, 0));
    OK(cuGraphAddDependencies_v2(g, &a, &b, &plain, 1));
    OK(cuGraphGetEdges_v2(g, from, to, told, &n));
    IS(n == 1 && from[0] == a && to[0] == b && !told[0].type, 1);
    n = 2;
    OK(cuGraphNodeGetDependencies_v2(b, from, told, &n));
    IS(n == 1 && from[0] == a, 1);
    n = 2;
    OK(cuGraphNodeGetDependentNodes_v2(a, to, told, &n));
    IS(n == 1 && to[0] == b, 1);
    OK(cuGraphRemoveDependencies_v2(g, &a, &b, &plain, 1));
    OK(cuGraphGetEdges_v2(g, nullptr, nullptr, nullptr, &n));
    IS(n, 0);
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemsetD8Async(d, 0, 4, s));
    CUstreamCaptureStatus status;
    const CUgraphNode *deps;
    const CUgraphEdgeData *data;
    cuuint64_t id = 0;
    CUgraph captured;
    OK(cuStreamGetCaptureInfo_v3(s, &status, &id, &captured, &deps, &data, &n));
    IS(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && n == 1, 1);
    OK(cuStreamUpdateCaptureDependencies_v2(s, nullptr, nullptr, 0, 1)); // CU_STREAM_SET_CAPTURE_DEPENDENCIES
    OK(cuStreamGetCaptureInfo_v3(s, &status, nullptr, nullptr, &deps, nullptr, &n));
    IS(n, 0);
    OK(cuStreamEndCapture(s, &captured));
}

static void formats() {
    CUDA_ARRAY_DESCRIPTOR a = {2, 1, CU_AD_FORMAT_SNORM_INT8X2, 2}, back;
    CUarray array;
    OK(cuArrayCreate(&array, &a));
    OK(cuArrayGetDescriptor(&back, array));
    IS(back.Format, CU_AD_FORMAT_SNORM_INT8X2);
    signed char texels[] = {0, 0, 127, -127};
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = texels;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY, c.dstArray = array;
    c.WidthInBytes = 4, c.Height = 1;
    OK(cuMemcpy2D(&c));
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC t = {};
    CUtexObject object;
    r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = array;
    OK(cuTexObjectCreate(&object, &r, &t, nullptr));
    fetch<<<1, 1>>>(object, (float2 *)d);
    float2 got;
    OK(cuMemcpyDtoH(&got, d, sizeof got));
    IS(got.x * 10 + got.y, 9);
    a.NumChannels = 4;
    IS(cuArrayCreate(&array, &a), CUDA_ERROR_INVALID_VALUE);
    a.Format = CU_AD_FORMAT_NV12;
    IS(cuArrayCreate(&array, &a), CUDA_ERROR_INVALID_VALUE);
}

int main() {
    CUcontext context;
    CUexecAffinityParam affinity;
    CUdevResource all;
    int supported = 1;
    OK(cuInit(0));
    OK(cuCtxCreate(&context, 0, 0));
    OK(cuStreamCreate(&s, 0));
    OK(cuMemAlloc(&d, 256));
    copies(context);
    edges();
    formats();
    OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    IS(supported, 0);
    OK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    IS(affinity.param.smCount.val, all.sm.smCount);
    return report();
}
