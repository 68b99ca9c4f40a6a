/* online_autotune.c: which variant of a kernel runs, by measured time: the one of several lanes that the launch
** takes, or the scalar one.
**
** The speed of a kernel may depend on its data: how far apart the addresses of a gather are, how many lanes take a
** branch.  Such a kernel has a scalar variant (CucpuKernel.scalar) with the same results, so that any block may run
** either.  One of the two is `taken`, the `other` is tried now and then.
**
** A trial.  A few blocks of a launch run each variant, in the order other, taken, taken, other, and the lesser time
** of each counts: interrupts and cold caches only lengthen them. Where a launch is too small for that, or its blocks
** step through memory together (grid-stride loops), whole launches of similar grids are the samples. The work of the
** blocks may follow a pattern, so the second trial has the reverse order; code may get faster as branches are learned,
** so the other variant runs on as long as it does.
**
** The decision.  The variant that was faster by MARGIN in two trials in a row is taken from then on.  With launches
** as samples two trials take long: if each sample of the other variant was CLEARLY faster than any of the taken one,
** it is taken at once, and tried again soon.  One trial, and one launch before it, is enough as well where the
** compiler's estimate had the other variant faster.
**
** The cost is bounded.  Before the next trial at least `pause` times as many blocks run as the last one lost, or as
** the first one is estimated to lose, and the pause grows with each trial that changes nothing.  Where the scalar
** variant is estimated faster and runs first, the pause is such that a trial of several lanes takes 3 percent at
** most, as estimated: it must not be slower than --simd=1. With launches as samples this is long, or costs much, if
** the estimate is wrong.  So a probe of two blocks of the other variant, as soon as they cost little by the
** estimate, decides whether the first trial comes at once, or late, as the other variant is BAD. Where the first
** sample of the other variant is HOPELESS there is no second one.  No launch is a sample before MIN_PAUSE times as
** many blocks have run.  Tiny launches do not wait for any of this: where all that the first trial of the scalar
** variant can lose is CHEAP_TICKS, it comes at once, as the estimate may be wrong by far and the scalar variant is
** never slower than --simd=1.
**
** A phase.  What blocks have to do may change from launch to launch: a breadth-first search first finds few vertices,
** then most of them.  Where a block takes PHASE times as long as when the last trial was, or that much less, there is
** another one as soon as a launch is large enough for it; MAX_PHASES times, as it may change to and fro.  Blocks of
** grids of different sizes are not compared: in a grid-stride loop they share the same work.
**
** A check.  Samples favour a variant whose stores are still in flight, or whose cache lines do not evict each other
** yet.  Where launches take far longer with the variant that samples found faster (MISJUDGED), it is given up, and
** whole launches are the samples from then on.
**
** After P. Diniz, M. Rinard, "Dynamic feedback: an effective technique for adaptive computing", PLDI 1997. */
#include "base/env.h"
#include "variants.h"
#include "host/topo.h"
#include "exec/job.h"
#include <stdlib.h>

enum {
    SAMPLE_TICKS = 10000, /* of a sample, at least */
    WARM_TICKS = 50000,   /* of what runs before the first one */
    CHEAP_TICKS = 200000,
    MAX_SAMPLES = 8,
    ENOUGH = 2 * MAX_SAMPLES, /* blocks that a chunk must have for each of a sample */
    MAX_LAUNCHES = 12         /* as samples of one trial */
};
enum { MARGIN = 98, CLEARLY = 67, HOPELESS = 150, MISJUDGED = 130 }; /* percent of the time of the taken variant */
enum { PROBES = 2, PROBE_PAUSE = 32 };                               /* blocks of either variant; the pause before */
enum { HOPEFUL = 80, BAD = 300 };                                    /* percent, of a probe */
enum { PHASE = 3 /* times the ticks of a block */, MAX_PHASES = 8 };
enum { MIN_PAUSE = 4, FIRST_PAUSE = 8, SURE_PAUSE = 64, MAX_PAUSE = 128 };
enum { GRIDS = 8 };  /* a power of two: sizes of which the last launch is known, as far as they do not collide */
enum { BLOCKS = 8 }; /* blockDims with trials of their own, of each variant; all others share the last */

