/* race.c: races in shared and global memory: two accesses to a word, one of them a write, neither before the other
** (order.c), not both atomic.  What is kept of each word: cells.c.
**
** The blocks of a grid run on one worker (options.c): the verdict does not depend on time. */
#define _GNU_SOURCE
#include "check/cells.h"
#include "exec/children.h"
#include "host/topo.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- blocks ---- */

enum { MAX_TOGETHER = 1 << 16 }; /* blocks that may wait for ones with higher numbers: exec/guests.c has fewer */

static uint32_t running_op; /* of the launch */
static uint64_t block_of_running;
static Order running, *suspended; /* of grids whose blocks are left and entered again: one for each */
static uint64_t nsuspended, launch_of_running;
static bool fresh = true;

/* Blocks of such kernels are left and entered again, or wait for each other on threads that take turns. */
static bool changes_blocks(const RtLaunch *l) {
    uint32_t flags = l->kernel->abi->flags;
    if (flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER)) return true;
    return flags & CUCPU_KERNEL_POLLS && l->blocks > 1 && l->blocks <= MAX_TOGETHER;
}

static Order *order_of(const RtHere *h) {
    if (changes_blocks(h->launch)) {
        if (!suspended) {
            nsuspended = h->launch->blocks;
            suspended = reserve(nsuspended * sizeof *suspended);
            if (!suspended) return NULL;
        }
        Order *o = &suspended[h->block];
        if (!o->first_record) race_new_block(o, h->block);
        return o;
    }
    if (fresh || block_of_running != h->block || launch_of_running != h->number) {
        race_new_block(&running, h->block);
        running.plain = (h->launch->kernel->abi->flags & CUCPU_KERNEL_PLAIN) != 0;
        fresh = false, block_of_running = h->block, launch_of_running = h->number;
    }
    return &running;
}

/* ---- what access.c calls ---- */

#define PATIENCE UINT64_C(5000000000) /* ns: threads that poll while nothing is stored wait for nothing */

/* The thread that has accessed memory last, on the one worker: while it goes on in its block, plain accesses of a word
** need nothing else.  Its stamp is made anew after all that changes its position. */
static struct {
    const CucpuWorker *worker; /* NULL: nothing is known */
    uint64_t block;
    uint32_t thread, x, y; /* thread: as of abi.h; x, y: blockDim */
    uintptr_t shared;
    size_t shared_bytes;
    Stamp stamp; /* of no site */
    Quick quick;
    uintptr_t pages[64]; /* that are not local memory */
} last;

/* Threads of a group that follow each other, whose positions differ by their numbers alone: until one changes. */
static struct {
    uint32_t first, n, linear; /* the first thread; lanes; its number */
    uint32_t record;           /* 0: nothing is known */
} known_group;

static void forget_thread(void) {
    last.thread = CUCPU_NO_THREAD;
    known_group.record = 0;
}

static void forget_launch(void) { last.worker = NULL; }

static uint32_t linear_of(uint32_t thread) {
    return (thread & 1023) + last.x * ((thread >> 10 & 1023) + last.y * (thread >> 20));
}

/* False: there are no more records. */
static bool change_thread(uint32_t thread) {
    uint32_t t = linear_of(thread);
    if (thread == CUCPU_NO_THREAD || !race_record(&running, t)) return false;
    Access a = {.record = running.record, .thread = t, .clock = running.clock[t]};
    a.fenced = running.fence_epoch[t] && running.flag_fence[t];
    last.stamp = race_pack(&a);
    last.thread = thread;
    last.quick = (Quick){.first = running.first_record, .earlier = running.mixed ? 0 : running.earlier, .thread = t};
    last.quick.warps = running.warps;
    return true;
}

static void remember_block(const RtHere *h) {
    const RtLaunch *l;
    last.worker = rt_running_worker(&l);
    last.block = h->block, last.x = l->abi.block[0], last.y = l->abi.block[1];
    last.shared = h->shared, last.shared_bytes = h->shared_bytes;
    forget_thread();
}

