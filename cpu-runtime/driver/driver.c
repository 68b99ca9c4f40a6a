/* driver.c: the driver API: start, errors, the device, contexts.
**
** There is one memory and one device: what was made in a context may be used in all, until that one is destroyed.
** Each thread has a stack of contexts; a thread that has used the runtime API has the primary context. */
#define _GNU_SOURCE
#include "base/log.h"
#include "space/alloc.h"
#include "queue/event.h"
#include "queue/stream.h"
#include "driver/driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUctx_st {
    CUcontext next;
    bool alive;
    unsigned flags, references;
    unsigned long long id;
};

enum { CONTEXT_DEPTH = 64 };

static _Atomic bool initialised;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st primary = {.alive = true, .id = 1};
static CUcontext contexts = &primary; /* all there ever were */
static unsigned long long last_id = 1;
static RT_TLS CUcontext stack[CONTEXT_DEPTH];
static RT_TLS enum RtUse used_below; /* rt_used, when the stack was empty */
static RT_TLS int depth;

/* ---- errors ---- */

CUresult drv_result(cudaError_t e) {
    switch ((int)e) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorMissingConfiguration: return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    }
    const char *name;
    return cuGetErrorName((CUresult)e, &name) ? CUDA_ERROR_UNKNOWN : (CUresult)e;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    switch ((int)error) {
#define CUCPU_RESULT(spelling, number)                                                                                 \
    case number:                                                                                                       \
        *name = #spelling;                                                                                             \
        return CUDA_SUCCESS;
#include "cucpu/driver_errors.def"
    }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    const char *name;
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    if (cuGetErrorName(error, &name)) return CUDA_ERROR_INVALID_VALUE;
    *text = (int)error == 202 ? "context already current"
                              : cudaGetErrorString((cudaError_t)error); /* the runtime API has none */
    return CUDA_SUCCESS;
}

DrvKept drv_keep(void) {
    DrvKept kept = {rt_swap_last_error(cudaSuccess), rt_used};
    rt_used = RT_BY_DRIVER;
    return kept;
}

void drv_restore(DrvKept kept) {
    rt_swap_last_error(kept.error);
    rt_used = kept.used;
}

static CUcontext current(void) { return depth ? stack[depth - 1] : rt_used == RT_USED ? &primary : NULL; }

/* The primary context exists while it is retained. */
static bool is_alive(CUcontext c) { return c == &primary ? primary.references || rt_primary_held : c->alive; }

