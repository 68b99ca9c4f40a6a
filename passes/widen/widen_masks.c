/* widen_masks.c: cucpu.any, cucpu.all, cucpu.count, cucpu.front and cucpu.first, the queries of a whole mask.
**
** Both any and all are reductions of a vector of i1. all() is mostly applied to range tests (version_all_active), which
** the first and the last lane decide: the others are between them unless a value wraps. That takes scalar comparisons
** instead of a vector. all() may be false where all lanes are active (a wrap between the lanes): the masked original is
** right then too. */
#include "passes/analysis/monotone.h"
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"

static bool fixed_for_group(const void *x, LLVMValueRef v) { return is_uniform(x, v); }

/* Some lane of a row has the value: its distance from lane 0's is less than W (threadIdx.x == 0). */
static LLVMValueRef any_equals(Widen *x, LLVMValueRef compare) {
    int64_t stride;
    if (!LLVMIsAICmpInst(compare) || LLVMGetICmpPredicate(compare) != LLVMIntEQ) return NULL;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef row = LLVMGetOperand(compare, k), value = LLVMGetOperand(compare, 1 - k);
        LLVMTypeRef t = LLVMTypeOf(row);
        if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) < 16 || is_uniform(x, row) ||
            !is_uniform(x, value))
            continue;
        if (!lane_stride(x, row, &stride) || (stride != 1 && stride != -1)) continue;
        LLVMValueRef first = scalar_of(x, row), v = scalar_of(x, value);
        LLVMValueRef d = stride > 0 ? LLVMBuildSub(x->b, v, first, "") : LLVMBuildSub(x->b, first, v, "");
        return LLVMBuildICmp(x->b, LLVMIntULT, d, LLVMConstInt(t, x->w, 0), "any");
    }
    return NULL;
}

/* A comparison that changes at most once along a row holds for some lane if it holds for the first,
** or for the last one: its scalar form decides. */
LLVMValueRef any_of_row(Widen *x, LLVMValueRef compare) {
    if (x->k->layout != LAYOUT_ROWS_FULL || LLVMGetTypeKind(LLVMTypeOf(compare)) != LLVMIntegerTypeKind) return NULL;
    int64_t stride[2];
    LLVMValueRef found = any_equals(x, compare);
    if (found) return found;
    int direction = monotone_compare(compare, (RowFixed){fixed_for_group, x});
    if (!direction) return NULL;
    LLVMValueRef o[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetOperand(compare, k);
        if (!lane_stride(x, v, &stride[k])) return NULL;
        o[k] = scalar_of(x, v);
        if (direction > 0)
            o[k] = LLVMBuildAdd(x->b, o[k], LLVMConstInt(LLVMTypeOf(o[k]), (uint64_t)(stride[k] * (x->w - 1)), 1), "");
    }
    return LLVMBuildICmp(x->b, LLVMGetICmpPredicate(compare), o[0], o[1], "any");
}

void widen_any(Widen *x, LLVMValueRef i) {
    LLVMValueRef row = any_of_row(x, LLVMGetOperand(i, 0));
    if (row) {
        LLVMReplaceAllUsesWith(i, row);
        vec_push(x->a, &x->dead, i);
        return;
    }
    LLVMValueRef m = vector_of(x, LLVMGetOperand(i, 0));
    LLVMTypeRef t = LLVMTypeOf(m);
    LLVMReplaceAllUsesWith(i, call_intrinsic(x, "llvm.vector.reduce.or", &t, 1, &m, 1));
    vec_push(x->a, &x->dead, i);
}

static LLVMValueRef all_by_vector(Widen *x, LLVMValueRef v, bool want) {
    LLVMValueRef m = vector_of(x, v);
    LLVMTypeRef t = LLVMTypeOf(m);
    if (!want) m = LLVMBuildNot(x->b, m, "");
    return call_intrinsic(x, "llvm.vector.reduce.and", &t, 1, &m, 1);
}

/* value + stride * lane <predicate> bound in all lanes; NULL = not decided by the first and last lane. */
static LLVMValueRef ends_hold(Widen *x, LLVMIntPredicate p, LLVMValueRef value, int64_t stride, LLVMValueRef bound) {
    LLVMTypeRef t = LLVMTypeOf(value);
    uint64_t reach = (uint64_t)(stride < 0 ? -stride : stride) * (x->w - 1);
    LLVMValueRef span = LLVMConstInt(t, reach, 0), first = scalar_of(x, value);
    LLVMValueRef low = stride < 0 ? LLVMBuildSub(x->b, first, span, "") : first;
    LLVMValueRef high = stride < 0 ? first : LLVMBuildAdd(x->b, first, span, "");
    bound = scalar_of(x, bound);
    if (p == LLVMIntNE) return LLVMBuildICmp(x->b, LLVMIntUGT, LLVMBuildSub(x->b, bound, low, ""), span, "");
    bool below = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    if (p == LLVMIntEQ) return NULL;
    LLVMValueRef r = LLVMBuildICmp(x->b, p, below ? high : low, bound, "");
    if (in_order(x, value, is_signed)) return r;
    return LLVMBuildAnd(x->b, LLVMBuildICmp(x->b, is_signed ? LLVMIntSLE : LLVMIntULE, low, high, ""), r, "");
}

