/* group_loop.c: see group_loop.h. */
#include "passes/groups/group_loop.h"
#include "passes/ir/value.h"

static bool find_group_counter(GroupLoop *g) {
    LLVMValueRef x = LLVMGetFirstInstruction(g->header);
    if (!x || !LLVMIsAPHINode(x) || LLVMIsAPHINode(LLVMGetNextInstruction(x)) || LLVMCountIncoming(x) != 2)
        return false;
    unsigned first = LLVMGetIncomingBlock(x, 0) == g->latch;
    g->x = x;
    g->before = LLVMGetIncomingBlock(x, first);
    g->next = LLVMGetIncomingValue(x, !first);
    if (!is_constant(LLVMGetIncomingValue(x, first), 0) || opcode(g->next) != LLVMAdd) return false;
    LLVMValueRef step = LLVMGetOperand(g->next, 1);
    if (LLVMGetOperand(g->next, 0) != x || !LLVMIsAConstantInt(step) || int_bits(x) != 32) return false;
    g->step = LLVMConstIntGetZExtValue(step);
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->before)) == 1;
}

static bool find_group_end(const Cfg *c, int loop, GroupLoop *g) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g->latch);
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) return false;
    LLVMValueRef test = LLVMGetCondition(t);
    if (!LLVMIsAICmpInst(test) || LLVMGetICmpPredicate(test) != LLVMIntULT || LLVMGetOperand(test, 0) != g->next)
        return false;
    g->end = LLVMGetOperand(test, 1);
    g->out = LLVMGetSuccessor(t, 1);
    return !cfg_in_loop(c, loop, g->end) && LLVMGetSuccessor(t, 0) == g->header && g->out != g->header &&
           !LLVMIsAPHINode(LLVMGetFirstInstruction(g->out));
}

bool find_group_loop(const Cfg *c, int loop, GroupLoop *g) {
    const Loop *l = &c->l[loop];
    if (l->nlatches != 1) return false;
    *g = (GroupLoop){.header = c->b[l->header].bb, .latch = c->b[l->latches[0]].bb};
    return find_group_counter(g) && find_group_end(c, loop, g);
}

/* ---- sums ---- */

typedef struct Parts {
    const GroupLoop *g;
    const Invariant *outside;
} Parts;

static bool is_group_part(const void *parts, LLVMValueRef v) {
    const Parts *p = parts;
    return v == p->g->x || invariant_is(p->outside, v);
}

bool group_sum(const GroupLoop *g, const Invariant *outside, LLVMValueRef v, Affine *base) {
    Parts p = {g, outside};
    AffineRules rules = {.is_term = is_group_part, .context = &p};
    return cfg_in_loop(outside->cfg, outside->loop, v) && affine_of(&rules, v, AFFINE_SAME, base) &&
           affine_take(base, g->x) == 1;
}

static LLVMValueRef hoisted_part(void *outside, LLVMValueRef v) { return invariant_hoist(outside, v); }

LLVMValueRef group_base(Invariant *outside, const Affine *base, LLVMTypeRef t) {
    return affine_build(outside->b, base, t, hoisted_part, outside);
}
