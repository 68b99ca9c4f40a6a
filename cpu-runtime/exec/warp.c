/* warp.c: warp-level functions of kernels at width 1, where every thread is a group of its own.
**
** in:  where every thread of the block has stopped (CucpuWait), and what those in warp-level
**      functions have brought along (CucpuExchange); no thread can go on by itself
** out: threads whose function is complete have its result and are released
** A function with a member mask is complete when all threads of the warp that the mask names, and
** that have not returned, wait in it with the same mask: at whatever point of the program, as CUDA
** allows since compute capability 7.0.  A thread that is not in its own mask goes along with those
** that are.  What a lane that is not there holds is undefined in CUDA; here it is one's own value.
** __activemask(), and code that counts on lanes in step, wait for no one in particular.  They go on
** when nothing else in their warp can: first those who are earliest in the program, so that lanes
** which have run apart come together again as they would in hardware.  MAX_AGE keeps the others
** from waiting forever for threads that poll.
** At a warp size of 64 a mask of all ones names all lanes. */
#include "exec/barrier.h"
#include "exec/fault.h"
#include "exec/worker.h"
#include <stdio.h>

enum { MAX_LANES = 64, MAX_AGE = 64 };

typedef struct Warp {
    Phase *p;
    CucpuWait *w; /* of its lanes */
    CucpuExchange *x;
    uint32_t first, lanes;
    uint64_t live, waiting; /* have not returned; wait in a function with a member mask */
    bool others;            /* some wait for a barrier, or poll */
} Warp;

static const char *const names[] = {"__syncwarp",        "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",
                                    "__shfl_xor_sync",   "__ballot_sync",     "__any_sync",        "__all_sync",
                                    "__uni_sync",        "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync",
                                    "__reduce_min_sync", "__reduce_max_sync", "__reduce_min_sync", "__reduce_max_sync",
                                    "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync"};

