/* heap.c: malloc and free of device code: the device heap, whose size is cudaLimitMallocHeapSize.
**
** Its memory is apart from the C library's, in ranges that only it uses: several, so that workers seldom meet.  What
** is counted against the limit is what kernels requested.  Each block is preceded by a head by which free recognises
** it: what is not such a block, or is one no more, or has a head that was overwritten, ends the kernel.
** cudaDeviceReset makes the heap empty; of blocks that kernels have left those with pages of their own are kept, but
** count no more. */
#include "exec/heap.h"
#include "base/limits.h"
#include "space/arena.h"
#include "space/space.h"
#include "exec/worker.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARDS = 16,
    OWN = SHARDS,
    UNIT_SHIFT = 5,
    RANGE = RT_ARENA_UNITS << UNIT_SHIFT,
    HEAD = 16,
    LARGE = RANGE / 8,
    SMALL = 32,
    AT_ONCE = 64
};
#define MAX_BYTES ((uint64_t)1 << 40)

typedef struct Head {                          /* right before the block, keeps it at a multiple of 16 */
    uint64_t bytes : 41, shift : 6, shard : 5; /* the block lies at a multiple of 2^shift */
    uint32_t index; /* in the arena; of memory of its own: how far before the block it begins, in 16 bytes */
    uint32_t mark;
} Head;
_Static_assert(sizeof(Head) == HEAD, "blocks follow it");

typedef struct Shard {
    pthread_mutex_t lock;
    /* Small blocks, by their units: parts of larger ones, which stay so until a reset. */
    uint32_t freed[SMALL + 1];                  /* index + 1; a list */
    uint32_t fresh[SMALL + 1], left[SMALL + 1]; /* the next index that was never taken, how many there are */
    RtArena arena;
} Shard;

static Shard shards[SHARDS] = {
    [0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER, .arena = {.shift = UNIT_SHIFT}}};
static _Atomic uint64_t in_use, generation;
static _Atomic bool touched;

static uint32_t mark_of(const Head *h) {
    uint64_t v = (uintptr_t)h ^ 0xc0ffee5eed00d1e5u;
    v = (v + h->bytes) * 0x9e3779b97f4a7c15u + ((uint64_t)h->shift << 8 | h->shard);
    v = (v ^ v >> 31) * 0xbf58476d1ce4e5b9u + h->index + generation;
    return (uint32_t)(v >> 32 ^ v) | 1;
}

bool rt_heap_touched(void) { return touched; }

void rt_reset_heap(void) {
    atomic_fetch_add(&generation, 1);
    atomic_store(&in_use, 0);
    if (!atomic_exchange(&touched, false)) return;
    for (int i = 0; i < SHARDS; i++) {
        RtArena *a = &shards[i].arena;
        pthread_mutex_lock(&shards[i].lock);
        for (uint32_t r = 0; r < a->nranges; r++)
            if (a->units[r]) rt_guarded_give(a->ranges[r], RANGE);
        rt_arena_clear(a);
        memset(shards[i].freed, 0, sizeof shards[i].freed);
        memset(shards[i].left, 0, sizeof shards[i].left);
        pthread_mutex_unlock(&shards[i].lock);
    }
}

void *cucpu_local_malloc(uint64_t bytes) {
    rt_hold_signals(true);
    void *p = malloc(bytes);
    rt_hold_signals(false);
    return p;
}

void cucpu_local_free(void *p) {
    rt_hold_signals(true);
    free(p);
    rt_hold_signals(false);
}

/* ---- memory ---- */

static uint32_t units_of(uint64_t bytes) { return (uint32_t)(bytes + (1 << UNIT_SHIFT) - 1) >> UNIT_SHIFT; }

static uint32_t take_arena(Shard *s, uint32_t units) {
    uint32_t index = rt_arena_take(&s->arena, units);
    char *range = index == RT_NO_UNIT ? rt_guarded_take(RANGE) : NULL;
    if (range && rt_arena_add(&s->arena, range, RT_ARENA_UNITS)) return rt_arena_take(&s->arena, units);
    if (range) rt_guarded_give(range, RANGE);
    return index;
}

static uint32_t take_small(Shard *s, uint32_t units) {
    uint32_t index = s->freed[units] - 1;
    if (s->freed[units]) {
        s->freed[units] = *rt_arena_link(&s->arena, index);
        return index;
    }
    if (!s->left[units]) {
        if ((s->fresh[units] = take_arena(s, AT_ONCE * units)) == RT_NO_UNIT) return RT_NO_UNIT;
        s->left[units] = AT_ONCE;
    }
    index = s->fresh[units];
    s->fresh[units] += units;
    s->left[units]--;
    return index;
}

