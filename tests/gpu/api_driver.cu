// What the driver API answers in unusual situations, and the runtime API beside it. A line is `call: error`.
//
// REQUIRES: run
// RUN: %cucpu -w -std=c++17 %s -o %t -lcuda && %run %t > %t.out && %python %S/Inputs/compare.py %S/Inputs/api_driver.txt %S/Inputs/api_driver.known %t.out
#include <cuda.h>
#include <cuda_runtime.h>
#define PROBE_DRIVER
#include "Inputs/api.h"

static const char *ptx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter[4] = {5, 6, 7, 8};
.visible .const .align 4 .u32 fixed = 3;
.visible .entry add(.param .u64 p, .param .u32 v) {
    .reg .u64 %a;
    .reg .u32 %x, %y;
    ld.param.u64 %a, [p];
    cvta.to.global.u64 %a, %a;
    ld.param.u32 %x, [v];
    atom.global.add.u32 %y, [%a], %x;
    ret;
}
.visible .entry nothing() { ret; }
.visible .entry few() .maxntid 64, 1, 1 { ret; }
.visible .entry shared() {
    .shared .align 4 .b8 s[1024];
    .reg .u64 %a;
    mov.u64 %a, s;
    st.volatile.shared.u32 [%a], 1;
    ret;
}
.visible .entry null_write() {
    .reg .u64 %a;
    mov.u64 %a, 0;
    st.global.u32 [%a], 1;
    ret;
}
)";
static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add, nothing, few, sharing;
static CUdeviceptr d;
static void setup() {
    cuInit(0);
    cuDeviceGet(&dev, 0);
    CALL(cuCtxCreate(&ctx, nullptr, 0, dev));
    CALL(cuMemAlloc(&d, 1024));
    CALL(cuMemsetD8(d, 0, 1024));
}
static void functions() {
    CALL(cuModuleLoadData(&mod, ptx));
    CALL(cuModuleGetFunction(&add, mod, "add"));
    CALL(cuModuleGetFunction(&nothing, mod, "nothing"));
    CALL(cuModuleGetFunction(&few, mod, "few"));
    CALL(cuModuleGetFunction(&sharing, mod, "shared"));
}

static void before_init() {
    int n = 99;
    CUdevice q;
    CUcontext c = (CUcontext)8;
    CUdeviceptr p;
    CUstream s;
    CUevent e;
    const char *text;
    CALL(cuDriverGetVersion(&n)); VAL(n >= 12000);
    CALL(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    CALL(cuDeviceGetCount(&n));
    CALL(cuDeviceGet(&q, 0));
    CALL(cuCtxGetCurrent(&c));
    CALL(cuCtxSetCurrent(nullptr));
    CALL(cuCtxSynchronize());
    CALL(cuMemAlloc(&p, 16));
    CALL(cuMemFree(0));
    CALL(cuStreamCreate(&s, 0));
    CALL(cuEventCreate(&e, 0));
    CALL(cuDevicePrimaryCtxRetain(&c, 0));
    CALL(cuModuleLoadData(&mod, ptx));
    CALL(cuInit(1));
    CALL(cuInit(0));
    CALL(cuInit(0));
    CALL(cuInit(99));
    CALL(cuDeviceGetCount(&n)); VAL(n >= 1);
    c = (CUcontext)8;
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuMemAlloc(&p, 16)); // no context yet
    CALL(cuMemFree(0));
    CALL(cuMemFree(16));
    CALL(cuCtxSynchronize());
    CALL(cuCtxGetDevice(&q));
    CALL(cuCtxPopCurrent(&c));
    CALL(cuStreamCreate(&s, 0));
    CALL(cuEventCreate(&e, 0));
    CALL(cuStreamSynchronize(0));
    CALL(cuModuleLoadData(&mod, ptx));
    RISKY(cuMemGetInfo(nullptr, nullptr));
    CALL(cuMemHostAlloc((void **)&c, 16, 0));
}

