/* lower_masked: masked accesses that the target has no instruction for.
**
** in:  optimised entries
** out: llvm.masked.load, .store, .gather and .scatter that LLVM would scalarise, each lane after a branch (all of them
**      on x86-64-v2; bytes and shorts, gathers and all scatters with AVX2; gathers of bytes with AVX-512), become
**        - load: the whole vector, if some lane is active; nothing if none is. If it crosses into another page of
**          which no lane is active, the address is moved by as much as it takes to stay in the page that has such
**          lanes, and the vector back by a copy on the stack
**        - store: the whole vector if all lanes are active, nothing if none is; if the active lanes are one interval,
**          its bytes in two overlapping halves of the next smaller power of two; else as before
**        - gather, scatter: lane by lane without branches. If all lanes are active each address is a scalar base and
**          an element of the index, else inactive lanes access a private slot on the stack that is never read. If a
**          function has many of them they have the second form only, for the sake of compile time
** Gathers and scatters with few active lanes, by a constant mask, become accesses of these where that takes less than
** the target's instruction: the border of a tile.
** Where the target has no masked stores, or they are slow (AVX2): in memory that is private to the block or the group
** (is_blendable) the row is loaded, blended and stored whole, inactive lanes unchanged, nothing if none is active.
** Elsewhere plain stores if all lanes are active, none if none is, if the active lanes are one interval as above (with
** AVX2 moved to the start of a register), else as before, register by register. Tests of a mask that is invariant in
** the loop around the store are computed where the mask is.
** With AVX-512, loads and stores of rows of less than 16 bytes become those of 16: LLVM 22 widens them itself, but
** forgets to clear the lanes of the mask that it adds where that comes from a longer one in another block, and writes
** what it must not. A volatile load of the active lanes, once in a function, hides their value from it.
** A load reads no byte from a page that no active lane accesses, so it faults where the lanes would; the other bytes
** are discarded. LLVM must not derive anything from its size: it is volatile. A store writes the bytes of active lanes
** only. Constraint: no later pass looks for whole loops. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/op_cost.h"
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    MIN_ROW = 16,
    MAX_SIZE = 4,
    PAGE = 4096,
    MAX_ROWS = 400,
    MAX_LANES = 1024,
    SCRATCH_BYTES = 64,
    REGISTER_WORDS = 8
};

typedef struct Masked {
    Module *m;
    LLVMBuilderRef b;
    LLVMValueRef fn, call, pointer, mask, value; /* value: what is stored, or the value for inactive lanes */
    LLVMTypeRef vector, element, i64;
    LLVMValueRef bits;       /* the mask as an integer, if it is there already; else NULL */
    LLVMValueRef mask_point; /* tests of a store's mask are computed before it; NULL: at the store */
    ShimMasked kind;
    unsigned lanes, size, align; /* size: bytes of an element */
    LLVMValueRef scratch;        /* scratch memory for inactive lanes, one for the function, or NULL */
    LLVMValueRef there[MIN_ROW / 2 + 1]
                      [MAX_SIZE + 1]; /* of this function, by lanes and size: see existing_lanes; or NULL */
    LLVMValueRef realigned[12];    /* one for the function, by the exponent of its bytes: see realign_buffer; or NULL */
    bool fast_stores;              /* the target masks stores at no cost */
    unsigned rows, two_form_lanes; /* done in this function: accesses of rows, lanes of gathers in both forms */
} Masked;

static LLVMValueRef call_overloaded(const Masked *x, const char *name, LLVMTypeRef over, LLVMValueRef *args,
                                    unsigned n) {
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(x->m->mod, LLVMLookupIntrinsicID(name, strlen(name)), &over, 1);
    return LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f, args, n, "");
}

/* ---- blocks ---- */

/* if (test) new code, to be added by the builder; else the call as it was. */
typedef struct Fork {
    LLVMBasicBlockRef yes, no, join;
} Fork;

static Fork fork_on(const Masked *x, LLVMValueRef test) {
    Fork f;
    LLVMBasicBlockRef before = LLVMGetInstructionParent(x->call);
    f.join = shim_split_block(LLVMGetNextInstruction(x->call), "joined");
    f.no = shim_split_block(x->call, "apart");
    f.yes = LLVMInsertBasicBlockInContext(x->m->ctx, f.no, "whole");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(x->b, before);
    LLVMBuildCondBr(x->b, test, f.yes, f.no);
    LLVMPositionBuilderAtEnd(x->b, f.yes);
    return f;
}

/* The builder is at the end of the new code; v is what it loaded, or NULL. */
static void end_fork(const Masked *x, const Fork *f, LLVMValueRef v) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(x->b);
    LLVMBuildBr(x->b, f->join);
    if (!v) return;
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(f->join));
    LLVMValueRef phi = LLVMBuildPhi(x->b, x->vector, "");
    LLVMReplaceAllUsesWith(x->call, phi);
    LLVMAddIncoming(phi, (LLVMValueRef[]){v, x->call}, (LLVMBasicBlockRef[]){from, f->no}, 2);
}

/* The mask as an integer; lane 0 is its lowest bit. */
static LLVMValueRef bits_of_mask(const Masked *x) {
    if (x->bits) return x->bits;
    LLVMTypeRef type = LLVMIntTypeInContext(x->m->ctx, x->lanes);
    bool was_bits = LLVMIsABitCastInst(x->mask) && LLVMTypeOf(LLVMGetOperand(x->mask, 0)) == type;
    LLVMValueRef bits = was_bits ? LLVMGetOperand(x->mask, 0) : LLVMBuildBitCast(x->b, x->mask, type, "");
    return LLVMBuildZExt(x->b, bits, x->i64, "");
}

