/* pool.c: stream-ordered allocation and memory pools.
**
** Memory is taken at the call, so the pointer is valid at once; it is given back when the stream
** reaches the free, but allocations in the same stream may have it before: what uses it comes after the free.  The
** pool keeps it then, for the next allocation of the same size: what is used and what is kept are the reserved
** bytes.  A synchronisation gives back to the system what is kept beyond the release threshold, and so does an
** allocation of any kind that finds no memory.
** Lock order: this lock is never held while memory is taken or given back. */
#define _GNU_SOURCE
#include "space/alloc.h"
#include "check/check.h"
#include "queue/capture.h"
#include "queue/stream.h"
#include "memory/memory.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct CUmemPoolHandle_st {
    cudaMemPool_t next;
    uint64_t used, used_high, reserved, reserved_high, maximum; /* bytes; maximum 0 = none */
    uint64_t threshold;
    RtAlloc *kept; /* blocks without an owner, the last one was freed last */
    size_t nkept, capacity;
    int reuse[3];
    int file;      /* shared with other processes: the descriptor + 1 */
    bool imported; /* ... by another one, which allocates */
    uint64_t top;  /* bytes of the file that have been given */
    bool dying;    /* destroyed, but memory of it is still in use */
};

typedef struct FreeOp {
    RtOp op;
    void *p; /* NULL: an allocation in the stream has it already */
    struct FreeOp *next;
    cudaMemPool_t owner; /* NULL: not of a pool */
    size_t size;
    cudaStream_t stream;
} FreeOp;

enum { PART = 1 << 16 };
enum { FREE_MASK = 1u << RT_BY_MALLOC | 1u << RT_BY_POOL };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct CUmemPoolHandle_st first_pool = {.reuse = {1, 1, 1}};
static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static cudaMemPool_t pools = &default_pool, current = &default_pool;
static FreeOp *pending; /* frees that their streams have not reached, the last one first */

static cudaMemPool_t find_pool(cudaMemPool_t pool) { /* lock held */
    cudaMemPool_t p = pools;
    while (p && (p != pool || p->dying)) p = p->next;
    return p;
}

