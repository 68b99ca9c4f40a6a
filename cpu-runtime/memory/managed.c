/* managed.c: hints on managed memory.
**
** There is one memory, so nothing moves: hints are checked as CUDA does, remembered for the whole
** allocation, and returned by cudaMemRangeGetAttribute. */
#include "space/alloc.h"
#include "queue/stream.h"
#include <string.h>

static bool is_place(int device) { return device == 0 || device == cudaCpuDeviceId; }

static cudaError_t check_managed(const void *p, size_t n) {
    RtAlloc a;
    if (!p || !n || !rt_find_alloc(p, &a) || a.kind != cudaMemoryTypeManaged) return cudaErrorInvalidValue;
    return n <= a.size - ((uintptr_t)p - a.base) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t to_device(struct cudaMemLocation l, int *device) {
    switch ((int)l.type) {
    case cudaMemLocationTypeDevice: *device = l.id; return l.id ? cudaErrorInvalidDevice : cudaSuccess;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent: *device = cudaCpuDeviceId; return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

static void note_prefetch(RtHints *h, int device) { h->last_prefetch = device - cudaInvalidDeviceId; }

static cudaError_t prefetch(const void *p, size_t n, int device, cudaStream_t s) {
    RT_TRY(check_managed(p, n));
    if (!is_place(device)) return cudaErrorInvalidDevice;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    rt_update_hints(p, note_prefetch, device);
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t s) {
    RT_ENTER();
    return rt_end(prefetch(p, n, device, s));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t n, struct cudaMemLocation l, unsigned flags, cudaStream_t s) {
    RT_ENTER();
    int device;
    cudaError_t error = flags ? cudaErrorInvalidValue : to_device(l, &device);
    return rt_end(error ? error : prefetch(p, n, device, s));
}

static void note_read_mostly(RtHints *h, int on) { h->read_mostly = on; }
static void note_preferred(RtHints *h, int device) { h->preferred = device - cudaInvalidDeviceId; }
static void note_accessed(RtHints *h, int device) { h->accessed |= 1 << (device - cudaCpuDeviceId); }
static void forget_accessed(RtHints *h, int device) { h->accessed &= ~(1 << (device - cudaCpuDeviceId)); }

static cudaError_t advise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device) {
    RT_TRY(check_managed(p, n));
    bool placed = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                  advice == cudaMemAdviseUnsetAccessedBy;
    if (placed && !is_place(device)) return cudaErrorInvalidDevice;
    switch (advice) {
    case cudaMemAdviseSetReadMostly: rt_update_hints(p, note_read_mostly, 1); break;
    case cudaMemAdviseUnsetReadMostly: rt_update_hints(p, note_read_mostly, 0); break;
    case cudaMemAdviseSetPreferredLocation: rt_update_hints(p, note_preferred, device); break;
    case cudaMemAdviseUnsetPreferredLocation: rt_update_hints(p, note_preferred, cudaInvalidDeviceId); break;
    case cudaMemAdviseSetAccessedBy: rt_update_hints(p, note_accessed, device); break;
    case cudaMemAdviseUnsetAccessedBy: rt_update_hints(p, forget_accessed, device); break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device) {
    RT_ENTER();
    return rt_end(advise(p, n, advice, device));
}

cudaError_t cudaMemAdvise_v2(const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation l) {
    RT_ENTER();
    int device = 0;
    bool placed = advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
                  advice != cudaMemAdviseUnsetPreferredLocation;
    cudaError_t error = placed ? to_device(l, &device) : cudaSuccess;
    return rt_end(error ? cudaErrorInvalidValue : advise(p, n, advice, device));
}

static int location_type(int device) {
    return device == cudaInvalidDeviceId ? cudaMemLocationTypeInvalid
           : device == cudaCpuDeviceId   ? cudaMemLocationTypeHost
                                         : cudaMemLocationTypeDevice;
}

static cudaError_t get_accessed(int *out, size_t n, uint32_t accessed) {
    size_t k = 0;
    for (int d = cudaCpuDeviceId; d <= 0; d++)
        if (accessed >> (d - cudaCpuDeviceId) & 1 && k < n) out[k++] = d;
    while (k < n) out[k++] = cudaInvalidDeviceId;
    return cudaSuccess;
}

static cudaError_t get_attribute(void *data, size_t bytes, enum cudaMemRangeAttribute attr, const void *p, size_t n) {
    RtAlloc a;
    int value;
    RT_TRY(check_managed(p, n));
    if (!data || bytes % sizeof(int) || !bytes || !rt_find_alloc(p, &a)) return cudaErrorInvalidValue;
    int preferred = a.hints.preferred + cudaInvalidDeviceId;
    int last = a.hints.last_prefetch + cudaInvalidDeviceId;
    switch (attr) {
    case cudaMemRangeAttributeAccessedBy: return get_accessed(data, bytes / sizeof(int), a.hints.accessed);
    case cudaMemRangeAttributeReadMostly: value = a.hints.read_mostly; break;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId: value = preferred; break;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId: value = last; break;
    case cudaMemRangeAttributePreferredLocationType: value = location_type(preferred); break;
    case cudaMemRangeAttributeLastPrefetchLocationType: value = location_type(last); break;
    default: return cudaErrorInvalidValue;
    }
    if (bytes != sizeof value) return cudaErrorInvalidValue;
    memcpy(data, &value, sizeof value);
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute attr, const void *p,
                                     size_t n) {
    RT_ENTER();
    return rt_end(get_attribute(data, bytes, attr, p, n));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, enum cudaMemRangeAttribute *attrs, size_t count,
                                      const void *p, size_t n) {
    RT_ENTER();
    if (!data || !bytes || !attrs || !count) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < count && !error; i++) error = get_attribute(data[i], bytes[i], attrs[i], p, n);
    return rt_end(error);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned flags) {
    RT_ENTER();
    RtAlloc a;
    if (!rt_stream(s)) return rt_end(cudaErrorInvalidResourceHandle);
    bool one = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    bool ok = one && p && rt_find_alloc(p, &a) && a.kind == cudaMemoryTypeManaged && (!n || n == a.size);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidValue);
}
