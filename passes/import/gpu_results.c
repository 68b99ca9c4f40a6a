/* gpu_results: operations whose result C++ and LLVM leave undefined get the value that a GPU computes.
**
** Shifts by the width of the type or more: 0, or the sign for ashr, whatever the target's shift instruction does
** (scalar x86 masks the amount, vector x86 does not: programs that pack bits saw it). Float to integer out of range:
** the nearest integer of the type; NaN gives 0, but only the sign bit set where the source is a double or the result
** has 64 bits (PTX ISA, cvt), as in cucpu/casts.h; types of less than 32 bits are truncated from 32, as a GPU has no
** narrower conversion. llvm.lrint and its family (<cmath>'s overloads) likewise: x86 gives only the sign bit for
** everything out of range. Runs before any clean-up, which may exploit the poison. Known small amounts cost nothing;
** vector shifts of AVX2 and AVX-512 absorb the select.
** Not done: vectors of the source (CUDA C++ has none). Division: normalise_cfg. */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The second run of import_nvvm, after the device library, meets the selects of the first. */
static bool chooses_by(LLVMValueRef v, LLVMValueRef amount) {
    if (!LLVMIsASelectInst(v)) return false;
    LLVMValueRef c = LLVMGetOperand(v, 0);
    return LLVMIsAICmpInst(c) && LLVMGetOperand(c, 0) == amount && LLVMGetICmpPredicate(c) == LLVMIntULT;
}

static bool is_clamped(LLVMValueRef shift) {
    LLVMValueRef amount = LLVMGetOperand(shift, 1);
    LLVMUseRef use = LLVMGetFirstUse(shift);
    if (LLVMGetInstructionOpcode(shift) != LLVMAShr)
        return use && !LLVMGetNextUse(use) && chooses_by(LLVMGetUser(use), amount);
    return LLVMIsASelectInst(amount) && chooses_by(amount, LLVMGetOperand(amount, 1));
}

static void clamp_shift(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef amount = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(amount);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return;
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (is_clamped(i)) return;
    set_insert_point(b, i);
    LLVMValueRef small = LLVMBuildICmp(b, LLVMIntULT, amount, LLVMConstInt(t, bits, 0), "");
    if (LLVMIsAConstantInt(small) && LLVMConstIntGetZExtValue(small)) return; /* an i128 amount that fits */
    LLVMValueRef known = LLVMIsAConstantInt(small);                           /* of a constant amount */
    if (known && LLVMConstIntGetZExtValue(known)) return;
    if (LLVMGetInstructionOpcode(i) == LLVMAShr) {
        LLVMSetOperand(i, 1, LLVMBuildSelect(b, small, amount, LLVMConstInt(t, bits - 1, 0), ""));
        return;
    }
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
    if (known) {
        LLVMReplaceAllUsesWith(i, LLVMConstInt(t, 0, 0));
        return;
    }
    LLVMValueRef s = LLVMBuildSelect(b, small, LLVMGetPoison(t), LLVMConstInt(t, 0, 0), "");
    LLVMReplaceAllUsesWith(i, s);
    LLVMSetOperand(s, 1, i);
}

/* NaN converts to only the sign bit: from double, or to 64 bits. The intrinsic gives 0. */
static LLVMValueRef nan_to_sign(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (bits > 64 || (bits < 64 && LLVMGetTypeKind(LLVMTypeOf(x)) != LLVMDoubleTypeKind)) return v;
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
    return LLVMBuildSelect(b, nan, LLVMConstInt(t, 1ull << (bits - 1), 0), v, "");
}

static LLVMValueRef call_round(LLVMBuilderRef b, LLVMValueRef before, const char *name, LLVMTypeRef *over, unsigned n,
                               LLVMValueRef x) {
    LLVMModuleRef mod = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(before)));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(mod, LLVMLookupIntrinsicID(name, strlen(name)), over, n);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, &x, 1, "");
}

/* rounding: what is applied to the operand first, or null. */
static void saturate(LLVMBuilderRef b, LLVMValueRef i, bool is_signed, const char *rounding) {
    LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
    if (LLVMGetTypeKind(to) != LLVMIntegerTypeKind) return;
    LLVMTypeRef wide = LLVMGetIntTypeWidth(to) < 32 ? LLVMIntTypeInContext(LLVMGetTypeContext(to), 32) : to;
    LLVMTypeRef over[2] = {wide, from};
    LLVMValueRef x = LLVMGetOperand(i, 0);
    set_insert_point(b, i);
    if (rounding) x = call_round(b, i, rounding, &from, 1, x);
    LLVMValueRef v = call_round(b, i, is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", over, 2, x);
    v = nan_to_sign(b, x, v);
    replace_instruction(i, wide == to ? v : LLVMBuildTrunc(b, v, to, ""));
}

/* The rounding of llvm.lrint and its family, or null. */
static const char *rounding_of(LLVMValueRef i) {
    size_t length;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (!strncmp(name, "llvm.lrint.", 11) || !strncmp(name, "llvm.llrint.", 12)) return "llvm.rint";
    return !strncmp(name, "llvm.lround.", 12) || !strncmp(name, "llvm.llround.", 13) ? "llvm.round" : NULL;
}

void gpu_results(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMOpcode op = LLVMGetInstructionOpcode(i);
            if (op == LLVMShl || op == LLVMLShr || op == LLVMAShr) clamp_shift(b, i);
            else if (op == LLVMFPToSI || op == LLVMFPToUI) saturate(b, i, op == LLVMFPToSI, NULL);
            else if (op == LLVMCall && rounding_of(i)) saturate(b, i, true, rounding_of(i));
        }
    LLVMDisposeBuilder(b);
}
