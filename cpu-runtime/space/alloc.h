/* alloc.h: the registry of every allocation.
**
** Its lock is the innermost one: nothing else is locked, and no callback runs, while it is held. */
#ifndef CUCPU_ALLOC_H
#define CUCPU_ALLOC_H
#include "base/base.h"
#include "space/space.h"

typedef struct RtHints { /* on managed memory; devices are kept as device - cudaInvalidDeviceId */
    int read_mostly, preferred, last_prefetch, accessed;
} RtHints;
typedef struct RtAlloc RtAlloc;
struct RtAlloc {
    uintptr_t base;
    size_t size;
    uint32_t kind;                   /* enum cudaMemoryType */
    uint32_t flags;                  /* of cudaHostAlloc, cudaMallocManaged ... */
    uint32_t how;                    /* RT_BY_* */
    uint64_t id;                     /* no two allocations of the process have the same */
    void *owner;                     /* the memory pool or memory node, if any */
    void *context;                   /* in which it was made: rt_context */
    void (*freed)(const RtAlloc *a); /* not NULL: takes the memory back instead of the system */
    RtLocation location;
    int file;        /* its descriptor + 1, where the memory is a part of a file: of pools that are shared */
    bool borrowed;   /* ... of another process, which gives its bytes back */
    uint64_t offset; /* in the file */
    RtHints hints;
};
enum {
    RT_BY_MALLOC,
    RT_BY_HOST_ALLOC,
    RT_BY_HOST_REGISTER,
    RT_BY_MANAGED,
    RT_BY_POOL,
    RT_BY_ARRAY,
    RT_BY_GRAPH, /* of a memory node, which is the owner */
    RT_BY_SYMBOL,
    RT_BY_MAPPING,  /* driver/virtual.c; the flags: may it be written to? */
    RT_BY_EXTERNAL, /* memory/external.c */
    RT_BY_IPC       /* memory/ipc.c */
};
cudaError_t rt_alloc(void **out, size_t bytes, const RtAlloc *how);
cudaError_t rt_free(void *p, uint32_t how_mask, cudaError_t wrong);
bool rt_find_alloc(const void *p, RtAlloc *out);
cudaError_t rt_note_alloc(const RtAlloc *a); /* memory that the runtime does not own */
void rt_forget_alloc(const void *p);
void rt_free_all(void);
void rt_free_context(const void *context); /* what was made in it */
void rt_put_memory(const RtAlloc *a);      /* of an allocation that is not in the registry any more */
void rt_adopt_alloc(const void *p);        /* RT_BY_GRAPH becomes RT_BY_MALLOC */
/* What cudaMalloc gave becomes a part of a file; nothing runs. */
cudaError_t rt_share_alloc(const void *p, RtAlloc *out, int *fd, uint64_t *offset);
void rt_update_hints(const void *p, void (*change)(RtHints *h, int value), int value);
/* May the device (or, for device == false, the host) side of a copy use these bytes? */
cudaError_t rt_check_range(const void *p, size_t bytes, bool device);
cudaError_t rt_check_write(const void *p, size_t bytes, bool device); /* ... and write to them? */
bool rt_is_mapped(const void *p, size_t bytes);                       /* does the process have memory there? */
uint64_t rt_memory_left(void);                                        /* bytes */
/* f is told of each allocation that is made, before anybody has it. */
void rt_guard_host_memory(void); /* managed and pinned memory from now on: host code that overruns it faults */
void rt_on_alloc(void (*f)(const RtAlloc *a));
/* f is told of each allocation that is freed, before anything else can have its addresses.  It calls nothing here. */
void rt_on_free(void (*f)(const RtAlloc *a));
void rt_visit_allocs(void (*f)(const RtAlloc *a, void *data), void *data); /* in the order of addresses; likewise */
/* The allocations next to p: at or below it, and above it; false: there is none (base is 0). */
void rt_find_neighbours(const void *p, RtAlloc *below, RtAlloc *above);
/* p is in one of the last 64 allocations that were freed, the latest if in several; memory may be in use again. */
bool rt_find_freed(const void *p, uintptr_t *base, size_t *size);
/* f gives memory back that is kept for later; false: there is none.  Called when an allocation finds none, without
** the lock. */
void rt_on_shortage(bool (*f)(void));
#endif