static LLVMValueRef test_all_lanes(const Masked *x) {
    return LLVMBuildICmp(x->b, LLVMIntEQ, bits_of_mask(x),
                         const_i64(x->m->ctx, x->lanes < 64 ? (1ULL << x->lanes) - 1 : ~0ULL), "");
}

static bool always_all_lanes(const Masked *x) {
    for (unsigned l = 0; l < x->lanes; l++) {
        LLVMValueRef bit = LLVMIsConstant(x->mask) ? LLVMGetAggregateElement(x->mask, l) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit) || !LLVMConstIntGetZExtValue(bit)) return false;
    }
    return true;
}

/* ---- masks that are invariant in a loop ---- */

/* From here on the builder is where what depends only on the mask is computed; returns the block that it was in. */
static LLVMBasicBlockRef enter_mask_point(const Masked *x) {
    LLVMBasicBlockRef was = LLVMGetInsertBlock(x->b);
    if (x->mask_point) LLVMPositionBuilderBefore(x->b, x->mask_point);
    return was;
}

static void leave_mask_point(const Masked *x, LLVMBasicBlockRef was) {
    if (!x->mask_point) return;
    if (LLVMGetBasicBlockTerminator(was)) LLVMPositionBuilderBefore(x->b, x->call);
    else LLVMPositionBuilderAtEnd(x->b, was);
}

/* The mask of a store, if it is defined outside of the loop around the store, else NULL. */
static LLVMValueRef fixed_mask(const Cfg *c, LLVMValueRef store) {
    LLVMValueRef mask = LLVMGetOperand(store, 2);
    int b = cfg_block_of(c, store), l = b < 0 ? -1 : c->b[b].loop;
    int d = cfg_block_of(c, mask);
    return l < 0 || d < 0 || cfg_loop_contains(c, l, d) ? NULL : mask;
}

/* Computed when the store is lowered: a load after the mask is gone by then. */
static LLVMValueRef point_after(LLVMValueRef mask) {
    return LLVMIsAPHINode(mask) ? first_after_phis(LLVMGetInstructionParent(mask)) : LLVMGetNextInstruction(mask);
}

/* ---- rows ---- */

/* Before a store that is done lane by lane, each after a branch. */
static void skip_if_none(const Masked *x) {
    LLVMPositionBuilderBefore(x->b, x->call);
    Fork none = fork_on(x, LLVMBuildICmp(x->b, LLVMIntEQ, bits_of_mask(x), const_i64(x->m->ctx, 0), ""));
    end_fork(x, &none, NULL);
    LLVMPositionBuilderBefore(x->b, x->call);
}

static LLVMValueRef load_vector(const Masked *x, LLVMValueRef p, unsigned align) {
    LLVMValueRef v = LLVMBuildLoad2(x->b, x->vector, p, "");
    LLVMSetAlignment(v, align);
    LLVMSetVolatile(v, 1);
    return v;
}

static LLVMValueRef byte_at(const Masked *x, LLVMValueRef p, LLVMValueRef offset) {
    return LLVMBuildGEP2(x->b, LLVMInt8TypeInContext(x->m->ctx), p, &offset, 1, "");
}

/* One for the function: a vector can be stored up to its length before or after the middle. */
static LLVMValueRef realign_buffer(Masked *x, unsigned bytes) {
    LLVMValueRef *mask_point = &x->realigned[__builtin_ctz(bytes)];
    if (*mask_point) return *mask_point;
    *mask_point = entry_alloca(x->fn, LLVMArrayType2(LLVMInt8TypeInContext(x->m->ctx), 3 * (uint64_t)bytes), "moved");
    LLVMSetAlignment(*mask_point, bytes < SCRATCH_BYTES ? bytes : SCRATCH_BYTES);
    return *mask_point;
}

/* The vector begins `at` bytes into a page and ends in the next one. Where lanes of both pages are active it can be
** read at its address, else from the end of the first page or the start of the next one; a copy on the stack moves the
** lanes to their positions. */
static LLVMValueRef load_across_pages(Masked *x, LLVMValueRef bits, LLVMValueRef at) {
    unsigned bytes = x->lanes * x->size;
    LLVMValueRef sure = const_bool(x->m->ctx, 1);
    LLVMValueRef first = call_overloaded(x, "llvm.cttz", x->i64, (LLVMValueRef[]){bits, sure}, 2);
    LLVMValueRef off = call_overloaded(x, "llvm.ctlz", x->i64, (LLVMValueRef[]){bits, sure}, 2);
    LLVMValueRef end =
        LLVMBuildMul(x->b, LLVMBuildSub(x->b, const_i64(x->m->ctx, 64), off, ""), const_i64(x->m->ctx, x->size), "");
    LLVMValueRef page =
        LLVMBuildSub(x->b, const_i64(x->m->ctx, PAGE), at, "page"); /* where the next one begins, in the vector */
    LLVMValueRef low =
        LLVMBuildICmp(x->b, LLVMIntULT, LLVMBuildMul(x->b, first, const_i64(x->m->ctx, x->size), ""), page, "");
    LLVMValueRef high = LLVMBuildICmp(x->b, LLVMIntUGT, end, page, "");
    LLVMValueRef back = LLVMBuildSelect(x->b, high, const_i64(x->m->ctx, 0),
                                        LLVMBuildSub(x->b, page, const_i64(x->m->ctx, bytes), ""), "");
    LLVMValueRef by = LLVMBuildSelect(x->b, low, back, page, "by");
    LLVMValueRef v = load_vector(x, byte_at(x, x->pointer, by), 1);
    LLVMValueRef middle = byte_at(x, realign_buffer(x, bytes), const_i64(x->m->ctx, bytes));
    LLVMSetAlignment(LLVMBuildStore(x->b, v, byte_at(x, middle, by)), 1);
    v = LLVMBuildLoad2(x->b, x->vector, middle, "");
    LLVMSetAlignment(v, bytes < SCRATCH_BYTES ? bytes : SCRATCH_BYTES);
    return v;
}

