/* alloc.c: device, pinned and managed memory, and the registry of every allocation.
**
** All memory of this device is the host's, so a wrong pointer would silently work.  The registry, a sorted array of
** address ranges, is what makes the errors of CUDA possible: freeing what was not allocated, copying beyond an
** allocation, host memory where device memory is due.  space.c decides where it lies.  A request beyond the physical
** memory is refused, not killed later. */
#define _GNU_SOURCE
#include "space/alloc.h"
#include "host/topo.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ASK_SYSTEM_FROM = 64 << 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static RtAlloc *allocs; /* sorted by base, disjoint */
static size_t count, capacity;
static uint64_t last_id;
static struct Freed {
    uintptr_t base;
    size_t size;
} freed[64]; /* the last ones, in a ring */
static uint32_t nfreed;
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
    allocs[i].context = rt_context;
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
    else rt_space_release((void *)a->base, a->size, a->location);
    if (a->file && !a->borrowed)
        fallocate(a->file - 1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)a->offset, (off_t)a->size);
}

static void give_location(const RtAlloc *a) {
    if (a->how == RT_BY_EXTERNAL) return;
    rt_space_give(a->location);
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

static void (*_Atomic on_alloc)(const RtAlloc *a);

void rt_on_alloc(void (*f)(const RtAlloc *a)) { atomic_store(&on_alloc, f); }

static bool guards_host;

void rt_guard_host_memory(void) { guards_host = true; }

static cudaError_t try_alloc(void **out, size_t bytes, const RtAlloc *how) {
    RtAlloc a = *how;
    *out = NULL;
    if (!bytes) return cudaSuccess;
    cudaError_t error = cudaErrorMemoryAllocation;
    bool guarded = guards_host && (a.how == RT_BY_MANAGED || a.how == RT_BY_HOST_ALLOC);
    pthread_rwlock_wrlock(&lock);
    void *p = !a.borrowed && !fits(bytes) ? NULL
              : a.file                    ? rt_space_map(bytes, a.file - 1, a.offset, &a.location)
                                          : rt_space_take(bytes, a.kind == cudaMemoryTypeDevice, guarded, &a.location);
    a.base = (uintptr_t)p;
    a.size = bytes;
    if (p) used += bytes;
    if (p && insert(&a)) {
        *out = p;
        error = cudaSuccess;
    } else if (p) {
        release_memory(&a);
        give_location(&a);
    }
    pthread_rwlock_unlock(&lock);
    void (*f)(const RtAlloc *) = atomic_load_explicit(&on_alloc, memory_order_relaxed);
    if (RT_UNLIKELY(f != NULL) && !error) f(&a);
    return error;
}

static void (*_Atomic on_free)(const RtAlloc *a);

void rt_on_free(void (*f)(const RtAlloc *a)) { atomic_store(&on_free, f); }

static void tell_free(const RtAlloc *a) {
    void (*f)(const RtAlloc *) = atomic_load_explicit(&on_free, memory_order_relaxed);
    if (RT_UNLIKELY(f != NULL)) f(a);
}

void rt_visit_allocs(void (*f)(const RtAlloc *a, void *data), void *data) {
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < count; i++) f(&allocs[i], data);
    pthread_rwlock_unlock(&lock);
}

void rt_find_neighbours(const void *p, RtAlloc *below, RtAlloc *above) {
    *below = *above = (RtAlloc){0};
    pthread_rwlock_rdlock(&lock);
    size_t i = lookup((uintptr_t)p);
    if (i < count) *below = allocs[i];
    size_t next = i < count ? i + 1 : 0;
    if (next < count) *above = allocs[next];
    pthread_rwlock_unlock(&lock);
}

