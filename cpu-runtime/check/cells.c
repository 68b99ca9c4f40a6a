/* cells.c: what is kept of the accesses of a word, and what an access is compared with.
**
** A weak access, which is neither atomic nor of a flag, races with all that it is not ordered with; strong ones may
** meet.  So a strong access never takes the place of a weaker one that is before it. */
#define _GNU_SOURCE
#include "check/cells.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- what cells point to: from chunks, which are freed together ---- */

enum { CHUNK = 1 << 16 };
typedef struct Chunk {
    struct Chunk *next;
    _Alignas(16) char bytes[CHUNK];
} Chunk;
typedef struct Spare {
    struct Spare *next;
} Spare;
typedef struct Pool {
    Chunk *chunks;
    size_t used;             /* of the first */
    Spare *strong, *quarter; /* given back: Strong, four cells */
} Pool;
static Pool global_pool, shared_pool; /* of cells of global and shared memory */

/* NULL: no memory; else zeros. */
static void *take(Pool *p, Spare **spare, size_t bytes) {
    Spare *s = *spare;
    if (s) *spare = s->next;
    if (s) return memset(s, 0, bytes);
    if (!p->chunks || p->used + bytes > CHUNK) {
        Chunk *c = calloc(1, sizeof *c);
        if (!c) return NULL;
        c->next = p->chunks, p->chunks = c, p->used = 0;
    }
    p->used += bytes;
    return p->chunks->bytes + p->used - bytes;
}

static void give(Spare **spare, void *p) {
    ((Spare *)p)->next = *spare;
    *spare = p;
}

static void drop(Pool *p) {
    for (Chunk *c = p->chunks, *next; c; c = next) next = c->next, free(c);
    *p = (Pool){0};
}

/* ---- shadow memory ---- */

Cell **race_regions;

static void *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

Cell *race_make_cell(uintptr_t p) {
    size_t r = p >> REGION_BITS;
    if (!race_regions) race_regions = reserve(REGIONS * sizeof *race_regions);
    if (!race_regions || r >= REGIONS) return NULL;
    if (!race_regions[r]) race_regions[r] = reserve(((size_t)1 << REGION_BITS) / 4 * sizeof(Cell));
    return race_regions[r] ? race_global_cell(p) : NULL;
}

Cell *race_shared_cell(Order *o, const RtHere *h, uintptr_t p) {
    size_t bytes = (h->shared_bytes / 4 + 1) * sizeof(Cell), i = (p - h->shared) / 4;
    if (bytes > o->shadow_bytes) {
        char *grown = realloc(o->shadow, bytes);
        if (!grown) return NULL;
        memset(grown + o->shadow_bytes, 0, bytes - o->shadow_bytes);
        o->shadow = grown, o->shadow_bytes = bytes;
    }
    return i * sizeof(Cell) < o->shadow_bytes ? (Cell *)o->shadow + i : NULL;
}

void race_drop_cells(void) {
    for (size_t r = 0; race_regions && r < REGIONS; r++) {
        if (race_regions[r]) munmap(race_regions[r], ((size_t)1 << REGION_BITS) / 4 * sizeof(Cell));
        race_regions[r] = NULL;
    }
    drop(&global_pool);
}

static void clear_word(Pool *p, Cell *word) {
    Cell *four = word->more & CELL_SPLIT ? (Cell *)(word->more - CELL_SPLIT) : NULL;
    for (int i = 0; i < 4 && four; i++)
        if (four[i].more) give(&p->strong, (Strong *)four[i].more);
    if (four) give(&p->quarter, four);
    else if (word->more) give(&p->strong, (Strong *)word->more);
    *word = (Cell){0};
}

void race_drop_shadow(Order *o) {
    for (size_t i = 0; i < o->shadow_bytes / sizeof(Cell); i++) clear_word(&shared_pool, (Cell *)o->shadow + i);
    free(o->shadow);
    o->shadow = NULL, o->shadow_bytes = 0;
}

void race_clear_cells(uintptr_t p, size_t bytes) {
    for (uintptr_t at = p & ~(uintptr_t)3; at < p + bytes; at += 4) {
        Cell *word = race_global_cell(at);
        if (word) clear_word(&global_pool, word);
    }
}

static Strong *strong_of(Pool *p, Cell *c) {
    if (!c->more) c->more = (uintptr_t)take(p, &p->strong, sizeof(Strong));
    return (Strong *)c->more;
}

/* The cell of a byte, once the word is split. */
static Cell *part(Pool *p, Cell *word, unsigned byte) {
    if (!(word->more & CELL_SPLIT)) {
        Cell *four = take(p, &p->quarter, 4 * sizeof *four);
        if (!four) return NULL;
        for (int i = 0; i < 4; i++) {
            four[i] = *word, four[i].more = 0;
            Strong *more = word->more ? strong_of(p, &four[i]) : NULL;
            if (more) *more = *(Strong *)word->more;
        }
        if (word->more) give(&p->strong, (Strong *)word->more);
        word->more = (uintptr_t)four + CELL_SPLIT;
    }
    return (Cell *)(word->more - CELL_SPLIT) + byte;
}

