/* pipeline.c: runs the passes of passes.def in their order (pipeline.h).
**
** What each pass requires, gives and loses, and the reasons for its position, are its row in passes.def; contracts.c
** checks the order before anything is compiled. With --verify-each the forms that hold after a pass are checked on the
** IR.
**
** A kernel pass that refuses leaves its kernel unchanged; the kernel is then compiled again at width 1, with a remark.
** If width 1 is refused as well the module fails with an error. */
#include "passes/pipeline.h"
#include "passes/contracts.h"
#include "passes/passes.h"
#include "passes/verify.h"
#include "passes/ir/value.h"
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef bool ModulePass(Module *);
typedef Nyi KernelPass(Kernel *);

struct Pass {
    const char *name, *what;
    ModulePass *module;
    KernelPass *kernel;
};

static const Pass passes[] = {
#define MODULE_PASS(name, what, requires, gives, loses, order) {#name, what, name, NULL},
#define KERNEL_PASS(name, what, requires, gives, loses, order) {#name, what, NULL, name},
#include "passes/passes.def"
#include "passes/ir/variant.h"
#undef MODULE_PASS
#undef KERNEL_PASS
};
enum { NPASSES = sizeof passes / sizeof *passes };

const Pass *find_pass(const char *name, size_t len) {
    for (int p = 0; p < NPASSES; p++)
        if (strlen(passes[p].name) == len && !memcmp(passes[p].name, name, len)) return &passes[p];
    return NULL;
}

void cucpu_list_passes(void) {
    for (int p = 0; p < NPASSES; p++) printf("%-20s %s\n", passes[p].name, passes[p].what);
}

/* ---- running passes ---- */

void verify_module(Module *m, const char *after) {
    char *message = NULL;
    if (LLVMVerifyModule(m->mod, LLVMReturnStatusAction, &message)) {
        LLVMDumpModule(m->mod);
        bug("IR is invalid after %s: %s", after, message);
    }
    LLVMDisposeMessage(message);
}

