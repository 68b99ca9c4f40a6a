/* counters.c: launches whose workers have private counters.
**
** A kernel that uses parameters for nothing but integer sums (CucpuKernel.counters) has a variant without real
** atomics for them.  A launch takes it if each of these arguments points into an allocation of ours that no other
** argument points into, and if the launch has several threads for each element of it and each worker, or many where
** threads may seldom count.  Every worker then passes the address of memory of its own, full of zeros, in place of
** the argument, and when it has left the grid it adds to the real counters, by atomics, what is not zero there.  On
** a machine of many cores histograms are not limited by the cache lines that cores take from each other, and on one
** core they need no bus lock. A grid that ends by a fault adds nothing: its context is lost anyway. A kernel that
** counts beyond its counters writes to room around ours, as it would have to whatever is adjacent to the real ones;
** that room is never taken for counters. */
#include "base/env.h"
#include "host/topo.h"
#include "space/alloc.h"
#include "exec/job.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_BYTES = 256 << 10, THREADS_PER_ELEMENT = 4, OF_RARE = 128, MIN_THREADS = 4096, ALIGN = 64 };
enum {
    BEFORE = 64 << 10,
    AFTER = 2 << 20,
    MAPPED = BEFORE + MAX_BYTES + ALIGN + AFTER
}; /* around counters; not accessed otherwise */

struct RtTally {
    const RtJob *job; /* NULL: all memory is zero */
    CucpuLaunch launch;
    void **args;
    uint32_t nargs;
    uintptr_t value[RT_COUNTERS];                  /* of the arguments */
    char *memory[RT_COUNTERS];                     /* ROOM */
    size_t bytes[RT_COUNTERS], shift[RT_COUNTERS]; /* of the counters that were there last */
};

/* ---- whether ---- */

static bool is_pointed_into(const RtLaunch *l, uint32_t but, const RtAlloc *a) {
    const CucpuKernel *k = l->kernel->abi;
    for (uint32_t i = 0; i < k->nparams; i++)
        if (i != but && k->params[i].size == sizeof(void *) && rt_argument(l, i) - a->base < a->size) return true;
    return false;
}

static bool add_counter(const RtLaunch *l, uint32_t param, RtCounters *c, uint64_t *elements) {
    uintptr_t p = rt_argument(l, param);
    uint32_t size = l->kernel->abi->wide_counters >> param & 1 ? 8 : 4;
    RtAlloc a;
    if (c->n == RT_COUNTERS || !rt_find_alloc((void *)p, &a) || !rt_is_own_alloc(&a) || a.size > MAX_BYTES)
        return false;
    if (p % size || a.base % size || is_pointed_into(l, param, &a)) return false;
    c->of[c->n++] =
        (RtCounter){.param = param, .size = size, .base = a.base, .bytes = a.size / size * size, .offset = p - a.base};
    *elements += a.size / size;
    return true;
}

bool rt_counters_of(const RtLaunch *l, RtCounters *c) {
    const CucpuKernel *k = l->kernel->abi;
    uint64_t threads = l->blocks * l->abi.threads, elements = 0;
    if (RT_LIKELY(!k->counting) || threads < MIN_THREADS || !rt_env()->counters || !rt_variant_fits(l, k->counting))
        return false;
    c->n = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (k->counters >> i & 1 && !add_counter(l, i, c, &elements)) return false;
    uint64_t workers = l->blocks < (uint64_t)rt_topo()->threads ? l->blocks : (uint64_t)rt_topo()->threads;
    return elements * workers * (k->rare_counters ? OF_RARE : THREADS_PER_ELEMENT) <= threads;
}

/* ---- a worker's memory ---- */

/* As the real counters lie in their cache lines; what lies around those of the launch before may not be zero. */
static bool make_counters(RtTally *t, int i, const RtCounter *c) {
    size_t shift = c->base % ALIGN;
    if (!t->memory[i]) {
        void *p = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return false;
        t->memory[i] = p;
    } else if (t->bytes[i] != c->bytes || t->shift[i] != shift) {
        memset(t->memory[i] + BEFORE, 0, c->bytes + ALIGN);
    }
    t->bytes[i] = c->bytes, t->shift[i] = shift;
    return true;
}

static char *counters_at(const RtTally *t, int i) { return t->memory[i] + BEFORE + t->shift[i]; }

static bool set_arguments(RtTally *t, const RtJob *job) {
    const CucpuKernel *k = job->launch->kernel->abi;
    if (t->nargs < k->nparams) {
        free(t->args);
        t->args = malloc(k->nparams * sizeof *t->args);
        t->nargs = t->args ? k->nparams : 0;
        if (!t->args) return false;
    }
    memcpy(t->args, job->launch->abi.args, k->nparams * sizeof *t->args);
    t->launch = job->launch->abi;
    t->launch.args = t->args;
    return true;
}

const CucpuLaunch *rt_counters_begin(RtTally **tally, const RtJob *job) {
    if (!*tally && !(*tally = calloc(1, sizeof **tally))) return NULL;
    RtTally *t = *tally;
    if (t->job == job) return &t->launch;
    if (t->job || !set_arguments(t, job)) return NULL; /* in a grid within a grid */
    for (int i = 0; i < job->counters->n; i++) {
        const RtCounter *c = &job->counters->of[i];
        if (!make_counters(t, i, c)) return NULL;
        t->value[i] = (uintptr_t)counters_at(t, i) + c->offset;
        t->args[c->param] = &t->value[i];
    }
    t->job = job;
    return &t->launch;
}

static bool is_zero(const char *line) {
    uint64_t v[ALIGN / 8], any = 0;
    memcpy(v, line, sizeof v);
    for (size_t i = 0; i < RT_COUNT(v); i++) any |= v[i];
    return !any;
}

#define ADD(type, own, to, n)                                                                                          \
    for (size_t k = 0; k < (n) / sizeof(type); k++) {                                                                  \
        type v = ((type *)(void *)(own))[k];                                                                           \
        if (v && !failed) atomic_fetch_add_explicit((_Atomic(type) *)(to) + k, v, memory_order_relaxed);               \
    }

/* Most of a large histogram may be zero: a cache line at a time. */
static void add_up(const RtCounter *c, char *own, bool failed) {
    for (size_t at = 0; at < c->bytes; at += ALIGN) {
        size_t n = c->bytes - at < ALIGN ? c->bytes - at : ALIGN;
        if (n == ALIGN && is_zero(own + at)) continue;
        if (c->size == 8) ADD(uint64_t, own + at, c->base + at, n)
        else ADD(uint32_t, own + at, c->base + at, n)
        memset(own + at, 0, n);
    }
}

void rt_counters_end(RtTally *t, const RtJob *job) {
    if (!t || t->job != job) return;
    bool failed = atomic_load(&((RtJob *)(uintptr_t)job)->fault) != 0;
    for (int i = 0; i < job->counters->n; i++) add_up(&job->counters->of[i], counters_at(t, i), failed);
    t->job = NULL;
}

void rt_counters_print(const RtTally *t) {
    for (int i = 0; t && t->job && i < t->job->counters->n; i++)
        rt_message("the worker counts at %p instead of %p (not with CUCPU_COUNTERS=0)", (void *)t->value[i],
                   (void *)rt_argument(t->job->launch, t->job->counters->of[i].param));
}

void rt_counters_free(RtTally *t) {
    if (!t) return;
    for (int i = 0; i < RT_COUNTERS; i++)
        if (t->memory[i]) munmap(t->memory[i], MAPPED);
    free(t->args);
    free(t);
}
