/* arena.h: which parts of some address ranges are in use (arena.c).  Callers hold a lock. */
#ifndef CUCPU_ARENA_H
#define CUCPU_ARENA_H
#include <stdbool.h>
#include <stdint.h>

enum {
    RT_ARENA_BITS = 18,
    RT_ARENA_UNITS = 1 << RT_ARENA_BITS,
    RT_ARENA_RANGES = 4096,
    RT_ARENA_CLASSES = 8 * (RT_ARENA_BITS - 2) + 1
};

/* Of the first unit of a block. */
typedef struct RtUnit {
    uint32_t size;           /* units; the highest bit: it is free */
    uint32_t before;         /* units of the block before it, 0 = it is the first of its range */
    uint32_t next, previous; /* free blocks of its class: index + 1 */
} RtUnit;

/* Zeros are an empty arena of bytes. */
typedef struct RtArena {
    unsigned shift; /* a unit has 2^shift bytes */
    char *ranges[RT_ARENA_RANGES];
    RtUnit *units[RT_ARENA_RANGES];
    uint32_t sizes[RT_ARENA_RANGES], nranges; /* units of each; slots in use so far */
    uint32_t idle;                            /* a range without a block + 1 */
    uint32_t first[RT_ARENA_CLASSES];         /* index + 1 */
    uint64_t some[(RT_ARENA_CLASSES + 63) / 64];
} RtArena;

#define RT_NO_UNIT UINT32_MAX

/* The index of the first of so many free units, now in use; RT_NO_UNIT: there are none. */
uint32_t rt_arena_take(RtArena *a, uint32_t units);
/* The block is free.  Returns its range if no block is left there, and an idle one is kept already; else RT_NO_UNIT. */
uint32_t rt_arena_give(RtArena *a, uint32_t index);
char *rt_arena_address(const RtArena *a, uint32_t index);
/* A word for each unit that is in use, for the caller. */
uint32_t *rt_arena_link(const RtArena *a, uint32_t index);
/* Adds a range of up to RT_ARENA_UNITS units, all free. */
bool rt_arena_add(RtArena *a, char *base, uint32_t units);
/* Forgets all ranges. */
void rt_arena_clear(RtArena *a);
/* Forgets a range without a block. */
void rt_arena_remove(RtArena *a, uint32_t range);
#endif