/* The last launch of a grid of this size in which one variant ran alone; blocks = 0: there was none. */
typedef struct RtSeen {
    _Atomic uint64_t blocks, ticks; /* per block */
} RtSeen;

struct RtTrial {
    _Atomic uint32_t block;    /* it is of launches with these blocks: x, y and z; 0 = none yet */
    atomic_flag busy;          /* set by a launch that takes samples: it owns what is not atomic */
    _Atomic bool scalar;       /* the scalar variant is taken */
    _Atomic bool fitted;       /* the estimate includes the lanes that blocks leave idle */
    _Atomic uint64_t run, due; /* blocks since the last trial; from which on there is another */
    double loss;               /* of a block of the other variant, in blocks: estimated, then measured */
    bool tried, probed;
    int wins, pause;           /* of the other variant; see above */
    int launches;              /* that are samples */
    uint64_t small;            /* launches of no more blocks have chunks that are too small */
    uint64_t blocks, ticks[2]; /* of each; least per block, of the taken variant and the other */
    uint64_t worst;            /* most per block, of the other */
    RtSeen seen[2][GRIDS];     /* by several lanes, by the scalar variant */
    _Atomic uint64_t level;    /* ticks per block at the last trial, or since the phase began; 0: unknown */
    _Atomic uint64_t level_blocks;
    _Atomic bool phase; /* another one has begun, and no trial was in it */
    _Atomic unsigned phases;
    _Atomic bool unproven; /* samples chose the taken variant, and no launch has confirmed it yet */
    uint64_t promised;     /* ticks per block of the variant that was taken before, at least */
    uint64_t promised_by;  /* the blocks of that launch */
};

static double estimated_loss(const CucpuKernel *k) {
    double ratio = k->scalar_time ? k->scalar_time / 100.0 : 1;
    return (k->flags & CUCPU_KERNEL_SCALAR_FIRST ? 1 / ratio : ratio) - 1;
}

static RtTrial *make_trials(const CucpuKernel *k) {
    uint32_t n = k->nvariants * BLOCKS;
    RtTrial *t = calloc(n, sizeof *t);
    for (uint32_t i = 0; t && i < n; i++) {
        atomic_flag_clear(&t[i].busy);
        t[i].scalar = (k->flags & CUCPU_KERNEL_SCALAR_FIRST) != 0;
        t[i].pause = t[i].scalar ? SURE_PAUSE : FIRST_PAUSE;
        t[i].loss = estimated_loss(k);
    }
    return t;
}

/* Of all variants; made at the first launch, as most kernels of a program may never run.  NULL: no memory. */
static RtTrial *trials_of(RtKernel *k) {
    RtTrial *t = atomic_load_explicit(&k->trials, memory_order_acquire), *none = NULL;
    if (RT_LIKELY(t != NULL)) return t;
    RtTrial *made = make_trials(k->abi);
    if (!made || atomic_compare_exchange_strong(&k->trials, &none, made)) return made;
    free(made);
    return none;
}

/* The order of a float sum is not deterministic anyway where several workers run the blocks: only there may time
** decide. */
static bool leaves_order_open(const RtLaunch *l) {
    return !(l->kernel->abi->flags & CUCPU_KERNEL_SUMS) || (l->blocks > 1 && rt_topo()->threads > 1);
}

RtTrial *rt_trial_of(const RtLaunch *l) {
    const CucpuKernel *k = l->kernel->abi;
    if (RT_LIKELY(!k->scalar) || k->flags & CUCPU_KERNEL_UNTRIED || l->variant == k->scalar || !leaves_order_open(l))
        return NULL;
    const RtEnv *env = rt_env();
    RtTrial *all = env->trial && !env->sched ? trials_of(l->kernel) : NULL;
    if (!all) return NULL;
    RtTrial *t = &all[(l->variant - k->variants) * BLOCKS], *last = t + BLOCKS - 1;
    const uint32_t *b = l->abi.block;
    for (uint32_t block = b[0] | b[1] << 11 | b[2] << 22; t < last; t++) {
        uint32_t none = 0, is = atomic_load_explicit(&t->block, memory_order_relaxed);
        if (is == block || (!is && (atomic_compare_exchange_strong(&t->block, &none, block) || none == block)))
            return t;
    }
    return last; /* for all others */
}

