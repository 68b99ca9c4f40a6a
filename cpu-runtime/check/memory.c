/* memory.c: accesses outside of allocations and variables, to freed memory, and misaligned ones; frees; leaks.
**
** What an address belongs to: the registry of allocations (space/alloc.h) with exact sizes, so that one's neighbour is
** not taken for one's own where the kernel's code names the variable; and tables of what is not in it: variables of
** modules, the device heap, memory of the runtime that kernels read.  Freed allocations are remembered. */
#include "check/check.h"
#include "space/alloc.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Range {
    uintptr_t base;
    size_t bytes;
    const CucpuSite *site; /* that has allocated it on the device heap, or NULL */
    bool local;            /* alloca() */
    uint32_t op;           /* that has given it to a stream */
} Range;
typedef struct Ranges { /* sorted, disjoint */
    Range *v;
    size_t n, capacity;
} Ranges;

enum { FREED = 4096 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static Ranges variables, heap, allowed, given;
static Range freed[FREED]; /* the last ones */
static uint64_t nfreed;
static _Atomic uint64_t frees = 1;

uint64_t rt_memory_frees(void) { return atomic_load_explicit(&frees, memory_order_relaxed); }

/* ---- tables (lock held) ---- */

/* The first range that starts above p. */
static size_t above(const Ranges *r, uintptr_t p) {
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->v[middle].base <= p) low = middle + 1;
        else high = middle;
    }
    return low;
}

static const Range *find(const Ranges *r, uintptr_t p) {
    size_t i = above(r, p);
    return i && p - r->v[i - 1].base < r->v[i - 1].bytes ? &r->v[i - 1] : NULL;
}

static void add(Ranges *r, Range range) {
    if (!range.bytes) return;
    if (r->n == r->capacity) {
        size_t more = r->capacity ? 2 * r->capacity : 64;
        Range *grown = realloc(r->v, more * sizeof *grown);
        if (!grown) return;
        r->v = grown, r->capacity = more;
    }
    size_t i = above(r, range.base);
    if (i && r->v[i - 1].base == range.base) { /* a module at the place of one that is gone */
        r->v[i - 1] = range;
        return;
    }
    memmove(r->v + i + 1, r->v + i, (r->n - i) * sizeof *r->v);
    r->v[i] = range;
    r->n++;
}

static bool take_out(Ranges *r, uintptr_t base, Range *was) {
    size_t i = above(r, base);
    if (!i || r->v[i - 1].base != base) return false;
    *was = r->v[i - 1];
    memmove(r->v + i - 1, r->v + i, (r->n - i) * sizeof *r->v);
    r->n--;
    return true;
}

static void remember_freed(Range r) {
    freed[nfreed++ % FREED] = r;
    atomic_fetch_add(&frees, 1);
    rt_forget_bounds();
}

static const Range *find_freed(uintptr_t p) {
    for (uint64_t i = nfreed; i-- > (nfreed > FREED ? nfreed - FREED : 0);)
        if (p - freed[i % FREED].base < freed[i % FREED].bytes) return &freed[i % FREED];
    return NULL;
}

/* ---- what fills them ---- */

static void on_free(const RtAlloc *a) {
    Range was;
    pthread_rwlock_wrlock(&lock);
    take_out(&given, a->base, &was);
    remember_freed((Range){.base = a->base, .bytes = a->size});
    pthread_rwlock_unlock(&lock);
}

void rt_memory_begin(void) {
    if (rt_check.kinds) rt_on_free(on_free);
    rt_host_memory_begin();
}

void rt_memory_module(const CucpuCheck *c) {
    rt_memory_begin();
    pthread_rwlock_wrlock(&lock);
    for (uint32_t i = 0; i < c->nobjects; i++)
        add(&variables, (Range){.base = (uintptr_t)c->objects[i].address, .bytes = c->objects[i].size});
    pthread_rwlock_unlock(&lock);
}

void rt_check_allow(const void *p, size_t bytes) {
    if (!rt_check.kinds) return;
    Range was;
    pthread_rwlock_wrlock(&lock);
    if (bytes) add(&allowed, (Range){.base = (uintptr_t)p, .bytes = bytes});
    else if (take_out(&allowed, (uintptr_t)p, &was)) atomic_fetch_add(&frees, 1), rt_forget_bounds();
    pthread_rwlock_unlock(&lock);
}

