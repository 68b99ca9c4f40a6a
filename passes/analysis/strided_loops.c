/* strided_loops.c: from the forms that counters and subscripts have after normalise_cfg; nothing is proved, only costs
** depend on the results. */
#include "passes/analysis/strided_loops.h"
#include "passes/ir/value.h"

enum { DEPTH = 8 /* operations between an address and a counter */ };

LLVMValueRef accessed_address(LLVMValueRef i, LLVMTypeRef *type) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (!store && !LLVMIsALoadInst(i)) return NULL;
    *type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    return LLVMGetOperand(i, store ? 1 : 0);
}

/* p is a counter of the loop that steps by a value unknown here, or by `far` units. */
static bool steps_far(const Cfg *c, LLVMValueRef p, int loop, uint64_t far) {
    for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
        LLVMValueRef next = LLVMGetIncomingValue(p, k);
        if (!cfg_in_loop(c, loop, next) || LLVMGetInstructionOpcode(next) != LLVMAdd) continue;
        LLVMValueRef step = LLVMGetOperand(next, LLVMGetOperand(next, 0) == p);
        if (LLVMGetOperand(next, 0) != p && LLVMGetOperand(next, 1) != p) continue;
        if (LLVMIsAConstantInt(step) ? LLVMConstIntGetZExtValue(step) >= far : !cfg_in_loop(c, loop, step)) return true;
    }
    return false;
}

static bool far_within(const Cfg *c, LLVMValueRef v, int loop, uint64_t far, int depth) {
    if (!cfg_in_loop(c, loop, v) || depth > DEPTH) return false;
    if (LLVMIsAPHINode(v))
        return LLVMGetInstructionParent(v) == c->b[c->l[loop].header].bb && steps_far(c, v, loop, far);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt:
    case LLVMZExt: return far_within(c, a, loop, far, depth + 1);
    case LLVMAdd:
    case LLVMSub: return far_within(c, a, loop, far, depth + 1) || far_within(c, b, loop, far, depth + 1);
    case LLVMMul: /* by the size of a row */
        if (cfg_in_loop(c, loop, a) == cfg_in_loop(c, loop, b)) return false;
        return !LLVMIsAConstantInt(cfg_in_loop(c, loop, a) ? b : a) &&
               far_within(c, cfg_in_loop(c, loop, a) ? a : b, loop, 1, depth + 1);
    case LLVMGetElementPtr:
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            if (far_within(c, LLVMGetOperand(v, (unsigned)k), loop, far, depth + 1)) return true;
        return false;
    default: return false;
    }
}

bool strides_far(const Cfg *c, LLVMValueRef v, int loop, uint64_t far) { return far_within(c, v, loop, far, 0); }

/* ---- neighbours ---- */

/* A subscript without constants that are added to it. */
static LLVMValueRef core_of(LLVMValueRef v) {
    for (int depth = 0; depth < DEPTH && LLVMIsAInstruction(v); depth++) {
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        if (op == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(v, 1))) v = LLVMGetOperand(v, 0);
        else if (op == LLVMSExt || op == LLVMZExt) v = LLVMGetOperand(v, 0);
        else return v;
    }
    return v;
}

/* The base of an address of the form base[subscript] (+ constants), and the subscript's core. */
static LLVMValueRef base_and_subscript(LLVMValueRef p, LLVMValueRef *core) {
    *core = NULL;
    for (int depth = 0; depth < DEPTH && LLVMIsAGetElementPtrInst(p); depth++, p = LLVMGetOperand(p, 0)) {
        LLVMValueRef i = LLVMGetNumOperands(p) == 2 ? LLVMGetOperand(p, 1) : NULL;
        if (!i || (!LLVMIsAConstantInt(i) && *core)) return NULL;
        if (!LLVMIsAConstantInt(i)) *core = core_of(i);
    }
    return *core ? p : NULL;
}

bool has_neighbouring_row(const Cfg *c, LLVMValueRef load, int loop) {
    LLVMValueRef core, base = base_and_subscript(LLVMGetOperand(load, 0), &core), other;
    for (int b = c->l[loop].first; base && b <= c->l[loop].last; b++) {
        for_each_in_block(i, c->b[b].bb)
            if (LLVMIsALoadInst(i) && base_and_subscript(LLVMGetOperand(i, 0), &other) == base && other != core)
                return true;
    }
    return false;
}
