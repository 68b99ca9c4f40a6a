/* widen_live_masks: masks live across blocks are integer vectors with elements of the size of what they mask.
**
** in:  optimised entries, masks lowered
**   m = phi <8 x i1> [a, A], [b, B]
**   n = and <8 x i1> m, (fcmp olt x, y)
**   select n, ...        in another block
** out: the same with integer vectors
**   w = phi <8 x i32> [sext a, A], [sext b, B]
**   v = and <8 x i32> w, (sext (fcmp olt x, y))
**   select (icmp slt v, 0), ...
** Likewise or, xor and selects among masks, as far as they are connected with such a phi or value, or with a bit that
** is the same in all lanes. The elements have the size of most of the comparisons, selects and masked accesses around
** them.
** requires: lower_masked, spread_masks, which query masks in further blocks; no later pass simplifies comparisons
**           across blocks
** preserves: values
** refuses: nothing; targets with registers for masks need none of it
** Why: code generation keeps <8 x i1> between blocks in a register of eight 16-bit integers. In the loop of the
** Mandelbrot set that is nine of its 24 instructions: packing what was compared, unpacking it for a blend. A comparison
** yields full elements, and a blend looks at their signs: nothing is left of sext and icmp. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

enum { MIN_LANES = 4, MAX_LANES = 64, SIZES = 4 /* 8, 16, 32, 64 bits */, REGISTERS = 2 /* for a mask */ };

typedef struct Widener {
    Module *m;
    LLVMBuilderRef b;
    Vec(LLVMValueRef) masks; /* of the function, in its order */
    PtrMap order;            /* mask -> its index in masks */
    PtrMap web;              /* mask -> it belongs to a web that is done or current */
    PtrMap wide;             /* mask -> its integer vector */
    Vec(LLVMValueRef) all;   /* of the current web */
    Vec(LLVMValueRef) dead;  /* erased last: their users and addresses decide what belongs to a web */
    LLVMTypeRef wide_type;   /* of the current web: vector */
} Widener;

static bool is_mask(LLVMValueRef v) {
    return is_vector_of_bits(v) && lanes_of(LLVMTypeOf(v)) >= MIN_LANES && lanes_of(LLVMTypeOf(v)) <= MAX_LANES;
}

/* and, or, xor, a select among masks. */
static bool is_logic(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v) || !is_mask(v)) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAnd || op == LLVMOr || op == LLVMXor || op == LLVMSelect;
}

static bool is_phi(LLVMValueRef v) { return LLVMIsAPHINode(v) && is_mask(v); }

/* The same bit in all lanes: the bit, else NULL. */
static LLVMValueRef splat_bit(LLVMValueRef v) {
    if (!LLVMIsAShuffleVectorInst(v) || !is_mask(v)) return NULL;
    LLVMValueRef one = LLVMGetOperand(v, 0);
    if (!LLVMIsAInsertElementInst(one) || !LLVMIsAConstantInt(LLVMGetOperand(one, 2)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(one, 2)))
        return NULL;
    for (unsigned l = 0; l < LLVMGetNumMaskElements(v); l++)
        if (LLVMGetMaskValue(v, l) != 0) return NULL;
    return LLVMGetOperand(one, 1);
}

/* Logic with a bit that all lanes share, which code generation would broadcast to the size that it assumes for a
** mask. */
static bool spreads_bit(LLVMValueRef v) {
    if (!is_logic(v)) return false;
    for (int o = 0; o < LLVMGetNumOperands(v); o++)
        if (splat_bit(LLVMGetOperand(v, (unsigned)o))) return true;
    return false;
}

static bool is_mask_integer(LLVMValueRef v) { return LLVMIsABitCastInst(v) && is_integer(v); }

/* Something outside of the existing webs, in a block other than its own, uses the mask itself and not its bits as an
** integer. */
static bool leaves_block(const Widener *x, LLVMValueRef v) {
    for_each_user(i, v) {
        if (LLVMIsAPHINode(i) || is_mask_integer(i) || map_get(&x->web, i, 0)) continue;
        if (LLVMGetInstructionParent(i) != LLVMGetInstructionParent(v)) return true;
    }
    return false;
}