static LLVMValueRef comparison_holds(Widen *x, LLVMValueRef i, bool want) {
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    int64_t stride;
    if (!want) p = inverse_predicate(p);
    if (is_uniform(x, a)) {
        LLVMValueRef c = a;
        a = b;
        b = c;
        p = swapped_predicate(p);
    }
    if (is_uniform(x, a) || !is_uniform(x, b) || !lane_stride(x, a, &stride)) return NULL;
    if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMIntegerTypeKind) return NULL;
    unsigned bits = int_bits(a);
    if (bits > 64 || bits < 16) return NULL;
    int64_t maximum = (INT64_C(1) << (bits - 2)) / (int64_t)x->w; /* the lanes span less than half of all values */
    return stride > maximum || stride < -maximum ? NULL : ends_hold(x, p, a, stride, b);
}

static LLVMValueRef row_is_whole(Widen *x) {
    LLVMValueRef at = name_call(x->b, x->mod, NAME_TID_X, NULL, 0, "");
    LLVMValueRef last = LLVMBuildAdd(x->b, at, c32(x, x->w - 1), "");
    return LLVMBuildICmp(x->b, LLVMIntULT, last, name_call(x->b, x->mod, NAME_ROW_END, NULL, 0, ""), "");
}

/* i1: v is `want` in all W lanes. Where lanes may be inactive in v it is part of a select that encodes so. */
static LLVMValueRef all_are(Widen *x, LLVMValueRef v, bool want, int depth) {
    LLVMValueRef no = LLVMConstNull(x->i1), a = NULL, b = NULL, r = NULL;
    if (is_uniform(x, v)) {
        r = scalar_of(x, v);
        return want ? r : LLVMBuildNot(x->b, r, "");
    }
    if (!LLVMIsAInstruction(v) || depth > 12) return all_by_vector(x, v, want);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMICmp) r = comparison_holds(x, v, want);
    if (op == LLVMCall && want && name_of_call(v) == NAME_ACTIVE && x->k->layout == LAYOUT_ROWS) r = row_is_whole(x);
    if (op == LLVMXor && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && !LLVMIsNull(LLVMGetOperand(v, 1)))
        return all_are(x, LLVMGetOperand(v, 0), !want, depth + 1);
    if (op == (want ? LLVMAnd : LLVMOr)) {
        a = LLVMGetOperand(v, 0);
        b = LLVMGetOperand(v, 1);
    }
    if (op == LLVMSelect && LLVMGetOperand(v, want ? 2 : 1) == (want ? no : LLVMConstAllOnes(x->i1))) {
        a = LLVMGetOperand(v, 0);
        b = LLVMGetOperand(v, want ? 1 : 2);
    }
    if (a) {
        r = all_are(x, a, want, depth + 1);
        r = LLVMBuildSelect(x->b, r, all_are(x, b, want, depth + 1), no, "");
    }
    return r ? r : all_by_vector(x, v, want);
}

void widen_all(Widen *x, LLVMValueRef i) {
    LLVMReplaceAllUsesWith(i, all_are(x, LLVMGetOperand(i, 0), true, 0));
    vec_push(x->a, &x->dead, i);
}

static LLVMValueRef bits_of_operand(Widen *x, LLVMValueRef i) {
    return lane_bits(x, vector_of(x, LLVMGetOperand(i, 0)));
}

void widen_active_count(Widen *x, LLVMValueRef i) {
    LLVMValueRef bits = bits_of_operand(x, i);
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef count = call_intrinsic(x, "llvm.ctpop", &t, 1, &bits, 1);
    LLVMReplaceAllUsesWith(i, LLVMBuildIntCast2(x->b, count, x->i32, 0, "active"));
    vec_push(x->a, &x->dead, i);
}

void widen_front(Widen *x, LLVMValueRef i) {
    LLVMValueRef bits = bits_of_operand(x, i), lowest = LLVMBuildAnd(x->b, bits, LLVMBuildNeg(x->b, bits, ""), "");
    set_wide(x, i, LLVMBuildBitCast(x->b, lowest, LLVMVectorType(x->i1, x->w), "front"));
}

/* Of an empty mask: any lane's. */
void widen_first(Widen *x, LLVMValueRef i) {
    LLVMValueRef v = LLVMGetOperand(i, 1), r;
    int64_t stride;
    if (is_uniform(x, v)) {
        r = scalar_of(x, v);
    } else {
        LLVMValueRef bits = bits_of_operand(x, i), args[2] = {bits, LLVMConstInt(x->i1, 0, 0)};
        LLVMTypeRef t = LLVMTypeOf(bits);
        LLVMValueRef lane = call_intrinsic(x, "llvm.cttz", &t, 1, args, 2);
        lane = LLVMBuildAnd(x->b, LLVMBuildIntCast2(x->b, lane, x->i32, 0, ""), c32(x, x->w - 1), "lane");
        if (is_integer(v) && lane_stride(x, v, &stride)) {
            lane = LLVMBuildIntCast2(x->b, lane, LLVMTypeOf(v), 0, "");
            lane = LLVMBuildMul(x->b, lane, LLVMConstInt(LLVMTypeOf(v), (uint64_t)stride, 1), "");
            r = LLVMBuildAdd(x->b, scalar_of(x, v), lane, "first");
        } else {
            r = LLVMBuildExtractElement(x->b, vector_of(x, v), lane, "first");
        }
    }
    LLVMReplaceAllUsesWith(i, r);
    vec_push(x->a, &x->dead, i);
}