static void dump_after(const Module *m, const Pass *p) {
    if (!in_list(m->opt->dump_after, p->name) && !in_list(m->opt->dump_after, "all")) return;
    char *s = LLVMPrintModuleToString(m->mod);
    fprintf(stderr, "; ---- after %s ----\n%s", p->name, s);
    LLVMDisposeMessage(s);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other load on the machine does not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

LLVMValueRef *variants_of(Module *m, Arena *a, int *n) {
    Vec(LLVMValueRef) all = {0}, kernels = {0};
    for_each_function(f, m->mod) {
        if (!is_kernel(f) || LLVMIsDeclaration(f)) continue;
        if (is_variant(f)) vec_push(a, &all, f);
        vec_push(a, &kernels, f);
    }
    *n = all.n ? all.n : kernels.n;
    return all.n ? all.v : kernels.v;
}

static const Contract *contract_of(const Pass *p) {
    int n;
    return &pass_contracts(&n)[p - passes];
}

/* All forms that hold after pass p of the pipeline. */
static unsigned held_forms(int p) {
    int n;
    const Contract *c = pass_contracts(&n);
    unsigned held = FORM_NVVM;
    for (int q = 0; q <= p; q++) held = (held & ~c[q].loses) | c[q].gives;
    return held;
}

/* fn: the variant that the pass has seen, NULL: all. */
static void verify_forms(Module *m, unsigned forms, LLVMValueRef fn, const char *when, const char *pass) {
    Arena a = {0};
    int n;
    LLVMValueRef *v = variants_of(m, &a, &n);
    const char *bad = module_violates(m, forms);
    for (int i = 0; i < n && !bad; i++) {
        if (fn && v[i] != fn) continue;
        Kernel k = kernel_of(m, v[i], &a);
        bad = kernel_violates(&k, forms);
        if (bad) LLVMDumpValue(v[i]);
    }
    arena_free(&a);
    if (bad) bug("%s %s the IR is not in the form %s", when, pass, bad);
}

static Nyi run_kernel_pass(Module *m, const Pass *p, LLVMValueRef fn, Facts *facts) {
    Arena a = {0};
    Kernel k = kernel_of(m, fn, &a);
    k.facts = facts;
    facts->kept = false;
    Nyi refused = p->kernel(&k);
    if (!facts->kept) drop_facts(&k);
    facts->refused_at = k.refused_at;
    arena_free(&a);
    return refused;
}

static LLVMValueRef base_of(Module *m, LLVMValueRef fn) {
    const char *base = variant_of(fn).base;
    return base ? LLVMGetNamedFunction(m->mod, base) : fn;
}

/* Gives up this width for a kernel: all its variants are deleted, and one of width 1 starts again. */
static void fall_back(Module *m, LLVMValueRef base, Arena *a) {
    Vec(LLVMValueRef) gone = {0};
    for_each_function(f, m->mod)
        if (is_variant_of(f, base)) vec_push(a, &gone, f);
    for (int i = 0; i < gone.n; i++) {
        LLVMReplaceAllUsesWith(gone.v[i], LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
        LLVMDeleteFunction(gone.v[i]);
    }
    add_variant(m, base, 1, LAYOUT_ROWS_FULL, NULL);
}

/* Only the layout for any block failed: it is compiled at width 1, or deleted without a replacement. The runtime then
** has no variant for blocks that fit no other layout, and reports that. */
static void give_up_general(Module *m, LLVMValueRef base, LLVMValueRef fn) {
    int width = variant_width(fn);
    LLVMReplaceAllUsesWith(fn, LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
    LLVMDeleteFunction(fn);
    if (width > 1) add_variant(m, base, 1, LAYOUT_GENERAL, NULL);
}

/* A variant for one blockDim, or of more or fewer lanes, beside those that take any. */
static bool is_extra(LLVMValueRef fn, LLVMValueRef base) {
    const Variant v = variant_of(fn);
    VariantKind kind = variant_kind(&v);
    return kind == VARIANT_ONE_BLOCK ? fn != base && !fn_has_attr(base, ATTR_REQNTID) : kind != VARIANT_PLAIN;
}

/* A variant for any block of full rows, whose refusal is reported by itself. */
static bool has_plain(Module *m, LLVMValueRef base) {
    for_each_function(f, m->mod)
        if (is_variant_of(f, base) && !is_extra(f, base) && variant_of(f).layout != LAYOUT_GENERAL) return true;
    return false;
}

/* The effect of its loss for large kernels: the launches with this block are slower without. */
static void report_extra(Module *m, LLVMValueRef base, LLVMValueRef fn, Nyi reason) {
    const Variant v = variant_of(fn);
    const unsigned *block = variant_launch(&v);
    if (!block[0] || has_plain(m, base)) return;
    diag_remark_why(&m->diag, base, reason, NO_VARIANT_BLOCK, block[0], block[1], block[2], (long)v.width);
}

/* An error that names the kernel, at the instruction that cannot be compiled if it is one. */
static void refuse_kernel(Module *m, LLVMValueRef kernel, LLVMValueRef at, Nyi reason) {
    char *name = kernel_name(kernel);
    diag_nyi(&m->diag, at ? at : kernel, reason, name);
    free(name);
}

/* cause: the instruction that cannot be compiled; NULL if it is none in particular. */
static bool refuse(Module *m, LLVMValueRef fn, LLVMValueRef cause, Nyi reason, Arena *a) {
    LLVMValueRef base = base_of(m, fn);
    long width = variant_width(fn);
    if (fn_has_attr(fn, ATTR_VECTOR)) {
        bool called = call_lane_by_lane(m, fn);
        if (!called) diag_nyi(&m->diag, base, reason, value_name(base));
        return called;
    }
    if (is_extra(fn, base)) {
        report_extra(m, base, fn, reason);
        LLVMReplaceAllUsesWith(fn, LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
        LLVMDeleteFunction(fn);
        return true;
    }
    bool general = fn != base && variant_of(fn).layout == LAYOUT_GENERAL;
    if (width == 1 && !general) {
        refuse_kernel(m, base, cause, reason);
        return false;
    }
    if (width == 1) diag_remark_why(&m->diag, base, reason, NO_VARIANT_ANY_SHAPE, width);
    else if (general) diag_remark_why(&m->diag, base, reason, FALLBACK_ANY_SHAPE, width);
    else diag_remark_why(&m->diag, base, reason, FALLBACK, width);
    if (cause && m->diag.remarks && m->diag.prints_remarks) diag_note(&m->diag, cause, "because of this");
    if (general) give_up_general(m, base, fn);
    else fall_back(m, base, a);
    return true;
}

typedef struct Done {
    Vec(const char *) names;
} Done;

/* Whether all required passes have run on it. Without --stop-after such a variant is an entry. */
static bool is_done(const Module *m, const Done *done, LLVMValueRef fn) {
    const char *name = value_name(fn);
    for (int i = 0; m->opt->stop_after && i < done->names.n; i++)
        if (!strcmp(done->names.v[i], name)) return true;
    return false;
}

/* Kernel passes from..to-1 over all variants; a refusal restarts that kernel at width 1. */
static bool run_kernel_passes(Module *m, int from, int to, double *ms) {
    Arena a = {0};
    int n;
    LLVMValueRef *v = variants_of(m, &a, &n);
    bool ok = true, bases = n && base_of(m, v[0]) == v[0];
    Done done = {0};
    for (bool again = true; again && ok;) {
        again = false;
        v = variants_of(m, &a, &n);
        if (!bases && n && base_of(m, v[0]) == v[0]) break; /* the last variant was deleted */
        for (int i = 0; i < n && ok && !again; i++) {
            if (is_done(m, &done, v[i])) continue;
            size_t len;
            const char *name = arena_printf(&a, "%s", LLVMGetValueName2(v[i], &len));
            Facts facts = {0};
            for (int p = from; p < to; p++) {
                double t = now();
                Nyi refused = run_kernel_pass(m, &passes[p], v[i], &facts);
                ms[p] += now() - t;
                if (refused != NYI_NONE) {
                    ok = refuse(m, v[i], facts.refused_at, refused, &a);
                    again = true;
                    break;
                }
                if (m->opt->verify_each) {
                    verify_module(m, passes[p].name);
                    verify_forms(m, held_forms(p), v[i], "after", passes[p].name);
                }
                dump_after(m, &passes[p]);
            }
            arena_free(&facts.a);
            if (ok && !again) vec_push(&a, &done.names, name);
        }
    }
    arena_free(&a);
    return ok;
}

/* ---- the pipeline ---- */

enum { STOPPED = NPASSES };

PassRun pipeline_at(Module *m, const char *pass) {
    const Contract *contracts = pass_contracts(&(int){0});
    const char *broken = broken_contract(&m->arena, contracts, NPASSES);
    if (broken) bug("%s", broken);
    int first = pass ? (int)(find_pass(pass, strlen(pass)) - passes) : 0;
    return (PassRun){first, arena_array(&m->arena, double, NPASSES)};
}

bool pipeline_stopped(const PassRun *run) { return run->next >= STOPPED; }

void pipeline_print_times(const PassRun *run) {
    double total = 0;
    for (int p = 0; p < NPASSES; p++) total += run->ms[p];
    for (int p = 0; p < NPASSES; p++) fprintf(stderr, "%9.3f ms  %s\n", run->ms[p], passes[p].name);
    fprintf(stderr, "%9.3f ms  total\n", total);
}

static bool stops_after(const Module *m, int p) { return in_list(m->opt->stop_after, passes[p].name); }

static bool run_module_pass(Module *m, int p, double *ms) {
    double t = now();
    bool ok = passes[p].module(m);
    ms[p] += now() - t;
    if (ok && m->opt->verify_each) {
        verify_module(m, passes[p].name);
        verify_forms(m, held_forms(p), NULL, "after", passes[p].name);
    }
    dump_after(m, &passes[p]);
    return ok;
}

bool pipeline_run(Module *m, PassRun *run, const char *to) {
    bool ok = true, stop = false;
    while (run->next < NPASSES && ok && !stop && !(to && !strcmp(passes[run->next].name, to))) {
        int p = run->next, end = p;
        if (passes[p].kernel) {
            while (end < NPASSES && passes[end].kernel && !stop) stop = stops_after(m, end++);
            ok = run_kernel_passes(m, p, end, run->ms);
        } else {
            ok = run_module_pass(m, p, run->ms);
            stop = stops_after(m, end++);
        }
        run->next = stop ? STOPPED : end;
    }
    return ok;
}

/* ---- single passes ---- */

static bool run_alone(Module *m, const Pass *p) {
    if (p->module) return p->module(m);
    int n;
    LLVMValueRef *v = variants_of(m, &m->arena, &n);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        Facts facts = {0};
        Nyi refused = run_kernel_pass(m, p, v[i], &facts);
        arena_free(&facts.a);
        if (refused == NYI_NONE) continue;
        refuse_kernel(m, v[i], facts.refused_at, refused);
        ok = false;
    }
    return ok;
}

bool run_checked(Module *m, const Pass *p) {
    const Contract *c = contract_of(p);
    verify_forms(m, c->requires, NULL, "before", p->name);
    if (!run_alone(m, p)) return false;
    verify_module(m, p->name);
    verify_forms(m, (c->requires | c->gives) & ~c->loses, NULL, "after", p->name);
    return true;
}
