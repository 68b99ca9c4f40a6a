/* narrow_demanded_lanes: vector elements that are not demanded are not computed. Warp sums by shuffles end in lane 0,
** and each step demands half of the lanes of the step before.
**
**   v = fadd <32 x float> a, b                 v' = fadd <8 x float> a', b'       a', b': the first eight lanes
**   ... only lanes 0 ... 7 of v are used       v = shufflevector v', poison, <0, ..., 7, poison, ...>
**
** Demanded lanes are propagated backwards from stores, calls and the like, which demand all, through shuffles,
** extracts, inserts, phis and lanewise operations. Where they are in the lower half of a vector it is narrowed, down to
** 128 bits; shuffle lanes that are not demanded are poison. LLVM (SimplifyDemandedVectorElts) stops at values with two
** uses.
** requires: any IR; before optimise, which combines extracts and shuffles
** preserves: all demanded lanes, bit for bit
** Not taken: divisions of integers (a lane that is poison might trap), memory accesses, phis, reductions, calls other
** than the intrinsics below. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_LANES = 64, MIN_BITS = 128 };

typedef struct Narrow {
    Module *m;
    Arena a;
    LLVMBuilderRef b;
    Vec(LLVMValueRef) vectors; /* instructions with vectors as results, in the function's order */
    PtrMap number;             /* of those: 1 + index in vectors */
    uint64_t *demanded;        /* demanded lanes */
    PtrMap narrow;             /* wide value -> its first lanes */
} Narrow;

/* ---- vectors ---- */

/* Lanes of a vector that can be narrowed, else 0. */
static unsigned lanes(LLVMTypeRef t) {
    unsigned n = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 0;
    return n <= MAX_LANES && !(n & (n - 1)) ? n : 0;
}

