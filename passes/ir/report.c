/* report.c: see report.h. */
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SOURCE = 4 << 20 }; /* bytes of a file that is shown */

typedef struct Access {
    const char *how, *kind; /* kind: load, store, atomic */
    unsigned column, bytes, count;
    bool masked;
} Access;

typedef struct Line {
    const char *file;
    unsigned line;
    unsigned shapes[REPORT_SHAPES], branches[2]; /* uniform, divergent */
    double cycles;
    Vec(Access) accesses;
} Line;

typedef struct Barrier {
    const char *file;
    unsigned line;
    double thread;
    uint64_t block, without_classes;
} Barrier;

typedef struct Said {
    const char *file, *kernel, *name, *text, *advice;
    unsigned line, column;
} Said;

typedef struct EntryFact {
    const char *name;
    long width, layout;
    unsigned frame;
} EntryFact;

typedef struct KernelFacts {
    const char *name, *title, *file;
    unsigned line;
    int width;
    Vec(Line) lines;
    Vec(Barrier) barriers;
    Vec(EntryFact) entries;
} KernelFacts;

struct Report {
    Module *m;
    Vec(KernelFacts) kernels;
    Vec(Said) said;
    Vec(const char *) files;
};

bool report_wanted(const Module *m) { return m->opt->write_report != NULL; }

static const char *copy(Report *r, const char *s, size_t n) { return arena_printf(&r->m->arena, "%.*s", (int)n, s); }

/* One text for each file. */
static const char *file_of(Report *r, LLVMValueRef at) {
    unsigned len;
    const char *file = diag_file(at, &len);
    if (!file) return "";
    for (int i = 0; i < r->files.n; i++)
        if (strlen(r->files.v[i]) == len && !memcmp(r->files.v[i], file, len)) return r->files.v[i];
    vec_push(&r->m->arena, &r->files, copy(r, file, len));
    return r->files.v[r->files.n - 1];
}

static void on_remark(void *context, LLVMValueRef at, const char *name, const char *text, const char *advice) {
    Report *r = context;
    char *kernel = at ? kernel_name(at) : NULL;
    Said s = {.kernel = copy(r, kernel ? kernel : "", kernel ? strlen(kernel) : 0),
              .file = file_of(r, at),
              .line = diag_line(at),
              .column = at && LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 1,
              .name = copy(r, name, strlen(name)),
              .text = copy(r, text, strlen(text)),
              .advice = copy(r, advice, strlen(advice))};
    free(kernel);
    vec_push(&r->m->arena, &r->said, s);
}

void report_open(Module *m) {
    if (!report_wanted(m)) return;
    m->report = arena_alloc(&m->arena, sizeof *m->report);
    m->report->m = m;
    m->diag.on_remark = on_remark;
    m->diag.remark_context = m->report;
}

/* ---- kernels ---- */

static KernelFacts *facts_of(Module *m, LLVMValueRef fn) {
    Report *r = m->report;
    const Variant v = variant_of(fn);
    const char *name = v.base ? v.base : value_name(fn);
    for (int i = 0; i < r->kernels.n; i++)
        if (!strcmp(r->kernels.v[i].name, name)) return &r->kernels.v[i];
    char *title = kernel_name(fn);
    KernelFacts k = {.name = copy(r, name, strlen(name)),
                     .title = copy(r, title, strlen(title)),
                     .file = file_of(r, fn),
                     .line = diag_line(fn)};
    free(title);
    vec_push(&m->arena, &r->kernels, k);
    return &r->kernels.v[r->kernels.n - 1];
}

bool report_is_main(const Kernel *k) {
    if (!k->m->report || k->block[0] || (k->width > 1 && k->layout != LAYOUT_ROWS_FULL)) return false;
    if (fn_has_attr(k->fn, ATTR_VECTOR)) return false;
    const Variant v = variant_of(k->fn);
    if (variant_kind(&v) != VARIANT_PLAIN) return false;
    /* of one with SIMD variants, that for blocks of any shape may have width 1 */
    return k->width > 1 || facts_of(k->m, k->fn)->width <= 1;
}

void report_begin(Kernel *k) {
    if (!report_is_main(k)) return;
    KernelFacts *f = facts_of(k->m, k->fn);
    f->lines.n = f->barriers.n = 0;
    f->width = k->width;
}

/* ---- lines ---- */

