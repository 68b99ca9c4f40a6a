/* narrow_values: arithmetic on bytes and shorts is done in 8 or 16 bits where that gives the same, instead of C's int.
**
**   x = zext a; y = zext b; m = umin x, y; d = sub m, z
**       becomes   m = umin a, b (i8); d = sub (zext m), (zext c) (i16)
**
** A register holds two or four times the lanes then, and no conversions are needed. LLVM narrows what ends in a trunc,
** but not minima, comparisons and differences with several uses.
**
** An operation may have 8 or 16 bits if its result fits (int_ranges.h), signed or not, and where upper bits of the
** operands matter (comparisons, minima, shifts to the right, quotients) these fit as well. Of these operations those
** become narrow for which it is profitable: each value starts with the fewest bits, takes others if that makes the sum
** of operations and conversions smaller, and if a connected part of the graph as a whole is not cheaper it is left
** unchanged.
** Never narrow: what an address is computed from, what does not come from memory (thread ids, counters).
** Before that, expressions whose intermediate results do not fit but whose result does get a form that fits
** (narrow_forms.c).
** requires: normal form; keeps it. After passes that run instcombine on scalar code, which prefers 32 bits. */
#include "passes/analysis/int_ranges.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>

/* Classes of sizes: 8 bits, 16 bits, those of the type. */
enum { BYTE, SHORT, OWN, CLASSES };
enum { SWEEPS = 6 };

typedef struct Value {
    LLVMValueRef v;
    IntRange r, of[2]; /* of it, of its first two operands: these may be replaced by values of unknown range */
    IntOp op;
    unsigned bits;      /* of its type; of a comparison: of its operands */
    bool node, address; /* an operation that may be narrow; an address depends on it */
    bool allowed[CLASSES];
    int at;            /* class in which it is computed, or of the extended value */
    int need[CLASSES]; /* uses in this class */
    int part;          /* union-find: index of another value of the part, or its own index */
    LLVMValueRef made[CLASSES];
} Value;

typedef struct Narrow {
    Module *m;
    Arena *a;
    Cfg *c;
    IntRanges *ranges;
    Vec(Value *) all; /* operands before users, but for phis */
    PtrMap index;     /* value -> index + 1 */
    LLVMBuilderRef b;
} Narrow;

static unsigned class_bits(const Value *x, int class) { return class == BYTE ? 8 : class == SHORT ? 16 : x->bits; }

static Value *value_of(const Narrow *n, LLVMValueRef v) {
    uintptr_t k = map_get(&n->index, v, 0);
    return k ? n->all.v[k - 1] : NULL;
}

/* The operands that have the size of the operation. */
static int operands(const Value *x, LLVMValueRef *o, int maximum) {
    int n = 0, count = x->op == INT_PHI        ? (int)LLVMCountIncoming(x->v)
                       : x->op == INT_ABS      ? 1
                       : LLVMIsACallInst(x->v) ? 2
                                               : LLVMGetNumOperands(x->v);
    for (int k = x->op == INT_SELECT ? 1 : 0; k < count && n < maximum; k++)
        o[n++] = x->op == INT_PHI ? LLVMGetIncomingValue(x->v, (unsigned)k) : LLVMGetOperand(x->v, (unsigned)k);
    return n;
}

enum { MAX_OPERANDS = 16 };

/* ---- which values may be narrow ---- */

static bool is_signed_op(IntOp op) {
    return op == INT_SMIN || op == INT_SMAX || op == INT_ASHR || op == INT_SDIV || op == INT_SREM;
}

static bool amount_is_below(LLVMValueRef amount, unsigned bits) {
    return LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) < bits;
}

/* Both operands and the result have the same values in so many bits. */
static bool both_fit(const Value *x, unsigned bits, bool is_signed) {
    const IntRange *of = x->of;
    return is_signed ? fits_signed(of[0], bits) && fits_signed(of[1], bits)
                     : fits_unsigned(of[0], bits) && fits_unsigned(of[1], bits);
}