/* The builder is after the tests whether some lane is active. */
static LLVMValueRef load_some(Masked *x, LLVMBasicBlockRef join, LLVMValueRef bits) {
    unsigned bytes = x->lanes * x->size;
    if (x->align >= bytes) return load_vector(x, x->pointer, x->align);
    LLVMBasicBlockRef block[3]; /* within a page, beyond it, either */
    static const char *const names[3] = {"within", "beside", "loaded"};
    for (int k = 0; k < 3; k++) block[k] = LLVMInsertBasicBlockInContext(x->m->ctx, join, names[k]);
    LLVMValueRef at = LLVMBuildAnd(x->b, LLVMBuildPtrToInt(x->b, x->pointer, x->i64, ""),
                                   const_i64(x->m->ctx, PAGE - 1), ""),
                 v[2];
    LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntULE, at, const_i64(x->m->ctx, PAGE - bytes), ""), block[0],
                    block[1]);
    for (int k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(x->b, block[k]);
        v[k] = k ? load_across_pages(x, bits, at) : load_vector(x, x->pointer, x->align);
        LLVMBuildBr(x->b, block[2]);
    }
    LLVMPositionBuilderAtEnd(x->b, block[2]);
    LLVMValueRef phi = LLVMBuildPhi(x->b, x->vector, "");
    LLVMAddIncoming(phi, v, block, 2);
    return phi;
}

static void lower_load_row(Masked *x) {
    LLVMValueRef bits = bits_of_mask(x);
    Fork some = fork_on(x, LLVMBuildICmp(x->b, LLVMIntNE, bits, const_i64(x->m->ctx, 0), ""));
    LLVMValueRef v = load_some(x, some.join, bits);
    if (!LLVMIsUndef(x->value)) v = LLVMBuildSelect(x->b, x->mask, v, x->value, "");
    end_fork(x, &some, v);
    replace_instruction(x->call, x->value);
}

static LLVMValueRef element_at(const Masked *x, LLVMValueRef p, LLVMValueRef index) {
    return LLVMBuildGEP2(x->b, x->element, p, &index, 1, "");
}

/* A vector of one register, whose parts can begin at any lane. */
static bool can_permute(const Masked *x) {
    return x->lanes * x->size == 4 * REGISTER_WORDS && x->size % 4 == 0 && shim_has_features(x->m->tm, "+avx2");
}

/* The vector, moved so that element `index` is the first. */
static LLVMValueRef shifted_bits(const Masked *x, LLVMValueRef index) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx), words = LLVMVectorType(i32, REGISTER_WORDS);
    LLVMBasicBlockRef here = enter_mask_point(x);
    LLVMValueRef word = LLVMBuildMul(x->b, LLVMBuildTrunc(x->b, index, i32, ""), LLVMConstInt(i32, x->size / 4, 0), ""),
                 list[REGISTER_WORDS];
    for (unsigned l = 0; l < REGISTER_WORDS; l++) list[l] = LLVMConstInt(i32, l, 0);
    LLVMValueRef one = LLVMBuildInsertElement(x->b, LLVMGetPoison(words), word, const_i64(x->m->ctx, 0), "");
    LLVMValueRef all = LLVMBuildShuffleVector(x->b, one, LLVMGetPoison(words), LLVMConstNull(words), "");
    LLVMValueRef from = LLVMBuildAdd(x->b, all, LLVMConstVector(list, REGISTER_WORDS), "");
    leave_mask_point(x, here);
    LLVMValueRef args[2] = {LLVMBuildBitCast(x->b, x->value, words, ""), from};
    static const char name[] = "llvm.x86.avx2.permd";
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(x->m->mod, LLVMLookupIntrinsicID(name, sizeof name - 1), NULL, 0);
    return LLVMBuildBitCast(x->b, LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f, args, 2, ""), x->vector, "");
}

/* n elements from `index` on, as t; slot: a copy of the vector on the stack, or NULL. */
static LLVMValueRef part_at(const Masked *x, LLVMValueRef slot, LLVMValueRef index, unsigned n, LLVMTypeRef t) {
    if (!slot) {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
        LLVMValueRef list[REGISTER_WORDS], v = shifted_bits(x, index);
        for (unsigned l = 0; l < n; l++) list[l] = LLVMConstInt(i32, l, 0);
        return LLVMBuildBitCast(
            x->b, LLVMBuildShuffleVector(x->b, v, LLVMGetPoison(x->vector), LLVMConstVector(list, n), ""), t, "");
    }
    LLVMValueRef v = LLVMBuildLoad2(x->b, t, element_at(x, slot, index), "");
    LLVMSetAlignment(v, x->size);
    return v;
}

