/* compiler.c: the functions of compiler.h: reads a module, runs passes, writes the result. */
#include "passes/compiler.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/barriers.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes/shapes.h"
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/parts.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "ptx-frontend/ptx.h"
#include "passes/ir/value.h"
#include <llvm-c/BitWriter.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cucpu_options_init(CucpuOptions *o) {
    memset(o, 0, sizeof *o);
    o->warp_size = 32;
    o->opt_level = 3;
    o->emit = "obj";
}

/* ---- targets and input ---- */

/* The scheduler compares all memory accesses of a block with each other, up to this number of them. */
enum { SCHEDULED_ACCESSES = 256 };

/* In functions of more blocks, CodeGenPrepare revisits only those blocks in which it has changed something. */
enum { PREPARED_BLOCKS = 256 };

/* The register allocator extends the region in which a value may be kept in a register by this many blocks at most: its
** time would be quadratic in the size of a function. */
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

/* Scheduling after register allocation is quadratic in the size of a block, and processors that reorder gain nothing.
** Accesses of 16 bytes that must not be torn need cmpxchg16b where there is no AVX: it is assumed below x86-64-v2, too.
** CUDA programs access memory as any type (nvcc's alias analysis is by addresses alone): no access is moved past
** another because of its type. */
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
    m->tm = shim_target_machine(triple, native ? host : m->opt->cpu, native ? features : "+cx16", m->opt->opt_level,
                                m->opt->fast_math, !m->opt->no_contract);
    LLVMDisposeMessage(host);
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(triple);
    if (!m->tm) diag_error(&m->diag, NULL, "no code generator for this machine");
    else m->dl = LLVMCreateTargetDataLayout(m->tm);
    return m->tm != NULL;
}

/* PTX, if the buffer contains it: takes ownership of the buffer and sets *done. */
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

enum { LONGEST_NAME = 1 << 16 };

static bool read_module(Module *m, const char *input, LLVMMemoryBufferRef buffer) {
    char *message = NULL;
    bool is_ptx = false, read;
    bool failed = buffer                ? false
                  : !strcmp(input, "-") ? LLVMCreateMemoryBufferWithSTDIN(&buffer, &message)
                                        : LLVMCreateMemoryBufferWithContentsOfFile(input, &buffer, &message);
    if (!failed && ((read = read_ptx(m, input, buffer, &is_ptx)) || is_ptx)) return read;
    LLVMMemoryBufferRef plain = failed ? NULL : shim_decompress(buffer);
    if (plain) LLVMDisposeMemoryBuffer(buffer), buffer = plain;
    if (!failed && m->opt->code_options)
        m->packed = shim_compress(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), &m->packed_size);
    /* It aborts where IR is invalid, like that of kernels with an ellipsis. */
    shim_set_flag("disable-auto-upgrade-debug-info", true);
    /* LLVM writes longer names of values than it reads: blocks between two blocks of inlined templates. */
    shim_set_option("non-global-value-max-name-size", LONGEST_NAME);
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
            diag_error(&m->diag, NULL, "--disable=%.*s: no pass or option of this name", (int)n, p);
            return false;
        }
        p += n + (p[n] == ',');
    }
    return true;
}

/* Reads the file `input`, or the buffer (of which it takes ownership) if there is one. */
static bool open_module(Module *m, const CucpuOptions *o, const char *input, LLVMMemoryBufferRef buffer) {
    memset(m, 0, sizeof *m);
    m->opt = o;
    workarounds_assume_llvm(o->assumed_llvm);
    m->diag.remarks = o->remarks || o->write_report;
    m->diag.prints_remarks = o->remarks;
    m->diag.kernel_name = kernel_name;
    m->diag.no_warnings = o->no_warnings;
    m->diag.werror = o->werror;
    m->diag.source = o->source;
    m->ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(m->ctx, on_llvm_diagnostic, m);
    report_open(m);
    if (!check_disable(m) || !make_target(m) || !read_module(m, input, buffer)) return false;
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), NULL, 0, 0);
    LLVMValueRef probe = LLVMAddFunction(m->mod, "cucpu.probe", t);
    shim_vector_registers(m->tm, probe, &m->vector_bits, &m->vector_regs);
    m->costs = target_costs(&m->arena, m->tm, probe);
    LLVMDeleteFunction(probe);
    if (m->vector_bits < 128) m->vector_bits = 128;
    char *features = LLVMGetTargetMachineFeatureString(m->tm);
    if (strstr(features, "+avx512f") || (o->cpu && !strcmp(o->cpu, "x86-64-v4"))) m->vector_bits = 512;
    LLVMDisposeMessage(features);
    return true;
}

/* ---- output ---- */

/* The destination of the result: a file, or memory. */
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
    free(m->packed);
    arena_free(&m->arena);
}

/* /dev/null, a pipe, or a link like /dev/stdout: it must not be replaced by another file. */
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
    shim_set_flag("disable-lsr", m->many_loops); /* loop strength reduction is one that queries all loops */
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

static int compile_result(const Module *m, bool ok) {
    if (m->diag.unsupported) return CUCPU_UNSUPPORTED;
    return ok && !m->diag.errors ? CUCPU_OK : CUCPU_ERROR;
}

/* ---- the functions of compiler.h ---- */

/* The first pass that parts of a large module run separately. */
#define BACK_END "optimise"

static bool finish_object(Module *m, const char *path) {
    PassRun run = pipeline_at(m, BACK_END);
    return pipeline_run(m, &run, NULL) && write_output(m, &(Output){.path = path});
}