void cucpu_check_malloc(const CucpuSite *site, const void *p, uint32_t thread, uint64_t bytes) {
    (void)thread;
    if (!p || !rt_check.kinds) return;
    bool local = (site->flags & CUCPU_SITE_LOCAL) != 0;
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_forget(p, bytes);
    rt_hold_signals(true);
    pthread_rwlock_wrlock(&lock);
    add(&heap, (Range){.base = (uintptr_t)p, .bytes = bytes, .site = site, .local = local});
    pthread_rwlock_unlock(&lock);
    rt_hold_signals(false);
}

static void report_free(const CucpuSite *site, const void *p, uint32_t thread, bool twice) {
    RtHere *h = rt_enter_thread(thread);
    if (!h || !rt_report_begin(RT_ERROR)) return;
    rt_report("Malloc/Free error encountered : %s", twice ? "Double free" : "Invalid pointer to free");
    rt_report_site(site);
    rt_report_thread(h);
    rt_report("    Address 0x%llx", (unsigned long long)(uintptr_t)p);
    rt_report_callers(site);
    rt_report_end();
}

/* Where it is wrong, free() itself ends the kernel. */
void cucpu_check_free(const CucpuSite *site, const void *p, uint32_t thread) {
    Range was;
    if (!p || !rt_check.kinds) return;
    rt_hold_signals(true);
    pthread_rwlock_wrlock(&lock);
    bool known = take_out(&heap, (uintptr_t)p, &was);
    const Range *gone = known ? NULL : find_freed((uintptr_t)p);
    bool twice = gone && gone->base == (uintptr_t)p;
    if (known) remember_freed(was);
    pthread_rwlock_unlock(&lock);
    if (!known && rt_checks(CUCPU_CHECK_MEMORY)) report_free(site, p, thread, twice);
    rt_hold_signals(false);
}

/* ---- memory that is given to streams ---- */

/* Memory may be given again to the stream that is still to free it: what that was before runs, too. */
void rt_memory_given(const void *p, uint32_t op) {
    pthread_rwlock_wrlock(&lock);
    if (!find(&given, (uintptr_t)p)) add(&given, (Range){.base = (uintptr_t)p, .bytes = 1, .op = op});
    pthread_rwlock_unlock(&lock);
}

/* The operation that has allocated it is not before the kernel. */
static bool is_early(const RtHere *h, uintptr_t base) {
    pthread_rwlock_rdlock(&lock);
    const Range *r = find(&given, base);
    uint32_t op = r ? r->op : 0;
    pthread_rwlock_unlock(&lock);
    bool before = true;
    if (op && h->launch->order) rt_order_find(h->launch->order, &op, &before, 1);
    return !before;
}

/* What other grids may access, or have accessed, this one may not. */
void rt_memory_grid(RtLaunch *l) {
    pthread_rwlock_wrlock(&lock);
    bool all = true, before;
    for (size_t i = 0; i < given.n && all; i++) rt_order_find(l->order, &given.v[i].op, &before, 1), all = before;
    if (!all) atomic_fetch_add(&frees, 1), rt_forget_bounds();
    pthread_rwlock_unlock(&lock);
}

/* ---- accesses ---- */

static void remember(RtHere *h, uintptr_t base, size_t bytes) {
    unsigned i = h->next++ % RT_COUNT(h->low);
    h->low[i] = base;
    h->high[i] = base + bytes;
}

/* Mappings may adjoin. */
static bool in_registry(RtHere *h, const RtAccess *a) {
    RtAlloc found;
    if (!rt_find_alloc((void *)a->address, &found)) return false;
    if (found.how == RT_BY_POOL && is_early(h, found.base)) return false;
    if (a->address + a->bytes > found.base + found.size)
        return found.how == RT_BY_MAPPING && !rt_check_range((void *)a->address, a->bytes, true);
    remember(h, found.base, found.size);
    return true;
}

static bool in_tables(RtHere *h, const RtAccess *a) {
    const Ranges *tables[] = {&variables, &heap, &allowed};
    const Range *r = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < RT_COUNT(tables) && !r; i++) r = find(tables[i], a->address);
    bool within = r && a->address + a->bytes <= r->base + r->bytes;
    if (within) remember(h, r->base, r->bytes);
    pthread_rwlock_unlock(&lock);
    return within;
}