static void devices() {
    CUdevice q;
    char name[64];
    CALL(cuInit(0));
    CALL(cuDeviceGet(&q, -1));
    CALL(cuDeviceGet(&q, 999));
    CALL(cuDeviceGet(nullptr, 0));
    CALL(cuDeviceGet(&q, 0)); VAL(q);
    CALL(cuDeviceGetCount(nullptr));
    CALL(cuDeviceGetName(name, 64, 999));
    CALL(cuDeviceGetName(nullptr, 64, 0));
}

static void contexts() {
    CUcontext a, b, c = nullptr, primary, again;
    CUdevice q = 99;
    unsigned flags = 99;
    int active = 99;
    size_t size;
    CUfunc_cache cache;
    CALL(cuInit(0));
    CALL(cuCtxCreate(&a, nullptr, 0, 999));
    CALL(cuCtxCreate(&a, nullptr, 0x10000, 0));
    CUcontext odd = nullptr;
    CALL(cuCtxCreate(&odd, nullptr, 3, 0)); // of these flags one at most
    if (odd) cuCtxDestroy(odd);
    CALL(cuCtxCreate(&a, nullptr, 0, 0));
    CALL(cuCtxCreate(&b, nullptr, CU_CTX_SCHED_YIELD, 0));
    CALL(cuCtxGetCurrent(&c)); VAL(c == b);
    CALL(cuCtxGetFlags(&flags)); VAL(flags);
    CALL(cuCtxPushCurrent(a));
    CALL(cuCtxPushCurrent(a));
    CALL(cuCtxPopCurrent(&c)); VAL(c == a);
    CALL(cuCtxPopCurrent(nullptr));
    CALL(cuCtxGetCurrent(&c)); VAL(c == b);
    CALL(cuCtxPushCurrent(nullptr));
    CALL(cuCtxSetCurrent(a)); // replaces b at the top
    CALL(cuCtxPopCurrent(&c)); VAL(c == a);
    CALL(cuCtxGetCurrent(&c)); VAL(c == a);
    CALL(cuCtxPopCurrent(&c)); VAL(c == a);
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuCtxPopCurrent(&c));
    CALL(cuCtxGetDevice(&q));
    CALL(cuCtxSetCurrent(b));
    CALL(cuCtxGetDevice(&q)); VAL(q);
    CALL(cuCtxSetCurrent(nullptr));
    CALL(cuCtxPopCurrent(&c));
    CALL(cuCtxPushCurrent(b));
    CALL(cuCtxGetLimit(&size, (CUlimit)99));
    CALL(cuCtxSetLimit((CUlimit)99, 1));
    CALL(cuCtxGetLimit(&size, CU_LIMIT_STACK_SIZE)); VAL(size);
    CALL(cuCtxGetCacheConfig(&cache)); VAL(cache);
    CALL(cuCtxSetCacheConfig((CUfunc_cache)99));
    CALL(cuCtxSetFlags(0x10000));
    CALL(cuCtxGetApiVersion(b, &flags));
    RISKY(cuCtxGetApiVersion(nullptr, &flags));
    CALL(cuCtxGetStreamPriorityRange(nullptr, nullptr));
    CALL(cuCtxEnablePeerAccess(b, 0)); // itself
    RISKY(cuCtxEnablePeerAccess(nullptr, 0));
    CALL(cuCtxEnablePeerAccess(a, 1));
    CALL(cuCtxEnablePeerAccess(a, 0)); // of the same device
    CALL(cuCtxDisablePeerAccess(a));
    // memory belongs to the context
    CUdeviceptr p;
    CUcontext owner = nullptr;
    CALL(cuMemAlloc(&p, 64));
    CALL(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p)); VAL(owner == b);
    CALL(cuCtxSetCurrent(a));
    CALL(cuMemsetD8(p, 1, 64)); // from another context
    CALL(cuMemFree(p));
    CUstream s;
    CUevent e;
    CALL(cuStreamCreate(&s, 0));
    CALL(cuEventCreate(&e, 0));
    CALL(cuStreamGetCtx(s, &c)); VAL(c == a);
    CALL(cuCtxSetCurrent(b));
    CALL(cuEventRecord(e, s)); // both of a
    CALL(cuEventRecord(e, 0)); // stream 0 of b
    CALL(cuStreamSynchronize(s));
    CALL(cuStreamGetCtx(0, &c)); VAL(c == b);
    CALL(cuCtxDestroy(a)); // not current
    CALL(cuCtxDestroy(b)); // current
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuMemAlloc(&p, 64));
    RISKY(cuCtxDestroy(nullptr));
    // the primary one
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(flags); VAL(active);
    CALL(cuDevicePrimaryCtxGetState(999, &flags, &active));
    CALL(cuDevicePrimaryCtxRelease(0)); // was not retained
    CALL(cuDevicePrimaryCtxSetFlags(0, 0x10000));
    CALL(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    CALL(cuDevicePrimaryCtxRetain(&primary, 999));
    CALL(cuDevicePrimaryCtxRetain(&primary, 0));
    CALL(cuDevicePrimaryCtxRetain(&again, 0)); VAL(again == primary);
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(flags); VAL(active);
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuCtxDestroy(primary)); // is only released
    CALL(cuCtxSetCurrent(primary));
    CALL(cuMemAlloc(&p, 64));
    CALL(cuDevicePrimaryCtxRelease(0));
    CALL(cuMemsetD8(p, 1, 64));
    CALL(cuDevicePrimaryCtxRelease(0)); // the last one
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(active);
    CALL(cuCtxGetCurrent(&c)); VAL(c == primary);
    CALL(cuMemAlloc(&p, 64));
    CALL(cuDevicePrimaryCtxRelease(0));
    CALL(cuDevicePrimaryCtxReset(0));
}