/* ---- is there a trial ---- */

static uint64_t min_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static bool is_alike(uint64_t a, uint64_t b) { return a <= b + b / 4 && b <= a + a / 4; }

/* Blocks that run before a trial, of samples of this many. */
static uint64_t pause_before(const RtTrial *t, uint64_t blocks) {
    return (uint64_t)((double)blocks * t->pause * (t->loss < 0.25 ? 0.5 : 2 * t->loss));
}

/* The other variant is estimated faster, and nothing was measured yet. */
static bool expects_change(const RtTrial *t) { return !t->tried && t->loss < 0; }

/* Ticks that a block takes, as far as known; else 0. */
static double block_ticks(const RtLaunch *l) {
    return (double)atomic_load_explicit(&l->kernel->thread_cost, memory_order_relaxed) / 1024 * l->abi.threads;
}

/* The first trial of the scalar variant, where launches are the samples, by the estimate. */
static bool is_cheap(const RtTrial *t, const RtLaunch *l, uint64_t blocks) {
    if (t->tried || atomic_load_explicit(&t->scalar, memory_order_relaxed)) return false;
    return 2 * t->loss * (double)blocks * block_ticks(l) <= CHEAP_TICKS;
}

/* Blocks that must have run since the last trial, which may have been one of fewer blocks. */
static uint64_t least_before(const RtTrial *t, uint64_t blocks) {
    return t->wins || expects_change(t) ? 0 : pause_before(t, blocks);
}

static bool is_due(const RtTrial *t, uint64_t blocks) {
    uint64_t least = least_before(t, blocks), run = atomic_load_explicit(&t->run, memory_order_relaxed);
    if (atomic_load_explicit(&t->phase, memory_order_relaxed))
        least = min_of(least, FIRST_PAUSE * MAX_SAMPLES * blocks);
    return run >= least;
}

static unsigned chunks_of_launch(void) { return rt_topo()->threads > 1 ? 4 * (unsigned)rt_topo()->threads : 1; }

/* Its chunks are too small for samples, as far as the cost of a block is known, or samples are not like the whole. */
static bool is_small(const RtLaunch *l) {
    double block = block_ticks(l);
    if (l->kernel->abi->flags & CUCPU_KERNEL_GRID_STRIDE) return true;
    bool phase = atomic_load_explicit(&l->trial->phase, memory_order_relaxed);
    if (l->blocks <= l->trial->small && !phase) return true;
    return block > 0 &&
           (double)(l->blocks / chunks_of_launch()) * block < (double)(WARM_TICKS + ENOUGH * (SAMPLE_TICKS + block));
}

/* This launch is a sample, or the first of those to come. */
static bool goes_on(RtTrial *t, const RtLaunch *l, uint64_t blocks) {
    if (t->launches && is_alike(t->blocks, blocks)) return true;
    bool cheap = is_cheap(t, l, blocks);
    uint64_t least = cheap ? 0 : least_before(t, blocks);
    uint64_t warm = (expects_change(t) ? 1 : cheap ? 2 : MIN_PAUSE) * blocks;
    if (least < warm) least = warm;
    uint64_t run = atomic_load_explicit(&t->run, memory_order_relaxed);
    uint64_t due = t->tried ? least : min_of(least, 2 * run); /* the first launch takes long: later ones may be cheap */
    if (!t->launches) atomic_store_explicit(&t->due, due, memory_order_relaxed);
    return run >= least;
}

/* Blocks that run before a probe. */
static uint64_t probe_at(const RtTrial *t) {
    return t->tried || t->probed || t->loss <= 0 ? UINT64_MAX : (uint64_t)(PROBES * PROBE_PAUSE * t->loss);
}