bool rt_memory_is_known(RtHere *h, const RtAccess *a) {
    uint64_t now = rt_memory_frees();
    if (h->frees != now) {
        memset(h->low, 0, sizeof h->low), memset(h->high, 0, sizeof h->high);
        h->frees = now;
    }
    for (size_t i = 0; i < RT_COUNT(h->low); i++)
        if (a->address >= h->low[i] && a->address + a->bytes <= h->high[i]) return true;
    rt_hold_signals(true);
    bool known = in_registry(h, a) || in_tables(h, a);
    rt_hold_signals(false);
    return known;
}

static const char *const spaces[] = {"global", "shared", "local"};

static const char *kind_of(const CucpuSite *s) {
    return s->flags & CUCPU_SITE_ATOMIC && s->flags & CUCPU_SITE_WRITE && s->flags & CUCPU_SITE_READ ? "atomic"
           : s->flags & CUCPU_SITE_WRITE                                                             ? "write"
                                                                                                     : "read";
}

static void report_nearest(const RtAccess *a, uintptr_t base, size_t bytes, const char *what) {
    char n[32], m[32];
    bool before = a->address < base;
    uint64_t apart = before ? base - a->address : a->address - (base + bytes);
    if (!before && a->address < base + bytes)
        rt_report("    and is inside the nearest %s at 0x%llx of size %s bytes", what, (unsigned long long)base,
                  rt_commas(bytes, m));
    else
        rt_report("    and is %s bytes %s the nearest %s at 0x%llx of size %s bytes", rt_commas(apart, n),
                  before ? "before" : "after", what, (unsigned long long)base, rt_commas(bytes, m));
}

static uint64_t distance(Range r, uintptr_t p) {
    return p < r.base ? r.base - p : p < r.base + r.bytes ? 0 : p - (r.base + r.bytes) + 1;
}

static void take_nearer(Range *best, Range r, uintptr_t p) {
    if (r.bytes && (!best->bytes || distance(r, p) < distance(*best, p))) *best = r;
}

static void nearest_of(const Ranges *r, uintptr_t p, Range *best) {
    size_t i = above(r, p);
    if (i) take_nearer(best, r->v[i - 1], p);
    if (i < r->n) take_nearer(best, r->v[i], p);
}

/* Whose memory the address is next to; variables of modules are named by nobody. */
static void report_global(const RtHere *h, const RtAccess *a) {
    char n[32];
    RtAlloc early;
    if (rt_find_alloc((void *)a->address, &early) && h && early.how == RT_BY_POOL && is_early(h, early.base)) {
        rt_report(
            "    and is inside an allocation at 0x%llx of size %s bytes whose cudaMallocAsync, in another stream, "
            "is not ordered before the kernel",
            (unsigned long long)early.base, rt_commas(early.size, n));
        return;
    }
    pthread_rwlock_rdlock(&lock);
    const Range *gone = find_freed(a->address);
    Range was = gone ? *gone : (Range){0};
    pthread_rwlock_unlock(&lock);
    RtAlloc live;
    if (gone && !rt_find_alloc((void *)was.base, &live)) { /* nor is anything else there now */
        rt_report("    and is inside an allocation at 0x%llx of size %s bytes that was freed",
                  (unsigned long long)was.base, rt_commas(was.bytes, n));
        return;
    }
    Range best = {0};
    RtAlloc next[2];
    rt_find_neighbours((void *)a->address, &next[0], &next[1]);
    for (int i = 0; i < 2; i++) take_nearer(&best, (Range){.base = next[i].base, .bytes = next[i].size}, a->address);
    pthread_rwlock_rdlock(&lock);
    nearest_of(&heap, a->address, &best);
    nearest_of(&variables, a->address, &best);
    pthread_rwlock_unlock(&lock);
    if (best.bytes) report_nearest(a, best.base, best.bytes, "allocation");
}

/* What is subtracted from addresses in messages. */
static uintptr_t base_of(const RtHere *h, const RtAccess *a) {
    if (a->space == RT_SHARED) return h->shared;
    return a->space == RT_LOCAL && a->object == CUCPU_LOCAL_BASE ? CUCPU_LOCAL_BASE : 0;
}

static void report_bounds(const RtHere *h, const RtAccess *a) {
    uintptr_t shown = a->address - base_of(h, a);
    rt_report("    Address 0x%llx is out of bounds", (unsigned long long)shown);
    if (a->object) {
        RtAccess in_space = *a;
        in_space.address = shown;
        report_nearest(&in_space, a->object - base_of(h, a), a->object_bytes, "variable");
    } else if (a->space == RT_GLOBAL) {
        report_global(h, a);
    }
}