static void copy_interval(const Masked *x, LLVMValueRef slot, LLVMValueRef index, unsigned n) {
    LLVMTypeRef t = n == 1 ? x->element : LLVMVectorType(x->element, n);
    if (n * x->size <= 8) t = LLVMIntTypeInContext(x->m->ctx, n * x->size * 8);
    LLVMValueRef v = part_at(x, slot, index, n, t);
    LLVMSetAlignment(LLVMBuildStore(x->b, v, element_at(x, x->pointer, index)),
                     x->align < x->size ? x->align : x->size);
}

/* The interval of `count` lanes from lane `first` on. */
static void store_interval(const Masked *x, LLVMBasicBlockRef join, LLVMValueRef first, LLVMValueRef count) {
    LLVMValueRef slot = can_permute(x) ? NULL : entry_alloca(x->fn, x->vector, "lanes");
    if (slot) {
        LLVMSetAlignment(slot, x->lanes * x->size > 64 ? 64 : x->lanes * x->size);
        LLVMSetAlignment(LLVMBuildStore(x->b, x->value, slot), LLVMGetAlignment(slot));
    }
    for (unsigned n = x->lanes / 2; n; n /= 2) {
        LLVMBasicBlockRef some = LLVMInsertBasicBlockInContext(x->m->ctx, join, "interval"), fewer = NULL;
        if (n > 1) {
            fewer = LLVMInsertBasicBlockInContext(x->m->ctx, join, "fewer");
            LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntUGE, count, const_i64(x->m->ctx, n), ""), some, fewer);
        } else {
            LLVMBuildBr(x->b, some);
        }
        LLVMPositionBuilderAtEnd(x->b, some);
        copy_interval(x, slot, first, n);
        if (n > 1) {
            LLVMBasicBlockRef here = enter_mask_point(x);
            LLVMValueRef second = LLVMBuildSub(x->b, LLVMBuildAdd(x->b, first, count, ""), const_i64(x->m->ctx, n), "");
            leave_mask_point(x, here);
            copy_interval(x, slot, second, n);
            LLVMBuildBr(x->b, join);
            LLVMPositionBuilderAtEnd(x->b, fewer);
        }
    }
}

/* Before what is done lane by lane: an interval of active lanes is stored as such. */
static void store_if_interval(Masked *x) {
    LLVMBasicBlockRef here = enter_mask_point(x);
    LLVMValueRef bits = bits_of_mask(x);
    LLVMValueRef first = call_overloaded(x, "llvm.cttz", x->i64, (LLVMValueRef[]){bits, const_bool(x->m->ctx, 1)}, 2);
    LLVMValueRef low = LLVMBuildLShr(x->b, bits, first, "");
    LLVMValueRef gap = LLVMBuildAnd(x->b, low, LLVMBuildAdd(x->b, low, const_i64(x->m->ctx, 1), ""), "");
    LLVMValueRef whole = LLVMBuildICmp(x->b, LLVMIntEQ, gap, const_i64(x->m->ctx, 0), "");
    LLVMValueRef count = x->mask_point ? call_overloaded(x, "llvm.ctpop", x->i64, &bits, 1) : NULL;
    leave_mask_point(x, here);
    Fork interval = fork_on(x, whole);
    if (!count) count = call_overloaded(x, "llvm.ctpop", x->i64, &bits, 1);
    store_interval(x, interval.join, first, count);
    end_fork(x, &interval, NULL);
    LLVMPositionBuilderBefore(x->b, x->call);
}

static void lower_store_row(Masked *x) {
    Fork all = fork_on(x, test_all_lanes(x));
    LLVMSetAlignment(LLVMBuildStore(x->b, x->value, x->pointer), x->align);
    end_fork(x, &all, NULL);
    skip_if_none(x);
    store_if_interval(x);
}

/* ---- gathers and scatters ---- */

/* Lane l of an index, sign-extended: extracted from the vector before extensions and constant sums. */
static LLVMValueRef index_of_lane(const Masked *x, LLVMValueRef v, unsigned l) {
    if (LLVMIsConstant(v)) return LLVMGetAggregateElement(v, l);
    bool sum = opcode(v) == LLVMAdd;
    if (sum && LLVMIsConstant(LLVMGetOperand(v, 1)))
        return LLVMBuildAdd(x->b, index_of_lane(x, LLVMGetOperand(v, 0), l),
                            LLVMGetAggregateElement(LLVMGetOperand(v, 1), l), "");
    bool sign = LLVMIsASExtInst(v), zero = LLVMIsAZExtInst(v);
    if (sign || zero) {
        LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(v));
        LLVMValueRef e = index_of_lane(x, LLVMGetOperand(v, 0), l);
        return sign ? LLVMBuildSExt(x->b, e, t, "") : LLVMBuildZExt(x->b, e, t, "");
    }
    return LLVMBuildExtractElement(x->b, v, const_i64(x->m->ctx, l), "");
}

/* y = x + c in 64 bits, with the value of a sum of `bits` bits. Not as the extension of a sum: LLVM's code generator
** (BaseIndexOffset) takes sext(x + 1) to be next to sext(x) in memory, and loads both at once. */
static LLVMValueRef wrapped(const Masked *x, LLVMValueRef y, int64_t c, unsigned bits) {
    int64_t half = INT64_C(1) << (bits - 1);
    LLVMValueRef over = LLVMBuildICmp(x->b, c < 0 ? LLVMIntSLT : LLVMIntSGE, y,
                                      const_i64(x->m->ctx, (uint64_t)(c < 0 ? -half : half)), "");
    LLVMValueRef by = const_i64(x->m->ctx, (uint64_t)(c < 0 ? 2 * half : -2 * half));
    return LLVMBuildSelect(x->b, over, LLVMBuildAdd(x->b, y, by, ""), y, "");
}

