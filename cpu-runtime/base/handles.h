/* handles.h: all objects of a kind to which programs have handles: graphs, nodes, arrays, ..., so that a handle can be
** tested before it is followed. Objects begin with their link. No other lock is taken within that of a set. */
#ifndef CUCPU_HANDLES_H
#define CUCPU_HANDLES_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct RtLink {
    struct RtLink *next;
} RtLink;

typedef struct RtHandles {
    pthread_mutex_t lock;
    RtLink **buckets, *all; /* without memory for several buckets: all are in one */
    size_t nbuckets, count;
} RtHandles;
#define RT_HANDLES                                                                                                     \
    { PTHREAD_MUTEX_INITIALIZER, NULL, NULL, 0, 0 }

bool rt_has_handle(RtHandles *l, const void *object);
void rt_add_handle(RtHandles *l, RtLink *object);
/* False: it is not one of them. */
bool rt_remove_handle(RtHandles *l, const RtLink *object);
RtLink *rt_any_handle(RtHandles *l);                                                    /* NULL: there is none */
void rt_visit_handles(RtHandles *l, void (*f)(RtLink *object, void *data), void *data); /* f takes no other lock */
#endif
