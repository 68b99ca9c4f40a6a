/* order.c: what happens before what in a grid: barriers, functions of the warp, fences with atomics or volatile
** accesses.
**
** A thread's position is its block, the barriers that it has left (of the block: its epoch; of the grid), and a clock
** that counts what it has done since that another thread may wait for.  Positions are numbered by records of {block,
** epoch, grid}, so that a stamp has 64 bits.  An access is before a thread's position
** - in its block: by the same thread; of an earlier epoch; of a lane of its warp, up to the clock that a common
**   function of the warp has made known;
** - in another block: before a barrier of the grid that the thread has left;
** - anywhere: through a release that the thread, or one of its block before a barrier, has acquired.  A release is a
**   strong write after a fence of the same thread (or with release semantics): it covers what was before the fence.  An
**   acquire is a strong read of an address with releases; a compare-and-swap, which takes a lock, only with a fence
**   after it (or with acquire semantics).  Both fence and release may be of the block's scope.  Releases of an address
**   are a log, an acquire is a length of the log, so that what is known is never copied.
** What cannot be told counts as ordered: barriers of parts of a block, long chains of releases. */
#include "check/cells.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct Record {
    uint32_t block, epoch, grid;
} Record;
typedef struct Release {
    uint32_t block, thread, epoch, clock, grid;
    int acquired; /* of the block when it was made */
    bool block_scope;
    uint32_t hole_from, hole_to, wrote; /* clocks; wrote: of the write itself ... */
    uint32_t at;                        /* ... and its epoch */
    uint32_t op;
    int fences; /* of other threads of the block in that epoch, before a barrier; -1 = none */
    bool warps;
    uint8_t known[32]; /* `warps`: of the lanes of its warp */
} Release;
typedef struct Log {
    uintptr_t address;
    uint32_t bytes;
    Release *v;
    uint32_t n, capacity;
    uint32_t asked, looked_at,
        looked_for; /* the last question, how much of the log it has looked at, for which block */
} Log;
typedef struct Acquire {
    uint32_t thread, epoch, clock, length;
    int log, previous; /* of the same block */
    bool block_scope;
} Acquire;
enum { MAX_STEPS = 20000 };

static Record *records; /* of 2^RECORD_BITS, touched as they are used */
static uint32_t nrecords = 1, launch_start = 1, low = 1, next_block;
static RaceLaunch *launches;
static uint32_t nlaunches, launch_capacity;
static Log *logs;
static uint32_t nlogs, log_capacity, question;
static Acquire *acquires;
static uint32_t nacquires, acquire_capacity;
typedef struct Fences {  /* of the threads of a block in an epoch */
    uint8_t clock[1024]; /* at the last of device scope; 0 = none */
} Fences;
static Fences *fences;
static uint32_t nfences, fences_capacity;

/* ---- positions ---- */

static bool make_records(void) {
    if (records) return true;
    void *p = mmap(NULL, sizeof(Record) << RECORD_BITS, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    records = p == MAP_FAILED ? NULL : p;
    return records != NULL;
}

static void start_again(void) {
    if (low < nrecords || nrecords < MAX_RECORD / 2) return;
    nrecords = low = launch_start = 1;
    nlaunches = 0;
    race_drop_cells();
}

/* Which launches are before the one that begins; those that are before all that may come are forgotten. */
static void compare_launches(uint32_t op) {
    uint32_t keep = 0, floor = rt_order_floor();
    for (uint32_t i = 0; i < nlaunches; i++)
        if (launches[i].op > floor) launches[keep++] = launches[i];
    nlaunches = keep;
    uint32_t *ops = malloc((keep + 1) * sizeof *ops);
    bool *before = malloc((keep + 1) * sizeof *before);
    for (uint32_t i = 0; ops && i < keep; i++) ops[i] = launches[i].op;
    if (ops && before) rt_order_find(op, ops, before, keep);
    low = nrecords;
    for (uint32_t i = 0; i < keep; i++) {
        launches[i].before = !ops || !before || before[i];
        if (!launches[i].before && launches[i].first < low) low = launches[i].first;
    }
    free(ops), free(before);
}

void race_new_launch(const RtLaunch *l, const RtTransfer *t) {
    RaceLaunch now = {
        .first_block = next_block,
        .op = rt_order_running(),
    };
    if (t) now.name = t->name, now.lifetime = t->lifetime;
    compare_launches(now.op);
    if (low == nrecords) nlogs = nacquires = nfences = 0;
    start_again();
    now.first = launch_start = nrecords;
    for (int d = 0; d < 3; d++) now.grid[d] = l ? l->abi.grid[d] : 1, now.block[d] = l ? l->abi.block[d] : 1;
    next_block += l ? (uint32_t)l->blocks : 1;
    if (nlaunches == launch_capacity) {
        uint32_t more = launch_capacity ? 2 * launch_capacity : 64;
        RaceLaunch *grown = realloc(launches, more * sizeof *grown);
        if (!grown) return;
        launches = grown, launch_capacity = more;
    }
    launches[nlaunches++] = now;
}

const RaceLaunch *race_launch_of(uint32_t record) {
    uint32_t from = 0, to = nlaunches;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        if (launches[middle].first <= record) from = middle + 1;
        else to = middle;
    }
    return from ? &launches[from - 1] : NULL;
}