static Line *line_of(Kernel *k, LLVMValueRef at) {
    unsigned number = diag_line(at);
    if (!number || !report_is_main(k)) return NULL;
    KernelFacts *f = facts_of(k->m, k->fn);
    const char *file = file_of(k->m->report, at);
    for (int i = f->lines.n - 1; i >= 0; i--)
        if (f->lines.v[i].line == number && f->lines.v[i].file == file) return &f->lines.v[i];
    vec_push(&k->m->arena, &f->lines, ((Line){.file = file, .line = number}));
    return &f->lines.v[f->lines.n - 1];
}

void report_branch(Kernel *k, LLVMValueRef branch, bool divergent) {
    Line *l = line_of(k, branch);
    if (l) l->branches[divergent]++;
}

void report_shape(Kernel *k, LLVMValueRef inst, ReportShape shape) {
    Line *l = line_of(k, inst);
    if (l) l->shapes[shape]++;
}

void report_cycles(Kernel *k, LLVMValueRef inst, double cycles) {
    Line *l = line_of(k, inst);
    if (l) l->cycles += cycles;
}

void report_access(Kernel *k, LLVMValueRef inst, const char *how, bool masked) {
    Line *l = line_of(k, inst);
    int at = accessed_operand(inst);
    if (!l || at < 0) return;
    LLVMTypeRef t = LLVMIsALoadInst(inst) ? LLVMTypeOf(inst) : LLVMTypeOf(LLVMGetOperand(inst, at ? 0 : 1));
    Access a = {.how = how,
                .column = LLVMGetDebugLocColumn(inst),
                .bytes = (unsigned)LLVMABISizeOfType(k->m->dl, t),
                .kind = LLVMIsALoadInst(inst)    ? "load"
                        : LLVMIsAStoreInst(inst) ? "store"
                                                 : "atomic",
                .masked = masked};
    for (int i = 0; i < l->accesses.n; i++) {
        Access *b = &l->accesses.v[i];
        if (b->column != a.column || strcmp(b->how, how) || strcmp(b->kind, a.kind) || b->masked != masked) continue;
        b->count++;
        return;
    }
    a.count = 1;
    vec_push(&k->m->arena, &l->accesses, a);
}

void report_barrier(Kernel *k, LLVMValueRef barrier, double thread, uint64_t block, uint64_t without_classes) {
    if (!report_is_main(k)) return;
    Barrier b = {file_of(k->m->report, barrier), diag_line(barrier), thread, block, without_classes};
    vec_push(&k->m->arena, &facts_of(k->m, k->fn)->barriers, b);
}

void report_entry(Module *m, LLVMValueRef entry, unsigned frame_per_group) {
    const Variant v = variant_of(entry);
    if (!m->report || !v.base) return;
    const char *name = value_name(entry);
    EntryFact e = {copy(m->report, name, strlen(name)), v.width, v.layout, frame_per_group};
    vec_push(&m->arena, &facts_of(m, entry)->entries, e);
}

/* ---- JSON ---- */

static void put_text(FILE *f, const char *key, const char *s) {
    char *text = shim_json_string(s, strlen(s));
    fprintf(f, "\"%s\":%s", key, text);
    free(text);
}

static void put_line(FILE *f, const Line *l) {
    fputs("{", f);
    put_text(f, "file", l->file);
    fprintf(f, ",\"line\":%u,\"uniform\":%u,\"affine\":%u,\"varying\":%u", l->line, l->shapes[REPORT_UNIFORM],
            l->shapes[REPORT_AFFINE], l->shapes[REPORT_VARYING]);
    fprintf(f, ",\"uniform_branches\":%u,\"divergent_branches\":%u,\"cycles\":%.3f,\"accesses\":[", l->branches[0],
            l->branches[1], l->cycles);
    for (int i = 0; i < l->accesses.n; i++) {
        const Access *a = &l->accesses.v[i];
        fprintf(f, "%s{\"kind\":\"%s\",\"how\":\"%s\",\"column\":%u,\"bytes\":%u,\"count\":%u,\"masked\":%s}",
                i ? "," : "", a->kind, a->how, a->column, a->bytes, a->count, a->masked ? "true" : "false");
    }
    fputs("]}", f);
}

