/* spread_masks: masks that LLVM 22 would extract bit by bit.
**
**   shufflevector <64 x i1> m, 1, 5, 9, ...
**       becomes   icmp slt (shufflevector (sext m to <64 x i8>), 1, 5, 9, ...), 0
**   load <8 x i1>; bitcast i8 n to <8 x i1>
**       becomes   n' = splat (load i8); icmp eq (and n', <1, 2, 4, ...>), <1, 2, 4, ...>
**                 without AVX-512, which has registers for masks
**
** requires: optimise; InstCombine compares the bytes of a char4 all at once and then selects the results for each
**           component, and makes loads of masks of loads of integers
** preserves: values
** refuses: nothing. Left alone are shuffles that keep the number of lanes or lengthen the mask, and intervals of lanes;
**          and masks all of whose users use them as integers.
** Why: LLVM 22 has no instructions for the others; it extracts the mask bit by bit, 107 instructions instead of 10 for
** 16 lanes of 64, 30 to 50 instead of 3 for 8 lanes of an integer (it expands an integer itself where it is extended to
** a vector, and only there). */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { MIN_LANES = 4 }; /* lanes */

/* Consecutive lanes. */
static bool is_contiguous_shuffle(LLVMValueRef shuffle, unsigned lanes) {
    int first = LLVMGetMaskValue(shuffle, 0);
    for (unsigned l = 1; l < lanes; l++)
        if (LLVMGetMaskValue(shuffle, l) != first + (int)l) return false;
    return true;
}

/* ---- lanes of a mask ---- */

static bool picks_lanes(LLVMValueRef i) {
    if (!LLVMIsAShuffleVectorInst(i) || !is_vector_of_bits(i)) return false;
    unsigned lanes = lanes_of(LLVMTypeOf(i));
    return lanes >= MIN_LANES && lanes < lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0))) && !is_contiguous_shuffle(i, lanes);
}

static LLVMValueRef as_bytes(LLVMBuilderRef b, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMTypeOf(mask);
    return LLVMBuildSExt(b, mask, LLVMVectorType(LLVMInt8TypeInContext(LLVMGetTypeContext(t)), lanes_of(t)), "");
}

static void spread_shuffle(LLVMBuilderRef b, LLVMValueRef i) {
    unsigned lanes = lanes_of(LLVMTypeOf(i));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
    LLVMValueRef indices[64];
    if (lanes > sizeof indices / sizeof *indices) return;
    for (unsigned l = 0; l < lanes; l++) {
        int from = LLVMGetMaskValue(i, l);
        indices[l] = from == LLVMGetUndefMaskElem() ? LLVMGetPoison(i32) : LLVMConstInt(i32, (unsigned)from, 0);
    }
    set_insert_point(b, i);
    LLVMValueRef x = as_bytes(b, LLVMGetOperand(i, 0)), y = as_bytes(b, LLVMGetOperand(i, 1));
    LLVMValueRef bytes = LLVMBuildShuffleVector(b, x, y, LLVMConstVector(indices, lanes), "spread");
    replace_instruction(i, LLVMBuildICmp(b, LLVMIntSLT, bytes, LLVMConstNull(LLVMTypeOf(bytes)), ""));
}

/* ---- masks in memory, masks that are integers ---- */

static bool loads_mask(LLVMValueRef i) {
    bool number = LLVMIsABitCastInst(i) && is_integer(LLVMGetOperand(i, 0)),
         load = LLVMIsALoadInst(i) && !LLVMGetVolatile(i);
    if ((!number && !load) || !is_vector_of_bits(i) || lanes_of(LLVMTypeOf(i)) < MIN_LANES ||
        lanes_of(LLVMTypeOf(i)) > 32)
        return false;
    for_each_user(user, i)
        if (!LLVMIsABitCastInst(user) || !is_integer(user)) return true;
    return false;
}

/* Bits of an element of the values that a mask is used for. */
static unsigned used_bits(LLVMValueRef mask, int depth) {
    for_each_user(i, mask) {
        LLVMTypeRef t = LLVMIsACallInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
        if (is_vector_of_bits(i) && depth) return used_bits(i, depth - 1);
        LLVMTypeRef e = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : NULL;
        if (e && (LLVMGetTypeKind(e) == LLVMDoubleTypeKind ||
                  (LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 64)))
            return 64;
    }
    return 32;
}

static LLVMValueRef splat_integer(LLVMBuilderRef b, LLVMValueRef n, LLVMTypeRef vector) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(vector));
    LLVMValueRef none = LLVMGetPoison(vector), one = LLVMBuildZExt(b, n, LLVMGetElementType(vector), "");
    one = LLVMBuildInsertElement(b, none, one, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(b, one, none, LLVMConstNull(LLVMVectorType(i32, lanes_of(vector))), "");
}

static void spread_integer(LLVMBuilderRef b, LLVMValueRef i) {
    unsigned lanes = lanes_of(LLVMTypeOf(i));
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    LLVMTypeRef word = LLVMIntTypeInContext(c, used_bits(i, 4)), vector = LLVMVectorType(word, lanes);
    set_insert_point(b, i);
    LLVMValueRef n = LLVMGetOperand(i, 0), bit[32];
    if (LLVMIsALoadInst(i)) {
        n = LLVMBuildLoad2(b, LLVMIntTypeInContext(c, lanes), LLVMGetOperand(i, 0), "");
        LLVMSetAlignment(n, LLVMGetAlignment(i));
    }
    for (unsigned l = 0; l < lanes; l++) bit[l] = LLVMConstInt(word, 1ULL << l, 0);
    LLVMValueRef bits = LLVMConstVector(bit, lanes), own = LLVMBuildAnd(b, splat_integer(b, n, vector), bits, "");
    replace_instruction(i, LLVMBuildICmp(b, LLVMIntEQ, own, bits, "spread"));
}

bool spread_masks(Module *m) {
    if (pass_disabled(m, "spread_masks") || !workaround_is_on(WORKAROUND_spread_masks)) return true;
    change_instructions(m->mod, picks_lanes, spread_shuffle);
    if (!shim_has_features(m->tm, "+avx512f,+avx512vl")) change_instructions(m->mod, loads_mask, spread_integer);
    return true;
}
