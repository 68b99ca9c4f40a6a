/* lanes.c: counters of kernels that are compiled with --profile=lanes (abi.h: CucpuProfile).
**
** Each worker has an array of counters for each module, so that counting is a plain addition.  Arrays are never freed:
** what a thread has counted is still there when it has ended. */
#include "exec/profile.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MODULES = 4096, MAX_LINES = 256, LINE_BITS = 6 };

typedef struct Array {
    struct Array *next;
    uint64_t counters[];
} Array;

typedef struct Profiled {
    const CucpuProfile *profile;
    Array *arrays; /* one for each worker */
} Profiled;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Profiled modules[MAX_MODULES];
static uint32_t nmodules;
static RT_TLS uint64_t **own; /* by number of the module */

const char *const rt_access_names[RT_ACCESS_KINDS] = {"scalar", "uniform",     "contiguous",   "strided",
                                                      "gather", "local_array", "lane_by_lane", "other"};

static _Noreturn void fail(const char *why) {
    rt_message("--profile=lanes: %s", why);
    abort();
}

static void *zeroed(size_t bytes) {
    void *p = calloc(1, bytes);
    if (!p) fail("no memory for counters");
    return p;
}

static void enter_module(CucpuProfile *p) {
    if (p->number) return;
    if (nmodules + 1 == MAX_MODULES) fail("too many modules");
    modules[++nmodules].profile = p;
    __atomic_store_n(&p->number, nmodules, __ATOMIC_RELEASE);
}

static uint64_t *new_counters(CucpuProfile *p) {
    pthread_mutex_lock(&lock);
    enter_module(p);
    Array *a = zeroed(sizeof *a + 2 * p->nplaces * sizeof *a->counters);
    a->next = modules[p->number].arrays;
    modules[p->number].arrays = a;
    pthread_mutex_unlock(&lock);
    if (!own) own = zeroed(MAX_MODULES * sizeof *own);
    return own[p->number] = a->counters;
}

uint64_t *cucpu_profile_counters(CucpuProfile *p) {
    uint32_t n = __atomic_load_n(&p->number, __ATOMIC_ACQUIRE);
    return n && own && own[n] ? own[n] : new_counters(p);
}

/* ---- lines ---- */

/* A set that is empty again with each new stamp. */
typedef struct Entry {
    uint64_t line, stamp;
} Entry;
static RT_TLS Entry *set; /* of MAX_LINES; memory of threads is short in libraries that are opened late */
static RT_TLS uint64_t stamp;

static bool add_line(uint64_t line) {
    for (uint64_t i = line * 0x9e3779b97f4a7c15u >> 56;; i = (i + 1) % MAX_LINES) {
        if (set[i].stamp == stamp && set[i].line == line) return false;
        if (set[i].stamp == stamp) continue;
        set[i] = (Entry){line, stamp};
        return true;
    }
}

uint64_t cucpu_count_lines(const uint64_t *addresses, uint64_t mask, uint32_t lanes, uint32_t bytes) {
    uint64_t n = 0;
    if (!set) set = zeroed(MAX_LINES * sizeof *set);
    stamp++;
    for (uint32_t l = 0; l < lanes; l++) {
        if (!(mask >> l & 1)) continue;
        uint64_t first = addresses[l] >> LINE_BITS, last = (addresses[l] + bytes - 1) >> LINE_BITS;
        n += add_line(first);
        if (last != first) n += add_line(last);
    }
    return n;
}

/* ---- sums ---- */

static void sum_of(const Profiled *m, uint32_t place, uint64_t sum[2]) {
    sum[0] = sum[1] = 0;
    for (const Array *a = m->arrays; a; a = a->next)
        for (int k = 0; k < 2; k++) sum[k] += a->counters[2 * place + (uint32_t)k];
}

static RtLanes *row_of(RtLanes **rows, size_t *n, const CucpuCounted *c) {
    for (size_t i = 0; i < *n; i++)
        if ((*rows)[i].width == c->width && !strcmp((*rows)[i].kernel, c->kernel)) return &(*rows)[i];
    RtLanes *more = realloc(*rows, (*n + 1) * sizeof **rows);
    if (!more) return NULL;
    *rows = more;
    more[*n] = (RtLanes){.kernel = c->kernel, .title = c->title, .width = c->width};
    return &more[(*n)++];
}

static void add_place(RtLanes *r, const CucpuCounted *c, const uint64_t sum[2]) {
    uint64_t *two = c->kind == CUCPU_COUNTED_LOOP ? r->loops : r->branches;
    uint32_t how = c->access < RT_ACCESS_KINDS ? c->access : CUCPU_ACCESS_OTHER;
    switch (c->kind) {
    case CUCPU_COUNTED_BLOCK:
        r->operations += sum[0] * c->size;
        r->active += sum[1] * c->size;
        r->flops[0] += sum[1] * c->flops_half;
        r->flops[1] += sum[1] * c->flops_single;
        r->flops[2] += sum[1] * c->flops_double;
        r->loaded += sum[1] * c->loaded;
        r->stored += sum[1] * c->stored;
        return;
    case CUCPU_COUNTED_ACCESS:
        r->accesses[how] += sum[0];
        r->lines[how] += sum[1];
        return;
    default: two[0] += sum[0]; two[1] += sum[1];
    }
}

size_t rt_lanes(RtLanes **out) {
    size_t n = 0;
    *out = NULL;
    for (uint32_t m = 1; m <= nmodules; m++)
        for (uint32_t i = 0; i < modules[m].profile->nplaces; i++) {
            const CucpuCounted *c = modules[m].profile->places[i];
            uint64_t sum[2];
            sum_of(&modules[m], i, sum);
            RtLanes *r = sum[0] ? row_of(out, &n, c) : NULL;
            if (r) add_place(r, c, sum);
        }
    return n;
}

double rt_efficiency(const RtLanes *l) {
    return l->operations ? (double)l->active / ((double)l->operations * l->width) : 1;
}

/* ---- JSON ---- */

void rt_write_string(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s; s++)
        if ((unsigned char)*s < ' ') fprintf(f, "\\u%04x", (unsigned)*s);
        else fprintf(f, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    fputc('"', f);
}

void rt_write_places(FILE *f) {
    static const char *const kinds[] = {"block", "branch", "loop", "access"}, *const second[] = {"active", "divergent",
                                                                                                 "divergent", "lines"};
    const char *separator = "";
    for (uint32_t m = 1; m <= nmodules; m++)
        for (uint32_t i = 0; i < modules[m].profile->nplaces; i++) {
            const CucpuCounted *c = modules[m].profile->places[i];
            uint64_t sum[2];
            sum_of(&modules[m], i, sum);
            if (!sum[0] || c->kind > CUCPU_COUNTED_ACCESS) continue;
            fprintf(f, "%s\n  {\"kernel\": ", separator);
            rt_write_string(f, c->kernel);
            fprintf(f, ", \"file\": ");
            rt_write_string(f, c->file ? c->file : "");
            fprintf(f, ", \"line\": %u, \"kind\": \"%s\", \"width\": %u", c->line, kinds[c->kind], c->width);
            if (c->kind == CUCPU_COUNTED_ACCESS)
                fprintf(f, ", \"access\": \"%s\", \"bytes\": %u", rt_access_names[c->access % RT_ACCESS_KINDS],
                        c->size);
            if (c->kind == CUCPU_COUNTED_BLOCK) fprintf(f, ", \"operations\": %u", c->size);
            fprintf(f, ", \"count\": %llu, \"%s\": %llu}", (unsigned long long)sum[0], second[c->kind],
                    (unsigned long long)sum[1]);
            separator = ",";
        }
}
