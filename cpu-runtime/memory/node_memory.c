/* node_memory.c: memory of memory nodes of graphs, and of allocations that a stream captures.
**
** It is there from the moment the node is made, so its address is known to the nodes that depend on it; the
** operation owns it, and so do all graphs that share the operation.  Running the operation only notes that the
** memory is in use, and a free that it is not.  What is in use when the last graph goes becomes an ordinary
** allocation: the program may still free it. */
#include "memory/memory.h"
#include "space/alloc.h"
#include <pthread.h>

typedef struct AllocOp {
    RtOp op;
    struct AllocOp *next; /* in the list of all */
    void *p;
    size_t size;
    bool live;     /* for the operations: allocated and not freed */
    bool out;      /* for the calls: a launch has allocated it, and no call was to free it */
    bool reserved; /* since it was first in use, or in use after a trim */
} AllocOp;

typedef struct FreeOp {
    RtOp op;
    void *p;
} FreeOp;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static AllocOp *allocs;
static uint64_t counts[4]; /* enum cudaGraphMemAttributeType: used, its maximum, reserved, its maximum */

static void count(enum cudaGraphMemAttributeType what, uint64_t by) { /* lock held; modulo 2^64 */
    counts[what] += by;
    if (counts[what] > counts[what + 1]) counts[what + 1] = counts[what];
}

/* lock held; was it? */
static bool set_live(AllocOp *a, bool live) {
    bool was = a->live;
    if (was != live) count(cudaGraphMemAttrUsedMemCurrent, live ? a->size : 0 - a->size);
    if (live && !a->reserved) count(cudaGraphMemAttrReservedMemCurrent, a->size);
    a->reserved |= live;
    a->live = live;
    return was;
}

static void run_alloc(RtOp *op) {
    pthread_mutex_lock(&lock);
    set_live((AllocOp *)op, true);
    pthread_mutex_unlock(&lock);
}

static void drop_alloc(RtOp *op) {
    AllocOp *a = (AllocOp *)op, **at = &allocs;
    pthread_mutex_lock(&lock);
    while (*at && *at != a) at = &(*at)->next;
    if (*at) *at = a->next;
    bool live = set_live(a, false);
    if (a->reserved) count(cudaGraphMemAttrReservedMemCurrent, 0 - a->size);
    pthread_mutex_unlock(&lock);
    if (live) rt_adopt_alloc(a->p);
    else if (a->p) rt_free(a->p, 1u << RT_BY_GRAPH, cudaErrorInvalidValue);
}

cudaError_t rt_graph_alloc_op(void **p, size_t bytes, RtOp **out) {
    AllocOp *op = rt_new_op(sizeof *op, run_alloc, drop_alloc);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = cudaGraphNodeTypeMemAlloc;
    op->live = op->out = op->reserved = false;
    op->size = bytes;
    RtAlloc how = {.kind = cudaMemoryTypeDevice, .how = RT_BY_GRAPH, .owner = op};
    cudaError_t error = rt_alloc(&op->p, bytes, &how);
    if (error) {
        rt_drop_op(&op->op);
        return error;
    }
    pthread_mutex_lock(&lock);
    op->next = allocs;
    allocs = op;
    pthread_mutex_unlock(&lock);
    *p = op->p;
    *out = &op->op;
    return cudaSuccess;
}

static AllocOp *owner_of(const void *p) {
    RtAlloc a;
    return rt_find_alloc(p, &a) && a.how == RT_BY_GRAPH && a.base == (uintptr_t)p ? a.owner : NULL;
}

bool rt_graph_freed(const void *p) {
    AllocOp *a = owner_of(p);
    pthread_mutex_lock(&lock);
    bool was = a && set_live(a, false);
    pthread_mutex_unlock(&lock);
    return was;
}

bool rt_graph_give_back(const void *p) {
    AllocOp *a = owner_of(p);
    pthread_mutex_lock(&lock);
    bool out = a && a->out;
    if (out) a->out = false;
    pthread_mutex_unlock(&lock);
    return out;
}

static void run_free(RtOp *op) { rt_graph_freed(((FreeOp *)op)->p); }

cudaError_t rt_graph_free_op(void *p, RtOp **out) {
    if (!p || !owner_of(p)) return cudaErrorInvalidValue;
    FreeOp *op = rt_new_op(sizeof *op, run_free, NULL);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = cudaGraphNodeTypeMemFree;
    op->op.always = true;
    op->p = p;
    *out = &op->op;
    return cudaSuccess;
}

void *rt_node_memory(const RtOp *op) {
    return op->kind == cudaGraphNodeTypeMemAlloc ? ((const AllocOp *)op)->p : ((const FreeOp *)op)->p;
}

bool rt_node_is_out(const RtOp *op) { return ((const AllocOp *)op)->out; }

void rt_node_set_out(RtOp *op) { ((AllocOp *)op)->out = true; }

/* ---- queries ---- */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    RT_ENTER();
    if (!value || (unsigned)attr >= RT_COUNT(counts)) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    pthread_mutex_lock(&lock);
    *(uint64_t *)value = counts[attr];
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* A maximum begins anew; nothing else can be set. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value) {
    RT_ENTER();
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    if (!value || !high || *(uint64_t *)value) return rt_end(cudaErrorInvalidValue);
    if (device) return rt_end(cudaErrorInvalidDevice);
    pthread_mutex_lock(&lock);
    counts[attr] = counts[attr - 1];
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* The addresses stay; what no launch uses counts as reserved again when one does. */
cudaError_t cudaDeviceGraphMemTrim(int device) {
    RT_ENTER();
    if (device) return rt_end(cudaErrorInvalidDevice);
    pthread_mutex_lock(&lock);
    for (AllocOp *a = allocs; a; a = a->next) {
        if (a->live || !a->reserved) continue;
        count(cudaGraphMemAttrReservedMemCurrent, 0 - a->size);
        a->reserved = false;
    }
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
