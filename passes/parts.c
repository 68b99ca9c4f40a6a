/* parts: see parts.h.
**
** After kernel_table, entries do not depend on each other. The remaining steps, LLVM's pipeline and code generation,
** take nine tenths of the time of a large module; they run for some entries at a time, in child processes. Each reads
** its part from bitcode of the whole module, which leaves unneeded bodies unread: deleting the other bodies in each
** child would take time quadratic in the size of the module. The parts depend on the module alone, not on how many run
** at a time.
**   entries                      in one part; referenced only by the table, which part 0 has
**   variables                    in part 0; others declare them.  Constants with unnamed_addr: copies
**   functions that entries call  in part 0; others have bodies to inline (available_externally), or, if their
**                                address is not taken, copies.  Vector functions (vectorise_calls) are not inlined
** What other parts refer to becomes global: hidden, with the module's number in its name.
**
** A child works in a context and a thread of its own: a new thread takes its memory from a new heap of the C library,
** while the heap of the parent has free memory between everything that it holds, and the child's first write to each of
** its pages would copy the page. For twelve parts that was a quarter of the compilation's time. */
#include "passes/parts.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/variant.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PART = 8000 /* instructions */,
    MAX_PARTS = 64,
    STACK = 64 << 20,
    HEAP = 64 << 20 /* size and alignment of a thread's heap in glibc */
};

typedef struct Parts {
    Module *m;
    PtrMap part;   /* entry -> part + 1 */
    PtrMap global; /* what all parts share */
    LLVMMemoryBufferRef bitcode;
    int n;
} Parts;

static bool is_entry_of_kernel(LLVMValueRef fn) { return is_entry(fn) && !fn_has_attr(fn, ATTR_VECTOR); }

static long size_of_entries(const Module *m) {
    long n = 0;
    for_each_function(f, m->mod)
        if (is_entry_of_kernel(f)) n += function_size(f);
    return n;
}

int parts_of(Module *m) {
    const CucpuOptions *o = m->opt;
    if (!o->join || o->time_passes || o->dump_after || o->stop_after || (o->emit && strcmp(o->emit, "obj"))) return 1;
    long n = size_of_entries(m) / PART;
    return n < 2 ? 1 : n < MAX_PARTS ? (int)n : MAX_PARTS;
}

/* ---- before the parts part ---- */

static bool has_local_linkage(LLVMValueRef v) {
    return LLVMGetLinkage(v) == LLVMInternalLinkage || LLVMGetLinkage(v) == LLVMPrivateLinkage;
}

static void share(Parts *p, LLVMValueRef v) {
    if (has_local_linkage(v)) {
        const char *name =
            arena_printf(&p->m->arena, "%s.%016llx", value_name(v), (unsigned long long)p->m->opt->module_id);
        LLVMSetLinkage(v, LLVMExternalLinkage);
        LLVMSetVisibility(v, LLVMHiddenVisibility);
        LLVMSetValueName2(v, name, strlen(name));
    }
    map_put(&p->global, v, 1);
}

static bool is_only_called(LLVMValueRef fn) {
    for_each_user(user, fn) {
        if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != fn) return false;
        for (unsigned k = 0; k < LLVMGetNumArgOperands(user); k++)
            if (LLVMGetOperand(user, k) == fn) return false;
    }
    return true;
}

/* Entries larger than a part leave the following numbers unused. */
static void divide_module(Parts *p) {
    long total = size_of_entries(p->m), before = 0, last = -1;
    int used = 0;
    map_init(&p->part, &p->m->arena), map_init(&p->global, &p->m->arena);
    for_each_function(f, p->m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        if (is_entry_of_kernel(f)) {
            long at = before * p->n / total;
            used += at != last;
            last = at;
            map_put(&p->part, f, (uintptr_t)used); /* counted from 1 */
            before += function_size(f);
        }
        if (is_entry_of_kernel(f) || !has_local_linkage(f) || !is_only_called(f)) share(p, f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->m->mod); g; g = LLVMGetNextGlobal(g)) {
        bool copies = LLVMIsGlobalConstant(g) && LLVMGetUnnamedAddress(g) != LLVMNoUnnamedAddr && has_local_linkage(g);
        if (!LLVMIsDeclaration(g) && !copies && strncmp(value_name(g), "llvm.", 5)) share(p, g);
    }
    p->n = used;
}

/* ---- a part ---- */

/* Later passes find entries by their attribute. */
static void drop_entry(LLVMValueRef fn) {
    shim_delete_body(fn);
    fn_remove_attr(fn, ATTR_ENTRY);
}

/* `mod` has the functions of the whole module in the same order, none of them read yet. */
static void keep_functions(Parts *p, LLVMModuleRef mod, int part) {
    LLVMValueRef whole = LLVMGetFirstFunction(p->m->mod), f = LLVMGetFirstFunction(mod);
    for (; f && whole; f = LLVMGetNextFunction(f), whole = LLVMGetNextFunction(whole)) {
        int of = (int)map_get(&p->part, whole, 0) - 1;
        if (LLVMIsDeclaration(f) || of == part || (of < 0 && (part == 0 || !map_get(&p->global, whole, 0)))) continue;
        LLVMSetComdat(f, NULL);
        if (of < 0 && !fn_has_attr(f, ATTR_VECTOR)) LLVMSetLinkage(f, LLVMAvailableExternallyLinkage);
        else drop_entry(f);
    }
    if (f || whole) bug("bitcode of other functions than the module's");
}