/* Lane l of an index, extended to 64 bits by its sign. */
static LLVMValueRef wide_lane(const Masked *x, LLVMValueRef v, unsigned l) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(x->m->ctx);
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
    if (LLVMIsASExtInst(v) && !LLVMIsConstant(v)) return wide_lane(x, LLVMGetOperand(v, 0), l);
    bool sum = opcode(v) == LLVMAdd && LLVMIsConstant(LLVMGetOperand(v, 1));
    LLVMValueRef c = sum ? LLVMGetAggregateElement(LLVMGetOperand(v, 1), l) : NULL;
    bool plain = !c || !LLVMIsAConstantInt(c) || bits > 32;
    if (plain || (!LLVMGetNSW(v) && !workaround_is_on(WORKAROUND_wrap_indices))) {
        LLVMValueRef i = index_of_lane(x, v, l);
        return bits < 64 ? LLVMBuildSExt(x->b, i, i64, "") : i;
    }
    int64_t by = LLVMConstIntGetSExtValue(c);
    LLVMValueRef y = wide_lane(x, LLVMGetOperand(v, 0), l);
    if (by) y = LLVMBuildAdd(x->b, y, const_i64(x->m->ctx, (uint64_t)by), "");
    return by && !LLVMGetNSW(v) ? wrapped(x, y, by, bits) : y;
}

static LLVMValueRef pointer_of_lane(const Masked *x, unsigned l) {
    LLVMValueRef p = x->pointer;
    bool row = LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 &&
               LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(p, 0))) == LLVMPointerTypeKind;
    if (!row) return LLVMBuildExtractElement(x->b, p, const_i64(x->m->ctx, l), "");
    LLVMValueRef i = wide_lane(x, LLVMGetOperand(p, 1), l);
    return LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(p), LLVMGetOperand(p, 0), &i, 1, "");
}

static bool is_off(const Masked *x, unsigned l) {
    LLVMValueRef bit = LLVMIsConstant(x->mask) ? LLVMGetAggregateElement(x->mask, l) : NULL;
    return bit && LLVMIsAConstantInt(bit) && !LLVMConstIntGetZExtValue(bit);
}

/* All lanes but those that are inactive by a constant mask. */
static LLVMValueRef access_lanes(const Masked *x) {
    LLVMValueRef all = always_all_lanes(x) || !LLVMIsConstant(x->mask) ? LLVMGetPoison(x->vector) : x->value;
    for (unsigned l = 0; l < x->lanes; l++) {
        if (is_off(x, l)) continue;
        LLVMValueRef p = pointer_of_lane(x, l), one;
        if (x->kind == SHIM_GATHER) one = LLVMBuildLoad2(x->b, x->element, p, "");
        else one = LLVMBuildStore(x->b, LLVMBuildExtractElement(x->b, x->value, const_i64(x->m->ctx, l), ""), p);
        LLVMSetAlignment(one, x->align);
        if (x->kind == SHIM_GATHER) all = LLVMBuildInsertElement(x->b, all, one, const_i64(x->m->ctx, l), "");
    }
    return x->kind == SHIM_GATHER ? all : NULL;
}

static LLVMValueRef splat(const Masked *x, LLVMValueRef v) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
    LLVMValueRef none = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(v), x->lanes));
    LLVMValueRef first = LLVMBuildInsertElement(x->b, none, v, LLVMConstInt(i32, 0, 0), "");
    return LLVMBuildShuffleVector(x->b, first, none, LLVMConstNull(LLVMVectorType(i32, x->lanes)), "");
}

static LLVMValueRef scratch_slot(Masked *x) {
    if (!x->scratch) {
        x->scratch = entry_alloca(x->fn, LLVMArrayType2(LLVMInt8TypeInContext(x->m->ctx), SCRATCH_BYTES), "own");
        LLVMSetAlignment(x->scratch, SCRATCH_BYTES);
    }
    return x->scratch;
}

/* All lanes access memory, inactive ones their scratch slot. */
static void add_scratch(Masked *x) {
    bool load = x->kind == SHIM_GATHER;
    scratch_slot(x);
    LLVMPositionBuilderBefore(x->b, x->call);
    LLVMValueRef call = LLVMInstructionClone(x->call);
    LLVMSetOperand(call, load ? 0 : 1, LLVMBuildSelect(x->b, x->mask, x->pointer, splat(x, x->scratch), ""));
    LLVMSetOperand(call, load ? 1 : 2, LLVMConstAllOnes(LLVMTypeOf(x->mask)));
    if (load) LLVMSetOperand(call, 2, LLVMGetPoison(x->vector));
    LLVMInsertIntoBuilder(x->b, call);
    LLVMValueRef got = load && !LLVMIsUndef(x->value) ? LLVMBuildSelect(x->b, x->mask, call, x->value, "") : call;
    if (load) LLVMReplaceAllUsesWith(x->call, got);
    LLVMInstructionEraseFromParent(x->call);
}

