/* handles.c: see handles.h. Lists are short: programs make few graphs and arrays. */
#include "base/handles.h"

bool rt_has_handle(RtHandles *l, const void *object) {
    pthread_mutex_lock(&l->lock);
    const RtLink *p = l->first;
    while (p && p != object) p = p->next;
    pthread_mutex_unlock(&l->lock);
    return p;
}

void rt_add_handle(RtHandles *l, RtLink *object) {
    pthread_mutex_lock(&l->lock);
    object->next = l->first;
    l->first = object;
    pthread_mutex_unlock(&l->lock);
}

bool rt_remove_handle(RtHandles *l, const RtLink *object) {
    pthread_mutex_lock(&l->lock);
    RtLink **p = &l->first;
    while (*p && *p != object) p = &(*p)->next;
    bool found = *p;
    if (found) *p = object->next;
    pthread_mutex_unlock(&l->lock);
    return found;
}
