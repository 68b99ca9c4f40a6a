/* widen_warp.c: exchanges within a warp, where a group is a whole warp.
**
** The lanes of the warp are the lanes of the vector, so a shuffle is a permutation and a vote is a mask in a register.
** The member mask of the _sync forms is an operand like any other: the result of lanes that run the call but are not in
** it is undefined in CUDA, lanes that are in it but not here (they have exited or are elsewhere) do not take part. A
** member mask that differs between lanes means several sets at once (tiles of a warp): each lane then gets the result
** of its own set.
**
** Shuffles follow the PTX ISA: clamp word c = segment mask << 8 | clamp lane. */
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"
#include <string.h>

static LLVMValueRef v32(Widen *x, uint64_t v) { return splat(x, c32(x, v)); }
static LLVMTypeRef vec32(const Widen *x) { return LLVMVectorType(x->i32, x->w); }

static LLVMTypeRef bits_type(const Widen *x) { return LLVMIntTypeInContext(x->ctx, x->w); }

/* Member mask as iW: of the warp, or for each lane (a vector).  Of a warp of 64, all ones are all lanes. */
static LLVMValueRef members(Widen *x, LLVMValueRef m, bool *each) {
    *each = !is_uniform(x, m);
    LLVMTypeRef t = *each ? LLVMVectorType(bits_type(x), x->w) : bits_type(x);
    m = *each ? vector_of(x, m) : scalar_of(x, m);
    LLVMValueRef bits = LLVMBuildIntCast2(x->b, m, t, 0, "");
    if (x->w <= 32) return bits;
    LLVMValueRef all = LLVMBuildICmp(x->b, LLVMIntEQ, m, LLVMConstAllOnes(LLVMTypeOf(m)), "");
    return LLVMBuildSelect(x->b, all, LLVMConstAllOnes(t), bits, "");
}

/* true & mask of the block, as iW. */
static LLVMValueRef active_bits(Widen *x, LLVMValueRef predicate) {
    LLVMValueRef p = predicate;
    if (x->mask) p = p ? LLVMBuildSelect(x->b, x->mask, p, LLVMConstNull(LLVMTypeOf(p)), "") : x->mask;
    return p ? lane_bits(x, p) : LLVMConstAllOnes(bits_type(x));
}

/* ---- shuffles ---- */

/* r: scalar or one value per lane; sets the vector form of instruction i. */
static void give(Widen *x, LLVMValueRef i, LLVMValueRef r) {
    bool vector = is_vector(r);
    if (is_wide(x, i)) {
        set_wide(x, i, vector ? r : splat(x, r));
        return;
    }
    if (vector) r = LLVMBuildExtractElement(x->b, r, x->mask ? first_lane(x) : c32(x, 0), "");
    LLVMReplaceAllUsesWith(i, r);
    vec_push(x->a, &x->dead, i);
}

static LLVMValueRef source_lane(Widen *x, Name n, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef lane = iota(x, x->i32), low = v32(x, x->w - 1);
    LLVMValueRef bv = LLVMBuildAnd(x->b, b, low, ""), cv = LLVMBuildAnd(x->b, c, low, "");
    LLVMValueRef seg = LLVMBuildAnd(x->b, LLVMBuildLShr(x->b, c, v32(x, 8), ""), low, "");
    LLVMValueRef not_seg = LLVMBuildXor(x->b, seg, low, "");
    LLVMValueRef min = LLVMBuildAnd(x->b, lane, seg, "");
    LLVMValueRef max = LLVMBuildOr(x->b, min, LLVMBuildAnd(x->b, cv, not_seg, ""), "");
    LLVMValueRef j, ok;
    switch (n) {
    case NAME_SHFL_UP:
        j = LLVMBuildSub(x->b, lane, bv, "");
        ok = LLVMBuildICmp(x->b, LLVMIntSGE, j, max, "");
        break;
    case NAME_SHFL_DOWN:
        j = LLVMBuildAdd(x->b, lane, bv, "");
        ok = LLVMBuildICmp(x->b, LLVMIntSLE, j, max, "");
        break;
    case NAME_SHFL_XOR:
        j = LLVMBuildXor(x->b, lane, bv, "");
        ok = LLVMBuildICmp(x->b, LLVMIntSLE, j, max, "");
        break;
    default:
        j = LLVMBuildOr(x->b, min, LLVMBuildAnd(x->b, bv, not_seg, ""), "");
        ok = LLVMBuildICmp(x->b, LLVMIntSLE, j, max, "");
        break;
    }
    return LLVMBuildSelect(x->b, ok, j, lane, "source");
}

