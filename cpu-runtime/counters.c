/* counters.c: launches whose workers count each for itself.
**
** A kernel that uses parameters for nothing but integer sums (CucpuKernel.counters) has code without real atomics for them.  A launch takes it
** if each of these arguments points into an allocation of ours that no other argument points into, and if the launch has
** several threads for each element of it and each worker.  Every worker then passes the address of memory of its own, full of zeros, in
** the place of the argument, and when it has left the grid adds to the real counters, by atomics, what is not zero there.  On a machine of
** many cores histograms are not limited by the cache lines that cores take from each other, and on one core they need no bus lock.
** A grid that ends by a fault adds nothing: its context is lost anyway. */
#include "rt.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 10, THREADS_PER_ELEMENT = 4, LEAST_THREADS = 4096, ALIGN = 64 };
/* What a kernel may access beside an allocation without a fault, it may do here. */
enum { SLACK = 4096 };

struct RtTally {
    const RtJob *job; /* NULL: all memory is zero */
    CucpuLaunch launch;
    void **args;
    uint32_t nargs;
    uintptr_t value[RT_COUNTERS]; /* of the arguments */
    char *memory[RT_COUNTERS];
    size_t bytes[RT_COUNTERS];
};

/* ---- whether ---- */

static uintptr_t argument(const RtLaunch *l, uint32_t i) {
    uintptr_t p;
    memcpy(&p, l->abi.args[i], sizeof p);
    return p;
}

static bool is_ours(const RtAlloc *a) { return a->how == RT_BY_MALLOC || a->how == RT_BY_MANAGED || a->how == RT_BY_HOST_ALLOC || a->how == RT_BY_POOL; }

static bool is_pointed_into(const RtLaunch *l, uint32_t but, const RtAlloc *a) {
    const CucpuKernel *k = l->kernel->abi;
    for (uint32_t i = 0; i < k->nparams; i++)
        if (i != but && k->params[i].size == sizeof(void *) && argument(l, i) - a->base < a->size) return true;
    return false;
}

static bool add_counter(const RtLaunch *l, uint32_t param, RtCounters *c, uint64_t *elements) {
    uintptr_t p = argument(l, param);
    uint32_t size = l->kernel->abi->wide_counters >> param & 1 ? 8 : 4;
    RtAlloc a;
    if (c->n == RT_COUNTERS || !rt_find_alloc((void *)p, &a) || !is_ours(&a) || a.size > MOST_BYTES) return false;
    if (p % size || a.base % size || is_pointed_into(l, param, &a)) return false;
    c->of[c->n++] = (RtCounter){.param = param, .size = size, .base = a.base, .bytes = a.size / size * size, .offset = p - a.base};
    *elements += a.size / size;
    return true;
}

bool rt_counters_of(const RtLaunch *l, RtCounters *c) {
    const CucpuKernel *k = l->kernel->abi;
    uint64_t threads = l->blocks * l->abi.threads, elements = 0;
    if (RT_LIKELY(!k->counting) || threads < LEAST_THREADS || !rt_env()->counters || !rt_variant_fits(l, k->counting)) return false;
    c->n = 0;
    for (uint32_t i = 0; i < 32; i++)
        if (k->counters >> i & 1 && !add_counter(l, i, c, &elements)) return false;
    uint64_t workers = l->blocks < (uint64_t)rt_topo()->threads ? l->blocks : (uint64_t)rt_topo()->threads;
    return elements * workers * THREADS_PER_ELEMENT <= threads;
}

/* ---- a worker's memory ---- */

static bool reserve(RtTally *t, int i, size_t bytes) {
    if (t->bytes[i] >= bytes) return true;
    free(t->memory[i]);
    t->memory[i] = aligned_alloc(ALIGN, RT_ROUND(bytes + 2 * SLACK, ALIGN));
    t->bytes[i] = t->memory[i] ? bytes : 0;
    if (t->memory[i]) memset(t->memory[i] + SLACK, 0, bytes);
    return t->memory[i] != NULL;
}

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

/* As the real counters lie in their cache lines. */
static char *counters_at(const RtTally *t, int i, const RtCounter *c) { return t->memory[i] + SLACK + c->base % ALIGN; }

const CucpuLaunch *rt_counters_begin(RtTally **tally, const RtJob *job) {
    if (!*tally && !(*tally = calloc(1, sizeof **tally))) return NULL;
    RtTally *t = *tally;
    if (t->job == job) return &t->launch;
    if (t->job || !set_arguments(t, job)) return NULL; /* in a grid within a grid */
    for (int i = 0; i < job->counters->n; i++) {
        const RtCounter *c = &job->counters->of[i];
        if (!reserve(t, i, c->bytes + ALIGN)) return NULL;
        t->value[i] = (uintptr_t)counters_at(t, i, c) + c->offset;
        t->args[c->param] = &t->value[i];
    }
    t->job = job;
    return &t->launch;
}

#define ADD_ALL(type)                                                                                  \
    for (size_t k = 0; k < c->bytes / sizeof(type); k++) {                                             \
        type v = ((type *)own)[k];                                                                     \
        if (!v) continue;                                                                              \
        ((type *)own)[k] = 0;                                                                          \
        if (!failed) atomic_fetch_add_explicit((_Atomic(type) *)c->base + k, v, memory_order_relaxed); \
    }

void rt_counters_end(RtTally *t, const RtJob *job) {
    if (!t || t->job != job) return;
    bool failed = atomic_load(&((RtJob *)(uintptr_t)job)->fault) != 0;
    for (int i = 0; i < job->counters->n; i++) {
        const RtCounter *c = &job->counters->of[i];
        char *own = counters_at(t, i, c);
        if (c->size == 8) ADD_ALL(uint64_t)
        else ADD_ALL(uint32_t)
    }
    t->job = NULL;
}

void rt_counters_free(RtTally *t) {
    if (!t) return;
    for (int i = 0; i < RT_COUNTERS; i++) free(t->memory[i]);
    free(t->args);
    free(t);
}