static void put_kernel(FILE *f, const KernelFacts *k) {
    static const char *const layouts[] = {"rows_full", "rows", "general"};
    double cycles = 0;
    for (int i = 0; i < k->lines.n; i++) cycles += k->lines.v[i].cycles;
    fputs("{", f);
    put_text(f, "name", k->name), fputs(",", f);
    put_text(f, "title", k->title), fputs(",", f);
    put_text(f, "file", k->file);
    fprintf(f, ",\"line\":%u,\"width\":%d,\"cycles\":%.3f,\n \"entries\":[", k->line, k->width, cycles);
    for (int i = 0; i < k->entries.n; i++) {
        const EntryFact *e = &k->entries.v[i];
        fputs(i ? ",{" : "{", f);
        put_text(f, "name", e->name);
        fprintf(f, ",\"width\":%ld,\"layout\":\"%s\",\"frame_bytes_per_thread\":%.2f}", e->width,
                layouts[e->layout >= 0 && e->layout < 3 ? e->layout : 0], (double)e->frame / (double)e->width);
    }
    fputs("],\n \"barriers\":[", f);
    for (int i = 0; i < k->barriers.n; i++) {
        const Barrier *b = &k->barriers.v[i];
        fputs(i ? ",{" : "{", f);
        put_text(f, "file", b->file);
        fprintf(f, ",\"line\":%u,\"bytes_per_thread\":%.2f,\"bytes_per_block\":%llu,\"bytes_without_classes\":%llu}",
                b->line, b->thread, (unsigned long long)b->block, (unsigned long long)b->without_classes);
    }
    fputs("],\n \"lines\":[", f);
    for (int i = 0; i < k->lines.n; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        put_line(f, &k->lines.v[i]);
    }
    fputs("]}", f);
}

static void put_said(FILE *f, const Said *s) {
    fputs("{", f);
    put_text(f, "kernel", s->kernel), fputs(",", f);
    put_text(f, "file", s->file);
    fprintf(f, ",\"line\":%u,\"column\":%u,", s->line, s->column);
    put_text(f, "name", s->name), fputs(",", f);
    put_text(f, "text", s->text), fputs(",", f);
    put_text(f, "advice", s->advice);
    fputs("}", f);
}

/* A file that cannot be read is left out. */
static bool put_source(FILE *f, const char *path, bool first) {
    FILE *in = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0, total = 0;
    ssize_t n;
    if (!in) return false;
    char *key = shim_json_string(path, strlen(path));
    fprintf(f, "%s%s:[", first ? "\n " : ",\n ", key);
    free(key);
    for (int i = 0; (n = getline(&line, &room, in)) >= 0 && (total += (size_t)n) < MAX_SOURCE; i++) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r')) n--;
        char *text = shim_json_string(line, (size_t)n);
        fprintf(f, "%s%s", i ? "," : "", text);
        free(text);
    }
    fputs("]", f);
    free(line);
    fclose(in);
    return true;
}

static int by_cycles(const void *p, const void *q) {
    double sums[2] = {0, 0};
    const KernelFacts *k[2] = {p, q};
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < k[i]->lines.n; n++) sums[i] += k[i]->lines.v[n].cycles;
    int by_name = strcmp(k[0]->name, k[1]->name);
    return sums[0] > sums[1] ? -1 : sums[0] < sums[1] ? 1 : by_name;
}

char *report_json(Module *m, size_t *size) {
    Report *r = m->report;
    char *text = NULL;
    FILE *f = r ? open_memstream(&text, size) : NULL;
    if (!f) return NULL;
    if (r->kernels.n) qsort(r->kernels.v, (size_t)r->kernels.n, sizeof *r->kernels.v, by_cycles);
    fputs("{\"version\":1,", f);
    put_text(f, "source", m->opt->source ? m->opt->source : "");
    fputs(",\n\"kernels\":[", f);
    for (int i = 0; i < r->kernels.n; i++) {
        fputs(i ? ",\n " : "\n ", f);
        put_kernel(f, &r->kernels.v[i]);
    }
    fputs("],\n\"remarks\":[", f);
    for (int i = 0; i < r->said.n; i++) {
        fputs(i ? ",\n " : "\n ", f);
        put_said(f, &r->said.v[i]);
    }
    fputs("],\n\"sources\":{", f);
    bool first = true;
    for (int i = 0; i < r->files.n; i++) first &= !put_source(f, r->files.v[i], first);
    fputs("}}\n", f);
    fclose(f);
    return text;
}
