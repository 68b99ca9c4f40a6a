/* memory.c: what graphs own: memory nodes and user objects.
**
** A memory node has its memory from the moment it is made, so its address is known to the nodes
*behind it; the
** operation owns it, and so do all graphs that share the operation.  Running the operation only
*notes that the memory
** is in use, and a free that it is not.  What is in use when the last graph goes becomes an
*ordinary allocation: the
** program may still free it.  User objects are counted by graphs and executable graphs. */
#include "graph/nodes.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct AllocOp {
    RtOp op;
    struct AllocOp *next; /* in the list of all */
    void *p;
    size_t size;
    bool live;     /* for the operations: allocated and not freed */
    bool out;      /* for the calls: a launch has allocated it, and nothing was told to free it */
    bool reserved; /* since it was first in use, or in use after a trim */
} AllocOp;

typedef struct FreeOp {
    RtOp op;
    void *p;
} FreeOp;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- memory ---- */

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

/* ---- what CUDA asks of graphs with memory nodes ---- */

static bool is_memory(enum cudaGraphNodeType type) {
    return type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
}

bool rt_graph_has_memory(cudaGraph_t g) {
    for (size_t i = 0; i < g->count; i++)
        if (is_memory(g->nodes[i]->type)) return true;
    return false;
}

bool rt_graph_frees(cudaGraph_t g, const RtOp *op) {
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->type == cudaGraphNodeTypeMemFree && ((FreeOp *)g->nodes[i]->op)->p == ((const FreeOp *)op)->p)
            return true;
    return false;
}

static bool freed_by(const struct CUgraphExec_st *e, const void *p) {
    for (size_t i = 0; i < e->count; i++)
        if (e->steps[i].type == cudaGraphNodeTypeMemFree && ((FreeOp *)e->steps[i].op)->p == p) return true;
    return false;
}

cudaError_t rt_graph_claim(cudaGraphExec_t e) {
    bool again = e->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    for (int check = !again; check >= 0; check--)
        for (size_t i = 0; i < e->count; i++) {
            const RtStep *step = &e->steps[i];
            AllocOp *a = step->type == cudaGraphNodeTypeMemAlloc ? (AllocOp *)step->op : NULL;
            if (step->type == cudaGraphNodeTypeMemFree && !check) rt_graph_give_back(((FreeOp *)step->op)->p);
            if (!a || freed_by(e, a->p)) continue;
            if (check && a->out) return cudaErrorInvalidValue;
            if (!check) a->out = true;
        }
    return cudaSuccess;
}

/* ---- questions ---- */

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

/* ---- user objects ---- */

struct CUuserObject_st {
    cudaUserObject_t next;
    unsigned count;
    void *p;
    cudaHostFn_t destroy;
};

struct RtHeld {
    struct RtHeld *next;
    cudaUserObject_t object;
    unsigned count;
};

static cudaUserObject_t objects;

static bool change_count(cudaUserObject_t object, unsigned by, bool add) {
    pthread_mutex_lock(&lock);
    cudaUserObject_t *at = &objects;
    while (*at && *at != object) at = &(*at)->next;
    bool known = *at != NULL && (add || object->count >= by);
    if (known) object->count += add ? by : 0u - by;
    bool last = known && !object->count;
    if (last) *at = object->next;
    pthread_mutex_unlock(&lock);
    if (last) {
        object->destroy(object->p);
        free(object);
    }
    return known;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *p, cudaHostFn_t destroy, unsigned count, unsigned flags) {
    RT_ENTER();
    if (!out || !destroy || !count || count > 0x7fffffffu || flags != cudaUserObjectNoDestructorSync)
        return rt_end(cudaErrorInvalidValue);
    cudaUserObject_t o = calloc(1, sizeof *o);
    if (!o) return rt_end(cudaErrorMemoryAllocation);
    pthread_mutex_lock(&lock);
    *o = (struct CUuserObject_st){objects, count, p, destroy};
    objects = o;
    pthread_mutex_unlock(&lock);
    *out = o;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    return rt_end(count && change_count(object, count, true) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    return rt_end(count && change_count(object, count, false) ? cudaSuccess : cudaErrorInvalidValue);
}

static bool hold(RtHeld **list, cudaUserObject_t object, unsigned count) {
    RtHeld *h = *list;
    while (h && h->object != object) h = h->next;
    if (!h) {
        if (!(h = calloc(1, sizeof *h))) return false;
        h->next = *list;
        h->object = object;
        *list = h;
    }
    h->count += count;
    return true;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t object, unsigned count, unsigned flags) {
    RT_ENTER();
    if (!rt_is_graph(g) || !count || flags > cudaGraphUserObjectMove) return rt_end(cudaErrorInvalidValue);
    if (!change_count(object, count, true)) return rt_end(cudaErrorInvalidValue);
    bool held = hold(&g->held, object, count);
    if (!held || flags == cudaGraphUserObjectMove) change_count(object, count, false);
    return rt_end(held ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    RtHeld **at = rt_is_graph(g) ? &g->held : NULL;
    while (at && *at && (*at)->object != object) at = &(*at)->next;
    if (!at || !count) return rt_end(cudaErrorInvalidValue);
    if (!*at) return cudaSuccess; /* what it does not hold */
    RtHeld *h = *at;
    if (count > h->count) count = h->count;
    if (!(h->count -= count)) {
        *at = h->next;
        free(h);
    }
    change_count(object, count, false);
    return cudaSuccess;
}

bool rt_hold_all(RtHeld **to, const RtHeld *from) {
    for (; from; from = from->next) {
        if (!hold(to, from->object, from->count)) return false;
        change_count(from->object, from->count, true);
    }
    return true;
}

void rt_release_all(RtHeld **held) {
    while (*held) {
        RtHeld *h = *held;
        *held = h->next;
        change_count(h->object, h->count, false);
        free(h);
    }
}
