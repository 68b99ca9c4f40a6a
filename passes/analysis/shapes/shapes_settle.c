/* shapes_settle.c: makes the scalar parts of affine values safe to compute.
**
** The code generator computes a scalar value for lane 0, which may be inactive and may overflow where the active lanes
** do not: a flag that holds for every active lane must not make lane 0 poison, and operations whose flags are part of
** the proof must be replaced by the one that the fact describes (docs/shapes.md, rules 1 to 3). All of it refines the
** per-thread code, so it is done there, in place: drops flags, `or disjoint` -> add, `zext nneg` -> sext, select(c, v,
** poison) -> v. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

/* Some operand differs between the lanes, but the result is computed from scalars. */
static bool concerns(Shapes *s, int k) {
    LLVMValueRef v = s->value[k];
    if (s->block[k] < 0 || !(fact_scalar(&s->g, &s->fact[k]) || pattern_run(&s->g, &s->fact[k]))) return false;
    if (LLVMIsAPHINode(v) || LLVMIsACallInst(v) || LLVMIsATerminatorInst(v)) return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        Fact f = shapes_operand(s, LLVMGetOperand(v, (unsigned)i));
        if (!fact_group_uniform(&s->g, &f)) return true;
    }
    return false;
}

/* `now` replaces the instruction with number k and inherits its fact. */
static void replace_value(Shapes *s, int k, LLVMValueRef now) {
    LLVMValueRef old = s->value[k];
    replace_instruction(old, now);
    map_put(&s->index, old, 0); /* the address may be reused */
    if (LLVMIsAInstruction(now) && !map_get(&s->index, now, 0)) {
        s->value[k] = now;
        map_put(&s->index, now, (uintptr_t)k + 1);
    } else {
        s->value[k] = NULL;
    }
}

/* v is computed from ids, arguments, constants and memory, without a phi or select that may have chosen poison. Other
** values may be chosen only by lanes that really chose them. */
static bool solid(Shapes *s, LLVMValueRef v, PtrMap *known) {
    if (LLVMIsUndef(v)) return false;
    if (!LLVMIsAInstruction(v) || LLVMIsACallInst(v) || LLVMIsALoadInst(v)) return true;
    uintptr_t k = map_get(known, v, 0);
    if (k) return k == 1;
    map_put(known, v, 1); /* around a cycle: determined by what enters it */
    bool good = !shapes_operand(s, v).s.bottom;
    unsigned n = LLVMIsAPHINode(v) ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v);
    for (unsigned i = 0; i < n && good; i++)
        good = solid(s, LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i), known);
    map_put(known, v, good ? 1 : 2);
    return good;
}

/* The value with number k has no scalar that could be computed: it varies, and so does what depends on it. Without the
** latter a select with this condition would look like one of two equal operands. */
static void give_up(Shapes *s, int k) {
    LLVMValueRef v = s->value[k];
    s->fact[k] = fact_varying(s->fact[k].bits);
    for_each_user(i, v) {
        uintptr_t user = map_get(&s->index, i, 0);
        if (!user || !s->value[user - 1] || !fact_scalar(&s->g, &s->fact[user - 1])) continue; /* or varies already */
        Fact now = shapes_transfer(s, s->value[user - 1]);
        if (!fact_equal(&now, &s->fact[user - 1]) && !fact_group_uniform(&s->g, &now)) give_up(s, (int)user - 1);
    }
}

/* Divergent condition, yet not varying: both operands are the same, or one is poison. */
static void settle_select(Shapes *s, int k) {
    LLVMValueRef v = s->value[k], yes = LLVMGetOperand(v, 1), no = LLVMGetOperand(v, 2);
    Fact c = shapes_operand(s, LLVMGetOperand(v, 0));
    if (fact_group_uniform(&s->g, &c)) return;
    PtrMap known = map_new(s->a);
    bool not_yes = LLVMIsUndef(yes) || shapes_operand(s, yes).s.bottom;
    bool not_no = LLVMIsUndef(no) || shapes_operand(s, no).s.bottom;
    if (not_yes || not_no) replace_value(s, k, not_yes ? no : yes);
    else if (solid(s, yes, &known)) replace_value(s, k, yes);
    else if (solid(s, no, &known)) replace_value(s, k, no);
    else give_up(s, k);
}

static void drop_flags(LLVMValueRef v, LLVMOpcode op) {
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(v, 0);
        LLVMSetNUW(v, 0);
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr: LLVMSetExact(v, 0); break;
    case LLVMGetElementPtr: LLVMGEPSetNoWrapFlags(v, 0); break;
    case LLVMICmp: LLVMSetICmpSameSign(v, 0); break;
    default: break;
    }
}

static void settle_value(Shapes *s, LLVMBuilderRef b, int k) {
    LLVMValueRef v = s->value[k];
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    set_insert_point(b, v);
    if (op == LLVMOr && LLVMGetIsDisjoint(v)) {
        replace_value(s, k, LLVMBuildAdd(b, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), ""));
    } else if (op == LLVMZExt && LLVMGetNNeg(v)) {
        replace_value(s, k, LLVMBuildSExt(b, LLVMGetOperand(v, 0), LLVMTypeOf(v), ""));
    } else if (op == LLVMSelect) {
        settle_select(s, k);
    } else {
        drop_flags(v, op);
    }
}

void shapes_settle(Shapes *s) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(s->module));
    for (int k = 0; k < s->n && s->g.width > 1; k++)
        if (s->value[k] && concerns(s, k)) settle_value(s, b, k);
    LLVMDisposeBuilder(b);
}

Shapes *shapes_for_widening(Arena *a, const Cfg *cfg, int width, Layout layout, const unsigned block[3]) {
    Shapes *s = shapes_compute(a, cfg, width, layout, block);
    if (shapes_push_extensions(s)) s = shapes_compute(a, cfg, width, layout, block);
    shapes_settle(s);
    return s;
}