/* By a constant mask few lanes are active: the target's instruction takes longer than one access for each of them. */
static bool has_few_lanes(const Masked *x) {
    unsigned n = 0;
    if ((x->kind != SHIM_GATHER && x->kind != SHIM_SCATTER) || !LLVMIsConstant(x->mask) || x->lanes > 64) return false;
    for (unsigned l = 0; l < x->lanes; l++) {
        LLVMValueRef bit = LLVMGetAggregateElement(x->mask, l);
        if (!bit || !LLVMIsAConstantInt(bit)) return false;
        n += !is_off(x, l);
    }
    if (n == x->lanes || x->size * 8 != LLVMSizeOfTypeInBits(x->m->dl, x->element)) return false;
    if (!shim_masked_is_native(x->m->tm, x->fn, x->vector, x->kind, x->align)) return false;
    bool load = x->kind == SHIM_GATHER;
    double lane = cycles_of_op(x->m, COST_EXTRACT) + cycles_of_op(x->m, load ? COST_INSERT : COST_EXTRACT);
    return n * lane < cycles_of_gather(x->m, x->call);
}

static void lower_lanes(Masked *x) {
    if (LLVMIsConstant(x->mask)) {
        LLVMValueRef v = access_lanes(x);
        if (v) LLVMReplaceAllUsesWith(x->call, v);
        LLVMInstructionEraseFromParent(x->call);
        return;
    }
    if (x->two_form_lanes < MAX_LANES) {
        x->two_form_lanes += x->lanes;
        Fork f = fork_on(x, test_all_lanes(x));
        end_fork(x, &f, access_lanes(x));
    }
    add_scratch(x);
}

/* ---- matching ---- */

static bool find_masked(Masked *x, LLVMValueRef i) {
    MaskedOperands m;
    if (!masked_operands(i, &m)) return false;
    x->call = i;
    x->bits = NULL;
    x->kind = m.scattered ? (m.store ? SHIM_SCATTER : SHIM_GATHER) : m.store ? SHIM_STORE : SHIM_LOAD;
    x->pointer = LLVMGetOperand(i, m.pointer);
    x->mask = LLVMGetOperand(i, m.mask);
    x->value = LLVMGetOperand(i, m.value);
    x->vector = LLVMTypeOf(x->value);
    x->element = LLVMGetElementType(x->vector);
    x->lanes = LLVMGetVectorSize(x->vector);
    x->size = (unsigned)LLVMABISizeOfType(x->m->dl, x->element);
    x->align = call_align(i, m.pointer);
    return true;
}

/* ---- rows that AVX2 masks ---- */

/* Processors with AVX2 and without AVX-512 that mask a store in a cycle or two; AMD's take 15 (Zen 3) or 20 (Zen 4),
** Intel's efficiency cores (Gracemont) are slow as well, so code that may run on both (x86-64-v3) counts as slow. */
static const char *const quick_cores[] = {"haswell", "broadwell", "skylake", "core-avx2"};

/* AVX-512 masks stores at no cost. */
static bool has_fast_masked_stores(const Module *m) {
    if (shim_has_features(m->tm, "+avx512f,+avx512vl")) return true;
    char *cpu = LLVMGetTargetMachineCPU(m->tm);
    bool fast_stores = false;
    for (size_t k = 0; k < sizeof quick_cores / sizeof *quick_cores; k++) fast_stores |= !strcmp(cpu, quick_cores[k]);
    LLVMDisposeMessage(cpu);
    return fast_stores;
}

static LLVMValueRef lanes_between(const Masked *x, LLVMValueRef v, unsigned first, unsigned n) {
    LLVMValueRef list[64];
    for (unsigned l = 0; l < n; l++) list[l] = LLVMConstInt(LLVMInt32TypeInContext(x->m->ctx), first + l, 0);
    return LLVMBuildShuffleVector(x->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(list, n), "");
}

/* A store of n lanes from `first` on, before the builder; it becomes the call. */
static void take_part(Masked *x, LLVMValueRef whole, unsigned first, unsigned n) {
    LLVMTypeRef over[2] = {LLVMVectorType(x->element, n), LLVMTypeOf(x->pointer)};
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(x->m->mod, LLVMLookupIntrinsicID("llvm.masked.store", 17), over, 2);
    LLVMValueRef mask = lanes_between(x, LLVMGetOperand(whole, 2), first, n), at = const_i64(x->m->ctx, first);
    LLVMValueRef p = LLVMBuildGEP2(x->b, x->element, LLVMGetOperand(whole, 1), &at, 1, "");
    x->call = LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f,
                             (LLVMValueRef[]){lanes_between(x, LLVMGetOperand(whole, 0), first, n), p, mask}, 3, "");
    LLVMAttributeRef align = LLVMCreateEnumAttribute(x->m->ctx, LLVMGetEnumAttributeKindForName("align", 5),
                                                     x->align < x->size ? x->align : x->size);
    LLVMAddCallSiteAttribute(x->call, 2, align);
}

/* Groups of a block run one after the other, so no other thread sees the intermediate state. The runtime keeps
** CUCPU_SHARED_SLACK bytes around shared memory; if no lane is active the address of the row may be anything. */
static void lower_store_blend(Masked *x) {
    bool fits = x->lanes * x->size <= SCRATCH_BYTES;
    if (!fits) skip_if_none(x);
    LLVMValueRef p = x->pointer,
                 none = fits ? LLVMBuildICmp(x->b, LLVMIntEQ, bits_of_mask(x), const_i64(x->m->ctx, 0), "") : NULL;
    if (fits) p = LLVMBuildSelect(x->b, none, scratch_slot(x), p, "");
    LLVMPositionBuilderBefore(x->b, x->call);
    LLVMValueRef old = LLVMBuildLoad2(x->b, x->vector, p, ""),
                 store = LLVMBuildStore(x->b, LLVMBuildSelect(x->b, x->mask, x->value, old, ""), p);
    unsigned align = x->align < SCRATCH_BYTES ? x->align : SCRATCH_BYTES;
    LLVMSetAlignment(old, align);
    LLVMSetAlignment(store, align);
    if (workaround_is_on(WORKAROUND_keep_blends)) LLVMSetVolatile(store, 1); /* no masked store again */
    LLVMInstructionEraseFromParent(x->call);
}