/* A launch that is no sample; if not, `due` is when to try again. */
static bool takes_probe(RtTrial *t, const RtJob *job) {
    if (job->blocks < 2ull * PROBES * chunks_of_launch()) return false;
    uint64_t at = probe_at(t);
    if (at < atomic_load_explicit(&t->due, memory_order_relaxed))
        atomic_store_explicit(&t->due, at, memory_order_relaxed);
    return atomic_load_explicit(&t->run, memory_order_relaxed) >= at;
}

/* The launch that is now the sample is one of the other variant. */
static bool is_other(const RtTrial *t) { return (t->launches == 1 || t->launches == 2) == (t->wins != 0); }

static double lanes_in_use(const RtLaunch *l) {
    return cucpu_lanes_in_use(l->kernel->abi->flags, l->variant, l->abi.block);
}

static double estimated_ratio(const RtLaunch *l) {
    return cucpu_scalar_ratio(l->kernel->abi, l->variant, l->abi.block);
}

bool rt_scalar_first(const RtLaunch *l) {
    unsigned flags = l->kernel->abi->flags;
    if (flags & CUCPU_KERNEL_SCALAR_FIRST && !l->variant->along) return true;
    return flags & (CUCPU_KERNEL_SCALAR_FIRST | CUCPU_KERNEL_SUMS | CUCPU_KERNEL_UNTRIED) && estimated_ratio(l) < 1;
}

/* The compiler's estimate is for groups along x without idle lanes. */
static void fit_estimate(RtTrial *t, const RtLaunch *l) {
    double ratio = estimated_ratio(l);
    if (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) return;
    if (lanes_in_use(l) < 1 || l->variant->along) {
        bool scalar = cucpu_scalar_first(l->kernel->abi, l->variant, l->abi.block);
        atomic_store_explicit(&t->scalar, scalar, memory_order_relaxed);
        t->pause = scalar ? SURE_PAUSE : FIRST_PAUSE;
        t->loss = (scalar ? 1 / ratio : ratio) - 1;
    }
    atomic_store_explicit(&t->fitted, true, memory_order_relaxed);
    atomic_flag_clear_explicit(&t->busy, memory_order_release);
}

void rt_trial_begin(RtJob *job, RtSamples *samples) {
    const RtLaunch *l = job->launch;
    RtTrial *t = l->trial;
    if (!RT_LIKELY(atomic_load_explicit(&t->fitted, memory_order_relaxed))) fit_estimate(t, l);
    const CucpuVariant *variants[2] = {l->variant, l->kernel->abi->scalar};
    bool scalar = atomic_load_explicit(&t->scalar, memory_order_relaxed);
    atomic_store_explicit(&job->variant, variants[scalar], memory_order_relaxed);
    uint64_t run = atomic_load_explicit(&t->run, memory_order_relaxed) + job->blocks;
    atomic_store_explicit(&t->run, run, memory_order_relaxed); /* launches at the same time may lose one */
    if (RT_LIKELY(run < atomic_load_explicit(&t->due, memory_order_relaxed))) return;
    if (atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) return;
    bool whole = is_small(l), probe = whole && !goes_on(t, l, job->blocks);
    if (probe && !takes_probe(t, job)) {
        atomic_flag_clear_explicit(&t->busy, memory_order_release);
        return;
    }
    if (t->launches && !(whole && is_alike(t->blocks, job->blocks))) t->launches = 0;
    *samples =
        (RtSamples){.taken = variants[scalar], .other = variants[!scalar], .whole = whole && !probe, .probe = probe};
    atomic_store_explicit(&samples->open, !samples->whole, memory_order_relaxed);
    job->samples = samples;
    if (samples->whole && is_other(t)) atomic_store_explicit(&job->variant, samples->other, memory_order_relaxed);
}

/* ---- samples ---- */

typedef struct Chunk { /* what is left of it */
    const CucpuLaunch *launch;
    CucpuWorker *worker;
    uint64_t first, end;
} Chunk;

