/* relax_atomics: atomics on shared memory need no bus lock.
**
** A block runs on one worker from its start to its end, so its shared memory is not visible to others while an atomic
** runs: a load, the operation and a store do the same.
** mark_block_atomics (before widening, where addresses are still those of one thread) finds the atomics whose address
** is in shared memory (memory_spaces) and marks them, privatise_histogram those on private counters; this pass rewrites
** them.
** Left alone: pointers that may come from elsewhere, volatile and ordered ones beyond what the operation itself needs
** (a fence in the source remains a fence). */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

static unsigned mark_kind(const Module *m) {
    return LLVMGetMDKindIDInContext(m->ctx, MD_BLOCK_ONLY, sizeof MD_BLOCK_ONLY - 1);
}

void mark_block_atomic(Module *m, LLVMValueRef i) {
    LLVMSetMetadata(i, mark_kind(m), LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, NULL, 0)));
}

void mark_block_atomics(Module *m, LLVMValueRef fn, const MemorySpaces *memory) {
    for_each_instruction(i, fn)
        if ((LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) &&
            spaces_of(memory, LLVMGetOperand(i, 0)) == SPACE_SHARED)
            mark_block_atomic(m, i);
}

static LLVMValueRef compare_select(LLVMBuilderRef b, LLVMIntPredicate p, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(b, LLVMBuildICmp(b, p, x, y, ""), x, y, "");
}

LLVMValueRef relaxed_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v) {
    LLVMValueRef one, zero;
    bool vectors = is_vector(v);
    if (vectors && (op == LLVMAtomicRMWBinOpUIncWrap || op == LLVMAtomicRMWBinOpUDecWrap)) return NULL;
    switch (op) {
    case LLVMAtomicRMWBinOpXchg: return v;
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(b, old, v, "");
    case LLVMAtomicRMWBinOpSub: return LLVMBuildSub(b, old, v, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(b, old, v, "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(b, old, v, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(b, old, v, "");
    case LLVMAtomicRMWBinOpMax: return compare_select(b, LLVMIntSGT, old, v);
    case LLVMAtomicRMWBinOpMin: return compare_select(b, LLVMIntSLT, old, v);
    case LLVMAtomicRMWBinOpUMax: return compare_select(b, LLVMIntUGT, old, v);
    case LLVMAtomicRMWBinOpUMin: return compare_select(b, LLVMIntULT, old, v);
    case LLVMAtomicRMWBinOpFAdd: return LLVMBuildFAdd(b, old, v, "");
    case LLVMAtomicRMWBinOpFSub: return LLVMBuildFSub(b, old, v, "");
    case LLVMAtomicRMWBinOpUIncWrap:
        one = LLVMConstInt(LLVMTypeOf(v), 1, 0);
        zero = LLVMConstNull(LLVMTypeOf(v));
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, old, v, ""), zero, LLVMBuildAdd(b, old, one, ""), "");
    case LLVMAtomicRMWBinOpUDecWrap: {
        one = LLVMConstInt(LLVMTypeOf(v), 1, 0);
        zero = LLVMConstNull(LLVMTypeOf(v));
        LLVMValueRef wrap =
            LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, old, zero, ""), LLVMBuildICmp(b, LLVMIntUGT, old, v, ""), "");
        return LLVMBuildSelect(b, wrap, v, LLVMBuildSub(b, old, one, ""), "");
    }
    default: return NULL;
    }
}

static void relax_rmw(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    LLVMValueRef old = LLVMBuildLoad2(b, LLVMTypeOf(v), p, "old");
    LLVMValueRef now = relaxed_result(b, LLVMGetAtomicRMWBinOp(i), old, v);
    if (!now) {
        LLVMInstructionEraseFromParent(old);
        return;
    }
    mark_undivided(LLVMBuildStore(b, now, p));
    replace_instruction(i, old);
}

static void relax_cmpxchg(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef p = LLVMGetOperand(i, 0), want = LLVMGetOperand(i, 1), v = LLVMGetOperand(i, 2);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return;
    LLVMValueRef old = LLVMBuildLoad2(b, t, p, "old");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, old, want, "");
    mark_undivided(LLVMBuildStore(b, LLVMBuildSelect(b, same, v, old, ""), p));
    LLVMValueRef pair = LLVMBuildInsertValue(b, LLVMGetPoison(LLVMTypeOf(i)), old, 0, "");
    replace_instruction(i, LLVMBuildInsertValue(b, pair, same, 1, ""));
}

void relax_marked_atomics(Module *m, LLVMValueRef fn) {
    if (pass_disabled(m, "relax_atomics")) return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            bool rmw = LLVMIsAAtomicRMWInst(i) != NULL;
            if ((!rmw && !LLVMIsAAtomicCmpXchgInst(i)) || !LLVMGetMetadata(i, mark_kind(m)) || LLVMGetVolatile(i))
                continue;
            set_insert_point(b, i);
            if (rmw) relax_rmw(b, i);
            else relax_cmpxchg(b, i);
        }
    LLVMDisposeBuilder(b);
}

Nyi relax_atomics(Kernel *k) {
    relax_marked_atomics(k->m, k->fn);
    return NYI_NONE;
}
