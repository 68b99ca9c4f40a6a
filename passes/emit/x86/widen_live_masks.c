/* widen_live_masks: masks that go from block to block are words of the size of what they mask.
**
** in:  optimised entries, masks lowered
** out: m = phi <8 x i1> [a, A], [b, B]             w = phi <8 x i32> [sext a, A], [sext b, B]
**      n = and <8 x i1> m, (fcmp olt x, y)         v = and <8 x i32> w, (sext (fcmp olt x, y))
**      select n, ...        in another block       select (icmp slt v, 0), ...
**      the same for or, xor and selects among masks, as far as they hang together with such a phi or value, or with a bit
**      that is the same in all lanes.  The words have the size that most of the comparisons, selects and masked accesses around them have
** requires: lower_masked, spread_masks, which ask about masks in further blocks; nothing that simplifies comparisons across blocks comes after
** preserves: values
** refuses: nothing; targets with registers for masks need none of it
** Why: code generation keeps <8 x i1> in a register of eight 16-bit numbers between blocks.  In the loop of the Mandelbrot set that is nine of
** its 24 instructions: packing what was compared, unpacking it for a blend.  A comparison has words as its result, and a blend looks
** at their signs: nothing is left of sext and icmp. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

enum { LEAST = 4, MOST = 64, SIZES = 4 /* 8, 16, 32, 64 bits */, REGISTERS = 2 /* for a mask */ };

typedef struct Carry {
    Module *m;
    LLVMBuilderRef b;
    Vec(LLVMValueRef) masks; /* of the function, as they stand in it */
    PtrMap place;            /* mask -> where in masks */
    PtrMap web;              /* mask -> it belongs to one that is done or current */
    PtrMap words;            /* mask -> its words */
    Vec(LLVMValueRef) all;   /* of the current web */
    Vec(LLVMValueRef) dead;  /* erased last: their users and addresses tell what belongs to a web */
    LLVMTypeRef word;        /* of the current web: vector */
} Carry;

static bool is_mask(LLVMValueRef v) {
    return is_vector_of_bits(v) && lanes_of(LLVMTypeOf(v)) >= LEAST && lanes_of(LLVMTypeOf(v)) <= MOST;
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

/* Logic with a bit that all lanes share, which code generation would spread to the size that it thinks a mask has. */
static bool spreads_bit(LLVMValueRef v) {
    if (!is_logic(v)) return false;
    for (int o = 0; o < LLVMGetNumOperands(v); o++)
        if (splat_bit(LLVMGetOperand(v, (unsigned)o))) return true;
    return false;
}

static bool is_number(LLVMValueRef v) {
    return LLVMIsABitCastInst(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind;
}

/* Something outside of the webs there are asks for the mask, not for its bits as a number, in a block other than its own. */
static bool leaves_block(const Carry *x, LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (LLVMIsAPHINode(i) || is_number(i) || map_get(&x->web, i, 0)) continue;
        if (LLVMGetInstructionParent(i) != LLVMGetInstructionParent(v)) return true;
    }
    return false;
}

/* ---- webs ---- */

static void join(Carry *x, LLVMValueRef v) {
    if ((!is_phi(v) && !is_logic(v)) || map_get(&x->web, v, 0)) return;
    map_put(&x->web, v, 1);
    vec_push(&x->m->arena, &x->all, v);
}

static void grow(Carry *x) {
    for (int k = 0; k < x->all.n; k++) {
        LLVMValueRef v = x->all.v[k];
        bool inside = is_phi(v) || is_logic(v);
        for (int o = 0; inside && o < LLVMGetNumOperands(v); o++) join(x, LLVMGetOperand(v, (unsigned)o));
        for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) join(x, LLVMGetUser(u));
    }
}

static int before(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* As they stand in the function: what a mask is made of mostly comes before it. */
static void sort(Carry *x) {
    int *at = arena_array(&x->m->arena, int, x->all.n);
    for (int k = 0; k < x->all.n; k++) at[k] = (int)map_get(&x->place, x->all.v[k], 0);
    qsort(at, (size_t)x->all.n, sizeof *at, before);
    for (int k = 0; k < x->all.n; k++) x->all.v[k] = x->masks.v[at[k]];
}

/* Bits of an element, 0 if it has none of interest. */
static unsigned element_bits(const Carry *x, LLVMTypeRef t) {
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return 0;
    unsigned n = (unsigned)(LLVMSizeOfTypeInBits(x->m->dl, t) / LLVMGetVectorSize(t));
    return n == 8 || n == 16 || n == 32 || n == 64 ? n : 0;
}

static void vote(unsigned *votes, unsigned bits) {
    for (int k = 0; k < SIZES; k++) votes[k] += bits == 8u << k;
}

/* What is compared to get a mask, or masked by it. */
static void ask_neighbours(const Carry *x, LLVMValueRef v, unsigned *votes) {
    for (int o = 0; o < LLVMGetNumOperands(v); o++) {
        LLVMValueRef from = LLVMGetOperand(v, (unsigned)o);
        if (LLVMIsAICmpInst(from) || LLVMIsAFCmpInst(from))
            vote(votes, element_bits(x, LLVMTypeOf(LLVMGetOperand(from, 0))));
    }
    if (LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v)) vote(votes, element_bits(x, LLVMTypeOf(LLVMGetOperand(v, 0))));
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (is_mask(i)) continue;
        if (LLVMIsASelectInst(i) || LLVMIsASExtInst(i)) vote(votes, element_bits(x, LLVMTypeOf(i)));
        if (LLVMIsACallInst(i)) vote(votes, element_bits(x, LLVMTypeOf(is_void(i) ? LLVMGetOperand(i, 0) : i)));
    }
}