static Cell *quick_cell(const CucpuSite *site, uintptr_t p) {
    size_t offset = p - last.shared;
    if (site->flags & CUCPU_SITE_SHARED || offset < last.shared_bytes) {
        last.quick.low = last.quick.first;
        return offset / 4 < running.shadow_words ? race_cell_of(running.shadow, offset / 4) : NULL;
    }
    uintptr_t page = p >> 12, *known = &last.pages[page % RT_COUNT(last.pages)];
    if (*known != page && cucpu_is_local((void *)p)) return NULL;
    if (*known != page) race_note_page(p, running_op);
    *known = page;
    last.quick.low = race_low();
    return race_global_cell(p);
}

static uint64_t stores; /* by all threads */

/* Blocks take turns, so no clock but this is needed; what the host stores meanwhile is not seen. */
bool rt_race_polls_in_vain(void) {
    static uint64_t last_stores, since;
    uint64_t now = rt_now_ns();
    if (stores != last_stores || !since) last_stores = stores, since = now;
    return now - since > PATIENCE;
}

static RtAccess last_poll;
static RtHere last_poller;

const RtAccess *rt_race_last_poll(RtHere *h) {
    *h = last_poller;
    return last_poll.site ? &last_poll : NULL;
}

/* An update that orders nothing. */
static bool is_plain_update(const CucpuSite *site) {
    const uint32_t update = CUCPU_SITE_READ | CUCPU_SITE_WRITE;
    return running.plain && (site->flags & update) == update && !(site->flags & CUCPU_SITE_BLOCK) &&
           !race_has_releases();
}

static bool is_quick(const CucpuSite *site, uint64_t bytes) {
    if (!last.worker || last.worker->block != last.block || bytes % 4 || bytes > 16 || race_npending) return false;
    if (RT_LIKELY(!(site->flags & (CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE | CUCPU_SITE_LOCAL)))) return true;
    return !(site->flags & (CUCPU_SITE_VOLATILE | CUCPU_SITE_LOCAL)) && is_plain_update(site);
}

static Stamp stamp_of(const CucpuSite *site) {
    return (site->number <= MAX_SITE ? site->number : 0) | (site->flags & CUCPU_SITE_ATOMIC ? RACE_ATOMIC : 0);
}

bool rt_race_quickly(const CucpuSite *site, uintptr_t p, uint32_t thread, uint64_t bytes) {
    if (!is_quick(site, bytes) || p % 4) return false;
    if (thread != last.thread && !change_thread(thread)) return false;
    bool writes = (site->flags & CUCPU_SITE_WRITE) != 0;
    stores += writes;
    Stamp stamp = last.stamp | stamp_of(site);
    for (uint64_t i = 0; i < bytes; i += 4) { /* what is done twice is done once */
        Cell *c = quick_cell(site, p + i);
        if (!c || !race_access_quickly(&last.quick, stamp, writes, c)) return false;
    }
    return true;
}

/* ---- groups ---- */

/* A position that only its epoch tells from that of other threads. */
static bool is_plain_position(uint32_t t) {
    return running.record_epoch == running.epoch[t] && running.record_grid == running.grid[t] &&
           (!running.has_clocks || (!running.clock[t] && !running.fence_epoch[t]));
}

/* thread: of each lane, or NULL: they follow each other in x. */
static bool know_group(uint32_t first, const uint32_t *thread, uint32_t n) {
    bool known = known_group.record && known_group.record == running.record && known_group.first == first;
    if (!known) known_group.n = 0;
    if (!known && !change_thread(first)) return false;
    last.thread = CUCPU_NO_THREAD; /* last.quick is of the group */
    known_group.first = first, known_group.record = running.record;
    if (!known) known_group.linear = linear_of(first);
    for (uint32_t t = known_group.linear; known_group.n < n; known_group.n++) {
        uint32_t i = known_group.n;
        if ((thread && linear_of(thread[i]) != t + i) || !is_plain_position(t + i)) return false;
    }
    return true;
}

/* Addresses of n lanes; a row if their distance is the access. */
typedef struct Lanes {
    const uint64_t *at; /* NULL: first + stride * lane */
    uintptr_t first;
    int64_t stride;
    uint32_t n;
    uint64_t bytes;
} Lanes;

