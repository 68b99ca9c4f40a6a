/* join_expressions: a phi of one expression is that expression.
**
** LLVM's value numbering computes x + 1 in both successors of a branch where one has it already, and merges the two. To
** the analysis of shapes that is a choice between values: where threads take different successors, what was the same
** for all of them no longer is. After the branch the expression is computed once more, and the copies may be dead.
** Expressions are trees of up to MAX_NODES operations; their leaves are available at the phi. Where a branch has found
** that y is 0, x + y is x. */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

enum { MAX_INCOMING = 8, MAX_NODES = 12, MAX_OPERANDS = 4 };

typedef struct Join {
    const Cfg *c;
    LLVMBuilderRef b;
    int at; /* block of the phi */
    unsigned n;
    int nodes;
} Join;

/* What a node of the tree is in each predecessor. */
typedef struct Node {
    LLVMValueRef v[MAX_INCOMING];
} Node;

static bool is_expression(LLVMValueRef v) {
    return is_op(v, OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_GEP | OP_ICMP);
}

static bool same_operation(LLVMValueRef a, LLVMValueRef b) {
    LLVMOpcode op = LLVMGetInstructionOpcode(a);
    if (op != LLVMGetInstructionOpcode(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b)) return false;
    if (op == LLVMICmp && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b)) return false;
    if (op == LLVMGetElementPtr && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)) return false;
    return LLVMTypeOf(a) == LLVMTypeOf(b);
}

/* The value is available at the start of the phi's block, and is the one that it was: not of that block, which may be a
** loop's header. */
static bool is_available(const Join *j, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    int b = cfg_block_of(j->c, v);
    return b >= 0 && b != j->at && cfg_dominates(j->c, b, j->at);
}

static bool is_one_value(const Join *j, const Node *x) {
    for (unsigned i = 1; i < j->n; i++)
        if (x->v[i] != x->v[0]) return false;
    return true;
}

static Node operand_of(const Join *j, const Node *x, unsigned k) {
    Node o = {{NULL}};
    for (unsigned i = 0; i < j->n; i++) o.v[i] = LLVMGetOperand(x->v[i], k);
    return o;
}

static bool can_join(Join *j, const Node *x) {
    if (is_one_value(j, x) && is_available(j, x->v[0])) return true;
    if (++j->nodes > MAX_NODES) return false;
    for (unsigned i = 0; i < j->n; i++)
        if (!is_expression(x->v[i]) || LLVMGetNumOperands(x->v[i]) > MAX_OPERANDS || is_available(j, x->v[i]) ||
            !same_operation(x->v[0], x->v[i]))
            return false;
    for (int k = 0; k < LLVMGetNumOperands(x->v[0]); k++) {
        Node o = operand_of(j, x, (unsigned)k);
        if (!can_join(j, &o)) return false;
    }
    return true;
}

/* Flags of some of the copies only, as nsw, need not hold for the others. */
static LLVMValueRef build(const Join *j, const Node *x) {
    LLVMValueRef operand[MAX_OPERANDS];
    if (is_one_value(j, x) && is_available(j, x->v[0])) return x->v[0];
    int n = LLVMGetNumOperands(x->v[0]);
    for (int k = 0; k < n; k++) {
        Node o = operand_of(j, x, (unsigned)k);
        operand[k] = build(j, &o);
    }
    LLVMValueRef now = clone_at(j->b, x->v[0]);
    for (int k = 0; k < n; k++) LLVMSetOperand(now, (unsigned)k, operand[k]);
    for (unsigned i = 1; i < j->n; i++)
        if (!have_same_flags(x->v[0], x->v[i])) shim_drop_flags(now);
    return now;
}

/* The phi's predecessor i is only reached where y is 0, as a branch has tested. */
static bool is_zero_from(const Join *j, LLVMValueRef phi, unsigned i, LLVMValueRef y) {
    LLVMBasicBlockRef to = LLVMGetInstructionParent(phi), from = LLVMGetIncomingBlock(phi, i);
    for (;;) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
        LLVMValueRef c = LLVMIsABranchInst(t) && LLVMIsConditional(t) ? LLVMGetCondition(t) : NULL;
        if (c && LLVMIsAICmpInst(c) && LLVMGetOperand(c, 0) == y && is_constant(LLVMGetOperand(c, 1), 0)) {
            LLVMIntPredicate p = LLVMGetICmpPredicate(c);
            bool tested = p == LLVMIntEQ || p == LLVMIntNE;
            LLVMBasicBlockRef zero = LLVMGetSuccessor(t, p == LLVMIntNE), other = LLVMGetSuccessor(t, p == LLVMIntEQ);
            if (tested && zero == to && other != to) return true;
        }
        int b = cfg_number(j->c, from);
        if (b < 0 || j->c->b[b].npred != 1) return false;
        to = from;
        from = j->c->b[j->c->b[b].pred[0]].bb;
    }
}

/* The terms other than operand k of the sum `sum`, which predecessors leave out where it is 0. */
static bool find_rest(Join *j, LLVMValueRef phi, const Node *x, LLVMValueRef sum, unsigned k, Node *rest) {
    LLVMValueRef y = LLVMGetOperand(sum, k);
    if (LLVMIsAConstant(y) || !is_available(j, y)) return false;
    for (unsigned i = 0; i < j->n; i++) {
        LLVMValueRef v = x->v[i];
        bool has = opcode(v) == LLVMAdd && LLVMGetOperand(v, k) == y;
        if (!has && !is_zero_from(j, phi, i, y)) return false;
        rest->v[i] = has ? LLVMGetOperand(v, 1 - k) : v;
    }
    j->nodes = 0;
    return can_join(j, rest);
}

/* Flags of the sum hold where it is left out: nothing wraps then. */
static LLVMValueRef build_sum(const Join *j, const Node *x, LLVMValueRef sum, unsigned k, const Node *rest) {
    LLVMValueRef other = build(j, rest), now = clone_at(j->b, sum);
    LLVMSetOperand(now, 1 - k, other);
    for (unsigned i = 0; i < j->n; i++)
        if (opcode(x->v[i]) == LLVMAdd && !have_same_flags(sum, x->v[i])) shim_drop_flags(now);
    return now;
}

static LLVMValueRef joined(Join *j, LLVMValueRef phi, const Node *x) {
    Node rest = {{NULL}};
    LLVMPositionBuilderBefore(j->b, first_after_phis(LLVMGetInstructionParent(phi)));
    if (is_expression(x->v[0]) && can_join(j, x)) return build(j, x);
    for (unsigned i = 0; i < j->n; i++)
        for (unsigned k = 0; k < 2 && opcode(x->v[i]) == LLVMAdd; k++)
            if (find_rest(j, phi, x, x->v[i], k, &rest)) return build_sum(j, x, x->v[i], k, &rest);
    return NULL;
}

static bool join_phi(const Cfg *c, LLVMBuilderRef b, LLVMValueRef phi, int at) {
    Join j = {c, b, at, LLVMCountIncoming(phi), 0};
    Node x = {{NULL}};
    if (j.n < 2 || j.n > MAX_INCOMING) return false;
    for (unsigned i = 0; i < j.n; i++) x.v[i] = LLVMGetIncomingValue(phi, i);
    LLVMValueRef now = joined(&j, phi, &x);
    if (now) replace_instruction(phi, now);
    return now != NULL;
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
