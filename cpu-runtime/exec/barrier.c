/* barrier.c: which barriers of a block are met, for kernels whose groups may wait at different ones.
**
** in:  where every group of the block has stopped (CucpuWait of abi.h); none can go on by itself
** out: the groups whose barrier is met are released, or the kernel ends with an error that names the
**      barrier, who has arrived and who is missing
** A barrier of n threads is met when warps with n threads in total wait at it.  As in hardware a
** warp counts whole: lanes that do not exist or have returned count as arrived as soon as the rest of
** the warp has.  If more than n wait, the first n go on, then the next n.  A barrier of the whole
** block, or of the grid, waits for all threads that have not returned.
** A group that arrives without waiting (CUCPU_WAIT_ARRIVE) is counted in `arrivals` and goes on.
** A group that only polls (CUCPU_WAIT_YIELD), or has come to a cut (the same with the count 0), waits for nothing: it
** runs again in the next phase.
** After POLLS phases in which all groups that can go on poll, the core is lent to other threads.
** The barrier of the cluster counts threads as they are: those of a block have arrived when all have that have not
** returned.  Then, or when all that can go on poll for other blocks, the block is left (cluster.c); entered again,
** it finds out whether the barrier is met. A group arrives once before it waits, so one that waits without having
** arrived since the barrier was last met need not wait. Threads that wait in warp-level functions are warp.c's. */
#include "exec/barrier.h"
#include "exec/fault.h"
#include "exec/worker.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { POLLS = 64 };                                  /* some microseconds */
enum { NUMBERS = CUCPU_BARRIERS + CUCPU_TILE_COUNT }; /* of barriers: those of the block, then those of tiles */

/* A warp, or a group if that is larger, at one barrier. */
typedef struct Unit {
    uint32_t first, end;      /* groups */
    uint32_t here, elsewhere; /* threads of groups that wait here, or at another barrier */
    uint32_t all;             /* threads of all groups */
} Unit;

static uint32_t first_thread(const Phase *p, uint32_t g) {
    if (p->b->layout == CUCPU_LAYOUT_GENERAL) return g * p->b->width;
    return g / p->per_row * p->row + g % p->per_row * p->b->width;
}

static uint32_t lanes(const Phase *p, uint32_t g) {
    uint32_t left =
        p->b->layout == CUCPU_LAYOUT_GENERAL ? p->l->threads - g * p->b->width : p->row - g % p->per_row * p->b->width;
    return left < p->b->width ? left : p->b->width;
}

static bool is_tile(uint32_t id) { return id - CUCPU_TILES < CUCPU_TILE_COUNT; }
static uint32_t number_of(uint32_t id) {
    return is_tile(id) ? id - CUCPU_TILES + CUCPU_BARRIERS : id < CUCPU_BARRIERS ? id : NUMBERS;
}
static uint32_t id_of(uint32_t number) {
    return number < CUCPU_BARRIERS ? number : number - CUCPU_BARRIERS + CUCPU_TILES;
}

static bool ended(const CucpuWait *w) { return w->region == CUCPU_WAIT_ENDED; }

void barrier_pass(Phase *p, uint32_t g) {
    CucpuWait *w = &p->waits[g];
    w->region &= ~CUCPU_WAIT_STOPPED;
    p->passed++;
    p->pending[w->region / 64] |= UINT64_C(1) << (w->region % 64);
}

/* All that have not returned wait at one barrier of the whole block or of the grid. */
static bool all_at_one(const Phase *p, const CucpuWait *first) {
    if (first->count != CUCPU_WAIT_ALL) return false;
    if (first->id < CUCPU_BARRIERS && p->arrivals[first->id]) return false;
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        if (!ended(w) && (w->id != first->id || w->count != CUCPU_WAIT_ALL)) return false;
    }
    return true;
}

static Unit next_unit(const Phase *p, uint32_t from, uint32_t id) {
    Unit u = {.first = from, .end = from};
    uint32_t warp = first_thread(p, from) / p->b->warp_size;
    for (; u.end < p->groups && first_thread(p, u.end) / p->b->warp_size == warp; u.end++) {
        const CucpuWait *w = &p->waits[u.end];
        uint32_t n = lanes(p, u.end);
        u.all += n;
        if (ended(w)) continue;
        if (w->region & CUCPU_WAIT_STOPPED && w->id == id) u.here += n;
        else u.elsewhere += n;
    }
    return u;
}