static bool access_one_by_one(const CucpuSite *site, const Lanes *a, Stamp s, bool writes) {
    uint32_t t = last.quick.thread;
    for (uint32_t i = 0; i < a->n; i++) {
        uintptr_t at = a->at ? a->at[i] : a->first + (uint64_t)a->stride * i;
        for (uint64_t k = 0; k < a->bytes; k += 4) {
            Cell *c = at % 4 ? NULL : quick_cell(site, at + k);
            last.quick.thread = t + i;
            if (!c || !race_access_quickly(&last.quick, s + ((Stamp)i << 26), writes, c)) return false;
        }
    }
    return true;
}

/* One word, which lanes read or update: as if each did, but that of those which may meet two are kept at most. */
static bool access_by_all(const CucpuSite *site, const Lanes *a, Stamp s, bool writes) {
    Lanes one = *a;
    uint32_t t = last.quick.thread, end = a->n - 1;
    one.n = 1;
    if (!access_one_by_one(site, &one, s, writes)) return false;
    last.quick.thread = t + end;
    return !end || access_one_by_one(site, &one, s + ((Stamp)end << 26), writes);
}

/* NULL: not words that follow each other. */
static Cell *row_of(const CucpuSite *site, const Lanes *a) {
    uint64_t bytes = a->n * a->bytes;
    if (a->at || a->stride != (int64_t)a->bytes || a->bytes == 12 || a->first % 4) return NULL;
    Cell *low = quick_cell(site, a->first), *high = low ? quick_cell(site, a->first + bytes - 4) : NULL;
    return high && race_cell_of(low, bytes / 4 - 1) == high ? low : NULL;
}

/* Addresses that happen to be at a constant distance. */
static void find_stride(Lanes *a) {
    uint64_t first = a->at[0], step = a->n > 1 ? a->at[1] - first : a->bytes, wrong = 0;
    for (uint32_t i = 0; i < a->n; i++) wrong |= a->at[i] ^ (first + step * i);
    if (wrong) return;
    a->at = NULL, a->first = first, a->stride = (int64_t)step;
}

static bool access_lanes(const CucpuSite *site, const Lanes *a, bool writes) {
    Stamp s = (Stamp)running.record << 36 | (Stamp)known_group.linear << 26 | stamp_of(site);
    bool update = site->flags & CUCPU_SITE_ATOMIC;
    last.quick.thread = known_group.linear;
    if (!a->at && !a->stride && (!writes || update) && a->first % 4 == 0) return access_by_all(site, a, s, writes);
    Cell *row = update ? NULL : row_of(site, a);
    if (!row) return access_one_by_one(site, a, s, writes);
    return race_access_row(&last.quick, row, (uint32_t)(a->n * a->bytes / 4), (unsigned)a->bytes / 8, s, writes);
}

/* How many lanes follow each other from the first on. */
static uint32_t first_run(uint64_t mask, uint32_t *first) {
    *first = (uint32_t)__builtin_ctzll(mask);
    uint64_t rest = ~(mask >> *first);
    return rest ? (uint32_t)__builtin_ctzll(rest) : 64;
}

static uint64_t without_run(uint64_t mask, uint32_t first, uint32_t n) {
    return first + n >= 64 ? 0 : mask & ~(uint64_t)0 << (first + n);
}

bool rt_race_row(const CucpuSite *site, uint64_t at, int64_t stride, uint64_t mask, uint32_t thread, uint64_t bytes) {
    if (!is_quick(site, bytes)) return false;
    bool writes = (site->flags & CUCPU_SITE_WRITE) != 0;
    stores += writes;
    for (uint32_t first, n; mask; mask = without_run(mask, first, n)) {
        n = first_run(mask, &first);
        Lanes a = {.first = at + (uint64_t)stride * first, .stride = stride, .n = n, .bytes = bytes};
        if (!know_group(thread + first, NULL, n) || !access_lanes(site, &a, writes)) return false;
    }
    return true;
}