static unsigned word_bits(const Carry *x) {
    unsigned votes[SIZES] = {0}, best = 2, lanes = lanes_of(LLVMTypeOf(x->all.v[0])), bits;
    for (int k = 0; k < x->all.n; k++) ask_neighbours(x, x->all.v[k], votes);
    for (unsigned k = 0; k < SIZES; k++)
        if (votes[k] > votes[best]) best = k;
    for (bits = 8u << best; bits > 8 && bits * lanes > REGISTERS * (unsigned)x->m->vector_bits;) bits /= 2;
    return bits;
}

/* ---- words ---- */

static LLVMValueRef constant_words(const Carry *x, LLVMValueRef c) {
    LLVMTypeRef e = LLVMGetElementType(x->word);
    LLVMValueRef lane[MOST];
    unsigned n = LLVMGetVectorSize(x->word);
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

static void stand_behind(const Carry *x, LLVMValueRef v) {
    LLVMValueRef next = LLVMGetNextInstruction(v);
    if (LLVMIsAPHINode(v))
        while (LLVMIsAPHINode(next)) next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(x->b, next);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(v));
}

static LLVMValueRef words_of(Carry *x, LLVMValueRef v);

static LLVMValueRef splat_words(const Carry *x, LLVMValueRef bit) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
    LLVMValueRef none = LLVMGetPoison(x->word), one = LLVMBuildSExt(x->b, bit, LLVMGetElementType(x->word), "");
    one = LLVMBuildInsertElement(x->b, none, one, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(x->b, one, none, LLVMConstNull(LLVMVectorType(i32, LLVMGetVectorSize(x->word))), "");
}

/* select c, a, b: (a and c) or (b and not c), as far as that is not known to be less. */
static LLVMValueRef select_words(Carry *x, LLVMValueRef v) {
    LLVMValueRef c = LLVMGetOperand(v, 0), a = LLVMGetOperand(v, 1), b = LLVMGetOperand(v, 2);
    LLVMValueRef wa = words_of(x, a), wb = words_of(x, b), wc = is_mask(c) ? words_of(x, c) : NULL;
    LLVMPositionBuilderBefore(x->b, v);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(v));
    if (!wc && !is_all(b, false) && !is_all(a, true)) return LLVMBuildSelect(x->b, c, wa, wb, "words");
    if (!wc) wc = splat_words(x, c);
    if (is_all(b, false)) return LLVMBuildAnd(x->b, wc, wa, "words");
    if (is_all(a, true)) return LLVMBuildOr(x->b, wc, wb, "words");
    LLVMValueRef other = LLVMBuildAnd(x->b, wb, LLVMBuildNot(x->b, wc, ""), "");
    return is_all(a, false) ? other : LLVMBuildOr(x->b, LLVMBuildAnd(x->b, wc, wa, ""), other, "words");
}

static LLVMValueRef logic_words(Carry *x, LLVMValueRef v) {
    if (LLVMIsASelectInst(v)) return select_words(x, v);
    LLVMValueRef a = words_of(x, LLVMGetOperand(v, 0)), b = words_of(x, LLVMGetOperand(v, 1));
    LLVMPositionBuilderBefore(x->b, v);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(v));
    return LLVMBuildBinOp(x->b, LLVMGetInstructionOpcode(v), a, b, "words");
}

static LLVMValueRef words_of(Carry *x, LLVMValueRef v) {
    LLVMValueRef w = map_ptr(&x->words, v);
    if (w && LLVMTypeOf(w) == x->word) return w;
    if (LLVMIsConstant(v)) return constant_words(x, v);
    if (map_get(&x->web, v, 0) && is_logic(v)) {
        w = logic_words(x, v);
    } else if (splat_bit(v)) {
        stand_behind(x, v);
        w = splat_words(x, splat_bit(v));
    } else {
        if (LLVMIsAInstruction(v)) stand_behind(x, v);
        else LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(LLVMGetParamParent(v))));
        w = LLVMBuildSExt(x->b, v, x->word, "words");
    }
    map_put(&x->words, v, (uintptr_t)w);
    return w;
}

