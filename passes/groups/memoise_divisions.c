/* memoise_divisions: a scalar division by the same divisor in all iterations of a loop keeps its last quotient.
**
** in, out: entries, width > 1
**
**   q = x / d; r = x % d    becomes    r = x - base; if (r >= d) q = x / d, r = x % d, base = x - r
**
** where base, last quotient times d, and q are carried from iteration to iteration. Neighbouring groups mostly have one
** quotient: the row, channel or plane of an index in a flattened array (version_uniform_quotient makes one division for
** each group of it). A subtraction and a predicted branch take the place of a division, of which an index needs up to
** three, one after the other.
**
** Legal for all x: base is a multiple of d, and r = x - base < d, unsigned, implies that q is still the quotient, as
** base + d does not wrap: at the end of the type nothing is kept. Both start as 0 where d is new, before the outermost
** loop in which it is the same. Signed: for d > 0; of x < 0 nothing is kept. The divisor may be guarded against traps,
** then d is what is guarded. Where quotients change in each iteration a subtraction and a comparison are lost. Not
** taken: constants, which take no division; dividends that are the same in all iterations; operations on vectors. */
#include "passes/groups/invariant.h"
#include "passes/ir/divisions.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/variant.h"
#include "passes/passes.h"

typedef struct Division {
    LLVMValueRef quotient, rest; /* of the same operands and sign, in one block; one of them may be NULL */
    LLVMBasicBlockRef before;    /* the loop, where the divisor is new */
} Division;

typedef Vec(Division) Divisions;

static bool is_signed(LLVMValueRef i) { return opcode(i) == LLVMSDiv || opcode(i) == LLVMSRem; }
static bool is_quotient(LLVMValueRef i) { return opcode(i) == LLVMSDiv || opcode(i) == LLVMUDiv; }

static bool is_scalar_division(LLVMValueRef i) {
    return is_op(i, OP_DIV) && (int_bits(i) == 32 || int_bits(i) == 64) &&
           !LLVMIsConstant(divisor_of(LLVMGetOperand(i, 1)));
}

/* Control enters the loop from one block. */
static bool has_preheader(const Cfg *c, int loop) {
    const Block *h = &c->b[c->l[loop].header];
    int outside = 0;
    for (int k = 0; k < h->npred; k++) outside += !cfg_loop_contains(c, loop, h->pred[k]);
    return outside == 1;
}

/* The outermost loop in which v is the same in all iterations; -1: none. */
static int loop_of_divisor(Module *m, const Cfg *c, int loop, LLVMValueRef v) {
    int found = -1;
    for (; loop >= 0; loop = c->l[loop].parent) {
        Invariant outside = {.m = m, .cfg = c, .loop = loop};
        if (!invariant_is(&outside, v)) break;
        if (has_preheader(c, loop)) found = loop;
    }
    return found;
}

static bool joins(Divisions *all, LLVMValueRef i) {
    for (int k = 0; k < all->n; k++) {
        Division *d = &all->v[k];
        LLVMValueRef first = d->quotient ? d->quotient : d->rest;
        LLVMValueRef *own = is_quotient(i) ? &d->quotient : &d->rest;
        if (*own || is_signed(first) != is_signed(i) ||
            LLVMGetInstructionParent(first) != LLVMGetInstructionParent(i) || dividend_of(first) != dividend_of(i) ||
            divisor_of(LLVMGetOperand(first, 1)) != divisor_of(LLVMGetOperand(i, 1)))
            continue;
        *own = i;
        return true;
    }
    return false;
}

static void find_divisions(Module *m, Arena *a, LLVMValueRef fn, Divisions *all) {
    const Cfg *c = cfg_build(a, fn);
    for_each_cfg_instruction(i, b, c) {
        int inner = c->b[b].loop;
        if (inner < 0 || !is_scalar_division(i) || joins(all, i)) continue;
        Invariant outside = {.m = m, .cfg = c, .loop = inner};
        int loop = loop_of_divisor(m, c, inner, divisor_of(LLVMGetOperand(i, 1)));
        if (loop < 0 || invariant_is(&outside, dividend_of(i))) continue;
        Division d = {.before = c->b[cfg_preheader(c, loop)].bb};
        *(is_quotient(i) ? &d.quotient : &d.rest) = i;
        vec_push(a, all, d);
    }
}