bool rt_race_lanes_quickly(const CucpuSite *site, const CucpuLanes *lanes, uint64_t bytes) {
    if (!is_quick(site, bytes)) return false;
    bool writes = (site->flags & CUCPU_SITE_WRITE) != 0;
    stores += writes;
    uint64_t mask = lanes->mask;
    for (uint32_t first, n; mask; mask = without_run(mask, first, n)) {
        n = first_run(mask, &first);
        const uint32_t *thread = lanes->thread + first;
        Lanes a = {.at = lanes->address + first, .n = n, .bytes = bytes};
        find_stride(&a);
        if (!know_group(*thread, thread, n) || !access_lanes(site, &a, writes)) return false;
    }
    return true;
}

static struct {
    const CucpuLanes *lanes;
    int lane;
    bool has_values;
} group;

void rt_race_group(const CucpuLanes *lanes, int lane, bool has_values) {
    if (lanes && !group.lanes) race_settle();
    group.lanes = lanes, group.lane = lane, group.has_values = has_values;
}

bool race_in_group(uint32_t thread, uint64_t bytes, bool *same) {
    const CucpuLanes *g = group.lanes;
    const RtLaunch *l;
    *same = false;
    if (!g || !rt_running_worker(&l)) return false;
    for (int i = 0; i < group.lane; i++) {
        uint64_t apart = g->address[i] - g->address[group.lane];
        if (!(g->mask >> i & 1) || apart + bytes - 1 >= 2 * bytes - 1 || rt_linear(l, g->thread[i]) != thread) continue;
        *same = group.has_values && !apart && g->value[i] == g->value[group.lane];
        return true;
    }
    return false;
}

void rt_race_access(RtHere *h, const RtAccess *a) {
    if (!group.lanes) race_settle();
    forget_thread();
    if (a->space == RT_LOCAL) return;
    Order *o = order_of(h);
    uint32_t record = o ? race_record(o, h->linear) : 0;
    stores += (a->site->flags & (CUCPU_SITE_WRITE | CUCPU_SITE_COMPARE)) == CUCPU_SITE_WRITE;
    if (!record) return;
    const uint32_t strong = CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE;
    Now n = {.h = h, .o = o, .a = a, .writes = (a->site->flags & CUCPU_SITE_WRITE) != 0};
    n.access = (Access){.record = record, .thread = h->linear, .clock = o->clock[h->linear]};
    n.access.site = a->site->number <= MAX_SITE ? a->site->number : 0;
    n.access.atomic = (a->site->flags & CUCPU_SITE_ATOMIC) != 0;
    n.access.is_volatile = (a->site->flags & CUCPU_SITE_VOLATILE) != 0;
    n.access.fenced = o->fence_epoch[h->linear] && o->flag_fence[h->linear];
    n.access.block_scope = (a->site->flags & CUCPU_SITE_BLOCK) != 0;
    if (a->site->flags & strong) last_poll = *a, last_poller = *h;
    if (a->site->flags & strong) race_synchronise(o, h->linear, a->address, a->site);
    n.access.clock = o->clock[h->linear];
    n.stamp = race_pack(&n.access);
    uintptr_t end = a->address + a->bytes;
    Quick q = {.first = o->first_record, .earlier = o->mixed ? 0 : o->earlier, .thread = h->linear};
    q.warps = o->warps;
    q.low = a->space == RT_SHARED ? q.first : race_low();
    bool plain = o == &running && !(a->site->flags & strong);
    if (o != &running || h->launch->kernel->abi->flags & CUCPU_KERNEL_CLUSTER) forget_launch();
    else if (!last.worker || last.block != h->block) remember_block(h);
    if (a->space == RT_GLOBAL) race_note_page(a->address, running_op);
    for (uintptr_t at = a->address, next; at < end; at = next) {
        next = (at | 3) + 1 < end ? (at | 3) + 1 : end;
        Cell *word = a->space == RT_SHARED ? race_shared_cell(o, h, at) : race_global_cell(at);
        if (word && plain && next - at == 4 && race_access_quickly(&q, n.stamp, n.writes, word)) continue;
        if (word) race_access_word(&n, word, at, (unsigned)(next - at));
    }
}