static bool orders_unsigned(const Value *x) {
    if (x->op != INT_ICMP) return x->op == INT_UMIN || x->op == INT_UMAX;
    LLVMIntPredicate p = LLVMGetICmpPredicate(x->v);
    return p >= LLVMIntUGT && p <= LLVMIntULE;
}

static bool may_have(const Value *x, unsigned bits) {
    if (bits >= x->bits || (x->op != INT_ICMP && !fits_unsigned(x->r, bits) && !fits_signed(x->r, bits))) return false;
    switch (x->op) {
    case INT_MUL: return bits > 8;
    case INT_SHL: return amount_is_below(LLVMGetOperand(x->v, 1), bits);
    case INT_LSHR:
    case INT_ASHR: {
        IntRange a = x->of[0];
        return amount_is_below(LLVMGetOperand(x->v, 1), bits) &&
               (fits_unsigned(a, bits) || (x->op == INT_ASHR && fits_signed(a, bits)));
    }
    case INT_UDIV:
    case INT_UREM:
    case INT_SDIV:
    case INT_SREM:
        if (bits == 8 || !LLVMIsAConstantInt(LLVMGetOperand(x->v, 1)) || x->of[1].lo <= 0) return false;
        return both_fit(x, bits, false) || (is_signed_op(x->op) && both_fit(x, bits, true));
    case INT_SMIN:
    case INT_SMAX:
    case INT_UMIN:
    case INT_UMAX:
    case INT_ICMP: return both_fit(x, bits, false) || (!orders_unsigned(x) && both_fit(x, bits, true));
    case INT_ABS: return fits_signed(x->of[0], bits);
    default: return true;
    }
}

/* An operation on data that feeds no address. */
static bool may_be_node(const Value *x) {
    if (x->op == INT_NONE || x->op == INT_TRUNC || x->address || (x->bits != 16 && x->bits != 32 && x->bits != 64))
        return false;
    if (x->op == INT_ZEXT || x->op == INT_SEXT) return int_bits(LLVMGetOperand(x->v, 0)) == 1;
    if (x->op == INT_PHI && LLVMCountIncoming(x->v) > MAX_OPERANDS) return false;
    if (x->op != INT_ICMP) return x->r.data;
    return x->of[0].data || x->of[1].data;
}

/* ---- the graph ---- */

static Value *add_value(Narrow *n, LLVMValueRef v) {
    Value *x = value_of(n, v);
    if (x) return x;
    x = arena_alloc(n->a, sizeof *x);
    *x = (Value){
        .v = v, .op = int_op(v), .bits = int_bits(v), .at = OWN, .part = n->all.n, .r = int_range_of(n->ranges, v)};
    if (x->op == INT_ICMP) x->bits = is_scalar_int(LLVMGetOperand(v, 0)) ? int_bits(LLVMGetOperand(v, 0)) : 0;
    for (unsigned k = 0; k < 2 && (int)k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef o = LLVMGetOperand(v, k);
        x->of[k] = is_scalar_int(o) ? int_range_of(n->ranges, o) : (IntRange){INT64_MIN, INT64_MAX, false};
    }
    x->made[OWN] = v;
    vec_push(n->a, &n->all, x);
    map_put(&n->index, v, (uintptr_t)n->all.n);
    return x;
}

static void mark_address(Narrow *n, LLVMValueRef v) {
    Vec(LLVMValueRef) todo = {0};
    vec_push(n->a, &todo, v);
    while (todo.n) {
        Value *x = value_of(n, todo.v[--todo.n]);
        if (!x || x->address || x->op == INT_ICMP || int_op(x->v) == INT_NONE) continue;
        x->address = true;
        for (int k = 0, count = LLVMIsAPHINode(x->v) ? (int)LLVMCountIncoming(x->v) : LLVMGetNumOperands(x->v);
             k < count; k++)
            vec_push(n->a, &todo,
                     LLVMIsAPHINode(x->v) ? LLVMGetIncomingValue(x->v, (unsigned)k)
                                          : LLVMGetOperand(x->v, (unsigned)k));
    }
}