uint32_t race_low(void) { return low; }

uint32_t race_start(void) { return launch_start; }

void race_forget_acquires(Order *o) {
    for (size_t i = 0; i < RT_COUNT(o->pending); i++) o->pending[i].log = o->fences[i] = -1;
    o->acquired = o->epoch_fences = -1;
}

static bool is_of_other(uint32_t record) { return record < launch_start; }

bool race_is_live(uint32_t record) {
    if (!is_of_other(record)) return true;
    const RaceLaunch *l = record >= low ? race_launch_of(record) : NULL;
    return l && !l->before;
}

uint64_t race_block_of(uint32_t record) { return records[record].block; }

void race_new_block(Order *o, uint64_t block) {
    Cell *shadow = o->shadow;
    size_t words = o->shadow_words;
    if (o->has_clocks || !o->ready) {
        memset(o, 0, o->warps ? sizeof *o : offsetof(Order, known));
        race_forget_acquires(o);
    } else {
        memset(o, 0, offsetof(Order, grid));
        o->acquired = -1;
    }
    o->ready = true;
    o->shadow = shadow, o->shadow_words = words;
    o->block = block + (nlaunches ? launches[nlaunches - 1].first_block : 0);
    o->first_record = nrecords;
}

/* Records follow each other in time: where epochs have only risen, those before the first of this epoch are of earlier
** ones. */
static void note_epoch(Order *o, uint32_t epoch) {
    if (!o->earlier || epoch > o->last_epoch) o->earlier = nrecords, o->last_epoch = epoch;
    else if (epoch < o->last_epoch) o->mixed = true;
}

uint32_t race_new_record(Order *o, uint32_t t) {
    if (!make_records() || nrecords > MAX_RECORD) return 0;
    note_epoch(o, o->epoch[t]);
    records[nrecords] = (Record){(uint32_t)o->block, o->epoch[t], o->grid[t]};
    o->record_epoch = o->epoch[t], o->record_grid = o->grid[t];
    return o->record = nrecords++;
}

static void tick(Order *o, uint32_t t) {
    if (o->clock[t] < MAX_CLOCK) o->clock[t]++;
}

/* ---- barriers and warps ---- */

static bool has_fence(const Order *o, uint32_t t, uint32_t epoch) {
    return o->fence_epoch[t] == epoch + 1 && !o->fence_block[t];
}

/* A write that follows the barrier and a fence of its own thread before that releases what others have done before
** their fences, too. */
static void note_fences(Order *o, uint32_t t, uint32_t epoch) {
    if (!has_fence(o, t, epoch)) return;
    if (o->epoch_fences < 0 || o->last_fences != epoch) {
        if (nfences == fences_capacity) {
            uint32_t more = fences_capacity ? 2 * fences_capacity : 16;
            Fences *grown = realloc(fences, more * sizeof *grown);
            if (!grown) return;
            fences = grown, fences_capacity = more;
        }
        Fences *f = &fences[nfences];
        for (uint32_t u = 0; u < RT_COUNT(f->clock); u++) f->clock[u] = has_fence(o, u, epoch) ? o->fence_clock[u] : 0;
        o->epoch_fences = (int)nfences++, o->last_fences = epoch;
    }
    o->fences[t] = o->epoch_fences;
}

