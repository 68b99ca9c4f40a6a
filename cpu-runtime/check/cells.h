/* cells.h: shadow memory: what is kept of each word that checked kernels access, and what is quick to see of it. */
#ifndef CUCPU_CHECK_CELLS_H
#define CUCPU_CHECK_CELLS_H
#include "check/race.h"

/* Of a word of 4 bytes, or of a byte of a word that is accessed by parts: 32 bytes.  What happened before a kept access
** of the same strength or more is not kept: what is ordered after the later one is ordered after the earlier one.
** What is of one kind lies together, in a plane each, so that rows of words are compared by vectors (rows.c), and so
** that planes which are not used take no memory.  A cell is where its write is. */
typedef struct Strong { /* accesses that may meet each other: atomics, those of flags; of two threads each */
    Stamp write[2], read[2];
} Strong;
enum { REGION_BITS = 30 };
#define RACE_WORDS ((size_t)1 << REGION_BITS >> 2)         /* of a region */
#define RACE_PLANE (RACE_WORDS * sizeof(Stamp) + 5 * 4096) /* no power of two: they share no cache sets */
typedef struct Entry {
    Stamp s;
    char of_others[RACE_PLANE - sizeof(Stamp)];
} Entry;
typedef struct Cell {
    Entry write;   /* the last weak one */
    Entry read[2]; /* weak ones since, of two threads */
    Entry more;    /* s: a Strong, or 0; CELL_SPLIT: the cells of the bytes of the word and its neighbours */
} Cell;
enum { CELL_SPLIT = 1 };

static inline Cell *race_cell_of(Cell *first, size_t word) { return (Cell *)((Stamp *)first + word); }
static inline Strong *race_strong(const Cell *c) { return (Strong *)(uintptr_t)c->more.s; }

enum { REGIONS = 1 << 17 }; /* shadow of global memory */
extern Cell **race_regions;
Cell *race_make_cell(uintptr_t p); /* NULL: no memory */
static inline Cell *race_global_cell(uintptr_t p) {
    size_t r = p >> REGION_BITS;
    if (RT_UNLIKELY(!race_regions || r >= REGIONS || !race_regions[r])) return race_make_cell(p);
    return race_cell_of(race_regions[r], (p & (((uintptr_t)1 << REGION_BITS) - 1)) / 4);
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

/* Which of two the one of the thread replaces. */
static inline int race_kept(const Quick *q, const Stamp slot[2]) {
    return race_is_own(q, slot[0])      ? 0
           : race_is_own(q, slot[1])    ? 1
           : race_is_before(q, slot[0]) ? 0
           : race_is_before(q, slot[1]) ? 1
                                        : race_more_alike(slot, q->first, q->thread);
}

static inline void race_keep_read(const Quick *q, Cell *c, Stamp s) {
    Stamp slot[2] = {c->read[0].s, c->read[1].s};
    if (!race_is_known_read(q, slot, s)) c->read[race_kept(q, slot)].s = s;
}

static inline bool race_are_before(const Quick *q, const Stamp slot[2]) {
    return race_is_before(q, slot[0]) && race_is_before(q, slot[1]);
}

/* An atomic update of the device's scope, where the word has had such updates and plain accesses alone. */
static inline bool race_update_quickly(const Quick *q, Stamp stamp, Cell *c) {
    Strong *more = race_strong(c);
    if (!more || c->more.s & CELL_SPLIT || more->read[0] || more->read[1]) return false;
    Stamp *slot = more->write;
    for (int i = 0; i < 2; i++)
        if (slot[i] && (slot[i] & (RACE_ATOMIC | RACE_BLOCK_SCOPE)) != RACE_ATOMIC) return false;
    if (!race_is_before(q, c->write.s) || !race_is_before(q, c->read[0].s) || !race_is_before(q, c->read[1].s))
        return false;
    if (!race_is_known_read(q, slot, stamp)) slot[race_kept(q, slot)] = stamp;
    return true;
}

static inline bool race_access_quickly(const Quick *q, Stamp stamp, bool writes, Cell *c) {
    Strong *more = race_strong(c);
    if (stamp & RACE_ATOMIC) return race_update_quickly(q, stamp, c);
    if (c->more.s & CELL_SPLIT || !race_is_before(q, c->write.s) || (more && !race_are_before(q, more->write)))
        return false;
    if (!writes) return race_keep_read(q, c, stamp), true;
    if (!race_is_before(q, c->read[0].s) || !race_is_before(q, c->read[1].s) ||
        (more && !race_are_before(q, more->read)))
        return false;
    c->write.s = stamp, c->read[0].s = c->read[1].s = 0;
    if (more) *more = (Strong){0};
    return true;
}

/* The same for words that follow each other, from the cell c on: rows.c.  1 << shift words each are of threads that
** follow each other, the first of which has the stamp s and is q->thread. */
bool race_access_row(const Quick *q, Cell *c, uint32_t words, unsigned shift, Stamp s, bool writes);
#endif
