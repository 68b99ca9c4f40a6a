/* recover_float.c: a*b + c rounded up, down or towards zero, where c is a constant and a*b is known to be small.
**
** nvcc's expf() takes the integer of a*252 + 1.5*2^23, rounded down, with a in [0, 1] (.sat).  In general such a sum is
** a function of the device library, in double.  Where |a*b| is at most |c|/2, the nearest float f is within a factor of
** two of c, so that c - f is exact, and fma(a, b, c - f) has the sign of what was rounded away: it is exact unless it
** is rounded itself, which keeps the sign, as |b| is 1 or more and no product vanishes.  f has the sign of c and is not
** zero. */
#include "ptx-frontend/lower.h"
#include <math.h>
#include <string.h>

/* Registers are integers: a float that went through one. */
static LLVMValueRef stripped(LLVMValueRef v) {
    while (LLVMIsABitCastInst(v) && LLVMIsABitCastInst(LLVMGetOperand(v, 0)) &&
           LLVMTypeOf(LLVMGetOperand(LLVMGetOperand(v, 0), 0)) == LLVMTypeOf(v))
        v = LLVMGetOperand(LLVMGetOperand(v, 0), 0);
    return v;
}

static bool float_constant(LLVMValueRef v, double *c) {
    LLVMBool lost;
    v = stripped(v);
    if (LLVMIsABitCastInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 0))) {
        uint32_t bits = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0));
        float f;
        memcpy(&f, &bits, sizeof f);
        *c = (double)f;
        return true;
    }
    if (!LLVMIsAConstantFP(v)) return false;
    *c = LLVMConstRealGetDouble(v, &lost);
    return true;
}

static bool is_constant(LLVMValueRef v, double want) {
    double c;
    return float_constant(v, &c) && c == want;
}

/* v where `p` holds for v and the bound, else the bound; NULL: another select. */
static LLVMValueRef limited(LLVMValueRef v, LLVMRealPredicate p, double bound) {
    v = stripped(v);
    if (!LLVMIsASelectInst(v)) return NULL;
    LLVMValueRef c = LLVMGetOperand(v, 0), x = LLVMGetOperand(v, 1);
    bool same = LLVMIsAFCmpInst(c) && LLVMGetFCmpPredicate(c) == p && LLVMGetOperand(c, 0) == x;
    return same && is_constant(LLVMGetOperand(c, 1), bound) && is_constant(LLVMGetOperand(v, 2), bound) ? x : NULL;
}

/* As ptx_saturate makes it: in [0, 1]. */
static bool is_saturated(LLVMValueRef v) {
    LLVMValueRef low = limited(v, LLVMRealOLT, 1);
    return low && limited(low, LLVMRealOGT, 0);
}

static LLVMValueRef fma_of(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned id = LLVMLookupIntrinsicID("llvm.fma", 8);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m, id, &t, 1), a[3] = {x, y, z};
    return LLVMBuildCall2(b, LLVMIntrinsicGetType(LLVMGetModuleContext(m), id, &t, 1), f, a, 3, "");
}

/* f, or its neighbour below (above) where the exact value lies there. */
static LLVMValueRef rounded(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call, bool below, bool positive) {
    LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1), c = LLVMGetOperand(call, 2);
    LLVMTypeRef t = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(m));
    LLVMValueRef f = fma_of(m, b, x, y, c), left = fma_of(m, b, x, y, LLVMBuildFSub(b, c, f, ""));
    LLVMValueRef lies = LLVMBuildFCmp(b, below ? LLVMRealOLT : LLVMRealOGT, left, LLVMConstReal(t, 0), "");
    LLVMValueRef step = below == positive ? LLVMBuildSExt(b, lies, i32, "") : LLVMBuildZExt(b, lies, i32, "");
    return LLVMBuildBitCast(b, LLVMBuildAdd(b, LLVMBuildBitCast(b, f, i32, ""), step, ""), t, "");
}

static void recover_one(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef call) {
    size_t len;
    LLVMValueRef f = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    const char *name = f && LLVMIsAFunction(f) ? LLVMGetValueName2(f, &len) : "";
    if (strncmp(name, "__nv_fmaf_r", 11) || strlen(name) != 12) return;
    double by, c;
    LLVMValueRef x = LLVMGetOperand(call, 0), y = LLVMGetOperand(call, 1);
    bool known = (is_saturated(x) && float_constant(y, &by)) || (is_saturated(y) && float_constant(x, &by));
    if (!known || !float_constant(LLVMGetOperand(call, 2), &c) || !(fabs(by) >= 1) || !(fabs(by) <= fabs(c) / 2) ||
        isinf(c))
        return;
    LLVMPositionBuilderBefore(b, call);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    bool below = name[11] == 'd' || (name[11] == 'z' && c > 0);
    LLVMReplaceAllUsesWith(call, rounded(m, b, call, below, c > 0));
    LLVMInstructionEraseFromParent(call);
}

void recover_floats(LLVMModuleRef m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            recover_one(m, b, i);
        }
    LLVMDisposeBuilder(b);
}
