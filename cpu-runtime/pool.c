/* pool.c: stream-ordered allocation and memory pools.
**
** Memory is taken at the call, so the pointer is valid at once; it is given back when the stream
** reaches the free.  A pool only counts: the allocator below keeps no memory back, so the release
** threshold is remembered and has no effect, and "reserved" equals "used". */
#include "graph_nodes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    cudaMemPool_t next;
    uint64_t used, high, maximum; /* bytes; maximum 0 = none */
    uint64_t threshold;
    int reuse[3];
    bool dying; /* destroyed, but memory of it is still in use */
};

typedef struct FreeOp {
    RtOp op;
    void *p;
} FreeOp;

enum { FREE_MASK = 1u << RT_BY_MALLOC | 1u << RT_BY_POOL | 1u << RT_BY_MANAGED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct CUmemPoolHandle_st first_pool = {.reuse = {1, 1, 1}};
static struct CUmemPoolHandle_st default_pool = {.reuse = {1, 1, 1}};
static cudaMemPool_t pools = &default_pool, current = &default_pool;

static cudaMemPool_t find_pool(cudaMemPool_t pool) { /* lock held */
    cudaMemPool_t p = pools;
    while (p && (p != pool || p->dying)) p = p->next;
    return p;
}

static void erase_pool(cudaMemPool_t pool) { /* lock held */
    cudaMemPool_t *p = &pools;
    while (*p && *p != pool) p = &(*p)->next;
    if (*p) *p = pool->next;
    free(pool);
}

static bool take_from(cudaMemPool_t pool, uint64_t bytes) { /* lock held */
    if (pool->maximum && (bytes > pool->maximum || pool->used > pool->maximum - bytes))
        return false;
    pool->used += bytes;
    if (pool->used > pool->high) pool->high = pool->used;
    return true;
}

static void give_to(cudaMemPool_t pool, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    pool->used -= bytes;
    if (pool->dying && !pool->used) erase_pool(pool);
    pthread_mutex_unlock(&lock);
}

void rt_reset_pools(void) {
    pthread_mutex_lock(&lock);
    for (cudaMemPool_t p = pools, next; p; p = next) {
        next = p->next;
        if (p != &default_pool) free(p);
    }
    default_pool = first_pool;
    pools = current = &default_pool;
    pthread_mutex_unlock(&lock);
}

void rt_pool_freed(const RtAlloc *a) {
    if (a->how == RT_BY_POOL) give_to(a->owner, a->size);
}

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

static cudaError_t pool_malloc(void **out, size_t bytes, cudaMemPool_t wanted, cudaStream_t s) {
    if (!out) return cudaErrorInvalidValue;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    *out = NULL;
    if (!bytes) return cudaSuccess;
    if (rt_is_capturing(s)) return capture_malloc(out, bytes, s);
    pthread_mutex_lock(&lock);
    cudaMemPool_t pool = wanted ? find_pool(wanted) : current;
    bool fits = pool && take_from(pool, bytes);
    pthread_mutex_unlock(&lock);
    if (!pool) return cudaErrorInvalidValue;
    if (!fits) return cudaErrorMemoryAllocation;
    RtAlloc how = {.kind = cudaMemoryTypeDevice, .how = RT_BY_POOL, .owner = pool};
    cudaError_t error = rt_alloc(out, bytes, &how);
    if (error) give_to(pool, bytes);
    return error;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t s) {
    RT_ENTER();
    return rt_end(pool_malloc(out, bytes, NULL, s));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
    RT_ENTER();
    return rt_end(pool ? pool_malloc(out, bytes, pool, s) : cudaErrorInvalidValue);
}

static void run_free(RtOp *op) { rt_free(((FreeOp *)op)->p, FREE_MASK, cudaErrorInvalidValue); }

static cudaError_t free_async(void *p, cudaStream_t s) {
    RtAlloc a;
    bool now;
    if (!rt_stream(s)) return cudaErrorInvalidResourceHandle;
    if (!p) return cudaSuccess;
    if (!rt_find_alloc(p, &a)) return cudaErrorInvalidValue;
    if (a.how == RT_BY_GRAPH || rt_is_capturing(s)) return capture_free(p, s); /* a node, or at its time */
    if ( a.base != (uintptr_t)p || !(FREE_MASK >> a.how & 1))
        return cudaErrorInvalidValue;
    RT_TRY(rt_begin_inline(s, &now));
    if (now) {
        cudaError_t error = rt_free(p, FREE_MASK, cudaErrorInvalidValue);
        rt_end_inline(s);
        return error;
    }
    FreeOp *op = rt_new_op(sizeof *op, run_free, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.always = true;
    op->p = p;
    return rt_enqueue(s, &op->op);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
    RT_ENTER();
    return rt_end(free_async(p, s));
}

/* ---- pools ---- */

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props) {
    RT_ENTER();
    if (!out || !props || props->allocType != cudaMemAllocationTypePinned)
        return rt_end(cudaErrorInvalidValue);
    if (props->handleTypes != cudaMemHandleTypeNone) return rt_end(cudaErrorNotSupported);
    if (props->location.type != cudaMemLocationTypeDevice || props->location.id)
        return rt_end(cudaErrorInvalidValue);
    cudaMemPool_t p = calloc(1, sizeof *p);
    if (!p) return rt_end(cudaErrorMemoryAllocation);
    p->maximum = props->maxSize;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    pthread_mutex_lock(&lock);
    p->next = pools;
    pools = p;
    pthread_mutex_unlock(&lock);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    RT_ENTER();
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    bool ok = p && p != &default_pool;
    if (ok) {
        p->dying = true;
        if (current == p) current = &default_pool;
        if (!p->used) erase_pool(p);
    }
    pthread_mutex_unlock(&lock);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    RT_ENTER();
    (void)keep; /* nothing is kept back */
    pthread_mutex_lock(&lock);
    bool ok = find_pool(pool) != NULL;
    pthread_mutex_unlock(&lock);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t set_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attr, const void *value) {
    uint64_t wide = 0;
    if (attr >= cudaMemPoolAttrReleaseThreshold) memcpy(&wide, value, sizeof wide);
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        memcpy(&p->reuse[attr - 1], value, sizeof(int));
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        p->threshold = wide;
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (wide) return cudaErrorInvalidValue; /* only a reset is allowed */
        p->high = p->used;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

static cudaError_t get_attribute(cudaMemPool_t p, enum cudaMemPoolAttr attr, void *value) {
    uint64_t wide = 0;
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        memcpy(value, &p->reuse[attr - 1], sizeof(int));
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        wide = p->threshold;
        break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
        wide = p->used;
        break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        wide = p->high;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    memcpy(value, &wide, sizeof wide);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    RT_ENTER();
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    cudaError_t error = p && value ? set_attribute(p, attr, value) : cudaErrorInvalidValue;
    pthread_mutex_unlock(&lock);
    return rt_end(error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
    RT_ENTER();
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    cudaError_t error = p && value ? get_attribute(p, attr, value) : cudaErrorInvalidValue;
    pthread_mutex_unlock(&lock);
    return rt_end(error);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n) {
    RT_ENTER();
    bool ok = d && n;
    for (size_t i = 0; ok && i < n; i++) /* the device itself always reads and writes */
        ok = d[i].location.type == cudaMemLocationTypeDevice && !d[i].location.id &&
             d[i].flags == cudaMemAccessFlagsProtReadWrite;
    return ok ? cudaMemPoolTrimTo(pool, 0) : rt_end(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
    RT_ENTER();
    if (!flags || !location || location->type != cudaMemLocationTypeDevice || location->id)
        return rt_end(cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaMemPoolTrimTo(pool, 0);
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
    if (device) return rt_end(cudaErrorInvalidDevice);
    pthread_mutex_lock(&lock);
    cudaMemPool_t p = find_pool(pool);
    if (p) current = p;
    pthread_mutex_unlock(&lock);
    return rt_end(p ? cudaSuccess : cudaErrorInvalidValue);
}
