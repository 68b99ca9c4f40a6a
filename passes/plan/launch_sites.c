/* launch_sites: the blockDims that the host code of the same file launches kernels with.
**
** in:  the host half as bitcode, as clang's front end made it (opt->host), and the kernels
** out: cucpu.launches on kernels, "x,y,z;x,y,z", "?" for a block that is not constant; make_variants decides which
**      blocks get variants
**
** A launch is a call of __cudaPushCallConfiguration followed by a call of a kernel's stub, or one of cudaLaunchKernel
** with the stub as argument. Functions that launch are cleaned up here, one by one (constructors of dim3 inlined,
** variables to values, constants propagated), on a copy that nobody compiles. Where no constant comes out, blocks are
** guessed (host_values.h): parameters from callers, members, what lambdas capture, defaults of options, kernels that
** are passed as pointers. All this is a hint: correctness does not depend on finding all launches, and the runtime
** takes such a variant only for exactly this block. */
#include "passes/plan/host_values.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

#define STUB "__device_stub__"
enum { MAX_HOST_BYTES = 32 << 20, MAX_WALK = 64 };

static const char *callee_text(LLVMValueRef call) {
    LLVMValueRef f = LLVMIsACallInst(call) || LLVMIsAInvokeInst(call) ? LLVMGetCalledValue(call) : NULL;
    return f && LLVMIsAFunction(f) ? value_name(f) : "";
}

static bool is_push(LLVMValueRef i) { return !strcmp(callee_text(i), "__cudaPushCallConfiguration"); }

static LLVMValueRef stub_argument(LLVMValueRef i) {
    if (!strstr(callee_text(i), "cudaLaunch") || LLVMGetNumArgOperands(i) < 5) return NULL;
    LLVMValueRef f = LLVMGetOperand(i, 0);
    return LLVMIsAFunction(f) && strstr(value_name(f), STUB) ? f : NULL;
}

/* ---- names ---- */

/* _ZN2ns16__device_stub__kEPf is the stub of _ZN2ns1kEPf. */
static LLVMValueRef kernel_of_stub(Module *m, const char *stub) {
    const char *at = strstr(stub, STUB), *digits = at;
    if (!at) return NULL;
    while (digits > stub && digits[-1] >= '0' && digits[-1] <= '9') digits--;
    const char *rest = at + sizeof STUB - 1;
    char *name = digits == at ? arena_printf(&m->arena, "%.*s%s", (int)(at - stub), stub, rest)
                              : arena_printf(&m->arena, "%.*s%ld%s", (int)(digits - stub), stub,
                                             strtol(digits, NULL, 10) - (long)(sizeof STUB - 1), rest);
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, name);
    return f && is_kernel(f) && !LLVMIsDeclaration(f) ? f : NULL;
}

/* Blocks of one column are those of rows in the kernel that runs columns. */
static LLVMValueRef kernel_that_runs(Module *m, LLVMValueRef kernel, char **now) {
    unsigned b[3];
    LLVMValueRef column = column_of(m, kernel);
    if (!column || sscanf(*now, "%u,%u,%u", &b[0], &b[1], &b[2]) != 3 || b[0] != 1 || b[1] == 1 || b[2] != 1)
        return kernel;
    *now = arena_printf(&m->arena, "%u,1,1", b[1]);
    return column;
}

static void add_launch(Module *m, LLVMValueRef kernel, char *now) {
    unsigned len = 0;
    kernel = kernel_that_runs(m, kernel, &now);
    const char *old = fn_attr(kernel, ATTR_LAUNCHES, &len);
    char *all = old ? arena_printf(&m->arena, "%.*s", (int)len, old) : NULL;
    size_t n = strlen(now);
    for (const char *p = all; p; p = strchr(p, ';'), p += p != NULL)
        if (!strncmp(p, now, n) && (p[n] == ';' || !p[n])) return;
    fn_set_attr(kernel, ATTR_LAUNCHES, all ? arena_printf(&m->arena, "%s;%s", all, now) : now);
}

/* known: the block is constant. */
static void note_launch(Module *m, const char *stub, bool known, const uint64_t block[3]) {
    LLVMValueRef kernel = kernel_of_stub(m, stub);
    if (!kernel) return;
    add_launch(m, kernel,
               !known ? "?"
                      : arena_printf(&m->arena, "%llu,%llu,%llu", (unsigned long long)block[0],
                                     (unsigned long long)block[1], (unsigned long long)block[2]));
}