/* ---- webs ---- */

static void join(Widener *x, LLVMValueRef v) {
    if ((!is_phi(v) && !is_logic(v)) || map_get(&x->web, v, 0)) return;
    map_put(&x->web, v, 1);
    vec_push(&x->m->arena, &x->all, v);
}

static void grow(Widener *x) {
    for (int k = 0; k < x->all.n; k++) {
        LLVMValueRef v = x->all.v[k];
        bool inside = is_phi(v) || is_logic(v);
        for (int o = 0; inside && o < LLVMGetNumOperands(v); o++) join(x, LLVMGetOperand(v, (unsigned)o));
        for_each_user(user, v) join(x, user);
    }
}

static int before(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* In the order of the function: the operands of a mask mostly come before it. */
static void sort(Widener *x) {
    int *at = arena_array(&x->m->arena, int, x->all.n);
    for (int k = 0; k < x->all.n; k++) at[k] = (int)map_get(&x->order, x->all.v[k], 0);
    qsort(at, (size_t)x->all.n, sizeof *at, before);
    for (int k = 0; k < x->all.n; k++) x->all.v[k] = x->masks.v[at[k]];
}

/* Bits of an element, 0 if none is relevant. */
static unsigned compared_bits(const Widener *x, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return 0;
    unsigned n = (unsigned)(LLVMSizeOfTypeInBits(x->m->dl, t) / LLVMGetVectorSize(t));
    return n == 8 || n == 16 || n == 32 || n == 64 ? n : 0;
}

static void count_votes(unsigned *votes, unsigned bits) {
    for (int k = 0; k < SIZES; k++) votes[k] += bits == 8u << k;
}

/* What is compared to get a mask, or masked by it. */
static void vote_neighbours(const Widener *x, LLVMValueRef v, unsigned *votes) {
    for (int o = 0; o < LLVMGetNumOperands(v); o++) {
        LLVMValueRef from = LLVMGetOperand(v, (unsigned)o);
        if (LLVMIsAICmpInst(from) || LLVMIsAFCmpInst(from))
            count_votes(votes, compared_bits(x, LLVMTypeOf(LLVMGetOperand(from, 0))));
    }
    if (LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v))
        count_votes(votes, compared_bits(x, LLVMTypeOf(LLVMGetOperand(v, 0))));
    for_each_user(i, v) {
        if (is_mask(i)) continue;
        if (LLVMIsASelectInst(i) || LLVMIsASExtInst(i)) count_votes(votes, compared_bits(x, LLVMTypeOf(i)));
        if (LLVMIsACallInst(i)) count_votes(votes, compared_bits(x, LLVMTypeOf(is_void(i) ? LLVMGetOperand(i, 0) : i)));
    }
}

static unsigned compared_size(const Widener *x) {
    unsigned votes[SIZES] = {0}, best = 2, lanes = lanes_of(LLVMTypeOf(x->all.v[0])), bits;
    for (int k = 0; k < x->all.n; k++) vote_neighbours(x, x->all.v[k], votes);
    for (unsigned k = 0; k < SIZES; k++)
        if (votes[k] > votes[best]) best = k;
    for (bits = 8u << best; bits > 8 && bits * lanes > REGISTERS * (unsigned)x->m->vector_bits;) bits /= 2;
    return bits;
}

/* ---- integer vectors ---- */

static LLVMValueRef constant_wide(const Widener *x, LLVMValueRef c) {
    LLVMTypeRef e = LLVMGetElementType(x->wide_type);
    LLVMValueRef lane[MAX_LANES];
    unsigned n = LLVMGetVectorSize(x->wide_type);
    for (unsigned l = 0; l < n; l++) {
        LLVMValueRef bit = LLVMGetAggregateElement(c, l);
        lane[l] =
            bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit) ? LLVMConstAllOnes(e) : LLVMConstNull(e);
    }
    return LLVMConstVector(lane, n);
}