void rt_race_barrier(RtHere *h, uint32_t flags) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    if (o) race_barrier(o, h->linear, flags);
}

/* Lanes that follow each other, of whose positions nothing else is known. */
static bool leave_together(Order *o, const RtHere *h, const CucpuLanes *lanes) {
    uint32_t lane, n = first_run(lanes->mask, &lane), first = lanes->thread[lane];
    if (o->has_clocks || without_run(lanes->mask, lane, n) || lanes->thread[lane + n - 1] - first != n - 1)
        return false;
    uint32_t *epoch = o->epoch + rt_linear(h->launch, first);
    for (uint32_t i = 0; i < n; i++) epoch[i]++;
    return true;
}

void rt_race_barrier_lanes(RtHere *h, uint32_t flags, const CucpuLanes *lanes) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    if (!o || (!flags && leave_together(o, h, lanes))) return;
    for (uint64_t left = lanes->mask; left; left &= left - 1)
        race_barrier(o, rt_linear(h->launch, lanes->thread[__builtin_ctzll(left)]), flags);
}

void rt_race_warp(RtHere *h, uint32_t mask) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    if (o) race_warp(o, h->linear, mask);
}

void rt_race_fence(RtHere *h, bool block_scope) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    if (o) race_fence(o, h->linear, block_scope);
}

void rt_race_forget(const void *p, size_t bytes) { race_clear_cells((uintptr_t)p, bytes); }

/* ---- copies and fills ---- */

/* They take time only where a launch is not ordered with them: until one is, they are remembered as a whole. */
static Order copier;
static struct {
    RtTransfer t;
    uint32_t record;
} * transfers;
static size_t ntransfers, transfer_capacity;

static void access_word_of(const RtTransfer *t, uint32_t record, uintptr_t at, unsigned bytes) {
    CucpuSite site = {.flags = t->writes ? CUCPU_SITE_WRITE : CUCPU_SITE_READ};
    RtAccess a = {.site = &site, .address = at, .bytes = bytes, .space = RT_GLOBAL};
    Now n = {.o = &copier, .a = &a, .access = {.record = record}, .writes = t->writes};
    n.late = record < race_start();
    n.stamp = race_pack(&n.access);
    Cell *word = race_global_cell(at);
    if (word) race_access_word(&n, word, at, bytes);
}

static void access_transfer(const RtTransfer *t, uint32_t record) {
    for (size_t z = 0; z < t->depth; z++)
        for (size_t y = 0; y < t->height; y++) {
            uintptr_t at = (uintptr_t)t->address + z * t->slice + y * t->pitch, end = at + t->width;
            for (uintptr_t next; at < end; at = next) {
                next = (at | 3) + 1 < end ? (at | 3) + 1 : end;
                access_word_of(t, record, at, (unsigned)(next - at));
            }
        }
}

static void note_pages(const RtTransfer *t) {
    if (t->lifetime) return;
    for (size_t z = 0; z < t->depth; z++)
        for (size_t y = 0; y < t->height; y++) {
            uintptr_t at = (uintptr_t)t->address + z * t->slice + y * t->pitch, end = at + t->width;
            for (; at < end; at = (at | 4095) + 1) race_note_page(at, running_op);
        }
}

static void remember_transfer(const RtTransfer *t, uint32_t record) {
    if (ntransfers == transfer_capacity) {
        size_t more = transfer_capacity ? 2 * transfer_capacity : 64;
        void *grown = realloc(transfers, more * sizeof *transfers);
        if (!grown) return;
        transfers = grown, transfer_capacity = more;
    }
    transfers[ntransfers].t = *t, transfers[ntransfers++].record = record;
}

/* Those that are not before what begins, which finds them in shadow memory. */
static void add_transfers(void) {
    size_t keep = 0;
    for (size_t i = 0; i < ntransfers; i++) {
        const RaceLaunch *l = race_launch_of(transfers[i].record);
        if (!l || transfers[i].record < l->first || l->op <= rt_order_floor()) continue;
        if (l->before) transfers[keep++] = transfers[i];
        else access_transfer(&transfers[i].t, transfers[i].record);
    }
    ntransfers = keep;
}

