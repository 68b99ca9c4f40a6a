/* extract_words: small integers that are extracted from a vector one by one go through general registers eight bytes at
** a time.
**
**   zext(extractelement <16 x i8> v, 3)       (extractelement <2 x i64> (bitcast v), 0) >> 24 & 255
**
** in, out: optimised code; after LLVM's last InstCombine, which would restore the first form
** An extract of a byte occupies the one port between vector and general registers; a word takes it once for eight
** lanes, the rest are shifts. Where v is a load the vector is not needed at all: LLVM then loads the words. Indices of
** tables (histograms) are such integers. For those of four bytes another reason weighs more: AMD's Zen 4 predicts an
** address just extracted from a vector to equal the one that the same registers held before. Counters that are
** incremented so, one after the other, took 14 times as long as after a shift (5.5 ns each, 0.4). A lane that is
** undefined must not spoil its word: what is not loaded is frozen.
** Not taken: words from which fewer than few() lanes are extracted; extracts with other uses than extensions. */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>

enum { WORD = 64, MAX_WORDS = 16 };

static unsigned few(unsigned bits) { return bits == 32 ? 2 : 3; }

/* Bits of a lane if v is a vector of small integers that fills whole words, else 0. */
static unsigned small_lanes(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(t)) != LLVMIntegerTypeKind)
        return 0;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t)), all = bits * LLVMGetVectorSize(t);
    return (bits == 8 || bits == 16 || bits == 32) && all % WORD == 0 && all / WORD <= MAX_WORDS ? bits : 0;
}

/* The lane that i extracts from v to extend it, -1 = i does something else. */
static int extended_lane(LLVMValueRef i, LLVMValueRef v) {
    if (!LLVMIsAExtractElementInst(i) || LLVMGetOperand(i, 0) != v || !LLVMGetFirstUse(i)) return -1;
    LLVMValueRef lane = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstantInt(lane) || LLVMConstIntGetZExtValue(lane) >= LLVMGetVectorSize(LLVMTypeOf(v))) return -1;
    for_each_user(user, i)
        if ((!LLVMIsAZExtInst(user) && !LLVMIsASExtInst(user)) || int_bits(user) > WORD) return -1;
    return (int)LLVMConstIntGetZExtValue(lane);
}

typedef struct Words {
    Module *m;
    LLVMBuilderRef b;
    LLVMValueRef v, word[MAX_WORDS];
    unsigned bits;
} Words;

/* v, of which LLVM knows nothing. Where it knows that the upper bits of both halves are zero, LLVM 22 loses `&
** 0xffffffff` in the address of an integer that is changed in memory. */
static LLVMValueRef opaque_word(Words *w, LLVMValueRef v) {
    LLVMTypeRef i64 = LLVMTypeOf(v), t = LLVMFunctionType(i64, &i64, 1, 0);
    LLVMValueRef none = LLVMGetInlineAsm(t, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(w->b, t, none, &v, 1, "word");
}

static void make_words(Words *w, const unsigned *leave) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->m->ctx);
    unsigned n = w->bits * LLVMGetVectorSize(LLVMTypeOf(w->v)) / WORD;
    LLVMValueRef at = LLVMIsAPHINode(w->v) ? first_after_phis(LLVMGetInstructionParent(w->v))
                                           : LLVMGetNextInstruction(w->v),
                 all = NULL;
    LLVMPositionBuilderBefore(w->b, at);
    LLVMSetCurrentDebugLocation2(w->b, LLVMInstructionGetDebugLoc(w->v));
    for (unsigned k = 0; k < n; k++) {
        w->word[k] = NULL;
        if (leave[k] < few(w->bits)) continue;
        if (!all)
            all = LLVMBuildBitCast(w->b, LLVMIsALoadInst(w->v) ? w->v : LLVMBuildFreeze(w->b, w->v, ""),
                                   LLVMVectorType(i64, n), "words");
        w->word[k] = LLVMBuildExtractElement(w->b, all, LLVMConstInt(i64, k, 0), "word");
        if (w->bits == 32 && workaround_is_on(WORKAROUND_opaque_words)) w->word[k] = opaque_word(w, w->word[k]);
    }
}

/* What extends the extract, from its word. */
static void replace_extract(Words *w, LLVMValueRef extract, unsigned lane) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->m->ctx);
    unsigned per_word = WORD / w->bits, shift = lane % per_word * w->bits;
    LLVMValueRef word = w->word[lane / per_word];
    if (!word) return;
    for (LLVMUseRef u; (u = LLVMGetFirstUse(extract));) {
        LLVMValueRef wide = LLVMGetUser(u), x = word;
        set_insert_point(w->b, wide);
        unsigned above = WORD - shift - w->bits;
        if (LLVMIsASExtInst(wide)) {
            if (above) x = LLVMBuildShl(w->b, x, LLVMConstInt(i64, above, 0), "");
            x = LLVMBuildAShr(w->b, x, LLVMConstInt(i64, WORD - w->bits, 0), "");
        } else {
            if (shift) x = LLVMBuildLShr(w->b, x, LLVMConstInt(i64, shift, 0), "");
            if (above) x = LLVMBuildAnd(w->b, x, LLVMConstInt(i64, (UINT64_C(1) << w->bits) - 1, 0), "");
        }
        replace_instruction(wide, LLVMBuildTrunc(w->b, x, LLVMTypeOf(wide), ""));
    }
    LLVMInstructionEraseFromParent(extract);
}

static void extract_from(Words *w) {
    unsigned leave[MAX_WORDS] = {0}, per_word = WORD / w->bits;
    bool any = false;
    for_each_user(user, w->v) {
        int lane = extended_lane(user, w->v);
        if (lane >= 0) any |= ++leave[(unsigned)lane / per_word] >= few(w->bits);
    }
    if (!any) return;
    make_words(w, leave);
    for (LLVMUseRef u = LLVMGetFirstUse(w->v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef i = LLVMGetUser(u);
        int lane = extended_lane(i, w->v);
        if (lane >= 0) replace_extract(w, i, (unsigned)lane);
    }
}

bool extract_words(Module *m) {
    if (pass_disabled(m, "extract_words")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod)
        for_each_instruction(i, f) {
            Words w = {.m = m, .b = b, .v = i, .bits = LLVMIsATerminatorInst(i) ? 0 : small_lanes(i)};
            if (w.bits) extract_from(&w);
        }
    LLVMDisposeBuilder(b);
    return true;
}
