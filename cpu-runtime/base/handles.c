/* handles.c: see handles.h. A hash table of chains, as graphs may have many thousands of nodes. */
#include "base/handles.h"
#include <stdint.h>
#include <stdlib.h>

static RtLink **bucket_of(RtHandles *l, const void *object) {
    return l->nbuckets ? &l->buckets[((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15u >> 20 & (l->nbuckets - 1)]
                       : &l->all;
}

static RtLink **find(RtHandles *l, const void *object) {
    RtLink **p = bucket_of(l, object);
    while (*p && *p != object) p = &(*p)->next;
    return p;
}

static void put(RtHandles *l, RtLink *object) {
    RtLink **p = bucket_of(l, object);
    object->next = *p;
    *p = object;
}

static void move_all(RtHandles *l, RtLink *first) {
    for (RtLink *next; first; first = next) {
        next = first->next;
        put(l, first);
    }
}

static void grow(RtHandles *l) {
    enum { FIRST = 16 };
    size_t before = l->nbuckets, more = before ? 4 * before : FIRST;
    RtLink **old = l->buckets, **made = calloc(more, sizeof(RtLink *));
    if (!made) return;
    RtLink *all = l->all;
    l->buckets = made;
    l->nbuckets = more;
    l->all = NULL;
    move_all(l, all);
    for (size_t i = 0; i < before; i++) move_all(l, old[i]);
    free(old);
}

bool rt_has_handle(RtHandles *l, const void *object) {
    pthread_mutex_lock(&l->lock);
    bool found = *find(l, object);
    pthread_mutex_unlock(&l->lock);
    return found;
}

void rt_add_handle(RtHandles *l, RtLink *object) {
    pthread_mutex_lock(&l->lock);
    if (++l->count > 2 * l->nbuckets) grow(l);
    put(l, object);
    pthread_mutex_unlock(&l->lock);
}

bool rt_remove_handle(RtHandles *l, const RtLink *object) {
    pthread_mutex_lock(&l->lock);
    RtLink **p = find(l, object);
    bool found = *p;
    if (found) {
        *p = object->next;
        l->count--;
    }
    pthread_mutex_unlock(&l->lock);
    return found;
}

RtLink *rt_any_handle(RtHandles *l) {
    pthread_mutex_lock(&l->lock);
    RtLink *any = l->all;
    for (size_t i = 0; !any && i < l->nbuckets; i++) any = l->buckets[i];
    pthread_mutex_unlock(&l->lock);
    return any;
}

static void visit(RtLink *first, void (*f)(RtLink *, void *), void *data) {
    for (RtLink *p = first; p; p = p->next) f(p, data);
}

void rt_visit_handles(RtHandles *l, void (*f)(RtLink *object, void *data), void *data) {
    pthread_mutex_lock(&l->lock);
    visit(l->all, f, data);
    for (size_t i = 0; i < l->nbuckets; i++) visit(l->buckets[i], f, data);
    pthread_mutex_unlock(&l->lock);
}