static uint32_t counts_as(const Phase *p, const Unit *u) {
    if (!u->here) return 0;
    return u->elsewhere ? u->here : (uint32_t)RT_ROUND(u->all, p->b->warp_size);
}

/* ---- no barrier is met ---- */

_Noreturn void barrier_fault(const Phase *p, uint32_t g, const char *why) {
    const CucpuWait *at = &p->waits[g];
    char where[512], what[64];
    uint32_t region = at->region & ~CUCPU_WAIT_STOPPED, elsewhere = 0, gone = 0;
    uint32_t here = at->id < CUCPU_BARRIERS ? p->arrivals[at->id] : 0;
    for (uint32_t i = 0; i < p->groups; i++) {
        const CucpuWait *w = &p->waits[i];
        *(ended(w) ? &gone : w->id == at->id ? &here : &elsewhere) += lanes(p, i);
    }
    rt_describe_kernel(where, sizeof where);
    if (at->id == CUCPU_WAIT_GRID) strcpy(what, "barrier of the grid");
    else if (at->id == CUCPU_WAIT_CLUSTER) strcpy(what, "barrier of the cluster");
    else if (at->id == CUCPU_WAIT_YIELD) strcpy(what, "loop that polls");
    else if (at->count == CUCPU_WAIT_ALL) snprintf(what, sizeof what, "barrier %u", at->id);
    else if (is_tile(at->id)) snprintf(what, sizeof what, "barrier of a tile of %u threads", at->count);
    else snprintf(what, sizeof what, "barrier %u of %u threads", at->id, at->count);
    const char *file = p->b->files[region];
    rt_tell_stuck(at->id == CUCPU_WAIT_YIELD ? NULL : "block", file, p->b->lines[region]);
    rt_message("%s: %s:%u: %s cannot %s: %s: %u threads have arrived, %u wait elsewhere, %u have returned", where,
               file ? file : "?", p->b->lines[region], what, at->id == CUCPU_WAIT_YIELD ? "end" : "be met", why, here,
               elsewhere, gone);
    rt_worker_fault(cudaErrorLaunchFailure);
}

/* ---- named barriers ---- */

static uint32_t threads_left(const Phase *p) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < p->groups;) {
        Unit u = next_unit(p, g, CUCPU_WAIT_GRID);
        if (u.here || u.elsewhere) n += (uint32_t)RT_ROUND(u.all, p->b->warp_size);
        g = u.end;
    }
    return n;
}

/* The number of threads that barrier `id` waits for; all who wait must agree. */
static uint32_t wanted(const Phase *p, uint32_t id, uint32_t left, uint32_t *waiting) {
    uint32_t want = 0;
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        if (ended(w) || !(w->region & CUCPU_WAIT_STOPPED) || w->id != id) continue;
        uint32_t n = w->count == CUCPU_WAIT_ALL ? left : w->count;
        if (!n || n % p->b->warp_size) barrier_fault(p, g, "the number of threads is not a multiple of the warp size");
        if (want && n != want) barrier_fault(p, g, "its threads name different numbers of threads");
        want = n;
        ++*waiting;
    }
    return want;
}

/* Lets the first `want` threads go on; false = there are not so many. */
static bool meet(Phase *p, uint32_t id, uint32_t want) {
    uint32_t sum = is_tile(id) ? 0 : p->arrivals[id], end = 0;
    while (sum < want && end < p->groups) {
        Unit u = next_unit(p, end, id);
        sum += counts_as(p, &u);
        end = u.end;
    }
    if (sum < want) return false;
    if (!is_tile(id)) p->arrivals[id] = sum > want && !end ? sum - want : 0;
    for (uint32_t g = 0; g < end; g++) {
        const CucpuWait *w = &p->waits[g];
        if (!ended(w) && w->region & CUCPU_WAIT_STOPPED && w->id == id) barrier_pass(p, g);
    }
    return true;
}

static void settle(Phase *p, uint32_t id, uint32_t left) {
    for (bool more = true; more;) {
        uint32_t waiting = 0, want = wanted(p, id, left, &waiting);
        more = waiting && meet(p, id, want);
    }
}

