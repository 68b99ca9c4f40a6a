// What a wrong program passes is refused with the documented error: handles of nothing and of what is gone, sizes beyond all
// memory, images that are cut off.  No call crashes.
// REQUIRES: run
// RUN: %clang -w -I%resources/include %s -o %t -L%resources -lcuda -Wl,-rpath,%resources
// RUN: env LD_LIBRARY_PATH=%resources %run %t 2> %t.err | FileCheck %s
// RUN: FileCheck --check-prefix=LOG %s < %t.err
// CHECK: {{^}}0 bad
// LOG: error: this is neither PTX nor a GPU binary
// LOG: error: this GPU binary is damaged
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>
#include <nvvm.h>
#include <stdio.h>
#include <string.h>

static int bad;
#define IS(expr, want)                                                                       \
    do {                                                                                     \
        long got_ = (long)(expr), want_ = (long)(want);                                      \
        if (got_ != want_) bad++, printf("line %d: %s = %ld\n", __LINE__, #expr, got_);      \
    } while (0)
#define OK(expr) IS(expr, CUDA_SUCCESS)
enum { VALUE = CUDA_ERROR_INVALID_VALUE, HANDLE = CUDA_ERROR_INVALID_HANDLE };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter[4];\n"
                          ".visible .entry nothing() { ret; }\n.visible .entry one(.param .u64 p) { ret; }\n";
static char junk[4096];
static CUcontext context;
static CUdeviceptr d;

static void modules(void) {
    CUmodule m;
    CUfunction f;
    CUlinkState link;
    CUdeviceptr p;
    CUlibrary library;
    size_t bytes, none = 0;
    void *image, *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, NULL, CU_LAUNCH_PARAM_END};
    for (int i = 0; i < 2; i++) {
        void *no = i ? junk : (void *)8;
        IS(cuModuleGetFunction(&f, no, "nothing"), HANDLE);
        IS(cuModuleGetGlobal(&p, &bytes, no, "counter"), HANDLE);
        IS(cuModuleUnload(no), HANDLE);
        IS(cuLibraryUnload(no), HANDLE);
        IS(cuLinkAddData(no, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "", 0, NULL, NULL), HANDLE);
        IS(cuLinkDestroy(no), HANDLE);
        IS(cuLaunchKernel(no, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), HANDLE);
    }
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "one"));
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra), VALUE);
    extra[3] = &none;
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra), VALUE);
    IS(cuFuncSetBlockShape(f, 1025, 1, 1), VALUE);
    OK(cuModuleGetGlobal(&p, &bytes, m, "counter"));
    OK(cuMemsetD8(p, 1, bytes));
    OK(cuModuleUnload(m));
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), HANDLE);
    IS(cuMemsetD8(p, 1, bytes), VALUE);
    IS(cuModuleUnload(m), HANDLE);
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkDestroy(link));
    IS(cuLinkDestroy(link), HANDLE);
    IS(cuLinkComplete(link, &image, &bytes), HANDLE);
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryUnload(library));
    IS(cuLibraryUnload(library), HANDLE);
}

/* A container whose sizes are beyond what is there, and no container at all. */
static void images(void) {
    struct {
        unsigned magic;
        unsigned short version, head;
        unsigned long long bytes;
    } container = {0xba55ed50, 1, 16, 1ull << 31};
    struct {
        unsigned magic, version;
        const void *data, *all;
    } wrapper = {0x466243b1, 1, NULL, NULL};
    CUmodule m;
    IS(cuModuleLoadData(&m, "no code"), CUDA_ERROR_INVALID_IMAGE);
    IS(cuModuleLoadData(&m, &container), CUDA_ERROR_INVALID_IMAGE);
    IS(cuModuleLoadData(&m, &wrapper), CUDA_ERROR_INVALID_IMAGE);
    wrapper.data = (void *)8;
    IS(cuModuleLoadFatBinary(&m, &wrapper), CUDA_ERROR_INVALID_IMAGE);
}