static void mark_addresses(Narrow *n) {
    for_each_cfg_instruction(i, b, n->c) {
        if (LLVMIsAIntToPtrInst(i)) mark_address(n, LLVMGetOperand(i, 0));
        for (int k = 1; LLVMIsAGetElementPtrInst(i) && k < LLVMGetNumOperands(i); k++)
            mark_address(n, LLVMGetOperand(i, (unsigned)k));
    }
}

static void collect_values(Narrow *n) {
    for_each_cfg_instruction(i, b, n->c)
        if (is_scalar_int(i)) add_value(n, i);
    mark_addresses(n);
    for (int k = 0; k < n->all.n; k++) {
        Value *x = n->all.v[k];
        x->node = may_be_node(x);
        x->allowed[OWN] = true;
        x->allowed[BYTE] = x->node && may_have(x, 8);
        x->allowed[SHORT] = x->node && may_have(x, 16);
        if (!x->allowed[BYTE] && !x->allowed[SHORT]) x->node = false;
        bool extends = (x->op == INT_ZEXT || x->op == INT_SEXT) && !x->node && x->bits <= 64;
        unsigned from = extends && is_scalar_int(LLVMGetOperand(x->v, 0)) ? int_bits(LLVMGetOperand(x->v, 0)) : 0;
        if (from == 8 || (from == 16 && x->bits > 16)) x->at = from == 8 ? BYTE : SHORT;
    }
}

/* ---- uses ---- */

static void count_operand_needs(Narrow *n, const Value *x, int class, int by) {
    LLVMValueRef o[MAX_OPERANDS];
    for (int k = operands(x, o, MAX_OPERANDS) - 1; k >= 0; k--) {
        Value *y = value_of(n, o[k]);
        if (y) y->need[class] += by;
    }
}

/* The class that a use by a non-node requires. */
static int class_of_use(const Value *x, LLVMValueRef user) {
    if (!LLVMIsATruncInst(user)) return OWN;
    unsigned bits = int_bits(user);
    return bits == 8 && x->bits > 8 ? BYTE : bits == 16 && x->bits > 16 ? SHORT : OWN;
}

static bool is_node_operand(const Narrow *n, const Value *x, LLVMValueRef user) {
    const Value *y = value_of(n, user);
    return y && y->node && !(y->op == INT_SELECT && LLVMGetOperand(user, 0) == x->v) && y->op != INT_ZEXT &&
           y->op != INT_SEXT;
}

static void count_uses(Narrow *n) {
    for (int k = 0; k < n->all.n; k++) {
        Value *x = n->all.v[k];
        for_each_user(user, x->v)
            if (!is_node_operand(n, x, user)) x->need[class_of_use(x, user)]++;
    }
    for (int k = 0; k < n->all.n; k++)
        if (n->all.v[k]->node) count_operand_needs(n, n->all.v[k], OWN, 1);
}

static void move(Narrow *n, Value *x, int class) {
    if (x->op != INT_ZEXT && x->op != INT_SEXT) {
        count_operand_needs(n, x, x->at, -1);
        count_operand_needs(n, x, class, 1);
    }
    x->at = class;
}

/* ---- cost, in bytes of registers per lane ---- */

static int op_weight(IntOp op, unsigned bits) {
    switch (op) {
    case INT_PHI: return 0;
    case INT_MUL: return bits > 16 ? 2 : 1;
    case INT_SHL:
    case INT_LSHR: return bits == 8 ? 2 : 1;
    case INT_ASHR: return bits == 8 ? 4 : 1;
    case INT_UDIV:
    case INT_SDIV: return bits > 16 ? 6 : 2;
    case INT_UREM:
    case INT_SREM: return bits > 16 ? 8 : 4;
    default: return 1;
    }
}

static int conversions(const Value *x) {
    int sum = 0;
    if (x->op == INT_ICMP) return 0;
    for (int k = 0; k < CLASSES; k++)
        if (k != x->at && x->need[k] > 0) sum += (int)(k > x->at ? class_bits(x, k) : class_bits(x, x->at)) / 8;
    return sum;
}

