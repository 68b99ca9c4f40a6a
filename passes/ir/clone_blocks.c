/* clone_blocks: see clone_blocks.h. */
#include "passes/ir/clone_blocks.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>

typedef struct Copy {
    const Cfg *c;
    const bool *has;
    PtrMap *map;
    LLVMBasicBlockRef *block;
} Copy;

static void extend_phis(const Copy *x, int to) {
    for_each_phi(p, x->c->b[to].bb)
        for (unsigned i = 0, n = LLVMCountIncoming(p); i < n; i++) {
            int from = cfg_number(x->c, LLVMGetIncomingBlock(p, i));
            if (from < 0 || !x->has[from]) continue;
            LLVMValueRef v = LLVMGetIncomingValue(p, i), m = map_ptr(x->map, v);
            LLVMBasicBlockRef bb = x->block[from];
            if (m) v = m;
            LLVMAddIncoming(p, &v, &bb, 1);
        }
}

static void connect_clone(const Copy *x, LLVMValueRef i) {
    bool phi = LLVMIsAPHINode(i) != NULL;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef m = map_ptr(x->map, LLVMGetOperand(i, (unsigned)k));
        if (m) LLVMSetOperand(i, (unsigned)k, m);
    }
    for (unsigned k = 0; phi && k < LLVMCountIncoming(i); k++) {
        int from = cfg_number(x->c, LLVMGetIncomingBlock(i, k));
        if (from >= 0 && x->has[from]) shim_set_phi_block(i, k, x->block[from]);
    }
    for (unsigned k = 0; LLVMIsATerminatorInst(i) && k < LLVMGetNumSuccessors(i); k++) {
        int to = cfg_number(x->c, LLVMGetSuccessor(i, k));
        if (x->has[to]) LLVMSetSuccessor(i, k, x->block[to]);
    }
}

LLVMBasicBlockRef *clone_blocks(Arena *a, const Cfg *c, const bool *has, int first, const char *name, PtrMap *map) {
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(c->fn));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(ctx);
    Copy x = {c, has, map, arena_array(a, LLVMBasicBlockRef, c->n)};
    for (int i = first; i < c->n; i++) {
        if (!has[i]) continue;
        x.block[i] = LLVMInsertBasicBlockInContext(ctx, c->b[first].bb, name);
        LLVMPositionBuilderAtEnd(b, x.block[i]);
        for_each_in_block(v, c->b[i].bb) map_put(map, v, (uintptr_t)clone_at(b, v));
    }
    LLVMDisposeBuilder(b);
    Bits successors = bits_new(a, c->n);
    for (int i = first; i < c->n; i++) {
        if (!has[i]) continue;
        for_each_in_block(v, x.block[i]) connect_clone(&x, v);
        for (int e = 0; e < c->b[i].nsucc; e++)
            if (!has[c->b[i].succ[e]]) bits_add(successors, c->b[i].succ[e]);
    }
    for (int i = 0; i < c->n; i++)
        if (bits_has(successors, i)) extend_phis(&x, i);
    return x.block;
}

LLVMValueRef copied_value(PtrMap *map, LLVMValueRef v) {
    LLVMValueRef c = map_ptr(map, v);
    return c ? c : v;
}

LLVMBasicBlockRef copied_block(PtrMap *map, LLVMBasicBlockRef b) {
    LLVMBasicBlockRef c = map_ptr(map, b);
    return c ? c : b;
}

void use_copies(PtrMap *map, LLVMBasicBlockRef b) {
    for_each_in_block(i, b) {
        for (unsigned k = 0; LLVMIsAPHINode(i) && k < LLVMCountIncoming(i); k++)
            shim_set_phi_block(i, k, copied_block(map, LLVMGetIncomingBlock(i, k)));
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
            if (LLVMValueIsBasicBlock(o))
                LLVMSetOperand(i, (unsigned)k, LLVMBasicBlockAsValue(copied_block(map, LLVMValueAsBasicBlock(o))));
            else LLVMSetOperand(i, (unsigned)k, copied_value(map, o));
        }
    }
}

/* Where use u of the value is: for a phi the block that the value comes from. */
static LLVMBasicBlockRef block_of_use(LLVMValueRef user, int operand) {
    return LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, (unsigned)operand) : LLVMGetInstructionParent(user);
}

static LLVMValueRef build_join(const Cfg *c, const bool *has, int end, LLVMBasicBlockRef const *copy, LLVMValueRef v,
                               LLVMValueRef clone) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(c->fn)));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(c->b[end].bb));
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v), "");
    for (int p = 0; p < c->b[end].npred; p++) {
        int from = c->b[end].pred[p];
        if (has[from])
            LLVMAddIncoming(phi, (LLVMValueRef[]){v, clone}, (LLVMBasicBlockRef[]){c->b[from].bb, copy[from]}, 2);
    }
    LLVMDisposeBuilder(b);
    return phi;
}

void join_clones(const Cfg *c, const bool *has, int end, LLVMBasicBlockRef const *copy, const PtrMap *map) {
    for_each_cfg_instruction(v, n, c) {
        LLVMValueRef phi = NULL;
        for (LLVMUseRef u = has[n] ? LLVMGetFirstUse(v) : NULL, next; u; u = next) {
            LLVMValueRef i = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                if (LLVMGetOperand(i, (unsigned)k) != v || i == phi) continue;
                int at = cfg_number(c, block_of_use(i, k));
                if (at < 0 || has[at]) continue;
                if (!phi) phi = build_join(c, has, end, copy, v, map_ptr(map, v));
                LLVMSetOperand(i, (unsigned)k, phi);
                next = LLVMGetFirstUse(v); /* the list has changed */
            }
        }
    }
}
