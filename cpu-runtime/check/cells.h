/* cells.h: shadow memory: what is kept of each word that checked kernels access, and what is quick to see of it. */
#ifndef CUCPU_CHECK_CELLS_H
#define CUCPU_CHECK_CELLS_H
#include "check/race.h"

/* Of a word of 4 bytes, or of a byte of a word that is accessed by parts: 32 bytes.  What happened before a kept access
** of the same strength or more is not kept: what is ordered after the later one is ordered after the earlier one. */
typedef struct Strong { /* accesses that may meet each other: atomics, those of flags; of two threads each */
    Stamp write[2], read[2];
} Strong;
typedef struct Cell {
    Stamp write;    /* the last weak one */
    Stamp read[2];  /* weak ones since, of two threads */
    uintptr_t more; /* a Strong, or 0; CELL_SPLIT: four cells of the bytes of the word */
} Cell;
enum { CELL_SPLIT = 1 };

enum { REGION_BITS = 30, REGIONS = 1 << 17 }; /* shadow of global memory: 2^17 regions of 2^30 bytes */
extern Cell **race_regions;
Cell *race_make_cell(uintptr_t p); /* NULL: no memory */
static inline Cell *race_global_cell(uintptr_t p) {
    size_t r = p >> REGION_BITS;
    if (RT_UNLIKELY(!race_regions || r >= REGIONS || !race_regions[r])) return race_make_cell(p);
    return &race_regions[r][(p & (((uintptr_t)1 << REGION_BITS) - 1)) / 4];
}
Cell *race_shared_cell(Order *o, const RtHere *h, uintptr_t p);
void race_drop_cells(void);                       /* all of global memory */
void race_drop_shadow(Order *o);                  /* of shared memory */
void race_clear_cells(uintptr_t p, size_t bytes); /* of global memory */

/* An access of a thread to a word; cells.c. */
typedef struct Now {
    RtHere *h;
    Order *o;
    const RtAccess *a;
    Access access;
    Stamp stamp;
    bool writes, late; /* late: it was before, and is kept only now */
} Now;
void race_access_word(const Now *n, Cell *word, uintptr_t at, unsigned bytes);

/* ---- what is quick to see ---- */

/* Plain accesses of the block that runs, where all that was done to the word is of earlier launches, of earlier epochs
** of the block, or of the thread itself: the same as race_access_word, by comparisons of records. */
typedef struct Quick {
    uint32_t low, first, earlier, thread; /* live records; records of the block; see Order */
    bool warps;                           /* functions of the warp order accesses in an epoch */
} Quick;

static inline uint32_t race_record_of(Stamp s) { return (uint32_t)(s >> 36); }

static inline bool race_is_own(const Quick *q, Stamp s) {
    return race_record_of(s) >= q->first && (uint32_t)(s >> 26 & 1023) == q->thread;
}

static inline bool race_is_before(const Quick *q, Stamp s) {
    uint32_t r = race_record_of(s);
    return r < q->low || (r >= q->first && r < q->earlier) || race_is_own(q, s);
}

/* Which of two accesses by other threads the one of `thread` replaces: the one that it has more in common with, so that
** those kept are of two warps, or blocks. */
static inline int race_more_alike(const Stamp slot[2], uint32_t first, uint32_t thread) {
    unsigned alike[2];
    for (int i = 0; i < 2; i++)
        alike[i] = race_record_of(slot[i]) < first ? 0 : (slot[i] >> 26 & 1023) / 32 == thread / 32 ? 2 : 1;
    return alike[0] > alike[1] ? 0 : 1;
}

static inline uint32_t race_thread_of(Stamp s) { return (uint32_t)(s >> 26 & 1023); }

/* Reads of the same position by two other threads, of two warps or of that of the thread: no other need be kept. */
static inline bool race_is_known_read(const Quick *q, const Stamp slot[2], Stamp s) {
    if (q->warps || ((slot[0] ^ s) | (slot[1] ^ s)) >> 36) return false;
    uint32_t a = race_thread_of(slot[0]), b = race_thread_of(slot[1]), t = q->thread;
    return a != t && b != t && (((a ^ t) < 32 && (b ^ t) < 32) || (a ^ b) >= 32);
}

static inline void race_keep_read(const Quick *q, Stamp slot[2], Stamp s) {
    if (race_is_known_read(q, slot, s)) return;
    int i = race_is_own(q, slot[0])      ? 0
            : race_is_own(q, slot[1])    ? 1
            : race_is_before(q, slot[0]) ? 0
            : race_is_before(q, slot[1]) ? 1
                                         : race_more_alike(slot, q->first, q->thread);
    slot[i] = s;
}

static inline bool race_are_before(const Quick *q, const Stamp slot[2]) {
    return race_is_before(q, slot[0]) && race_is_before(q, slot[1]);
}

__attribute__((always_inline)) static inline bool race_access_quickly(const Quick *q, Stamp stamp, bool writes,
                                                                      Cell *c) {
    Strong *more = (Strong *)c->more;
    if (c->more & CELL_SPLIT || !race_is_before(q, c->write) || (more && !race_are_before(q, more->write)))
        return false;
    if (!writes) return race_keep_read(q, c->read, stamp), true;
    if (!race_are_before(q, c->read) || (more && !race_are_before(q, more->read))) return false;
    c->write = stamp, c->read[0] = c->read[1] = 0;
    if (more) *more = (Strong){0};
    return true;
}
#endif
