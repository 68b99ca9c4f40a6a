/* cuda13.c: functions that CUDA 13 has added, in both APIs: programs built with its headers call them, or look for them
** by name; the headers here are those of CUDA 12.8 and declare none.  Batches and pools are the runtime API's; the log
** is base/log.c. */
#include "base/log.h"
#include "driver/driver.h"
#include "queue/per_thread.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

static cudaStream_t stream(CUstream s) { return (cudaStream_t)s; }

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
    unsigned long long id;
    DRV_ENTER(!context);
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (context && drv_context_id(context, &id)) return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

/* ---- batches ---- */

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream s) {
    RT_CALL();
    return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL, s);
}
RT_PER_THREAD(CUresult, cuMemcpyBatchAsync_v2, _ptsz,
              (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs,
               size_t *attrsIdxs, size_t numAttrs, CUstream s),
              (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, s))

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags, CUstream s) {
    RT_CALL();
    return cuMemcpy3DBatchAsync(count, ops, NULL, flags, s);
}
RT_PER_THREAD(CUresult, cuMemcpy3DBatchAsync_v2, _ptsz,
              (size_t count, CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags, CUstream s), (count, ops, flags, s))

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count, CUmemLocation *locations, size_t *at,
                                 size_t numLocations, unsigned long long flags, CUstream s) {
    DRV_FORWARD_OF(s, cudaMemPrefetchBatchAsync((void **)p, sizes, count, (struct cudaMemLocation *)locations, at,
                                                numLocations, flags, stream(s)));
}
RT_PER_THREAD(CUresult, cuMemPrefetchBatchAsync, _ptsz,
              (CUdeviceptr * p, size_t *sizes, size_t count, CUmemLocation *locations, size_t *at, size_t numLocations,
               unsigned long long flags, CUstream s),
              (p, sizes, count, locations, at, numLocations, flags, s))

CUresult cuMemDiscardBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count, unsigned long long flags, CUstream s) {
    DRV_FORWARD_OF(s, cudaMemDiscardBatchAsync((void **)p, sizes, count, flags, stream(s)));
}
RT_PER_THREAD(CUresult, cuMemDiscardBatchAsync, _ptsz,
              (CUdeviceptr * p, size_t *sizes, size_t count, unsigned long long flags, CUstream s),
              (p, sizes, count, flags, s))

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *p, size_t *sizes, size_t count, CUmemLocation *locations,
                                           size_t *at, size_t numLocations, unsigned long long flags, CUstream s) {
    DRV_FORWARD_OF(s, cudaMemDiscardAndPrefetchBatchAsync((void **)p, sizes, count, (struct cudaMemLocation *)locations,
                                                          at, numLocations, flags, stream(s)));
}
RT_PER_THREAD(CUresult, cuMemDiscardAndPrefetchBatchAsync, _ptsz,
              (CUdeviceptr * p, size_t *sizes, size_t count, CUmemLocation *locations, size_t *at, size_t numLocations,
               unsigned long long flags, CUstream s),
              (p, sizes, count, locations, at, numLocations, flags, s))

/* ---- pools by location ---- */

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    DRV_FORWARD_ANY(cudaMemGetDefaultMemPool((cudaMemPool_t *)pool, (struct cudaMemLocation *)location,
                                             (enum cudaMemAllocationType)type));
}
CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    DRV_FORWARD_ANY(
        cudaMemGetMemPool((cudaMemPool_t *)pool, (struct cudaMemLocation *)location, (enum cudaMemAllocationType)type));
}
CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    DRV_FORWARD_ANY(
        cudaMemSetMemPool((struct cudaMemLocation *)location, (enum cudaMemAllocationType)type, (cudaMemPool_t)pool));
}

/* ---- what is atomic between device and host: what is so in kernels, for the memory is one ---- */

enum { SIGNED = 1, UNSIGNED = 2, REDUCTION = 4, SCALAR_32 = 8, SCALAR_64 = 16, SCALAR_128 = 32 };
enum { WORDS = SCALAR_32 | SCALAR_64, BOTH = SIGNED | UNSIGNED };
static const unsigned atomics[] = {
    BOTH | REDUCTION | WORDS,         /* INTEGER_ADD */
    BOTH | REDUCTION | WORDS,         /* INTEGER_MIN */
    BOTH | REDUCTION | WORDS,         /* INTEGER_MAX */
    UNSIGNED | REDUCTION | SCALAR_32, /* INTEGER_INCREMENT */
    UNSIGNED | REDUCTION | SCALAR_32, /* INTEGER_DECREMENT */
    BOTH | REDUCTION | WORDS,         /* AND */
    BOTH | REDUCTION | WORDS,         /* OR */
    BOTH | REDUCTION | WORDS,         /* XOR */
    BOTH | WORDS | SCALAR_128,        /* EXCHANGE */
    BOTH | WORDS | SCALAR_128,        /* CAS */
    SIGNED | REDUCTION | WORDS,       /* FLOAT_ADD */
    0,                                /* FLOAT_MIN */
    0,                                /* FLOAT_MAX */
};

static cudaError_t tell_atomics(unsigned *capabilities, const int *operations, unsigned count) {
    if (!capabilities || !operations || !count) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)operations[i] >= RT_COUNT(atomics)) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) capabilities[i] = atomics[operations[i]];
    return cudaSuccess;
}
/* A device has no link to itself, and there is one device. */
static cudaError_t tell_no_peer(unsigned *capabilities, const int *operations, unsigned count) {
    cudaError_t e = tell_atomics(capabilities, operations, count);
    return e ? e : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                                int device) {
    RT_ENTER_WITHOUT_CONTEXT();
    return rt_end(device ? cudaErrorInvalidDevice : tell_atomics(capabilities, operations, count));
}
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                           CUdevice device) {
    DRV_FORWARD_ANY(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, count, device));
}
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                               int source, int destination) {
    RT_ENTER_WITHOUT_CONTEXT();
    (void)source, (void)destination;
    return rt_end(tell_no_peer(capabilities, operations, count));
}
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                          CUdevice source, CUdevice destination) {
    DRV_FORWARD_ANY(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, count, source, destination));
}

/* ---- the log ---- */

#define LOG_FUNCTION(name, parameters, call)                                                                           \
    cudaError_t cudaLogs##name parameters { return (call) ? cudaErrorInvalidValue : cudaSuccess; }                     \
    CUresult cuLogs##name parameters { return (call) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
LOG_FUNCTION(RegisterCallback, (RtLogFunction function, void *data, RtLogHandle *handle),
             rt_log_register(function, data, handle))
LOG_FUNCTION(UnregisterCallback, (RtLogHandle handle), rt_log_unregister(handle))
LOG_FUNCTION(Current, (unsigned *iterator, unsigned flags), rt_log_current(iterator, flags))
LOG_FUNCTION(DumpToFile, (unsigned *iterator, const char *path, unsigned flags), rt_log_to_file(iterator, path, flags))
LOG_FUNCTION(DumpToMemory, (unsigned *iterator, char *buffer, size_t *size, unsigned flags),
             rt_log_to_memory(iterator, buffer, size, flags))
#pragma GCC visibility pop
