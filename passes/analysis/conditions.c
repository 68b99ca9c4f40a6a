/* conditions: see conditions.h. */
#include "passes/analysis/conditions.h"
#include "passes/ir/value.h"

/* v is x && y, or x || y; *late: y is only tested if x does not decide. */
static bool joins(LLVMValueRef v, bool disjunction, LLVMValueRef *x, LLVMValueRef *y, bool *late) {
    LLVMOpcode op = opcode(v);
    *late = op == LLVMSelect;
    if (op == (disjunction ? LLVMOr : LLVMAnd)) {
        *x = LLVMGetOperand(v, 0);
        *y = LLVMGetOperand(v, 1);
        return true;
    }
    if (op != LLVMSelect || !is_constant(LLVMGetOperand(v, disjunction ? 1 : 2), disjunction)) return false;
    *x = LLVMGetOperand(v, 0);
    *y = LLVMGetOperand(v, disjunction ? 2 : 1);
    return true;
}

static bool find_leaves(Condition *c, LLVMValueRef v, bool late) {
    LLVMValueRef x, y;
    bool short_circuit;
    if (joins(v, c->disjunction, &x, &y, &short_circuit))
        return find_leaves(c, x, late) && find_leaves(c, y, late || short_circuit);
    if (c->n == LEAVES_MAX) return false;
    c->leaf[c->n++] = (Leaf){v, late};
    return true;
}

bool is_mixed_condition(const Shapes *s, LLVMValueRef v, Condition *c) {
    LLVMValueRef x, y;
    bool late;
    int uniform = 0;
    if (!is_integer_type(LLVMTypeOf(v), 1)) return false;
    for (int disjunction = 0; disjunction < 2; disjunction++) {
        *c = (Condition){.disjunction = disjunction};
        if (!joins(v, disjunction, &x, &y, &late)) continue;
        if (!find_leaves(c, v, false)) return false;
        for (int i = 0; i < c->n; i++) uniform += shapes_is_uniform(s, c->leaf[i].v);
        return uniform > 0 && uniform < c->n;
    }
    return false;
}

LLVMValueRef join_leaves(LLVMBuilderRef b, const Shapes *s, const Condition *c, bool uniform) {
    LLVMValueRef r = NULL, decided = const_bool(LLVMGetTypeContext(LLVMTypeOf(c->leaf[0].v)), c->disjunction);
    for (int i = 0; i < c->n; i++) {
        LLVMValueRef v = c->leaf[i].v;
        if (shapes_is_uniform(s, v) != uniform) continue;
        if (uniform && c->leaf[i].late) v = LLVMBuildFreeze(b, v, "");
        if (!r) r = v;
        else if (c->leaf[i].late && !uniform)
            r = LLVMBuildSelect(b, r, c->disjunction ? decided : v, c->disjunction ? v : decided, "");
        else r = c->disjunction ? LLVMBuildOr(b, r, v, "") : LLVMBuildAnd(b, r, v, "");
    }
    return r;
}
