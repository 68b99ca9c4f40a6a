/* atomic_ops.c: see atomic_ops.h. */
#include "passes/ir/atomic_ops.h"

LLVMValueRef atomic_identity(LLVMAtomicRMWBinOp op, LLVMTypeRef t) {
    unsigned bits = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    if (bits > 64) return NULL; /* these are only exchanged */
    uint64_t top = bits ? UINT64_C(1) << (bits - 1) : 0;
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpSub: return LLVMConstNull(t);
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin: return LLVMConstAllOnes(t);
    case LLVMAtomicRMWBinOpMin: return LLVMConstInt(t, top - 1, 0);
    case LLVMAtomicRMWBinOpMax: return LLVMConstInt(t, top, 0);
    default: return NULL;
    }
}

const char *atomic_reduction(LLVMAtomicRMWBinOp op) {
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: return "llvm.vector.reduce.add";
    case LLVMAtomicRMWBinOpOr: return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor: return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpAnd: return "llvm.vector.reduce.and";
    case LLVMAtomicRMWBinOpUMax: return "llvm.vector.reduce.umax";
    case LLVMAtomicRMWBinOpUMin: return "llvm.vector.reduce.umin";
    case LLVMAtomicRMWBinOpMax: return "llvm.vector.reduce.smax";
    default: return "llvm.vector.reduce.smin";
    }
}