/* Threads of the host that launch kernels take turns; a kernel that waits for those that it has launched lets them. */
static pthread_mutex_t turn;
static RT_TLS unsigned held;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_turn(void) {
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&turn, &a);
}

static void begin_launch(const RtLaunch *l, const RtTransfer *t) {
    race_open_pages();
    race_new_launch(l, t);
    running_op = rt_order_running();
    fresh = true;
    if (race_low() == 1) race_drop_shadow(&running); /* records begin again */
    forget_launch();
    add_transfers();
}

static void take_turn(void) {
    pthread_once(&once, make_turn);
    pthread_mutex_lock(&turn);
    held++;
}

static void end_turn(void) {
    race_settle();
    race_report();
    if (held == 1) race_close_pages();
    held--;
    pthread_mutex_unlock(&turn);
}

void rt_race_grid(RtLaunch *l, bool ended) {
    if (!ended) {
        take_turn();
        begin_launch(l, NULL);
        memset(last.pages, 0, sizeof last.pages);
        return;
    }
    forget_launch();
    if (suspended) {
        for (uint64_t i = 0; i < nsuspended; i++) race_drop_shadow(&suspended[i]);
        munmap(suspended, nsuspended * sizeof *suspended);
        suspended = NULL;
    }
    end_turn();
}

void rt_race_transfers(const RtTransfer *t, size_t n, bool ended) {
    if (ended) {
        end_turn();
        return;
    }
    take_turn();
    begin_launch(NULL, t);
    race_new_block(&copier, 0);
    uint32_t record = race_record(&copier, 0);
    for (size_t i = 0; i < n; i++) note_pages(&t[i]);
    for (size_t i = 0; record && i < n; i++)
        if (race_low() < record) access_transfer(&t[i], record);
        else remember_transfer(&t[i], record);
}

void rt_race_host_waited(void) {
    if (held) return;
    take_turn();
    race_close_pages();
    held--;
    pthread_mutex_unlock(&turn);
}

/* What a flag of the device tells the host is that all of its operation is done. */
static void acquire_for_host(uintptr_t p) {
    const Cell *c = race_global_cell(p);
    const Strong *more = c && !(c->more.s & CELL_SPLIT) ? race_strong(c) : NULL;
    for (int i = 0; i < 2 && more; i++) {
        const RaceLaunch *l = more->write[i] ? race_launch_of(race_record_of(more->write[i])) : NULL;
        if (l) rt_order_host(l->op);
    }
}

bool race_host_access(uintptr_t p, bool writes, const char *name) {
    RtTransfer t = {.address = (void *)p, .width = 1, .height = 1, .depth = 1, .writes = writes, .lifetime = true};
    t.name = name;
    uint64_t found = race_found;
    uint32_t op = rt_order_running();
    if (!op && !writes) acquire_for_host(p);
    uint32_t own = op ? 0 : rt_order_new();
    rt_order_run(op + own);
    rt_race_transfers(&t, 1, false);
    rt_race_transfers(&t, 1, true);
    rt_order_run(op);
    if (own) rt_order_host(own); /* what is enqueued from now on is after it */
    return race_found != found;
}

static void on_wait(bool begins) {
    static RT_TLS Order *waiting;
    static RT_TLS uint64_t nwaiting;
    static RT_TLS const RtLaunch *waiting_launch;
    if (!held) return;
    if (begins) {
        rt_running_worker(&waiting_launch);
        race_settle();
        forget_launch();
        waiting = suspended, nwaiting = nsuspended, suspended = NULL;
        for (unsigned i = 0; i < held; i++) pthread_mutex_unlock(&turn);
        return;
    }
    for (unsigned i = 0; i < held; i++) pthread_mutex_lock(&turn);
    suspended = waiting, nsuspended = nwaiting;
    for (uint64_t i = 0; suspended && i < nsuspended; i++) race_forget_acquires(&suspended[i]);
    begin_launch(waiting_launch, NULL); /* what the kernel did before the wait is before what it does now */
}

__attribute__((constructor)) static void begin(void) { rt_on_wait(on_wait); }
