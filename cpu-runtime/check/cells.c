/* cells.c: what is kept of the accesses of a word, and what an access is compared with.
**
** A weak access, which is neither atomic nor of a flag, races with all that it is not ordered with; strong ones may
** meet.  So a strong access never takes the place of a weaker one that is before it. */
#define _GNU_SOURCE
#include "check/cells.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- what is given back and taken again ---- */

enum { CHUNK = 1 << 16, PARTS = 16 }; /* PARTS: cells of the bytes of 4 words */
typedef struct Chunk {
    struct Chunk *next;
    _Alignas(16) char bytes[CHUNK];
} Chunk;
typedef struct Spare {
    struct Spare *next;
} Spare;
typedef struct Piece { /* cells that follow each other, all 0 */
    struct Piece *next;
    Cell *first;
    size_t words;
} Piece;
typedef struct Region { /* of cells that are not those of global memory */
    struct Region *next;
    Cell *first;
    size_t used;
} Region;
typedef struct Pool {
    Chunk *chunks;
    size_t used; /* of the first */
    Spare *strong;
    Piece *pieces; /* given back */
    Region *regions;
} Pool;
static Pool global_pool, shared_pool; /* for cells of global and shared memory */

/* NULL: no memory; else zeros. */
static Strong *take_strong(Pool *p) {
    Spare *s = p->strong;
    if (s) p->strong = s->next;
    if (s) return memset(s, 0, sizeof(Strong));
    if (!p->chunks || p->used + sizeof(Strong) > CHUNK) {
        Chunk *c = calloc(1, sizeof *c);
        if (!c) return NULL;
        c->next = p->chunks, p->chunks = c, p->used = 0;
    }
    p->used += sizeof(Strong);
    return (Strong *)(p->chunks->bytes + p->used - sizeof(Strong));
}

static void give_strong(Pool *p, Strong *s) {
    ((Spare *)s)->next = p->strong;
    p->strong = (Spare *)s;
}

static void *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static Cell *reserve_region(void) {
    Cell *c = reserve(4 * RACE_PLANE);
    if (c) madvise(c, 4 * RACE_PLANE, MADV_HUGEPAGE);
    return c;
}

static Cell *take_cells(Pool *p, size_t words) {
    for (Piece **at = &p->pieces; *at; at = &(*at)->next) {
        Piece *piece = *at;
        if (piece->words != words) continue;
        Cell *first = piece->first;
        *at = piece->next;
        free(piece);
        return first;
    }
    if (words > RACE_WORDS) return NULL;
    if (!p->regions || p->regions->used + words > RACE_WORDS) {
        Region *r = calloc(1, sizeof *r);
        if (!r || !(r->first = reserve_region())) return free(r), NULL;
        r->next = p->regions, p->regions = r;
    }
    p->regions->used += words;
    return race_cell_of(p->regions->first, p->regions->used - words);
}

static void give_cells(Pool *p, Cell *first, size_t words) {
    Piece *piece = malloc(sizeof *piece);
    if (!piece) return;
    *piece = (Piece){p->pieces, first, words};
    p->pieces = piece;
}

static void drop(Pool *p) {
    for (Chunk *c = p->chunks, *next; c; c = next) next = c->next, free(c);
    for (Piece *c = p->pieces, *next; c; c = next) next = c->next, free(c);
    for (Region *r = p->regions, *next; r; r = next) next = r->next, munmap(r->first, 4 * RACE_PLANE), free(r);
    *p = (Pool){0};
}

/* ---- words that are accessed by parts ---- */

static Cell *parts_of(const Cell *word) {
    return word->more.s & CELL_SPLIT ? (Cell *)(uintptr_t)(word->more.s - CELL_SPLIT) : NULL;
}

static unsigned index_of(const Cell *word) { return (unsigned)((uintptr_t)word / sizeof(Stamp) % 4); }

