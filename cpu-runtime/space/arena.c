/* arena.c: which parts of some address ranges are in use.
**
** Its tables are apart from the memory, which it never touches: whatever is written there cannot break them.  Free
** blocks are listed by classes of size, eight to each power of two, with a bit for each class that has one
** (two-level segregated fit): taking and giving back cost the same for any number of blocks.  Neighbours that are
** free become one. */
#include "space/arena.h"
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define FREE 0x80000000u

static uint32_t range_of(uint32_t index) { return index >> RT_ARENA_BITS; }

static RtUnit *unit(const RtArena *a, uint32_t index) {
    return &a->units[range_of(index)][index & (RT_ARENA_UNITS - 1)];
}

char *rt_arena_address(const RtArena *a, uint32_t index) {
    return a->ranges[range_of(index)] + ((size_t)(index & (RT_ARENA_UNITS - 1)) << a->shift);
}

uint32_t *rt_arena_link(const RtArena *a, uint32_t index) { return &unit(a, index)->next; }

/* ---- classes ---- */

static unsigned class_of(uint32_t n) {
    if (n < 8) return n;
    unsigned log = 31 - (unsigned)__builtin_clz(n);
    return 8 * (log - 2) + (n >> (log - 3) & 7);
}

/* The first of which each block has n units. */
static unsigned class_for(uint32_t n) {
    return n < 8 ? n : class_of(n + (1u << (28 - (unsigned)__builtin_clz(n))) - 1);
}

static void list(RtArena *a, uint32_t index) {
    RtUnit *u = unit(a, index);
    unsigned c = class_of(u->size);
    u->size |= FREE;
    u->previous = 0;
    u->next = a->first[c];
    if (u->next) unit(a, u->next - 1)->previous = index + 1;
    a->first[c] = index + 1;
    a->some[c / 64] |= (uint64_t)1 << c % 64;
}

static void unlist(RtArena *a, uint32_t index) {
    RtUnit *u = unit(a, index);
    u->size &= ~FREE;
    unsigned c = class_of(u->size);
    if (u->next) unit(a, u->next - 1)->previous = u->previous;
    if (u->previous) unit(a, u->previous - 1)->next = u->next;
    else if (!(a->first[c] = u->next)) a->some[c / 64] &= ~((uint64_t)1 << c % 64);
}

/* Of a class from c on, else RT_NO_UNIT. */
static uint32_t find_free(const RtArena *a, unsigned c) {
    for (unsigned w = c / 64; c < RT_ARENA_CLASSES; c = ++w * 64) {
        uint64_t bits = a->some[w] & UINT64_MAX << c % 64;
        if (bits) return a->first[w * 64 + (unsigned)__builtin_ctzll(bits)] - 1;
    }
    return RT_NO_UNIT;
}

/* ---- blocks ---- */

/* The block after this one, or NULL at the end of the range. */
static RtUnit *following(const RtArena *a, uint32_t index) {
    uint32_t at = (index & (RT_ARENA_UNITS - 1)) + (unit(a, index)->size & ~FREE);
    return at < a->sizes[range_of(index)] ? &a->units[range_of(index)][at] : NULL;
}

static void resize(RtArena *a, uint32_t index, uint32_t units) {
    unit(a, index)->size = units;
    RtUnit *next = following(a, index);
    if (next) next->before = units;
}

uint32_t rt_arena_take(RtArena *a, uint32_t units) {
    uint32_t index = units && units <= RT_ARENA_UNITS ? find_free(a, class_for(units)) : RT_NO_UNIT;
    if (index == RT_NO_UNIT) return index;
    unlist(a, index);
    uint32_t rest = unit(a, index)->size - units;
    if (rest) {
        resize(a, index + units, rest);
        resize(a, index, units);
        list(a, index + units);
    }
    if (a->idle == range_of(index) + 1) a->idle = 0;
    return index;
}

uint32_t rt_arena_give(RtArena *a, uint32_t index) {
    RtUnit *u = unit(a, index), *next = following(a, index);
    uint32_t units = u->size, range = range_of(index);
    if (next && next->size & FREE) {
        unlist(a, index + units);
        units += next->size;
    }
    if (u->before && unit(a, index - u->before)->size & FREE) {
        index -= u->before;
        unlist(a, index);
        units += unit(a, index)->size;
    }
    resize(a, index, units);
    list(a, index);
    if (units < a->sizes[range]) return RT_NO_UNIT;
    if (a->idle) return range;
    a->idle = range + 1;
    return RT_NO_UNIT;
}

/* ---- ranges ---- */

static size_t table_bytes(uint32_t units) { return units * sizeof(RtUnit); }

bool rt_arena_add(RtArena *a, char *base, uint32_t units) {
    uint32_t r = 0;
    while (r < a->nranges && a->units[r]) r++;
    if (r == RT_ARENA_RANGES) return false;
    RtUnit *table =
        mmap(NULL, table_bytes(units), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) return false;
    if (r == a->nranges) a->nranges++;
    a->ranges[r] = base;
    a->units[r] = table;
    a->sizes[r] = units;
    table[0] = (RtUnit){.size = units};
    list(a, r << RT_ARENA_BITS);
    if (!a->idle) a->idle = r + 1;
    return true;
}

void rt_arena_remove(RtArena *a, uint32_t range) {
    unlist(a, range << RT_ARENA_BITS);
    if (a->idle == range + 1) a->idle = 0;
    munmap(a->units[range], table_bytes(a->sizes[range]));
    a->units[range] = NULL;
}

void rt_arena_clear(RtArena *a) {
    for (uint32_t r = 0; r < a->nranges; r++)
        if (a->units[r]) munmap(a->units[r], table_bytes(a->sizes[r]));
    memset(a->units, 0, a->nranges * sizeof *a->units);
    memset(a->first, 0, sizeof a->first);
    memset(a->some, 0, sizeof a->some);
    a->nranges = a->idle = 0;
}