CUresult drv_enter(bool with_context) {
    if (!initialised && !rt_ever_used) return CUDA_ERROR_NOT_INITIALIZED;
    if (rt_in_host_function) return CUDA_ERROR_NOT_PERMITTED;
    if (!with_context) return CUDA_SUCCESS;
    CUcontext c = current();
    return !c ? CUDA_ERROR_INVALID_CONTEXT : !is_alive(c) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

CUresult drv_failed(const char *function, CUresult r) {
    const char *name = "unknown";
    cuGetErrorName(r, &name);
    if (r != CUDA_ERROR_NOT_READY) rt_log_result(function, (int)r, name);
    return r;
}

CUresult cuInit(unsigned flags) {
    RT_CALL();
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    RT_CALL();
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* name, or the name with the suffix of functions whose stream 0 is the thread's own. */
static void *look_up(const char *name, bool per_thread) {
    static const char *const suffixes[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds"};
    char longer[160];
    void *f = NULL;
    for (size_t i = 0; per_thread && !f && i < RT_COUNT(suffixes); i++) {
        snprintf(longer, sizeof longer, "%s%s", name, suffixes[i]);
        f = dlsym(RTLD_DEFAULT, longer);
    }
    return f ? f : dlsym(RTLD_DEFAULT, name);
}

/* What the name means in this version of CUDA. */
static const char *name_in_version(const char *symbol, unsigned version) {
    static const struct {
        const char *name, *function;
        unsigned since;
    } rows[] = {
#define VERSION(name, since, function) {#name, #function, since},
#include "driver/versions.def"
    };
    const char *found = symbol;
    for (size_t i = 0; i < RT_COUNT(rows); i++)
        if (!strcmp(rows[i].name, symbol) && version >= rows[i].since) found = rows[i].function;
    return found;
}

/* Other versions of a function are one here: cuMemAlloc_v2 is cuMemAlloc. */
static void *find_function(const char *symbol, unsigned cuda, unsigned long long flags) {
    bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    char name[128];
    if (strlen(symbol) >= sizeof name || strncmp(symbol, "cu", 2) || symbol[2] < 'A' || symbol[2] > 'Z') return NULL;
    strcpy(name, name_in_version(symbol, cuda));
    void *f = look_up(name, per_thread);
    char *version = strstr(name, "_v");
    if (!f && version) {
        *version = 0;
        f = look_up(name, per_thread);
    }
    return f;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
    RT_CALL();
    if (!symbol || !function || flags > 2) return CUDA_ERROR_INVALID_VALUE;
    *function = find_function(symbol, (unsigned)version, flags);
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* As CUDA 11 has it: the header means the one above by this name. */
#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                                                                 cuuint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags) {
    RT_CALL();
    return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
    RT_ENTER();
    if (!symbol || !function || flags > 2) return rt_end(cudaErrorInvalidValue);
    *function = find_function(symbol, version, flags);
    if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return rt_end(*function || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    RT_CALL();
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

/* ---- the device ---- */

#define DEVICE(d)                                                                                                      \
    DRV_ENTER(false);                                                                                                  \
    if ((d) != 0) return CUDA_ERROR_INVALID_DEVICE

CUresult cuDeviceGetCount(int *count) {
    DRV_ENTER(false);
    DRV_RETURN(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    DEVICE(ordinal);
    *device = 0;
    return CUDA_SUCCESS;
}

/* For a function that writes something of them to `out`. */
static CUresult properties(CUdevice device, const void *out, struct cudaDeviceProp *p) {
    DEVICE(device);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    DRV_RETURN(cudaGetDeviceProperties(p, 0));
}

CUresult cuDeviceGetName(char *name, int len, CUdevice device) {
    RT_CALL();
    struct cudaDeviceProp p;
    CUresult error = properties(device, len > 0 ? name : NULL, &p);
    if (error) return error;
    size_t n = strlen(p.name) < (size_t)len ? strlen(p.name) : (size_t)len - 1;
    memcpy(name, p.name, n);
    name[n] = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    RT_CALL();
    struct cudaDeviceProp p;
    CUresult error = properties(device, uuid, &p);
    if (!error) memcpy(uuid, &p.uuid, sizeof *uuid);
    return error;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    RT_CALL();
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    RT_CALL();
    struct cudaDeviceProp p;
    CUresult error = properties(device, bytes, &p);
    if (!error) *bytes = p.totalGlobalMem;
    return error;
}

/* The values are those of cudaDeviceAttr; those that only the driver API has are 0 but one. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    DEVICE(device);
    if (!value || (int)attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    DrvKept kept = drv_keep();
    if (cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, 0)) *value = 0;
    drv_restore(kept);
    switch ((int)attribute) { /* what only the driver API has */
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: *value = 1;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *out, CUdevice device) {
    RT_CALL();
    struct cudaDeviceProp p;
    CUresult error = properties(device, out, &p);
    if (error) return error;
    *out = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                       .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                       .totalConstantMemory = (int)p.totalConstMem,
                       .SIMDWidth = p.warpSize,
                       .memPitch = (int)p.memPitch,
                       .regsPerBlock = p.regsPerBlock,
                       .clockRate = p.clockRate,
                       .textureAlign = (int)p.textureAlignment};
    memcpy(out->maxThreadsDim, p.maxThreadsDim, sizeof out->maxThreadsDim);
    memcpy(out->maxGridSize, p.maxGridSize, sizeof out->maxGridSize);
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    RT_CALL();
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    CUresult error = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return error ? error : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice device) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetPCIBusId(id, len, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetDefaultMemPool((cudaMemPool_t *)pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceGetMemPool((cudaMemPool_t *)pool, device));
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    DRV_ENTER(false);
    DRV_RETURN(cudaDeviceSetMemPool(device, (cudaMemPool_t)pool));
}

/* ---- contexts ---- */

static CUcontext find_context(CUcontext c) {
    pthread_mutex_lock(&lock);
    CUcontext p = contexts;
    while (p && (p != c || !p->alive)) p = p->next;
    pthread_mutex_unlock(&lock);
    return p;
}

static void top_changed(void) { rt_context = depth && stack[depth - 1] != &primary ? stack[depth - 1] : NULL; }

static CUresult push(CUcontext c) {
    if (depth == CONTEXT_DEPTH) return CUDA_ERROR_INVALID_CONTEXT;
    if (!depth) used_below = rt_used;
    stack[depth++] = c;
    top_changed();
    return CUDA_SUCCESS;
}

/* Calls of the runtime API that a context of the stack served do not make the primary one current. */
static void drop_top(void) {
    if (--depth == 0) rt_used = used_below;
    top_changed();
}

CUcontext drv_make_context(unsigned flags) {
    CUcontext c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->alive = true;
    c->flags = flags;
    pthread_mutex_lock(&lock);
    c->id = ++last_id;
    c->next = contexts;
    contexts = c;
    pthread_mutex_unlock(&lock);
    return c;
}

void rt_make_primary_current(void) {
    if (depth) stack[depth - 1] = &primary;
    top_changed();
    rt_hold_primary();
}

void rt_end_primary(void) {
    pthread_mutex_lock(&lock);
    primary.references = 0;
    rt_primary_held = false;
    pthread_mutex_unlock(&lock);
}

CUcontext drv_current(void) { return current(); }
CUcontext drv_primary(void) { return &primary; }

CUresult drv_context_id(CUcontext context, unsigned long long *id) {
    if (!id || !find_context(context)) return CUDA_ERROR_INVALID_VALUE;
    *id = context->id;
    return CUDA_SUCCESS;
}

/* At most one of the scheduling flags. */
static bool good_flags(unsigned flags, unsigned known) {
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~known) && !(schedule & (schedule - 1));
}

CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice device) {
    DEVICE(device);
    if (!out || !good_flags(flags, 0x7f)) return CUDA_ERROR_INVALID_VALUE;
    if (rt_sticky()) return drv_result(rt_sticky());
    *out = drv_make_context(flags);
    return *out ? push(*out) : CUDA_ERROR_OUT_OF_MEMORY;
}

static void (*_Atomic on_end)(const void *);

void drv_on_context_end(void (*f)(const void *context)) { atomic_store(&on_end, f); }

/* What was made in it goes with it. */
static void end_context(CUcontext context) {
    void (*f)(const void *) = atomic_load(&on_end);
    DrvKept kept = drv_keep();
    rt_sync_all();
    context->alive = false;
    rt_end_streams_of(context);
    rt_end_events_of(context);
    if (f) f(context);
    rt_free_context(context);
    drv_restore(kept);
}

CUresult cuCtxDestroy(CUcontext context) {
    DRV_ENTER(false);
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (context == &primary || !find_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    end_context(context);
    if (depth && stack[depth - 1] == context) drop_top();
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    DRV_ENTER(false);
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    return find_context(context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
    DRV_ENTER(false);
    if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = current();
    if (depth) drop_top();
    else rt_used = RT_UNUSED;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    DRV_ENTER(false);
    if (context && !find_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (depth) drop_top();
    else if (!context) rt_used = RT_UNUSED;
    return context ? push(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    DRV_ENTER(false);
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    DRV_ENTER(true);
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
    DRV_ENTER(true);
    if (!good_flags(flags, 0xff)) return CUDA_ERROR_INVALID_VALUE;
    current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags) {
    DRV_ENTER(true);
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
    DRV_ENTER(true);
    return drv_context_id(context ? context : current(), id);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    DRV_ENTER(false);
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    if (context && !find_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) { DRV_FORWARD(cudaDeviceSynchronize()); }
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { DRV_FORWARD(cudaDeviceSetLimit((enum cudaLimit)limit, value)); }
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) { DRV_FORWARD(cudaDeviceGetLimit(value, (enum cudaLimit)limit)); }
CUresult cuCtxSetCacheConfig(CUfunc_cache config) { DRV_FORWARD(cudaDeviceSetCacheConfig((enum cudaFuncCache)config)); }
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    DRV_FORWARD(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    DRV_FORWARD(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    DRV_ENTER(true);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return find_context(peer) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    DRV_ENTER(true);
    return find_context(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
    DRV_ENTER(true);
    if (!context || flags) return CUDA_ERROR_INVALID_VALUE;
    *context = current();
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext context) {
    DRV_ENTER(true);
    return context == current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* ---- the primary context ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    DEVICE(device);
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    primary.references++;
    pthread_mutex_unlock(&lock);
    *context = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    DEVICE(device);
    pthread_mutex_lock(&lock);
    bool held = primary.references > 0;
    if (held) primary.references--;
    pthread_mutex_unlock(&lock);
    return held ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    DEVICE(device);
    DRV_RETURN(cudaDeviceReset());
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    DEVICE(device);
    if (!good_flags(flags, 0x1f)) return CUDA_ERROR_INVALID_VALUE;
    primary.flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    DEVICE(device);
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    *flags = primary.flags;
    *active = is_alive(&primary);
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void) { DRV_FORWARD(cudaProfilerStart()); }
CUresult cuProfilerStop(void) { DRV_FORWARD(cudaProfilerStop()); }