/* Cells of the bytes of four words, of which one has them. */
static Cell *parts_of_four(Cell *word) {
    Cell *first = (Cell *)((Stamp *)word - index_of(word)), *parts = NULL;
    for (unsigned i = 0; i < 4 && !parts; i++) parts = parts_of(race_cell_of(first, i));
    return parts;
}

static void clear_word(Pool *p, Cell *word) {
    Cell *parts = parts_of(word);
    for (unsigned i = 0; i < 4 && parts; i++) {
        Cell *c = race_cell_of(parts, index_of(word) * 4 + i);
        if (c->more.s) give_strong(p, race_strong(c));
        c->write.s = c->read[0].s = c->read[1].s = c->more.s = 0;
    }
    if (word->more.s && !parts) give_strong(p, race_strong(word));
    if (word->more.s) word->more.s = 0;
    word->write.s = word->read[0].s = word->read[1].s = 0;
    if (parts && !parts_of_four(word)) give_cells(p, parts, PARTS);
}

/* ---- shadow memory ---- */

Cell **race_regions;

Cell *race_make_cell(uintptr_t p) {
    size_t r = p >> REGION_BITS;
    if (!race_regions) race_regions = reserve(REGIONS * sizeof *race_regions);
    if (!race_regions || r >= REGIONS) return NULL;
    if (!race_regions[r]) race_regions[r] = reserve_region();
    return race_regions[r] ? race_global_cell(p) : NULL;
}

Cell *race_shared_cell(Order *o, const RtHere *h, uintptr_t p) {
    size_t words = (h->shared_bytes / 16 + 1) * 4, word = (p - h->shared) / 4;
    if (words > o->shadow_words) {
        Cell *grown = take_cells(&shared_pool, words);
        if (!grown) return NULL;
        for (size_t i = 0; i < o->shadow_words; i++) {
            Cell *from = race_cell_of(o->shadow, i), *to = race_cell_of(grown, i);
            to->write.s = from->write.s, to->more.s = from->more.s;
            to->read[0].s = from->read[0].s, to->read[1].s = from->read[1].s;
            from->write.s = from->read[0].s = from->read[1].s = from->more.s = 0;
        }
        if (o->shadow) give_cells(&shared_pool, o->shadow, o->shadow_words);
        o->shadow = grown, o->shadow_words = words;
    }
    return word < o->shadow_words ? race_cell_of(o->shadow, word) : NULL;
}

void race_drop_cells(void) {
    for (size_t r = 0; race_regions && r < REGIONS; r++) {
        if (race_regions[r]) munmap(race_regions[r], 4 * RACE_PLANE);
        race_regions[r] = NULL;
    }
    drop(&global_pool);
}

void race_drop_shadow(Order *o) {
    for (size_t i = 0; i < o->shadow_words; i++) clear_word(&shared_pool, race_cell_of(o->shadow, i));
    if (o->shadow) give_cells(&shared_pool, o->shadow, o->shadow_words);
    o->shadow = NULL, o->shadow_words = 0;
}

/* ---- memory that is given to others ---- */

static void clear_words(uintptr_t from, uintptr_t to) {
    for (uintptr_t at = from & ~(uintptr_t)3; at < to; at += 4) {
        Cell *word = race_global_cell(at);
        if (word) clear_word(&global_pool, word);
    }
}

/* Pages of shadow memory, of one region: what nobody has touched is 0.  What is not in core may be elsewhere. */
enum {
    PAGE = 4096,
    PAGE_OF = PAGE / sizeof(Stamp) * 4,
    PAGES = 1024,
    PLANES = 4
}; /* PAGE_OF: bytes with cells there */

