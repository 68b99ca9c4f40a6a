/* optimise: LLVM's own pipeline for the target CPU, over entries whose loops are now explicit.
**
** Some of LLVM's passes are skipped, function by function (all but the first and the last are rows of
** llvm22/workarounds.def):
**   - vectorizers, where the code is vectors already (width > 1), or must stay scalar (--disable=vectorize_threads);
**   - passes that compare each memory access of a loop with each other one, where a function has many: group loops
**     hold whole kernels, and time would grow with the square of their size;
**   - the loop vectorizer, and interprocedural constant propagation, where a block has many instructions: their time
**     grows with the square of its length, or of the number of values computed from one counter;
**   - passes that query all loops for each loop, where there are many: each barrier adds a loop nest;
**   - the loop vectorizer, where the low bits of a counter are taken (`x[2*t - (t & 3)]`): LLVM 22 takes a counter
**     that does not wrap in 32 bits for one whose low bits do not wrap either, and reads the wrong elements;
**   - the loop vectorizer in loops with conditional divisions: where such a quotient is the same in all lanes and part
**     of an address (`if (i == last) v = a[p / q]`), LLVM 22 divides only if the condition holds in the first lane.
**   - unrolling with -G: a debugger sets a breakpoint in one copy of a line.
** The wrappers of calls that are not inlined are inlined into scalar variants.
** The loop vectorizer does not widen accesses to single fields where that might change their order
** (analysis/reaccessed). */
#include "passes/analysis/reaccessed.h"
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"
#include <stdio.h>
#include <string.h>

/* From here on these passes would dominate the compile time. */
enum { MANY_ACCESSES = 200, MANY_LOOPS = 80, MANY_INSTRUCTIONS = 1000, HUGE_BLOCK = 20000 };

typedef enum Kind {
    VECTORS = 1,
    LARGE = 2,
    LOOPS = 4,
    LOW_BITS = 8,
    SCALAR = 16,
    LONG = 32,
    HUGE_LONG = 64,
    DEBUGGED = 128
} Kind;

static const struct {
    const char *pass;
    int not_for; /* functions of these kinds */
} exceptions[] = {
    {"LoopVectorizePass", VECTORS | LARGE | LONG | LOW_BITS | SCALAR},
    {"SLPVectorizerPass", VECTORS | LOOPS | SCALAR}, /* queries trip counts for each pair of addresses */
    {"IPSCCPPass", LONG},                            /* if the module has one */
    {"VectorCombinePass", HUGE_LONG},                /* numbers a block again after each change */
    {"LoopLoadEliminationPass", VECTORS | LARGE},
    {"DSEPass", LARGE},                        /* normalise_cfg ran it */
    {"IndVarSimplifyPass", LOOPS | HUGE_LONG}, /* ScalarEvolution of each value computed from a counter */
    {"LoopIdiomRecognizePass", LOOPS},
    {"LoopDeletionPass", LOOPS},
    {"LoopFullUnrollPass", LOOPS | DEBUGGED},
    {"LoopUnrollPass", LOOPS | DEBUGGED},
};

static bool has_many_accesses(LLVMValueRef fn) {
    int n = 0;
    for_each_instruction(i, fn)
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i))) &&
            ++n > MANY_ACCESSES)
            return true;
    return false;
}

static bool has_long_block(LLVMValueRef fn, int many) {
    for_each_block(b, fn) {
        int n = 0;
        for_each_in_block(i, b)
            if (++n > many) return true;
    }
    return false;
}

/* An integer computed from a counter: arithmetic that leads to a phi. */
static bool is_counter(LLVMValueRef v, int depth) {
    if (LLVMIsAPHINode(v)) return true;
    if (depth > 6) return false;
    if (is_op(v, OP_INT_CAST | OP_FREEZE)) return is_counter(LLVMGetOperand(v, 0), depth + 1);
    return is_op(v, OP_ADD | OP_MUL | OP_SHL | OP_BITWISE) && opcode(v) != LLVMAnd &&
           (is_counter(LLVMGetOperand(v, 0), depth + 1) || is_counter(LLVMGetOperand(v, 1), depth + 1));
}

/* x & (2^k - 1), x % 2^k, and x truncated. */
static bool takes_low_bits(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMTrunc) return is_integer(i) && int_bits(i) < 32;
    if (op != LLVMAnd && op != LLVMURem && op != LLVMSRem) return false;
    LLVMValueRef c = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstantInt(c) || int_bits(c) > 64) return false;
    uint64_t n = LLVMConstIntGetZExtValue(c) + (op == LLVMAnd);
    return n > 1 && !(n & (n - 1));
}

static bool has_low_bits_of_counter(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (takes_low_bits(i) && is_counter(LLVMGetOperand(i, 0), 0)) return true;
    return false;
}

static int kind_of(const Module *m, LLVMValueRef fn) {
    Arena a = {0};
    bool vectors = is_wide_entry(fn);
    int kind = (vectors ? VECTORS : 0) | (pass_disabled(m, "vectorize_threads") ? SCALAR : 0);
    if (shim_has_variables(m->mod)) kind |= DEBUGGED;
    if (workaround_is_on(WORKAROUND_large_functions))
        kind |= (has_many_accesses(fn) ? LARGE : 0) | (has_long_block(fn, MANY_INSTRUCTIONS) ? LONG : 0) |
                (has_long_block(fn, HUGE_BLOCK) ? HUGE_LONG : 0) | (cfg_build(&a, fn)->nloops > MANY_LOOPS ? LOOPS : 0);
    if (workaround_is_on(WORKAROUND_vectorize_low_bits) && has_low_bits_of_counter(fn)) kind |= LOW_BITS;
    arena_free(&a);
    return kind;
}