static bool is_pool(cudaMemPool_t pool) {
    pthread_mutex_lock(&lock);
    bool found = find_pool(pool) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

static void erase_pool(cudaMemPool_t pool) { /* lock held */
    cudaMemPool_t *p = &pools;
    while (*p && *p != pool) p = &(*p)->next;
    if (*p) *p = pool->next;
    if (pool->file) close(pool->file - 1);
    free(pool->kept);
    free(pool);
}

/* ---- what is kept ---- */

/* Gives back the oldest kept block of some pool that keeps more than it should: so that no more than `keep` bytes
** are reserved, or its threshold if that is more.  False: there is none. */
static bool release_one(cudaMemPool_t only, uint64_t keep, bool threshold) {
    RtAlloc a = {0};
    pthread_mutex_lock(&lock);
    for (cudaMemPool_t p = pools; p && !a.size; p = p->next) {
        uint64_t limit = threshold && p->threshold > keep ? p->threshold : keep;
        if ((only && p != only) || !p->nkept || (p->reserved <= limit && !p->dying)) continue;
        a = p->kept[0];
        memmove(p->kept, p->kept + 1, --p->nkept * sizeof a);
        p->reserved -= a.size;
    }
    pthread_mutex_unlock(&lock);
    if (a.size) rt_put_memory(&a);
    return a.size != 0;
}

static bool release_pools(void) {
    bool any = false;
    while (release_one(NULL, 0, false)) any = true;
    return any;
}

/* While some pool keeps more than its threshold. */
static void synchronised(void) {
    rt_on_synchronised(NULL);
    while (release_one(NULL, 0, true)) continue;
}

__attribute__((constructor)) static void register_callback(void) { rt_on_shortage(release_pools); }

static bool make_room(cudaMemPool_t p) { /* lock held */
    if (p->nkept < p->capacity) return true;
    size_t more = p->capacity ? 2 * p->capacity : 16;
    RtAlloc *grown = realloc(p->kept, more * sizeof *grown);
    if (!grown) return false;
    p->kept = grown;
    p->capacity = more;
    return true;
}

static bool take_kept(cudaMemPool_t p, uint64_t bytes, RtAlloc *out) { /* lock held */
    for (size_t i = p->nkept; i-- > 0;) {
        if (p->kept[i].size != bytes) continue;
        *out = p->kept[i];
        memmove(p->kept + i, p->kept + i + 1, (--p->nkept - i) * sizeof *out);
        return true;
    }
    return false;
}

/* Of a free in this stream that is not reached yet; else NULL. */
static void *take_pending(cudaMemPool_t p, uint64_t bytes, cudaStream_t s) { /* lock held */
    FreeOp *f = pending;
    while (f && !(f->p && f->owner == p && f->size == bytes && f->stream == s)) f = f->next;
    void *block = f ? f->p : NULL;
    if (f) f->p = NULL;
    return block;
}

static void count(cudaMemPool_t p, uint64_t bytes, bool reserve) { /* lock held */
    p->used += bytes;
    if (reserve) p->reserved += bytes;
}

static void note_high(cudaMemPool_t p) { /* lock held */
    if (p->used > p->used_high) p->used_high = p->used;
    if (p->reserved > p->reserved_high) p->reserved_high = p->reserved;
}

static void uncount(cudaMemPool_t p, uint64_t bytes) { /* lock held */
    p->used -= bytes;
    p->reserved -= bytes;
    if (p->dying && !p->used) erase_pool(p);
}

static void freed(const RtAlloc *a) {
    cudaMemPool_t p = a->owner;
    pthread_mutex_lock(&lock);
    bool keep = !p->dying && !p->imported && make_room(p);
    if (keep) {
        p->kept[p->nkept++] = *a;
        p->used -= a->size;
        if (p->reserved > p->threshold) rt_on_synchronised(synchronised);
    }
    pthread_mutex_unlock(&lock);
    if (keep) return;
    rt_put_memory(a); /* while its pool is there */
    pthread_mutex_lock(&lock);
    uncount(p, a->size);
    pthread_mutex_unlock(&lock);
}

void rt_reset_pools(void) {
    release_pools();
    pthread_mutex_lock(&lock);
    for (cudaMemPool_t p = pools, next; p; p = next) {
        next = p->next;
        if (p->file) close(p->file - 1);
        free(p->kept);
        if (p != &default_pool) free(p);
    }
    default_pool = first_pool;
    pools = current = &default_pool;
    pthread_mutex_unlock(&lock);
}

/* ---- allocation ---- */

static cudaError_t capture_malloc(void **out, size_t bytes, cudaStream_t s) {
    RtOp *op;
    RT_TRY(rt_graph_alloc_op(out, bytes, &op));
    return rt_enqueue(s, op);
}

static cudaError_t capture_free(void *p, cudaStream_t s) {
    RtOp *op;
    RT_TRY(rt_graph_free_op(p, &op));
    return rt_enqueue(s, op);
}

/* A block that the pool had kept is an allocation again. */
static cudaError_t keep_again(void **out, const RtAlloc *a) {
    cudaError_t error = rt_note_alloc(a);
    if (!error) *out = (void *)a->base;
    else freed(a);
    return error;
}

static void settle(cudaMemPool_t pool, uint64_t bytes, cudaError_t error) {
    pthread_mutex_lock(&lock);
    if (error) uncount(pool, bytes);
    else note_high(pool);
    pthread_mutex_unlock(&lock);
}

/* From the system, after what the pool keeps beyond its maximum has gone there. */
static cudaError_t take_new(void **out, size_t bytes, const RtAlloc *how) {
    cudaMemPool_t pool = how->owner;
    while (pool->maximum && pool->reserved > pool->maximum && release_one(pool, pool->maximum, false)) continue;
    bool fits = !pool->maximum || pool->reserved <= pool->maximum;
    return fits ? rt_alloc(out, bytes, how) : cudaErrorMemoryAllocation;
}

/* Memory is short: waits until the stream has freed what it is to free.  False: that is nothing. */
static bool await_frees(cudaStream_t s) {
    pthread_mutex_lock(&lock);
    FreeOp *f = pending;
    while (f && !(f->p && f->stream == s)) f = f->next;
    pthread_mutex_unlock(&lock);
    if (f) rt_wait_for(s, s->issued);
    return f != NULL;
}

/* Of the file of a shared pool: parts are used once, their bytes go back by holes. */
static bool take_part(cudaMemPool_t p, size_t bytes, RtAlloc *how) { /* lock held */
    how->file = p->file;
    how->offset = p->top;
    uint64_t top = p->top + RT_ROUND(bytes, (size_t)PART);
    if (top < p->top || ftruncate(p->file - 1, (off_t)top)) return false;
    p->top = top;
    return true;
}

static cudaError_t pool_malloc(void **out, size_t bytes, cudaMemPool_t wanted, cudaStream_t s) {
    if (!out) return cudaErrorInvalidValue;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    *out = NULL;
    if (!bytes) return cudaSuccess;
    if (rt_is_capturing(s)) return capture_malloc(out, bytes, s);
    RT_TRY(rt_check_legacy(rt_stream(s)));
    if (rt_capture_forbids()) return cudaErrorStreamCaptureUnsupported;
    RtAlloc kept = {0}, how = {.kind = cudaMemoryTypeDevice, .how = RT_BY_POOL, .freed = freed};
    pthread_mutex_lock(&lock);
    cudaMemPool_t pool = how.owner = wanted ? find_pool(wanted) : current;
    if (pool && (*out = take_pending(pool, bytes, rt_stream(s)))) {
        pthread_mutex_unlock(&lock);
        return cudaSuccess;
    }
    bool found = pool && take_kept(pool, bytes, &kept),
         fits = found || (pool && !pool->imported && (!pool->maximum || bytes <= pool->maximum));
    if (fits && !found && pool->file) fits = take_part(pool, bytes, &how);
    if (fits) count(pool, bytes, !found);
    if (found) note_high(pool);
    pthread_mutex_unlock(&lock);
    if (!pool || pool->imported) return cudaErrorInvalidValue;
    if (!fits) return cudaErrorMemoryAllocation;
    if (found) return keep_again(out, &kept);
    cudaError_t error = take_new(out, bytes, &how);
    if (error && await_frees(rt_stream(s))) error = take_new(out, bytes, &how);
    settle(pool, bytes, error);
    return error;
}

static cudaError_t malloc_async(void **out, size_t bytes, cudaMemPool_t wanted, cudaStream_t s) {
    cudaError_t error = pool_malloc(out, bytes, wanted, s);
    if (error || !bytes || !rt_orders() || rt_is_capturing(s)) return error;
    rt_order_stream(rt_stream(s), 0);
    uint32_t before = rt_order_run(rt_stream_order(rt_stream(s)));
    rt_order_given(*out, bytes);
    rt_order_run(before);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t s) {
    RT_ENTER();
    return rt_end(malloc_async(out, bytes, NULL, s));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
    RT_ENTER();
    return rt_end(pool ? malloc_async(out, bytes, pool, s) : cudaErrorInvalidValue);
}

static void *unlink_free(FreeOp *op) {
    pthread_mutex_lock(&lock);
    FreeOp **at = &pending;
    while (*at && *at != op) at = &(*at)->next;
    if (*at) *at = op->next;
    void *p = op->p;
    pthread_mutex_unlock(&lock);
    return p;
}

static void run_free(RtOp *op) {
    void *p = unlink_free((FreeOp *)op);
    if (rt_orders() && p) rt_order_freed(p, ((FreeOp *)op)->size);
    rt_free(p, FREE_MASK, cudaErrorInvalidValue);
}

static void drop_free(RtOp *op) { unlink_free((FreeOp *)op); }

static bool is_pending(const void *p) {
    pthread_mutex_lock(&lock);
    FreeOp *f = pending;
    while (f && f->p != p) f = f->next;
    pthread_mutex_unlock(&lock);
    return f != NULL;
}

static cudaError_t queue_free(const RtAlloc *a, cudaStream_t s) {
    FreeOp *op = rt_new_op(sizeof *op, run_free, drop_free);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.always = true;
    op->p = (void *)a->base;
    op->owner = a->how == RT_BY_POOL ? a->owner : NULL;
    op->size = a->size;
    op->stream = rt_stream(s);
    pthread_mutex_lock(&lock);
    op->next = pending;
    pending = op;
    pthread_mutex_unlock(&lock);
    return rt_enqueue(s, &op->op);
}

static cudaError_t free_async(void *p, cudaStream_t s) {
    RtAlloc a;
    bool now;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (!p) return cudaSuccess;
    if (!rt_find_alloc(p, &a)) return cudaErrorInvalidValue;
    bool captured = rt_is_capturing(s);
    if (a.how == RT_BY_GRAPH && !captured && !rt_graph_give_back(p)) return cudaErrorInvalidValue;
    if (a.how == RT_BY_GRAPH || captured) return capture_free(p, s); /* a node, or at its time */
    if (a.how == RT_BY_MANAGED) return cudaErrorNotSupported;
    if (a.base != (uintptr_t)p || !(FREE_MASK >> a.how & 1) || is_pending(p)) return cudaErrorInvalidValue;
    RT_TRY(rt_begin_inline(s, &now));
    if (!now) return queue_free(&a, s);
    if (rt_orders()) rt_order_freed(p, a.size);
    cudaError_t error = rt_free(p, FREE_MASK, cudaErrorInvalidValue);
    rt_end_inline(s);
    return error;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
    RT_ENTER();
    cudaError_t error = free_async(p, s);
    if (error == cudaErrorInvalidValue) rt_check_bad_free(p, is_pending(p));
    return rt_end(error);
}

/* ---- pools ---- */

/* Owns the descriptor, if there is one, also on errors. */
static cudaError_t add_pool(cudaMemPool_t *out, int fd, size_t maximum, bool imported) {
    cudaMemPool_t p = calloc(1, sizeof *p);
    if (!p) {
        if (fd >= 0) close(fd);
        return cudaErrorMemoryAllocation;
    }
    p->maximum = maximum;
    p->file = fd + 1;
    p->imported = imported;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    pthread_mutex_lock(&lock);
    p->next = pools;
    pools = p;
    pthread_mutex_unlock(&lock);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props) {
    RT_ENTER();
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned) return rt_end(cudaErrorInvalidValue);
    if (props->handleTypes & ~(unsigned)cudaMemHandleTypePosixFileDescriptor) return rt_end(cudaErrorNotSupported);
    if (props->location.type != cudaMemLocationTypeDevice || props->location.id) return rt_end(cudaErrorInvalidValue);
    int fd = props->handleTypes ? memfd_create("cucpu-pool", MFD_CLOEXEC) : -1;
    return rt_end(props->handleTypes && fd < 0 ? cudaErrorMemoryAllocation : add_pool(out, fd, props->maxSize, false));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    RT_ENTER();
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    bool ok = p && p != &default_pool;
    if (ok) {
        p->dying = true;
        if (current == p) current = &default_pool;
    }
    pthread_mutex_unlock(&lock);
    while (ok && release_one(pool, 0, false)) continue;
    pthread_mutex_lock(&lock);
    if (ok && !p->used) erase_pool(p);
    pthread_mutex_unlock(&lock);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    RT_ENTER();
    bool ok = is_pool(pool);
    while (ok && release_one(pool, keep, false)) continue;
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t set_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attr, void *value) {
    uint64_t wide = 0;
    if (attr >= cudaMemPoolAttrReleaseThreshold) memcpy(&wide, value, sizeof wide);
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: memcpy(&p->reuse[attr - 1], value, sizeof(int)); return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        p->threshold = wide;
        if (p->nkept && p->reserved > wide) rt_on_synchronised(synchronised);
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
        if (wide) return cudaErrorInvalidValue; /* only a reset is allowed */
        p->reserved_high = p->reserved;
        return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
        if (wide) return cudaErrorInvalidValue;
        p->used_high = p->used;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t get_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attr, void *value) {
    uint64_t wide = 0;
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: memcpy(value, &p->reuse[attr - 1], sizeof(int)); return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: wide = p->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: wide = p->reserved; break;
    case cudaMemPoolAttrUsedMemCurrent: wide = p->used; break;
    case cudaMemPoolAttrReservedMemHigh: wide = p->reserved_high; break;
    case cudaMemPoolAttrUsedMemHigh: wide = p->used_high; break;
    default: return cudaErrorInvalidValue;
    }
    memcpy(value, &wide, sizeof wide);
    return cudaSuccess;
}