static uint64_t timed(Chunk *c, const CucpuVariant *code, uint64_t blocks) {
    uint64_t start = cucpu_clock64(), from = c->first;
    c->worker->block = from;
    c->first += blocks;
    code->entry(c->launch, c->worker, from, from + blocks);
    return cucpu_clock64() - start;
}

/* Blocks of a sample, found by running the taken variant; 0: the chunk has too few. */
static uint64_t find_blocks(Chunk *c, const CucpuVariant *code) {
    uint64_t n = 1, all = 0;
    for (uint64_t ticks = 0; ticks < SAMPLE_TICKS || all < WARM_TICKS;) {
        if (c->end - c->first < ENOUGH * n) return 0;
        if (ticks && ticks < SAMPLE_TICKS) n *= 2;
        all += ticks = timed(c, code, n);
    }
    return c->end - c->first < MAX_SAMPLES * n ? 0 : n;
}

/* In the first trial pages of its code may not be loaded yet. */
static bool is_hopeless(const RtTrial *t, const uint64_t ticks[2]) {
    return ticks[1] * 100 >= ticks[0] * HOPELESS * (t->tried ? 1 : 2);
}
static bool has_won(const uint64_t ticks[2]) { return ticks[1] * 100 < ticks[0] * MARGIN; }

static void take_samples(const RtTrial *t, RtSamples *s, Chunk *c, uint64_t n) {
    s->ticks[1] = timed(c, s->other, n);
    s->ticks[0] = timed(c, s->taken, n);
    if (is_hopeless(t, s->ticks)) return;
    s->ticks[0] = min_of(s->ticks[0], timed(c, s->taken, n));
    s->ticks[1] = min_of(s->ticks[1], timed(c, s->other, n));
}

static void probe(RtSamples *s, Chunk *c) {
    uint64_t taken = UINT64_MAX, other = UINT64_MAX;
    for (int i = 0; i < PROBES; i++) {
        other = min_of(other, timed(c, s->other, 1));
        taken = min_of(taken, timed(c, s->taken, 1));
    }
    s->probed = true;
    s->seen = (double)(other + 1) / (double)(taken + 1);
}

/* Half of the chunk runs first: blocks at the border of the grid may take another path. */
static void probe_inside(RtSamples *s, Chunk *c) {
    uint64_t n = c->end - c->first, needed = 2 * PROBES;
    if (n < needed) return;
    uint64_t before = min_of(n / 2, n - needed);
    if (before) timed(c, s->taken, before);
    probe(s, c);
}

/* Blocks at the border of a grid may take another path than inner ones, and come first: samples are of the middle of
** a chunk, or of the last blocks that are enough for two trials, each of four samples of n blocks.  With one worker
** the whole launch is its chunk, which may be the only one: not half of it is to run the slower variant. */
static void go_to_middle(Chunk *c, const CucpuVariant *code, uint64_t first, uint64_t n) {
    uint64_t inside = (c->end - first) / (chunks_of_launch() > 1 ? 2 : 16),
             middle = min_of(first + inside, c->end - MAX_SAMPLES * n);
    if (c->first < middle) timed(c, code, middle - c->first);
}

uint64_t rt_trial_run(RtJob *job, CucpuWorker *w, uint64_t first, uint64_t end) {
    RtSamples *s = job->samples;
    if (!atomic_exchange_explicit(&s->open, false, memory_order_acquire)) return first;
    Chunk c = {&job->launch->abi, w, first, end};
    const RtTrial *t = job->launch->trial;
    uint64_t n = s->probe ? 0 : find_blocks(&c, s->taken);
    s->few = !n && !s->probe;
    if (!n && atomic_load_explicit(&t->run, memory_order_relaxed) >= probe_at(t)) probe_inside(s, &c);
    if (n && is_due(t, n)) {
        s->blocks = n;
        s->wins = t->wins;
        go_to_middle(&c, s->taken, first, n);
        do {
            take_samples(t, s, &c, n);
            s->wins = has_won(s->ticks) ? s->wins + 1 : 0;
        } while (s->wins == 1);
        if (s->wins == 2) atomic_store_explicit(&job->variant, s->other, memory_order_relaxed);
    }
    w->block = c.first;
    return c.first;
}

