/* own_rows: see own_rows.h.
**
** `for (j = 0; j < k; j++) s += in[i * k + j]`: the lanes of a group read k elements apart, so each pass is a gather, whereas
** a thread by itself reads neighbours.  What is found here is an estimate (lane_cost); nothing is proved by it. */
#include "passes/analysis/own_rows.h"
#include "passes/analysis/walks.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/shim.h"

enum { DEPTH = 8 /* operations between an address and a counter */, LEAST_TRIPS = 12 };

typedef struct Walk {
    const Cfg *c;
    LLVMTargetDataRef dl;
    int loop;
    PtrMap changing; /* values of the loop that may differ from pass to pass */
} Walk;

static bool inside(const Walk *w, LLVMValueRef v) {
    return LLVMIsAInstruction(v) && cfg_loop_contains(w->c, w->loop, cfg_number(w->c, LLVMGetInstructionParent(v)));
}

static bool is_carried(const Walk *w, LLVMValueRef v) {
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == w->c->b[w->c->l[w->loop].header].bb;
}

/* What the last pass hands to the phi. */
static LLVMValueRef handed_on(const Walk *w, LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (cfg_loop_contains(w->c, w->loop, cfg_number(w->c, LLVMGetIncomingBlock(phi, k)))) return LLVMGetIncomingValue(phi, k);
    return NULL;
}

/* Everything but arithmetic on what is the same in each pass. */
static void find_changing(Walk *w, LLVMBasicBlockRef header) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(header); i; i = LLVMGetNextInstruction(i)) {
        bool changes = LLVMIsAPHINode(i) || LLVMIsALoadInst(i) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i));
        for (int k = 0; k < LLVMGetNumOperands(i) && !changes; k++) changes = map_get(&w->changing, LLVMGetOperand(i, (unsigned)k), 0);
        if (changes) map_put(&w->changing, i, 1);
    }
}

static bool step_of(const Walk *w, LLVMValueRef v, int depth, int64_t *step);

static bool step_of_address(const Walk *w, LLVMValueRef gep, int depth, int64_t *step) {
    int64_t sum, s;
    if (LLVMGetNumOperands(gep) != 2 || !step_of(w, LLVMGetOperand(gep, 0), depth, &sum)) return false;
    if (!step_of(w, LLVMGetOperand(gep, 1), depth, &s)) return false;
    *step = sum + s * (int64_t)LLVMABISizeOfType(w->dl, LLVMGetGEPSourceElementType(gep));
    return true;
}

static bool step_of_counter(const Walk *w, LLVMValueRef phi, int64_t *step) {
    LLVMValueRef next = handed_on(w, phi);
    if (!next || !LLVMIsAInstruction(next) || LLVMGetOperand(next, 0) != phi) return false;
    LLVMValueRef by = LLVMGetNumOperands(next) == 2 ? LLVMGetOperand(next, 1) : NULL;
    bool adds = LLVMGetInstructionOpcode(next) == LLVMAdd, moves = LLVMIsAGetElementPtrInst(next);
    if (!by || !(adds || moves) || !LLVMIsAConstantInt(by)) return false;
    *step = LLVMConstIntGetSExtValue(by) * (moves ? (int64_t)LLVMABISizeOfType(w->dl, LLVMGetGEPSourceElementType(next)) : 1);
    return true;
}