/* ---- comparing ---- */

static bool is_live(const Now *n, Stamp s) {
    if (!s) return false;
    uint32_t record = race_record_of(s);
    return n->a->space == RT_SHARED ? record >= n->o->first_record && race_block_of(record) == n->o->block
                                    : race_is_live(record);
}

/* A flag that is polled: the write is an atomic, or volatile after a fence; the read is either. */
static bool is_strong_write(const Access *a) { return a->atomic || (a->is_volatile && a->fenced); }
static bool is_strong_read(const Access *a) { return a->atomic || a->is_volatile; }
static bool is_flag(const Access *write, const Access *read) { return is_strong_write(write) && is_strong_read(read); }

/* The two may meet.  Volatile data is no better than other data: where it is written twice, or without a fence, order
** is due.  Atomics of the block's scope are atomic among themselves in the block alone. */
static bool may_meet(const Now *n, const Access *b, bool wrote) {
    const Access *a = &n->access;
    bool narrow = a->block_scope || b->block_scope;
    if (narrow && race_block_of(b->record) != n->o->block) return false;
    if (a->atomic && b->atomic) return true;
    return !(n->writes && wrote) && (wrote ? is_flag(b, a) : is_flag(a, b));
}

static void compare(const Now *n, Stamp s, bool wrote, uintptr_t at, unsigned bytes) {
    if (n->late || !is_live(n, s)) return;
    Access b = race_unpack(s);
    if (may_meet(n, &b, wrote) || race_before(n->o, n->access.thread, &b, at)) return;
    Hazard z = {.before = b, .after = n->access, .before_writes = wrote, .after_writes = n->writes};
    z.blocks[0] = race_block_of(b.record), z.blocks[1] = n->o->block;
    z.space = n->a->space, z.bytes = bytes, z.memory = (const void *)at;
    z.address = n->a->space == RT_SHARED ? at - n->h->shared : at;
    race_hazard(&z);
}

/* ---- keeping ---- */

/* What it may meet: 0: nothing. */
static int strength(const Access *a, bool writes) {
    bool strong = writes ? is_strong_write(a) : is_strong_read(a);
    return !strong ? 0 : a->block_scope || !a->atomic ? 1 : 2;
}

/* Of two that are kept, the one that goes; -1: neither. */
static int replaced(const Now *n, const Stamp slot[2], const int was[2], int now) {
    if (!slot[0] || !slot[1]) return slot[0] != 0;
    if (was[0] != was[1]) return was[1] > was[0];
    return was[0] < now ? -1 : race_more_alike(slot, n->o->first_record, n->access.thread);
}

/* Keeps two accesses, both weak or both strong. */
static void keep(const Now *n, Stamp slot[2]) {
    int now = strength(&n->access, n->writes), was[2];
    for (int i = 0; i < 2; i++) {
        Access a = race_unpack(slot[i]);
        was[i] = strength(&a, n->writes);
        bool before = is_live(n, slot[i]) && race_before_in_block(n->o, n->access.thread, &a);
        if (before && was[i] < now && a.record == n->access.record && a.clock == n->access.clock) return;
        if (!is_live(n, slot[i]) || (before && was[i] >= now)) slot[i] = 0;
    }
    int i = replaced(n, slot, was, now);
    if (i >= 0) slot[i] = n->stamp;
}

static Pool *pool_of(const Now *n) { return n->a->space == RT_SHARED ? &shared_pool : &global_pool; }

static void keep_access(const Now *n, Cell *c) {
    bool strong = strength(&n->access, n->writes) > 0;
    Strong *more = strong ? strong_of(pool_of(n), c) : (Strong *)c->more;
    if (strong && more) keep(n, n->writes ? more->write : more->read);
    if (strong) return;
    if (!n->writes) {
        keep(n, c->read);
        return;
    }
    c->write = n->stamp, c->read[0] = c->read[1] = 0;
    if (more) *more = (Strong){0};
}

static void access_cell(const Now *n, Cell *c, uintptr_t at, unsigned bytes) {
    const Strong *more = (const Strong *)c->more;
    compare(n, c->write, true, at, bytes);
    for (int i = 0; i < 2 && more; i++) compare(n, more->write[i], true, at, bytes);
    for (int i = 0; i < 2 && n->writes; i++) compare(n, c->read[i], false, at, bytes);
    for (int i = 0; i < 2 && n->writes && more; i++) compare(n, more->read[i], false, at, bytes);
    keep_access(n, c);
}

void race_access_word(const Now *n, Cell *word, uintptr_t at, unsigned bytes) {
    if (bytes == 4 && !(word->more & CELL_SPLIT)) {
        access_cell(n, word, at, 4);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        Cell *c = part(pool_of(n), word, (unsigned)(at + i) & 3);
        if (c) access_cell(n, c, at + i, 1);
    }
}