static void make_phis(Carry *x) {
    for (int k = 0; k < x->all.n; k++) {
        if (!is_phi(x->all.v[k])) continue;
        LLVMPositionBuilderBefore(x->b, x->all.v[k]);
        LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(x->all.v[k]));
        map_put(&x->words, x->all.v[k], (uintptr_t)LLVMBuildPhi(x->b, x->word, "words"));
    }
}

static void connect_phi(Carry *x, LLVMValueRef v) {
    LLVMValueRef w = map_ptr(&x->words, v);
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef from = words_of(x, LLVMGetIncomingValue(v, k));
        LLVMBasicBlockRef bb = LLVMGetIncomingBlock(v, k);
        LLVMAddIncoming(w, &from, &bb, 1);
    }
}

/* Whoever asks for a mask of the web gets it from the words, where he asks: comparisons do not live across blocks. */
static void serve(Carry *x, LLVMValueRef v) {
    Vec(LLVMValueRef) users = {0};
    bool inside = is_phi(v) || is_logic(v); /* else a comparison: its own block goes on using it */
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) vec_push(&x->m->arena, &users, LLVMGetUser(u));
    for (int k = 0; k < users.n; k++) {
        LLVMValueRef i = users.v[k];
        if (map_get(&x->web, i, 0) && (is_phi(i) || is_logic(i))) continue;
        if (i == map_ptr(&x->words, v) ||
            (!inside && (LLVMIsAPHINode(i) || LLVMGetInstructionParent(i) == LLVMGetInstructionParent(v))))
            continue;
        LLVMPositionBuilderBefore(x->b, i);
        LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(i));
        LLVMValueRef mask = LLVMBuildICmp(x->b, LLVMIntSLT, map_ptr(&x->words, v), LLVMConstNull(x->word), "");
        for (int o = 0; o < LLVMGetNumOperands(i); o++)
            if (LLVMGetOperand(i, (unsigned)o) == v) LLVMSetOperand(i, (unsigned)o, mask);
    }
}

static void carry_web(Carry *x, LLVMValueRef seed) {
    x->all.n = 0;
    map_put(&x->web, seed, 1);
    vec_push(&x->m->arena, &x->all, seed);
    grow(x);
    sort(x);
    unsigned lanes = lanes_of(LLVMTypeOf(seed)), bits = word_bits(x);
    if (bits * lanes <= 128) return; /* code generation has them so itself */
    x->word = LLVMVectorType(LLVMIntTypeInContext(x->m->ctx, bits), lanes);
    make_phis(x);
    for (int k = 0; k < x->all.n; k++) words_of(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++)
        if (is_phi(x->all.v[k])) connect_phi(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++) serve(x, x->all.v[k]);
    for (int k = 0; k < x->all.n; k++) {
        LLVMValueRef v = x->all.v[k];
        if (!is_phi(v) && !is_logic(v)) continue;
        vec_push(&x->m->arena, &x->dead, v);
    }
}

static void erase_dead(Carry *x) {
    for (int k = 0; k < x->dead.n; k++) LLVMReplaceAllUsesWith(x->dead.v[k], LLVMGetPoison(LLVMTypeOf(x->dead.v[k])));
    for (int k = 0; k < x->dead.n; k++) LLVMInstructionEraseFromParent(x->dead.v[k]);
    x->dead.n = 0;
}

static void carry_in(Carry *x, LLVMValueRef fn) {
    map_init(&x->web, &x->m->arena);
    map_init(&x->words, &x->m->arena);
    map_init(&x->place, &x->m->arena);
    x->masks.n = 0;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
            if (!is_mask(i)) continue;
            map_put(&x->place, i, (uintptr_t)x->masks.n);
            vec_push(&x->m->arena, &x->masks, i);
        }
    for (int k = 0; k < x->masks.n; k++)
        if (is_phi(x->masks.v[k]) && !map_get(&x->web, x->masks.v[k], 0)) carry_web(x, x->masks.v[k]);
    for (int k = 0; k < x->masks.n; k++)
        if (!map_get(&x->web, x->masks.v[k], 0) && (leaves_block(x, x->masks.v[k]) || spreads_bit(x->masks.v[k])))
            carry_web(x, x->masks.v[k]);
    erase_dead(x);
}

bool widen_live_masks(Module *m) {
    if (m->opt->opt_level == 0 || pass_disabled(m, "widen_live_masks") ||
        shim_has_features(m->tm, "+avx512f,+avx512vl"))
        return true;
    Carry x = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) carry_in(&x, fn);
    LLVMDisposeBuilder(x.b);
    return true;
}