/* A launch as a sample; false: there are not enough of them yet. */
static bool add_launch(RtTrial *t, RtJob *job) {
    RtSamples *s = job->samples;
    bool other = is_other(t), first = t->launches < 2;
    uint64_t ticks = atomic_load_explicit(&job->work, memory_order_relaxed) * 1024 / job->blocks;
    bool improves = other && !first && ticks * 100 < t->ticks[1] * MARGIN;
    t->blocks = job->blocks;
    t->ticks[other] = first ? ticks : min_of(t->ticks[other], ticks);
    if (other && (first || ticks > t->worst)) t->worst = ticks;
    t->launches++;
    bool hopeless = t->launches == 2 && !t->wins && is_hopeless(t, t->ticks);
    if (t->launches < 4 && !hopeless) return false;
    if (improves && !has_won(t->ticks) && t->ticks[1] * 100 < t->ticks[0] * HOPELESS && t->launches < MAX_LAUNCHES)
        return false;
    s->blocks = job->blocks;
    s->ticks[0] = t->ticks[0];
    s->ticks[1] = t->ticks[1];
    s->clear = t->worst * 100 < t->ticks[0] * CLEARLY;
    s->wins = has_won(t->ticks) ? t->wins + 1 : 0;
    t->launches = 0;
    return true;
}

/* ---- the decision ---- */

static void change(RtTrial *t, const RtJob *job, bool sure) {
    const RtSamples *s = job->samples;
    atomic_store_explicit(&t->scalar, s->other->width == 1, memory_order_relaxed);
    t->pause = sure ? SURE_PAUSE : FIRST_PAUSE;
    t->wins = 0;
    t->loss = ((double)s->ticks[0] + 1) / ((double)s->ticks[1] + 1) - 1; /* of the variant that was taken until now */
    if (rt_env()->trace_lines)
        rt_message("%s: code of %u lane%s is %.2f times as fast as that of %u, and runs from now on",
                   job->launch->kernel->abi->name, s->other->width, s->other->width == 1 ? "" : "s",
                   (double)s->ticks[0] / ((double)s->ticks[1] + 1), s->taken->width);
}

static void decide(RtTrial *t, const RtJob *job) {
    const RtSamples *s = job->samples;
    bool expected = expects_change(t);
    t->tried = true;
    t->loss = ((double)s->ticks[1] + 1) / ((double)s->ticks[0] + 1) - 1;
    t->wins = s->wins;
    if (!t->wins && t->pause < MAX_PAUSE) t->pause *= 2;
    bool sure = t->wins == 2 || (t->wins && expected);
    if (sure || s->clear) change(t, job, sure);
    if ((sure || s->clear) && !s->whole) {
        t->promised = s->ticks[0] / s->blocks + 1;
        t->promised_by = job->blocks;
        atomic_store_explicit(&t->unproven, true, memory_order_relaxed);
    }
    atomic_store_explicit(&t->due, t->wins ? 0 : pause_before(t, s->blocks), memory_order_relaxed);
    atomic_store_explicit(&t->run, 0, memory_order_relaxed);
    atomic_store_explicit(&t->level, 0, memory_order_relaxed);
    atomic_store_explicit(&t->phase, false, memory_order_relaxed);
}

/* Of a launch that was no sample. */
static void watch_phase(RtTrial *t, const RtJob *job, uint64_t ticks) {
    uint64_t level = atomic_load_explicit(&t->level, memory_order_relaxed);
    bool same = atomic_load_explicit(&t->level_blocks, memory_order_relaxed) == job->blocks;
    if (same && level && ticks < level * PHASE && level < ticks * PHASE) return;
    atomic_store_explicit(&t->level, ticks, memory_order_relaxed);
    atomic_store_explicit(&t->level_blocks, job->blocks, memory_order_relaxed);
    if (!level || !same || atomic_fetch_add_explicit(&t->phases, 1, memory_order_relaxed) >= MAX_PHASES) return;
    atomic_store_explicit(&t->phase, true, memory_order_relaxed);
    atomic_store_explicit(&t->due, 0, memory_order_relaxed);
}

