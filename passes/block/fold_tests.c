/* fold_tests: `threadIdx.x > row` for a group of known index and a row of known range is a constant.
**
**   icmp ugt <16, 17, ..., 31>, splat(row)       becomes    true      where row is 0 ... 7
**   vector.reduce.or(icmp ugt <0, ..., 15>, ...)  becomes    true      as one lane is active in each case
**
** Part of promote_shared, once the loops over groups are unrolled: the lanes are constants there, and the steps between
** barriers are a loop over a counter. LLVM's passes have ranges of scalars only.
** requires: nothing
** preserves: all values; a test that is poison may become any constant
** Not taken: lanes that are not constants, ranges that scalar evolution does not find, tests that differ from step to
** step in all lanes. */
#include "passes/block/fold_tests.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include <string.h>

enum { DEPTH = 6, MAX_LANES = 64 };

typedef enum Truth { OFF, ON, OPEN } Truth;

typedef struct Fold {
    Arena *a;
    PtrMap number; /* a value that all lanes share -> 1 + its index in `range` */
    Vec(LLVMValueRef) shared;
    ShimRange *range;
} Fold;

/* ---- comparisons ---- */

/* The uniform operand of a comparison with constant lanes, or NULL; *at: its operand index. */
static LLVMValueRef uniform_operand(LLVMValueRef i, unsigned *at) {
    LLVMTypeRef t = LLVMIsAICmpInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : NULL;
    if (!t || LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetVectorSize(t) > MAX_LANES) return NULL;
    LLVMTypeRef e = LLVMGetElementType(t);
    if (LLVMGetTypeKind(e) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(e) > 64) return NULL;
    for (*at = 0; *at < 2; ++*at)
        if (LLVMIsConstant(LLVMGetOperand(i, 1 - *at))) return splat_value(LLVMGetOperand(i, *at));
    return NULL;
}

bool has_lane_tests(LLVMValueRef fn) {
    unsigned at;
    for_each_instruction(i, fn)
        if (uniform_operand(i, &at)) return true;
    return false;
}

static void find_shared(Fold *f, LLVMValueRef fn) {
    unsigned at;
    map_init(&f->number, f->a);
    for_each_instruction(i, fn) {
        LLVMValueRef s = uniform_operand(i, &at);
        if (!s || map_get(&f->number, s, 0)) continue;
        vec_push(f->a, &f->shared, s);
        map_put(&f->number, s, (uintptr_t)f->shared.n);
    }
    f->range = arena_array(f->a, ShimRange, f->shared.n + 1);
    if (!f->shared.n) return;
    ShimLoops *loops = shim_open_loops(fn);
    for (int k = 0; k < f->shared.n; k++) f->range[k] = shim_range(loops, f->shared.v[k]);
    shim_close_loops(loops);
}

/* ---- ranges ---- */

/* Of a < b or a <= b, from the minimum and the maximum of both. */
#define ORDER(a_min, a_max, b_min, b_max, or_equal)                                                                    \
    ((a_max) < (b_min) || ((or_equal) && (a_max) == (b_min))    ? ON                                                   \
     : (a_min) > (b_max) || (!(or_equal) && (a_min) == (b_max)) ? OFF                                                  \
                                                                : OPEN)

/* a p b. */
static Truth compare(LLVMIntPredicate p, ShimRange a, ShimRange b) {
    bool apart = a.umax < b.umin || a.umin > b.umax || a.smax < b.smin || a.smin > b.smax;
    bool same = a.umin == a.umax && b.umin == b.umax && a.umin == b.umin;
    switch (p) {
    case LLVMIntEQ: return same ? ON : apart ? OFF : OPEN;
    case LLVMIntNE: return same ? OFF : apart ? ON : OPEN;
    case LLVMIntULT:
    case LLVMIntULE: return ORDER(a.umin, a.umax, b.umin, b.umax, p == LLVMIntULE);
    case LLVMIntUGT:
    case LLVMIntUGE: return ORDER(b.umin, b.umax, a.umin, a.umax, p == LLVMIntUGE);
    case LLVMIntSLT:
    case LLVMIntSLE: return ORDER(a.smin, a.smax, b.smin, b.smax, p == LLVMIntSLE);
    case LLVMIntSGT:
    case LLVMIntSGE: return ORDER(b.smin, b.smax, a.smin, a.smax, p == LLVMIntSGE);
    default: return OPEN;
    }
}

static Truth of_constant(LLVMValueRef c) {
    return !c || !LLVMIsAConstantInt(c) ? OPEN : LLVMConstIntGetZExtValue(c) ? ON : OFF;
}

