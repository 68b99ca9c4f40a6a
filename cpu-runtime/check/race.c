/* race.c: races in shared and global memory: two accesses to a word, one of them a write, neither before the other
** (order.c), not both atomic.
**
** Shadow memory has a cell for each word of 4 bytes: the last write and the last reads, two of each by different
** threads, so that there is one that is not of the thread that asks.  A write that is reported or ordered after the
** reads takes their place.  Words that are accessed by parts have four cells.  The blocks of a grid run on one worker
** (options.c): the verdict does not depend on time. */
#define _GNU_SOURCE
#include "check/race.h"
#include "exec/children.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct Cell {
    Stamp write[2], read[2];
} Cell;
#define SPLIT UINT64_MAX /* write[0] of a word with four cells, which are at write[1] */

/* ---- shadow of global memory: 2^17 regions of 2^30 bytes ---- */

enum { REGION_BITS = 30, REGIONS = 1 << 17 };
static Cell **regions;

static void *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static Cell *global_cell(uintptr_t p) {
    if (!regions && !(regions = reserve(REGIONS * sizeof *regions))) return NULL;
    size_t r = p >> REGION_BITS;
    if (r >= REGIONS) return NULL;
    if (!regions[r] && !(regions[r] = reserve(((size_t)1 << REGION_BITS) / 4 * sizeof(Cell)))) return NULL;
    return &regions[r][(p & (((uintptr_t)1 << REGION_BITS) - 1)) / 4];
}

static Cell *shared_cell(Order *o, const RtHere *h, uintptr_t p) {
    size_t bytes = (h->shared_bytes / 4 + 1) * sizeof(Cell), i = (p - h->shared) / 4;
    if (bytes > o->shadow_bytes) {
        free(o->shadow);
        o->shadow = calloc(1, bytes);
        o->shadow_bytes = o->shadow ? bytes : 0;
    }
    return i * sizeof(Cell) < o->shadow_bytes ? (Cell *)o->shadow + i : NULL;
}

/* The cell of a byte, once the word is split. */
static Cell *part(Cell *word, unsigned byte) {
    if (word->write[0] != SPLIT) {
        Cell *four = malloc(4 * sizeof *four);
        if (!four) return NULL;
        for (int i = 0; i < 4; i++) four[i] = *word;
        word->write[0] = SPLIT;
        word->write[1] = (uintptr_t)four;
    }
    return (Cell *)word->write[1] + byte;
}

/* ---- one access of one cell ---- */

typedef struct Now {
    RtHere *h;
    Order *o;
    const RtAccess *a;
    Access access;
    Stamp stamp;
    bool writes;
} Now;

static bool is_live(const Now *n, Stamp s) {
    if (!s) return false;
    uint32_t record = (uint32_t)(s >> 36);
    return n->a->space == RT_SHARED ? record >= n->o->first_record && race_block_of(record) == n->o->block
                                    : race_is_current(record);
}

static bool same_thread(Stamp a, Stamp b) {
    return (a >> 26 & 1023) == (b >> 26 & 1023) &&
           race_block_of((uint32_t)(a >> 36)) == race_block_of((uint32_t)(b >> 36));
}

/* A flag that is polled: the write is an atomic, or volatile after a fence; the read is either. */
static bool is_flag(const Access *write, const Access *read) {
    return (write->atomic || (write->is_volatile && write->fenced)) && (read->atomic || read->is_volatile);
}

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
    if (!is_live(n, s)) return;
    Access b = race_unpack(s);
    if (may_meet(n, &b, wrote) || race_before(n->o, n->access.thread, &b)) return;
    Hazard z = {.before = b, .after = n->access, .before_writes = wrote, .after_writes = n->writes};
    z.blocks[0] = race_block_of(b.record), z.blocks[1] = n->o->block;
    z.space = n->a->space, z.bytes = bytes, z.memory = (const void *)at;
    z.address = n->a->space == RT_SHARED ? at - n->h->shared : at;
    race_hazard(n->h, &z);
}

/* Keeps stamps of two threads, of two blocks if there are.  A plain access of a thread is not replaced by an atomic
** one. */
static void keep(const Now *n, Stamp slot[2]) {
    Stamp s = n->stamp;
    for (int i = 0; i < 2; i++)
        if (!is_live(n, slot[i])) slot[i] = 0;
    for (int i = 0; i < 2; i++)
        if (slot[i] && same_thread(slot[i], s)) {
            bool weaker = !race_unpack(slot[i]).atomic && n->access.atomic && slot[i] >> 36 == s >> 36;
            if (!weaker) slot[i] = s;
            return;
        }
    if (!slot[0]) slot[0] = s;
    else if (!slot[1]) slot[1] = s;
    else {
        bool own = race_block_of((uint32_t)(slot[0] >> 36)) == n->o->block &&
                   race_block_of((uint32_t)(slot[1] >> 36)) != n->o->block;
        slot[own ? 0 : 1] = s;
    }
}