static bool may_trap(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem) &&
           !LLVMIsAConstantInt(LLVMGetOperand(i, 1));
}

static bool divides_sometimes(const Cfg *c, int loop) {
    const Loop *l = &c->l[loop];
    for (int b = l->first; b <= l->last; b++) {
        bool always = true;
        for (int k = 0; k < l->nlatches; k++) always = always && cfg_dominates(c, b, l->latches[k]);
        if (always) continue;
        for_each_in_block(i, c->b[b].bb)
            if (may_trap(i)) return true;
    }
    return false;
}

static void keep_divisions_scalar(Arena *a, LLVMValueRef fn) {
    const Cfg *c = cfg_build(a, fn);
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(fn))), 0, 0);
    for (int i = 0; i < c->nloops; i++)
        if (divides_sometimes(c, i)) cfg_loop_add_property(c, i, "llvm.loop.vectorize.enable", no);
}

/* Checked as late as here: by now equal subscripts are one value, and loops have their final form. */
static void prepare_vectorizer(LLVMValueRef fn) {
    Arena a = {0};
    if (workaround_is_on(WORKAROUND_vectorize_divisions)) keep_divisions_scalar(&a, fn);
    bool reordered = workaround_is_on(WORKAROUND_vectorize_fields) && reaccessed(&a, fn);
    shim_give_flag("enable-interleaved-mem-accesses", !reordered);
    arena_free(&a);
}

typedef struct Kinds {
    PtrMap of; /* function -> its kinds */
    int any;
} Kinds;

/* fn: NULL for a module pass */
static bool skip(const char *pass, LLVMValueRef fn, void *context) {
    Kinds *kinds = context;
    int kind = fn ? (int)map_get(&kinds->of, fn, 0) : kinds->any;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!strcmp(exceptions[i].pass, pass) && exceptions[i].not_for & kind) return true;
    if (!strcmp(pass, "LoopVectorizePass")) prepare_vectorizer(fn);
    return false;
}

/* Tells the back end to use the vectors that we built at full width: some CPUs are tuned to prefer 256-bit code unless
** the function states otherwise. */
static void prefer_full_vectors(Module *m, LLVMValueRef fn) {
    char bits[16];
    snprintf(bits, sizeof bits, "%u", m->vector_bits);
    fn_set_attr(fn, "prefer-vector-width", bits);
    fn_set_attr(fn, "min-legal-vector-width", bits);
}

/* Vectors that do not fit the registers are spilled to the stack. LLVM aligns it to 16 bytes if no variable requires
** more, so whether they cross cache lines would depend on where the stack starts in this run; some loops then take 2.5
** times as long. */
static void align_stack(const Module *m, LLVMValueRef f) {
    if (m->vector_bits <= 128 || m->opt->opt_level == 0) return;
    LLVMAttributeRef a =
        LLVMCreateEnumAttribute(m->ctx, LLVMGetEnumAttributeKindForName("alignstack", 10), m->vector_bits / 8);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* LLVM 22 treats a rotation of a constant by an amount that code generation finds to be constant, with one lane 0, as
** undefined (AVX2: x >> 32 - 0). It must be folded before, also without optimisation. */
static bool rotates_constant(LLVMModuleRef m) {
    if (!workaround_is_on(WORKAROUND_rotate_constants)) return false;
    for_each_function(f, m) {
        unsigned id = LLVMGetIntrinsicID(f);
        if (!id || (id != LLVMLookupIntrinsicID("llvm.fshl", 9) && id != LLVMLookupIntrinsicID("llvm.fshr", 9)))
            continue;
        for_each_user(user, f)
            if (LLVMIsConstant(LLVMGetOperand(user, 0))) return true;
    }
    return false;
}

/* A call of a device function that is not inlined (inline_device) has a separate wrapper. With --simd=1 that has one
** caller, and LLVM inlines it; a scalar variant beside wider ones must be as fast. */
static void inline_wrappers(const Module *m, LLVMValueRef f) {
    if (m->opt->opt_level == 0) return;
    LLVMAttributeRef always = LLVMCreateEnumAttribute(m->ctx, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0);
    for_each_instruction(i, f) {
        LLVMValueRef to = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (to && LLVMIsAFunction(to) && !LLVMIsDeclaration(to) &&
            !strncmp(value_name(to), WITH_IDS, sizeof WITH_IDS - 1))
            LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, always);
    }
}

bool optimise(Module *m) {
    Kinds kinds = {.any = 0};
    map_init(&kinds.of, &m->arena);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        if (is_wide_entry(f)) prefer_full_vectors(m, f);
        if (is_entry(f)) align_stack(m, f);
        if (is_scalar_entry(f)) inline_wrappers(m, f);
        int kind = kind_of(m, f);
        map_put(&kinds.of, f, (uintptr_t)kind);
        kinds.any |= kind;
        if (kind & LOOPS) m->many_loops = true;
    }
    char passes[64];
    bool fold = m->opt->opt_level == 0 && rotates_constant(m->mod);
    snprintf(passes, sizeof passes, "%sdefault<O%d>", fold ? "function(instcombine<no-verify-fixpoint>)," : "",
             m->opt->opt_level);
    shim_run_passes(m->mod, m->tm, passes, skip, &kinds);
    return true;
}
