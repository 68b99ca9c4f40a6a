/* access.c: what checked kernels call: finds out which thread of which block accesses what, and calls the checkers. */
#define _GNU_SOURCE
#include "check/check.h"
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static RT_TLS RtHere here;

/* ---- bounds: what kernels test accesses against themselves ---- */

/* Of each worker: a row for each number of a site, and again for CUCPU_REPORT_FRESH.  The row before those of a module
** is of the module.  open_rows: all is right. */
enum { MAX_ROWS = CUCPU_FRESH_ROWS };
typedef struct Rows {
    struct Rows *next;
    CucpuBounds v[MAX_ROWS], fresh[MAX_ROWS];
} Rows;
static RT_TLS Rows *rows;
static Rows *all_rows, *open_rows;
static uint32_t nsites;
static pthread_mutex_t rows_lock = PTHREAD_MUTEX_INITIALIZER;

static Rows *reserve_rows(void) {
    void *p = mmap(NULL, sizeof(Rows), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static Rows *own_rows(void) {
    if (rows || !(rows = reserve_rows())) return rows;
    pthread_mutex_lock(&rows_lock);
    rows->next = all_rows, all_rows = rows;
    pthread_mutex_unlock(&rows_lock);
    return rows;
}

static const CucpuBounds *report_all(void) {
    static Rows *closed;
    pthread_mutex_lock(&rows_lock);
    if (!closed && (closed = reserve_rows())) closed->v[0].low = CUCPU_REPORT_ALL;
    pthread_mutex_unlock(&rows_lock);
    return closed ? closed->v : NULL;
}

static bool looks_at_accesses(void) { return rt_checks(CUCPU_CHECK_MEMORY | CUCPU_CHECK_RACE | CUCPU_CHECK_INIT); }

static uint64_t barriers(void) { return rt_checks(CUCPU_CHECK_SYNC | CUCPU_CHECK_RACE) ? CUCPU_REPORT_BARRIERS : 0; }

const CucpuBounds *cucpu_check_bounds(const CucpuSite *sites) {
    const RtLaunch *l;
    const CucpuWorker *w = rt_running_worker(&l);
    uint32_t module = sites->number - 1;
    if (sites->number < 1 || sites->number >= MAX_ROWS) return report_all();
    if (!w || !l->checked || !looks_at_accesses()) return open_rows ? &open_rows->v[module] : report_all();
    Rows *r = own_rows();
    if (!r) return report_all();
    r->v[module].low = rt_checks(CUCPU_CHECK_RACE)   ? CUCPU_REPORT_ALL
                       : rt_checks(CUCPU_CHECK_INIT) ? CUCPU_REPORT_FRESH
                                                     : CUCPU_REPORT_WRONG;
    r->v[module].low |= barriers();
    return &r->v[module];
}

/* The access to global memory was right. */
static void keep_bounds(const RtHere *h, const RtAccess *a) {
    uint32_t number = a->site->number;
    if (!rows || a->object || a->space != RT_GLOBAL || number >= MAX_ROWS || rt_checks(CUCPU_CHECK_RACE)) return;
    CucpuBounds *row = rt_checks(CUCPU_CHECK_INIT) ? &rows->fresh[number] : &rows->v[number];
    for (size_t i = 0; i < RT_COUNT(h->low); i++)
        if (a->address >= h->low[i] && a->address + a->bytes <= h->high[i])
            *row = (CucpuBounds){h->low[i], h->high[i] - h->low[i]};
    atomic_thread_fence(memory_order_seq_cst);
    if (h->frees != rt_memory_frees()) row->span = 0; /* freed meanwhile; rt_forget_bounds() may have been before */
}

/* Something was freed: nothing that kernels know of is valid. */
void rt_forget_bounds(void) {
    pthread_mutex_lock(&rows_lock);
    for (Rows *r = all_rows; r; r = r->next)
        for (uint32_t i = 0; i <= nsites && i < MAX_ROWS; i++) r->v[i].span = r->fresh[i].span = 0;
    pthread_mutex_unlock(&rows_lock);
}

/* ---- who ---- */

void rt_thread_at(const RtHere *h, uint32_t thread[3], uint32_t block[3]) {
    const uint32_t *grid = h->launch->abi.grid;
    for (int d = 0; d < 3; d++) thread[d] = h->thread >> 10 * d & 1023;
    block[0] = (uint32_t)(h->block % grid[0]);
    block[1] = (uint32_t)(h->block / grid[0] % grid[1]);
    block[2] = (uint32_t)(h->block / grid[0] / grid[1]);
}

static void enter_launch(RtHere *h, const RtLaunch *l) {
    h->launch = l;
    h->number = l->checked;
    h->shared_bytes = l->kernel->abi->static_shared + (size_t)l->abi.dyn_shared;
}

/* NULL: this launch is not checked. */
static RtHere *enter(uint32_t thread) {
    RtHere *h = &here;
    const RtLaunch *l;
    const CucpuWorker *w = rt_running_worker(&l);
    if (RT_UNLIKELY(!w) || !l->checked) return NULL;
    bool changed = h->launch != l || h->number != l->checked;
    if (RT_UNLIKELY(changed)) enter_launch(h, l);
    h->shared = (uintptr_t)w->shared;
    bool next = changed || h->block != w->block;
    h->block = w->block;
    if (RT_UNLIKELY(next) && rt_checks(CUCPU_CHECK_INIT)) rt_init_block(h);
    if (thread != CUCPU_NO_THREAD && (thread != h->thread || changed)) {
        h->thread = thread;
        h->linear = rt_linear(l, thread);
    }
    return h;
}

/* ---- what ---- */

static bool in_cluster(const RtHere *h, uintptr_t p) {
    const RtLaunch *l;
    const CucpuWorker *w = rt_running_worker(&l);
    if (!(h->launch->kernel->abi->flags & CUCPU_KERNEL_CLUSTER)) return false;
    return p - (uintptr_t)w->cluster < (uintptr_t)w->cluster_stride * rt_cluster_blocks(h->launch);
}

static RtSpace space_of(const RtHere *h, const RtAccess *a) {
    if (a->site->flags & CUCPU_SITE_LOCAL) return RT_LOCAL;
    if (a->site->flags & CUCPU_SITE_SHARED) return RT_SHARED;
    if (a->object) return RT_GLOBAL;
    if (a->address - h->shared < h->shared_bytes) return RT_SHARED;
    for (size_t i = 0; i < RT_COUNT(h->low); i++)
        if (a->address >= h->low[i] && a->address < h->high[i]) return RT_GLOBAL;
    return in_cluster(h, a->address) || cucpu_is_local((void *)a->address) ? RT_LOCAL : RT_GLOBAL;
}

static void check(RtHere *h, RtAccess *a) {
    a->space = space_of(h, a);
    if (rt_checks(CUCPU_CHECK_MEMORY)) rt_memory_check(h, a);
    if (rt_checks(CUCPU_CHECK_INIT)) rt_init_check(h, a);
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_access(h, a);
}

void cucpu_check_access(const CucpuSite *site, const void *p, uint32_t thread, uint64_t bytes, const void *object,
                        uint64_t size, uint32_t align, uint32_t flags) {
    (void)align, (void)flags;
    if (rt_check.kinds == CUCPU_CHECK_RACE && rt_race_quickly(site, (uintptr_t)p, thread, bytes)) return;
    RtHere *h = enter(thread);
    RtAccess a = {
        .site = site, .address = (uintptr_t)p, .bytes = bytes, .object = (uintptr_t)object, .object_bytes = size};
    if (!h || !bytes) return;
    check(h, &a);
    keep_bounds(h, &a);
}

/* What the active lanes access, from the lowest to the highest byte. */
static RtAccess hull_of(const RtAccess *a, const CucpuLanes *lanes) {
    RtAccess all = *a;
    uintptr_t high = 0;
    all.address = UINTPTR_MAX;
    for (uint64_t left = lanes->mask; left; left &= left - 1) {
        uintptr_t at = lanes->address[__builtin_ctzll(left)];
        if (at < all.address) all.address = at;
        if (at > high) high = at;
    }
    all.bytes = high - all.address + a->bytes;
    return all;
}

/* Whether words were written is all that is checked: for all lanes in one go. */
static bool lanes_are_written(RtHere *h, const RtAccess *a, const CucpuLanes *lanes) {
    if (!rt_checks(CUCPU_CHECK_INIT) || rt_checks(CUCPU_CHECK_MEMORY | CUCPU_CHECK_RACE)) return false;
    RtAccess all = hull_of(a, lanes);
    all.space = space_of(h, &all);
    if (!rt_init_is_right(h, &all, lanes, a->bytes)) return false;
    keep_bounds(h, &all);
    return true;
}

void cucpu_check_lanes(const CucpuSite *site, const CucpuLanes *lanes, uint64_t bytes, const void *object,
                       uint64_t size, uint32_t align) {
    bool tried = align & CUCPU_IS_ROW;
    if (rt_check.kinds == CUCPU_CHECK_RACE && !tried && rt_race_lanes_quickly(site, lanes, bytes)) return;
    RtAccess a = {.site = site, .bytes = bytes, .object = (uintptr_t)object, .object_bytes = size};
    RtHere *h = lanes->mask ? enter(lanes->thread[__builtin_ctzll(lanes->mask)]) : NULL;
    if (!h || lanes_are_written(h, &a, lanes)) return;
    for (uint64_t left = lanes->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        enter(lanes->thread[lane]);
        a.address = lanes->address[lane];
        if (rt_checks(CUCPU_CHECK_RACE)) rt_race_group(lanes, lane, (align & CUCPU_HAS_VALUES) != 0);
        check(h, &a);
    }
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_group(NULL, 0, false);
    keep_bounds(h, &a);
}

uint32_t cucpu_check_row(const CucpuSite *site, uint64_t at, int64_t stride, uint64_t mask, uint32_t thread,
                         uint64_t bytes) {
    return rt_check.kinds == CUCPU_CHECK_RACE && rt_race_row(site, at, stride, mask, thread, bytes);
}

void cucpu_check_block(void) {
    if (rt_checks(CUCPU_CHECK_INIT)) enter(CUCPU_NO_THREAD);
}

void cucpu_check_thread(uint32_t thread) { enter(thread); }

RtHere *rt_enter_thread(uint32_t thread) { return enter(thread); }

void cucpu_check_barrier(const CucpuSite *site, uint32_t thread) {
    RtHere *h = enter(thread);
    if (h && rt_checks(CUCPU_CHECK_SYNC)) rt_sync_barrier(h, site);
    if (h && rt_checks(CUCPU_CHECK_RACE)) rt_race_barrier(h, site->flags);
}

void cucpu_check_barrier_lanes(const CucpuSite *site, const CucpuLanes *lanes) {
    RtHere *h = lanes->mask ? enter(lanes->thread[__builtin_ctzll(lanes->mask)]) : NULL;
    if (h && rt_checks(CUCPU_CHECK_SYNC)) rt_sync_barrier_lanes(h, site, lanes);
    if (h && rt_checks(CUCPU_CHECK_RACE)) rt_race_barrier_lanes(h, site->flags, lanes);
}

void cucpu_check_warp(const CucpuSite *site, uint32_t thread, uint32_t mask) {
    RtHere *h = enter(thread);
    if (h && rt_checks(CUCPU_CHECK_SYNC)) rt_sync_warp(h, site, mask);
    if (h && rt_checks(CUCPU_CHECK_RACE)) rt_race_warp(h, mask);
}

void cucpu_check_fence(const CucpuSite *site, uint32_t thread) {
    RtHere *h = enter(thread);
    if (h && rt_checks(CUCPU_CHECK_RACE)) rt_race_fence(h, (site->flags & CUCPU_SITE_BLOCK) != 0);
}

/* ---- sites ---- */

static const CucpuSite **sites; /* by their numbers */
static uint32_t site_capacity;
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

const CucpuSite *rt_site(uint32_t number) { return number && number <= nsites ? sites[number - 1] : NULL; }

void rt_number_sites(const CucpuCheck *c) {
    pthread_mutex_lock(&site_lock);
    if (nsites + c->nsites + 1 > site_capacity) {
        uint32_t more = 2 * (nsites + c->nsites + 1);
        const CucpuSite **grown = realloc(sites, more * sizeof *grown);
        if (grown) sites = grown, site_capacity = more;
    }
    if (nsites < site_capacity) sites[nsites++] = NULL; /* its row is that of the module */
    for (uint32_t i = 0; i < c->nsites && nsites < site_capacity; i++) {
        sites[nsites] = &c->sites[i];
        c->sites[i].number = ++nsites;
    }
    if (!open_rows) open_rows = reserve_rows();
    if (open_rows && c->nsites && c->sites[0].number < MAX_ROWS) open_rows->v[c->sites[0].number - 1].low = barriers();
    for (uint32_t i = 0; open_rows && i < c->nsites && c->sites[i].number < MAX_ROWS; i++)
        open_rows->v[c->sites[i].number] = (CucpuBounds){0, UINT64_MAX};
    pthread_mutex_unlock(&site_lock);
}

/* ---- which launches ---- */

static _Atomic uint64_t launches; /* of all grids: their numbers */
static _Atomic unsigned passed;   /* launches of kernels that the names admit */

static bool is_named(const CucpuKernel *k, const char *part, const char *regex) {
    const char *name = k->title ? k->title : k->name;
    regex_t r;
    if (part && (strstr(name, part) || strstr(k->name, part))) return true;
    if (!regex || regcomp(&r, regex, REG_EXTENDED | REG_NOSUB)) return false;
    bool found = !regexec(&r, name, 0, NULL, 0) || !regexec(&r, k->name, 0, NULL, 0);
    regfree(&r);
    return found;
}

static bool is_wanted(const RtLaunch *l) {
    const CucpuKernel *k = l->kernel->abi;
    const RtCheckOptions *o = &rt_check;
    if ((o->kernel || o->kernel_regex) && !is_named(k, o->kernel, o->kernel_regex)) return false;
    if ((o->not || o->not_regex) && is_named(k, o->not, o->not_regex)) return false;
    unsigned n = atomic_fetch_add(&passed, 1);
    return n >= o->skip && (!o->count || n - o->skip < o->count);
}

static void on_grid(RtLaunch *l, bool ended) {
    if (!rt_check.kinds) return;
    if (!ended) l->order = rt_order_running();
    if (rt_checks(CUCPU_CHECK_MEMORY)) rt_memory_grid(l);
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_grid(l, ended);
    if (ended && rt_checks(CUCPU_CHECK_SYNC)) rt_sync_grid(l);
    if (ended) return;
    bool compiled = rt_has_checks(l->kernel->module->abi);
    rt_count(compiled ? RT_COUNTED_LAUNCH : RT_COUNTED_UNCHECKED, 1);
    l->checked = compiled && is_wanted(l) ? atomic_fetch_add(&launches, 1) + 1 : 0;
}

__attribute__((constructor)) static void begin(void) { rt_on_grid(on_grid); }
