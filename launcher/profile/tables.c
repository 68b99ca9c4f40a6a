/* tables.c: summaries and traces, as nvprof prints them: text in columns, or CSV. */
#include "launcher/profile/tables.h"
#include "launcher/profile/groups.h"
#include "launcher/profile/units.h"
#include "launcher/text.h"
#include <string.h>

/* ---- summaries ---- */

static bool is_call(const Activity *a) { return a->kind == CUCPU_REC_API; }

static void print_group(const Style *s, const Group *g, double percent, const char *title) {
    fprintf(s->out, "%16s  %6.2f%%  %8s  %8zu  %8s  %8s  %8s  %s\n", title, percent, time_text(s, (double)g->sum),
            g->count, time_text(s, (double)g->sum / (double)g->count), time_text(s, (double)g->min),
            time_text(s, (double)g->max), g->name);
}

static void print_section(const Style *s, const Groups *g, const char *title) {
    for (size_t i = 0; i < g->n; i++)
        print_group(s, &g->v[i], g->sum ? 100.0 * (double)g->v[i].sum / (double)g->sum : 0, i ? "" : title);
}

static void csv_section(const Style *s, const Groups *g, const char *title, Unit u) {
    for (size_t i = 0; i < g->n; i++) {
        const Group *x = &g->v[i];
        fprintf(s->out, "%s,%f,%f,%zu,%f,%f,%f,%s\n", csv_text(title),
                g->sum ? 100.0 * (double)x->sum / (double)g->sum : 0, in_unit(u, (double)x->sum), x->count,
                in_unit(u, (double)x->sum / (double)x->count), in_unit(u, (double)x->min), in_unit(u, (double)x->max),
                csv_text(x->name));
    }
}

/* All times of the table are in one unit. */
static void csv_summary(const Style *s, const Groups *gpu, const Groups *api) {
    uint64_t most = gpu->n ? gpu->v[0].sum : 0;
    if (api->n && api->v[0].sum > most) most = api->v[0].sum;
    Unit u = csv_unit(s, (double)most);
    const char *name = unit_name(u);
    fprintf(s->out, "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n");
    fprintf(s->out, ",%%,%s,,%s,%s,%s,\n", name, name, name, name);
    csv_section(s, gpu, "GPU activities", u);
    csv_section(s, api, "API calls", u);
}

void print_summary(const Style *s, const Process *p, bool gpu, bool api) {
    Groups none = {0}, activities = gpu ? make_groups(p, is_gpu_activity, s->mangled) : none;
    Groups calls = api ? make_groups(p, is_call, s->mangled) : none;
    if (s->csv) {
        csv_summary(s, &activities, &calls);
        return;
    }
    if (gpu && !activities.n) fprintf(s->out, "No kernels were profiled.\n");
    if (api && !calls.n) fprintf(s->out, "No API activities were profiled.\n");
    if (!activities.n && !calls.n) return;
    fprintf(s->out, "%16s  %7s  %8s  %8s  %8s  %8s  %8s  %s\n", "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max",
            "Name");
    print_section(s, &activities, "GPU activities:");
    print_section(s, &calls, "API calls:");
}

/* ---- the trace of activities ---- */

static const char *memory_name(unsigned type) {
    static const char *const names[] = {"Pageable", "Pinned", "Device", "Managed"};
    return type < sizeof names / sizeof *names ? names[type] : "-";
}

static const char *device_name(const Process *p) {
    return text_format("%.15s", *p->header->device ? p->header->device : "cucpu");
}

typedef struct Row { /* of the trace of activities; "-": nothing */
    const char *grid, *block, *registers, *fixed, *dynamic, *size, *rate, *from, *to, *name;
} Row;

static const char *cell(const Style *s, const char *text) { return s->csv && !strcmp(text, "-") ? "" : text; }

static double rate(const Activity *a) {
    uint64_t ns = a->end - a->start;
    return (double)a->record->copy.bytes * 1e9 / (double)(ns ? ns : 1);
}

static Row row_of(const Style *s, const Activity *a) {
    Row r = {"-", "-", "-", "-", "-", "-", "-", "-", "-", activity_name(a, s->mangled)};
    const CucpuRecord *x = a->record;
    if (a->kind != CUCPU_REC_KERNEL) {
        double bytes = (double)x->copy.bytes;
        r.size = s->csv ? text_format("%f", bytes / (1 << 20)) : size_text(bytes);
        r.rate = s->csv ? text_format("%f", rate(a) / (1 << 30)) : text_format("%s/s", size_text(rate(a)));
        if (a->kind == CUCPU_REC_COPY) r.from = memory_name(x->copy.from);
        r.to = memory_name(x->copy.to);
        if (a->kind == CUCPU_REC_FILL) r.from = r.to, r.to = "-";
        return r;
    }
    const char *format = s->csv ? "%u,%u,%u" : "(%u %u %u)";
    double fixed = a->info ? a->info->record->info.shared : 0;
    r.grid = text_format(format, x->kernel.grid[0], x->kernel.grid[1], x->kernel.grid[2]);
    r.block = text_format(format, x->kernel.block[0], x->kernel.block[1], x->kernel.block[2]);
    r.registers = text_format("%u", a->info ? a->info->record->info.registers : 0);
    r.fixed = s->csv ? text_format("%f", fixed / 1024) : size_text(fixed);
    r.dynamic = s->csv ? text_format("%f", x->kernel.dynamic / 1024.0) : size_text(x->kernel.dynamic);
    if (!s->csv) r.name = text_format("%s [%u]", r.name, x->correlation);
    return r;
}

