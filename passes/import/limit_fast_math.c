/* limit_fast_math: what -use_fast_math and -prec-div=false allow, they allow for floats, and for what NVIDIA documents.
**
** in:  clang's IR, in which operations of every type and every function carry the flags arcp (-prec-div=false) and afn
**      (-use_fast_math)
** out: arcp remains on divisions of floats only: by constants, and with -use_fast_math (for which x / y is __fdividef)
**      by any float; a reciprocal of 2^126 or more is not within the 2 ulp that -prec-div=false alone promises. afn
**      remains on those functions of floats that -use_fast_math makes fast ones (Programming Guide, "Functions Affected
**      by -use_fast_math"). Doubles, halves and all other functions are as precise as without these options.
** Part of import_nvvm. The fast intrinsics of the device library (__sinf ...) keep their flags. */
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <string.h>

static const char *const fast_functions[] = {"sin",  "cos",   "tan", "sincos", "log",
                                             "log2", "log10", "exp", "exp10",  "pow"};

static bool is_of_floats(LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) t = LLVMGetElementType(t);
    return LLVMGetTypeKind(t) == LLVMFloatTypeKind;
}

static bool is_fast_function(LLVMValueRef call) {
    const MathRow *r = LLVMIsACallInst(call) ? math_row_of_call(call) : NULL;
    if (!r || !is_of_floats(LLVMTypeOf(LLVMGetOperand(call, 0)))) return false;
    for (size_t i = 0; i < sizeof fast_functions / sizeof *fast_functions; i++)
        if (!strcmp(r->name, fast_functions[i])) return true;
    return false;
}

static bool may_take_reciprocal(LLVMValueRef i, LLVMFastMathFlags flags) {
    if (LLVMGetInstructionOpcode(i) != LLVMFDiv || !is_of_floats(LLVMTypeOf(i))) return false;
    return flags & LLVMFastMathApproxFunc || LLVMIsConstant(LLVMGetOperand(i, 1));
}

void limit_fast_math(LLVMValueRef fn) {
    static const char library[] = "__nv_fast_";
    if (!strncmp(value_name(fn), library, sizeof library - 1)) return;
    for_each_instruction(i, fn) {
        if (!LLVMCanValueUseFastMathFlags(i)) continue;
        LLVMFastMathFlags flags = LLVMGetFastMathFlags(i),
                          kept = flags & ~(unsigned)(LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc);
        if (may_take_reciprocal(i, flags)) kept |= flags & LLVMFastMathAllowReciprocal;
        if (is_fast_function(i)) kept |= flags & LLVMFastMathApproxFunc;
        if (kept != flags) shim_set_fast_math(i, kept);
    }
}
