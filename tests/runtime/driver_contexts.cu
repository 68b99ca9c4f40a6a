// Functions of the driver API in a thread without a current context: what knows its context, or belongs to none, needs none; the
// others answer CUDA_ERROR_INVALID_CONTEXT.
// REQUIRES: run
// RUN: %cucpu -std=c++17 -DMODULE -cubin %s -o %t.cubin && %cucpu -std=c++17 %s -o %t -lcuda && %run %t %t.cubin | FileCheck %s
// CHECK: {{^}}0 bad
#include <cstdio>
#include <cuda.h>
#ifdef MODULE
extern "C" {
__device__ int variable = 5;
__global__ void kernel(int *p) { *p = variable; }
}
#else
#include "expect.h"
#include <fstream>
#include <iterator>
#include <string>

static CUcontext context;
static void with() { OK(cuCtxPushCurrent(context)); }
static void without() { CUcontext c; OK(cuCtxPopCurrent(&c)); OK(cuCtxGetCurrent(&c)); IS(c == nullptr, 1); }
#define NONE(call) IS(call, CUDA_ERROR_INVALID_CONTEXT)

static void libraries(const char *file, const std::string &image) {
    CUlibrary l, again;
    CUkernel k, list[2];
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    size_t n;
    unsigned count = 0;
    int value = -1;
    const char *name;
    OK(cuLibraryLoadData(&l, image.c_str(), 0, 0, 0, 0, 0, 0));
    OK(cuLibraryLoadFromFile(&again, file, 0, 0, 0, 0, 0, 0));
    OK(cuLibraryGetKernel(&k, l, "kernel"));
    IS(cuLibraryGetKernel(&k, l, "nothing"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetKernel(&k, l, "kernel"));
    OK(cuLibraryGetKernelCount(&count, l));
    IS(count, 1u);
    OK(cuLibraryEnumerateKernels(list, 1, l));
    IS(list[0] == k, 1);
    OK(cuKernelGetName(&name, k));
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    IS(value > 0, 1);
    IS(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 1), CUDA_ERROR_INVALID_DEVICE);
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, k, 0));
    OK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
    OK(cuKernelGetParamInfo(k, 0, &n, nullptr));
    CUlibrary of;
    OK(cuKernelGetLibrary(&of, k));
    NONE(cuLibraryGetModule(&m, l));
    NONE(cuLibraryGetGlobal(&p, &n, l, "variable"));
    NONE(cuKernelGetFunction(&f, k));
    with();
    OK(cuLibraryGetModule(&m, l));
    OK(cuLibraryGetGlobal(&p, &n, l, "variable"));
    IS(n, sizeof(int));
    OK(cuKernelGetFunction(&f, k));
    OK(cuMemAlloc(&p, 4));
    void *args[] = {&p};
    OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
    int v = 0;
    OK(cuMemcpyDtoH(&v, p, 4));
    IS(v, 5);
    without();
    NONE(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
    OK(cuMemFree(p));
    OK(cuLibraryUnload(again));
    OK(cuLibraryUnload(l));
}

static void modules(const std::string &image) {
    CUmodule m;
    CUfunction f;
    CUlinkState link;
    NONE(cuModuleLoadData(&m, image.c_str()));
    NONE(cuLinkCreate(0, nullptr, nullptr, &link));
    with();
    OK(cuModuleLoadData(&m, image.c_str()));
    OK(cuLinkCreate(0, nullptr, nullptr, &link));
    without();
    OK(cuModuleGetFunction(&f, m, "kernel"));
    OK(cuLinkDestroy(link));
    OK(cuModuleUnload(m));
    IS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
}

static void memory() {
    CUdeviceptr d, managed;
    void *host, *pinned;
    static char own[4096];
    CUarray a;
    CUtexObject t;
    CUevent e;
    CUstream s;
    CUDA_ARRAY_DESCRIPTOR desc = {16, 16, CU_AD_FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC r = {CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {};
    NONE(cuMemAlloc(&d, 16));
    NONE(cuMemAllocHost(&host, 16));
    NONE(cuMemHostAlloc(&host, 16, 0));
    NONE(cuMemHostRegister(own, sizeof own, 0));
    NONE(cuArrayCreate(&a, &desc));
    NONE(cuEventCreate(&e, 0));
    NONE(cuStreamCreate(&s, 0));
    with();
    OK(cuMemAlloc(&d, 16));
    OK(cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAllocHost(&host, 16));
    OK(cuMemHostAlloc(&pinned, 16, 0));
    OK(cuMemHostRegister(own, sizeof own, 0));
    OK(cuArrayCreate(&a, &desc));
    r.res.array.hArray = a;
    OK(cuTexObjectCreate(&t, &r, &how, nullptr));
    OK(cuEventCreate(&e, 0));
    OK(cuStreamCreate(&s, 0));
    without();
    OK(cuMemAdvise(managed, 16, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemFree(d));
    OK(cuMemFree(managed));
    OK(cuMemFreeHost(host));
    OK(cuMemFreeHost(pinned));
    OK(cuMemHostUnregister(own));
    OK(cuTexObjectDestroy(t));
    OK(cuArrayDestroy(a));
    OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
}

static void graphs() { // and physical memory
    CUgraph g;
    CUgraphNode n;
    CUgraphExec x;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&n, g, nullptr, 0));
    OK(cuGraphInstantiate(&x, g, 0));
    OK(cuGraphExecDestroy(x));
    OK(cuGraphDestroy(g));
    CUmemAllocationProp p = {};
    CUmemGenericAllocationHandle h;
    CUdeviceptr at;
    size_t size;
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemGetAllocationGranularity(&size, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemCreate(&h, size, &p, 0));
    OK(cuMemAddressReserve(&at, size, 0, 0, 0));
    OK(cuMemMap(at, size, 0, h, 0));
    OK(cuMemUnmap(at, size));
    OK(cuMemAddressFree(at, size));
    OK(cuMemRelease(h));
}

int main(int, char **v) {
    std::ifstream in(v[1], std::ios::binary);
    std::string image((std::istreambuf_iterator<char>(in)), {});
    OK(cuInit(0));
    OK(cuCtxCreate(&context, 0, 0));
    without();
    libraries(v[1], image);
    modules(image);
    memory();
    graphs();
    OK(cuCtxDestroy(context));
    printf("%d bad\n", bad);
}
#endif