static void compilers(void) {
    nvrtcProgram p, gone;
    nvvmProgram n, left;
    nvJitLinkHandle h = (nvJitLinkHandle)junk;
    size_t size;
    IS(nvrtcCreateProgram(&p, "", "x", 0, NULL, NULL), NVRTC_SUCCESS);
    gone = p;
    IS(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    IS(nvrtcDestroyProgram(&gone), NVRTC_ERROR_INVALID_PROGRAM);
    IS(nvrtcGetPTXSize((nvrtcProgram)8, &size), NVRTC_ERROR_INVALID_PROGRAM);
    IS(nvvmCreateProgram(&n), NVVM_SUCCESS);
    left = n;
    IS(nvvmDestroyProgram(&n), NVVM_SUCCESS);
    IS(nvvmDestroyProgram(&left), NVVM_ERROR_INVALID_PROGRAM);
    IS(nvJitLinkDestroy(&h), NVJITLINK_ERROR_NULL_INPUT);
}

static void memory(void) {
    CUdeviceptr p;
    CUpointer_attribute which[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 99};
    unsigned type;
    void *into[2] = {&type, &type};
    IS(cuMemsetD32(d, 0, (size_t)1 << 62), VALUE);
    IS(cuMemsetD16(d, 0, (size_t)1 << 63 | 1), VALUE);
    IS(cuMemsetD2D8(d, (size_t)1 << 63, 1, 16, 3), VALUE);
    IS(cuMemHostRegister((void *)65536, 1 << 20, 0), VALUE);
    IS(cuPointerGetAttributes(2, which, into, d), VALUE);
    which[1] = CU_POINTER_ATTRIBUTE_MEMORY_TYPE, into[1] = NULL;
    IS(cuPointerGetAttributes(2, which, into, d), VALUE);
    IS(cuMemcpyPeer(d, (CUcontext)8, d, context, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemcpyPeer(d, context, d + 64, context, 4));

    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 7}};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, 99};
    CUmemGenericAllocationHandle h;
    size_t n;
    IS(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM), VALUE);
    prop.location.id = 0;
    OK(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&p, n, 0, 0, 0));
    OK(cuMemCreate(&h, n, &prop, 0));
    OK(cuMemMap(p, n, 0, h, 0));
    IS(cuMemSetAccess(p, n, &access, 1), VALUE);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    OK(cuMemSetAccess(p, n, &access, 1));
    IS(cuMemsetD8(p, 1, 4), VALUE);
    IS(cuMemcpyHtoD(p, junk, 4), VALUE);
    OK(cuMemcpyDtoH(junk, p, 4));
    OK(cuMemUnmap(p, n));
    IS(cuMemImportFromShareableHandle(&h, (void *)1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), VALUE);
}

/* Nodes are gone with their graphs. */
static void nodes(void) {
    CUgraph g;
    CUgraphNode n;
    CUgraphNodeType type;
    size_t count;
    OK(cuGraphCreate(&g, 0));
    OK(cuGraphAddEmptyNode(&n, g, NULL, 0));
    OK(cuGraphNodeGetType(n, &type));
    OK(cuGraphDestroy(g));
    IS(cuGraphNodeGetType(n, &type), VALUE);
    IS(cuGraphNodeGetType((CUgraphNode)junk, &type), VALUE);
    IS(cuGraphNodeGetDependencies((CUgraphNode)8, NULL, &count), VALUE);
    IS(cuGraphDestroyNode((CUgraphNode)junk), VALUE);
}

static void names(void) {
    void *f;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress_v2("cuInit", &f, 12000, 0, &status));
    IS(cuGetProcAddress_v2("cudaMalloc", &f, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
    IS(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

/* What was made in a context ends with it; what was made in another one stays. */
static void contexts(void) {
    CUcontext c, owner;
    CUdeviceptr p;
    CUstream s;
    CUevent e;
    CUmodule m;
    CUfunction f;
    void *host;
    OK(cuCtxCreate_v2(&c, 0, 0));
    OK(cuMemAlloc(&p, 64 << 20));
    OK(cuMemAllocHost(&host, 4096));
    OK(cuStreamCreate(&s, 0));
    OK(cuEventCreate(&e, 0));
    OK(cuModuleLoadData(&m, ptx));
    OK(cuModuleGetFunction(&f, m, "nothing"));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
    OK(cuCtxSetCurrent(context));
    OK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    IS(owner == c, 1);
    OK(cuCtxDestroy(c));
    IS(cuMemFree(p), VALUE);
    IS(cuMemFreeHost(host), VALUE);
    IS(cuStreamQuery(s), HANDLE);
    IS(cuEventQuery(e), HANDLE);
    IS(cuModuleGetFunction(&f, m, "nothing"), HANDLE);
    IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), HANDLE);
    OK(cuMemsetD8(d, 0, 4));
}

int main(void) {
    memset(junk, 0x5a, sizeof junk);
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuMemAlloc(&d, 1024));
    modules();
    images();
    compilers();
    memory();
    nodes();
    names();
    contexts();
    printf("%d bad\n", bad);
    return bad != 0;
}
