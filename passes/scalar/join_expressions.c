/* join_expressions: a phi of one expression is that expression.
**
** LLVM's value numbering computes x + 1 in both successors of a branch where one has it already, and merges the two. To
** the analysis of shapes that is a choice between values: where threads take different successors, what was the same
** for all of them no longer is. After the branch the expression is computed once more, and the copies may be dead.
** Expressions are trees of up to MAX_NODES operations; their leaves are available at the phi. */
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

static bool join_phi(const Cfg *c, LLVMBuilderRef b, LLVMValueRef phi, int at) {
    Join j = {c, b, at, LLVMCountIncoming(phi), 0};
    Node x = {{NULL}};
    if (j.n < 2 || j.n > MAX_INCOMING) return false;
    for (unsigned i = 0; i < j.n; i++) x.v[i] = LLVMGetIncomingValue(phi, i);
    if (!is_expression(x.v[0]) || !can_join(&j, &x)) return false;
    LLVMPositionBuilderBefore(b, first_after_phis(LLVMGetInstructionParent(phi)));
    replace_instruction(phi, build(&j, &x));
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
