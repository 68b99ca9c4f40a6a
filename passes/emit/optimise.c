/* optimise: LLVM's own pipeline for the target CPU, over entries whose loops are now explicit.
**
** A few of LLVM's passes are left out of it, function by function:
**   - what looks for vectors in scalar code, where the code is vectors already (width > 1), or is to stay scalar
**     (--disable=vectorize_threads);
**   - what compares each memory access of a loop with each other one, where a function has many:
**     group loops hold whole kernels, and time would grow with the square of their size;
**   - the loop vectorizer, and the propagation of constants over the whole module, where a block has many instructions: their
**     time grows with the square of its length, or of what is computed from one counter; where there are very many, the combination
**     of vectors, too;
**   - what asks about all loops for each loop, where there are many: each barrier adds a loop nest;
**   - the loop vectorizer, where the low bits of a counter are taken (`x[2*t - (t & 3)]`): LLVM 22 takes a counter
**     that does not wrap in 32 bits for one whose low bits do not wrap either, and reads the wrong elements;
**   - the loop vectorizer in loops with divisions under a condition: where such a quotient is the same in all lanes and part of
**     an address (`if (i == last) v = a[p / q]`), LLVM 22 divides only if the condition holds in the first of them.
** The wrappers of calls that stay are inlined into code of one lane.
** And the loop vectorizer makes no wide accesses of those to single fields where that might change their order
** (analysis/touched_again). */
#include "passes/analysis/touched_again.h"
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <stdio.h>
#include <string.h>

/* From here on the time of these passes would be most of the compile time. */
enum { MANY_ACCESSES = 200, MANY_LOOPS = 80, MANY_INSTRUCTIONS = 1000, HUGE_BLOCK = 20000 };

typedef enum Kind { VECTORS = 1, LARGE = 2, LOOPS = 4, LOW_BITS = 8, SCALAR = 16, LONG = 32, HUGE_LONG = 64 } Kind;

static const struct {
    const char *pass;
    int not_for; /* functions of these kinds */
} exceptions[] = {
    {"LoopVectorizePass", VECTORS | LARGE | LONG | LOW_BITS | SCALAR},
    {"SLPVectorizerPass", VECTORS | LOOPS | SCALAR}, /* asks how often loops run, for each pair of addresses */
    {"IPSCCPPass", LONG},                            /* if the module has one */
    {"VectorCombinePass", HUGE_LONG},                /* numbers a block again after each change */
    {"LoopLoadEliminationPass", VECTORS | LARGE},
    {"DSEPass", LARGE}, /* normalise_cfg ran it */
    {"IndVarSimplifyPass", LOOPS},
    {"LoopIdiomRecognizePass", LOOPS},
    {"LoopDeletionPass", LOOPS},
    {"LoopFullUnrollPass", LOOPS},
    {"LoopUnrollPass", LOOPS},
};

static bool has_many_accesses(LLVMValueRef fn) {
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i))) &&
                ++n > MANY_ACCESSES)
                return true;
    return false;
}

static bool has_long_block(LLVMValueRef fn, int many) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        int n = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (++n > many) return true;
    }
    return false;
}

/* An integer made of a counter: arithmetic that leads to a phi. */
static bool is_counter(LLVMValueRef v, int depth) {
    if (LLVMIsAPHINode(v)) return true;
    if (!LLVMIsAInstruction(v) || depth > 6) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMXor: return is_counter(LLVMGetOperand(v, 0), depth + 1) || is_counter(LLVMGetOperand(v, 1), depth + 1);
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMFreeze: return is_counter(LLVMGetOperand(v, 0), depth + 1);
    default: return false;
    }
}

/* x & (2^k - 1), x % 2^k, and x as a number of fewer bits. */
static bool takes_low_bits(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMTrunc)
        return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(i)) < 32;
    if (op != LLVMAnd && op != LLVMURem && op != LLVMSRem) return false;
    LLVMValueRef c = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstantInt(c) || LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64) return false;
    uint64_t n = LLVMConstIntGetZExtValue(c) + (op == LLVMAnd);
    return n > 1 && !(n & (n - 1));
}

static bool has_low_bits_of_counter(LLVMValueRef fn) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (takes_low_bits(i) && is_counter(LLVMGetOperand(i, 0), 0)) return true;
    return false;
}