static void csv_row(const Style *s, const Process *p, const Activity *a, Unit u) {
    Row r = row_of(s, a);
    bool kernel = a->kind == CUCPU_REC_KERNEL;
    fprintf(s->out, "%f,%f,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,\"1\",\"%u\",%s,%u\n", in_unit(u, (double)a->start),
            in_unit(u, (double)(a->end - a->start)), kernel ? r.grid : ",,", kernel ? r.block : ",,",
            cell(s, r.registers), cell(s, r.fixed), cell(s, r.dynamic), cell(s, r.size), cell(s, r.rate),
            kernel ? "" : csv_text(cell(s, r.from)), kernel ? "" : csv_text(cell(s, r.to)), csv_text(device_name(p)),
            a->record->stream, csv_text(r.name), a->record->correlation);
}

static void text_row(const Style *s, const Process *p, const Activity *a) {
    Row r = row_of(s, a);
    fprintf(s->out, "%8s  %8s  %19s  %14s  %8s  %8s  %8s  %8s  %10s  %10s  %10s  %15s  %8d  %8u  %s\n",
            time_text(s, (double)a->start), time_text(s, (double)(a->end - a->start)), r.grid, r.block, r.registers,
            r.fixed, r.dynamic, r.size, r.rate, r.from, r.to, device_name(p), 1, a->record->stream, r.name);
}

static void print_trace_head(const Style *s, const char *unit) {
    if (!s->csv) {
        fprintf(s->out, "%8s  %8s  %19s  %14s  %8s  %8s  %8s  %8s  %10s  %10s  %10s  %15s  %8s  %8s  %s\n", "Start",
                "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType",
                "DstMemType", "Device", "Context", "Stream", "Name");
        return;
    }
    fprintf(
        s->out,
        "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per "
        "Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\","
        "\"Context\",\"Stream\",\"Name\",\"Correlation_ID\"\n%s,%s,,,,,,,,KB,KB,MB,GB/s,,,,,,,\n",
        unit, unit);
}

static uint64_t last_start(const Process *p, bool (*wanted)(const Activity *a)) {
    uint64_t last = 0;
    for (size_t i = 0; i < p->n; i++)
        if (wanted(&p->activities[i])) last = p->activities[i].start;
    return last;
}

void print_gpu_trace(const Style *s, const Process *p) {
    Unit u = csv_unit(s, (double)last_start(p, is_gpu_activity));
    size_t rows = 0;
    for (size_t i = 0; i < p->n; i++) {
        const Activity *a = &p->activities[i];
        if (!is_gpu_activity(a)) continue;
        if (!rows++) print_trace_head(s, unit_name(u));
        if (s->csv) csv_row(s, p, a, u);
        else text_row(s, p, a);
    }
    if (!rows) fprintf(s->out, "No kernels were profiled.\n");
    if (!rows || s->csv) return;
    fprintf(s->out, "\nRegs: Number of registers used per CUDA thread: what cudaFuncGetAttributes says.\n"
                    "SSMem: Static shared memory allocated per CUDA block.\n"
                    "DSMem: Dynamic shared memory allocated per CUDA block.\n"
                    "SrcMemType: The type of source memory accessed by memory operation/copy\n"
                    "DstMemType: The type of destination memory accessed by memory operation/copy\n");
}

/* ---- the trace of calls ---- */

static bool is_call_or_refused(const Activity *a) { return a->kind == CUCPU_REC_API || a->kind == CUCPU_REC_REFUSED; }

static const char *call_name(const Style *s, const Process *p, const Activity *a) {
    if (a->kind == CUCPU_REC_API) return a->name;
    const CucpuRecord *r = a->record;
    (void)s, (void)p;
    return text_format("refused with error %u: %s (%u %u %u) (%u %u %u) [%u]", r->refused.result, a->name,
                       r->refused.grid[0], r->refused.grid[1], r->refused.grid[2], r->refused.block[0],
                       r->refused.block[1], r->refused.block[2], r->correlation);
}

void print_api_trace(const Style *s, const Process *p) {
    Unit u = csv_unit(s, (double)last_start(p, is_call_or_refused));
    size_t rows = 0;
    for (size_t i = 0; i < p->n; i++) {
        const Activity *a = &p->activities[i];
        if (!is_call_or_refused(a)) continue;
        const char *name = call_name(s, p, a);
        double start = (double)a->start, ns = (double)(a->end - a->start);
        if (!rows && s->csv)
            fprintf(s->out, "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\n%s,%s,,\n", unit_name(u),
                    unit_name(u));
        else if (!rows) fprintf(s->out, "%8s  %8s  %s\n", "Start", "Duration", "Name");
        rows++;
        if (s->csv)
            fprintf(s->out, "%f,%f,%s,%u\n", in_unit(u, start), in_unit(u, ns), csv_text(name), a->record->correlation);
        else fprintf(s->out, "%8s  %8s  %s\n", time_text(s, start), time_text(s, ns), name);
    }
    if (!rows) fprintf(s->out, "No API activities were profiled.\n");
}