static int value_cost(const Value *x) {
    unsigned bits = class_bits(x, x->at);
    return conversions(x) + (x->node ? op_weight(x->op, bits) * (int)bits / 8 : 0);
}

static int cost_around(const Narrow *n, const Value *x) {
    LLVMValueRef o[MAX_OPERANDS];
    int sum = value_cost(x);
    for (int k = operands(x, o, MAX_OPERANDS) - 1; k >= 0; k--) {
        const Value *y = value_of(n, o[k]);
        if (y) sum += conversions(y);
    }
    return sum;
}

/* ---- the choice ---- */

static bool improve(Narrow *n, Value *x) {
    int best = x->at, was = x->at, minimum = cost_around(n, x);
    for (int k = 0; k < CLASSES; k++) {
        if (!x->allowed[k] || k == was) continue;
        move(n, x, k);
        int now = cost_around(n, x);
        if (now < minimum) best = k, minimum = now;
    }
    move(n, x, best);
    return best != was;
}

static int find_root(const Narrow *n, int k) {
    while (n->all.v[k]->part != k) k = n->all.v[k]->part = n->all.v[n->all.v[k]->part]->part;
    return k;
}

static void join_parts(Narrow *n) {
    for (int k = 0; k < n->all.n; k++) {
        LLVMValueRef o[MAX_OPERANDS];
        Value *x = n->all.v[k];
        if (!x->node || x->at == OWN || x->op == INT_ZEXT || x->op == INT_SEXT) continue;
        for (int j = operands(x, o, MAX_OPERANDS) - 1; j >= 0; j--)
            if (value_of(n, o[j])) n->all.v[find_root(n, (int)map_get(&n->index, o[j], 1) - 1)]->part = find_root(n, k);
    }
}

/* Parts that are not cheaper as a whole are left unchanged. */
static void keep_profitable(Narrow *n) {
    join_parts(n);
    int *narrow = arena_array(n->a, int, n->all.n + 1), *own = arena_array(n->a, int, n->all.n + 1),
        *was = arena_array(n->a, int, n->all.n + 1);
    for (int k = 0; k < n->all.n; k++) narrow[find_root(n, k)] += value_cost(n->all.v[k]), was[k] = n->all.v[k]->at;
    for (int k = 0; k < n->all.n; k++)
        if (n->all.v[k]->node) move(n, n->all.v[k], OWN);
    for (int k = 0; k < n->all.n; k++) own[find_root(n, k)] += value_cost(n->all.v[k]);
    for (int k = 0; k < n->all.n; k++)
        if (n->all.v[k]->node && narrow[find_root(n, k)] < own[find_root(n, k)]) move(n, n->all.v[k], was[k]);
}

static void choose_widths(Narrow *n) {
    for (int k = 0; k < n->all.n; k++)
        if (n->all.v[k]->node) move(n, n->all.v[k], n->all.v[k]->allowed[BYTE] ? BYTE : SHORT);
    bool changed = true;
    for (int s = 0; s < SWEEPS && changed; s++) {
        changed = false;
        for (int k = n->all.n - 1; k >= 0; k--)
            if (n->all.v[k]->node) changed |= improve(n, n->all.v[k]);
    }
    keep_profitable(n);
}

/* ---- new instructions ---- */

static LLVMTypeRef int_type(const Narrow *n, unsigned bits) { return LLVMIntTypeInContext(n->m->ctx, bits); }

/* After the value, where it dominates all its uses. */
static void position_after(Narrow *n, LLVMValueRef v) {
    LLVMValueRef at = LLVMIsAPHINode(v) ? first_after_phis(LLVMGetInstructionParent(v)) : LLVMGetNextInstruction(v);
    LLVMPositionBuilderBefore(n->b, at);
    LLVMSetCurrentDebugLocation2(n->b, LLVMInstructionGetDebugLoc(v));
}

static bool is_extended_value(const Value *x) { return !x->node && x->at != OWN; }