static int kind_of(const Module *m, LLVMValueRef fn) {
    unsigned len;
    Arena a = {0};
    bool vectors = fn_attr(fn, ATTR_ENTRY, &len) && fn_attr_int(fn, ATTR_WIDTH, 1) > 1;
    int kind = (vectors ? VECTORS : 0) | (pass_disabled(m, "vectorize_threads") ? SCALAR : 0) |
               (has_many_accesses(fn) ? LARGE : 0) | (has_long_block(fn, MANY_INSTRUCTIONS) ? LONG : 0) |
               (has_long_block(fn, HUGE_BLOCK) ? HUGE_LONG : 0) | (has_low_bits_of_counter(fn) ? LOW_BITS : 0) |
               (cfg_build(&a, fn)->nloops > MANY_LOOPS ? LOOPS : 0);
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
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i))
            if (may_trap(i)) return true;
    }
    return false;
}

static void keep_divisions_scalar(Arena *a, LLVMValueRef fn) {
    const Cfg *c = cfg_build(a, fn);
    LLVMValueRef no = LLVMConstInt(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(fn))), 0, 0);
    for (int i = 0; i < c->nloops; i++)
        if (divides_sometimes(c, i)) cfg_loop_say(c, i, "llvm.loop.vectorize.enable", no);
}

/* Asked as late as here: by now equal subscripts are one value, and loops have their last form. */
static void prepare_vectorizer(LLVMValueRef fn) {
    Arena a = {0};
    keep_divisions_scalar(&a, fn);
    shim_give_flag("enable-interleaved-mem-accesses", !touched_again(&a, fn));
    arena_free(&a);
}

typedef struct Kinds {
    PtrMap of; /* function -> its kinds */
    int any;
} Kinds;

/* fn: NULL where the pass is one of the whole module */
static bool skip(const char *pass, LLVMValueRef fn, void *context) {
    Kinds *kinds = context;
    int kind = fn ? (int)map_get(&kinds->of, fn, 0) : kinds->any;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!strcmp(exceptions[i].pass, pass) && exceptions[i].not_for & kind) return true;
    if (!strcmp(pass, "LoopVectorizePass")) prepare_vectorizer(fn);
    return false;
}

/* Tells the back end that the vectors which we built are wanted at full width: some CPUs are
** tuned to prefer 256-bit code unless the function says otherwise. */
static void prefer_full_vectors(Module *m, LLVMValueRef fn) {
    char bits[16];
    snprintf(bits, sizeof bits, "%u", m->vector_bits);
    fn_set_attr(fn, "prefer-vector-width", bits);
    fn_set_attr(fn, "min-legal-vector-width", bits);
}

/* Vectors that do not fit the registers go to the stack.  LLVM keeps it at 16 bytes where no variable asks for more, so
** whether they cross cache lines would depend on where the stack starts in this run; some loops then take 2.5 times as
** long. */
static void align_stack(const Module *m, LLVMValueRef f) {
    if (m->vector_bits <= 128 || m->opt->opt_level == 0) return;
    LLVMAttributeRef a =
        LLVMCreateEnumAttribute(m->ctx, LLVMGetEnumAttributeKindForName("alignstack", 10), m->vector_bits / 8);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* LLVM 22 takes the rotation of a constant by lanes that it finds to be constant, one of them 0, for undefined if it finds
** that in code generation (AVX2: x >> 32 - 0).  It must have been folded by then, without optimisation too. */
static bool rotates_constant(LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        unsigned id = LLVMGetIntrinsicID(f);
        if (!id || (id != LLVMLookupIntrinsicID("llvm.fshl", 9) && id != LLVMLookupIntrinsicID("llvm.fshr", 9)))
            continue;
        for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
            if (LLVMIsConstant(LLVMGetOperand(LLVMGetUser(u), 0))) return true;
    }
    return false;
}

/* A call of a device function that stays (inline_device) has a wrapper of its own.  With --simd=1 that has one caller, and LLVM inlines it;
** code of one lane beside code of several is to be as fast. */
static void inline_wrappers(const Module *m, LLVMValueRef f) {
    if (m->opt->opt_level == 0) return;
    LLVMAttributeRef always = LLVMCreateEnumAttribute(m->ctx, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef to = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            size_t len;
            if (to && LLVMIsAFunction(to) && !LLVMIsDeclaration(to) &&
                !strncmp(LLVMGetValueName2(to, &len), WITH_IDS, sizeof WITH_IDS - 1))
                LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, always);
        }
}

bool optimise(Module *m) {
    Kinds kinds = {.any = 0};
    map_init(&kinds.of, &m->arena);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        unsigned len;
        if (fn_attr(f, ATTR_ENTRY, &len) && fn_attr_int(f, ATTR_WIDTH, 1) > 1) prefer_full_vectors(m, f);
        if (LLVMIsDeclaration(f)) continue;
        if (fn_attr(f, ATTR_ENTRY, &len)) align_stack(m, f);
        if (fn_attr(f, ATTR_ENTRY, &len) && fn_attr_int(f, ATTR_WIDTH, 1) == 1) inline_wrappers(m, f);
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
