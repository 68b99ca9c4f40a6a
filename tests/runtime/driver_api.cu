// The driver API: what it answers, and that it and the runtime API are one device.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -w %s -o %t -lcuda && %run %t | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cstring>
#include "expect.h"
#define T(expr) IS(!!(expr), 1)
#include <cuda.h>
#include <dlfcn.h>
#include <thread>
#include <vector>
__global__ void k(int *p, int n, double f, char c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i + (int)f + c;
}
__global__ void tex(CUtexObject t, float *o) {
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, .5f);
}
__device__ int variable = 77;
__global__ void read_variable(int *p) { *p = variable; }

/* A function's module has the program's variables and its other functions. */
static void modules_of_functions() {
    cudaFunction_t f;
    CUmodule m, again;
    CUlibrary library;
    CUfunction k, other;
    CUdeviceptr p;
    size_t bytes;
    int value = 0;
    CUfunctionLoadingState state;
    IS(cudaGetFuncBySymbol(&f, (const void *)read_variable), cudaSuccess);
    k = (CUfunction)f;
    OK(cuFuncGetModule(&m, k));
    OK(cuFuncGetModule(&again, k));
    T(m == again);
    OK(cuModuleGetGlobal(&p, &bytes, m, "variable"));
    OK(cuMemcpyDtoH(&value, p, bytes));
    IS(value, 77);
    OK(cuModuleGetFunction(&other, m, "_Z13read_variablePi"));
    OK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
    void *args[] = {&p};
    OK(cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr));
    OK(cuCtxSynchronize());
    IS(*(int *)p, 77);
    OK(cuKernelGetLibrary(&library, (CUkernel)k));
    T((CUmodule)library == m);
    OK(cuFuncLoad(k));
    OK(cuFuncIsLoaded(&state, k));
    IS(state, CU_FUNCTION_LOADING_STATE_LOADED);
    IS(cuFuncGetModule(&m, nullptr), CUDA_ERROR_INVALID_HANDLE);
    IS(cuLibraryGetManaged(&p, &bytes, library, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuMemFree(p));
}