/* ---- sites ---- */

/* A dim3 is passed as two arguments: x
** y << 32, z. */
static bool constant_block(LLVMValueRef call, unsigned first, uint64_t block[3]) {
    LLVMValueRef xy = LLVMGetOperand(call, first), z = LLVMGetOperand(call, first + 1);
    if (!LLVMIsAConstantInt(xy) || !LLVMIsAConstantInt(z)) return false;
    uint64_t v = LLVMConstIntGetZExtValue(xy);
    block[0] = v & 0xffffffff;
    block[1] = v >> 32;
    block[2] = LLVMConstIntGetZExtValue(z);
    return true;
}

static const char *stub_from(LLVMValueRef i, bool *stop) {
    for (; i; i = LLVMGetNextInstruction(i)) {
        if (strstr(callee_text(i), STUB)) return callee_text(i);
        if (is_push(i)) {
            *stop = true;
            return NULL;
        }
    }
    return NULL;
}

/* The stub that is called next after a call of __cudaPushCallConfiguration. */
static const char *next_stub(LLVMValueRef push) {
    LLVMBasicBlockRef worklist[MAX_WALK];
    int n = 0;
    bool stop = false;
    const char *found = stub_from(LLVMGetNextInstruction(push), &stop);
    worklist[n++] = LLVMGetInstructionParent(push);
    for (int k = 0; k < n && !found && !stop; k++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(worklist[k]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(t) && n < MAX_WALK; s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(t, s);
            bool seen = false, ignored = false;
            for (int j = 0; j < n; j++) seen |= worklist[j] == to;
            if (seen) continue;
            worklist[n++] = to;
            if (!found) found = stub_from(LLVMGetFirstInstruction(to), &ignored);
        }
    }
    return found;
}

static void read_sites(Module *m, LLVMValueRef fn) {
    for_each_instruction(i, fn) {
        uint64_t block[3];
        LLVMValueRef stub = stub_argument(i);
        const char *name = stub ? value_name(stub) : is_push(i) ? next_stub(i) : NULL;
        if (name) note_launch(m, name, constant_block(i, stub ? 3 : 2, block), block);
    }
}

/* ---- guesses ---- */

enum {
    MAX_CALLERS = 8,
    CONFIG_BLOCK = 12 /* bytes in cudaLaunchConfig_t */,
    FEW_BLOCKS = 2,
    LARGE = 500 /* instructions */
};

typedef struct Guess {
    LLVMValueRef kernel;
    HostBlocks blocks;
} Guess;

typedef struct Guesses {
    Module *m;
    HostValues *values;
    Vec(Guess) all;
} Guesses;

static void add_guess(Guesses *g, const char *stub, const HostBlocks *b) {
    LLVMValueRef kernel = kernel_of_stub(g->m, stub);
    if (kernel) vec_push(&g->m->arena, &g->all, ((Guess){kernel, *b}));
}

static void add_functions(Guesses *g, LLVMValueRef pointer, const HostBlocks *b, const HostCall *in) {
    HostFunctions f = host_functions(g->values, pointer, in);
    for (int k = 0; k < f.n; k++) add_guess(g, value_name(f.v[k]), b);
}

/* k<<<...>>> of a pointer to a kernel: the next call in the block that is entered after the configuration was
** pushed. */
static LLVMValueRef next_pointer(LLVMValueRef push) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(push));
    for (unsigned s = 0; s < LLVMGetNumSuccessors(t); s++)
        for_each_in_block(i, LLVMGetSuccessor(t, s)) {
            LLVMValueRef f = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? LLVMGetCalledValue(i) : NULL;
            if (f && LLVMIsALoadInst(f)) return f;
        }
    return NULL;
}

static void guess_push(Guesses *g, LLVMValueRef push, const HostCall *in) {
    HostBlocks b = host_blocks(g->values, LLVMGetOperand(push, 2), LLVMGetOperand(push, 3), in);
    const char *stub = next_stub(push);
    LLVMValueRef pointer = stub ? NULL : next_pointer(push);
    if (stub) add_guess(g, stub, &b);
    else if (pointer) add_functions(g, pointer, &b, in);
}

