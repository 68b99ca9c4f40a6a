/* green.c: the driver API: the device's multiprocessors as a resource, and green contexts, which have some of them.
**
** A multiprocessor is a worker.  Splits are counted, and contexts and streams return what they were made with, but
** kernels of a green context run on all workers: it is a promise of CUDA that they have their part, none that others
** stay away from it. */
#include "queue/stream.h"
#include "driver/driver.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char mark[8] = "cucpu SM"; /* in the padding of resources that come from here */

struct CUdevResourceDesc_st {
    unsigned count;
    CUdevResourceDesc next;
};
struct CUgreenCtx_st {
    CUcontext context; /* NULL: destroyed */
    unsigned count;
    CUgreenCtx next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUdevResourceDesc descs;
static CUgreenCtx contexts; /* all there ever were */

/* ---- resources ---- */

static CUdevResource part(unsigned count) {
    CUdevResource r;
    memset(&r, 0, sizeof r);
    if (!count) return r; /* CU_DEV_RESOURCE_TYPE_INVALID */
    r.type = CU_DEV_RESOURCE_TYPE_SM;
    r.sm.smCount = count;
    memcpy(r._internal_padding, mark, sizeof mark);
    return r;
}
static CUresult check(const CUdevResource *r) {
    if (!r) return CUDA_ERROR_INVALID_VALUE;
    if (r->type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    return memcmp(r->_internal_padding, mark, sizeof mark) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
static CUresult give_resource(CUdevResource *out, CUdevResourceType type, unsigned count) {
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    *out = part(count);
    return CUDA_SUCCESS;
}
static unsigned all_of_device(void) {
    int count = 0;
    DrvKept kept = drv_keep();
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    drv_restore(kept);
    return (unsigned)count;
}

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *out, CUdevResourceType type) {
    DRV_ENTER(false);
    return device ? CUDA_ERROR_INVALID_DEVICE : give_resource(out, type, all_of_device());
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups, const CUdevResource *input,
                                     CUdevResource *remaining, unsigned flags, unsigned count) {
    DRV_ENTER(false);
    CUresult error = check(input);
    if (error) return error;
    if (!groups || flags & ~3u) return CUDA_ERROR_INVALID_VALUE;
    if (!count) count = 1;
    unsigned possible = input->sm.smCount / count, n = !result || *groups > possible ? possible : *groups;
    if (!possible) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    for (unsigned i = 0; result && i < n; i++) result[i] = part(count);
    if (remaining) *remaining = part(input->sm.smCount - n * count);
    *groups = n;
    return CUDA_SUCCESS;
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources, unsigned count) {
    unsigned sum = 0;
    DRV_ENTER(false);
    if (!desc || !resources || !count) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        CUresult error = check(&resources[i]);
        if (error) return error;
        sum += resources[i].sm.smCount;
    }
    if (sum > all_of_device()) return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    CUdevResourceDesc d = calloc(1, sizeof *d);
    if (!d) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *d = (struct CUdevResourceDesc_st){sum, descs};
    *desc = descs = d;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

static CUgreenCtx find(CUgreenCtx green) {
    pthread_mutex_lock(&lock);
    CUgreenCtx g = contexts;
    while (g && (g != green || !g->context)) g = g->next;
    pthread_mutex_unlock(&lock);
    return g;
}
static CUgreenCtx find_context(CUcontext context) {
    pthread_mutex_lock(&lock);
    CUgreenCtx g = contexts;
    while (g && g->context != context) g = g->next;
    pthread_mutex_unlock(&lock);
    return g;
}

CUresult cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc desc, CUdevice device, unsigned flags) {
    DRV_ENTER(false);
    if (device) return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    CUdevResourceDesc d = descs;
    while (d && d != desc) d = d->next;
    pthread_mutex_unlock(&lock);
    if (!out || !d || flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
    CUgreenCtx g = calloc(1, sizeof *g);
    CUcontext c = g ? drv_make_context(0) : NULL;
    CUcontext primary;
    if (!c || cuDevicePrimaryCtxRetain(&primary, 0)) {
        free(g);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&lock);
    *g = (struct CUgreenCtx_st){c, d->count, contexts};
    *out = contexts = g;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
    DRV_ENTER(false);
    CUgreenCtx g = find(green);
    if (!g) return CUDA_ERROR_INVALID_HANDLE;
    CUresult error = cuCtxDestroy(g->context);
    pthread_mutex_lock(&lock);
    g->context = NULL;
    pthread_mutex_unlock(&lock);
    cuDevicePrimaryCtxRelease(0);
    return error;
}

CUresult cuCtxFromGreenCtx(CUcontext *out, CUgreenCtx green) {
    DRV_ENTER(false);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUgreenCtx g = find(green);
    if (g) *out = g->context;
    return g ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuGreenCtxGetId(CUgreenCtx green, unsigned long long *id) {
    DRV_ENTER(false);
    CUgreenCtx g = find(green);
    if (!g) return CUDA_ERROR_INVALID_HANDLE;
    return drv_context_id(g->context, id);
}
CUresult cuGreenCtxGetDevResource(CUgreenCtx green, CUdevResource *out, CUdevResourceType type) {
    DRV_ENTER(false);
    CUgreenCtx g = find(green);
    return g ? give_resource(out, type, g->count) : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuCtxGetDevResource(CUcontext context, CUdevResource *out, CUdevResourceType type) {
    unsigned long long id;
    DRV_ENTER(false);
    if (drv_context_id(context, &id)) return CUDA_ERROR_INVALID_CONTEXT;
    CUgreenCtx g = find_context(context);
    return give_resource(out, type, g ? g->count : all_of_device());
}

/* ---- streams and events ---- */

CUresult cuGreenCtxStreamCreate(CUstream *out, CUgreenCtx green, unsigned flags, int priority) {
    DRV_ENTER(false);
    CUgreenCtx g = find(green);
    if (!g) return CUDA_ERROR_INVALID_HANDLE;
    if (!out || !(flags & CU_STREAM_NON_BLOCKING)) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuCtxPushCurrent(g->context);
    if (error) return error;
    error = cuStreamCreateWithPriority(out, flags, priority);
    cuCtxPopCurrent(NULL);
    return error;
}

/* The context in which a stream was made; of the default streams the current one. */
static CUresult context_of(CUstream stream, CUcontext *out) {
    DRV_ENTER((uintptr_t)stream <= (uintptr_t)cudaStreamPerThread);
    cudaStream_t s = rt_stream((cudaStream_t)stream);
    if (!s) return CUDA_ERROR_INVALID_HANDLE;
    *out = (uintptr_t)stream <= (uintptr_t)cudaStreamPerThread ? drv_current()
           : s->context                                        ? s->context
                                                               : drv_primary();
    return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    RT_CALL();
    return context ? context_of(stream, context) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *out) {
    RT_CALL();
    CUcontext context;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = context_of(stream, &context);
    if (!error) *out = find_context(context);
    return error;
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green) {
    RT_CALL();
    CUresult error = context ? cuStreamGetCtx(stream, context) : CUDA_SUCCESS;
    return error || !green ? error : cuStreamGetGreenCtx(stream, green);
}

/* All that is there to wait for: there is one device. */
static cudaError_t record_all(CUevent event) {
    cudaStream_t s;
    RT_TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    cudaError_t error = rt_wait_for_streams(s);
    if (!error) error = cudaEventRecord((cudaEvent_t)event, s);
    cudaStreamDestroy(s);
    return error;
}
CUresult cuGreenCtxRecordEvent(CUgreenCtx green, CUevent event) {
    DRV_ENTER(false);
    if (!find(green)) return CUDA_ERROR_INVALID_HANDLE;
    DRV_RETURN(record_all(event));
}
CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
    unsigned long long id;
    DRV_ENTER(false);
    if (drv_context_id(context, &id)) return CUDA_ERROR_INVALID_CONTEXT;
    DRV_RETURN(record_all(event));
}
/* Streams that are made later wait as well: the host does, here. */
CUresult cuGreenCtxWaitEvent(CUgreenCtx green, CUevent event) {
    DRV_ENTER(false);
    if (!find(green)) return CUDA_ERROR_INVALID_HANDLE;
    DRV_RETURN(cudaEventSynchronize((cudaEvent_t)event));
}
CUresult cuCtxWaitEvent(CUcontext context, CUevent event) {
    unsigned long long id;
    DRV_ENTER(false);
    if (drv_context_id(context, &id)) return CUDA_ERROR_INVALID_CONTEXT;
    DRV_RETURN(cudaEventSynchronize((cudaEvent_t)event));
}