static cudaError_t with_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value,
                                  cudaError_t (*access)(cudaMemPool_t, enum cudaMemPoolAttr, void *)) {
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    cudaError_t error = p && value ? access(p, attr, value) : cudaErrorInvalidValue;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    RT_ENTER();
    return rt_end(with_attribute(pool, attr, value, set_attribute));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    RT_ENTER();
    return rt_end(with_attribute(pool, attr, value, get_attribute));
}

/* The device itself always reads and writes. */
static cudaError_t check_access(const struct cudaMemAccessDesc *d) {
    if (d->location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    if (d->location.id) return cudaErrorInvalidDevice;
    if (d->flags == cudaMemAccessFlagsProtNone || d->flags == cudaMemAccessFlagsProtRead) return cudaErrorInvalidDevice;
    return d->flags == cudaMemAccessFlagsProtReadWrite ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n) {
    RT_ENTER();
    cudaError_t error = d && n && is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; !error && i < n; i++) error = check_access(&d[i]);
    return rt_end(error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
    RT_ENTER();
    if (!flags || !location || location->type != cudaMemLocationTypeDevice || location->id)
        return rt_end(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return rt_end(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
    RT_ENTER();
    if (!out || device) return rt_end(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *out = &default_pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device) {
    RT_ENTER();
    if (!out || device) return rt_end(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *out = current;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    RT_ENTER();
    if (device) return rt_end(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    if (p) current = p;
    pthread_mutex_unlock(&lock);
    return rt_end(p ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- pools of several processes ---- */

typedef struct Exported { /* of a pointer; the pool has the file */
    uint64_t magic, offset, size;
    char rest[40];
} Exported;
_Static_assert(sizeof(Exported) == sizeof(struct cudaMemPoolPtrExportData), "64 bytes");
static const uint64_t EXPORTED = 0x637069706f6f6cull;

/* The descriptor of a pool that can be shared, doubled; -1: it cannot. */
static int file_of(cudaMemPool_t pool, bool imported) {
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    int fd = p && p->file && p->imported == imported ? fcntl(p->file - 1, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&lock);
    return fd;
}

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
                                               unsigned flags) {
    RT_ENTER();
    if (!handle || flags || type != cudaMemHandleTypePosixFileDescriptor) return rt_end(cudaErrorInvalidValue);
    int fd = file_of(pool, false);
    if (fd >= 0) *(int *)handle = fd;
    return rt_end(fd >= 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type, unsigned flags) {
    RT_ENTER();
    struct stat st;
    if (!pool || flags || type != cudaMemHandleTypePosixFileDescriptor) return rt_end(cudaErrorInvalidValue);
    int fd = fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) return rt_end(add_pool(pool, fd, 0, true));
    if (fd >= 0) close(fd);
    return rt_end(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p) {
    RT_ENTER();
    RtAlloc a;
    if (!data || !p || !rt_find_alloc(p, &a) || a.how != RT_BY_POOL || !a.file || a.borrowed || a.base != (uintptr_t)p)
        return rt_end(cudaErrorInvalidValue);
    const Exported e = {.magic = EXPORTED, .offset = a.offset, .size = a.size};
    memcpy(data, &e, sizeof e);
    return cudaSuccess;
}

/* Its memory is a mapping of this process, until it is freed here. */
cudaError_t cudaMemPoolImportPointer(void **out, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data) {
    RT_ENTER();
    Exported e;
    struct stat st;
    if (!out || !data) return rt_end(cudaErrorInvalidValue);
    memcpy(&e, data, sizeof e);
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    bool ok = p && p->imported && e.magic == EXPORTED && e.size && !fstat(p->file - 1, &st) &&
              e.offset <= (uint64_t)st.st_size && e.size <= (uint64_t)st.st_size - e.offset;
    if (ok) count(p, e.size, true);
    pthread_mutex_unlock(&lock);
    if (!ok) return rt_end(cudaErrorInvalidValue);
    const RtAlloc how = {.kind = cudaMemoryTypeDevice,
                         .how = RT_BY_POOL,
                         .owner = p,
                         .freed = freed,
                         .file = p->file,
                         .borrowed = true,
                         .offset = e.offset};
    cudaError_t error = rt_alloc(out, e.size, &how);
    settle(p, e.size, error);
    return rt_end(error);
}