/* By how much v grows from pass to pass, if that is a constant. */
static bool step_of(const Walk *w, LLVMValueRef v, int depth, int64_t *step) {
    int64_t a, b;
    *step = 0;
    if (!inside(w, v) || !map_get(&w->changing, v, 0)) return true;
    if (depth == 0) return false;
    if (is_carried(w, v)) return step_of_counter(w, v, step);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt: case LLVMZExt: case LLVMFreeze: return step_of(w, LLVMGetOperand(v, 0), depth - 1, step);
    case LLVMGetElementPtr: return step_of_address(w, v, depth - 1, step);
    case LLVMAdd: case LLVMSub: case LLVMOr:
        if (!step_of(w, LLVMGetOperand(v, 0), depth - 1, &a) || !step_of(w, LLVMGetOperand(v, 1), depth - 1, &b)) return false;
        *step = LLVMGetInstructionOpcode(v) == LLVMSub ? a - b : a + b;
        return true;
    case LLVMMul: case LLVMShl:
        if (!LLVMIsAConstantInt(LLVMGetOperand(v, 1)) || !step_of(w, LLVMGetOperand(v, 0), depth - 1, &a)) return false;
        b = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        *step = LLVMGetInstructionOpcode(v) == LLVMMul ? a * b : a * ((int64_t)1 << (b & 31));
        return true;
    default: return false;
    }
}

/* Carried from pass to pass: a counter, or a sum, product, minimum, ...: whether LLVM may change its order. */
static bool may_carry(const Walk *w, LLVMValueRef phi, bool *sums_floats) {
    int64_t step;
    if (step_of_counter(w, phi, &step)) return true;
    LLVMValueRef next = handed_on(w, phi);
    if (!next || !inside(w, next)) return false;
    LLVMTypeKind t = LLVMGetTypeKind(LLVMTypeOf(phi));
    if (t == LLVMFloatTypeKind || t == LLVMDoubleTypeKind) return *sums_floats = true;
    if (t != LLVMIntegerTypeKind) return false;
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMAnd: case LLVMOr: case LLVMXor:
        return LLVMGetOperand(next, 0) == phi || LLVMGetOperand(next, 1) == phi;
    default: return LLVMIsASelectInst(next) || is_pure_intrinsic(next);
    }
}

static bool may_hold(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(i)) return is_pure_intrinsic(i);
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAAllocaInst(i);
}

/* The loop ends when a counter reaches a bound, after some passes. */
static bool is_counted(const Walk *w) {
    const Loop *l = &w->c->l[w->loop];
    LLVMValueRef t = LLVMGetBasicBlockTerminator(w->c->b[l->header].bb), test = LLVMGetCondition(t);
    int64_t a, b;
    unsigned trips = shim_trip_count(w->c->b[l->header].bb);
    return LLVMIsAICmpInst(test) && step_of(w, LLVMGetOperand(test, 0), DEPTH, &a) && step_of(w, LLVMGetOperand(test, 1), DEPTH, &b) &&
           (a != 0) != (b != 0) && (!trips || trips >= LEAST_TRIPS);
}

static OwnRow row_of(const Walk *w) {
    OwnRow none = {0}, row = {0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->c->b[w->c->l[w->loop].header].bb); i; i = LLVMGetNextInstruction(i)) {
        LLVMTypeRef t;
        LLVMValueRef p = walk_address(i, &t);
        int64_t step;
        if (!may_hold(i) || (LLVMIsAPHINode(i) && !may_carry(w, i, &row.sums_floats))) return none;
        if (!p) continue;
        int64_t size = (int64_t)LLVMABISizeOfType(w->dl, t);
        if (!step_of(w, p, DEPTH, &step) || (step != size && (step || LLVMIsAStoreInst(i)))) return none;
        if (step) row.is_row = true;
        if (size > row.bytes) row.bytes = (unsigned)size;
    }
    return row.is_row && is_counted(w) ? row : none;
}

OwnRow own_row(const Cfg *c, LLVMTargetDataRef dl, int loop) {
    const Loop *l = &c->l[loop];
    Arena a = {0};
    Walk w = {.c = c, .dl = dl, .loop = loop};
    OwnRow none = {0};
    if (l->last > l->first + 1 || l->nlatches != 1 || c->b[l->header].nsucc != 2) return none;
    if (l->last > l->first && LLVMGetFirstInstruction(c->b[l->last].bb) != LLVMGetBasicBlockTerminator(c->b[l->last].bb)) return none;
    map_init(&w.changing, &a);
    find_changing(&w, c->b[l->header].bb);
    OwnRow row = row_of(&w);
    arena_free(&a);
    return row;
}