static LLVMValueRef permute_memory(Widen *x, LLVMValueRef val, LLVMValueRef index) {
    LLVMTypeRef vt = LLVMTypeOf(val), e = LLVMGetElementType(vt);
    LLVMValueRef slot = entry_scratch(x->k->fn, vt, "exchange");
    LLVMBuildStore(x->b, val, slot);
    LLVMValueRef wide = LLVMBuildZExt(x->b, index, LLVMVectorType(x->i64, x->w), "");
    LLVMValueRef p = LLVMBuildGEP2(x->b, e, slot, &wide, 1, "");
    LLVMValueRef args[3] = {p, all_lanes(x), LLVMGetPoison(vt)};
    LLVMTypeRef over[2] = {vt, LLVMTypeOf(p)};
    return call_intrinsic(x, "llvm.masked.gather", over, 2, args, 3);
}

static LLVMValueRef concatenated(Widen *x, LLVMValueRef a, LLVMValueRef b, unsigned n) {
    LLVMValueRef idx[64];
    for (unsigned i = 0; i < 2 * n; i++) idx[i] = c32(x, i);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, 2 * n), "");
}

/* 32-bit lanes on AVX-512: one or two table look-ups in registers. */
static LLVMValueRef permute_avx512(Widen *x, LLVMValueRef v, LLVMValueRef index) {
    if (x->w == 16) {
        LLVMValueRef args[2] = {v, index};
        return call_intrinsic(x, "llvm.x86.avx512.permvar.si.512", NULL, 0, args, 2);
    }
    LLVMValueRef low = build_lanes(x->b, v, 0, 16), high = build_lanes(x->b, v, 16, 16), r[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef args[3] = {low, build_lanes(x->b, index, 16 * h, 16), high};
        r[h] = call_intrinsic(x, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, args, 3);
    }
    return concatenated(x, r[0], r[1], 16);
}

LLVMValueRef permute(Widen *x, LLVMValueRef val, LLVMValueRef index) {
    if (LLVMIsConstant(index)) return LLVMBuildShuffleVector(x->b, val, LLVMGetPoison(LLVMTypeOf(val)), index, "shfl");
    bool fits = LLVMGetElementType(LLVMTypeOf(val)) == x->i32 && (x->w == 16 || x->w == 32);
    if (fits && x->k->m->vector_bits == 512) return permute_avx512(x, val, index);
    return permute_memory(x, val, index);
}

/* All lanes read one: the segment is the warp. */
static bool reads_one_lane(const Widen *x, LLVMValueRef lane, LLVMValueRef clamp) {
    if (!is_uniform(x, lane) || !LLVMIsAConstantInt(clamp)) return false;
    uint64_t c = LLVMConstIntGetZExtValue(clamp), low = x->w - 1;
    return (c & low) == low && !(c >> 8 & low);
}