static bool is_all(LLVMValueRef v, bool ones) {
    return LLVMIsConstant(v) && v == (ones ? LLVMConstAllOnes(LLVMTypeOf(v)) : LLVMConstNull(LLVMTypeOf(v)));
}

static void position_after_mask(const Widener *x, LLVMValueRef v) {
    LLVMValueRef next = LLVMGetNextInstruction(v);
    if (LLVMIsAPHINode(v))
        while (LLVMIsAPHINode(next)) next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(x->b, next);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(v));
}

static LLVMValueRef wide_of(Widener *x, LLVMValueRef v);

static LLVMValueRef splat_wide(const Widener *x, LLVMValueRef bit) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
    LLVMValueRef none = LLVMGetPoison(x->wide_type),
                 one = LLVMBuildSExt(x->b, bit, LLVMGetElementType(x->wide_type), "");
    one = LLVMBuildInsertElement(x->b, none, one, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(x->b, one, none, LLVMConstNull(LLVMVectorType(i32, LLVMGetVectorSize(x->wide_type))),
                                  "");
}

/* select c, a, b: (a and c) or (b and not c), unless it is known to be simpler. */
static LLVMValueRef select_wide(Widener *x, LLVMValueRef v) {
    LLVMValueRef c = LLVMGetOperand(v, 0), a = LLVMGetOperand(v, 1), b = LLVMGetOperand(v, 2);
    LLVMValueRef wa = wide_of(x, a), wb = wide_of(x, b), wc = is_mask(c) ? wide_of(x, c) : NULL;
    set_insert_point(x->b, v);
    if (!wc && !is_all(b, false) && !is_all(a, true)) return LLVMBuildSelect(x->b, c, wa, wb, "words");
    if (!wc) wc = splat_wide(x, c);
    if (is_all(b, false)) return LLVMBuildAnd(x->b, wc, wa, "words");
    if (is_all(a, true)) return LLVMBuildOr(x->b, wc, wb, "words");
    LLVMValueRef other = LLVMBuildAnd(x->b, wb, LLVMBuildNot(x->b, wc, ""), "");
    return is_all(a, false) ? other : LLVMBuildOr(x->b, LLVMBuildAnd(x->b, wc, wa, ""), other, "words");
}

static LLVMValueRef logic_wide(Widener *x, LLVMValueRef v) {
    if (LLVMIsASelectInst(v)) return select_wide(x, v);
    LLVMValueRef a = wide_of(x, LLVMGetOperand(v, 0)), b = wide_of(x, LLVMGetOperand(v, 1));
    set_insert_point(x->b, v);
    return LLVMBuildBinOp(x->b, LLVMGetInstructionOpcode(v), a, b, "words");
}

static LLVMValueRef wide_of(Widener *x, LLVMValueRef v) {
    LLVMValueRef w = map_ptr(&x->wide, v);
    if (w && LLVMTypeOf(w) == x->wide_type) return w;
    if (LLVMIsConstant(v)) return constant_wide(x, v);
    if (map_get(&x->web, v, 0) && is_logic(v)) {
        w = logic_wide(x, v);
    } else if (splat_bit(v)) {
        position_after_mask(x, v);
        w = splat_wide(x, splat_bit(v));
    } else {
        if (LLVMIsAInstruction(v)) position_after_mask(x, v);
        else LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(v))));
        w = LLVMBuildSExt(x->b, v, x->wide_type, "words");
    }
    map_put(&x->wide, v, (uintptr_t)w);
    return w;
}

static void make_phis(Widener *x) {
    for (int k = 0; k < x->all.n; k++) {
        if (!is_phi(x->all.v[k])) continue;
        set_insert_point(x->b, x->all.v[k]);
        map_put(&x->wide, x->all.v[k], (uintptr_t)LLVMBuildPhi(x->b, x->wide_type, "words"));
    }
}