/* Both APIs in one program. */
static void with_runtime() {
    CUcontext c = (CUcontext)8, primary, own;
    int n = 99, active = 99;
    unsigned flags;
    void *p;
    printf("cudaGetDeviceCount: %s\n", cudaGetErrorName(cudaGetDeviceCount(&n)));
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuInit(0));
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(active);
    printf("cudaGetDevice: %s\n", cudaGetErrorName(cudaGetDevice(&n)));
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    printf("cudaSetDevice: %s\n", cudaGetErrorName(cudaSetDevice(0)));
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr); // since CUDA 12 this makes the context
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(active);
    printf("cudaMalloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 64)));
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuDevicePrimaryCtxRetain(&primary, 0)); VAL(c == primary);
    CALL(cuMemFree((CUdeviceptr)p));
    printf("cudaFree: %s\n", cudaGetErrorName(cudaFree(p)));
    printf("cudaGetLastError: %s\n", cudaGetErrorName(cudaGetLastError()));
    CALL(cuMemFree(16)); // errors of the driver API do not reach the other
    printf("cudaGetLastError: %s\n", cudaGetErrorName(cudaGetLastError()));
    CALL(cuCtxCreate(&own, nullptr, 0, 0));
    printf("cudaMalloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 64))); // in the context that is current
    CUcontext owner = nullptr;
    CALL(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p)); VAL(owner == own); VAL(owner == primary);
    printf("cudaSetDevice: %s\n", cudaGetErrorName(cudaSetDevice(0)));
    CALL(cuCtxGetCurrent(&c)); VAL(c == own); VAL(c == primary);
    CALL(cuCtxSetCurrent(own));
    CALL(cuCtxDestroy(own));
    printf("cudaDeviceSynchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CALL(cuCtxGetCurrent(&c)); VAL(c == primary);
    printf("cudaDeviceReset: %s\n", cudaGetErrorName(cudaDeviceReset()));
    CALL(cuDevicePrimaryCtxGetState(0, &flags, &active)); VAL(active);
    CALL(cuMemAlloc((CUdeviceptr *)&p, 64));
    printf("cudaMalloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 64)));
    CALL(cuMemAlloc((CUdeviceptr *)&p, 64));
}

static void modules() {
    static const char garbage[4096] = "this is no module at all", nul[64] = "";
    CUmodule m = nullptr, other;
    CUfunction f;
    CUdeviceptr p = 8;
    size_t bytes = 99;
    unsigned count;
    setup();
    CALL(cuModuleLoadData(&m, garbage));
    CALL(cuModuleLoadData(&m, nul));
    CALL(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { nonsense; }\n"));
    CALL(cuModuleLoadData(&m, ".version 99.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"));
    CALL(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func f();\n.visible .entry k() { call f; ret; }\n"));
    CALL(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n")); // empty
    CALL(cuModuleLoad(&m, "/no/such/file"));
    CALL(cuModuleLoad(&m, "/dev/null"));
    functions();
    CALL(cuModuleLoadData(&other, ptx)); VAL(other != mod); // the same once more
    CALL(cuModuleGetFunction(&f, mod, "missing"));
    CALL(cuModuleGetFunction(&f, mod, ""));
    CALL(cuModuleGetFunction(&f, mod, "counter"));
    CALL(cuModuleGetGlobal(&p, &bytes, mod, "counter")); VAL(bytes); VAL(p != 0);
    CALL(cuModuleGetGlobal(&p, nullptr, mod, "counter"));
    CALL(cuModuleGetGlobal(nullptr, &bytes, mod, "fixed")); VAL(bytes);
    CALL(cuModuleGetGlobal(nullptr, nullptr, mod, "fixed"));
    CALL(cuModuleGetGlobal(&p, &bytes, mod, "missing"));
    CALL(cuModuleGetGlobal(&p, &bytes, mod, "add"));
    CALL(cuModuleGetFunctionCount(&count, mod)); VAL(count);
    int four[4] = {};
    CALL(cuModuleGetGlobal(&p, &bytes, mod, "counter"));
    CALL(cuMemcpyDtoH(four, p, 16)); VAL(four[3]);
    CALL(cuMemcpyDtoH(four, p, 20));
    CALL(cuMemFree(p));
    // attributes of functions
    int n = 99;
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, few)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, sharing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, sharing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, nothing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PTX_VERSION, nothing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, nothing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, nothing)); VAL(n);
    CALL(cuFuncGetAttribute(&n, (CUfunction_attribute)99, nothing));
    CALL(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, nothing));
    CALL(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_NUM_REGS, 3)); // read only
    CALL(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
    CALL(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    CALL(cuFuncSetAttribute(nothing, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    CALL(cuFuncSetAttribute(nothing, (CUfunction_attribute)99, 1));
    CALL(cuFuncSetCacheConfig(nothing, (CUfunc_cache)99));
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0));
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 1025, 0)); VAL(n);
    size_t offset = 99, size = 99;
    CALL(cuFuncGetParamInfo(add, 1, &offset, &size)); VAL(offset); VAL(size);
    CALL(cuFuncGetParamInfo(add, 2, &offset, &size));
    const char *name = "";
    CALL(cuFuncGetName(&name, add)); VAL(strcmp(name, "add"));
    CALL(cuFuncGetModule(&m, add)); VAL(m == mod);
    CALL(cuModuleUnload(other));
    CALL(cuModuleUnload(mod));
    RISKY(cuModuleUnload(nullptr));
    // libraries and the linker
    CUlibrary lib;
    CUkernel k;
    CUlinkState link;
    void *image;
    CALL(cuLibraryLoadData(&lib, garbage, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CALL(cuLibraryLoadData(&lib, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CALL(cuLibraryGetKernel(&k, lib, "missing"));
    CALL(cuLibraryGetKernel(&k, lib, "add"));
    CALL(cuLibraryGetGlobal(&p, &bytes, lib, "missing"));
    CALL(cuLibraryGetGlobal(&p, &bytes, lib, "counter")); VAL(bytes);
    CALL(cuLibraryGetManaged(&p, &bytes, lib, "counter"));
    CALL(cuKernelGetFunction(&f, k));
    CALL(cuLibraryUnload(lib));
    CALL(cuLinkCreate(0, nullptr, nullptr, &link));
    CALL(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)garbage, sizeof garbage, "garbage", 0, nullptr, nullptr));
    CALL(cuLinkAddData(link, (CUjitInputType)99, (void *)ptx, strlen(ptx) + 1, "ptx", 0, nullptr, nullptr));
    CALL(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/no/such/file", 0, nullptr, nullptr));
    CALL(cuLinkDestroy(link));
    CALL(cuLinkCreate(0, nullptr, nullptr, &link));
    CALL(cuLinkComplete(link, &image, &bytes)); // nothing was added
    CALL(cuLinkDestroy(link));
}

static void memory() {
    CUdeviceptr p = 8, base;
    size_t pitch, bytes = 99;
    static char h[65536];
    void *host;
    unsigned flags;
    setup();
    CALL(cuMemAlloc(&p, 0)); VAL(p);
    CALL(cuMemAlloc(&p, (size_t)1 << 50));
    CALL(cuMemAlloc(nullptr, 16));
    CALL(cuMemFree(0));
    CALL(cuMemFree(d + 16));
    CALL(cuMemFree((CUdeviceptr)h));
    CALL(cuMemAllocPitch(&p, &pitch, 0, 0, 4));
    CALL(cuMemAllocPitch(&p, &pitch, 16, 0, 4));
    CALL(cuMemAllocPitch(&p, &pitch, 100, 4, 3));
    CALL(cuMemAllocPitch(&p, &pitch, 100, 4, 16)); VAL(pitch % 128);
    CALL(cuMemFree(p));
    CALL(cuMemFree(p));
    CALL(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
    CALL(cuMemAllocManaged(&p, 16, 0));
    CALL(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_SINGLE));
    CALL(cuMemHostAlloc(&host, 0, 0));
    CALL(cuMemHostAlloc(&host, 16, 0x80));
    CALL(cuMemAllocHost(&host, 0));
    CALL(cuMemAllocHost(&host, 4096));
    CALL(cuMemHostGetFlags(&flags, host)); VAL(flags);
    CALL(cuMemHostGetDevicePointer(&p, host, 0)); VAL(p == (CUdeviceptr)host);
    CALL(cuMemHostGetDevicePointer(&p, host, 1));
    CALL(cuMemHostGetDevicePointer(&p, h, 0));
    CALL(cuMemFree((CUdeviceptr)host));
    CALL(cuMemHostUnregister(host));
    CALL(cuMemFreeHost(h));
    CALL(cuMemFreeHost(nullptr));
    CALL(cuMemFreeHost(host));
    CALL(cuMemHostRegister(h, 0, 0));
    CALL(cuMemHostUnregister(h));
    CALL(cuMemGetAddressRange(&base, &bytes, d + 100)); VAL(base == d); VAL(bytes);
    CALL(cuMemGetAddressRange(&base, nullptr, d));
    CALL(cuMemGetAddressRange(nullptr, &bytes, d));
    CALL(cuMemGetAddressRange(&base, &bytes, d + 1024));
    CALL(cuMemGetAddressRange(&base, &bytes, 0));
    CALL(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)h));
    CALL(cuMemAllocHost(&host, 4096));
    CALL(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)host + 8)); VAL(base == (CUdeviceptr)host); VAL(bytes);
    // copies and fills
    CALL(cuMemcpyHtoD(d, h, 0));
    CALL(cuMemcpyHtoD(0, h, 0));
    CALL(cuMemcpyHtoD(0, h, 4));
    CALL(cuMemcpyHtoD(d, h, 65536));
    CALL(cuMemcpyDtoH(h, d, 65536));
    CALL(cuMemcpyDtoH(h, 0, 4));
    CALL(cuMemcpyDtoD(d, 0, 4));
    CALL(cuMemcpyDtoD(d, d + 512, 65536));
    CALL(cuMemcpy(d, (CUdeviceptr)h, 16));
    CALL(cuMemcpy((CUdeviceptr)h, d, 16));
    CALL(cuMemcpy(0, 0, 16));
    CALL(cuMemcpyDtoD(d, (CUdeviceptr)host, 16)); // pinned memory has an address on the device
    CALL(cuMemsetD8(0, 0, 4));
    CALL(cuMemsetD8(0, 0, 0));
    CALL(cuMemsetD8(d, 0, 65536));
    CALL(cuMemsetD16(d + 1, 0, 4));
    CALL(cuMemsetD32(d + 2, 0, 4));
    CALL(cuMemsetD32(d, 0, 0));
    CALL(cuMemsetD2D8(d, 8, 0, 16, 2));
    CALL(cuMemsetD2D32(d, 18, 0, 4, 2));
    CALL(cuMemsetD2D8(d, 16, 0, 16, 4096));
    CUDA_MEMCPY2D m = {};
    CALL(cuMemcpy2D(&m)); // all is zero
    m.WidthInBytes = 16, m.Height = 2;
    CALL(cuMemcpy2D(&m)); // no kinds
    m.srcMemoryType = CU_MEMORYTYPE_HOST, m.srcHost = h, m.srcPitch = 16, m.dstMemoryType = CU_MEMORYTYPE_DEVICE, m.dstDevice = d, m.dstPitch = 16;
    CALL(cuMemcpy2D(&m)); // good
    m.dstPitch = 8;
    CALL(cuMemcpy2D(&m));
    m.dstPitch = 17;
    CALL(cuMemcpy2D(&m));
    m.dstPitch = 0;
    CALL(cuMemcpy2D(&m)); // 0 means the width
    m.dstPitch = 16, m.Height = 4096;
    CALL(cuMemcpy2D(&m));
    m.Height = 2, m.dstMemoryType = (CUmemorytype)9;
    CALL(cuMemcpy2D(&m));
    m.dstMemoryType = CU_MEMORYTYPE_DEVICE, m.srcMemoryType = CU_MEMORYTYPE_DEVICE, m.srcDevice = 0;
    CALL(cuMemcpy2D(&m));
    m.srcMemoryType = CU_MEMORYTYPE_UNIFIED, m.srcDevice = (CUdeviceptr)h;
    CALL(cuMemcpy2D(&m)); // the kind by the pointer
    CUDA_MEMCPY3D v = {};
    CALL(cuMemcpy3D(&v));
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR ad = {8, 4, CU_AD_FORMAT_FLOAT, 1}, got;
    CALL(cuArrayCreate(&a, &ad));
    CALL(cuArrayGetDescriptor(&got, a)); VAL(got.Width); VAL(got.Height); VAL(got.NumChannels);
    RISKY(cuArrayGetDescriptor(&got, nullptr));
    CALL(cuMemcpyHtoA(a, 0, h, 32));
    CALL(cuMemcpyHtoA(a, 0, h, 128));
    CALL(cuMemcpyHtoA(a, 2, h, 4));
    CALL(cuMemcpyAtoH(h, a, 120, 16));
    CALL(cuArrayDestroy(a));
    RISKY(cuArrayDestroy(nullptr));
    CUarray b;
    ad = {0, 4, CU_AD_FORMAT_FLOAT, 1};
    CALL(cuArrayCreate(&b, &ad));
    ad = {8, 4, CU_AD_FORMAT_FLOAT, 3};
    CALL(cuArrayCreate(&b, &ad));
    ad = {8, 4, (CUarray_format)99, 1};
    CALL(cuArrayCreate(&b, &ad));
    ad = {8, 4, CU_AD_FORMAT_FLOAT, 0};
    CALL(cuArrayCreate(&b, &ad));
}

