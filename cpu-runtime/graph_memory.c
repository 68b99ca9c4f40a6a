/* graph_memory.c: what graphs own: memory nodes and user objects.
**
** A memory node has its memory from the moment it is made, so its address is known to the nodes behind it; the
** operation owns it, and so do all graphs that share the operation.  Running the operation only notes that the memory
** is in use, and a free that it is not.  What is in use when the last graph goes becomes an ordinary allocation: the
** program may still free it.  User objects are counted by graphs and executable graphs. */
#include "graph_nodes.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct AllocOp {
    RtOp op;
    void *p;
    _Atomic bool live;
} AllocOp;

typedef struct FreeOp {
    RtOp op;
    void *p;
} FreeOp;

/* ---- memory ---- */

static void run_alloc(RtOp *op) { ((AllocOp *)op)->live = true; }

static void drop_alloc(RtOp *op) {
    AllocOp *a = (AllocOp *)op;
    if (a->live)
        rt_adopt_alloc(a->p);
    else if (a->p)
        rt_free(a->p, 1u << RT_BY_GRAPH, cudaErrorInvalidValue);
}

cudaError_t rt_graph_alloc_op(void **p, size_t bytes, RtOp **out) {
    AllocOp *op = rt_new_op(sizeof *op, run_alloc, drop_alloc);
    if (!op) return cudaErrorMemoryAllocation;
    op->op.kind = cudaGraphNodeTypeMemAlloc;
    op->live = false;
    RtAlloc how = {.kind = cudaMemoryTypeDevice, .how = RT_BY_GRAPH, .owner = op};
    cudaError_t error = rt_alloc(&op->p, bytes, &how);
    if (error) {
        rt_drop_op(&op->op);
        return error;
    }
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
    return a && atomic_exchange(&a->live, false);
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *p, cudaHostFn_t destroy,
                                 unsigned count, unsigned flags) {
    RT_ENTER();
    if (!out || !destroy || !count || count > 0x7fffffffu ||
        flags != cudaUserObjectNoDestructorSync)
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
    return rt_end(count && change_count(object, count, false) ? cudaSuccess
                                                              : cudaErrorInvalidValue);
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

cudaError_t cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    RT_ENTER();
    if (!rt_is_graph(g) || !count || flags > cudaGraphUserObjectMove)
        return rt_end(cudaErrorInvalidValue);
    if (!change_count(object, count, true)) return rt_end(cudaErrorInvalidValue);
    bool held = hold(&g->held, object, count);
    if (!held || flags == cudaGraphUserObjectMove) change_count(object, count, false);
    return rt_end(held ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t object, unsigned count) {
    RT_ENTER();
    RtHeld **at = rt_is_graph(g) ? &g->held : NULL;
    while (at && *at && (*at)->object != object) at = &(*at)->next;
    if (!at || !*at || !count || (*at)->count < count) return rt_end(cudaErrorInvalidValue);
    RtHeld *h = *at;
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
