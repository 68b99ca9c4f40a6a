/* pipeline.c: runs the passes of passes.def in their order, and has the driver functions of compiler.h.
**
** What each pass requires, gives and loses, and why it stands where it stands, are its row in passes.def; contracts.c
** checks the order before anything is compiled.  With --verify-each the forms that hold after a pass are checked on the IR.
**
** A kernel pass that refuses leaves its kernel as it is; the kernel is then compiled again at
** width 1, with a remark.  If width 1 is refused as well the module fails with an error. */
#include "passes/analysis/barriers.h"
#include "passes/contracts.h"
#include "passes/ir/verify.h"
#include "passes/parts.h"
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "ptx-frontend/ptx.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef bool ModulePass(Module *);
typedef Nyi KernelPass(Kernel *);

typedef struct Pass {
    const char *name, *what;
    ModulePass *module;
    KernelPass *kernel;
} Pass;

static const Pass passes[] = {
#define MODULE_PASS(name, what, requires, gives, loses, order) {#name, what, name, NULL},
#define KERNEL_PASS(name, what, requires, gives, loses, order) {#name, what, NULL, name},
#include "passes/passes.def"
#undef MODULE_PASS
#undef KERNEL_PASS
};
enum { NPASSES = sizeof passes / sizeof *passes };

/* ---- helpers of passes.h ---- */

const char *fn_attr(LLVMValueRef fn, const char *key, unsigned *len) {
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key,
                                                       (unsigned)strlen(key));
    return a ? LLVMGetStringAttributeValue(a, len) : NULL;
}

long fn_attr_int(LLVMValueRef fn, const char *key, long absent) {
    unsigned len;
    const char *s = fn_attr(fn, key, &len);
    char buffer[32];
    if (!s || !len || len >= sizeof buffer) return absent;
    memcpy(buffer, s, len);
    buffer[len] = 0;
    return strtol(buffer, NULL, 10);
}

void fn_attr_three(LLVMValueRef fn, const char *key, unsigned v[3]) {
    unsigned len;
    const char *s = fn_attr(fn, key, &len);
    v[0] = v[1] = v[2] = 0;
    char buffer[64];
    if (!s || len >= sizeof buffer) return;
    memcpy(buffer, s, len);
    buffer[len] = 0;
    char *p = buffer;
    for (int i = 0; i < 3 && *p; i++) {
        v[i] = (unsigned)strtoul(p, &p, 10);
        if (*p == ',') p++;
        if (i == 0) v[1] = v[2] = 1;
    }
}

void fn_set_attr(LLVMValueRef fn, const char *key, const char *value) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

bool is_kernel(LLVMValueRef fn) {
    unsigned len;
    return fn_attr(fn, ATTR_KERNEL, &len) != NULL;
}

Kernel kernel_of(Module *m, LLVMValueRef fn, Arena *a) {
    Kernel k = {.m = m, .fn = fn, .arena = a};
    k.width = (int)fn_attr_int(fn, ATTR_WIDTH, m->opt->simd ? m->opt->simd : 1);
    k.layout = (Layout)fn_attr_int(fn, ATTR_LAYOUT, LAYOUT_ROWS_FULL);
    fn_attr_three(fn, ATTR_BLOCK, k.block);
    return k;
}

static bool in_list(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (!strncmp(p, name, n) && (p[n] == ',' || !p[n])) return true;
    return false;
}

bool pass_disabled(const Module *m, const char *name) { return in_list(m->opt->disable, name); }

static LLVMPassBuilderOptionsRef builder_options(const Module *m) {
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(o, m->opt->verify_each);
    return o;
}

static void check(LLVMErrorRef e, const char *what) {
    if (!e) return;
    char *message = LLVMGetErrorMessage(e);
    bug("LLVM passes '%s': %s", what, message);
}

void run_llvm_passes(Module *m, const char *list) {
    LLVMPassBuilderOptionsRef o = builder_options(m);
    check(LLVMRunPasses(m->mod, list, m->tm, o), list);
    LLVMDisposePassBuilderOptions(o);
}