static bool is_arrival(const CucpuWait *w) {
    return w->count != CUCPU_WAIT_ALL && w->count & CUCPU_WAIT_ARRIVE && w->id < CUCPU_BARRIERS;
}

/* The group counts as arrived and goes on.  The last group of a block counts with the lanes that its warp lacks. */
static void arrive(Phase *p, uint32_t g) {
    uint32_t n = lanes(p, g), want = p->waits[g].count & ~CUCPU_WAIT_ARRIVE, end = first_thread(p, g) + n;
    if (!want || want % p->b->warp_size)
        barrier_fault(p, g, "the number of threads is not a multiple of the warp size");
    if (end == p->l->threads) n += (uint32_t)RT_ROUND(end, p->b->warp_size) - end;
    p->arrivals[p->waits[g].id] += n;
}

/* A barrier at which enough have arrived and none waits is met as well. */
static void settle_arrivals(Phase *p) {
    uint32_t want[CUCPU_BARRIERS] = {0};
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        if (ended(w) || barrier_is_warp(w) || !is_arrival(w)) continue;
        want[w->id] = w->count & ~CUCPU_WAIT_ARRIVE;
        arrive(p, g);
        barrier_pass(p, g);
    }
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        if (!ended(w) && w->region & CUCPU_WAIT_STOPPED && w->id < CUCPU_BARRIERS) want[w->id] = 0;
    }
    for (uint32_t i = 0; i < CUCPU_BARRIERS; i++)
        while (want[i] && p->arrivals[i] >= want[i]) p->arrivals[i] -= want[i];
}

/* ---- the barrier of the cluster ---- */

static bool waits_for_cluster(const CucpuWait *w) {
    return !ended(w) && w->region & CUCPU_WAIT_STOPPED && w->id == CUCPU_WAIT_CLUSTER;
}

static bool has_arrived(const Phase *p, uint32_t g) { return p->arrivals[CUCPU_BARRIERS + g / 32] >> g % 32 & 1; }

void barrier_enter(Phase *p) {
    p->block = rt_left_block(&p->cluster);
    if (!p->block || !p->block->met) return;
    p->block->met = 0;
    for (uint32_t g = 0; g < p->groups; g++)
        if (waits_for_cluster(&p->waits[g]) && p->waits[g].count & CUCPU_CLUSTER_WAITS && has_arrived(p, g))
            barrier_pass(p, g);
    memset(p->arrivals + CUCPU_BARRIERS, 0, CUCPU_CLUSTER_BYTES);
}

static void settle_at_cluster(Phase *p, uint32_t g) {
    uint32_t what = p->waits[g].count;
    if (what & CUCPU_CLUSTER_ARRIVES) p->arrivals[CUCPU_BARRIERS + g / 32] |= UINT32_C(1) << g % 32;
    if (!(what & CUCPU_CLUSTER_WAITS) || !has_arrived(p, g)) barrier_pass(p, g);
}

static bool all_have_arrived(const Phase *p) {
    if (!p->cluster) return false;
    for (uint32_t g = 0; g < p->groups; g++)
        if (!ended(&p->waits[g]) && !has_arrived(p, g)) return false;
    return true;
}

static uint32_t leave(const Phase *p, uint32_t why) {
    if (!p->block) return CUCPU_RELEASED_LEAVE;
    p->block->why = why;
    p->block->ready = all_have_arrived(p);
    return CUCPU_RELEASED_LEAVE;
}

/* The common case in few steps: all that have not returned have come to a barrier that they arrive at and wait for. */
static bool meet_cluster(const Phase *p) {
    if (!p->cluster || p->passed) return false;
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        if (!ended(w) && (w->id != CUCPU_WAIT_CLUSTER || w->count != (CUCPU_CLUSTER_ARRIVES | CUCPU_CLUSTER_WAITS)))
            return false;
    }
    memset(p->arrivals + CUCPU_BARRIERS, 0xff, CUCPU_CLUSTER_BYTES);
    return true;
}

uint32_t barrier_leave(const Phase *p) {
    if (!p->block) return 0;
    if (!barrier_any_passed(p)) return all_have_arrived(p) ? leave(p, CUCPU_LEFT_CLUSTER) : 0;
    return p->passed == p->polled && p->cluster > 1 ? leave(p, CUCPU_LEFT_POLLS) : 0;
}