static void guess_call(Guesses *g, LLVMValueRef i, const HostCall *in) {
    const char *name = callee_text(i);
    if (!strcmp(name, "__cudaPushCallConfiguration")) {
        guess_push(g, i, in);
    } else if (!strncmp(name, "cudaLaunchKernelExC", 19) && LLVMGetNumArgOperands(i) == 3) {
        HostBlocks b = host_blocks_at(g->values, LLVMGetOperand(i, 0), CONFIG_BLOCK, in);
        add_functions(g, LLVMGetOperand(i, 1), &b, in);
    } else if ((!strncmp(name, "cudaLaunchKernel", 16) || !strncmp(name, "cudaLaunchCooperativeKernel", 27)) &&
               LLVMGetNumArgOperands(i) >= 5) {
        HostBlocks b = host_blocks(g->values, LLVMGetOperand(i, 3), LLVMGetOperand(i, 4), in);
        add_functions(g, LLVMGetOperand(i, 0), &b, in);
    }
}

static void guess_sites(Guesses *g, LLVMValueRef fn, const HostCall *in) {
    for_each_instruction(i, fn) guess_call(g, i, in);
}

/* Caller by caller, as long as there are few: both the kernel that a function launches and its block may be
** parameters. */
static void guess_launches(Guesses *g, LLVMValueRef fn) {
    HostCall calls[MAX_CALLERS];
    int n = 0;
    bool more = !LLVMCountParams(fn);
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u && !more; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!(LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) || LLVMGetCalledValue(call) != fn) continue;
        if (n == MAX_CALLERS) more = true;
        else calls[n++] = (HostCall){call, fn, NULL};
    }
    if (more || !n) guess_sites(g, fn, NULL);
    for (int k = 0; k < n && !more; k++) guess_sites(g, fn, &calls[k]);
}

static bool is_unknown(LLVMValueRef kernel) {
    unsigned len;
    const char *text = fn_attr(kernel, ATTR_LAUNCHES, &len);
    return !text || memchr(text, '?', len);
}

static void forget_unknown(Module *m, LLVMValueRef kernel) {
    unsigned len = 0;
    const char *text = fn_attr(kernel, ATTR_LAUNCHES, &len);
    if (!text || !memchr(text, '?', len)) return;
    char *all = arena_printf(&m->arena, "%.*s", (int)len, text), *at = strchr(all, '?');
    char *rest = at[1] ? at + 2 : at + 1; /* after its ';' */
    if (!at[1] && at > all) at--;
    memmove(at, rest, strlen(rest) + 1);
    if (*all) fn_set_attr(kernel, ATTR_LAUNCHES, all);
    else fn_remove_attr(kernel, ATTR_LAUNCHES);
}

/* For a large kernel (mostly of a library), a variant for an uncertain block is not profitable: it costs compile
** time. */
static bool is_vague(LLVMValueRef kernel, const HostBlocks *b) {
    return b->n > FEW_BLOCKS && function_size(kernel) > LARGE;
}

/* For kernels with unknown launches; these remain unknown where a guess is incomplete. */
static void take_guesses(Module *m, const Guesses *g) {
    PtrMap gaps, taken;
    map_init(&gaps, &m->arena);
    map_init(&taken, &m->arena);
    for (int k = 0; k < g->all.n; k++)
        if (g->all.v[k].blocks.others || !g->all.v[k].blocks.n) map_put(&gaps, g->all.v[k].kernel, 1);
    for (int k = 0; k < g->all.n; k++) {
        LLVMValueRef kernel = g->all.v[k].kernel;
        const HostBlocks *b = &g->all.v[k].blocks;
        bool closed = !map_get(&gaps, kernel, 0);
        if ((!is_unknown(kernel) && !map_get(&taken, kernel, 0)) || is_vague(kernel, b)) continue;
        if (closed) forget_unknown(m, kernel);
        map_put(&taken, kernel, 1);
        for (int j = 0; j < b->n; j++)
            if ((b->n == 1 && closed) || b->v[j][0] * b->v[j][1] * b->v[j][2] > 1) /* a dim3 starts as 1, 1, 1 */
                add_launch(m, kernel,
                           arena_printf(&m->arena, "%d,%d,%d", (int)b->v[j][0], (int)b->v[j][1], (int)b->v[j][2]));
        if (!closed) add_launch(m, kernel, "?");
    }
}