static RtSeen *seen_of(RtTrial *t, const RtJob *job, int scalar) {
    return &t->seen[scalar][(job->blocks ^ job->blocks >> 3 ^ job->blocks >> 6) % GRIDS];
}

/* Ticks per block of the other variant in the last launch of a grid of this size; 0: unknown. */
static uint64_t ticks_of_other(RtTrial *t, const RtJob *job, int scalar) {
    const RtSeen *s = seen_of(t, job, !scalar);
    bool same = atomic_load_explicit(&s->blocks, memory_order_relaxed) == job->blocks;
    return same ? atomic_load_explicit(&s->ticks, memory_order_relaxed) : 0;
}

/* The variant of this launch, or of most of its blocks, was chosen by samples: is it as fast as they were? */
static bool is_misjudged(RtTrial *t, const RtJob *job, int scalar, uint64_t ticks) {
    uint64_t other = ticks_of_other(t, job, scalar);
    bool known = other * PHASE > t->promised; /* and of this phase */
    return known ? ticks * 100 > other * MISJUDGED : ticks > 2 * t->promised;
}

static void distrust_samples(RtTrial *t, const RtJob *job, uint64_t ticks) {
    uint64_t other = ticks_of_other(t, job, job->variant->width == 1);
    atomic_store_explicit(&t->scalar, job->variant->width != 1, memory_order_relaxed);
    t->wins = 0;
    t->loss = (double)ticks / (double)((other ? other : t->promised) + 1) - 1;
    t->small = job->blocks;
    t->pause = SURE_PAUSE;
    atomic_store_explicit(&t->due, pause_before(t, job->blocks), memory_order_relaxed);
    atomic_store_explicit(&t->run, 0, memory_order_relaxed);
}

static void check_promise(RtTrial *t, const RtJob *job, uint64_t ticks) {
    int scalar = job->variant->width == 1;
    if (scalar != atomic_load_explicit(&t->scalar, memory_order_relaxed) || job->blocks != t->promised_by) return;
    atomic_store_explicit(&t->unproven, false, memory_order_relaxed);
    if (is_misjudged(t, job, scalar, ticks)) distrust_samples(t, job, ticks);
}

static void use_probe(RtTrial *t, const RtSamples *s) {
    t->probed = true;
    if (s->seen * 100 < HOPEFUL) t->loss = HOPEFUL / 100.0 - 1;
    if (s->seen * 100 < BAD) return;
    t->loss = s->seen - 1;
    t->pause = SURE_PAUSE;
}

static void end_samples(RtTrial *t, RtJob *job) {
    const RtSamples *s = job->samples;
    bool done = s->whole ? add_launch(t, job) : s->blocks != 0;
    if (done && !job->fault) decide(t, job);
    if (s->probed) use_probe(t, s);
    if (!done && !s->whole) {
        if (s->few && t->small < job->blocks) t->small = job->blocks;
        atomic_store_explicit(&t->due, atomic_load_explicit(&t->run, memory_order_relaxed) + job->blocks,
                              memory_order_relaxed);
    }
}

void rt_trial_end(RtJob *job) {
    RtTrial *t = job->launch->trial;
    uint64_t ticks = atomic_load_explicit(&job->work, memory_order_relaxed) / job->blocks + 1;
    bool mine = job->samples != NULL;
    if (mine) end_samples(t, job);
    else watch_phase(t, job, ticks);
    if (RT_UNLIKELY(atomic_load_explicit(&t->unproven, memory_order_relaxed)) && !job->fault) {
        mine |= !atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire);
        if (mine) check_promise(t, job, ticks);
    }
    bool mixed = job->samples && !job->samples->whole && job->samples->blocks;
    if (!mixed) {
        RtSeen *last = seen_of(t, job, job->variant->width == 1);
        atomic_store_explicit(&last->blocks, job->blocks, memory_order_relaxed);
        atomic_store_explicit(&last->ticks, ticks, memory_order_relaxed);
    }
    if (mine) atomic_flag_clear_explicit(&t->busy, memory_order_release);
}
