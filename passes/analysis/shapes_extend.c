/* shapes_extend.c: extensions move from sums to their operands where addresses are affine that way.
**
** In sext(row*n + j), all operations nsw, the 32-bit sum may overflow in lane 0 if lane 0 is switched
** off, so the analysis must call the extension varying and the access becomes a gather.  For active
** lanes the flags say that sext(row)*sext(n) + sext(j) is the same value, and in 64 bits nothing
** overflows in any lane.  So: rewrite, where every leaf is uniform or exact by itself.
** Where the extension is affine as it is, this is better as well: shapes_settle has to drop the flags of the
** 32-bit sum, and LLVM could not tell any more that the addresses of the next group lie behind those of this one.
** The caller has to compute shapes anew if anything was rewritten. */
#include "passes/analysis/shapes_internal.h"
#include <llvm-c/DebugInfo.h>

typedef struct Push {
    Shapes *s;
    LLVMBuilderRef b;
    LLVMTypeRef type;
    bool sign; /* sext and nsw, else zext and nuw */
} Push;

enum { DEPTH = 6 };

/* This operation commutes with the extension. */
static bool splits(const Push *p, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
        return p->sign ? LLVMGetNSW(v) : LLVMGetNUW(v);
    case LLVMShl:
        return (p->sign ? LLVMGetNSW(v) : LLVMGetNUW(v)) &&
               LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
               LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) + 1 <
                   LLVMGetIntTypeWidth(LLVMTypeOf(v));
    case LLVMOr:
        return LLVMGetIsDisjoint(v);
    default:
        return false;
    }
}

/* The extension of v becomes scalar by being pushed (at most `depth` operations deep). */
static bool worth(const Push *p, LLVMValueRef v, int depth) {
    Fact f = shapes_operand(p->s, v);
    if (f.s.bottom || !(fact_scalar(&p->s->g, &f) || pattern_run(&p->s->g, &f))) return false;
    if (fact_group_uniform(&p->s->g, &f)) return true;
    if ((p->sign ? f.sx : f.ux) != EXACT_NO) return true;
    if (depth == 0 || !splits(p, v)) return false;
    if (LLVMGetInstructionOpcode(v) == LLVMShl) return worth(p, LLVMGetOperand(v, 0), depth - 1);
    return worth(p, LLVMGetOperand(v, 0), depth - 1) && worth(p, LLVMGetOperand(v, 1), depth - 1);
}

static LLVMValueRef extended(const Push *p, LLVMValueRef v, int depth) {
    Fact f = shapes_operand(p->s, v);
    if (fact_group_uniform(&p->s->g, &f) || depth == 0 || !splits(p, v))
        return p->sign ? LLVMBuildSExt(p->b, v, p->type, "") : LLVMBuildZExt(p->b, v, p->type, "");
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = extended(p, LLVMGetOperand(v, 0), depth - 1), c = LLVMGetOperand(v, 1);
    c = op == LLVMShl ? LLVMConstInt(p->type, LLVMConstIntGetZExtValue(c), 0)
                      : extended(p, c, depth - 1);
    return LLVMBuildBinOp(p->b, op == LLVMOr ? LLVMAdd : op, a, c, "");
}

static bool push(Shapes *s, LLVMBuilderRef b, LLVMValueRef ext) {
    LLVMOpcode op = LLVMGetInstructionOpcode(ext);
    LLVMValueRef from = LLVMGetOperand(ext, 0);
    Fact f = shapes_operand(s, ext);
    if (!shapes_bits(s, LLVMTypeOf(from)) || !f.bits || f.pat || fact_group_uniform(&s->g, &f)) return false;
    bool nneg = op == LLVMZExt && LLVMGetNNeg(ext);
    for (int sign = op == LLVMSExt || nneg; sign >= (op == LLVMZExt ? 0 : 1); sign--) {
        Push p = {s, b, LLVMTypeOf(ext), sign};
        if (!splits(&p, from) || !worth(&p, from, DEPTH)) continue;
        LLVMPositionBuilderBefore(b, ext);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(ext));
        LLVMValueRef made = extended(&p, from, DEPTH);
        LLVMReplaceAllUsesWith(ext, made);
        return true;
    }
    return false;
}

int shapes_push_extensions(Shapes *s) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(s->module));
    int count = 0;
    for (int k = 0; k < s->n && s->g.width > 1; k++) {
        if (s->block[k] < 0) continue;
        LLVMOpcode op = LLVMGetInstructionOpcode(s->value[k]);
        if ((op == LLVMSExt || op == LLVMZExt) && push(s, b, s->value[k])) count++;
    }
    LLVMDisposeBuilder(b);
    return count;
}
