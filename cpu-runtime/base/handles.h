/* handles.h: the list of all objects of a kind to which programs have handles: graphs, arrays, ..., so that a handle
** can be tested before it is followed. Objects begin with their link. No other lock is taken within that of a list. */
#ifndef CUCPU_HANDLES_H
#define CUCPU_HANDLES_H
#include <pthread.h>
#include <stdbool.h>

typedef struct RtLink {
    struct RtLink *next;
} RtLink;

typedef struct RtHandles {
    pthread_mutex_t lock;
    RtLink *first;
} RtHandles;
#define RT_HANDLES                                                                                                     \
    { PTHREAD_MUTEX_INITIALIZER, 0 }

bool rt_has_handle(RtHandles *l, const void *object);
void rt_add_handle(RtHandles *l, RtLink *object);
/* False: it is not in the list, which remains as it is. */
bool rt_remove_handle(RtHandles *l, const RtLink *object);
#endif