/* All lanes, none, or by the mask, register by register. */
static void store_by_registers(Masked *x) {
    LLVMValueRef whole = x->call;
    unsigned n = x->lanes, maximum = 32 / x->size;
    LLVMPositionBuilderBefore(x->b, whole);
    LLVMBasicBlockRef here = enter_mask_point(x);
    LLVMValueRef bits = x->bits = bits_of_mask(x);
    leave_mask_point(x, here);
    Fork all = fork_on(x, test_all_lanes(x));
    LLVMSetAlignment(LLVMBuildStore(x->b, x->value, x->pointer), x->align);
    end_fork(x, &all, NULL);
    skip_if_none(x);
    if (n <= maximum) store_if_interval(x); /* a part of two registers would wait until both are in memory */
    for (unsigned first = 0; n > maximum && first < n; first += maximum) {
        LLVMPositionBuilderBefore(x->b, whole);
        take_part(x, whole, first, maximum);
        find_masked(x, x->call);
        LLVMPositionBuilderBefore(x->b, x->call);
        here = enter_mask_point(x);
        x->bits = LLVMBuildAnd(x->b, LLVMBuildLShr(x->b, bits, const_i64(x->m->ctx, first), ""),
                               const_i64(x->m->ctx, (UINT64_C(1) << maximum) - 1), "");
        leave_mask_point(x, here);
        store_by_registers(x);
    }
    if (n > maximum) LLVMInstructionEraseFromParent(whole);
}

/* ---- rows shorter than a register ---- */

static LLVMValueRef select_lanes(const Masked *x, LLVMValueRef v, LLVMValueRef rest, unsigned from, unsigned to) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->m->ctx);
    LLVMValueRef list[MIN_ROW];
    for (unsigned l = 0; l < to; l++) list[l] = LLVMConstInt(i32, l < from ? l : from, 0);
    return LLVMBuildShuffleVector(x->b, v, rest, LLVMConstVector(list, to), "");
}

/* <n x i1> with the lanes active that x has; loaded once in a function, so that LLVM cannot see which. */
static LLVMValueRef existing_lanes(Masked *x, unsigned n) {
    LLVMValueRef *there = &x->there[x->lanes][x->size];
    if (*there) return *there;
    LLVMTypeRef stored = LLVMIntTypeInContext(x->m->ctx, n < 8 ? 8 : n), bits = LLVMIntTypeInContext(x->m->ctx, n);
    char *name = arena_printf(&x->m->arena, "cucpu.lanes.%u.%u", x->lanes, n);
    LLVMValueRef g = LLVMGetNamedGlobal(x->m->mod, name);
    if (!g) g = internal_global(x->m->mod, LLVMConstInt(stored, (1u << x->lanes) - 1, 0), name, true);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->fn)));
    LLVMValueRef v = LLVMBuildLoad2(x->b, stored, g, "");
    LLVMSetVolatile(v, 1);
    *there = LLVMBuildBitCast(x->b, LLVMBuildTruncOrBitCast(x->b, v, bits, ""),
                              LLVMVectorType(LLVMInt1TypeInContext(x->m->ctx), n), "");
    LLVMPositionBuilderBefore(x->b, x->call);
    return *there;
}

static void pad_row(Masked *x) {
    unsigned n = MIN_ROW / x->size;
    LLVMTypeRef wide = LLVMVectorType(x->element, n), over[2] = {wide, LLVMTypeOf(x->pointer)};
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(x->mask)), poison = LLVMGetPoison(x->vector);
    LLVMValueRef mask = LLVMBuildAnd(x->b, select_lanes(x, x->mask, none, x->lanes, n), existing_lanes(x, n), "");
    LLVMValueRef value = select_lanes(x, x->value, poison, x->lanes, n);
    bool load = x->kind == SHIM_LOAD;
    const char *name = load ? "llvm.masked.load" : "llvm.masked.store";
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(x->m->mod, LLVMLookupIntrinsicID(name, strlen(name)), over, 2);
    LLVMValueRef args[3] = {load ? x->pointer : value, load ? mask : x->pointer, load ? value : mask};
    LLVMValueRef call = LLVMBuildCall2(x->b, LLVMGlobalGetValueType(f), f, args, 3, "");
    LLVMAttributeRef align = LLVMCreateEnumAttribute(x->m->ctx, LLVMGetEnumAttributeKindForName("align", 5), x->align);
    LLVMAddCallSiteAttribute(call, load ? 1 : 2, align);
    if (load) LLVMReplaceAllUsesWith(x->call, select_lanes(x, call, call, x->lanes, x->lanes));
    LLVMInstructionEraseFromParent(x->call);
}

