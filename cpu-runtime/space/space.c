/* space.c: where device memory lies: in address ranges of its own, apart from the host's heap.
**
** A kernel that writes past its memory, or to memory that is free, must not break the host's.  Blocks below MAP_FROM
** lie in ranges that nothing else uses, with a gap after each.  Bigger ones are pages of their own (zeros, huge
** where possible, spread over the NUMA nodes) in ranges whose other pages cannot be accessed: there are such pages
** between them, and free blocks are. Next to a block there are MARGIN bytes that can be accessed: stencils read a row
** before their array and one after it, and choose another value then; the pages of a GPU have 2 MiB, and let them.
** Shared memory and the frames of blocks end at a page that cannot be accessed.
** With CUCPU_GUARD=1 each block is pages of its own that end where it does, as far as alignment allows. */
#define _GNU_SOURCE
#include "space/space.h"
#include "base/env.h"
#include "base/limits.h"
#include "host/topo.h"
#include "space/arena.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum {
    MAP_FROM = 1 << 20,
    SMALL_SHIFT = 9,
    BIG_SHIFT = 16,
    GUARD = 1 << BIG_SHIFT,
    MARGIN = 1 << BIG_SHIFT,
    HUGE_PAGE = 1 << 21,
    SMALL_RANGE = 1 << 26
};
enum { OWN, BIG, SMALL, GUARDED }; /* RtLocation.arena */
_Static_assert(1 << SMALL_SHIFT == RT_ALIGN, "blocks begin at units");

static RtArena small = {.shift = SMALL_SHIFT}, big = {.shift = BIG_SHIFT};