static uint64_t all_of(unsigned n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

static unsigned bits_of_lane(const Narrow *x, LLVMTypeRef t) {
    return (unsigned)LLVMSizeOfTypeInBits(x->m->dl, LLVMGetElementType(t));
}

/* Lanewise intrinsics whose name ends with one type, that of the result. */
static unsigned lanewise_intrinsic(LLVMValueRef i) {
    static const char *const names[] = {"fma",  "fmuladd", "minnum", "maxnum", "minimum", "maximum",
                                        "smin", "smax",    "umin",   "umax",   "abs",     "fabs",
                                        "sqrt", "floor",   "ceil",   "trunc",  "rint",    "copysign"};
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    unsigned id = f && LLVMIsAFunction(f) ? LLVMGetIntrinsicID(f) : 0;
    const char *name = id ? value_name(f) : "";
    for (size_t k = 0; id && k < sizeof names / sizeof *names; k++) {
        size_t n = strlen(names[k]);
        if (!strncmp(name + 5, names[k], n) && name[5 + n] == '.') return id;
    }
    return 0;
}

/* Lane i of the result is made of lanes i of the operands, and nothing can trap. */
static bool is_lanewise(LLVMValueRef i) {
    if (is_op(i, OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_FLOAT | OP_ICMP | OP_FCMP | OP_SELECT)) return true;
    if (LLVMIsACallInst(i)) return lanewise_intrinsic(i) != 0;
    return is_op(i, OP_INT_CAST | OP_FCAST | OP_PTR_CAST) && !LLVMIsAAddrSpaceCastInst(i) &&
           lanes(LLVMTypeOf(i)) == lanes(LLVMTypeOf(LLVMGetOperand(i, 0)));
}

/* ---- demanded lanes ---- */

static bool demand(Narrow *x, LLVMValueRef v, uint64_t which) {
    uintptr_t n = LLVMIsAInstruction(v) ? map_get(&x->number, v, 0) : 0;
    if (!n || !(which & ~x->demanded[n - 1])) return false;
    x->demanded[n - 1] |= which;
    return true;
}

static bool demand_shuffle(Narrow *x, LLVMValueRef i, uint64_t which) {
    unsigned n = lanes(LLVMTypeOf(LLVMGetOperand(i, 0)));
    uint64_t from[2] = {0, 0};
    for (unsigned l = 0; l < LLVMGetNumMaskElements(i); l++) {
        int k = LLVMGetMaskValue(i, l);
        if (which >> l & 1 && k >= 0) from[(unsigned)k >= n] |= (uint64_t)1 << ((unsigned)k % n);
    }
    bool changed = demand(x, LLVMGetOperand(i, 0), from[0]);
    return demand(x, LLVMGetOperand(i, 1), from[1]) || changed;
}

/* The bit of a constant lane; all if it is none. */
static uint64_t lane_bit(LLVMValueRef lane) {
    return LLVMIsAConstantInt(lane) && LLVMConstIntGetZExtValue(lane) < MAX_LANES
               ? (uint64_t)1 << LLVMConstIntGetZExtValue(lane)
               : ~(uint64_t)0;
}

/* The lanes that a constant condition selects from. */
static uint64_t chosen_lanes(LLVMValueRef select, unsigned operand) {
    LLVMValueRef c = LLVMGetOperand(select, 0);
    uint64_t which = 0;
    if (!LLVMIsConstant(c) || !lanes(LLVMTypeOf(c))) return ~(uint64_t)0;
    for (unsigned l = 0; l < lanes(LLVMTypeOf(c)); l++) {
        LLVMValueRef bit = LLVMGetAggregateElement(c, l);
        bool known = bit && LLVMIsAConstantInt(bit);
        if (!known || (LLVMConstIntGetZExtValue(bit) != 0) == (operand == 1)) which |= (uint64_t)1 << l;
    }
    return which;
}

/* Propagates what is demanded of i to its operands; true if that was more than before. */
static bool propagate(Narrow *x, LLVMValueRef i) {
    uintptr_t number = map_get(&x->number, i, 0);
    uint64_t which = number ? x->demanded[number - 1] : 0;
    bool changed = false, through = number && (is_lanewise(i) || LLVMIsAPHINode(i));
    if (LLVMIsAShuffleVectorInst(i) && number && lanes(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return demand_shuffle(x, i, which);
    if (LLVMIsAExtractElementInst(i)) return demand(x, LLVMGetOperand(i, 0), lane_bit(LLVMGetOperand(i, 1)));
    if (LLVMIsAInsertElementInst(i) && number) {
        uint64_t own = lane_bit(LLVMGetOperand(i, 2));
        return demand(x, LLVMGetOperand(i, 0), own == ~(uint64_t)0 ? which : which & ~own);
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        uint64_t some = !through ? ~(uint64_t)0 : LLVMIsASelectInst(i) && k ? which & chosen_lanes(i, k) : which;
        changed |= demand(x, LLVMGetOperand(i, k), some);
    }
    return changed;
}

static void find_vectors(Narrow *x, LLVMValueRef fn) {
    map_init(&x->number, &x->a);
    map_init(&x->narrow, &x->a);
    for_each_instruction(i, fn) {
        if (!lanes(LLVMTypeOf(i))) continue;
        vec_push(&x->a, &x->vectors, i);
        map_put(&x->number, i, (uintptr_t)x->vectors.n);
    }
    x->demanded = arena_array(&x->a, uint64_t, x->vectors.n + 1);
}

static void find_demanded(Narrow *x, LLVMValueRef fn) {
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMBasicBlockRef bb = LLVMGetLastBasicBlock(fn); bb; bb = LLVMGetPreviousBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetLastInstruction(bb); i; i = LLVMGetPreviousInstruction(i))
                changed |= propagate(x, i);
    }
}

/* ---- narrowing ---- */

static LLVMTypeRef with_lanes(LLVMTypeRef t, unsigned n) { return LLVMVectorType(LLVMGetElementType(t), n); }

static LLVMValueRef first_lanes(Narrow *x, LLVMValueRef v, unsigned n) {
    LLVMValueRef narrow = LLVMIsAInstruction(v) ? map_ptr(&x->narrow, v) : NULL;
    return lanes(LLVMTypeOf(v)) ? build_lanes(x->b, narrow ? narrow : v, 0, n) : v;
}

static LLVMValueRef build_call(Narrow *x, LLVMValueRef i, LLVMTypeRef t, unsigned n) {
    unsigned id = lanewise_intrinsic(i), count = LLVMGetNumArgOperands(i);
    LLVMValueRef o[4], f = LLVMGetIntrinsicDeclaration(x->m->mod, id, &t, 1);
    for (unsigned k = 0; k < count && k < 4; k++) o[k] = first_lanes(x, LLVMGetOperand(i, k), n);
    return LLVMBuildCall2(x->b, LLVMIntrinsicGetType(x->m->ctx, id, &t, 1), f, o, count, "");
}

static LLVMValueRef build_lanewise(Narrow *x, LLVMValueRef i, unsigned n) {
    LLVMTypeRef t = with_lanes(LLVMTypeOf(i), n);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMCall) return build_call(x, i, t, n);
    LLVMValueRef o[3];
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) o[k] = first_lanes(x, LLVMGetOperand(i, k), n);
    switch (op) {
    case LLVMFNeg: return LLVMBuildFNeg(x->b, o[0], "");
    case LLVMICmp: return LLVMBuildICmp(x->b, LLVMGetICmpPredicate(i), o[0], o[1], "");
    case LLVMFCmp: return LLVMBuildFCmp(x->b, LLVMGetFCmpPredicate(i), o[0], o[1], "");
    case LLVMSelect: return LLVMBuildSelect(x->b, o[0], o[1], o[2], "");
    default:
        return LLVMGetNumOperands(i) == 1 ? LLVMBuildCast(x->b, op, o[0], t, "")
                                          : LLVMBuildBinOp(x->b, op, o[0], o[1], "");
    }
}