/* By now passes have recorded all that they do. */
static bool write_report(Module *m) {
    size_t size = 0;
    char *json = report_json(m, &size);
    bool ok = !json || m->opt->write_report(m->opt->report_context, json, size);
    free(json);
    if (!ok) m->diag.errors++;
    return ok;
}

static bool compile_module(Module *m, const Output *out) {
    PassRun run = pipeline_at(m, NULL);
    int n = 1;
    bool ok = pipeline_run(m, &run, BACK_END) && write_report(m);
    if (ok && !pipeline_stopped(&run) && out->path && strcmp(out->path, "-")) n = parts_of(m);
    if (ok && n > 1) return finish_parts(m, n, out->path, finish_object);
    if (ok) ok = pipeline_run(m, &run, NULL);
    if (m->opt->time_passes) pipeline_print_times(&run);
    return ok && write_output(m, out);
}

static bool is_device_code(Module *m, const char *input) {
    if (m->ptx || !strncmp(LLVMGetTarget(m->mod), "nvptx", 5)) return true;
    diag_error(&m->diag, NULL, "'%s' is no device code", input);
    return false;
}

int cucpu_compile(const CucpuOptions *o, const char *input, const char *output) {
    Module m;
    bool ok =
        open_module(&m, o, input, NULL) && is_device_code(&m, input) && compile_module(&m, &(Output){.path = output});
    int r = compile_result(&m, ok);
    close_module(&m);
    return r;
}

int cucpu_instrument_coverage(const CucpuOptions *o, const char *bitcode) {
    Module m;
    bool ok = open_module(&m, o, bitcode, NULL) && instrument_coverage(&m);
    if (ok && LLVMWriteBitcodeToFile(m.mod, bitcode)) {
        diag_error(&m.diag, NULL, "cannot write '%s'", bitcode);
        ok = false;
    }
    int r = compile_result(&m, ok);
    close_module(&m);
    return r;
}

int cucpu_compile_memory(const CucpuOptions *o, const char *text, size_t length, void **output, size_t *size) {
    Module m;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(text, length, "memory", 1);
    bool ok = open_module(&m, o, "memory", buffer) && compile_module(&m, &(Output){.bytes = output, .size = size});
    int r = compile_result(&m, ok);
    close_module(&m);
    return r;
}

static int print_and_close(Module *m, bool ok, bool print, const char *output) {
    if (print) {
        char *s = LLVMPrintModuleToString(m->mod);
        ok = write_bytes(m, &(Output){.path = output}, s, strlen(s));
        LLVMDisposeMessage(s);
    }
    int r = compile_result(m, ok);
    close_module(m);
    return r;
}

int cucpu_ptx(const char *input, const char *output) {
    CucpuOptions o;
    Module m;
    cucpu_options_init(&o);
    bool ok = open_module(&m, &o, input, NULL);
    if (ok) verify_module(&m, "ptx-frontend");
    return print_and_close(&m, ok, ok, output);
}

/* ---- cucpu-opt ---- */

static void print_shapes(Kernel *k) {
    printf("%s: width %d\n", value_name(k->fn), k->width);
    limit_shapes(k->m, k->fn);
    shapes_print(shapes_compute(k->arena, cfg_build(k->arena, k->fn), k->width, k->layout, k->block), stdout);
}

static void print_memory_spaces(Kernel *k) { memory_spaces_print(memory_spaces(k->arena, k->fn), stdout); }

static void print_barriers(Kernel *k) {
    Cfg *c = cfg_build(k->arena, k->fn);
    Barriers *b = barriers_find(k->arena, c);
    barriers_judge(b, shapes_compute(k->arena, c, 1, LAYOUT_GENERAL, k->block));
    barriers_print(b, stdout);
}

static void print_cost(Kernel *k) {
    Cfg *c = cfg_build(k->arena, k->fn);
    int width = k->width ? k->width : k->m->opt->simd;
    if (!width) width = (int)k->m->vector_bits / 32;
    if (!c->reducible) return;
    Cost cost = cost_of_kernel(k->m, k->arena, c, liveness(k->arena, c, NULL, NULL), width, k->layout, k->block, true);
    cost_print(&cost, value_name(k->fn), stdout);
}

static void print_affine(Kernel *k) { affine_print(k->m->dl, k->fn, stdout); }

/* Analyses whose result can be printed: print<NAME> in the list of passes. */
static const struct Printer {
    const char *name;
    void (*print)(Kernel *);
    void (*print_module)(const Module *);
} printers[] = {{"print<shapes>", print_shapes, NULL},     {"print<memory_spaces>", print_memory_spaces, NULL},
                {"print<barriers>", print_barriers, NULL}, {"print<cost>", print_cost, NULL},
                {"print<affine>", print_affine, NULL},     {"print<variants>", NULL, print_variants}};

static const struct Printer *find_printer(const char *name, size_t len) {
    for (size_t p = 0; p < sizeof printers / sizeof *printers; p++)
        if (strlen(printers[p].name) == len && !memcmp(printers[p].name, name, len)) return &printers[p];
    return NULL;
}

static void run_printer(Module *m, const struct Printer *p) {
    int n;
    if (p->print_module) {
        p->print_module(m);
        return;
    }
    LLVMValueRef *v = variants_of(m, &m->arena, &n);
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Kernel k = kernel_of(m, v[i], &a);
        p->print(&k);
        arena_free(&a);
    }
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
            ok = run_checked(&m, pass);
            print = true;
        }
        p += n + (p[n] == ',');
    }
    return print_and_close(&m, ok, ok && print, output);
}