/* ---- one look ---- */

void barrier_open(Phase *p) {
    const CucpuBarriers *b = p->b;
    p->row = b->row ? b->row : p->l->block[b->along];
    p->per_row = (p->row + b->width - 1) / b->width;
    p->groups = b->layout == CUCPU_LAYOUT_GENERAL ? (p->l->threads + b->width - 1) / b->width
                                                  : p->l->threads / p->row * p->per_row;
    memset(p->pending, 0, (b->regions / 64 + 1) * sizeof *p->pending);
}

void barrier_settle(Phase *p) {
    uint64_t used[NUMBERS / 64 + 1] = {0}, any = 0;
    settle_arrivals(p);
    for (uint32_t g = 0; g < p->groups; g++) {
        const CucpuWait *w = &p->waits[g];
        bool stopped = w->region & CUCPU_WAIT_STOPPED;
        if (ended(w) || !stopped || w->id == CUCPU_WAIT_GRID || barrier_is_warp(w)) continue;
        if (w->id == CUCPU_WAIT_YIELD) p->polled += w->count, barrier_pass(p, g);
        else if (w->id == CUCPU_WAIT_CLUSTER) settle_at_cluster(p, g);
        else if (number_of(w->id) == NUMBERS) barrier_fault(p, g, "there is no barrier of this number");
        else any |= used[number_of(w->id) / 64] |= UINT64_C(1) << number_of(w->id) % 64;
    }
    uint32_t left = any ? threads_left(p) : 0;
    for (uint32_t i = 0; any && i <= NUMBERS / 64; i++)
        for (; used[i]; used[i] &= used[i] - 1) settle(p, id_of(64 * i + (uint32_t)__builtin_ctzll(used[i])), left);
}

bool barrier_any_passed(const Phase *p) {
    uint64_t any = 0;
    for (uint32_t i = 0; i <= p->b->regions / 64; i++) any |= p->pending[i];
    return any != 0;
}

/* A block whose groups all poll waits for another block: if there are more threads
** than cores, the worker of that one may need this core. */
void barrier_end_phase(const Phase *p) {
    static _Thread_local uint32_t idle;
    if (p->passed != p->polled) {
        idle = 0;
        return;
    }
    if (RT_UNLIKELY(rt_polls_in_vain())) {
        uint32_t g = 0;
        while (ended(&p->waits[g]) || p->waits[g].id != CUCPU_WAIT_YIELD) g++;
        barrier_fault(p, g, "nobody has stored anything for seconds");
    }
    rt_worker_polls();
    if (++idle > POLLS) sched_yield();
}

uint32_t cucpu_take_region(uint64_t *pending, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        if (!pending[i]) continue;
        uint32_t region = 64 * i + (uint32_t)__builtin_ctzll(pending[i]);
        pending[i] &= pending[i] - 1;
        return region;
    }
    return 0;
}

uint32_t cucpu_barrier_release(const CucpuBarriers *barriers, const CucpuLaunch *launch, CucpuWait *waits,
                               uint64_t *pending, uint32_t *arrivals) {
    Phase p = {.b = barriers, .l = launch, .waits = waits, .pending = pending, .arrivals = arrivals};
    barrier_open(&p);
    barrier_enter(&p);
    uint32_t first = 0;
    while (first < p.groups && ended(&waits[first])) first++;
    if (first == p.groups) return CUCPU_RELEASED_NONE;
    if (!p.passed && all_at_one(&p, &waits[first])) {
        for (uint32_t g = first; g < p.groups; g++)
            if (!ended(&waits[g])) barrier_pass(&p, g);
        return waits[first].id == CUCPU_WAIT_GRID ? leave(&p, CUCPU_LEFT_GRID) : CUCPU_RELEASED_SOME;
    }
    if (meet_cluster(&p)) return leave(&p, CUCPU_LEFT_CLUSTER);
    barrier_settle(&p);
    uint32_t left = barrier_leave(&p);
    if (left) return left;
    if (!barrier_any_passed(&p)) barrier_fault(&p, first, "nothing can go on");
    barrier_end_phase(&p);
    return CUCPU_RELEASED_SOME;
}
