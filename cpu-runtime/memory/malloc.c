/* malloc.c: device, pinned and managed memory: cudaMalloc and its family.  What is allocated: space/alloc.c. */
#include "host/topo.h"
#include "space/alloc.h"
#include "check/check.h"
#include "queue/capture.h"
#include "queue/stream.h"
#include "memory/memory.h"

enum { PITCH_ALIGN = 512 };

/* ---- allocation ---- */

enum {
    FREE_DEVICE = 1u << RT_BY_MALLOC | 1u << RT_BY_MANAGED | 1u << RT_BY_POOL | 1u << RT_BY_EXTERNAL,
    FREE_HOST = 1u << RT_BY_HOST_ALLOC
};

static cudaError_t allocate(void **out, size_t bytes, uint32_t kind, uint32_t how, uint32_t flags) {
    if (!out) return cudaErrorInvalidValue;
    if (rt_capture_forbids()) return cudaErrorStreamCaptureUnsupported;
    RtAlloc a = {.kind = kind, .how = how, .flags = flags};
    return rt_alloc(out, bytes, &a);
}

cudaError_t cudaMalloc(void **out, size_t bytes) {
    RT_ENTER();
    return rt_end(allocate(out, bytes, cudaMemoryTypeDevice, RT_BY_MALLOC, 0));
}

static cudaError_t give_back(void *p, uint32_t how_mask) {
    cudaError_t error = rt_free(p, how_mask, cudaErrorInvalidValue);
    if (error) rt_check_bad_free(p, false);
    return error;
}

cudaError_t cudaFree(void *p) {
    RT_ENTER();
    if (!p) return rt_end(rt_capture_forbids() ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
    cudaError_t error = rt_sync_all(); /* as CUDA: nothing that may use it is still running */
    if (!error && rt_graph_give_back(p) && rt_graph_freed(p)) return cudaSuccess;
    return rt_end(error ? error : give_back(p, FREE_DEVICE));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    RT_ENTER();
    if (flags & ~7u) return rt_end(cudaErrorInvalidValue);
    return rt_end(allocate(out, bytes, cudaMemoryTypeHost, RT_BY_HOST_ALLOC, flags));
}

cudaError_t cudaMallocHost(void **out, size_t bytes) {
    RT_CALL();
    return cudaHostAlloc(out, bytes, 0);
}

cudaError_t cudaFreeHost(void *p) {
    RT_ENTER();
    if (!p) return rt_end(rt_capture_forbids() ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
    cudaError_t error = rt_sync_all();
    return rt_end(error ? error : give_back(p, FREE_HOST));
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    RT_ENTER();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return rt_end(cudaErrorInvalidValue);
    return rt_end(allocate(out, bytes, cudaMemoryTypeManaged, RT_BY_MANAGED, flags));
}

static bool product(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
    RT_ENTER();
    size_t bytes;
    if (!out || !pitch) return rt_end(cudaErrorInvalidValue);
    if (width > SIZE_MAX - PITCH_ALIGN) return rt_end(cudaErrorMemoryAllocation);
    *pitch = RT_ROUND(width, PITCH_ALIGN);
    if (!product(*pitch, height, &bytes)) return rt_end(cudaErrorMemoryAllocation);
    return rt_end(allocate(out, bytes, cudaMemoryTypeDevice, RT_BY_MALLOC, 0));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent) {
    RT_ENTER();
    size_t rows, pitch;
    if (!out) return rt_end(cudaErrorInvalidValue);
    if (!product(extent.height, extent.depth, &rows)) return rt_end(cudaErrorMemoryAllocation);
    void *p;
    cudaError_t error = cudaMallocPitch(&p, &pitch, extent.width, rows);
    if (!error) *out = (struct cudaPitchedPtr){p, pitch, extent.width, extent.height};
    return error;
}

/* ---- host memory ---- */

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    RT_ENTER();
    if (!p || !bytes || flags & ~15u || !rt_is_mapped(p, bytes)) return rt_end(cudaErrorInvalidValue);
    if (rt_capture_forbids()) return rt_end(cudaErrorStreamCaptureUnsupported);
    RtAlloc a = {.base = (uintptr_t)p, .size = bytes, .kind = cudaMemoryTypeHost};
    a.flags = flags;
    a.how = RT_BY_HOST_REGISTER;
    return rt_end(rt_note_alloc(&a));
}

cudaError_t cudaHostUnregister(void *p) {
    RT_ENTER();
    RtAlloc a;
    if (!p) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_sync_all();
    if (error) return rt_end(error);
    error = rt_find_alloc(p, &a) ? cudaErrorInvalidValue
                                 : cudaErrorHostMemoryNotRegistered; /* not where it begins, or of other kind */
    return rt_end(rt_free(p, 1u << RT_BY_HOST_REGISTER, error));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    RT_ENTER_WITHOUT_CONTEXT();
    RtAlloc a;
    if (!device || flags || !host || !rt_find_alloc(host, &a) || a.kind != cudaMemoryTypeHost)
        return rt_end(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    RT_ENTER_WITHOUT_CONTEXT();
    RtAlloc a;
    if (!flags || !host || !rt_find_alloc(host, &a) || a.kind == cudaMemoryTypeDevice)
        return rt_end(cudaErrorInvalidValue);
    *flags = (a.kind == cudaMemoryTypeHost ? a.flags : 0) | cudaHostAllocMapped; /* always reachable by the device */
    return cudaSuccess;
}

/* ---- queries ---- */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    RT_ENTER();
    if (free_bytes) *free_bytes = rt_memory_left();
    if (total) *total = rt_topo()->memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p) {
    RT_ENTER_WITHOUT_CONTEXT();
    if (!out) return rt_end(cudaErrorInvalidValue);
    RtAlloc a = {0};
    bool known = p && rt_find_alloc(p, &a);
    void *q = (void *)(uintptr_t)p;
    *out = (struct cudaPointerAttributes){.type = known ? a.kind : cudaMemoryTypeUnregistered,
                                          .device = known ? 0 : cudaInvalidDeviceId};
    if (known) out->devicePointer = q;
    if (!known || out->type != cudaMemoryTypeDevice) out->hostPointer = q;
    return cudaSuccess;
}