void run_llvm_passes_on(Module *m, LLVMValueRef fn, const char *list) {
    LLVMPassBuilderOptionsRef o = builder_options(m);
    check(LLVMRunPassesOnFunction(fn, list, m->tm, o), list);
    LLVMDisposePassBuilderOptions(o);
}

/* ---- running passes ---- */

static void verify(Module *m, const char *after) {
    char *message = NULL;
    if (LLVMVerifyModule(m->mod, LLVMReturnStatusAction, &message)) {
        LLVMDumpModule(m->mod);
        bug("IR is invalid after %s: %s", after, message);
    }
    LLVMDisposeMessage(message);
}

static void dump(const Module *m, const char *after) {
    char *s = LLVMPrintModuleToString(m->mod);
    fprintf(stderr, "; ---- after %s ----\n%s", after, s);
    LLVMDisposeMessage(s);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other load on the machine does not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The variants that still are group code, or every kernel where there are none (cucpu-opt). */
static LLVMValueRef *variants_of(Module *m, Arena *a, int *n) {
    Vec(LLVMValueRef) all = {0}, kernels = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        unsigned len;
        if (!is_kernel(f) || LLVMIsDeclaration(f)) continue;
        if (fn_attr(f, ATTR_BASE, &len)) vec_push(a, &all, f);
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
    arena_free(&a);
    return refused;
}

static LLVMValueRef base_of(Module *m, LLVMValueRef fn, Arena *a) {
    unsigned len;
    const char *base = fn_attr(fn, ATTR_BASE, &len);
    return base ? LLVMGetNamedFunction(m->mod, arena_printf(a, "%.*s", (int)len, base)) : fn;
}

static bool is_variant_of(LLVMValueRef f, LLVMValueRef base) {
    unsigned n;
    size_t len;
    const char *of = fn_attr(f, ATTR_BASE, &n), *name = LLVMGetValueName2(base, &len);
    return of && n == len && !memcmp(of, name, len);
}

/* Gives up this width for a kernel: all its variants go, one of width 1 starts again. */
static void fall_back(Module *m, LLVMValueRef base, Arena *a) {
    Vec(LLVMValueRef) gone = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f))
        if (is_variant_of(f, base)) vec_push(a, &gone, f);
    for (int i = 0; i < gone.n; i++) {
        LLVMReplaceAllUsesWith(gone.v[i], LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
        LLVMDeleteFunction(gone.v[i]);
    }
    add_variant(m, base, 1, LAYOUT_ROWS_FULL, NULL);
}

/* The layout for any block is the only one that failed: it alone goes to width 1, or goes without a
** replacement.  The runtime then has no variant for blocks that fit no other layout, and says so. */
static void give_up_general(Module *m, LLVMValueRef base, LLVMValueRef fn) {
    long width = fn_attr_int(fn, ATTR_WIDTH, 1);
    LLVMReplaceAllUsesWith(fn, LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
    LLVMDeleteFunction(fn);
    if (width > 1) add_variant(m, base, 1, LAYOUT_GENERAL, NULL);
}

/* A variant for one blockDim, or of more or fewer lanes, beside those that take any. */
static bool is_extra(LLVMValueRef fn, LLVMValueRef base) {
    unsigned len;
    static const char *const extra[] = {ATTR_WIDE, ATTR_BELOW, ATTR_ALONG, ATTR_SCALAR, ATTR_COUNTERS, ATTR_MARCH};
    for (size_t k = 0; k < sizeof extra / sizeof *extra; k++)
        if (fn_attr(fn, extra[k], &len)) return true;
    return fn != base && fn_attr(fn, ATTR_BLOCK, &len) && !fn_attr(base, ATTR_REQNTID, &len);
}

/* A variant for any block of full rows, which says for itself what it is refused for. */
static bool has_plain(Module *m, LLVMValueRef base) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f))
        if (is_variant_of(f, base) && !is_extra(f, base) && fn_attr_int(f, ATTR_LAYOUT, 0) != LAYOUT_GENERAL) return true;
    return false;
}