static void pointer(const char *name, CUdeviceptr p) {
    unsigned type = 99, managed = 99;
    int ordinal = 99, legacy = 99, mapped = 99;
    CUdeviceptr start = p, device = 8;
    void *host = (void *)8;
    size_t size = 99;
    printf("%s\n", name);
    CALL(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p)); VAL(type);
    CALL(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p)); VAL(device == p); VAL(device == 0);
    CALL(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, p)); VAL((CUdeviceptr)host == p); VAL(host == nullptr);
    CALL(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p)); VAL(managed & 255);
    CALL(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p)); VAL(ordinal);
    CALL(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p)); VAL((long long)(p - start));
    CALL(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p)); VAL(size);
    CALL(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, p)); VAL(mapped & 255);
    CALL(cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
    CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *into[] = {&type, &size};
    type = 99, size = 99;
    CALL(cuPointerGetAttributes(2, list, into, p)); VAL(type); VAL(size);
}
static void pointers() {
    static char plain[64];
    void *host;
    CUdeviceptr managed, freed;
    setup();
    CALL(cuMemAllocHost(&host, 4096));
    CALL(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    CALL(cuMemAlloc(&freed, 8 << 20));
    CALL(cuMemFree(freed));
    pointer("device", d);
    pointer("device + 100", d + 100);
    pointer("pinned + 8", (CUdeviceptr)host + 8);
    pointer("managed", managed);
    pointer("plain", (CUdeviceptr)plain);
    pointer("null", 0);
    pointer("freed", freed);
    int n = 1;
    CALL(cuPointerGetAttribute(&n, (CUpointer_attribute)99, d));
    CALL(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    CALL(cuPointerGetAttributes(0, nullptr, nullptr, d));
    CALL(cuPointerSetAttribute(&n, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    CALL(cuPointerSetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    CALL(cuPointerSetAttribute(&n, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)plain));
}

static void launches() {
    setup();
    functions();
    int v = 3, value = 0;
    void *args[] = {&d, &v};
    struct { CUdeviceptr p; int v; } packed = {d, 10};
    size_t bytes = sizeof packed, exact = 12, small = 8;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CALL(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr));
    CALL(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    extra[3] = &exact;
    CALL(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    packed.p = d + 512; // where nobody looks
    extra[3] = &small;
    CALL(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra));
    extra[3] = &bytes;
    CALL(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, args, extra)); // both
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 0, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 0, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1025, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 65, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 32, 32, 2, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 65536, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 65536, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 0x80000000u, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 49152, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 49153, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(sharing, 1, 1, 1, 1, 1, 1, 48129, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(few, 1, 1, 1, 64, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchKernel(few, 1, 1, 1, 65, 1, 1, 0, 0, nullptr, nullptr));
    RISKY(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuLaunchCooperativeKernel(nothing, 1 << 20, 1, 1, 32, 1, 1, 0, 0, nullptr));
    CALL(cuLaunchHostFunc(0, nullptr, nullptr));
    CALL(cuCtxSynchronize());
    CALL(cuMemcpyDtoH(&value, d, 4)); VAL(value);
}

static void streams() {
    CUstream s;
    CUevent a, b;
    float ms;
    unsigned flags;
    setup();
    CALL(cuStreamCreate(&s, 99));
    CALL(cuStreamCreate(nullptr, 0));
    CALL(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -100));
    CALL(cuStreamGetFlags(s, &flags)); VAL(flags);
    CALL(cuStreamGetFlags(0, &flags)); VAL(flags);
    CALL(cuStreamDestroy(nullptr));
    CALL(cuStreamDestroy(CU_STREAM_LEGACY));
    CALL(cuEventCreate(&a, 0x10));
    CALL(cuEventCreate(&a, CU_EVENT_INTERPROCESS));
    CALL(cuEventCreate(&a, 0));
    CALL(cuEventCreate(&b, CU_EVENT_DISABLE_TIMING));
    CALL(cuEventQuery(a));
    CALL(cuEventElapsedTime(&ms, a, a));
    CALL(cuEventRecord(a, s));
    CALL(cuEventRecord(b, s));
    CALL(cuStreamSynchronize(s));
    CALL(cuEventElapsedTime(&ms, a, b));
    CALL(cuEventElapsedTime(&ms, a, nullptr));
    CALL(cuEventRecord(nullptr, s));
    CALL(cuEventQuery(nullptr));
    CALL(cuEventDestroy(nullptr));
    CALL(cuStreamWaitEvent(s, a, 8));
    CALL(cuStreamWaitEvent(s, nullptr, 0));
    CALL(cuStreamAddCallback(s, nullptr, nullptr, 0));
    CALL(cuLaunchHostFunc(s, [](void *) { usleep(300000); }, nullptr));
    CALL(cuStreamQuery(s));
    static CUresult in;
    CALL(cuLaunchHostFunc(s, [](void *) { CUdeviceptr p; in = cuMemAlloc(&p, 16); }, nullptr));
    CALL(cuStreamSynchronize(s)); VAL(in);
    CALL(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CALL(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUdeviceptr p;
    CALL(cuMemAlloc(&p, 16));
    CUgraph g;
    CALL(cuStreamEndCapture(s, &g));
    CALL(cuStreamEndCapture(s, &g));
}

/* A fault, and what the calls behind it answer. */
static void fault() {
    CUfunction f;
    CUcontext c = nullptr;
    CUdeviceptr p;
    CUevent e;
    int n;
    setup();
    functions();
    CALL(cuEventCreate(&e, 0));
    CALL(cuModuleGetFunction(&f, mod, "null_write"));
    CALL(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    usleep(300000);
    CALL(cuCtxSynchronize());
    CALL(cuCtxGetCurrent(&c)); VAL(c == ctx);
    CALL(cuDeviceGetCount(&n));
    CALL(cuCtxGetDevice(&n));
    CALL(cuMemAlloc(&p, 16));
    CALL(cuMemFree(d));
    CALL(cuMemsetD8(d, 0, 4));
    CALL(cuEventQuery(e));
    CALL(cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    CALL(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    CALL(cuModuleGetFunction(&f, mod, "add"));
    CALL(cuModuleUnload(mod));
    CALL(cuCtxDestroy(ctx));
    CALL(cuCtxGetCurrent(&c)); VAL(c == nullptr);
    CALL(cuCtxCreate(&ctx, nullptr, 0, 0)); // a new one
    CALL(cuMemAlloc(&p, 16));
}

static void texts() {
    static const int codes[] = {
        0, 1, 2, 3, 4, 5, 6, 34, 36, 46, 100, 101, 102, 103, 200, 201, 202, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216,
        217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 300, 301, 302, 303, 304, 400, 401, 402, 500, 600, 700, 701, 702, 703, 704, 705,
        708, 709, 710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 721, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 810, 900,
        901, 902, 903, 904, 905, 906, 907, 908, 909, 910, 911, 912, 913, 914, 915, 999, 99, 5000, -1};
    for (int c : codes) {
        const char *name = "(as it was)", *text = name;
        CUresult a = cuGetErrorName((CUresult)c, &name), b = cuGetErrorString((CUresult)c, &text);
        printf("%d: %d %s, %d %s\n", c, a, name ? name : "(null)", b, text ? text : "(null)");
    }
}

static void nulls() {
    setup();
    functions();
    RISKY(cuModuleLoadData(&mod, nullptr));
    RISKY(cuModuleLoadData(nullptr, ptx));
    RISKY(cuModuleGetFunction(nullptr, mod, "add"));
    RISKY(cuModuleGetFunction(&add, mod, nullptr));
    RISKY(cuModuleGetFunction(&add, nullptr, "add"));
    RISKY(cuMemcpy2D(nullptr));
    RISKY(cuMemcpy3D(nullptr));
    RISKY(cuArrayCreate(nullptr, nullptr));
    RISKY(cuMemcpyHtoD(d, nullptr, 4));
    RISKY(cuMemcpyDtoH(nullptr, d, 4));
    RISKY(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
    RISKY(cuEventElapsedTime(nullptr, nullptr, nullptr));
    RISKY(cuLaunchKernelEx(nullptr, nothing, nullptr, nullptr));
    RISKY(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr)); // has parameters
    RISKY(cuCtxCreate(nullptr, nullptr, 0, 0));
    static const char garbage[4096] = "this is no module at all", elf[4096] = "\x7f" "ELF and nothing more";
    RISKY(cuModuleLoadFatBinary(&mod, garbage));
    RISKY(cuModuleLoadData(&mod, elf));
    RISKY(cuCtxSynchronize());
}

static const Topic topics[] = {{"texts", texts}, {"before_init", before_init}, {"devices", devices}, {"contexts", contexts}, {"with_runtime", with_runtime},
                               {"modules", modules}, {"memory", memory}, {"pointers", pointers}, {"launches", launches}, {"streams", streams}, {"fault", fault},
                               {"nulls", nulls}};
int main(int argc, char **argv) { return run_topics(topics, sizeof topics / sizeof *topics, argc, argv); }