void race_barrier(Order *o, uint32_t t, uint32_t flags) {
    if (flags) o->has_clocks = true;
    if (flags & CUCPU_SITE_PART) {
        o->record = 0; /* what is accessed from now on has a higher one */
        o->partial[t] = nrecords;
        return;
    }
    o->epoch[t]++;
    if (!o->has_clocks) return;
    note_fences(o, t, o->epoch[t] - 1);
    if (flags & CUCPU_SITE_GRID) o->grid[t]++;
    o->clock[t] = 0;
    o->partial[t] = 0;
    if (o->warps) memset(o->known[t], 0, sizeof o->known[t]);
}

/* The first thread that leaves does it for all: none of the others has gone on yet. */
void race_warp(Order *o, uint32_t t, uint32_t mask) {
    uint8_t join[32] = {0};
    uint32_t first = t & ~31u;
    o->warps = o->has_clocks = true;
    if (!(mask >> (t & 31) & 1)) return;
    if (o->leaving[t]) {
        o->leaving[t] = false;
        return;
    }
    for (uint32_t l = 0; l < 32; l++) {
        if (!(mask >> l & 1)) continue;
        for (uint32_t k = 0; k < 32; k++)
            if (o->known[first + l][k] > join[k]) join[k] = o->known[first + l][k];
        tick(o, first + l);
        join[l] = o->clock[first + l];
    }
    for (uint32_t l = 0; l < 32; l++) {
        if (!(mask >> l & 1)) continue;
        memcpy(o->known[first + l], join, sizeof join);
        o->leaving[first + l] = first + l != t;
    }
}

/* ---- releases and acquires ---- */

static int find_log(uintptr_t address, bool make) {
    for (uint32_t i = 0; i < nlogs; i++)
        if (logs[i].address == address) return (int)i;
    if (!make) return -1;
    if (nlogs == log_capacity) {
        uint32_t more = log_capacity ? 2 * log_capacity : 64;
        Log *grown = realloc(logs, more * sizeof *grown);
        if (!grown) return -1;
        memset(grown + log_capacity, 0, (more - log_capacity) * sizeof *grown);
        logs = grown, log_capacity = more;
    }
    Log *log = &logs[nlogs]; /* one of an earlier launch may have left its array */
    *log = (Log){.address = address, .v = log->v, .capacity = log->capacity};
    return (int)nlogs++;
}

/* at_fence: of what was before the last fence. */
static void release(Order *o, uint32_t t, uintptr_t address, uint32_t bytes, bool at_fence, bool block_scope) {
    uint32_t epoch = at_fence ? o->fence_epoch[t] - 1 : o->epoch[t], clock = at_fence ? o->fence_clock[t] : o->clock[t];
    int i = find_log(address, true);
    if (i < 0) return;
    Log *log = &logs[i];
    log->bytes = bytes;
    Release r = {.block = (uint32_t)o->block, .thread = t, .epoch = epoch, .clock = clock, .grid = o->grid[t]};
    r.op = launches[nlaunches - 1].op, r.wrote = o->clock[t], r.at = o->epoch[t];
    r.acquired = o->acquired, r.block_scope = block_scope;
    r.fences = o->fence_epoch[t] == epoch + 1 && epoch != o->epoch[t] ? o->fences[t] : -1;
    r.warps = o->warps;
    if (r.warps) memcpy(r.known, at_fence ? o->fenced[t] : o->known[t], sizeof r.known);
    if (o->lock[t].address == address && o->lock[t].epoch == epoch)
        r.hole_from = o->lock[t].taken, r.hole_to = o->lock[t].fenced ? o->lock[t].fenced : MAX_CLOCK;
    const Release *last = log->n ? &log->v[log->n - 1] : NULL;
    if (last && last->block == r.block && last->thread == t && last->epoch == epoch && last->clock == clock &&
        last->acquired == r.acquired && last->warps == r.warps && !memcmp(last->known, r.known, sizeof r.known))
        return;
    if (log->n == log->capacity) {
        uint32_t more = log->capacity ? 2 * log->capacity : 16;
        Release *grown = realloc(log->v, more * sizeof *grown);
        if (!grown) return;
        log->v = grown, log->capacity = more;
    }
    log->v[log->n++] = r;
}

