/* space.h: where memory lies.
**
** rt_space_*: device memory; the lock of alloc.c is held, except where noted.  rt_guarded_*: of workers; no lock is
** needed. */
#ifndef CUCPU_SPACE_H
#define CUCPU_SPACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RtLocation { /* of a block of device memory; only space.c reads it */
    uint32_t index, arena;
} RtLocation;

/* NULL: there is none.  guarded: as with CUCPU_GUARD, if there are mappings left. */
void *rt_space_take(size_t bytes, bool staggered, bool guarded, RtLocation *location);
/* The same of a file. */
void *rt_space_map(size_t bytes, int fd, uint64_t offset, RtLocation *location);
/* Memory of rt_space_take becomes part of a file, from *offset on, for other processes.  -1: that cannot be. */
int rt_space_share(void *p, size_t bytes, RtLocation location, uint64_t *offset);
void rt_space_release(void *p, size_t bytes,
                      RtLocation location); /* its bytes are the system's again; also without the lock */
void rt_space_give(RtLocation location);    /* then its addresses are free */
void rt_space_trim(void);                   /* what is kept without need */

/* Zeros, at a multiple of RT_BLOCK_ALIGN, between pages that cannot be accessed. */
void *rt_guarded_take(size_t bytes);
void rt_guarded_give(void *p, size_t bytes);
#endif