/* What large kernels have in its place: the launches with this block are slower without. */
static void tell_extra(Module *m, LLVMValueRef base, LLVMValueRef fn, const Pass *p, Nyi reason) {
    unsigned block[3];
    size_t len;
    unsigned attr;
    fn_attr_three(fn, fn_attr(fn, ATTR_LAUNCH, &attr) ? ATTR_LAUNCH : ATTR_BLOCK, block);
    if (!block[0] || has_plain(m, base)) return;
    diag_remark(&m->diag, base, "%s, blocks of %u x %u x %u: not compiled for width %ld: %s (%s)", LLVMGetValueName2(base, &len), block[0],
                block[1], block[2], fn_attr_int(fn, ATTR_WIDTH, 1), nyi_text(reason), p->name);
}

static bool refuse(Module *m, LLVMValueRef fn, const Pass *p, Nyi reason, Arena *a) {
    LLVMValueRef base = base_of(m, fn, a);
    size_t len;
    const char *name = LLVMGetValueName2(base, &len);
    long width = fn_attr_int(fn, ATTR_WIDTH, 1);
    if (is_extra(fn, base)) {
        tell_extra(m, base, fn, p, reason);
        LLVMReplaceAllUsesWith(fn, LLVMConstNull(LLVMPointerTypeInContext(m->ctx, 0)));
        LLVMDeleteFunction(fn);
        return true;
    }
    bool general = fn != base && fn_attr_int(fn, ATTR_LAYOUT, 0) == LAYOUT_GENERAL;
    if (width == 1 && !general) {
        diag_nyi(&m->diag, base, reason, name);
        return false;
    }
    diag_remark(&m->diag, base, "%s%s: %s %ld: %s (%s)", name, general ? ", blocks of any shape" : "",
                width > 1 ? "width 1 instead of" : "not compiled for width", width, nyi_text(reason), p->name);
    if (general) give_up_general(m, base, fn);
    else fall_back(m, base, a);
    return true;
}

typedef struct Done {
    Vec(const char *) names;
} Done;

/* Whether all passes that are asked for have run on it.  Without --stop-after such a variant is an entry. */
static bool is_done(const Module *m, const Done *done, LLVMValueRef fn) {
    size_t len;
    const char *name = LLVMGetValueName2(fn, &len);
    for (int i = 0; m->opt->stop_after && i < done->names.n; i++)
        if (!strcmp(done->names.v[i], name)) return true;
    return false;
}

/* Kernel passes from..to-1 over all variants; a refusal restarts that kernel at width 1. */
static bool run_kernel_passes(Module *m, int from, int to, double *ms) {
    Arena a = {0};
    int n;
    LLVMValueRef *v = variants_of(m, &a, &n);
    bool ok = true, bases = n && base_of(m, v[0], &a) == v[0];
    Done done = {0};
    for (bool again = true; again && ok;) {
        again = false;
        v = variants_of(m, &a, &n);
        if (!bases && n && base_of(m, v[0], &a) == v[0]) break; /* the last variant went */
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
                    ok = refuse(m, v[i], &passes[p], refused, &a);
                    again = true;
                    break;
                }
                if (m->opt->verify_each) {
                    verify(m, passes[p].name);
                    verify_forms(m, held_forms(p), v[i], "after", passes[p].name);
                }
                if (in_list(m->opt->dump_after, passes[p].name) || in_list(m->opt->dump_after, "all"))
                    dump(m, passes[p].name);
            }
            arena_free(&facts.a);
            if (ok && !again) vec_push(&a, &done.names, name);
        }
    }
    arena_free(&a);
    return ok;
}

static void print_times(const double *ms) {
    double total = 0;
    for (int p = 0; p < NPASSES; p++) total += ms[p];
    for (int p = 0; p < NPASSES; p++) fprintf(stderr, "%9.3f ms  %s\n", ms[p], passes[p].name);
    fprintf(stderr, "%9.3f ms  total\n", total);
}

enum { STOPPED = NPASSES + 1 };