static void shuffle(Widen *x, LLVMValueRef i, Name n) {
    LLVMValueRef v = LLVMGetOperand(i, 1), b = LLVMGetOperand(i, 2), c = LLVMGetOperand(i, 3);
    if (is_uniform(x, v) && !is_wide(x, v)) { /* every lane holds the same value */
        if (is_wide(x, i)) set_wide(x, i, vector_of(x, v));
        else {
            LLVMReplaceAllUsesWith(i, v);
            vec_push(x->a, &x->dead, i);
        }
        return;
    }
    if (n == NAME_SHFL_IDX && reads_one_lane(x, b, c)) {
        LLVMValueRef lane = LLVMBuildAnd(x->b, scalar_of(x, b), c32(x, x->w - 1), "");
        give(x, i, LLVMBuildExtractElement(x->b, vector_of(x, v), lane, "shfl"));
        return;
    }
    LLVMValueRef r = permute(x, vector_of(x, v), source_lane(x, n, vector_of(x, b), vector_of(x, c)));
    if (is_wide(x, i)) {
        set_wide(x, i, r);
        return;
    }
    LLVMReplaceAllUsesWith(i, LLVMBuildExtractElement(x->b, r, x->mask ? first_lane(x) : c32(x, 0), ""));
    vec_push(x->a, &x->dead, i);
}

/* ---- results that are the same for all members of a set ---- */

static LLVMValueRef splat_if(Widen *x, LLVMValueRef bits, bool each) { return each ? splat(x, bits) : bits; }

