/* convert.c: vectors of floats to 32-bit integers, as a GPU converts them (gpu_results), by the instructions of the
** target.
**
** LLVM's conversions are undefined out of range, so a saturating one takes a comparison and a selection for each bound.
** The result of the instructions is defined there (Intel SDM, CVTTPS2DQ and VCVTTPS2UDQ): only the sign bit set, and
** all bits set.
**
**      signed      NaN becomes 0 first; too small is right; too large takes a selection
**      unsigned    max(x, 0) with NaN giving 0; too large is right.  AVX-512 only
**
** Vectors wider than a register are converted in halves. */
#include "passes/emit/expand_math.h"
#include "passes/ir/edit.h"
#include <string.h>

static LLVMValueRef call_fixed(LLVMBuilderRef b, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, n, "");
}

/* Unmasked; for 512 bits with the rounding-mode operand: the current direction, which truncation ignores. */
static LLVMValueRef masked_form(LLVMBuilderRef b, const char *name, LLVMValueRef x, LLVMTypeRef to, unsigned lanes) {
    enum { CURRENT = 4 };
    LLVMContextRef c = LLVMGetTypeContext(to);
    LLVMTypeRef mask = LLVMIntTypeInContext(c, lanes < 8 ? 8 : lanes);
    LLVMValueRef args[4] = {x, LLVMConstNull(to), LLVMConstAllOnes(mask),
                            LLVMConstInt(LLVMInt32TypeInContext(c), CURRENT, 0)};
    return call_fixed(b, name, args, lanes == 16 ? 4 : 3);
}

static LLVMValueRef truncated(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed, unsigned lanes) {
    if (!is_signed)
        return masked_form(b,
                           lanes == 16  ? "llvm.x86.avx512.mask.cvttps2udq.512"
                           : lanes == 8 ? "llvm.x86.avx512.mask.cvttps2udq.256"
                                        : "llvm.x86.avx512.mask.cvttps2udq.128",
                           x, to, lanes);
    if (lanes == 16) return masked_form(b, "llvm.x86.avx512.mask.cvttps2dq.512", x, to, lanes);
    return call_fixed(b, lanes == 8 ? "llvm.x86.avx.cvtt.ps2dq.256" : "llvm.x86.sse2.cvttps2dq", &x, 1);
}

static LLVMValueRef in_halves(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed,
                              const ConvertTarget *t) {
    unsigned lanes = LLVMGetVectorSize(to);
    LLVMTypeRef half = LLVMVectorType(LLVMGetElementType(to), lanes / 2);
    LLVMValueRef low = convert_floats(b, build_lanes(b, x, 0, lanes / 2), half, is_signed, t);
    LLVMValueRef high = convert_floats(b, build_lanes(b, x, lanes / 2, lanes / 2), half, is_signed, t), index[64];
    for (unsigned i = 0; i < lanes; i++) index[i] = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(to)), i, 0);
    return LLVMBuildShuffleVector(b, low, high, LLVMConstVector(index, lanes), "");
}

LLVMValueRef convert_floats(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed, const ConvertTarget *t) {
    LLVMTypeRef from = LLVMTypeOf(x);
    if (LLVMGetTypeKind(to) != LLVMVectorTypeKind || LLVMGetTypeKind(math_element(from)) != LLVMFloatTypeKind)
        return NULL;
    unsigned lanes = LLVMGetVectorSize(to);
    if (LLVMGetIntTypeWidth(math_element(to)) != 32 || lanes < 4 || lanes > 64 || (lanes & (lanes - 1)) ||
        (!is_signed && !t->avx512))
        return NULL;
    if (lanes > t->bits / 32) return in_halves(b, x, to, is_signed, t);
    LLVMValueRef zero = math_float(from, 0),
                 valid = LLVMBuildFCmp(b, is_signed ? LLVMRealORD : LLVMRealOGT, x, is_signed ? x : zero, "");
    LLVMValueRef r = truncated(b, LLVMBuildSelect(b, valid, x, zero, ""), to, is_signed, lanes);
    if (!is_signed) return r;
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGE, x, math_float(from, 2147483648.0), "");
    return LLVMBuildSelect(b, above, math_int(to, INT32_MAX), r, "");
}