static void give_small(Shard *s, uint32_t units, uint32_t index) {
    *rt_arena_link(&s->arena, index) = s->freed[units];
    s->freed[units] = index + 1;
}

static char *take_units(Shard *s, uint32_t units, uint32_t *index) {
    pthread_mutex_lock(&s->lock);
    *index = units <= SMALL ? take_small(s, units) : take_arena(s, units);
    char *p = *index == RT_NO_UNIT ? NULL : rt_arena_address(&s->arena, *index);
    pthread_mutex_unlock(&s->lock);
    return p;
}

static void give_units(Shard *s, uint32_t units, uint32_t index) {
    uint32_t range = RT_NO_UNIT;
    pthread_mutex_lock(&s->lock);
    if (units <= SMALL) give_small(s, units, index);
    else range = rt_arena_give(&s->arena, index);
    char *p = range == RT_NO_UNIT ? NULL : s->arena.ranges[range];
    if (p) rt_arena_remove(&s->arena, range);
    pthread_mutex_unlock(&s->lock);
    if (p) rt_guarded_give(p, RANGE);
}

static uint64_t with_head(uint64_t bytes, unsigned shift) {
    return HEAD + bytes + (shift > 4 ? (uint64_t)1 << shift : 0);
}

/* Signals are held: no lock may be left held. */
static Head *allocate(uint64_t bytes, unsigned shift) {
    uint64_t all = with_head(bytes, shift);
    Head found = {.bytes = bytes, .shift = shift, .shard = all < LARGE ? cucpu_smid() % SHARDS : OWN};
    rt_hold_signals(true);
    char *p = found.shard == OWN ? rt_guarded_take(all) : take_units(&shards[found.shard], units_of(all), &found.index);
    rt_hold_signals(false);
    if (!p) return NULL;
    Head *h = (Head *)RT_ROUND((uintptr_t)p + HEAD, (uintptr_t)1 << shift) - 1;
    if (found.shard == OWN) found.index = (uint32_t)(((char *)(h + 1) - p) / 16);
    *h = found;
    h->mark = mark_of(h);
    return h;
}

static void release(const Head *h, const char *block) {
    rt_hold_signals(true);
    if (h->shard == OWN)
        rt_guarded_give((void *)(uintptr_t)(block - (size_t)h->index * 16), with_head(h->bytes, h->shift));
    else give_units(&shards[h->shard], units_of(with_head(h->bytes, h->shift)), h->index);
    rt_hold_signals(false);
}

/* ---- what kernels call ---- */

static void *take(uint64_t bytes, unsigned shift) {
    uint64_t limit = rt_limit(cudaLimitMallocHeapSize);
    if (!atomic_load_explicit(&touched, memory_order_relaxed)) atomic_store(&touched, true);
    if (bytes > limit || bytes > MAX_BYTES) return NULL;
    uint64_t before = atomic_fetch_add_explicit(&in_use, bytes, memory_order_relaxed);
    Head *h = before <= limit - bytes ? allocate(bytes, shift) : NULL;
    if (!h) atomic_fetch_sub_explicit(&in_use, bytes, memory_order_relaxed);
    return h ? h + 1 : NULL;
}

enum { USUAL = 4 };
void *cucpu_malloc(uint64_t bytes) { return take(bytes, USUAL); }

void *cucpu_malloc_aligned(uint64_t bytes, uint64_t alignment) {
    if (!alignment || alignment & (alignment - 1) || alignment > rt_limit(cudaLimitMallocHeapSize)) return NULL;
    unsigned shift = (unsigned)__builtin_ctzll(alignment);
    return take(bytes, shift > USUAL ? shift : USUAL);
}

void cucpu_free(void *p) {
    char where[512];
    if (!p) return;
    Head *h = (Head *)p - 1, was;
    if ((uintptr_t)p % sizeof *h || h->mark != mark_of(h)) {
        rt_describe_kernel(where, sizeof where);
        rt_message(
            "%s: free(%p), which malloc has not given or which is free already, or whose surroundings were written to",
            where, p);
        rt_worker_fault(cudaErrorLaunchFailure);
    }
    was = *h;
    h->mark = 0;
    atomic_fetch_sub_explicit(&in_use, was.bytes, memory_order_relaxed);
    release(&was, p);
}
