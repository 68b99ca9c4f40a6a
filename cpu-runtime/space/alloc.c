/* alloc.c: device, pinned and managed memory, and the registry of every allocation.
**
** All memory of this device is the host's, so a wrong pointer would silently work.  The registry, a sorted array of address
** ranges, is what makes the errors of CUDA possible: freeing what was not allocated, copying beyond an allocation, host memory
** where device memory is due.  space.c says where it lies.  A request beyond the physical memory is refused, not killed later. */
#define _GNU_SOURCE
#include "graph/graph.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ASK_SYSTEM_FROM = 64 << 20, PITCH_ALIGN = 512 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static RtAlloc *allocs; /* sorted by base, disjoint */
static size_t count, capacity;
static uint64_t last_id;
static uint64_t used; /* bytes that count against the device memory */

/* ---- registry (lock held) ---- */

/* Index of the last range that starts at or below p, or count. */
static size_t lookup(uintptr_t p) {
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (allocs[mid].base <= p) lo = mid + 1;
        else hi = mid;
    }
    return lo ? lo - 1 : count;
}

static RtAlloc *find(const void *p) {
    size_t i = lookup((uintptr_t)p);
    return i < count && (uintptr_t)p - allocs[i].base < allocs[i].size ? &allocs[i] : NULL;
}

static bool insert(const RtAlloc *a) {
    if (count == capacity) {
        size_t more = capacity ? capacity * 2 : 256;
        RtAlloc *grown = realloc(allocs, more * sizeof *grown);
        if (!grown) return false;
        allocs = grown;
        capacity = more;
    }
    size_t i = lookup(a->base);
    i = i == count ? 0 : i + 1;
    memmove(allocs + i + 1, allocs + i, (count - i) * sizeof *allocs);
    allocs[i] = *a;
    allocs[i].id = ++last_id;
    count++;
    return true;
}

static void erase(RtAlloc *a) {
    size_t i = (size_t)(a - allocs);
    count--;
    memmove(a, a + 1, (count - i) * sizeof *allocs);
}

/* The last range that has bytes of these, or NULL. */
static const RtAlloc *overlaps(uintptr_t base, size_t size) {
    size_t i = lookup(base + size - 1);
    return i < count && allocs[i].base + allocs[i].size > base ? &allocs[i] : NULL;
}

/* ---- memory itself ---- */

static bool owned(uint32_t how) {
    return how != RT_BY_HOST_REGISTER && how != RT_BY_SYMBOL && how != RT_BY_MAPPING && how != RT_BY_IPC;
}

/* Before and after the lock is taken. */
static void release_memory(const RtAlloc *a) {
    uintptr_t extra = a->how == RT_BY_EXTERNAL ? a->base % (uintptr_t)sysconf(_SC_PAGESIZE) : 0;
    if (a->how == RT_BY_EXTERNAL) munmap((void *)(a->base - extra), a->size + extra);
    else rt_space_release((void *)a->base, a->size, a->place);
    if (a->file && !a->borrowed)
        fallocate(a->file - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)a->offset, (off_t)a->size);
}

static void give_place(const RtAlloc *a) {
    if (a->how == RT_BY_EXTERNAL) return;
    rt_space_give(a->place);
    used -= a->size;
}

static uint64_t first_available;
static pthread_once_t first_once = PTHREAD_ONCE_INIT;
static void find_first_available(void) { first_available = rt_memory_available(); }

static bool fits(size_t bytes) {
    pthread_once(&first_once, find_first_available);
    uint64_t total = rt_topo()->memory;
    if (bytes > total || used > total - bytes) return false;
    return bytes < ASK_SYSTEM_FROM || bytes <= rt_memory_available();
}

