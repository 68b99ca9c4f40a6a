/* join_expressions.c: a phi of one expression is that expression.
**
** LLVM's value numbering computes x + 1 in both successors of a branch where one has it already, and merges the two. To
** the analysis of shapes that is a choice between values: where threads take different successors, what was the same
** for all of them no longer is. After the branch the expression is computed once more, and the copies may be dead. */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

static bool is_expression(LLVMValueRef v) {
    return is_op(v, OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_GEP | OP_ICMP);
}

static bool same_expression(LLVMValueRef a, LLVMValueRef b) {
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    int n = LLVMGetNumOperands(a);
    if (op != LLVMGetInstructionOpcode(b) || n != LLVMGetNumOperands(b)) return false;
    if (op == LLVMICmp && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b)) return false;
    if (op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)) return false;
    for (int i = 0; i < n; i++)
        if (LLVMGetOperand(a, (unsigned)i) != LLVMGetOperand(b, (unsigned)i)) return false;
    return true;
}

/* Its operands are available at the start of block `at`, and are those that it had: none is of `at`, which may be a
** loop's header. */
static bool operands_dominate(const Cfg *c, LLVMValueRef v, int at) {
    for (int i = 0; i < LLVMGetNumOperands(v); i++) {
        LLVMValueRef o = LLVMGetOperand(v, (unsigned)i);
        if (!LLVMIsAInstruction(o)) continue;
        int b = cfg_block_of(c, o);
        if (b < 0 || b == at || !cfg_dominates(c, b, at)) return false;
    }
    return true;
}

static bool join_phi(const Cfg *c, LLVMBuilderRef b, LLVMValueRef phi, int at) {
    LLVMValueRef first = LLVMGetIncomingValue(phi, 0);
    unsigned n = LLVMCountIncoming(phi);
    if (n < 2 || !is_expression(first) || !operands_dominate(c, first, at)) return false;
    bool flags = true;
    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (v != first && (!is_expression(v) || !same_expression(first, v))) return false;
        flags = flags && (v == first || have_same_flags(first, v));
    }
    LLVMPositionBuilderBefore(b, first_after_phis(LLVMGetInstructionParent(phi)));
    LLVMValueRef now = clone_at(b, first);
    if (!flags) shim_drop_flags(now); /* flags of one of them only, as nsw, need not hold for the others */
    replace_instruction(phi, now);
    return true;
}

bool join_expressions(Module *m, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    bool any = false;
    for (int k = 0; k < c->n; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[k].bb), next; i && LLVMIsAPHINode(i); i = next) {
            next = LLVMGetNextInstruction(i);
            any |= join_phi(c, b, i, k);
        }
    LLVMDisposeBuilder(b);
    arena_free(&a);
    return any;
}