static LLVMValueRef carried(LLVMBuilderRef b, LLVMValueRef fn, LLVMTypeRef t, LLVMBasicBlockRef before,
                            const char *name) {
    LLVMValueRef p = entry_alloca(fn, t, name);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(before));
    LLVMBuildStore(b, LLVMConstNull(t), p);
    return p;
}

static LLVMValueRef first_of(const Division *d) {
    if (!d->quotient || !d->rest) return d->quotient ? d->quotient : d->rest;
    for (LLVMValueRef i = d->quotient; i; i = LLVMGetNextInstruction(i))
        if (i == d->rest) return d->quotient;
    return d->rest;
}

static void memoise(LLVMBuilderRef b, LLVMValueRef fn, const Division *d) {
    LLVMValueRef first = first_of(d), x = LLVMGetOperand(first, 0), by = LLVMGetOperand(first, 1);
    LLVMTypeRef t = LLVMTypeOf(first);
    LLVMValueRef base = carried(b, fn, t, d->before, "base"), last = carried(b, fn, t, d->before, "last");
    LLVMBasicBlockRef here = LLVMGetInstructionParent(first), join = shim_split_block(first, "divided"),
                      divide = insert_block(join, "divide");
    set_insert_point(b, LLVMGetBasicBlockTerminator(here));
    x = LLVMBuildFreeze(b, x, ""); /* a branch depends on it now */
    LLVMValueRef kept = LLVMBuildLoad2(b, t, last, "kept"),
                 rest = LLVMBuildSub(b, x, LLVMBuildLoad2(b, t, base, ""), "rest");
    LLVMValueRef zero = LLVMConstNull(t), of = divisor_of(by),
                 maximum = is_signed(first) ? build_intrinsic2(b, "llvm.smax", of, zero) : of,
                 same = LLVMBuildICmp(b, LLVMIntULT, rest, maximum, "");
    replace_by_branch(b, LLVMGetBasicBlockTerminator(here), same, join, divide);
    LLVMPositionBuilderAtEnd(b, divide);
    LLVMValueRef q = is_signed(first) ? LLVMBuildSDiv(b, x, by, "") : LLVMBuildUDiv(b, x, by, ""),
                 r = is_signed(first) ? LLVMBuildSRem(b, x, by, "") : LLVMBuildURem(b, x, by, ""), new_q = q,
                 new_base = LLVMBuildSub(b, x, r, "");
    uint64_t ones = LLVMConstIntGetZExtValue(LLVMConstAllOnes(t));
    LLVMValueRef most = LLVMBuildSub(b, LLVMConstInt(t, is_signed(first) ? ones >> 1 : ones, 0), of, ""),
                 keeps = LLVMBuildICmp(b, is_signed(first) ? LLVMIntSLE : LLVMIntULE, new_base, most, "");
    if (is_signed(first)) keeps = LLVMBuildAnd(b, keeps, LLVMBuildICmp(b, LLVMIntSGE, x, zero, ""), "");
    new_q = LLVMBuildSelect(b, keeps, q, zero, ""), new_base = LLVMBuildSelect(b, keeps, new_base, zero, "");
    LLVMBuildStore(b, new_q, last);
    LLVMBuildStore(b, new_base, base);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(join));
    LLVMValueRef quotient = build_phi2(b, kept, here, q, divide, "quotient");
    rest = build_phi2(b, rest, here, r, divide, "rest");
    if (d->quotient) replace_instruction(d->quotient, quotient);
    if (d->rest) replace_instruction(d->rest, rest);
}

bool memoise_divisions(Module *m) {
    if (!m->opt->opt_level || pass_disabled(m, "memoise_divisions")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (!is_wide_entry(f)) continue;
        Arena a = {0};
        Divisions all = {0};
        find_divisions(m, &a, f, &all);
        for (int k = 0; k < all.n; k++) memoise(b, f, &all.v[k]);
        if (all.n) run_llvm_passes_on(m, f, "mem2reg");
        arena_free(&a);
    }
    LLVMDisposeBuilder(b);
    return true;
}