static void access_cell(const Now *n, Cell *c, uintptr_t at, unsigned bytes) {
    for (int i = 0; i < 2; i++) compare(n, c->write[i], true, at, bytes);
    if (!n->writes) {
        keep(n, c->read);
        return;
    }
    for (int i = 0; i < 2; i++) compare(n, c->read[i], false, at, bytes);
    bool among = n->access.atomic && is_live(n, c->write[0]) && race_unpack(c->write[0]).atomic;
    if (!among) c->write[0] = c->write[1] = 0;
    keep(n, c->write);
    c->read[0] = c->read[1] = 0;
}

/* ---- what is quick to see ---- */

/* Plain accesses of the block that runs, where all that was done to the word is of earlier launches, of earlier epochs
** of the block, or of the thread itself: the same as access_cell, by comparisons of records. */
typedef struct Quick {
    uint32_t low, first, earlier, thread; /* live records; records of the block; see Order */
} Quick;

static uint32_t record_of(Stamp s) { return (uint32_t)(s >> 36); }

static bool is_own(const Quick *q, Stamp s) {
    return record_of(s) >= q->first && (uint32_t)(s >> 26 & 1023) == q->thread;
}

static bool is_before(const Quick *q, Stamp s) {
    uint32_t r = record_of(s);
    return r < q->low || (r >= q->first && r < q->earlier) || is_own(q, s);
}

static void keep_read(const Quick *q, Stamp slot[2], Stamp s) {
    bool other = record_of(slot[0]) >= q->first && record_of(slot[1]) < q->first;
    int i = record_of(slot[0]) >= q->low && is_own(q, slot[0])   ? 0
            : record_of(slot[1]) >= q->low && is_own(q, slot[1]) ? 1
            : record_of(slot[0]) < q->low                        ? 0
            : record_of(slot[1]) < q->low                        ? 1
            : other                                              ? 0
                                                                 : 1;
    slot[i] = s;
}

static bool access_quickly(const Quick *q, Stamp stamp, bool writes, Cell *c) {
    if (c->write[0] == SPLIT || !is_before(q, c->write[0]) || !is_before(q, c->write[1])) return false;
    if (!writes) return keep_read(q, c->read, stamp), true;
    if (!is_before(q, c->read[0]) || !is_before(q, c->read[1])) return false;
    c->write[0] = stamp;
    c->write[1] = c->read[0] = c->read[1] = 0;
    return true;
}

static void access_word(const Now *n, Cell *word, uintptr_t at, unsigned bytes) {
    bool whole = bytes == 4 && word->write[0] != SPLIT;
    if (whole) {
        access_cell(n, word, at, 4);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        Cell *c = part(word, (unsigned)(at + i) & 3);
        if (c) access_cell(n, c, at + i, 1);
    }
}

/* ---- blocks ---- */

static Order running, *suspended; /* of grids whose blocks are left and entered again: one for each */
static uint64_t nsuspended, launch_of_running;
static bool fresh = true;

static Order *order_of(const RtHere *h) {
    uint32_t leaves = CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER;
    if (h->launch->kernel->abi->flags & leaves) {
        if (!suspended) {
            nsuspended = h->launch->blocks;
            suspended = reserve(nsuspended * sizeof *suspended);
            if (!suspended) return NULL;
        }
        Order *o = &suspended[h->block];
        if (!o->first_record) race_new_block(o, h->block);
        return o;
    }
    if (fresh || running.block != h->block || launch_of_running != h->number) {
        race_new_block(&running, h->block);
        fresh = false, launch_of_running = h->number;
    }
    return &running;
}

/* ---- what access.c calls ---- */

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

static void forget_thread(void) { last.thread = CUCPU_NO_THREAD; }

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
    *known = page;
    last.quick.low = race_first_of_launch();
    return global_cell(p);
}

bool rt_race_quickly(const CucpuSite *site, uintptr_t p, uint32_t thread, uint64_t bytes) {
    const uint32_t others = CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE | CUCPU_SITE_LOCAL;
    if (!last.worker || last.worker->block != last.block || site->flags & others || bytes != 4 || p % 4 ||
        race_npending)
        return false;
    if (thread != last.thread && !change_thread(thread)) return false;
    Cell *c = quick_cell(site, p);
    Stamp stamp = last.stamp | (site->number <= MAX_SITE ? site->number : 0);
    return c && access_quickly(&last.quick, stamp, (site->flags & CUCPU_SITE_WRITE) != 0, c);
}