#define EACH_LANE(l, set)                                                                                              \
    for (uint64_t left_##l = (set), l; left_##l && (l = (uint64_t)__builtin_ctzll(left_##l), 1);                       \
         left_##l &= left_##l - 1)

static uint32_t op_of(const CucpuWait *w) { return w->id & 0xff; }

static uint64_t lanes_of_mask(uint32_t mask) { return mask == UINT32_MAX ? UINT64_MAX : mask; }

static _Noreturn void warp_fault(const Warp *w, uint32_t lane, const char *why) {
    const CucpuWait *at = &w->w[lane];
    char where[512];
    uint32_t region = at->region & ~CUCPU_WAIT_STOPPED, here = 0;
    EACH_LANE(l, w->waiting) here += w->w[l].count == at->count;
    rt_describe_kernel(where, sizeof where);
    const char *file = w->p->b->files[region];
    rt_tell_stuck("warp", file, w->p->b->lines[region]);
    rt_message("%s: %s:%u: %s with mask 0x%08x cannot be met: %s: %u threads of the warp of thread %u have "
               "arrived, %u are elsewhere, %u have returned",
               where, file ? file : "?", w->p->b->lines[region], names[op_of(at)], at->count, why, here,
               w->first + lane, (uint32_t)__builtin_popcountll(w->live) - here,
               w->lanes - (uint32_t)__builtin_popcountll(w->live));
    rt_worker_fault(cudaErrorLaunchFailure);
}

/* ---- results ---- */

/* The lane whose value a shuffle takes (PTX ISA, shfl.sync). */
static uint32_t source(uint32_t op, uint32_t lane, const CucpuExchange *x, uint32_t low) {
    int l = (int)lane, by = (int)(x->lane & low), segment = (int)(x->clamp >> 8 & low), from;
    int min = l & segment, max = min | (int)(x->clamp & low & ~(uint32_t)segment);
    switch (op) {
    case CUCPU_WARP_SHFL_UP: from = l - by; return (uint32_t)(from >= max ? from : l);
    case CUCPU_WARP_SHFL_DOWN: from = l + by; break;
    case CUCPU_WARP_SHFL_XOR: from = l ^ by; break;
    default: from = min | (by & ~segment & (int)low); break;
    }
    return (uint32_t)(from <= max ? from : l);
}

static void shuffle(const Warp *w, uint32_t op, uint64_t set) {
    uint32_t value[MAX_LANES], low = w->p->b->warp_size - 1;
    for (uint32_t l = 0; l < w->lanes; l++) value[l] = w->x[l].value;
    for (uint32_t l = 0; l < w->lanes; l++) {
        if (!(set >> l & 1)) continue;
        uint32_t from = source(op, l, &w->x[l], low);
        w->x[l].value = value[set >> from & 1 ? from : l];
    }
}

static uint32_t vote(uint32_t op, uint64_t yes, uint64_t of) {
    switch (op) {
    case CUCPU_WARP_ANY: return yes != 0;
    case CUCPU_WARP_ALL: return yes == of;
    case CUCPU_WARP_UNI: return !yes || yes == of;
    default: return (uint32_t)yes;
    }
}

static uint64_t equals(const Warp *w, uint64_t lane, uint64_t of) {
    uint64_t same = 0;
    EACH_LANE(l, of)
    if (w->x[l].value == w->x[lane].value && w->x[l].high == w->x[lane].high) same |= UINT64_C(1) << l;
    return same;
}

static void match(const Warp *w, uint32_t op, uint64_t set, uint64_t of) {
    uint64_t same[MAX_LANES];
    EACH_LANE(l, set) same[l] = equals(w, l, of);
    EACH_LANE(l, set) {
        bool all = same[l] == of;
        w->x[l].value = op == CUCPU_WARP_MATCH_ANY ? (uint32_t)same[l] : all ? w->w[l].count : 0;
    }
}

static uint32_t combine(uint32_t op, uint32_t a, uint32_t b) {
    switch (op) {
    case CUCPU_WARP_ADD: return a + b;
    case CUCPU_WARP_UMIN: return a < b ? a : b;
    case CUCPU_WARP_UMAX: return a > b ? a : b;
    case CUCPU_WARP_MIN: return (int32_t)a < (int32_t)b ? a : b;
    case CUCPU_WARP_MAX: return (int32_t)a > (int32_t)b ? a : b;
    case CUCPU_WARP_AND: return a & b;
    case CUCPU_WARP_OR: return a | b;
    default: return a ^ b;
    }
}

static uint32_t reduce(const Warp *w, uint32_t op, uint64_t of) {
    uint32_t r = 0;
    bool first = true;
    EACH_LANE(l, of) {
        r = first ? w->x[l].value : combine(op, r, w->x[l].value);
        first = false;
    }
    return r;
}

/* set: the lanes that are here; of: those that the mask names. */
static void give_results(const Warp *w, uint32_t op, uint64_t set, uint64_t of) {
    uint64_t yes = 0;
    uint32_t r;
    switch (op) {
    case CUCPU_WARP_SYNC: return;
    case CUCPU_WARP_SHFL_IDX:
    case CUCPU_WARP_SHFL_UP:
    case CUCPU_WARP_SHFL_DOWN:
    case CUCPU_WARP_SHFL_XOR: shuffle(w, op, set); return;
    case CUCPU_WARP_MATCH_ANY:
    case CUCPU_WARP_MATCH_ALL: match(w, op, set, of); return;
    case CUCPU_WARP_BALLOT:
    case CUCPU_WARP_ANY:
    case CUCPU_WARP_ALL:
    case CUCPU_WARP_UNI:
        EACH_LANE(l, of) yes |= (uint64_t)(w->x[l].value & 1) << l;
        r = vote(op, yes, of);
        break;
    default: r = reduce(w, op, of); break;
    }
    EACH_LANE(l, set) w->x[l].value = r;
}

/* ---- who goes on ---- */

static void pass_all(const Warp *w, uint64_t set) { EACH_LANE(l, set) barrier_pass(w->p, w->first + (uint32_t)l); }

/* The functions with a member mask that are complete. */
static bool meet_by_mask(Warp *w) {
    bool any = false;
    for (uint64_t open = w->waiting, set; open; open &= ~set) {
        const CucpuWait *at = &w->w[__builtin_ctzll(open)];
        uint64_t named = lanes_of_mask(at->count);
        bool alike = true;
        set = 0;
        EACH_LANE(l, open) {
            if (w->w[l].count != at->count) continue;
            set |= UINT64_C(1) << l;
            alike &= w->w[l].id == at->id;
        }
        if (named & w->live & ~set) continue;
        if (!alike) warp_fault(w, (uint32_t)(at - w->w), "its threads call different functions");
        give_results(w, op_of(at), set, set & named);
        pass_all(w, set);
        any = true;
    }
    return any;
}

static void pass_together(const Warp *w, uint64_t standing, uint32_t region) {
    uint64_t set = 0;
    EACH_LANE(l, standing)
    if (w->w[l].region == region) set |= UINT64_C(1) << l;
    EACH_LANE(l, set) w->x[l].value = (uint32_t)set;
    pass_all(w, set);
}

/* Those who wait for no thread in particular; their count is the number of times that others were chosen. */
static void meet_by_place(const Warp *w, uint64_t standing) {
    uint32_t min = UINT32_MAX;
    EACH_LANE(l, standing)
    if (w->w[l].region < min) min = w->w[l].region;
    pass_together(w, standing, min);
    EACH_LANE(l, standing) {
        CucpuWait *at = &w->w[l];
        if (at->region & CUCPU_WAIT_STOPPED && at->count++ >= MAX_AGE) pass_together(w, standing, at->region);
    }
}

/* The common case in few steps: all lanes stopped at the same point, with the same mask. */
static bool settle_whole(Warp *w) {
    const CucpuWait *at = w->w;
    uint32_t differ = 0, region = at->region & ~CUCPU_WAIT_STOPPED;
    for (uint32_t l = 1; l < w->lanes; l++)
        differ |= (w->w[l].region ^ at->region) | (w->w[l].id ^ at->id) | (w->w[l].count ^ at->count);
    if (differ || at->region == CUCPU_WAIT_ENDED) return false;
    if (!barrier_is_warp(at)) return w->others = true;
    if (op_of(at) >= CUCPU_WARP_ACTIVE) return false;
    w->waiting = w->live = UINT64_MAX >> (MAX_LANES - w->lanes);
    give_results(w, op_of(at), w->live, w->live & lanes_of_mask(at->count));
    for (uint32_t l = 0; l < w->lanes; l++) w->w[l].region = region;
    w->p->pending[region / 64] |= UINT64_C(1) << region % 64;
    w->p->passed++;
    return true;
}

static void settle_warp(Warp *w) {
    uint64_t standing = 0;
    w->live = w->waiting = 0;
    bool more = false; /* at a cut (passes/groups/cut_shared_tails.c): they go on, and may come where others stand */
    if (settle_whole(w)) return;
    for (uint32_t l = 0; l < w->lanes; l++) {
        const CucpuWait *at = &w->w[l];
        if (at->region == CUCPU_WAIT_ENDED) continue;
        w->live |= UINT64_C(1) << l;
        if (!barrier_is_warp(at)) {
            w->others = true;
            more |= at->id == CUCPU_WAIT_YIELD && !at->count;
            continue;
        }
        *(op_of(at) >= CUCPU_WARP_ACTIVE ? &standing : &w->waiting) |= UINT64_C(1) << l;
    }
    if (!meet_by_mask(w) && standing && !more) meet_by_place(w, standing);
    w->waiting |= standing;
}

static Warp warp_at(Phase *p, CucpuExchange *x, uint32_t first) {
    uint32_t n = p->groups - first;
    if (n > p->b->warp_size) n = p->b->warp_size;
    return (Warp){.p = p, .w = p->waits + first, .x = x + first, .first = first, .lanes = n};
}

uint32_t cucpu_warp_release(const CucpuBarriers *barriers, const CucpuLaunch *launch, CucpuWait *waits,
                            uint64_t *pending, uint32_t *arrivals, CucpuExchange *exchange) {
    Phase p = {.b = barriers, .l = launch, .waits = waits, .pending = pending, .arrivals = arrivals};
    Warp stuck = {0};
    barrier_open(&p);
    bool others = false, any = false;
    for (uint32_t g = 0; g < p.groups; g += barriers->warp_size) {
        Warp w = warp_at(&p, exchange, g);
        settle_warp(&w);
        others |= w.others;
        if (!w.waiting) continue;
        any = true;
        stuck = w;
    }
    if (!any) return cucpu_barrier_release(barriers, launch, waits, pending, arrivals);
    barrier_enter(&p);
    if (others) barrier_settle(&p);
    uint32_t left = barrier_leave(&p);
    if (left) return left;
    if (!barrier_any_passed(&p))
        warp_fault(&stuck, (uint32_t)__builtin_ctzll(stuck.waiting), "threads that its mask names do not come");
    barrier_end_phase(&p);
    return CUCPU_RELEASED_SOME;
}