/* Calls of the runtime API use the context that is current; without one they make the primary one current. */
static void contexts_and_the_runtime() {
    CUcontext before, c, now;
    OK(cuCtxGetCurrent(&before));
    OK(cuCtxSetCurrent(nullptr));
    OK(cuCtxGetCurrent(&now));
    T(!now);
    OK(cuCtxCreate(&c, 0, 0));
    OK(cudaDeviceSynchronize());
    OK(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    unsigned flags = 99;
    OK(cuCtxGetFlags(&flags));
    IS(flags, CU_CTX_SCHED_YIELD);
    OK(cuCtxSetCurrent(nullptr));
    OK(cuCtxGetCurrent(&now));
    T(!now);
    IS(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    OK(cudaDeviceSynchronize());
    OK(cuCtxGetCurrent(&now));
    T(now && now != c);
    OK(cuCtxDestroy(c));
    OK(cuCtxSetCurrent(before));
}

/* Mappings side by side: copies go across, each is unmapped whole, and a call that fails changes nothing. */
static void mappings_that_adjoin(const CUmemAllocationProp *prop, size_t gr) {
    CUmemAccessDesc rw = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}, ro = rw;
    CUmemGenericAllocationHandle h[2], again;
    CUdeviceptr va, off = gr - 8;
    unsigned long long flags;
    int words[4] = {1, 2, 3, 4}, back[4] = {};
    ro.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    OK(cuMemAddressReserve(&va, 3 * gr, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        OK(cuMemCreate(&h[i], gr, prop, 0));
        OK(cuMemMap(va + i * gr, gr, 0, h[i], 0));
        OK(cuMemSetAccess(va + i * gr, gr, &rw, 1));
    }
    IS(cuMemSetAccess(va, 3 * gr, &ro, 1), CUDA_ERROR_INVALID_VALUE); /* nothing is mapped at the end */
    OK(cuMemGetAccess(&flags, &prop->location, va + 4));
    IS(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuMemcpyHtoD(va + off, words, 16));
    OK(cuMemcpyDtoH(back, va + off, 16));
    T(back[0] == 1 && back[3] == 4);
    IS(cuMemcpyDtoH(back, va + 2 * gr - 8, 16), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(va, gr, &ro, 1));
    OK(cuMemGetAccess(&flags, &prop->location, va));
    IS(flags, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemRetainAllocationHandle(&again, (void *)(va + gr + 4)));
    T(again == h[1]);
    OK(cuMemRelease(h[0]));
    OK(cuMemRelease(h[1]));
    OK(cuMemRelease(again));
    IS(cuMemRelease(again), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemUnmap(va, gr / 2), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemUnmap(va, 3 * gr), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyDtoH(back, va + off, 16)); /* the mappings hold the memory */
    OK(cuMemUnmap(va + gr, gr));
    OK(cuMemcpyDtoH(back, va, 16));
    OK(cuMemUnmap(va, gr));
    IS(cuMemRetainAllocationHandle(&again, (void *)va), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(va, 3 * gr));
}
/* Names of later versions, of second versions, and what came with them. */
static void host_function(void *data) { ++*(int *)data; }
static void capture_and_graphs(CUfunction fn, CUdeviceptr p) {
    CUstream s;
    CUgraph g, h;
    CUgraphExec x;
    CUgraphNode kernel, host;
    CUgraphNodeType type;
    CUstreamCaptureStatus status;
    int n = 4, calls = 0, got[4];
    double f = 1;
    char c = 2;
    size_t count = 0, bytes = sizeof(double) * 3 + 1;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuStreamIsCapturing(s, &status));
    IS(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemsetD32Async(p, 7, 4, s));
    OK(cuStreamEndCapture(s, &h));
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddChildGraphNode(&host, g, nullptr, 0, h));
    struct {
        CUdeviceptr p;
        int n;
        double f;
        char c;
    } packed = {p, n, f, c};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUDA_KERNEL_NODE_PARAMS kp = {fn, 1, 1, 1, 3, 1, 1, 0, nullptr, extra, nullptr, nullptr};
    OK(cuGraphAddKernelNode(&kernel, g, &host, 1, &kp));
    CUDA_HOST_NODE_PARAMS hp = {host_function, &calls};
    OK(cuGraphAddHostNode(&host, g, &kernel, 1, &hp));
    OK(cuGraphNodeGetType(host, &type));
    IS(type, CU_GRAPH_NODE_TYPE_HOST);
    OK(cuGraphGetNodes(g, nullptr, &count));
    IS(count, 3);
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphLaunch(x, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(got, p, sizeof got));
    T(got[0] == 3 && got[2] == 5 && got[3] == 7 && calls == 1);
    OK(cuGraphExecDestroy(x));
    IS(cuGraphLaunch(x, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(g));
}
static void later_versions(CUfunction fn) {
    CUmemoryPool pool;
    CUmemPoolProps props = {};
    CUdeviceptr p;
    uint64_t used;
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuMemAllocFromPoolAsync(&p, 4096, pool, 0));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    IS(used, 4096);
    OK(cuMemFreeAsync(p, 0));
    OK(cuMemPoolDestroy(pool));
    OK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemPrefetchAsync_v2(p, 4096, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, 0));
    int mostly, last, width;
    OK(cuMemRangeGetAttribute(&mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 4096));
    OK(cuMemRangeGetAttribute(&last, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096));
    T(mostly == 1 && last == 0);
    OK(cuMemsetD2D32Async(p, 64, 5, 2, 3, 0));
    OK(cuMemFree(p));
    OK(cuFuncGetAttribute(&width, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, fn));
    IS(width, 0);
    size_t offset, size;
    const char *name;
    OK(cuKernelGetParamInfo((CUkernel)fn, 2, &offset, &size));
    IS(offset, 16);
    OK(cuKernelGetName(&name, (CUkernel)fn));
    T(strstr(name, "k"));
    CUlaunchAttribute cluster = {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim = {2, 1, 1};
    CUlaunchConfig config = {2, 1, 1, 1, 1, 1, 0, 0, &cluster, 1};
    IS(cuOccupancyMaxPotentialClusterSize(&width, fn, &config), 0);
    IS(width, 8);
    OK(cuOccupancyMaxActiveClusters(&width, fn, &config));
    T(width > 0);
    config.gridDimX = 3;
    IS(cuLaunchKernelEx(&config, fn, nullptr, nullptr), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    void *self = dlopen("libcuda.so.1", RTLD_NOW), *f;
    T(self && dlsym(self, "cuMemAlloc_v2") && dlsym(self, "cuMemcpyHtoD_v2") && dlsym(self, "cuCtxCreate_v2"));
    auto get = (CUresult(*)(const char *, void **, int, cuuint64_t))dlsym(self, "cuGetProcAddress");
    OK(get("cuMemFree", &f, 11030, 0));
    T(f == (void *)dlsym(self, "cuMemFree_v2"));
}
int main() {
    int n;
    IS(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    IS(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    IS(cuInit(0), 0);
    IS(cuDeviceGetCount(&n), 0);
    IS(n, 1);
    CUdevice d;
    IS(cuDeviceGet(&d, 0), 0);
    IS(cuDeviceGet(&d, 1), CUDA_ERROR_INVALID_DEVICE);
    char nm[64];
    IS(cuDeviceGetName(nm, 64, 0), 0);
    size_t tm;
    IS(cuDeviceTotalMem(&tm, 0), 0);
    T(tm > 0);
    int mj, mi;
    IS(cuDeviceComputeCapability(&mj, &mi, 0), 0);
    IS(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0), 0);
    T(n > 0);
    IS(cuDeviceGetAttribute(&n, (CUdevice_attribute)0, 0), 1);
    CUuuid u;
    IS(cuDeviceGetUuid(&u, 0), 0);
    CUdevprop dp;
    IS(cuDeviceGetProperties(&dp, 0), 0);
    IS(dp.SIMDWidth, 32);
    for (int a = 1; a < CU_DEVICE_ATTRIBUTE_MAX; a++)
        IS(cuDeviceGetAttribute(&n, (CUdevice_attribute)a, 0), 0);
    CUdeviceptr p;
    IS(cuMemAlloc(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
    CUcontext c, c2, cc;
    IS(cuCtxGetCurrent(&cc), 0);
    T(cc == 0);
    IS(cuCtxCreate(&c, 0, 0), 0);
    IS(cuCtxGetCurrent(&cc), 0);
    T(cc == c);
    CUctxCreateParams none = {};
    IS(cuCtxCreate(&c2, &none, CU_CTX_SCHED_YIELD, 0), 0);
    unsigned f;
    IS(cuCtxGetFlags(&f), 0);
    IS(f, 2);
    IS(cuCtxPopCurrent(&cc), 0);
    T(cc == c2);
    IS(cuCtxDestroy(c2), 0);
    IS(cuCtxSetCurrent(c2), CUDA_ERROR_INVALID_CONTEXT);
    IS(cuCtxDestroy(c2), CUDA_ERROR_INVALID_CONTEXT);
    CUstream made;
    CUevent point;
    IS(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING), 0);
    IS(cuEventCreate(&point, 0), 0);
    std::thread([&] {
        CUdeviceptr q;
        IS(cuMemAlloc(&q, 4), CUDA_ERROR_INVALID_CONTEXT);
        IS(cuEventRecord(point, made), 0); // they have contexts of their own
        IS(cuStreamWaitEvent(made, point, 0), 0);
        IS(cuStreamSynchronize(made), 0);
        IS(cuStreamGetCtx(made, &cc), 0);
        T(cc == c);
        IS(cuEventQuery(point), 0);
        CUmemoryPool pool;
        cuuint64_t used = 1;
        IS(cuDeviceGetDefaultMemPool(&pool, 0), 0); // the device's
        IS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used), 0);
        IS(used, 0);
        IS(cuMemAllocFromPoolAsync(&q, 4, pool, made), 0);
        IS(cuMemFreeAsync(q, made), 0);
        IS(cuStreamSynchronize(0), CUDA_ERROR_INVALID_CONTEXT);
        IS(cuEventCreate(&point, 0), CUDA_ERROR_INVALID_CONTEXT);
        IS(cuCtxGetCurrent(&cc), 0);
        T(cc == 0);
        IS(cuCtxSetCurrent(c), 0);
        IS(cuMemAlloc(&q, 4), 0);
        IS(cuMemFree(q), 0);
    }).join();
    IS(cuMemAlloc(&p, 1024), 0);
    CUdeviceptr nothing = 8;
    IS(cuMemAlloc(&nothing, 0), 1);
    IS(nothing, 0);
    std::vector<int> h(256, 7), g(256);
    IS(cuMemcpyHtoD(p, h.data(), 1024), 0);
    IS(cuMemcpyDtoH(g.data(), p, 1024), 0);
    T(g == h);
    IS(cuMemsetD32(p, 0x12345678, 256), 0);
    IS(cuMemcpyDtoH(g.data(), p, 1024), 0);
    T(g[255] == 0x12345678);
    IS(cuMemsetD8(p, 1, 4), 0);
    IS(cuMemsetD16(p + 4, 0x202, 2), 0);
    IS(cuMemcpyDtoH(g.data(), p, 8), 0);
    T(g[0] == 0x01010101 && g[1] == 0x02020202);
    IS(cuMemcpyHtoD(p, h.data(), 1025), 1);
    CUdeviceptr b;
    size_t s;
    IS(cuMemGetAddressRange(&b, &s, p + 100), 0);
    T(b == p && s == 1024);
    CUfunction fn;
    cudaFunction_t cf;
    OK(cudaGetFuncBySymbol(&cf, (void *)k));
    fn = (CUfunction)cf;
    int N = 256;
    double fl = 2.5;
    char ch = 3;
    void *args[] = {&p, &N, &fl, &ch};
    IS(cuLaunchKernel(fn, 2, 1, 1, 128, 1, 1, 0, 0, args, 0), 0);
    IS(cuCtxSynchronize(), 0);
    IS(cuMemcpyDtoH(g.data(), p, 1024), 0);
    IS(g[200], 205);
    struct {
        CUdeviceptr p;
        int n;
        double f;
        char c;
    } pk = {p, 256, 10.0, 1};
    size_t sz = sizeof pk; // with what pads the structure: more than the parameters
    void *ex[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &pk, CU_LAUNCH_PARAM_BUFFER_SIZE, &sz,
                  CU_LAUNCH_PARAM_END};
    IS(cuLaunchKernel(fn, 2, 1, 1, 128, 1, 1, 0, 0, 0, ex), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    sz = (char *)&pk.c + 1 - (char *)&pk;
    IS(cuLaunchKernel(fn, 2, 1, 1, 128, 1, 1, 0, 0, 0, ex), 0);
    IS(cuMemcpyDtoH(g.data(), p, 1024), 0);
    IS(g[200], 211);
    CUlaunchAttribute attributes[2] = {};
    CUlaunchConfig config = {2, 1, 1, 128, 1, 1, 0, 0, attributes, 2};
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attributes[1].value.clusterDim = {1, 1, 1};
    IS(cuLaunchKernelEx(&config, fn, args, 0), 0);
    attributes[1].value.clusterDim.x = 2;
    IS(cuLaunchKernelEx(&config, fn, args, 0), 0);
    attributes[1].value.clusterDim.x = 9;
    IS(cuLaunchKernelEx(&config, fn, args, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attributes[1].id = (CUlaunchAttributeID)99;
    IS(cuLaunchKernelEx(&config, fn, args, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(fn, 0, 1, 1, 128, 1, 1, 0, 0, args, 0), 1);
    IS(cuLaunchKernel(0, 1, 1, 1, 128, 1, 1, 0, 0, args, 0), CUDA_ERROR_INVALID_HANDLE);
    OK(cudaGetLastError());
    size_t offset, bytes;
    OK(cudaFuncGetParamInfo((void *)k, 2, &offset, &bytes));
    IS(offset, 16);
    IS(bytes, 8);
    IS(cudaFuncGetParamInfo((void *)k, 4, &offset, &bytes), cudaErrorInvalidValue);
    cudaGetLastError();
    capture_and_graphs(fn, p);
    later_versions(fn);
    int at;
    IS(cuFuncGetAttribute(&at, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fn), 0);
    IS(at, 1024);
    int mg, bs;
    IS(cuOccupancyMaxPotentialBlockSize(&mg, &bs, fn, 0, 0, 0), 0);
    T(bs > 0);
    IS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mg, fn, 128, 0), 0);
    CUstream st;
    IS(cuStreamCreate(&st, CU_STREAM_NON_BLOCKING), 0);
    CUevent e0, e1;
    IS(cuEventCreate(&e0, 0), 0);
    IS(cuEventCreate(&e1, 0), 0);
    IS(cuEventRecord(e0, st), 0);
    IS(cuLaunchKernel(fn, 2, 1, 1, 128, 1, 1, 0, st, args, 0), 0);
    IS(cuEventRecord(e1, st), 0);
    IS(cuEventSynchronize(e1), 0);
    float ms;
    IS(cuEventElapsedTime(&ms, e0, e1), 0);
    IS(cuStreamQuery(st), 0);
    IS(cuMemcpyDtoHAsync(g.data(), p, 1024, st), 0);
    IS(cuStreamSynchronize(st), 0);
    IS(cuStreamDestroy(st), 0);
    IS(cuStreamDestroy(st), 400);
    const char *t;
    IS(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &t), 0);
    T(!strcmp(t, "CUDA_ERROR_OUT_OF_MEMORY"));
    IS(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &t), 0);
    IS(cuGetErrorString((CUresult)12345, &t), 1);
    T(!t);
    // arrays + 2D + texture
    CUDA_ARRAY_DESCRIPTOR ad = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    CUarray arr;
    IS(cuArrayCreate(&arr, &ad), 0);
    float hf[32];
    for (int i = 0; i < 32; i++) hf[i] = i;
    CUDA_MEMCPY2D m = {};
    m.srcMemoryType = CU_MEMORYTYPE_HOST;
    m.srcHost = hf;
    m.srcPitch = 32;
    m.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    m.dstArray = arr;
    m.WidthInBytes = 32;
    m.Height = 4;
    IS(cuMemcpy2D(&m), 0);
    CUDA_RESOURCE_DESC rd = {};
    rd.resType = CU_RESOURCE_TYPE_ARRAY;
    rd.res.array.hArray = arr;
    CUDA_TEXTURE_DESC td = {};
    CUtexObject to;
    IS(cuTexObjectCreate(&to, &rd, &td, 0), 0);
    CUdeviceptr o;
    IS(cuMemAlloc(&o, 32), 0);
    tex<<<1, 8>>>(to, (float *)o);
    float of[8];
    IS(cuMemcpyDtoH(of, o, 32), 0);
    T(of[7] == 7);
    IS(cuTexObjectDestroy(to), 0);
    CUDA_ARRAY_DESCRIPTOR ag;
    IS(cuArrayGetDescriptor(&ag, arr), 0);
    T(ag.Width == 8 && ag.Format == CU_AD_FORMAT_FLOAT);
    IS(cuArrayDestroy(arr), 0);
    CUdeviceptr pp;
    size_t pitch;
    IS(cuMemAllocPitch(&pp, &pitch, 20, 4, 4), 0);
    CUDA_MEMCPY2D m2 = {};
    m2.srcMemoryType = CU_MEMORYTYPE_HOST;
    m2.srcHost = hf;
    m2.srcPitch = 32;
    m2.srcXInBytes = 4;
    m2.srcY = 1;
    m2.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    m2.dstDevice = pp;
    m2.dstPitch = pitch;
    m2.WidthInBytes = 20;
    m2.Height = 3;
    IS(cuMemcpy2D(&m2), 0);
    IS(cuMemcpyDtoH(of, pp + pitch, 8), 0);
    T(of[0] == 17);
    // VMM
    CUmemAllocationProp pr = {};
    pr.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    pr.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t gr;
    IS(cuMemGetAllocationGranularity(&gr, &pr, CU_MEM_ALLOC_GRANULARITY_MINIMUM), 0);
    CUdeviceptr va;
    mappings_that_adjoin(&pr, gr);
    modules_of_functions();
    contexts_and_the_runtime();
    IS(cuMemAddressReserve(&va, 2 * gr, 0, 0, 0), 0);
    CUmemGenericAllocationHandle h1, h2;
    IS(cuMemCreate(&h1, gr, &pr, 0), 0);
    IS(cuMemCreate(&h2, gr, &pr, 0), 0);
    IS(cuMemMap(va, gr, 0, h1, 0), 0);
    IS(cuMemMap(va + gr, gr, 0, h2, 0), 0);
    CUmemAccessDesc ac = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    IS(cuMemSetAccess(va, 2 * gr, &ac, 1), 0);
    IS(cuMemsetD32(va, 5, 2 * gr / 4), 0);
    int x;
    IS(cuMemcpyDtoH(&x, va + 2 * gr - 4, 4), 0);
    IS(x, 5);
    IS(cuMemRelease(h1), 0);
    IS(cuMemRelease(h2), 0);
    IS(cuMemUnmap(va, 2 * gr), 0);
    IS(cuMemcpyDtoH(&x, va, 4), 1);
    IS(cuMemAddressFree(va, 2 * gr), 0);
    IS(cuMemAddressFree(va, 2 * gr), 1);
    void *ep;
    cudaDriverEntryPointQueryResult q;
    OK(cudaGetDriverEntryPoint("cuMemAlloc_v2", &ep, cudaEnableDefault, &q));
    T(ep == (void *)cuMemAlloc);
    OK(cudaGetDriverEntryPoint("cuNothing", &ep, cudaEnableDefault, &q));
    IS(q, cudaDriverEntryPointSymbolNotFound);
    unsigned mt;
    IS(cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), 0);
    IS(mt, CU_MEMORYTYPE_DEVICE);
    IS(cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&mt), 1);
    unsigned long long id = 0, id2 = 0;
    CUdeviceptr next;
    IS(cuMemAlloc(&next, 4), 0);
    IS(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, p), 0);
    IS(cuPointerGetAttribute(&id2, CU_POINTER_ATTRIBUTE_BUFFER_ID, p + 1), 0);
    T(id && id == id2);
    IS(cuPointerGetAttribute(&id2, CU_POINTER_ATTRIBUTE_BUFFER_ID, next), 0);
    T(id != id2);
    IS(cuPointerGetAttribute(&mt, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p), 0);
    IS(mt, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    void *pool = &mt;
    IS(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), 0);
    T(!pool);
    IS(cuMemFree(next), 0);
    IS(cuMemFree(p), 0);
    IS(cuMemFree(p), 1);
    IS(cuCtxDestroy(c), 0);
    CUcontext pc;
    IS(cuDevicePrimaryCtxRetain(&pc, 0), 0);
    IS(cuCtxSetCurrent(pc), 0);
    IS(cuMemAlloc(&p, 4), 0);
    unsigned pf;
    int act;
    IS(cuDevicePrimaryCtxGetState(0, &pf, &act), 0);
    IS(act, 1);
    IS(cuDevicePrimaryCtxRelease(0), 0);
    OK(cudaGetLastError());
    return report();
}