static void declare_variables(Parts *p, LLVMModuleRef mod) {
    LLVMValueRef whole = LLVMGetFirstGlobal(p->m->mod);
    for (LLVMValueRef g = LLVMGetFirstGlobal(mod), next; g && whole; g = next, whole = LLVMGetNextGlobal(whole)) {
        next = LLVMGetNextGlobal(g);
        if (!strcmp(value_name(g), "llvm.global_ctors")) LLVMDeleteGlobal(g);
        else if (map_get(&p->global, whole, 0)) {
            LLVMSetComdat(g, NULL);
            LLVMSetLinkage(g, LLVMExternalLinkage);
            shim_clear_initializer(g);
        }
    }
}

/* Replaces the whole module, which is unchanged: the process ends with the part. */
static void read_part(Parts *p, int part) {
    LLVMModuleRef mod;
    LLVMContextRef whole = p->m->ctx;
    p->m->ctx = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(p->m->ctx, LLVMContextGetDiagnosticHandler(whole),
                                    LLVMContextGetDiagnosticContext(whole));
    if (LLVMGetBitcodeModuleInContext2(p->m->ctx, p->bitcode, &mod)) bug("bitcode of a part cannot be read");
    keep_functions(p, mod, part);
    if (part > 0) declare_variables(p, mod);
    shim_read_bodies(mod);
    p->m->mod = mod;
}

typedef struct Part {
    Parts *parts;
    int number;
    const char *path; /* of the object */
    FILE *messages;
    PartFinish *finish;
    bool ok;
} Part;

/* Only advice: another C library may not support it. */
static void advise_large_pages(void) {
    void *volatile of_heap = malloc(64);
    madvise((void *)((uintptr_t)of_heap & ~((uintptr_t)HEAP - 1)), HEAP, MADV_HUGEPAGE);
    free(of_heap);
}

static void *work(void *of_part) {
    Part *part = of_part;
    Module *m = part->parts->m;
    advise_large_pages();
    read_part(part->parts, part->number);
    run_llvm_passes(m, "globaldce");
    part->ok = part->finish(m, part->path) && !m->diag.errors && !m->diag.unsupported;
    return NULL;
}

static int run_part(Part *part) {
    pthread_attr_t attributes;
    pthread_t thread;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(fileno(part->messages), STDERR_FILENO);
    if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, STACK) ||
        pthread_create(&thread, &attributes, work, part) || pthread_join(thread, NULL))
        work(part);
    fflush(NULL);
    return part->ok ? CUCPU_OK : CUCPU_ERROR;
}

/* ---- all parts ---- */

typedef struct Children {
    FILE *messages[MAX_PARTS];
    char *path[MAX_PARTS];
    int running;
    bool failed;
} Children;

static void wait_for_one(Module *m, Children *c) {
    int status = 0;
    if (wait(&status) < 0 || status) c->failed = true;
    if (WIFSIGNALED(status))
        diag_error(&m->diag, NULL, "internal error: code generation ended with signal %d", WTERMSIG(status));
    c->running--;
}

static bool start(Parts *p, Children *c, int part, PartFinish *finish) {
    c->messages[part] = tmpfile();
    if (!c->messages[part]) return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) _exit(run_part(&(Part){p, part, c->path[part], c->messages[part], finish, false}));
    c->running += pid > 0;
    return pid > 0;
}

static void print_messages(FILE *from) {
    char buffer[4096];
    if (!from) return;
    rewind(from);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;) fwrite(buffer, 1, n, stderr);
    fclose(from);
}

bool finish_parts(Module *m, int n, const char *output, PartFinish *finish) {
    Parts p = {.m = m, .n = n};
    Children c = {0};
    divide_module(&p);
    n = p.n;
    p.bitcode = LLVMWriteBitcodeToMemoryBuffer(m->mod);
    for (int i = 0; i < n; i++) c.path[i] = arena_printf(&m->arena, "%s.%d.%ld", output, i, (long)getpid());
    for (int i = 0; i < n && !c.failed; i++) {
        while (c.running && c.running >= m->opt->jobs) wait_for_one(m, &c);
        if (!c.failed && !start(&p, &c, i, finish))
            c.failed = true, diag_error(&m->diag, NULL, "cannot start a process");
    }
    while (c.running) wait_for_one(m, &c);
    for (int i = 0; i < n; i++) print_messages(c.messages[i]);
    bool ok = !c.failed && m->opt->join(m->opt->join_context, (const char *const *)c.path, n, output);
    for (int i = 0; i < n; i++) remove(c.path[i]);
    LLVMDisposeMemoryBuffer(p.bitcode);
    return ok;
}
