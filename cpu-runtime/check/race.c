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

/* Threads of a group whose positions differ by their numbers alone, which follow each other: until one changes. */
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

/* False: its position has no record yet. */
static bool change_thread(uint32_t thread) {
    uint32_t t = linear_of(thread);
    if (thread == CUCPU_NO_THREAD || running.record_epoch != running.epoch[t] || running.record_grid != running.grid[t])
        return false;
    Access a = {.record = running.record, .thread = t, .clock = running.clock[t]};
    a.fenced = running.fence_epoch[t] && running.flag_fence[t];
    last.stamp = race_pack(&a);
    last.thread = thread;
    last.quick = (Quick){.first = running.first_record, .earlier = running.mixed ? 0 : running.earlier, .thread = t};
    last.quick.warps = running.warps;
    return running.record != 0;
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
        return offset / 4 * sizeof(Cell) < running.shadow_bytes ? (Cell *)running.shadow + offset / 4 : NULL;
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

bool rt_race_quickly(const CucpuSite *site, uintptr_t p, uint32_t thread, uint64_t bytes) {
    const uint32_t others = CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE | CUCPU_SITE_LOCAL;
    if (!last.worker || last.worker->block != last.block || site->flags & others || bytes % 4 || bytes > 16 || p % 4 ||
        race_npending)
        return false;
    if (thread != last.thread && !change_thread(thread)) return false;
    bool writes = (site->flags & CUCPU_SITE_WRITE) != 0;
    stores += writes;
    Stamp stamp = last.stamp | (site->number <= MAX_SITE ? site->number : 0);
    for (uint64_t i = 0; i < bytes; i += 4) { /* what is done twice is done once */
        Cell *c = quick_cell(site, p + i);
        if (!c || !race_access_quickly(&last.quick, stamp, writes, c)) return false;
    }
    return true;
}

/* ---- groups ---- */

/* A position that only its epoch tells from that of other threads. */
static bool is_plain_position(uint32_t t) {
    return running.record_epoch == running.epoch[t] && running.record_grid == running.grid[t] && !running.clock[t] &&
           !running.fence_epoch[t];
}

static bool know_group(const uint32_t *thread, uint32_t n) {
    if (known_group.record && known_group.record == running.record && known_group.first == thread[0] &&
        n <= known_group.n)
        return true;
    uint32_t t = linear_of(thread[0]);
    known_group.record = 0;
    if (!change_thread(thread[0])) return false;
    last.thread = CUCPU_NO_THREAD;
    for (uint32_t i = 0; i < n; i++)
        if (linear_of(thread[i]) != t + i || !is_plain_position(t + i)) return false;
    known_group.first = thread[0], known_group.n = n, known_group.linear = t;
    known_group.record = running.record;
    return true;
}

/* Lanes of a row: words that follow each other, or one word. */
static Cell *cells_of_row(const CucpuSite *site, const uint64_t *at, uint32_t n, bool strided, size_t *stride) {
    uint64_t step = n > 1 ? at[1] - at[0] : 4, wrong = (at[0] & 3) | (step & ~(uint64_t)4);
    for (uint32_t i = 0; i < n && !strided; i++) wrong |= at[i] ^ (at[0] + step * i);
    if (wrong) return NULL;
    *stride = step / 4;
    Cell *low = quick_cell(site, at[0]), *high = step ? quick_cell(site, at[n - 1]) : low;
    return low && high == low + *stride * (n - 1) ? low : NULL;
}

/* All that is to be known of reads of the word at this position is kept: those of two warps, after its last write. */
static inline bool is_read_by_two_warps(const Quick *q, const Cell *c, Stamp s) {
    uint32_t wrote = race_record_of(c->write);
    uint64_t other = ((c->read[0] ^ s) | (c->read[1] ^ s)) >> 36;
    bool two = (c->read[0] ^ c->read[1]) >> 31 & 31,
         before = (wrote < q->low) | (wrote - q->first < q->earlier - q->first);
    return !(other | c->more) & two & before;
}

static bool is_row_read(const Quick *q, const Cell *c, size_t stride, uint32_t n, Stamp s) {
    bool all = !q->warps && q->earlier >= q->first;
    for (uint32_t i = 0; i < (stride ? n : 1) && all; i++) all &= is_read_by_two_warps(q, c + i, s);
    return all;
}

static bool access_row(Cell *c, size_t stride, uint32_t n, Stamp s, bool writes) {
    Quick q = last.quick;
    if (!writes && is_row_read(&q, c, stride, n, s)) return true;
    for (uint32_t i = 0; i < n; i++, c += stride, s += (Stamp)1 << 26, q.thread++)
        if (!race_access_quickly(&q, s, writes, c)) return false;
    return true;
}

static bool access_lanes(const CucpuSite *site, const uint64_t *at, uint32_t n, uint64_t bytes, Stamp s, bool writes) {
    uint32_t t = last.quick.thread;
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < bytes; k += 4) {
            Cell *c = at[i] % 4 ? NULL : quick_cell(site, at[i] + k);
            last.quick.thread = t + i;
            if (!c || !race_access_quickly(&last.quick, s + ((Stamp)i << 26), writes, c)) return false;
        }
    return true;
}

bool rt_race_lanes_quickly(const CucpuSite *site, const CucpuLanes *lanes, uint64_t bytes, bool strided) {
    const uint32_t others = CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE | CUCPU_SITE_LOCAL;
    if (!last.worker || last.worker->block != last.block || site->flags & others || bytes % 4 || bytes > 16 ||
        race_npending)
        return false;
    bool writes = (site->flags & CUCPU_SITE_WRITE) != 0;
    stores += writes;
    for (uint64_t left = lanes->mask; left;) { /* lanes that follow each other */
        uint32_t first = (uint32_t)__builtin_ctzll(left), n = (uint32_t)__builtin_ctzll(~(left >> first) | 1ull << 63);
        if (left >> first == UINT64_MAX) n = 64;
        if (!know_group(lanes->thread + first, n)) return false;
        Stamp s = (Stamp)running.record << 36 | (Stamp)known_group.linear << 26 |
                  (site->number <= MAX_SITE ? site->number : 0);
        last.quick.thread = known_group.linear;
        size_t stride = 0;
        Cell *row = bytes == 4 ? cells_of_row(site, lanes->address + first, n, strided, &stride) : NULL;
        bool ok = row ? access_row(row, stride, n, s, writes)
                      : access_lanes(site, lanes->address + first, n, bytes, s, writes);
        if (!ok) return false;
        left = first + n == 64 ? 0 : left & ~((uint64_t)0) << (first + n);
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

void rt_race_barrier_lanes(RtHere *h, uint32_t flags, const CucpuLanes *lanes) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    for (uint64_t left = o ? lanes->mask : 0; left; left &= left - 1)
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
    const Strong *more = c && !(c->more & CELL_SPLIT) ? (const Strong *)c->more : NULL;
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