static void report(const RtHere *h, const RtAccess *a, bool misaligned) {
    char n[32];
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Invalid __%s__ %s of size %s bytes", spaces[a->space], kind_of(a->site), rt_commas(a->bytes, n));
    rt_report_site(a->site);
    rt_report_thread(h);
    if (misaligned) {
        uintptr_t shown = a->space == RT_LOCAL ? a->address - base_of(h, a) : a->address;
        rt_report("    Address 0x%llx is misaligned", (unsigned long long)shown);
        if (a->space == RT_GLOBAL && !a->object) report_global(h, a);
    } else {
        report_bounds(h, a);
    }
    rt_report_callers(a->site);
    rt_report_end();
}

static bool within(uintptr_t base, size_t bytes, const RtAccess *a) {
    return a->address >= base && a->bytes <= bytes && a->address - base <= bytes - a->bytes;
}

void rt_memory_check(RtHere *h, const RtAccess *a) {
    if (RT_UNLIKELY(a->site->align > 1 && a->address % a->site->align)) {
        report(h, a, true);
        rt_worker_fault(cudaErrorMisalignedAddress);
    }
    bool ok = a->object               ? within(a->object, a->object_bytes, a)
              : a->space == RT_LOCAL  ? true
              : a->space == RT_SHARED ? within(h->shared, h->shared_bytes, a)
                                      : rt_memory_is_known(h, a);
    if (RT_LIKELY(ok)) return;
    report(h, a, false);
    rt_worker_fault(cudaErrorLaunchFailure);
}

/* ---- the host ---- */

/* Freed, or behind managed or pinned memory. */
static bool is_near_host_memory(uintptr_t p) {
    enum { NEAR = 1 << 16 };
    RtAlloc next[2];
    pthread_rwlock_rdlock(&lock);
    bool gone = find_freed(p) != NULL;
    pthread_rwlock_unlock(&lock);
    rt_find_neighbours((void *)p, &next[0], &next[1]);
    for (int i = 0; i < 2; i++) {
        bool of_host = next[i].how == RT_BY_MANAGED || next[i].how == RT_BY_HOST_ALLOC;
        if (of_host && distance((Range){.base = next[i].base, .bytes = next[i].size}, p) <= NEAR) return true;
    }
    return gone;
}

bool rt_memory_host_fault(uintptr_t p, bool writes, const char *where) {
    RtAccess a = {.address = p, .space = RT_GLOBAL};
    if (!is_near_host_memory(p)) return false;
    if (!rt_report_begin(RT_ERROR)) return true;
    rt_report("Invalid %s by the host", writes ? "write" : "read");
    rt_report("    at %s", where);
    report_bounds(NULL, &a);
    rt_report_end();
    return true;
}

void rt_check_bad_free(const void *p, bool pending) {
    if (!rt_checks(CUCPU_CHECK_MEMORY)) return;
    pthread_rwlock_rdlock(&lock);
    const Range *gone = find_freed((uintptr_t)p);
    bool twice = pending || (gone && gone->base == (uintptr_t)p);
    pthread_rwlock_unlock(&lock);
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Malloc/Free error encountered : %s", twice ? "Double free" : "Invalid pointer to free");
    rt_report("    Address 0x%llx", (unsigned long long)(uintptr_t)p);
    rt_report_end();
}

static void report_leak(uintptr_t base, size_t bytes, const char *where) {
    char n[32];
    rt_count(RT_COUNTED_LEAK, 1);
    rt_count(RT_COUNTED_LEAKED, bytes);
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Leaked %s bytes at 0x%llx%s", rt_commas(bytes, n), (unsigned long long)base, where);
    rt_report_end();
}

static void visit_leak(const RtAlloc *a, void *data) {
    (void)data;
    if (a->how == RT_BY_MALLOC || a->how == RT_BY_MANAGED || a->how == RT_BY_HOST_ALLOC || a->how == RT_BY_POOL)
        report_leak(a->base, a->size, "");
}

void rt_memory_leaks(void) {
    if (!rt_check.leaks || !rt_checks(CUCPU_CHECK_MEMORY)) return;
    rt_visit_allocs(visit_leak, NULL);
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < heap.n; i++)
        if (!heap.v[i].local) report_leak(heap.v[i].base, heap.v[i].bytes, " on the device heap");
    pthread_rwlock_unlock(&lock);
}