static void clear_pages(uintptr_t from, size_t n) {
    unsigned char in[PLANES][PAGES];
    char *first = (char *)race_global_cell(from);
    for (size_t k = 0; k < PLANES && first; k++)
        if (mincore(first + k * RACE_PLANE, n * PAGE, in[k])) first = NULL;
    for (size_t i = 0, next; i < n; i = next) {
        bool touched = !first;
        for (int k = 0; k < PLANES && first; k++) touched |= in[k][i] & 1;
        next = i + 1;
        if (touched) clear_words(from + i * PAGE_OF, from + next * PAGE_OF);
        if (touched) continue;
        while (next < n && !((in[0][next] | in[1][next] | in[2][next] | in[3][next]) & 1)) next++;
        for (size_t k = 0; k < PLANES; k++)
            madvise(first + k * RACE_PLANE + i * PAGE, (next - i) * PAGE, MADV_DONTNEED);
    }
}

void race_clear_cells(uintptr_t p, size_t bytes) {
    for (uintptr_t end = p + bytes, next; p < end; p = next) {
        uintptr_t region = ((p >> REGION_BITS) + 1) << REGION_BITS, most = p + (uintptr_t)PAGES * PAGE_OF;
        next = end / PAGE_OF * PAGE_OF;
        next = next > most ? most : next;
        next = next > region ? region : next;
        if (p % PAGE_OF == 0 && next > p) {
            clear_pages(p, (next - p) / PAGE_OF);
            continue;
        }
        next = (p / PAGE_OF + 1) * PAGE_OF;
        next = next > end ? end : next;
        clear_words(p, next);
    }
}

static Strong *strong_of(Pool *p, Cell *c) {
    if (!c->more.s) c->more.s = (uintptr_t)take_strong(p);
    return race_strong(c);
}

/* The cell of a byte, once the word is split. */
static Cell *part(Pool *p, Cell *word, unsigned byte) {
    Cell *parts = parts_of(word);
    unsigned first = index_of(word) * 4;
    if (parts) return race_cell_of(parts, first + byte);
    parts = parts_of_four(word);
    if (!parts) parts = take_cells(p, PARTS);
    if (!parts) return NULL;
    for (unsigned i = 0; i < 4; i++) {
        Cell *c = race_cell_of(parts, first + i);
        c->write.s = word->write.s, c->read[0].s = word->read[0].s, c->read[1].s = word->read[1].s;
        Strong *more = word->more.s ? strong_of(p, c) : NULL;
        if (more) *more = *race_strong(word);
    }
    if (word->more.s) give_strong(p, race_strong(word));
    word->more.s = (uintptr_t)parts + CELL_SPLIT;
    return race_cell_of(parts, first + byte);
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
    Strong *more = strong ? strong_of(pool_of(n), c) : race_strong(c);
    if (strong && more) keep(n, n->writes ? more->write : more->read);
    if (strong) return;
    if (!n->writes) {
        Stamp slot[2] = {c->read[0].s, c->read[1].s};
        keep(n, slot);
        c->read[0].s = slot[0], c->read[1].s = slot[1];
        return;
    }
    c->write.s = n->stamp, c->read[0].s = c->read[1].s = 0;
    if (more) *more = (Strong){0};
}

static void access_cell(const Now *n, Cell *c, uintptr_t at, unsigned bytes) {
    const Strong *more = race_strong(c);
    compare(n, c->write.s, true, at, bytes);
    for (int i = 0; i < 2 && more; i++) compare(n, more->write[i], true, at, bytes);
    for (int i = 0; i < 2 && n->writes; i++) compare(n, c->read[i].s, false, at, bytes);
    for (int i = 0; i < 2 && n->writes && more; i++) compare(n, more->read[i], false, at, bytes);
    keep_access(n, c);
}

void race_access_word(const Now *n, Cell *word, uintptr_t at, unsigned bytes) {
    if (bytes == 4 && !(word->more.s & CELL_SPLIT)) {
        access_cell(n, word, at, 4);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        Cell *c = part(pool_of(n), word, (unsigned)(at + i) & 3);
        if (c) access_cell(n, c, at + i, 1);
    }
}