/* Runs the passes from `from`, up to that of the name `to` (NULL: all) or behind --stop-after; *next: where to go on. */
static bool run_passes(Module *m, int from, const char *to, double *ms, int *next) {
    bool ok = true;
    int p = from;
    while (p < NPASSES && ok && !(to && !strcmp(passes[p].name, to))) {
        bool stop = false;
        if (passes[p].kernel) {
            int end = p;
            while (end < NPASSES && passes[end].kernel && !stop) stop = in_list(m->opt->stop_after, passes[end++].name);
            ok = run_kernel_passes(m, p, end, ms);
            p = stop ? STOPPED : end;
            continue;
        }
        double t = now();
        ok = passes[p].module(m);
        ms[p] += now() - t;
        if (ok && m->opt->verify_each) {
            verify(m, passes[p].name);
            verify_forms(m, held_forms(p), NULL, "after", passes[p].name);
        }
        if (in_list(m->opt->dump_after, passes[p].name) || in_list(m->opt->dump_after, "all")) dump(m, passes[p].name);
        stop = in_list(m->opt->stop_after, passes[p].name);
        p = stop ? STOPPED : p + 1;
    }
    *next = p;
    return ok;
}

/* ---- modules ---- */

void cucpu_options_init(CucpuOptions *o) {
    memset(o, 0, sizeof *o);
    o->warp_size = 32;
    o->opt_level = 3;
    o->emit = "obj";
}

void cucpu_list_passes(void) {
    for (int p = 0; p < NPASSES; p++) printf("%-20s %s\n", passes[p].name, passes[p].what);
}

/* The scheduler compares all memory accesses of a block with each other, up to this number of them. */
enum { SCHEDULED_ACCESSES = 256 };

/* In functions of more blocks, CodeGenPrepare looks again at those blocks only in which it has changed something. */
enum { PREPARED_BLOCKS = 256 };

/* The register allocator grows the region in which a value may stay in a register by this many blocks at most: its time
** would grow with the square of a function. */
enum { REGION_BLOCKS = 1000 };

static void load_x86(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
}

bool cucpu_knows_cpu(const char *name) {
    load_x86();
    return !strcmp(name, "native") || shim_is_x86_64(name);
}

/* Scheduling after register allocation takes time with the square of a block, and processors that reorder gain nothing.
** CUDA programs look at memory as any type (nvcc goes by addresses alone): no access is moved past another for its type. */
static bool make_target(Module *m) {
    shim_set_option("dag-maps-huge-region", SCHEDULED_ACCESSES);
    shim_set_option("cgpp-huge-func", PREPARED_BLOCKS);
    shim_set_option("grow-region-complexity-budget", REGION_BLOCKS);
    shim_give_flag("post-RA-scheduler", false);
    shim_set_flag("enable-tbaa", false);
    load_x86();
    char *triple = LLVMGetDefaultTargetTriple();
    bool native = !m->opt->cpu || !strcmp(m->opt->cpu, "native");
    char *host = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    m->tm = shim_target_machine(triple, native ? host : m->opt->cpu, native ? features : "", m->opt->opt_level,
                                m->opt->fast_math, !m->opt->no_contract);
    LLVMDisposeMessage(host);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(triple);
    if (!m->tm) diag_error(&m->diag, NULL, "no code generator for this machine");
    else m->dl = LLVMCreateTargetDataLayout(m->tm);
    return m->tm != NULL;
}

/* PTX, if the buffer has it: takes the buffer over and sets *done. */
static bool read_ptx(Module *m, const char *input, LLVMMemoryBufferRef buffer, bool *done) {
    const char *text = LLVMGetBufferStart(buffer);
    size_t n = LLVMGetBufferSize(buffer), len = strlen(input);
    *done = ptx_is_ptx(text, n) || (len > 4 && !strcmp(input + len - 4, ".ptx"));
    if (!*done) return false;
    m->ptx = true;
    const PtxOptions o = {.file = input, .warp_size = m->opt->warp_size};
    int status = ptx_to_module(&o, text, n, m->ctx, &m->mod);
    LLVMDisposeMemoryBuffer(buffer);
    if (status == PTX_ERROR) m->diag.errors++;
    if (status == PTX_UNSUPPORTED) m->diag.unsupported++;
    return status == PTX_OK;
}

