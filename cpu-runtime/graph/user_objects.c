/* user_objects.c: user objects, which are counted by graphs and executable graphs. */
#include "graph/graph.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