void rt_race_access(RtHere *h, const RtAccess *a) {
    race_settle();
    forget_thread();
    if (a->space == RT_LOCAL) return;
    Order *o = order_of(h);
    uint32_t record = o ? race_record(o, h->linear) : 0;
    if (!record) return;
    const uint32_t strong = CUCPU_SITE_ATOMIC | CUCPU_SITE_VOLATILE;
    Now n = {.h = h, .o = o, .a = a, .writes = (a->site->flags & CUCPU_SITE_WRITE) != 0};
    n.access = (Access){.record = record, .thread = h->linear, .clock = o->clock[h->linear]};
    n.access.site = a->site->number <= MAX_SITE ? a->site->number : 0;
    n.access.atomic = (a->site->flags & CUCPU_SITE_ATOMIC) != 0;
    n.access.is_volatile = (a->site->flags & CUCPU_SITE_VOLATILE) != 0;
    n.access.fenced = o->fence_epoch[h->linear] && o->flag_fence[h->linear];
    n.access.block_scope = (a->site->flags & CUCPU_SITE_BLOCK) != 0;
    if (a->site->flags & strong) race_synchronise(o, h->linear, a->address, a->site);
    n.access.clock = o->clock[h->linear];
    n.stamp = race_pack(&n.access);
    uintptr_t end = a->address + a->bytes;
    Quick q = {.first = o->first_record, .earlier = o->mixed ? 0 : o->earlier, .thread = h->linear};
    q.low = a->space == RT_SHARED ? q.first : race_first_of_launch();
    bool plain = o == &running && !(a->site->flags & strong);
    if (o != &running || h->launch->kernel->abi->flags & CUCPU_KERNEL_CLUSTER) forget_launch();
    else if (!last.worker || last.block != h->block) remember_block(h);
    for (uintptr_t at = a->address, next; at < end; at = next) {
        next = (at | 3) + 1 < end ? (at | 3) + 1 : end;
        Cell *word = a->space == RT_SHARED ? shared_cell(o, h, at) : global_cell(at);
        if (word && plain && next - at == 4 && access_quickly(&q, n.stamp, n.writes, word)) continue;
        if (word) access_word(&n, word, at, (unsigned)(next - at));
    }
}

void rt_race_barrier(RtHere *h, uint32_t flags) {
    race_settle();
    forget_thread();
    Order *o = order_of(h);
    if (o) race_barrier(o, h->linear, flags);
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

void rt_race_forget(const void *p, size_t bytes) {
    uintptr_t at = (uintptr_t)p & ~(uintptr_t)3, end = (uintptr_t)p + bytes;
    for (; at < end; at += 4) {
        Cell *word = global_cell(at);
        if (word && word->write[0] == SPLIT) free((Cell *)word->write[1]);
        if (word) *word = (Cell){{0}, {0}};
    }
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

void rt_race_grid(RtLaunch *l, bool ended) {
    pthread_once(&once, make_turn);
    if (ended) forget_launch();
    if (!ended) {
        pthread_mutex_lock(&turn);
        held++;
        race_new_launch();
        fresh = true;
        forget_launch();
        memset(last.pages, 0, sizeof last.pages);
        return;
    }
    race_settle();
    race_report(&(RtHere){.launch = l});
    if (suspended) {
        for (uint64_t i = 0; i < nsuspended; i++) free(suspended[i].shadow);
        munmap(suspended, nsuspended * sizeof *suspended);
        suspended = NULL;
    }
    race_end_launch();
    held--;
    pthread_mutex_unlock(&turn);
}

static void on_wait(bool begins) {
    static RT_TLS Order *waiting;
    static RT_TLS uint64_t nwaiting;
    if (!held) return;
    if (begins) {
        race_settle();
        forget_launch();
        waiting = suspended, nwaiting = nsuspended, suspended = NULL;
        for (unsigned i = 0; i < held; i++) pthread_mutex_unlock(&turn);
        return;
    }
    for (unsigned i = 0; i < held; i++) pthread_mutex_lock(&turn);
    suspended = waiting, nsuspended = nwaiting;
    for (uint64_t i = 0; suspended && i < nsuspended; i++) race_forget_acquires(&suspended[i]);
    race_new_launch(); /* what the kernel did before the wait is before what it does now */
    fresh = true;
    forget_launch();
}

__attribute__((constructor)) static void begin(void) { rt_on_wait(on_wait); }
