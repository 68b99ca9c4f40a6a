/* kernels.c: the table of how each kernel ran on this CPU. */
#include "launcher/profile/groups.h"
#include "launcher/profile/tables.h"
#include "launcher/profile/units.h"
#include "launcher/text.h"
#include <stdlib.h>
#include <string.h>

typedef struct Row { /* the launches of a kernel that ran with one width */
    const char *name;
    const KernelInfo *info;
    uint32_t width, frame;
    size_t calls;
    uint64_t ns;
    double blocks, threads, workers, lanes; /* sums; lanes: weighted by time */
} Row;

static int by_time(const void *a, const void *b) {
    const Row *x = a, *y = b;
    return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : strcmp(x->name, y->name);
}

static Row *find(Row *rows, size_t *n, const Activity *a, const char *name) {
    for (size_t i = 0; i < *n; i++)
        if (rows[i].info == a->info && rows[i].width == a->record->kernel.width) return &rows[i];
    rows[*n] = (Row){.name = name, .info = a->info, .width = a->record->kernel.width};
    return &rows[(*n)++];
}

static void add(Row *r, const Activity *a) {
    const CucpuRecord *k = a->record;
    double blocks = (double)k->kernel.grid[0] * k->kernel.grid[1] * k->kernel.grid[2];
    uint64_t ns = a->end - a->start;
    r->calls++;
    r->ns += ns;
    r->blocks += blocks;
    r->threads += blocks * k->kernel.block[0] * k->kernel.block[1] * k->kernel.block[2];
    r->workers += k->kernel.workers;
    r->lanes += (double)ns * k->kernel.lanes;
    if (k->kernel.frame > r->frame) r->frame = k->kernel.frame;
}

static void print_csv(const Style *s, const Row *r, Unit u) {
    double calls = (double)r->calls;
    fprintf(s->out, "%f,%zu,%u,%.1f,%.1f,%.0f,%.0f,%u,%f,%s\n", in_unit(u, (double)r->ns), r->calls, r->width,
            r->ns ? r->lanes / (double)r->ns : 0, r->workers / calls, r->blocks / calls, r->threads / calls, r->frame,
            r->ns ? r->threads * 1e3 / (double)r->ns : 0, csv_text(r->name));
}

static void print_text(const Style *s, const Row *r) {
    double calls = (double)r->calls;
    fprintf(s->out, "%16s  %8s  %8zu  %5u  %5.0f%%  %7.1f  %8.0f  %9.0f  %8s  %9.1f  %s\n", "",
            time_text(s, (double)r->ns), r->calls, r->width, r->ns ? r->lanes / (double)r->ns : 0, r->workers / calls,
            r->blocks / calls, r->threads / calls, size_text(r->frame), r->ns ? r->threads * 1e3 / (double)r->ns : 0,
            r->name);
}

void print_kernels(const Style *s, const Process *p) {
    size_t n = 0, most = 8 * ((size_t)p->ninfos + 2);
    Row *rows = text_alloc(most * sizeof *rows);
    for (size_t i = 0; i < p->n; i++) {
        const Activity *a = &p->activities[i];
        if (a->kind == CUCPU_REC_KERNEL && n < most) add(find(rows, &n, a, activity_name(a, s->mangled)), a);
    }
    if (!n) return;
    qsort(rows, n, sizeof *rows, by_time);
    Unit u = csv_unit(s, (double)rows[0].ns);
    if (s->csv)
        fprintf(
            s->out,
            "\"Time\",\"Calls\",\"Width\",\"Lanes\",\"Workers\",\"Blocks\",\"Threads\",\"Frame\",\"Rate\",\"Name\"\n"
            "%s,,,%%,,,,B,Mthread/s,\n",
            unit_name(u));
    else
        fprintf(s->out, "%16s  %8s  %8s  %5s  %6s  %7s  %8s  %9s  %8s  %9s  %s\n", "Kernels:", "Time", "Calls", "Width",
                "Lanes", "Workers", "Blocks", "Threads", "Frame", "Mthread/s", "Name");
    for (size_t i = 0; i < n; i++) {
        if (s->csv) print_csv(s, &rows[i], u);
        else print_text(s, &rows[i]);
    }
}