static Truth of_compare(const Fold *f, LLVMValueRef i, unsigned lane) {
    unsigned at;
    LLVMValueRef s = uniform_operand(i, &at);
    LLVMValueRef c = s ? LLVMGetAggregateElement(LLVMGetOperand(i, 1 - at), lane) : NULL;
    if (!c || !LLVMIsAConstantInt(c)) return OPEN;
    uint64_t u = LLVMConstIntGetZExtValue(c);
    int64_t v = LLVMConstIntGetSExtValue(c);
    ShimRange own = {u, u, v, v}, other = f->range[map_get(&f->number, s, 1) - 1];
    return at ? compare(LLVMGetICmpPredicate(i), own, other) : compare(LLVMGetICmpPredicate(i), other, own);
}

/* A lane of a vector of i1, or a scalar i1. */
static Truth truth(const Fold *f, LLVMValueRef v, unsigned lane, int depth) {
    bool vector = is_vector(v);
    if (LLVMIsConstant(v)) return of_constant(vector ? LLVMGetAggregateElement(v, lane) : v);
    if (depth > DEPTH || !LLVMIsAInstruction(v)) return OPEN;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMICmp) return vector ? of_compare(f, v, lane) : OPEN;
    if (op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect) return OPEN;
    Truth x = truth(f, LLVMGetOperand(v, 0), lane, depth + 1);
    if (op == LLVMSelect && x != OPEN) return truth(f, LLVMGetOperand(v, x == ON ? 1 : 2), lane, depth + 1);
    Truth y = truth(f, LLVMGetOperand(v, 1), lane, depth + 1);
    if (op == LLVMAnd) return x == OFF || y == OFF ? OFF : x == ON && y == ON ? ON : OPEN;
    if (op == LLVMOr) return x == ON || y == ON ? ON : x == OFF && y == OFF ? OFF : OPEN;
    if (op == LLVMXor) return x == OPEN || y == OPEN ? OPEN : x == y ? OFF : ON;
    return y != OPEN && y == truth(f, LLVMGetOperand(v, 2), lane, depth + 1) ? y : OPEN;
}

/* ---- replacement ---- */

static bool is_bits(LLVMTypeRef t) {
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetElementType(t) == LLVMInt1TypeInContext(LLVMGetTypeContext(t)) && LLVMGetVectorSize(t) <= MAX_LANES;
}

/* The vector of which the instruction tests whether any lane is set (reduce.or, or its bits != 0); *none: it tests
** whether none is. */
static LLVMValueRef tests_any(LLVMValueRef i, bool *none) {
    LLVMValueRef v = NULL;
    *none = false;
    if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i))) {
        const char *name = value_name(LLVMGetCalledValue(i));
        if (!strncmp(name, "llvm.vector.reduce.or.", 22)) v = LLVMGetOperand(i, 0);
    } else if (LLVMIsAICmpInst(i) && LLVMIsABitCastInst(LLVMGetOperand(i, 0)) && LLVMIsNull(LLVMGetOperand(i, 1))) {
        *none = LLVMGetICmpPredicate(i) == LLVMIntEQ;
        if (*none || LLVMGetICmpPredicate(i) == LLVMIntNE) v = LLVMGetOperand(LLVMGetOperand(i, 0), 0);
    }
    return v && is_bits(LLVMTypeOf(v)) ? v : NULL;
}

static LLVMValueRef known_any(const Fold *f, LLVMValueRef i) {
    bool none, open = false;
    LLVMValueRef v = tests_any(i, &none);
    if (!v || LLVMIsConstant(v)) return NULL;
    for (unsigned l = 0; l < LLVMGetVectorSize(LLVMTypeOf(v)); l++) {
        Truth t = truth(f, v, l, 0);
        if (t == ON) return LLVMConstInt(LLVMTypeOf(i), !none, false);
        open |= t == OPEN;
    }
    return open ? NULL : LLVMConstInt(LLVMTypeOf(i), none, false);
}

static LLVMValueRef known_lanes(const Fold *f, LLVMValueRef i) {
    LLVMValueRef lane[MAX_LANES];
    if (!LLVMIsAICmpInst(i) || !is_bits(LLVMTypeOf(i))) return NULL;
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(i));
    for (unsigned l = 0; l < n; l++) {
        Truth t = truth(f, i, l, 0);
        if (t == OPEN) return NULL;
        lane[l] = LLVMConstInt(LLVMGetElementType(LLVMTypeOf(i)), t == ON, false);
    }
    return LLVMConstVector(lane, n);
}

bool fold_lane_tests(Module *m, LLVMValueRef fn) {
    if (pass_disabled(m, "fold_tests") || !has_lane_tests(fn)) return false;
    Arena a = {0};
    Fold f = {.a = &a};
    bool changed = false;
    find_shared(&f, fn);
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMValueRef c = known_any(&f, i);
            if (!c) c = known_lanes(&f, i);
            if (!c || !LLVMGetFirstUse(i)) continue;
            LLVMReplaceAllUsesWith(i, c); /* not erased: f references values */
            changed = true;
        }
    arena_free(&a);
    return changed;
}