static bool read_module(Module *m, const char *input, LLVMMemoryBufferRef buffer) {
    char *message = NULL;
    bool is_ptx = false, read;
    bool failed = buffer ? false
                  : !strcmp(input, "-") ? LLVMCreateMemoryBufferWithSTDIN(&buffer, &message)
                                        : LLVMCreateMemoryBufferWithContentsOfFile(input, &buffer, &message);
    if (!failed && ((read = read_ptx(m, input, buffer, &is_ptx)) || is_ptx)) return read;
    shim_set_flag("disable-auto-upgrade-debug-info", true); /* it aborts where IR is invalid, as that of kernels with an ellipsis */
    if (!failed) failed = LLVMParseIRInContext(m->ctx, buffer, &m->mod, &message);
    if (failed) {
        diag_error(&m->diag, NULL, "cannot read '%s': %s", input, message);
        LLVMDisposeMessage(message);
    }
    return !failed;
}

static void on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    Module *m = context;
    char *text = LLVMGetDiagInfoDescription(info);
    LLVMDiagnosticSeverity s = LLVMGetDiagInfoSeverity(info);
    if (s == LLVMDSError) diag_error(&m->diag, NULL, "%s", text);
    LLVMDisposeMessage(text);
}

static const char *const optional[] = {
#define OPTIONAL(name, what) #name,
#include "passes/optional.def"
#undef OPTIONAL
};

static const Pass *find_pass(const char *name, size_t len);

static bool is_optional(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (strlen(optional[i]) == len && !memcmp(optional[i], name, len)) return true;
    return find_pass(name, len) != NULL || (len == 4 && !memcmp(name, "none", len));
}

/* A misspelt name would measure nothing. */
static bool check_disable(Module *m) {
    for (const char *p = m->opt->disable; p && *p;) {
        size_t n = strcspn(p, ",");
        if (n && !is_optional(p, n)) {
            diag_error(&m->diag, NULL, "--disable=%.*s: nothing of that name", (int)n, p);
            return false;
        }
        p += n + (p[n] == ',');
    }
    return true;
}

/* Reads the file `input`, or the buffer (which it takes over) where there is one. */
static bool open_module(Module *m, const CucpuOptions *o, const char *input, LLVMMemoryBufferRef buffer) {
    memset(m, 0, sizeof *m);
    m->opt = o;
    m->diag.remarks = o->remarks;
    m->diag.no_warnings = o->no_warnings;
    m->diag.werror = o->werror;
    m->diag.source = o->source;
    m->ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(m->ctx, on_llvm_diagnostic, m);
    if (!check_disable(m) || !make_target(m) || !read_module(m, input, buffer)) return false;
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), NULL, 0, 0);
    LLVMValueRef probe = LLVMAddFunction(m->mod, "cucpu.probe", t);
    shim_vector_registers(m->tm, probe, &m->vector_bits, &m->vector_regs);
    LLVMDeleteFunction(probe);
    if (m->vector_bits < 128) m->vector_bits = 128;
    char *features = LLVMGetTargetMachineFeatureString(m->tm);
    if (strstr(features, "+avx512f") || (o->cpu && !strcmp(o->cpu, "x86-64-v4"))) m->vector_bits = 512;
    LLVMDisposeMessage(features);
    return true;
}

/* Where the result goes: a file, or memory. */
typedef struct Output {
    const char *path;
    void **bytes;
    size_t *size;
} Output;

static void close_module(Module *m) {
    if (m->mod) LLVMDisposeModule(m->mod);
    if (m->dl) LLVMDisposeTargetData(m->dl);
    if (m->tm) LLVMDisposeTargetMachine(m->tm);
    LLVMContextDispose(m->ctx);
    arena_free(&m->arena);
}

