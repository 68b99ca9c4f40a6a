/* driver_api.c: the driver API over the runtime API: one device, one context that is always
*current.
**
** A CUfunction is the address of an RtKernel, which the registry knows as a function
*(rt_use_module). */
#include "driver_api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMETERS = 4096 };

static char the_context;
static CUcontext context(void) { return (CUcontext)&the_context; }
static bool is_device(CUdevice d) { return d == 0; }

/* ---- errors, versions, devices ---- */

static const struct {
    CUresult number;
    const char *name;
} results[] = {
#define CUCPU_RESULT(name, number) {(CUresult)number, #name},
#include "cucpu/driver_errors.def"
};

CUresult cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t i = 0; i < RT_COUNT(results) && !*name; i++)
        if (results[i].number == error) *name = results[i].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    CUresult r = cuGetErrorName(error, text);
    if (r != CUDA_SUCCESS) return r;
    const char *same = cudaGetErrorString((cudaError_t)error);
    if (same && strcmp(same, "unrecognized error code")) *text = same;
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { return rt_result(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int *count) { return rt_result(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice device) {
    struct cudaDeviceProp p;
    if (!name || len <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    cudaError_t e = cudaGetDeviceProperties(&p, 0);
    if (!e) snprintf(name, (size_t)len, "%s", p.name);
    return rt_result(e);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    size_t unused;
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    return is_device(device) ? rt_result(cudaMemGetInfo(&unused, bytes))
                             : CUDA_ERROR_INVALID_DEVICE;
}

/* Attributes have the same numbers in both APIs. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    return is_device(device)
               ? rt_result(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, 0))
               : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    CUresult r = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return r ? r
             : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    return rt_result(cudaDeviceCanAccessPeer(can, device, peer));
}

/* ---- contexts ---- */

static CUresult give_context(CUcontext *c) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    *c = context();
    return CUDA_SUCCESS;
}
static CUresult check_context(CUcontext c) {
    return c == context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxCreate(CUcontext *c, unsigned flags, CUdevice device) {
    (void)flags;
    return is_device(device) ? give_context(c) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuCtxDestroy(CUcontext c) {
    return check_context(c) ? CUDA_ERROR_INVALID_CONTEXT : cuCtxSynchronize();
}
CUresult cuCtxPushCurrent(CUcontext c) { return check_context(c); }
CUresult cuCtxPopCurrent(CUcontext *c) { return c ? give_context(c) : CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext c) { return c ? check_context(c) : CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *c) { return give_context(c); }
CUresult cuCtxAttach(CUcontext *c, unsigned flags) {
    return flags ? CUDA_ERROR_INVALID_VALUE : give_context(c);
}
CUresult cuCtxDetach(CUcontext c) { return check_context(c); }
CUresult cuCtxSynchronize(void) { return rt_result(cudaDeviceSynchronize()); }
CUresult cuCtxGetDevice(CUdevice *device) { return cuDeviceGet(device, 0); }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return rt_result(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    return rt_result(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    return rt_result(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice device) {
    return cuCtxCreate(c, 0, device);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    (void)flags;
    return cuDevicePrimaryCtxRelease(device);
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return c ? check_context(c) : CUDA_SUCCESS;
}

/* ---- memory ---- */

static CUresult allocated(cudaError_t e, CUdeviceptr *out, void *const *p) {
    if (!e) *out = (uintptr_t)*p;
    return rt_result(e);
}

CUresult cuMemGetInfo(size_t *unused, size_t *total) {
    return rt_result(cudaMemGetInfo(unused, total));
}

CUresult cuMemAlloc(CUdeviceptr *ptr, size_t size) {
    void *p = NULL;
    if (!ptr || !size) return CUDA_ERROR_INVALID_VALUE;
    return allocated(cudaMalloc(&p, size), ptr, &p);
}

CUresult cuMemAllocPitch(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                         unsigned element) {
    void *p = NULL;
    (void)element;
    return ptr ? allocated(cudaMallocPitch(&p, pitch, width, height), ptr, &p)
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocManaged(CUdeviceptr *ptr, size_t size, unsigned flags) {
    void *p = NULL;
    return ptr ? allocated(cudaMallocManaged(&p, size, flags), ptr, &p) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocAsync(CUdeviceptr *ptr, size_t size, CUstream s) {
    void *p = NULL;
    return ptr ? allocated(cudaMallocAsync(&p, size, (cudaStream_t)s), ptr, &p)
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree(CUdeviceptr ptr) { return rt_result(cudaFree(RT_POINTER(ptr))); }
CUresult cuMemFreeAsync(CUdeviceptr ptr, CUstream s) {
    return rt_result(cudaFreeAsync(RT_POINTER(ptr), (cudaStream_t)s));
}
CUresult cuMemAllocHost(void **ptr, size_t size) { return rt_result(cudaMallocHost(ptr, size)); }
CUresult cuMemHostAlloc(void **ptr, size_t size, unsigned flags) {
    return rt_result(cudaHostAlloc(ptr, size, flags));
}
CUresult cuMemFreeHost(void *ptr) { return rt_result(cudaFreeHost(ptr)); }
CUresult cuMemHostRegister(void *ptr, size_t size, unsigned flags) {
    return rt_result(cudaHostRegister(ptr, size, flags));
}
CUresult cuMemHostUnregister(void *ptr) { return rt_result(cudaHostUnregister(ptr)); }

CUresult cuMemHostGetDevicePointer(CUdeviceptr *ptr, void *host, unsigned flags) {
    void *p = NULL;
    return ptr ? allocated(cudaHostGetDevicePointer(&p, host, flags), ptr, &p)
               : CUDA_ERROR_INVALID_VALUE;
}

#define COPY(name, to, from, kind)                                                                 \
    CUresult cuMemcpy##name(to dst, from src, size_t size) {                                       \
        return rt_result(cudaMemcpy(RT_POINTER(dst), RT_POINTER(src), size, kind));                \
    }                                                                                              \
    CUresult cuMemcpy##name##Async(to dst, from src, size_t size, CUstream s) {                    \
        return rt_result(                                                                          \
            cudaMemcpyAsync(RT_POINTER(dst), RT_POINTER(src), size, kind, (cudaStream_t)s));       \
    }
COPY(, CUdeviceptr, CUdeviceptr, cudaMemcpyDefault)
COPY(HtoD, CUdeviceptr, const void *, cudaMemcpyHostToDevice)
COPY(DtoH, void *, CUdeviceptr, cudaMemcpyDeviceToHost)
COPY(DtoD, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)

CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t n) {
    return rt_result(cudaMemset(RT_POINTER(dst), value, n));
}
CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t n, CUstream s) {
    return rt_result(cudaMemsetAsync(RT_POINTER(dst), value, n, (cudaStream_t)s));
}

CUresult cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t n) {
    CUresult r = cuCtxSynchronize();
    for (size_t i = 0; !r && i < n; i++) ((uint16_t *)RT_POINTER(dst))[i] = value;
    return r;
}

CUresult cuMemsetD32(CUdeviceptr dst, unsigned value, size_t n) {
    CUresult r = cuCtxSynchronize();
    for (size_t i = 0; !r && i < n; i++) ((uint32_t *)RT_POINTER(dst))[i] = value;
    return r;
}

/* ---- streams and events ---- */

CUresult cuStreamCreate(CUstream *s, unsigned flags) {
    return rt_result(cudaStreamCreateWithFlags((cudaStream_t *)s, flags));
}
CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int priority) {
    return rt_result(cudaStreamCreateWithPriority((cudaStream_t *)s, flags, priority));
}
CUresult cuStreamDestroy(CUstream s) { return rt_result(cudaStreamDestroy((cudaStream_t)s)); }
CUresult cuStreamQuery(CUstream s) { return rt_result(cudaStreamQuery((cudaStream_t)s)); }
CUresult cuStreamSynchronize(CUstream s) {
    return rt_result(cudaStreamSynchronize((cudaStream_t)s));
}
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) {
    return rt_result(cudaStreamWaitEvent((cudaStream_t)s, (cudaEvent_t)e, flags));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *data) {
    return rt_result(cudaLaunchHostFunc((cudaStream_t)s, fn, data));
}
CUresult cuEventCreate(CUevent *e, unsigned flags) {
    return rt_result(cudaEventCreateWithFlags((cudaEvent_t *)e, flags));
}
CUresult cuEventDestroy(CUevent e) { return rt_result(cudaEventDestroy((cudaEvent_t)e)); }
CUresult cuEventRecord(CUevent e, CUstream s) {
    return rt_result(cudaEventRecord((cudaEvent_t)e, (cudaStream_t)s));
}
CUresult cuEventQuery(CUevent e) { return rt_result(cudaEventQuery((cudaEvent_t)e)); }
CUresult cuEventSynchronize(CUevent e) { return rt_result(cudaEventSynchronize((cudaEvent_t)e)); }
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
    return rt_result(cudaEventElapsedTime(ms, (cudaEvent_t)start, (cudaEvent_t)end));
}

/* ---- functions and launches ---- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    struct cudaFuncAttributes a;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    cudaError_t e = cudaFuncGetAttributes(&a, function);
    if (e) return rt_result(e);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)a.sharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)a.constSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)a.localSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = 0;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = a.preferredShmemCarveout;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return rt_result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
    return rt_result(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int size,
                                                     size_t dynamic) {
    return rt_result(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, size, dynamic));
}

/* The parameters one behind the other, each at its alignment. */
static CUresult from_buffer(const RtKernel *k, void **extra, void **params) {
    char *buffer = NULL;
    size_t size = 0, at = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < k->abi->nparams; i++) {
        const CucpuParam *p = &k->abi->params[i];
        at = RT_ROUND(at, p->align ? p->align : 1);
        if (!buffer || at + p->size > size) return CUDA_ERROR_INVALID_VALUE;
        params[i] = buffer + at;
        at += p->size;
    }
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction function, dim3 grid, dim3 block, unsigned shared, CUstream s,
                       void **params, void **extra, bool cooperative) {
    void *from[MAX_PARAMETERS / 4];
    RtKernel *k;
    if (rt_sticky()) return rt_result(rt_sticky());
    cudaError_t e = rt_find_kernel(function, &k);
    if (e) return rt_result(e);
    if (params && extra) return CUDA_ERROR_INVALID_VALUE;
    if (extra) {
        if (k->abi->nparams > RT_COUNT(from)) return CUDA_ERROR_INVALID_VALUE;
        CUresult r = from_buffer(k, extra, from);
        if (r) return r;
        params = from;
    }
    return rt_result(
        rt_launch(function, grid, block, params, shared, (cudaStream_t)s, cooperative));
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream s, void **params,
                        void **extra) {
    return launch(function, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, params, extra,
                  false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream s, void **params) {
    return launch(function, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared, s, params, NULL, true);
}