/* Lanes of the operands up to the last that the shuffle uses. */
static LLVMValueRef build_narrow_shuffle(Narrow *x, LLVMValueRef i, unsigned n, uint64_t which) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
    LLVMValueRef o[2] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)}, mask[MAX_LANES];
    unsigned all = lanes(LLVMTypeOf(o[0])), have = 1;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef narrow = LLVMIsAInstruction(o[k]) ? map_ptr(&x->narrow, o[k]) : NULL;
        unsigned w = LLVMIsPoison(o[k]) ? 1 : lanes(LLVMTypeOf(narrow ? narrow : o[k]));
        if (w > have) have = w;
    }
    for (unsigned l = 0; l < n; l++) {
        int k = LLVMGetMaskValue(i, l);
        bool used = which >> l & 1 && k >= 0 && !LLVMIsPoison(o[(unsigned)k >= all]);
        unsigned at = (unsigned)k < all ? (unsigned)k : (unsigned)k - all + have;
        mask[l] = used ? LLVMConstInt(i32, at, false) : LLVMGetPoison(i32);
    }
    return LLVMBuildShuffleVector(x->b, first_lanes(x, o[0], have), first_lanes(x, o[1], have),
                                  LLVMConstVector(mask, n), "");
}

/* How many lanes i is narrowed to. */
static unsigned lanes_to_keep(const Narrow *x, LLVMValueRef i, uint64_t which) {
    LLVMTypeRef t = LLVMTypeOf(i);
    bool compares = LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i);
    unsigned bits = bits_of_lane(x, compares ? LLVMTypeOf(LLVMGetOperand(i, 0)) : t), n = lanes(t), w = 1;
    while (w < n && (which & ~all_of(w) || w * (bits < 8 ? 8 : bits) < MIN_BITS)) w *= 2;
    return w;
}

/* Narrows vector number k, if that is profitable. */
static void narrow_one(Narrow *x, int k) {
    LLVMValueRef i = x->vectors.v[k];
    uint64_t which = x->demanded[k];
    bool shuffle = LLVMIsAShuffleVectorInst(i) && lanes(LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (!which || !(shuffle || is_lanewise(i))) return;
    unsigned n = lanes(LLVMTypeOf(i)), w = lanes_to_keep(x, i, which);
    if (w == n) return;
    set_insert_point(x->b, i);
    LLVMValueRef v = shuffle ? build_narrow_shuffle(x, i, w, which) : build_lanewise(x, i, w);
    if (LLVMIsAInstruction(v) && !shuffle) shim_copy_flags(v, i);
    LLVMValueRef wide = build_lanes(x->b, v, 0, n);
    if (LLVMIsAInstruction(wide)) map_put(&x->narrow, wide, (uintptr_t)v);
    replace_instruction(i, wide);
}

static void narrow_function(Module *m, LLVMValueRef fn) {
    Narrow x = {.m = m};
    find_vectors(&x, fn);
    find_demanded(&x, fn);
    x.b = LLVMCreateBuilderInContext(m->ctx);
    for (int k = 0; k < x.vectors.n; k++) narrow_one(&x, k);
    LLVMDisposeBuilder(x.b);
    delete_dead(fn);
    arena_free(&x.a);
}

bool narrow_demanded_lanes(Module *m) {
    if (pass_disabled(m, "narrow_demanded_lanes")) return true;
    for_each_function(f, m->mod)
        if (is_wide_entry(f)) narrow_function(m, f);
    return true;
}