/* In the class in which it is computed. The operand of an extension may have been replaced since. */
static LLVMValueRef computed(const Value *x) { return is_extended_value(x) ? LLVMGetOperand(x->v, 0) : x->made[x->at]; }

/* The conversion of an extended value is where the extension is. */
static LLVMValueRef convert_value(Narrow *n, Value *x, int class) {
    LLVMValueRef from = computed(x);
    LLVMTypeRef t = int_type(n, class_bits(x, class));
    position_after(n, x->node && x->at != OWN ? from : x->v);
    if (class_bits(x, class) < class_bits(x, x->at)) return LLVMBuildTrunc(n->b, from, t, "");
    bool zero = x->node ? x->r.lo >= 0 : x->op == INT_ZEXT;
    return zero ? LLVMBuildZExt(n->b, from, t, "") : LLVMBuildSExt(n->b, from, t, "");
}

/* In so many bits: for a user before which the builder is. */
static LLVMValueRef value_in(Narrow *n, LLVMValueRef v, int class, unsigned bits) {
    if (LLVMIsAConstantInt(v)) return LLVMConstInt(int_type(n, bits), LLVMConstIntGetZExtValue(v), 0);
    Value *x = value_of(n, v);
    if (!x) return int_bits(v) == bits ? v : LLVMBuildTrunc(n->b, v, int_type(n, bits), "");
    if (class == x->at) return computed(x);
    if (!x->made[class]) x->made[class] = convert_value(n, x, class);
    return x->made[class];
}

/* Sums, products and shifts to the left that do not wrap get the flags. */
static LLVMValueRef build_binary(Narrow *n, const Value *x, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    unsigned bits = class_bits(x, x->at);
    LLVMValueRef r = LLVMBuildBinOp(n->b, op, a, b, "");
    if (!LLVMIsAInstruction(r) || (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl)) return r;
    LLVMSetNUW(r, fits_unsigned(x->r, bits) && both_fit(x, bits, false));
    LLVMSetNSW(r, fits_signed(x->r, bits) && both_fit(x, bits, true));
    return r;
}

static LLVMValueRef build_icmp(Narrow *n, const Value *x, bool is_unsigned, LLVMValueRef a, LLVMValueRef b) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(x->v);
    if (is_unsigned && p >= LLVMIntSGT) p = (LLVMIntPredicate)(p - LLVMIntSGT + LLVMIntUGT);
    return LLVMBuildICmp(n->b, p, a, b, "");
}

static LLVMValueRef build_narrow(Narrow *n, const Value *x, LLVMValueRef a, LLVMValueRef b) {
    bool plus = LLVMGetNumOperands(x->v) > 1 && both_fit(x, class_bits(x, x->at), false);
    switch (x->op) {
    case INT_ICMP: return build_icmp(n, x, plus, a, b);
    case INT_SELECT: return LLVMBuildSelect(n->b, LLVMGetOperand(x->v, 0), a, b, "");
    case INT_ZEXT: return LLVMBuildZExt(n->b, LLVMGetOperand(x->v, 0), int_type(n, class_bits(x, x->at)), "");
    case INT_SEXT: return LLVMBuildSExt(n->b, LLVMGetOperand(x->v, 0), int_type(n, class_bits(x, x->at)), "");
    case INT_ABS: return build_intrinsic2(n->b, "llvm.abs", a, LLVMConstNull(LLVMInt1TypeInContext(n->m->ctx)));
    case INT_UMIN:
    case INT_SMIN: return build_intrinsic2(n->b, plus ? "llvm.umin" : "llvm.smin", a, b);
    case INT_UMAX:
    case INT_SMAX: return build_intrinsic2(n->b, plus ? "llvm.umax" : "llvm.smax", a, b);
    case INT_ASHR: return build_binary(n, x, plus ? LLVMLShr : LLVMAShr, a, b);
    case INT_SDIV: return build_binary(n, x, plus ? LLVMUDiv : LLVMSDiv, a, b);
    case INT_SREM: return build_binary(n, x, plus ? LLVMURem : LLVMSRem, a, b);
    default: return build_binary(n, x, LLVMGetInstructionOpcode(x->v), a, b);
    }
}