/* /dev/null, a pipe, or a link as /dev/stdout: no other file may take its place. */
static bool write_to_device(Module *m, const char *path, const char *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    if (f && fclose(f)) ok = false;
    if (!ok) diag_error(&m->diag, NULL, "cannot write '%s'", path);
    return ok;
}

static bool write_bytes(Module *m, const Output *out, const char *bytes, size_t n) {
    if (out->bytes) {
        *out->size = n;
        *out->bytes = malloc(n + 1);
        if (*out->bytes) memcpy(*out->bytes, bytes, n);
        return *out->bytes != NULL;
    }
    const char *path = out->path;
    if (!strcmp(path, "-")) return fwrite(bytes, 1, n, stdout) == n;
    struct stat existing;
    if (!lstat(path, &existing) && !S_ISREG(existing.st_mode)) return write_to_device(m, path, bytes, n);
    char *temporary = arena_printf(&m->arena, "%s.tmp%ld", path, (long)getpid());
    FILE *f = fopen(temporary, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    if (f && fclose(f)) ok = false;
    if (ok && !rename(temporary, path)) return true;
    if (f) remove(temporary);
    diag_error(&m->diag, NULL, "cannot write '%s'", path);
    return false;
}

static bool write_output(Module *m, const Output *output) {
    const char *emit = m->opt->emit ? m->opt->emit : "obj";
    if (m->opt->stop_after || !strcmp(emit, "llvm")) {
        char *s = LLVMPrintModuleToString(m->mod);
        bool ok = write_bytes(m, output, s, strlen(s));
        LLVMDisposeMessage(s);
        return ok;
    }
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    shim_set_flag("disable-lsr", m->many_loops); /* loop strength reduction is one that asks about all loops */
    shim_prepare_codegen(m->mod);
    LLVMCodeGenFileType kind = !strcmp(emit, "asm") ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(m->tm, m->mod, kind, &message, &buffer)) {
        diag_error(&m->diag, NULL, "code generation: %s", message);
        LLVMDisposeMessage(message);
        return false;
    }
    bool ok = !m->diag.errors && write_bytes(m, output, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return ok;
}

static int result_of(const Module *m, bool ok) {
    if (m->diag.unsupported) return CUCPU_UNSUPPORTED;
    return ok && !m->diag.errors ? CUCPU_OK : CUCPU_ERROR;
}

static bool finish_object(Module *m, const char *path) {
    double ms[NPASSES] = {0};
    int next = (int)(find_pass("optimise", 8) - passes);
    return run_passes(m, next, NULL, ms, &next) && write_output(m, &(Output){.path = path});
}

static bool run_pipeline(Module *m, const Output *out) {
    const Contract *contracts = pass_contracts(&(int){0});
    const char *broken = broken_contract(&m->arena, contracts, NPASSES);
    if (broken) bug("%s", broken);
    double ms[NPASSES] = {0};
    int next, n = 1;
    bool ok = run_passes(m, 0, "optimise", ms, &next);
    if (ok && next < NPASSES && out->path && strcmp(out->path, "-")) n = parts_of(m);
    if (ok && n > 1) return finish_parts(m, n, out->path, finish_object);
    if (ok) ok = run_passes(m, next, NULL, ms, &next);
    if (m->opt->time_passes) print_times(ms);
    return ok && write_output(m, out);
}

int cucpu_compile(const CucpuOptions *o, const char *input, const char *output) {
    Module m;
    bool ok = open_module(&m, o, input, NULL) && run_pipeline(&m, &(Output){.path = output});
    int r = result_of(&m, ok);
    close_module(&m);
    return r;
}

int cucpu_compile_memory(const CucpuOptions *o, const char *text, size_t length, void **output, size_t *size) {
    Module m;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(text, length, "memory", 1);
    bool ok = open_module(&m, o, "memory", buffer) && run_pipeline(&m, &(Output){.bytes = output, .size = size});
    int r = result_of(&m, ok);
    close_module(&m);
    return r;
}

static int print_and_close(Module *m, bool ok, bool print, const char *output) {
    if (print) {
        char *s = LLVMPrintModuleToString(m->mod);
        ok = write_bytes(m, &(Output){.path = output}, s, strlen(s));
        LLVMDisposeMessage(s);
    }
    int r = result_of(m, ok);
    close_module(m);
    return r;
}

int cucpu_ptx(const char *input, const char *output) {
    CucpuOptions o;
    Module m;
    cucpu_options_init(&o);
    bool ok = open_module(&m, &o, input, NULL);
    if (ok) verify(&m, "ptx-frontend");
    return print_and_close(&m, ok, ok, output);
}

/* ---- cucpu-opt ---- */

static const Pass *find_pass(const char *name, size_t len) {
    for (int p = 0; p < NPASSES; p++)
        if (strlen(passes[p].name) == len && !memcmp(passes[p].name, name, len)) return &passes[p];
    return NULL;
}

static void print_shapes(Kernel *k) {
    size_t len;
    printf("%s: width %d\n", LLVMGetValueName2(k->fn, &len), k->width);
    shapes_print(shapes_compute(k->arena, cfg_build(k->arena, k->fn), k->width, k->layout, k->block), stdout);
}

static void print_memory_spaces(Kernel *k) { memory_spaces_print(memory_spaces(k->arena, k->fn), stdout); }

static void print_barriers(Kernel *k) {
    Cfg *c = cfg_build(k->arena, k->fn);
    Barriers *b = barriers_find(k->arena, c);
    barriers_judge(k->arena, b, shapes_compute(k->arena, c, 1, LAYOUT_GENERAL, k->block));
    barriers_print(b, stdout);
}

/* Analyses whose result can be printed: print<NAME> in the list of passes. */
static const struct Printer {
    const char *name;
    void (*print)(Kernel *);
} printers[] = {{"print<shapes>", print_shapes}, {"print<memory_spaces>", print_memory_spaces},
                {"print<barriers>", print_barriers}};

static const struct Printer *find_printer(const char *name, size_t len) {
    for (size_t p = 0; p < sizeof printers / sizeof *printers; p++)
        if (strlen(printers[p].name) == len && !memcmp(printers[p].name, name, len)) return &printers[p];
    return NULL;
}

static void run_printer(Module *m, const struct Printer *p) {
    int n;
    LLVMValueRef *v = variants_of(m, &m->arena, &n);
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Kernel k = kernel_of(m, v[i], &a);
        p->print(&k);
        arena_free(&a);
    }
}