static void widen_vote(Widen *x, LLVMValueRef i, Name n) {
    bool each;
    LLVMValueRef m = members(x, LLVMGetOperand(i, 0), &each), p = vector_of(x, LLVMGetOperand(i, 1));
    LLVMValueRef yes = LLVMBuildAnd(x->b, splat_if(x, active_bits(x, p), each), m, "");
    LLVMValueRef no = LLVMBuildAnd(x->b, splat_if(x, active_bits(x, LLVMBuildNot(x->b, p, "")), each), m, "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(yes)), r;
    switch (n) {
    case NAME_BALLOT: {
        LLVMTypeRef t = each ? vec32(x) : x->i32;
        r = LLVMBuildIntCast2(x->b, yes, t, 0, "ballot");
        break;
    }
    case NAME_VOTE_ANY: r = LLVMBuildICmp(x->b, LLVMIntNE, yes, zero, "any"); break;
    case NAME_VOTE_ALL: r = LLVMBuildICmp(x->b, LLVMIntEQ, no, zero, "all"); break;
    default:
        r = LLVMBuildOr(x->b, LLVMBuildICmp(x->b, LLVMIntEQ, no, zero, ""),
                        LLVMBuildICmp(x->b, LLVMIntEQ, yes, zero, ""), "uni");
        break;
    }
    give(x, i, r);
}

/* For each lane the set of active members with its value. */
static LLVMValueRef equal_lanes(Widen *x, LLVMValueRef v) {
    LLVMTypeRef t = bits_type(x);
    LLVMValueRef r = LLVMGetPoison(LLVMVectorType(t, x->w));
    for (unsigned l = 0; l < x->w; l++) {
        LLVMValueRef one = splat(x, LLVMBuildExtractElement(x->b, v, c32(x, l), ""));
        LLVMValueRef same = active_bits(x, LLVMBuildICmp(x->b, LLVMIntEQ, v, one, ""));
        r = LLVMBuildInsertElement(x->b, r, same, c32(x, l), "");
    }
    return r;
}

static void match_any(Widen *x, LLVMValueRef i) {
    bool each;
    LLVMValueRef m = members(x, LLVMGetOperand(i, 0), &each);
    LLVMValueRef same = equal_lanes(x, vector_of(x, LLVMGetOperand(i, 1)));
    same = LLVMBuildAnd(x->b, same, each ? m : splat(x, m), "");
    give(x, i, LLVMBuildIntCast2(x->b, same, vec32(x), 0, "match"));
}

static void widen_match_all(Widen *x, LLVMValueRef i) {
    bool each;
    LLVMValueRef m = members(x, LLVMGetOperand(i, 0), &each), mv = each ? m : splat(x, m);
    LLVMValueRef same = LLVMBuildAnd(x->b, equal_lanes(x, vector_of(x, LLVMGetOperand(i, 1))), mv, "");
    LLVMValueRef here = LLVMBuildAnd(x->b, splat(x, active_bits(x, NULL)), mv, "");
    LLVMValueRef all = LLVMBuildICmp(x->b, LLVMIntEQ, same, here, "");
    give(x, i,
         LLVMBuildIntCast2(x->b, LLVMBuildSelect(x->b, all, mv, LLVMConstNull(LLVMTypeOf(mv)), ""), vec32(x), 0,
                           "match"));
}

static const char *redux_intrinsic(Name n) {
    switch (n) {
    case NAME_REDUX_ADD: return "llvm.vector.reduce.add";
    case NAME_REDUX_UMIN: return "llvm.vector.reduce.umin";
    case NAME_REDUX_UMAX: return "llvm.vector.reduce.umax";
    case NAME_REDUX_MIN: return "llvm.vector.reduce.smin";
    case NAME_REDUX_MAX: return "llvm.vector.reduce.smax";
    case NAME_REDUX_AND: return "llvm.vector.reduce.and";
    case NAME_REDUX_OR: return "llvm.vector.reduce.or";
    default: return "llvm.vector.reduce.xor";
    }
}

static uint64_t neutral(Name n) {
    switch (n) {
    case NAME_REDUX_UMIN:
    case NAME_REDUX_AND: return 0xffffffffu;
    case NAME_REDUX_MIN: return 0x7fffffffu;
    case NAME_REDUX_MAX: return 0x80000000u;
    default: return 0;
    }
}

static LLVMValueRef reduce_set(Widen *x, Name n, LLVMValueRef v, LLVMValueRef set) {
    LLVMTypeRef vt = LLVMTypeOf(v);
    LLVMValueRef in = LLVMBuildBitCast(x->b, set, LLVMVectorType(x->i1, x->w), "");
    v = LLVMBuildSelect(x->b, in, v, v32(x, neutral(n)), "");
    return call_intrinsic(x, redux_intrinsic(n), &vt, 1, &v, 1);
}

static void redux(Widen *x, LLVMValueRef i, Name n) {
    bool each;
    LLVMValueRef m = members(x, LLVMGetOperand(i, 0), &each), v = vector_of(x, LLVMGetOperand(i, 1));
    LLVMValueRef here = active_bits(x, NULL);
    if (!each) {
        give(x, i, reduce_set(x, n, v, LLVMBuildAnd(x->b, here, m, "")));
        return;
    }
    LLVMValueRef r = LLVMGetPoison(vec32(x));
    for (unsigned l = 0; l < x->w; l++) {
        LLVMValueRef set = LLVMBuildAnd(x->b, here, LLVMBuildExtractElement(x->b, m, c32(x, l), ""), "");
        r = LLVMBuildInsertElement(x->b, r, reduce_set(x, n, v, set), c32(x, l), "");
    }
    give(x, i, r);
}

Nyi widen_warp_call(Widen *x, LLVMValueRef i, Name n) {
    if ((int)x->w != x->k->m->opt->warp_size) return NYI_WARP_WIDTH;
    if (x->w > 32 && name_gives_lanes(n)) return NYI_WARP_MASK;
    switch (n) {
    case NAME_SYNCWARP: vec_push(x->a, &x->dead, i); return NYI_NONE; /* lanes run in lockstep */
    case NAME_SHFL_IDX:
    case NAME_SHFL_UP:
    case NAME_SHFL_DOWN:
    case NAME_SHFL_XOR: shuffle(x, i, n); return NYI_NONE;
    case NAME_BALLOT:
    case NAME_VOTE_ANY:
    case NAME_VOTE_ALL:
    case NAME_VOTE_UNI: widen_vote(x, i, n); return NYI_NONE;
    case NAME_ACTIVEMASK:
        give(x, i, LLVMBuildIntCast2(x->b, active_bits(x, NULL), x->i32, 0, "activemask"));
        return NYI_NONE;
    case NAME_MATCH_ANY32:
    case NAME_MATCH_ANY64: match_any(x, i); return NYI_NONE;
    case NAME_MATCH_ALL32:
    case NAME_MATCH_ALL64: widen_match_all(x, i); return NYI_NONE;
    case NAME_CALLED: return widen_vector_call(x, i) ? NYI_NONE : NYI_WARP_WIDTH;
    default: redux(x, i, n); return NYI_NONE;
    }
}