/* Pages that cannot be accessed, instead of what is at that address, if it is not NULL. */
static void *map(void *at, size_t bytes) {
    void *p = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- pages ---- */

/* What can be accessed of a block: one of half a huge page or more has the whole of it. */
static size_t open_bytes(size_t bytes) { return bytes >= MAP_FROM && bytes < HUGE_PAGE ? HUGE_PAGE : bytes; }

static bool open_pages(char *p, size_t bytes) { return !mprotect(p, bytes, PROT_READ | PROT_WRITE); }

static bool open_block(char *p, size_t bytes) { return open_pages(p - MARGIN, bytes + 2 * MARGIN); }

/* A smaller range, where addresses are limited. */
static bool add_big_range(void) {
    for (uint32_t units = RT_ARENA_UNITS; units >= RT_ARENA_UNITS >> 8; units >>= 2) {
        char *p = map(NULL, (size_t)units << BIG_SHIFT);
        if (p && rt_arena_add(&big, p, units)) return true;
        if (p) munmap(p, (size_t)units << BIG_SHIFT);
    }
    return false;
}

/* Units with both margins and one that stays free after them, and enough to begin at a huge page. */
static size_t big_units(size_t bytes) {
    size_t align = bytes < HUGE_PAGE ? 0 : (HUGE_PAGE >> BIG_SHIFT) - 1;
    return (bytes >> BIG_SHIFT) + 2 + 2 * (MARGIN >> BIG_SHIFT) + align;
}

static char *big_address(uint32_t location, size_t bytes) {
    uintptr_t p = (uintptr_t)rt_arena_address(&big, location) + MARGIN;
    return (char *)(bytes < HUGE_PAGE ? p : RT_ROUND(p, (uintptr_t)HUGE_PAGE));
}

static size_t own_bytes(size_t bytes) { return RT_ROUND(bytes, (size_t)GUARD) + 2 * MARGIN + GUARD; }

/* With a page after it that cannot be accessed. */
static char *map_own(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    char *p = map(NULL, own_bytes(bytes));
    if (p && open_block(p + MARGIN, bytes)) return p + MARGIN;
    if (p) munmap(p, own_bytes(bytes));
    return NULL;
}

static char *get_pages(size_t bytes, RtLocation *location) {
    bytes = open_bytes(bytes);
    size_t units = big_units(bytes);
    uint32_t at = units <= RT_ARENA_UNITS / 2 ? rt_arena_take(&big, (uint32_t)units) : RT_NO_UNIT;
    if (at == RT_NO_UNIT && units <= RT_ARENA_UNITS / 2 && add_big_range()) at = rt_arena_take(&big, (uint32_t)units);
    *location = at == RT_NO_UNIT ? (RtLocation){0, OWN} : (RtLocation){at, BIG};
    if (at == RT_NO_UNIT) return map_own(bytes);
    char *p = big_address(at, bytes);
    if (open_block(p, bytes)) return p;
    rt_arena_give(&big, at);
    return NULL;
}

/* The pages are the system's again; their addresses are not free yet. */
static void release_pages(char *p, size_t bytes, RtLocation location) {
    bytes = open_bytes(bytes);
    if (location.arena == BIG) map(p - MARGIN, bytes + 2 * MARGIN);
    else munmap(p - MARGIN, own_bytes(bytes));
}

void *rt_space_map(size_t bytes, int fd, uint64_t offset, RtLocation *location) {
    char *p = get_pages(bytes, location);
    if (p && mmap(p, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) != MAP_FAILED) return p;
    if (p) release_pages(p, bytes, *location);
    if (p && location->arena == BIG) rt_arena_give(&big, location->index);
    return NULL;
}

/* ---- small blocks ---- */

static RtLocation small_ranges[RT_ARENA_RANGES];

static bool add_small_range(void) {
    for (size_t bytes = SMALL_RANGE; bytes >= 2 * MAP_FROM; bytes >>= 2) {
        RtLocation location;
        char *p = get_pages(bytes, &location);
        if (!p) continue;
        if (rt_arena_add(&small, p, (uint32_t)(bytes >> SMALL_SHIFT))) {
            for (uint32_t r = 0; r < small.nranges; r++)
                if (small.ranges[r] == p) small_ranges[r] = location;
            ASAN_POISON_MEMORY_REGION(p, bytes);
            return true;
        }
        release_pages(p, bytes, location);
        if (location.arena == BIG) rt_arena_give(&big, location.index);
        return false;
    }
    return false;
}

static void drop_small_range(uint32_t r) {
    size_t bytes = (size_t)small.sizes[r] << SMALL_SHIFT;
    rt_arena_remove(&small, r);
    ASAN_UNPOISON_MEMORY_REGION(small.ranges[r], bytes);
    release_pages(small.ranges[r], bytes, small_ranges[r]);
    if (small_ranges[r].arena == BIG) rt_arena_give(&big, small_ranges[r].index);
    small.ranges[r] = NULL;
}

static char *get_small(size_t bytes, RtLocation *location) {
    uint32_t units = (uint32_t)((bytes + RT_ALIGN - 1) >> SMALL_SHIFT) + 1; /* the last one is the gap */
    uint32_t at = rt_arena_take(&small, units);
    if (at == RT_NO_UNIT && add_small_range()) at = rt_arena_take(&small, units);
    if (at == RT_NO_UNIT) return NULL;
    *location = (RtLocation){at, SMALL};
    char *p = rt_arena_address(&small, at);
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

/* ---- guarded blocks ---- */

enum { PAGE = 4096, GUARDED_ALIGN = 256 };

static size_t guarded_pages(size_t bytes) { return RT_ROUND(bytes, (size_t)PAGE); }
static char *guarded_start(char *p, size_t bytes) {
    return p + RT_ROUND(bytes, (size_t)GUARDED_ALIGN) - guarded_pages(bytes) - GUARD;
}

static void *get_guarded(size_t bytes, RtLocation *location) {
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t pages = guarded_pages(bytes);
    char *p = map(NULL, pages + 2 * GUARD);
    if (!p) return NULL;
    *location = (RtLocation){0, GUARDED};
    if (open_pages(p + GUARD, pages)) return p + GUARD + pages - RT_ROUND(bytes, (size_t)GUARDED_ALIGN);
    munmap(p, pages + 2 * GUARD);
    return NULL;
}

/* Nothing else will lie there: uses after free are faults. */
static void release_guarded(char *p, size_t bytes) { map(guarded_start(p, bytes), guarded_pages(bytes) + 2 * GUARD); }

/* ---- bases ---- */

enum { STAGGER = 3 * RT_ALIGN };

/* Where in its first page a big block begins.  Blocks that all begin at a page would compete for the same sets of
** the first-level cache, and stores of one would delay loads of another with the same low 12 bits. */
static size_t next_shift(void) {
    static size_t shift;
    size_t now = shift;
    shift = (shift + STAGGER) % PAGE;
    return now;
}

static size_t shift_of(const void *p, RtLocation location) { return location.arena == SMALL ? 0 : (uintptr_t)p % PAGE; }

/* ---- memory for other processes ---- */

enum { WINDOW = 1 << 16 };

/* A range of small blocks, or a big one, of which some windows are those of a file. */
typedef struct Shared {
    struct Shared *next;
    RtLocation of; /* small: the number of the range */
    char *base;
    size_t bytes;
    int fd;
    bool done[];
} Shared;
static Shared *shared;

static Shared *share(RtLocation of, char *base, size_t bytes) {
    for (Shared *s = shared; s; s = s->next)
        if (s->of.index == of.index && s->of.arena == of.arena) return s;
    Shared *s = calloc(1, sizeof *s + bytes / WINDOW + 1);
    int fd = s ? memfd_create("cucpu-memory", MFD_CLOEXEC) : -1;
    if (fd < 0 || ftruncate(fd, (off_t)bytes)) {
        if (fd >= 0) close(fd);
        free(s);
        return NULL;
    }
    s->next = shared, s->of = of, s->base = base, s->bytes = bytes, s->fd = fd;
    return shared = s;
}

static void unshare(RtLocation of) {
    Shared **at = &shared;
    while (*at && ((*at)->of.index != of.index || (*at)->of.arena != of.arena)) at = &(*at)->next;
    Shared *s = *at;
    if (!s) return;
    *at = s->next;
    close(s->fd);
    free(s);
}

/* Its bytes go to the file, which then lies there. */
static bool share_window(Shared *s, size_t w) {
    size_t at = w * WINDOW, n = s->bytes - at < WINDOW ? s->bytes - at : WINDOW;
    if (s->done[w]) return true;
    for (size_t k = 0; k < n;) { /* not by pwrite(), of which sanitizers look at the operands */
        long m = syscall(SYS_pwrite64, s->fd, s->base + at + k, n - k, at + k);
        if (m <= 0) return false;
        k += (size_t)m;
    }
    return s->done[w] =
               mmap(s->base + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, s->fd, (off_t)at) != MAP_FAILED;
}

int rt_space_share(void *p, size_t bytes, RtLocation location, uint64_t *offset) {
    uint32_t r = location.index >> RT_ARENA_BITS;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), shift = shift_of(p, location);
    Shared *s = location.arena == SMALL
                    ? share((RtLocation){r, SMALL}, small.ranges[r], (size_t)small.sizes[r] << SMALL_SHIFT)
                : location.arena == BIG ? share(location, (char *)p - shift, RT_ROUND(bytes + shift, page))
                                        : NULL;
    if (!s) return -1;
    *offset = (uint64_t)((char *)p - s->base);
    for (size_t w = *offset / WINDOW; w <= (*offset + bytes - 1) / WINDOW; w++)
        if (!share_window(s, w)) return -1;
    return s->fd;
}

/* ---- of alloc.c ---- */

void *rt_space_take(size_t bytes, bool staggered, bool guarded, RtLocation *location) {
    if (rt_env()->guard) return get_guarded(bytes, location);
    char *p = guarded ? get_guarded(bytes, location) : NULL;
    if (p) return p;
    p = bytes < MAP_FROM ? get_small(bytes, location) : NULL;
    if (p || bytes < MAP_FROM) return p ? p : get_pages(bytes, location);
    size_t shift = staggered ? next_shift() : 0;
    p = get_pages(bytes + shift, location);
    if (!p) return NULL;
    madvise(p, open_bytes(bytes + shift), MADV_HUGEPAGE);
    rt_spread_memory(p, bytes + shift);
    return p + shift;
}

void rt_space_release(void *p, size_t bytes, RtLocation location) {
    if (location.arena == GUARDED) {
        release_guarded(p, bytes);
        return;
    }
    size_t shift = shift_of(p, location);
    if (location.arena != SMALL) release_pages((char *)p - shift, bytes + shift, location);
    else ASAN_POISON_MEMORY_REGION(p, bytes);
}

void rt_space_give(RtLocation location) {
    if (location.arena == BIG) {
        unshare(location);
        rt_arena_give(&big, location.index);
    }
    uint32_t range = location.arena == SMALL ? rt_arena_give(&small, location.index) : RT_NO_UNIT;
    if (range == RT_NO_UNIT) return;
    unshare((RtLocation){range, SMALL});
    drop_small_range(range);
}

void rt_space_trim(void) {
    if (!small.idle) return;
    unshare((RtLocation){small.idle - 1, SMALL});
    drop_small_range(small.idle - 1);
}

/* ---- of workers ---- */

static size_t guarded_bytes(size_t bytes) { return RT_ROUND(bytes, (size_t)GUARD) + 2 * GUARD; }

void *rt_guarded_take(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    char *p = map(NULL, guarded_bytes(bytes));
    if (!p) return NULL;
    if (open_pages(p + GUARD, guarded_bytes(bytes) - 2 * GUARD))
        return p + guarded_bytes(bytes) - GUARD - RT_ROUND(bytes, (size_t)RT_BLOCK_ALIGN);
    munmap(p, guarded_bytes(bytes));
    return NULL;
}

void rt_guarded_give(void *p, size_t bytes) {
    if (p)
        munmap((char *)p + RT_ROUND(bytes, (size_t)RT_BLOCK_ALIGN) + GUARD - guarded_bytes(bytes),
               guarded_bytes(bytes));
}