static bool run_one(Module *m, const Pass *p) {
    if (p->module) return p->module(m);
    int n;
    LLVMValueRef *v = variants_of(m, &m->arena, &n);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) {
        Facts facts = {0};
        Nyi refused = run_kernel_pass(m, p, v[i], &facts);
        arena_free(&facts.a);
        if (refused == NYI_NONE) continue;
        size_t len;
        diag_nyi(&m->diag, v[i], refused, LLVMGetValueName2(v[i], &len));
        ok = false;
    }
    return ok;
}

int cucpu_opt(const CucpuOptions *o, const char *list, const char *input, const char *output) {
    Module m;
    bool ok = open_module(&m, o, input, NULL), print = true;
    if (ok) LLVMSetModuleDataLayout(m.mod, m.dl);
    for (const char *p = list; ok && p && *p;) {
        size_t n = strcspn(p, ",");
        const Pass *pass = find_pass(p, n);
        const struct Printer *printer = find_printer(p, n);
        if (printer) {
            run_printer(&m, printer);
            print = false;
        } else if (!pass) {
            diag_error(&m.diag, NULL, "unknown pass '%.*s'", (int)n, p);
            ok = false;
        } else {
            const Contract *c = contract_of(pass);
            verify_forms(&m, c->requires, NULL, "before", pass->name);
            ok = run_one(&m, pass);
            if (ok) verify(&m, pass->name);
            if (ok) verify_forms(&m, (c->requires | c->gives) & ~c->loses, NULL, "after", pass->name);
            print = true;
        }
        p += n + (p[n] == ',');
    }
    return print_and_close(&m, ok, ok && print, output);
}