/* ---- clean-up ---- */

static bool may_launch(LLVMValueRef i) { return is_push(i) || strstr(callee_text(i), "cudaLaunch"); }

static bool launches(LLVMValueRef fn) {
    if (strstr(value_name(fn), STUB)) return false;
    for_each_instruction(i, fn)
        if (may_launch(i)) return true;
    return false;
}

static void drop_attribute(LLVMValueRef fn, const char *name) {
    LLVMRemoveEnumAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void clean_up(Module *m, LLVMValueRef fn) {
    Vec(LLVMValueRef) calls = {0};
    drop_attribute(fn, "optnone");
    for_each_instruction(i, fn)
        if (!strncmp(callee_text(i), "_ZN4dim3C", 9) && !LLVMIsDeclaration(LLVMGetCalledValue(i)))
            vec_push(&m->arena, &calls, i);
    for (int k = 0; k < calls.n; k++) {
        drop_attribute(LLVMGetCalledValue(calls.v[k]), "optnone");
        drop_attribute(LLVMGetCalledValue(calls.v[k]), "noinline");
        shim_inline_call(calls.v[k]);
    }
    run_llvm_passes_on(m, fn, "sroa,early-cse,sccp,simplifycfg,instcombine<no-verify-fixpoint>");
}

static LLVMModuleRef read_host(Module *m) {
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef host = NULL;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(m->opt->host, &buffer, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (LLVMGetBufferSize(buffer) > MAX_HOST_BYTES) {
        LLVMDisposeMemoryBuffer(buffer);
        return NULL;
    }
    if (LLVMParseIRInContext(m->ctx, buffer, &host, &message)) LLVMDisposeMessage(message);
    return host;
}

/* ---- parameters ---- */

static bool has_long_double(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMX86_FP80TypeKind: return true;
    case LLVMArrayTypeKind: return has_long_double(LLVMGetElementType(t));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
            if (has_long_double(LLVMStructGetTypeAtIndex(t, i))) return true;
        return false;
    default: return false;
    }
}

/* In device code long double is double: a structure with one, passed by value, has another layout there. The mangled
** name shows it for plain parameters only (import_nvvm), the host's stub for all. */
static void check_parameters(Module *m, LLVMValueRef stub) {
    LLVMValueRef kernel = kernel_of_stub(m, value_name(stub));
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; kernel && i < LLVMCountParams(stub); i++) {
        LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(stub, i + 1, byval);
        if (!has_long_double(a ? LLVMGetTypeAttributeValue(a) : LLVMTypeOf(LLVMGetParam(stub, i)))) continue;
        diag_nyi(&m->diag, kernel, NYI_LONG_DOUBLE, value_name(kernel));
        return;
    }
}

/* All launches are known, and none is of a column. */
static void drop_columns(Module *m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        unsigned len;
        const char *of = fn_attr(f, ATTR_COLUMN, &len);
        LLVMValueRef kernel = of ? LLVMGetNamedFunction(m->mod, arena_printf(&m->arena, "%.*s", (int)len, of)) : NULL;
        if (kernel && !is_unknown(kernel) && !fn_has_attr(f, ATTR_LAUNCHES)) LLVMDeleteFunction(f);
    }
}

void find_launch_sites(Module *m) {
    LLVMModuleRef host = m->opt->host ? read_host(m) : NULL;
    if (!host) return;
    for_each_function(f, host) check_parameters(m, f);
    check_host_variables(m, host);
    Guesses guesses = {.m = m};
    for (LLVMValueRef f = LLVMGetFirstFunction(host); f && !pass_disabled(m, "launch_sites");
         f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !launches(f)) continue;
        if (!guesses.values) guesses.values = host_values(&m->arena, host);
        guess_launches(&guesses, f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(host); f && !pass_disabled(m, "launch_sites");
         f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || !launches(f)) continue;
        clean_up(m, f);
        read_sites(m, f);
    }
    take_guesses(m, &guesses);
    drop_columns(m);
    LLVMDisposeModule(host);
}
