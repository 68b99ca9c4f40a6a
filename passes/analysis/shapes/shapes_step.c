/* shapes_step.c: by how much a value differs between neighbours along y.
**
** The coefficient of tid.y is lost where the base is known for a group only, as after an extension that is exact within
** a group: the steps of the operands are added up then. A step of a narrow value is that of its extension if it is
** exact as an integer: by the facts, or in each sum by nsw or nuw, which threads that use the value do not break. Where
** it is not, the narrow value may wrap: the step holds unless it does. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"

enum { DEPTH = 10, LARGEST = 1 << 20 };
enum { AS_SIGNED = 1, AS_UNSIGNED = 2, AS_ANY = 3 }; /* the integers of which a step is exact */

typedef struct Step {
    int64_t by;
    unsigned exact;
    bool wraps; /* unless a narrow value wraps */
} Step;

static bool step_of(const Shapes *s, LLVMValueRef v, Step *r, int depth);

static bool step_of_address(const Shapes *s, LLVMValueRef gep, Step *r, int depth) {
    Step index;
    LLVMValueRef i = LLVMGetOperand(gep, 1);
    if (LLVMGetNumOperands(gep) != 2 || int_bits(i) != 64 || !step_of(s, LLVMGetOperand(gep, 0), r, depth))
        return false;
    if (!step_of(s, i, &index, depth)) return false;
    r->by += index.by * (int64_t)LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(gep));
    r->exact = 0;
    if (r->wraps && index.wraps) return false;
    r->wraps |= index.wraps;
    return true;
}

/* A product by a constant. */
static bool scale_step(LLVMValueRef by, Step *r) {
    if (!LLVMIsAConstantInt(by) || int_bits(by) > 64) return false;
    int64_t c = LLVMConstIntGetSExtValue(by);
    r->by *= c;
    if (c < 0) r->exact &= AS_SIGNED;
    return c <= LARGEST && c >= -LARGEST;
}

static unsigned exact_by_flags(LLVMValueRef v, LLVMOpcode op) {
    if (op == LLVMOr) return AS_ANY;
    return (LLVMGetNSW(v) ? AS_SIGNED : 0u) | (LLVMGetNUW(v) ? AS_UNSIGNED : 0u);
}

/* Of an operation on operands with these steps. */
static bool join_steps(LLVMValueRef v, const Step of[2], Step *r) {
    LLVMOpcode op = opcode(v);
    *r = of[0];
    switch (op) {
    case LLVMAdd: r->by += of[1].by; break;
    case LLVMSub: r->by -= of[1].by; break;
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v)) return false;
        r->by += of[1].by;
        break;
    case LLVMMul: return scale_step(LLVMGetOperand(v, 1), r) && (r->exact &= exact_by_flags(v, op), true);
    case LLVMSExt:
    case LLVMZExt: r->wraps |= !(r->exact & (op == LLVMSExt ? AS_SIGNED : AS_UNSIGNED)); return !of[0].wraps;
    default: return false;
    }
    r->exact &= of[1].exact & exact_by_flags(v, op);
    r->wraps |= of[1].wraps;
    return !(of[0].wraps && of[1].wraps);
}

static bool step_of_operation(const Shapes *s, LLVMValueRef v, Step *r, int depth) {
    Step of[2] = {{0, AS_ANY, false}, {0, AS_ANY, false}};
    int n = LLVMGetNumOperands(v);
    if (n > 2) return false;
    for (int k = 0; k < n; k++)
        if (!step_of(s, LLVMGetOperand(v, (unsigned)k), &of[k], depth)) return false;
    *r = (Step){0, AS_ANY, false}; /* of the same operands: the same */
    return (!of[0].by && !of[1].by) || join_steps(v, of, r);
}

static bool step_of(const Shapes *s, LLVMValueRef v, Step *r, int depth) {
    Fact f = shapes_operand((Shapes *)(uintptr_t)s, v);
    bool of_block = !f.s.bottom && f.s.base <= SCOPE_BLOCK, alone = f.s.lane.kind == COEF_KNOWN && !f.s.lane.v;
    *r = (Step){0, AS_ANY, false};
    if (of_block && fact_zero_coefs(&f)) return true;
    if (of_block && f.bits && alone && f.s.y.kind == COEF_KNOWN) {
        r->by = f.s.y.v;
        if (r->by) r->exact = (f.sx == EXACT_BLOCK ? AS_SIGNED : 0u) | (f.ux == EXACT_BLOCK ? AS_UNSIGNED : 0u);
        if (r->exact || !LLVMIsAInstruction(v)) return true;
    }
    if (f.s.bottom || !LLVMIsAInstruction(v) || depth > DEPTH) return false;
    if (LLVMIsAGetElementPtrInst(v)) return step_of_address(s, v, r, depth + 1);
    if (!is_op(v, OP_INT_BINARY | OP_INT_CAST | OP_FREEZE)) return false;
    Step known = *r;
    if (step_of_operation(s, v, r, depth + 1)) return true;
    *r = known; /* by the fact, though it is not exact */
    return known.by != 0;
}

bool shapes_step_along_y(const Shapes *s, LLVMValueRef v, int64_t *step, bool *wraps) {
    Step r;
    if (!s->g.rows || s->g.block[1] == 1 || !step_of(s, v, &r, 0)) return false;
    *step = r.by, *wraps = r.wraps;
    return r.by >= -LARGEST && r.by <= LARGEST;
}