static cudaError_t try_alloc(void **out, size_t bytes, const RtAlloc *how) {
    RtAlloc a = *how;
    *out = NULL;
    if (!bytes) return cudaSuccess;
    cudaError_t error = cudaErrorMemoryAllocation;
    pthread_rwlock_wrlock(&lock);
    void *p = !a.borrowed && !fits(bytes) ? NULL
              : a.file                    ? rt_space_map(bytes, a.file - 1, a.offset, &a.place)
                                          : rt_space_take(bytes, &a.place);
    a.base = (uintptr_t)p;
    a.size = bytes;
    if (p) used += bytes;
    if (p && insert(&a)) {
        *out = p;
        error = cudaSuccess;
    } else if (p) {
        release_memory(&a);
        give_place(&a);
    }
    pthread_rwlock_unlock(&lock);
    return error;
}

cudaError_t rt_alloc(void **out, size_t bytes, const RtAlloc *how) {
    cudaError_t error = try_alloc(out, bytes, how);
    return error && rt_release_pools() ? try_alloc(out, bytes, how) : error;
}

void rt_put_memory(const RtAlloc *a) {
    release_memory(a);
    pthread_rwlock_wrlock(&lock);
    give_place(a);
    pthread_rwlock_unlock(&lock);
}

cudaError_t rt_free(void *p, uint32_t how_mask, cudaError_t wrong) {
    if (!p) return cudaSuccess;
    RtAlloc a = {0};
    pthread_rwlock_wrlock(&lock);
    RtAlloc *found = find(p);
    bool ok = found && found->base == (uintptr_t)p && (how_mask >> found->how & 1);
    if (ok) {
        a = *found;
        erase(found);
    }
    pthread_rwlock_unlock(&lock);
    if (ok && a.how == RT_BY_POOL) rt_pool_freed(&a);
    else if (ok && owned(a.how)) rt_put_memory(&a);
    return ok ? cudaSuccess : wrong;
}

bool rt_find_alloc(const void *p, RtAlloc *out) {
    pthread_rwlock_rdlock(&lock);
    RtAlloc *a = find(p);
    if (a) *out = *a;
    pthread_rwlock_unlock(&lock);
    return a != NULL;
}

cudaError_t rt_note_alloc(const RtAlloc *a) {
    pthread_rwlock_wrlock(&lock);
    const RtAlloc *other = overlaps(a->base, a->size);
    cudaError_t error =
        other       ? (other->how == RT_BY_HOST_REGISTER ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue)
        : insert(a) ? cudaSuccess
                    : cudaErrorMemoryAllocation;
    pthread_rwlock_unlock(&lock);
    return error;
}

void rt_forget_alloc(const void *p) {
    pthread_rwlock_wrlock(&lock);
    RtAlloc *a = find(p);
    if (a && a->base == (uintptr_t)p && !owned(a->how)) erase(a);
    pthread_rwlock_unlock(&lock);
}