bool rt_find_freed(const void *p, uintptr_t *base, size_t *size) {
    bool found = false;
    pthread_rwlock_rdlock(&lock);
    for (uint32_t k = 1; k <= RT_COUNT(freed) && !found; k++) {
        const struct Freed *f = &freed[(nfreed - k) % RT_COUNT(freed)];
        found = (uintptr_t)p - f->base < f->size;
        if (found) *base = f->base, *size = f->size;
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

static bool (*_Atomic reclaim)(void);

void rt_on_shortage(bool (*f)(void)) { atomic_store(&reclaim, f); }

cudaError_t rt_alloc(void **out, size_t bytes, const RtAlloc *how) {
    cudaError_t error = try_alloc(out, bytes, how);
    bool (*f)(void) = error ? atomic_load(&reclaim) : NULL;
    return f && f() ? try_alloc(out, bytes, how) : error;
}

void rt_put_memory(const RtAlloc *a) {
    release_memory(a);
    pthread_rwlock_wrlock(&lock);
    give_location(a);
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
        freed[nfreed++ % RT_COUNT(freed)] = (struct Freed){a.base, a.size};
        tell_free(&a);
    }
    pthread_rwlock_unlock(&lock);
    if (ok && a.freed) a.freed(&a);
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
    if (a && a->base == (uintptr_t)p && !owned(a->how)) {
        tell_free(a);
        erase(a);
    }
    pthread_rwlock_unlock(&lock);
}

cudaError_t rt_share_alloc(const void *p, RtAlloc *out, int *fd, uint64_t *offset) {
    pthread_rwlock_wrlock(&lock);
    RtAlloc *a = find(p);
    bool known = a && a->how == RT_BY_MALLOC && a->kind == cudaMemoryTypeDevice;
    if (known) {
        *out = *a;
        *fd = rt_space_share((void *)a->base, a->size, a->location, offset);
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
            tell_free(&allocs[i]);
            allocs[i].file = 0; /* is closed with its pool */
            release_memory(&allocs[i]);
            give_location(&allocs[i]);
        }
    }
    count = kept;
    rt_space_trim();
    pthread_rwlock_unlock(&lock);
}

void rt_free_context(const void *context) {
    enum { MASK = 1 << RT_BY_MALLOC | 1 << RT_BY_HOST_ALLOC | 1 << RT_BY_HOST_REGISTER | 1 << RT_BY_MANAGED };
    for (size_t i = 0;;) {
        void *p = NULL;
        pthread_rwlock_rdlock(&lock);
        for (; i < count && !p; i++)
            if (allocs[i].context == context && MASK >> allocs[i].how & 1) p = (void *)allocs[i].base;
        pthread_rwlock_unlock(&lock);
        if (!p) return;
        if (!rt_free(p, MASK, cudaErrorInvalidValue)) i--; /* the next one is in its place */
    }
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
static uintptr_t end_of(const RtAlloc *a, bool write) {
    uintptr_t end = a->base;
    if (a->how != RT_BY_MAPPING) return end + a->size;
    for (; a < allocs + count && a->base == end && a->how == RT_BY_MAPPING && (a->flags || !write); a++) end += a->size;
    return end;
}

static cudaError_t check_range(const void *p, size_t bytes, bool device, bool write) {
    if (!p) return cudaErrorInvalidValue;
    pthread_rwlock_rdlock(&lock);
    const RtAlloc *a = find(p);
    uintptr_t end = a ? end_of(a, write) : 0;
    bool ok = a ? end > (uintptr_t)p && bytes <= end - (uintptr_t)p : !device;
    pthread_rwlock_unlock(&lock);
    return ok ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t rt_check_range(const void *p, size_t bytes, bool device) { return check_range(p, bytes, device, false); }
cudaError_t rt_check_write(const void *p, size_t bytes, bool device) { return check_range(p, bytes, device, true); }

bool rt_is_mapped(const void *p, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)p & -page;
    return !msync((void *)start, (uintptr_t)p - start + bytes, MS_ASYNC) || errno != ENOMEM;
}

uint64_t rt_memory_left(void) {
    uint64_t all = rt_topo()->memory, available = rt_memory_available();
    pthread_once(&first_once, find_first_available);
    pthread_rwlock_rdlock(&lock);
    uint64_t left = all < first_available ? all : first_available; /* what is not touched counts too */
    left = used < left ? left - used : 0;
    pthread_rwlock_unlock(&lock);
    return left < available ? left : available;
}