static bool wants_wider(const Masked *x) {
    bool row = x->kind == SHIM_LOAD || x->kind == SHIM_STORE;
    if (!workaround_is_on(WORKAROUND_short_rows)) return false;
    return row && x->lanes > 1 && !(x->lanes & (x->lanes - 1)) && x->size <= MAX_SIZE && x->lanes * x->size < MIN_ROW &&
           !LLVMIsConstant(x->mask) && x->size * 8 == LLVMSizeOfTypeInBits(x->m->dl, x->element) &&
           shim_has_features(x->m->tm, "+avx512vl,+avx512bw");
}

static bool wants_blend(const Masked *x) {
    if (x->kind != SHIM_STORE || !is_blendable(x->call) || LLVMIsConstant(x->mask) || pass_disabled(x->m, "blend_rows"))
        return false;
    if (x->lanes < 2 || x->lanes > 64 || x->lanes * x->size > CUCPU_SHARED_SLACK ||
        x->size * 8 != LLVMSizeOfTypeInBits(x->m->dl, x->element))
        return false;
    return !x->fast_stores || !shim_masked_is_native(x->m->tm, x->fn, x->vector, x->kind, x->align);
}

/* The target masks this store slowly. */
static bool wants_branches(const Masked *x) {
    bool row = x->kind == SHIM_STORE && x->lanes > 1 && x->lanes <= 64 && !(x->lanes & (x->lanes - 1)) &&
               x->lanes * x->size >= MIN_ROW;
    if (!row || LLVMIsConstant(x->mask) || x->size * 8 != LLVMSizeOfTypeInBits(x->m->dl, x->element)) return false;
    return shim_masked_is_native(x->m->tm, x->fn, x->vector, x->kind, x->align) && !x->fast_stores;
}

static bool wants_lowering(const Masked *x) {
    bool row = x->kind == SHIM_LOAD || x->kind == SHIM_STORE;
    if (has_few_lanes(x)) return true;
    if (x->lanes < 2 || x->lanes > 64 || x->lanes & (x->lanes - 1)) return false;
    if (x->size * 8 != LLVMSizeOfTypeInBits(x->m->dl, x->element)) return false;
    if (row && (LLVMIsConstant(x->mask) || x->lanes * x->size > PAGE / 2)) return false;
    if (!row && LLVMIsConstant(x->mask) && !always_all_lanes(x)) return false;
    if (!row && (x->align > SCRATCH_BYTES || x->size > SCRATCH_BYTES)) return false;
    return !shim_masked_is_native(x->m->tm, x->fn, x->vector, x->kind, x->align);
}

static void lower(Masked *x) {
    set_insert_point(x->b, x->call);
    if (wants_wider(x)) {
        pad_row(x);
        return;
    }
    if (wants_blend(x)) {
        lower_store_blend(x);
        return;
    }
    if (wants_branches(x)) {
        if (x->rows++ < MAX_ROWS) store_by_registers(x);
        return;
    }
    switch (x->kind) {
    case SHIM_LOAD:
        if (x->rows++ < MAX_ROWS) lower_load_row(x);
        break;
    case SHIM_STORE:
        if (x->rows++ < MAX_ROWS) lower_store_row(x);
        break;
    case SHIM_GATHER:
    case SHIM_SCATTER: lower_lanes(x); break;
    }
}

/* ---- blends ---- */

/* *p = select(mask, v, *p), which LLVM 22 makes a masked store of. */
static bool is_blend(LLVMValueRef i) {
    LLVMValueRef v = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
    if (!v || !LLVMIsASelectInst(v) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMVectorTypeKind)
        return false;
    for (unsigned k = 1; k < 3; k++) {
        LLVMValueRef old = LLVMGetOperand(v, k);
        if (LLVMIsALoadInst(old) && LLVMGetOperand(old, 0) == LLVMGetOperand(i, 1)) return true;
    }
    return false;
}

/* A volatile store is kept. */
static void keep_blends(LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb)
        if (is_blend(i)) LLVMSetVolatile(i, 1);
}

bool lower_masked(Module *m) {
    if (m->opt->opt_level == 0 || pass_disabled(m, "lower_masked")) return true;
    Masked x = {.m = m,
                .b = LLVMCreateBuilderInContext(m->ctx),
                .i64 = LLVMInt64TypeInContext(m->ctx),
                .fast_stores = has_fast_masked_stores(m)};
    for (x.fn = LLVMGetFirstFunction(m->mod); x.fn; x.fn = LLVMGetNextFunction(x.fn)) {
        Vec(LLVMValueRef) calls = {0}, masks = {0};
        const Cfg *c = NULL;
        x.scratch = NULL;
        memset(x.there, 0, sizeof x.there);
        memset(x.realigned, 0, sizeof x.realigned);
        x.rows = x.two_form_lanes = 0;
        for_each_block(bb, x.fn) {
            if (!x.fast_stores && workaround_is_on(WORKAROUND_keep_blends)) keep_blends(bb);
            for_each_in_block(i, bb)
                if (find_masked(&x, i) &&
                    (wants_wider(&x) || wants_blend(&x) || wants_branches(&x) || wants_lowering(&x))) {
                    bool branches = x.kind == SHIM_STORE && wants_branches(&x);
                    if (branches && !c) c = cfg_build(&m->arena, x.fn);
                    vec_push(&m->arena, &calls, i);
                    vec_push(&m->arena, &masks, branches ? fixed_mask(c, i) : NULL);
                }
        }
        for (int k = 0; k < calls.n; k++) {
            x.mask_point = masks.v[k] ? point_after(masks.v[k]) : NULL;
            if (find_masked(&x, calls.v[k])) lower(&x);
        }
    }
    LLVMDisposeBuilder(x.b);
    return true;
}