static void make(Narrow *n, Value *x) {
    LLVMValueRef o[MAX_OPERANDS] = {0};
    unsigned bits = class_bits(x, x->at);
    x->made[OWN] = NULL;
    if (x->op == INT_PHI) {
        LLVMPositionBuilderBefore(n->b, x->v);
        x->made[x->at] = LLVMBuildPhi(n->b, int_type(n, bits), "");
        return;
    }
    int count = x->op == INT_ZEXT || x->op == INT_SEXT ? 0 : operands(x, o, MAX_OPERANDS);
    for (int k = 0; k < count; k++) {
        LLVMPositionBuilderBefore(n->b, x->v);
        o[k] = value_in(n, o[k], x->at, bits);
    }
    set_insert_point(n->b, x->v);
    x->made[x->at] = build_narrow(n, x, o[0], o[1]);
    if (x->op == INT_ICMP) LLVMReplaceAllUsesWith(x->v, x->made[x->at]);
}

static void fill_phi(Narrow *n, Value *x) {
    for (unsigned k = 0; k < LLVMCountIncoming(x->v); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(x->v, k);
        LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef v = value_in(n, LLVMGetIncomingValue(x->v, k), x->at, class_bits(x, x->at));
        LLVMAddIncoming(x->made[x->at], &v, &from, 1);
    }
}

static bool is_narrow(const Value *x) { return x && x->node && x->at != OWN; }

/* A trunc of a value that is narrow now is that value. */
static void replace_trunc(Narrow *n, Value *t) {
    Value *x = value_of(n, LLVMGetOperand(t->v, 0));
    int class = x ? class_of_use(x, t->v) : OWN;
    if (!is_narrow(x) || class == OWN) return;
    t->made[OWN] = value_in(n, x->v, class, class_bits(x, class));
    LLVMReplaceAllUsesWith(t->v, t->made[OWN]);
}

static void rewrite_narrow(Narrow *n) {
    n->b = LLVMCreateBuilderInContext(n->m->ctx);
    for (int k = 0; k < n->all.n; k++)
        if (is_narrow(n->all.v[k])) make(n, n->all.v[k]);
        else if (n->all.v[k]->op == INT_TRUNC) replace_trunc(n, n->all.v[k]);
    for (int k = 0; k < n->all.n; k++)
        if (is_narrow(n->all.v[k]) && n->all.v[k]->op == INT_PHI) fill_phi(n, n->all.v[k]);
    for (int k = 0; k < n->all.n; k++) {
        Value *x = n->all.v[k];
        if (!is_narrow(x) || x->op == INT_ICMP) continue;
        LLVMReplaceAllUsesWith(x->v,
                               x->need[OWN] > 0 ? value_in(n, x->v, OWN, x->bits) : LLVMGetPoison(LLVMTypeOf(x->v)));
    }
    for (int k = 0; k < n->all.n; k++)
        if (is_narrow(n->all.v[k])) LLVMInstructionEraseFromParent(n->all.v[k]->v);
    LLVMDisposeBuilder(n->b);
}

bool narrow_values_of(Module *m, LLVMValueRef fn) {
    if (pass_disabled(m, "narrow_values") || m->opt->opt_level == 0) return false;
    Arena a = {0};
    bool any = narrow_forms(m, fn);
    Narrow n = {.m = m, .a = &a, .c = cfg_build(&a, fn)};
    bool narrow = false;
    if (n.c->reducible) {
        n.ranges = int_ranges(&a, n.c);
        map_init(&n.index, &a);
        collect_values(&n);
        count_uses(&n);
        choose_widths(&n);
        for (int k = 0; k < n.all.n; k++) narrow |= is_narrow(n.all.v[k]);
    }
    if (narrow) rewrite_narrow(&n);
    if (narrow || any) delete_dead(fn);
    arena_free(&a);
    return narrow || any;
}

Nyi narrow_values(Kernel *k) {
    if (!narrow_values_of(k->m, k->fn)) keep_facts(k);
    return NYI_NONE;
}