static void acquire(Order *o, uint32_t t, int log, uint32_t length, bool block_scope) {
    const Acquire *last = o->acquired >= 0 ? &acquires[o->acquired] : NULL;
    if (last && last->thread == t && last->log == log && last->length == length && last->block_scope == block_scope)
        return;
    if (nacquires == acquire_capacity) {
        uint32_t more = acquire_capacity ? 2 * acquire_capacity : 64;
        Acquire *grown = realloc(acquires, more * sizeof *grown);
        if (!grown) return;
        acquires = grown, acquire_capacity = more;
    }
    acquires[nacquires] = (Acquire){.thread = t, .epoch = o->epoch[t], .clock = o->clock[t], .length = length};
    acquires[nacquires].log = log, acquires[nacquires].previous = o->acquired;
    acquires[nacquires].block_scope = block_scope;
    o->acquired = (int)nacquires++;
}

void race_fence(Order *o, uint32_t t, bool block_scope) {
    o->has_clocks = true;
    if (o->pending[t].log >= 0) {
        acquire(o, t, o->pending[t].log, o->pending[t].length, block_scope);
        o->pending[t].log = -1;
    }
    tick(o, t);
    if (!o->lock[t].fenced && (!block_scope || o->lock[t].block_scope)) o->lock[t].fenced = o->clock[t];
    o->fence_epoch[t] = o->epoch[t] + 1;
    o->fence_clock[t] = o->clock[t];
    o->fence_block[t] = block_scope;
    o->fences[t] = -1;
    if (o->warps) memcpy(o->fenced[t], o->known[t], sizeof o->fenced[t]);
    o->flag_fence[t] = !o->compared[t];
    o->compared[t] = false;
}

static void take_lock(Order *o, uint32_t t, uintptr_t address, bool block_scope) {
    if (o->lock[t].address != address || o->lock[t].fenced) tick(o, t); /* not at each try */
    o->compared[t] = true;
    o->lock[t].address = address, o->lock[t].epoch = o->epoch[t], o->lock[t].taken = o->clock[t];
    o->lock[t].fenced = 0, o->lock[t].block_scope = block_scope;
}

bool race_has_releases(void) { return nlogs != 0; }

void race_synchronise(Order *o, uint32_t t, uintptr_t address, const CucpuSite *s) {
    bool block_scope = (s->flags & CUCPU_SITE_BLOCK) != 0, lock = (s->flags & CUCPU_SITE_COMPARE) && !o->plain;
    if (s->flags & CUCPU_SITE_READ) {
        int log = find_log(address, false);
        if (lock || log >= 0) o->has_clocks = true;
        if (lock && !(s->flags & CUCPU_SITE_ACQUIRE)) take_lock(o, t, address, block_scope);
        if (log >= 0 && (!lock || s->flags & CUCPU_SITE_ACQUIRE)) acquire(o, t, log, logs[log].n, block_scope);
        else if (log >= 0) o->pending[t].log = log, o->pending[t].length = logs[log].n;
    }
    if (!(s->flags & CUCPU_SITE_WRITE)) return;
    if (s->flags & CUCPU_SITE_RELEASE) {
        o->has_clocks = true;
        tick(o, t);
        release(o, t, address, s->size, false, block_scope);
    } else if (o->fence_epoch[t]) {
        release(o, t, address, s->size, true, block_scope || o->fence_block[t]);
        if (s->flags & CUCPU_SITE_ATOMIC) o->flag_fence[t] = false; /* it was for this */
    }
}

/* ---- the question ---- */

typedef struct Question {
    const Access *a;
    Record at; /* of a */
    uint32_t op;
    uintptr_t address;
    int steps;
} Question;

static bool is_op_before(uint32_t op, uint32_t later) {
    bool before;
    rt_order_find(later, &op, &before, 1);
    return before;
}