static void connect_phi(Widener *x, LLVMValueRef v) {
    LLVMValueRef w = map_ptr(&x->wide, v);
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef from = wide_of(x, LLVMGetIncomingValue(v, k));
        LLVMBasicBlockRef bb = LLVMGetIncomingBlock(v, k);
        LLVMAddIncoming(w, &from, &bb, 1);
    }
}

/* Every use of a mask of the web gets it from the integer vector, at the use: comparisons are not live across
** blocks. */
static void replace_uses_of(Widener *x, LLVMValueRef v) {
    Vec(LLVMValueRef) users = {0};
    bool inside = is_phi(v) || is_logic(v); /* else a comparison: its own block still uses it */
    for_each_user(user, v) vec_push(&x->m->arena, &users, user);
    for (int k = 0; k < users.n; k++) {
        LLVMValueRef i = users.v[k];
        if (map_get(&x->web, i, 0) && (is_phi(i) || is_logic(i))) continue;
        if (i == map_ptr(&x->wide, v) ||
            (!inside && (LLVMIsAPHINode(i) || LLVMGetInstructionParent(i) == LLVMGetInstructionParent(v))))
            continue;
        set_insert_point(x->b, i);
        LLVMValueRef mask = LLVMBuildICmp(x->b, LLVMIntSLT, map_ptr(&x->wide, v), LLVMConstNull(x->wide_type), "");
        for (int o = 0; o < LLVMGetNumOperands(i); o++)
            if (LLVMGetOperand(i, (unsigned)o) == v) LLVMSetOperand(i, (unsigned)o, mask);
    }
}

static void widen_web(Widener *x, LLVMValueRef seed) {
    x->all.n = 0;
    map_put(&x->web, seed, 1);
    vec_push(&x->m->arena, &x->all, seed);
    grow(x);
    sort(x);
    unsigned lanes = lanes_of(LLVMTypeOf(seed)), bits = compared_size(x);
    if (bits * lanes <= 128) return; /* code generation already does so */
    x->wide_type = LLVMVectorType(LLVMIntTypeInContext(x->m->ctx, bits), lanes);
    make_phis(x);
    for (int k = 0; k < x->all.n; k++) wide_of(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++)
        if (is_phi(x->all.v[k])) connect_phi(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++) replace_uses_of(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++) {
        LLVMValueRef v = x->all.v[k];
        if (!is_phi(v) && !is_logic(v)) continue;
        vec_push(&x->m->arena, &x->dead, v);
    }
}

static void erase_dead(Widener *x) {
    for (int k = 0; k < x->dead.n; k++) LLVMReplaceAllUsesWith(x->dead.v[k], LLVMGetPoison(LLVMTypeOf(x->dead.v[k])));
    for (int k = 0; k < x->dead.n; k++) LLVMInstructionEraseFromParent(x->dead.v[k]);
    x->dead.n = 0;
}

static void widen_function(Widener *x, LLVMValueRef fn) {
    map_init(&x->web, &x->m->arena);
    map_init(&x->wide, &x->m->arena);
    map_init(&x->order, &x->m->arena);
    x->masks.n = 0;
    for_each_instruction(i, fn) {
        if (!is_mask(i)) continue;
        map_put(&x->order, i, (uintptr_t)x->masks.n);
        vec_push(&x->m->arena, &x->masks, i);
    }
    for (int k = 0; k < x->masks.n; k++)
        if (is_phi(x->masks.v[k]) && !map_get(&x->web, x->masks.v[k], 0)) widen_web(x, x->masks.v[k]);
    for (int k = 0; k < x->masks.n; k++)
        if (!map_get(&x->web, x->masks.v[k], 0) && (leaves_block(x, x->masks.v[k]) || spreads_bit(x->masks.v[k])))
            widen_web(x, x->masks.v[k]);
    erase_dead(x);
}

bool widen_live_masks(Module *m) {
    if (m->opt->opt_level == 0 || pass_disabled(m, "widen_live_masks") ||
        shim_has_features(m->tm, "+avx512f,+avx512vl"))
        return true;
    Widener x = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    for_each_function(fn, m->mod) widen_function(&x, fn);
    LLVMDisposeBuilder(x.b);
    return true;
}
