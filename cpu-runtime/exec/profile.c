/* profile.c: what kernels took, and what instrumented ones have counted (lanes.c), when the program ends: as JSON in
** the file that CUCPU_PROFILE names, else, of instrumented kernels, as a table on stderr. */
#include "exec/profile.h"
#include "base/env.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Timed {
    struct Timed *next;
    char *name, *title; /* copies: its module may be unloaded */
    uint64_t launches, blocks, threads, ns, min_ns, max_ns;
    uint64_t frame_bytes, shared_bytes; /* of a block, most of all launches */
    uint32_t width, layout;             /* of the variant that the last launch took */
} Timed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Timed *all;

static Timed *timed(const CucpuKernel *k) {
    Timed **at = &all;
    for (; *at; at = &(*at)->next)
        if (!strcmp((*at)->name, k->name)) return *at;
    Timed *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->name = strdup(k->name);
    t->title = strdup(k->title ? k->title : k->name);
    if (t->name && t->title) return *at = t;
    free(t->name), free(t->title), free(t);
    return NULL;
}

static void raise_to(uint64_t *most, uint64_t n) {
    if (n > *most) *most = n;
}

void rt_profile_kernel(const RtLaunch *l, const CucpuVariant *v, uint64_t ns) {
    pthread_mutex_lock(&lock);
    Timed *t = timed(l->kernel->abi);
    if (t) {
        if (!t->launches++ || ns < t->min_ns) t->min_ns = ns;
        raise_to(&t->max_ns, ns);
        raise_to(&t->frame_bytes, l->frame_bytes);
        raise_to(&t->shared_bytes, l->shared_bytes);
        t->ns += ns;
        t->blocks += l->blocks;
        t->threads += l->blocks * l->block[0] * l->block[1] * l->block[2];
        t->width = v->width;
        t->layout = v->layout;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- JSON ---- */

static void write_lanes(FILE *f, const RtLanes *l) {
    fprintf(f, "{\"width\": %u, \"operations\": %llu, \"active_lanes\": %llu, \"efficiency\": %.6f", l->width,
            (unsigned long long)l->operations, (unsigned long long)l->active, rt_efficiency(l));
    fprintf(f, ", \"branches\": %llu, \"divergent_branches\": %llu", (unsigned long long)l->branches[0],
            (unsigned long long)l->branches[1]);
    fprintf(f, ", \"loop_tests\": %llu, \"divergent_loop_tests\": %llu, \"accesses\": {",
            (unsigned long long)l->loops[0], (unsigned long long)l->loops[1]);
    const char *separator = "";
    for (int i = 0; i < RT_ACCESS_KINDS; i++) {
        if (!l->accesses[i]) continue;
        fprintf(f, "%s\"%s\": {\"count\": %llu, \"lines\": %llu}", separator, rt_access_names[i],
                (unsigned long long)l->accesses[i], (unsigned long long)l->lines[i]);
        separator = ", ";
    }
    fprintf(f, "}, \"flops\": {\"half\": %llu, \"single\": %llu, \"double\": %llu}", (unsigned long long)l->flops[0],
            (unsigned long long)l->flops[1], (unsigned long long)l->flops[2]);
    fprintf(f, ", \"bytes\": {\"loaded\": %llu, \"stored\": %llu}}", (unsigned long long)l->loaded,
            (unsigned long long)l->stored);
}

static void write_all_lanes(FILE *f, const char *kernel, const RtLanes *rows, size_t n) {
    const char *separator = "";
    fprintf(f, ", \"lanes\": [");
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].kernel, kernel)) continue;
        fprintf(f, "%s", separator);
        write_lanes(f, &rows[i]);
        separator = ", ";
    }
    fprintf(f, "]}");
}

static void write_kernel(FILE *f, const Timed *t) {
    static const char *const layouts[] = {"rows_full", "rows", "general"};
    fprintf(f, "\n  {\"name\": ");
    rt_write_string(f, t->name);
    fprintf(f, ", \"title\": ");
    rt_write_string(f, t->title);
    fprintf(f, ", \"launches\": %llu, \"blocks\": %llu, \"threads\": %llu", (unsigned long long)t->launches,
            (unsigned long long)t->blocks, (unsigned long long)t->threads);
    fprintf(f, ", \"time_ns\": %llu, \"min_ns\": %llu, \"max_ns\": %llu", (unsigned long long)t->ns,
            (unsigned long long)t->min_ns, (unsigned long long)t->max_ns);
    fprintf(f, ", \"width\": %u, \"layout\": \"%s\", \"frame_bytes\": %llu, \"shared_bytes\": %llu", t->width,
            layouts[t->layout % RT_COUNT(layouts)], (unsigned long long)t->frame_bytes,
            (unsigned long long)t->shared_bytes);
}

static void write_json(const char *path, const RtLanes *rows, size_t n) {
    FILE *f = fopen(path, "w");
    if (!f) {
        rt_message("CUCPU_PROFILE=%s: cannot write: %s", path, strerror(errno));
        return;
    }
    fprintf(f, "{\"version\": 1, \"kernels\": [");
    for (const Timed *t = all; t; t = t->next) {
        write_kernel(f, t);
        write_all_lanes(f, t->name, rows, n);
        if (t->next) fputc(',', f);
    }
    fprintf(f, "],\n \"places\": [");
    rt_write_places(f);
    fprintf(f, "]}\n");
    bool failed = ferror(f) != 0;
    if (fclose(f) || failed) rt_message("CUCPU_PROFILE=%s: cannot write: %s", path, strerror(errno));
}

/* ---- the table ---- */

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void print_table(const RtLanes *rows, size_t n) {
    fprintf(stderr,
            "\nactive lanes of vector operations; of tests whose lanes may differ, those by which lanes parted;\n"
            "accesses of groups to memory, and cache lines per access by lanes\n");
    fprintf(stderr, "%-24s %5s %12s %7s %9s %9s %12s %8s %8s %8s %7s\n", "kernel", "width", "operations", "active",
            "branches", "loops", "accesses", "uniform", "contig.", "gather", "lines");
    for (size_t i = 0; i < n; i++) {
        const RtLanes *l = &rows[i];
        uint64_t accesses = 0, lines = 0, spread = 0;
        for (int k = 0; k < RT_ACCESS_KINDS; k++) {
            accesses += l->accesses[k];
            lines += l->lines[k];
            spread += l->lines[k] ? l->accesses[k] : 0;
        }
        fprintf(stderr, "%-24s %5u %12llu %6.1f%% %8.1f%% %8.1f%% %12llu %7.1f%% %7.1f%% %7.1f%% %7.2f\n", l->title,
                l->width, (unsigned long long)l->operations, 100 * rt_efficiency(l),
                percent(l->branches[1], l->branches[0]), percent(l->loops[1], l->loops[0]),
                (unsigned long long)accesses, percent(l->accesses[CUCPU_ACCESS_UNIFORM], accesses),
                percent(l->accesses[CUCPU_ACCESS_CONTIGUOUS], accesses),
                percent(l->accesses[CUCPU_ACCESS_GATHER], accesses), spread ? (double)lines / (double)spread : 0);
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = rt_env()->profile;
    RtLanes *rows;
    size_t n = rt_lanes(&rows);
    if (path && (all || n)) write_json(path, rows, n);
    else if (n) print_table(rows, n);
    free(rows);
}