/* An access in the hole of a release has taken the lock that this gives back, without a fence: what the lock orders is
** then not ordered, whoever comes first in this run. */
static bool in_hole(const Access *a, const Release *r) { return a->clock >= r->hole_from && a->clock < r->hole_to; }

/* The write itself is before what has acquired it, too, if it is that of a flag. */
static bool is_release(const Question *q, const Release *r, const Log *flag) {
    bool strong = q->a->atomic || (q->a->is_volatile && q->a->fenced);
    return strong && q->address - (flag->address & ~(uintptr_t)3) < flag->bytes && r->thread == q->a->thread &&
           q->a->clock <= r->wrote;
}

static bool covers(const Question *q, const Acquire *a, const Release *r, uint32_t block) {
    if (r->op != q->op) return is_op_before(q->op, r->op);
    if (r->block != q->at.block) return q->at.grid < r->grid;
    if ((r->block_scope || a->block_scope) && block != r->block) return false;
    if (q->at.epoch == r->at && is_release(q, r, &logs[a->log])) return true;
    if (q->at.epoch != r->epoch) return q->at.epoch < r->epoch;
    uint32_t clock = q->a->clock, t = q->a->thread;
    if (r->fences >= 0 && clock < fences[r->fences].clock[t]) return true;
    if (r->thread != t) return r->warps && r->thread / 32 == t / 32 && (clock < r->known[t % 32] || clock == MAX_CLOCK);
    return !in_hole(q->a, r) && (clock < r->clock || clock == MAX_CLOCK);
}

typedef struct Position {
    uint32_t block, thread, epoch;
    const uint8_t *known; /* of the lanes of its warp, or NULL */
} Position;

/* The thread itself, one of its block before a barrier, or of its warp before a function of that. */
static bool has_acquired(const Position *p, const Acquire *a) {
    if (a->thread == p->thread || a->epoch < p->epoch) return true;
    return p->known && a->epoch == p->epoch && a->thread / 32 == p->thread / 32 && a->clock < p->known[a->thread % 32];
}

/* Through what the position with these acquires knows. */
static bool known_by(Question *q, int acquired, const Position *p) {
    uint32_t block = p->block;
    for (int i = acquired; i >= 0; i = acquires[i].previous) {
        const Acquire *a = &acquires[i];
        if (!has_acquired(p, a)) continue;
        Log *log = &logs[a->log];
        uint32_t from = log->asked == question && log->looked_for == block ? log->looked_at : 0;
        if (from >= a->length) continue;
        log->asked = question, log->looked_at = a->length, log->looked_for = block;
        for (uint32_t k = a->length; k-- > from;) {
            if (++q->steps > MAX_STEPS || covers(q, a, &log->v[k], block)) return true;
            const Release *r = &log->v[k];
            Position then = {r->block, r->thread, r->epoch, r->warps ? r->known : NULL};
            if (r->acquired >= 0 && known_by(q, r->acquired, &then)) return true;
        }
    }
    return false;
}

/* By barriers and functions of the warp. */
bool race_before_in_block(Order *o, uint32_t t, const Access *a) {
    Record at = records[a->record];
    if (at.block != o->block) return false;
    if (a->thread == t || at.epoch < o->epoch[t]) return true;
    if (at.epoch != o->epoch[t]) return false;
    bool warp = a->thread / 32 == t / 32;
    return (warp && (a->clock < o->known[t][a->thread % 32] || a->clock == MAX_CLOCK)) || a->record < o->partial[t];
}

bool race_before(Order *o, uint32_t t, const Access *a, uintptr_t address) {
    if (!race_is_live(a->record)) return true;
    Record at = records[a->record];
    if (race_before_in_block(o, t, a)) return true;
    if (at.block != o->block && !is_of_other(a->record) && at.grid < o->grid[t]) return true;
    if (o->acquired < 0) return false;
    question++;
    Question q = {.a = a, .at = at, .op = race_launch_of(a->record)->op, .address = address};
    Position now = {(uint32_t)o->block, t, o->epoch[t], o->warps ? o->known[t] : NULL};
    return known_by(&q, o->acquired, &now);
}