cudaError_t rt_share_alloc(const void *p, RtAlloc *out, int *fd, uint64_t *offset) {
    pthread_rwlock_wrlock(&lock);
    RtAlloc *a = find(p);
    bool known = a && a->how == RT_BY_MALLOC && a->kind == cudaMemoryTypeDevice;
    if (known) {
        *out = *a;
        *fd = rt_space_share((void *)a->base, a->size, a->place, offset);
    }
    pthread_rwlock_unlock(&lock);
    return !known ? cudaErrorInvalidValue : *fd < 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

void rt_free_all(void) {
    pthread_rwlock_wrlock(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (allocs[i].how == RT_BY_SYMBOL || allocs[i].how == RT_BY_MAPPING) allocs[kept++] = allocs[i];
        else if (owned(allocs[i].how)) {
            allocs[i].file = 0; /* is closed with its pool */
            release_memory(&allocs[i]);
            give_place(&allocs[i]);
        }
    }
    count = kept;
    rt_space_trim();
    pthread_rwlock_unlock(&lock);
}

void rt_adopt_alloc(const void *p) {
    pthread_rwlock_wrlock(&lock);
    RtAlloc *a = find(p);
    if (a && a->how == RT_BY_GRAPH) a->how = RT_BY_MALLOC;
    pthread_rwlock_unlock(&lock);
}

void rt_update_hints(const void *p, void (*change)(RtHints *h, int value), int value) {
    pthread_rwlock_wrlock(&lock);
    RtAlloc *a = find(p);
    if (a) change(&a->hints, value);
    pthread_rwlock_unlock(&lock);
}

/* Where the memory from a on ends; mappings may adjoin (lock held). */
static uintptr_t end_of(const RtAlloc *a) {
    uintptr_t end = a->base + a->size;
    if (a->how != RT_BY_MAPPING) return end;
    for (a++; a < allocs + count && a->base == end && a->how == RT_BY_MAPPING; a++) end += a->size;
    return end;
}

cudaError_t rt_check_range(const void *p, size_t bytes, bool device) {
    if (!p) return cudaErrorInvalidValue;
    pthread_rwlock_rdlock(&lock);
    const RtAlloc *a = find(p);
    bool ok = a ? bytes <= end_of(a) - (uintptr_t)p : !device;
    pthread_rwlock_unlock(&lock);
    return ok ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- API: allocation ---- */

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

cudaError_t cudaFree(void *p) {
    RT_ENTER();
    if (!p) return rt_end(rt_capture_forbids() ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
    cudaError_t error = rt_sync_all(); /* as CUDA: nothing that may use it is still running */
    if (!error && rt_graph_give_back(p) && rt_graph_freed(p)) return cudaSuccess;
    return rt_end(error ? error : rt_free(p, FREE_DEVICE, cudaErrorInvalidValue));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    RT_ENTER();
    if (flags & ~7u) return rt_end(cudaErrorInvalidValue);
    return rt_end(allocate(out, bytes, cudaMemoryTypeHost, RT_BY_HOST_ALLOC, flags));
}

cudaError_t cudaMallocHost(void **out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }

cudaError_t cudaFreeHost(void *p) {
    RT_ENTER();
    if (!p) return rt_end(rt_capture_forbids() ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
    cudaError_t error = rt_sync_all();
    return rt_end(error ? error : rt_free(p, FREE_HOST, cudaErrorInvalidValue));
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

/* ---- API: host memory ---- */

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    RT_ENTER();
    if (!p || !bytes || flags & ~15u) return rt_end(cudaErrorInvalidValue);
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
    RT_ENTER_ASIDE();
    RtAlloc a;
    if (!device || flags || !host || !rt_find_alloc(host, &a) || a.kind != cudaMemoryTypeHost)
        return rt_end(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    RT_ENTER_ASIDE();
    RtAlloc a;
    if (!flags || !host || !rt_find_alloc(host, &a) || a.kind == cudaMemoryTypeDevice)
        return rt_end(cudaErrorInvalidValue);
    *flags = (a.kind == cudaMemoryTypeHost ? a.flags : 0) | cudaHostAllocMapped; /* always reachable by the device */
    return cudaSuccess;
}

/* ---- API: questions ---- */

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    RT_ENTER();
    uint64_t all = rt_topo()->memory, available = rt_memory_available();
    pthread_once(&first_once, find_first_available);
    pthread_rwlock_rdlock(&lock);
    uint64_t left = all < first_available ? all : first_available; /* what is not touched counts too */
    left = used < left ? left - used : 0;
    pthread_rwlock_unlock(&lock);
    if (free_bytes) *free_bytes = left < available ? left : available;
    if (total) *total = all;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p) {
    RT_ENTER_ASIDE();
    if (!out) return rt_end(cudaErrorInvalidValue);
    RtAlloc a = {0};
    bool known = p && rt_find_alloc(p, &a);
    void *q = (void *)(uintptr_t)p;
    *out = (struct cudaPointerAttributes){.type = known ? a.kind : cudaMemoryTypeUnregistered,
                                          .device = known ? 0 : cudaInvalidDeviceId};
    out->memoryType = out->type;
    out->isManaged = out->type == cudaMemoryTypeManaged;
    if (known) out->devicePointer = q;
    if (!known || out->type != cudaMemoryTypeDevice) out->hostPointer = q;
    return cudaSuccess;
}
