/* spread_masks: lanes of a mask that are picked here and there are picked of bytes.
**
**   shufflevector <64 x i1> m, 1, 5, 9, ...       icmp slt (shufflevector (sext m to <64 x i8>), 1, 5, 9, ...), 0
**
** requires: optimise; InstCombine compares the bytes of a char4 all at once and then picks the answers for each component
** preserves: values
** refuses: nothing.  Left alone are shuffles that keep the number of lanes or lengthen the mask, and stretches of neighbours.
** Why: LLVM 22 has no instructions for the others; it takes the mask apart bit by bit, 107 instructions instead of 10 for 16 lanes of 64. */
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { LEAST = 4 }; /* lanes */

/* Neighbours, one after the other. */
static bool is_stretch(LLVMValueRef shuffle, unsigned lanes) {
    int first = LLVMGetMaskValue(shuffle, 0);
    for (unsigned l = 1; l < lanes; l++)
        if (LLVMGetMaskValue(shuffle, l) != first + (int)l) return false;
    return true;
}

static bool picks_lanes(LLVMValueRef i) {
    if (!LLVMIsAShuffleVectorInst(i)) return false;
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(i));
    if (LLVMGetTypeKind(e) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(e) != 1) return false;
    unsigned lanes = lanes_of(LLVMTypeOf(i));
    return lanes >= LEAST && lanes < lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0))) && !is_stretch(i, lanes);
}

static LLVMValueRef as_bytes(LLVMBuilderRef b, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMTypeOf(mask);
    return LLVMBuildSExt(b, mask, LLVMVectorType(LLVMInt8TypeInContext(LLVMGetTypeContext(t)), lanes_of(t)), "");
}

static void spread(LLVMBuilderRef b, LLVMValueRef i) {
    unsigned lanes = lanes_of(LLVMTypeOf(i));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
    LLVMValueRef places[64];
    if (lanes > sizeof places / sizeof *places) return;
    for (unsigned l = 0; l < lanes; l++) {
        int from = LLVMGetMaskValue(i, l);
        places[l] = from == LLVMGetUndefMaskElem() ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from, 0);
    }
    LLVMPositionBuilderBefore(b, i);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef x = as_bytes(b, LLVMGetOperand(i, 0)), y = as_bytes(b, LLVMGetOperand(i, 1));
    LLVMValueRef bytes = LLVMBuildShuffleVector(b, x, y, LLVMConstVector(places, lanes), "spread");
    LLVMReplaceAllUsesWith(i, LLVMBuildICmp(b, LLVMIntSLT, bytes, LLVMConstNull(LLVMTypeOf(bytes)), ""));
    LLVMInstructionEraseFromParent(i);
}

bool spread_masks(Module *m) {
    if (pass_disabled(m, "spread_masks")) return true;
    change_instructions(m->mod, picks_lanes, spread);
    return true;
}
