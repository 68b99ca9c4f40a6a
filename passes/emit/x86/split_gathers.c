/* split_gathers: a gather or scatter whose lanes are constant distances apart becomes loads or stores of its elements.
**
** in, out: optimised entries
**
**   scatter v, p + <0 64 128 192 1 65 129 193>     p[0], p[1] = v[0], v[4];  p[64], p[65] = v[1], v[5]; ...
**
** Each address is a scalar with a constant offset, and elements that are neighbours are one access: pairs, or four of
** 32 bits, where all lanes are in such runs. The instruction of the target takes each lane by itself, on some
** processors in two or three cycles. Done where the cost model estimates it faster.
** Legal: all lanes are active; of lanes that store to one address the last one does. Elements of 32 and 64 bits: those
** of fewer have no such instruction (lower_masked). */
#include "passes/analysis/op_cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/passes.h"
#include <stdlib.h>

enum { MAX_LANES = 64, PIECE = 16 /* bytes, at most: within them an element is inserted or extracted at once */ };

typedef struct Element {
    int64_t at; /* elements after the base */
    unsigned lane;
} Element;

typedef struct Access {
    Module *m;
    LLVMBuilderRef b;
    LLVMValueRef call, base, value; /* value: what is stored */
    LLVMTypeRef element;
    MaskedOperands of;
    unsigned lanes, size, align;  /* size: bytes of an element */
    Element e[MAX_LANES];         /* by address */
    unsigned n;                   /* addresses */
    unsigned position[MAX_LANES]; /* of each lane in e */
    unsigned piece;               /* elements of each load or store */
} Access;

static bool all_are_active(LLVMValueRef mask, unsigned lanes) {
    for (unsigned l = 0; l < lanes; l++) {
        LLVMValueRef bit = LLVMIsConstant(mask) ? LLVMGetAggregateElement(mask, l) : NULL;
        if (!bit || !LLVMIsAConstantInt(bit) || !LLVMConstIntGetZExtValue(bit)) return false;
    }
    return true;
}

static int by_address(const void *p, const void *q) {
    const Element *x = p, *y = q;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* Sorted, each address once: with the last lane, whose value remains. */
static void sort_elements(Access *a) {
    qsort(a->e, a->lanes, sizeof *a->e, by_address);
    a->n = 0;
    for (unsigned k = 0; k < a->lanes; k++) {
        if (!k || a->e[k].at != a->e[a->n - 1].at) a->n++;
        a->position[a->e[k].lane] = a->n - 1;
        a->e[a->n - 1] = a->e[k];
    }
}

static bool has_constant_distances(Access *a, LLVMValueRef p) {
    bool row = LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 &&
               LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(p, 0))) == LLVMPointerTypeKind;
    if (!row || !LLVMIsConstant(LLVMGetOperand(p, 1))) return false;
    int64_t step = (int64_t)LLVMABISizeOfType(a->m->dl, LLVMGetGEPSourceElementType(p));
    for (unsigned l = 0; l < a->lanes; l++) {
        LLVMValueRef c = LLVMGetAggregateElement(LLVMGetOperand(p, 1), l);
        if (!c || !LLVMIsAConstantInt(c) || LLVMConstIntGetSExtValue(c) * step % a->size) return false;
        a->e[l] = (Element){LLVMConstIntGetSExtValue(c) * step / a->size, l};
    }
    a->base = LLVMGetOperand(p, 0);
    return true;
}

/* All addresses are in runs of so many neighbours. */
static bool is_in_pieces(const Access *a, unsigned of) {
    for (unsigned k = 0; k < a->n; k++)
        if (k % of && a->e[k].at != a->e[k - 1].at + 1) return false;
    return a->n % of == 0;
}

static bool find_access(Access *a, LLVMValueRef i) {
    if (!masked_operands(i, &a->of) || !a->of.scattered) return false;
    a->call = i;
    a->value = LLVMGetOperand(i, a->of.value);
    a->element = LLVMGetElementType(LLVMTypeOf(a->value));
    a->lanes = LLVMGetVectorSize(LLVMTypeOf(a->value));
    a->size = (unsigned)LLVMABISizeOfType(a->m->dl, a->element);
    a->align = call_align(i, a->of.pointer);
    if ((a->size != 4 && a->size != 8) || a->lanes > MAX_LANES || (a->lanes & (a->lanes - 1))) return false;
    if (LLVMGetTypeKind(a->element) == LLVMPointerTypeKind || !all_are_active(LLVMGetOperand(i, a->of.mask), a->lanes))
        return false;
    if (!has_constant_distances(a, LLVMGetOperand(i, a->of.pointer))) return false;
    sort_elements(a);
    for (a->piece = PIECE / a->size; !is_in_pieces(a, a->piece);) a->piece /= 2;
    return true;
}

/* ---- profit ---- */

static bool is_in_lane_order(const Access *a) {
    for (unsigned l = 0; l < a->lanes; l++)
        if (a->position[l] != l) return false;
    return true;
}

/* Accesses and shuffles occupy different units: the first piece of 16 bytes needs no shuffle of its own. */
static double cycles_of_pieces(const Access *a) {
    double pieces = a->n / a->piece, parts = (a->n * a->size + PIECE - 1) / PIECE,
           registers = (a->n * a->size * 8 + a->m->vector_bits - 1) / a->m->vector_bits;
    CostOp element = a->of.store ? COST_EXTRACT : COST_INSERT;
    double shuffles = (pieces > parts ? pieces - parts : 0) * a->m->costs->op[element][BITS_128].throughput +
                      (parts - registers) * cycles_of_op(a->m, COST_SIMPLE);
    if (!is_in_lane_order(a) && a->piece > 1) shuffles += registers * registers * cycles_of_op(a->m, COST_SIMPLE);
    double accesses = pieces * a->m->costs->op[a->of.store ? COST_STORE : COST_LOAD][SCALAR].throughput;
    return accesses > shuffles ? accesses : shuffles;
}

/* ---- pieces ---- */

static LLVMValueRef shuffled(const Access *a, LLVMValueRef v, const unsigned *from, unsigned n) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(a->m->ctx);
    LLVMValueRef list[MAX_LANES];
    for (unsigned k = 0; k < n; k++) list[k] = LLVMConstInt(i32, from[k], 0);
    return LLVMBuildShuffleVector(a->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(list, n), "");
}

/* What one load or store moves: an element, or several as one integer or float. */
static LLVMTypeRef piece_type(const Access *a) {
    if (a->piece == 1) return a->element;
    if (a->piece * a->size == 8) return LLVMDoubleTypeInContext(a->m->ctx);
    return LLVMVectorType(a->element, a->piece);
}

static LLVMValueRef address_of(const Access *a, unsigned piece) {
    LLVMValueRef at = const_i64(a->m->ctx, (uint64_t)a->e[piece * a->piece].at);
    return LLVMBuildGEP2(a->b, a->element, a->base, &at, 1, "");
}

static void store_pieces(const Access *a) {
    LLVMTypeRef t = piece_type(a);
    unsigned from[MAX_LANES], pieces = a->n / a->piece;
    bool joined = a->piece * a->size == 8 && a->piece > 1;
    for (unsigned k = 0; k < a->n; k++) from[k] = a->e[k].lane;
    LLVMValueRef all = a->piece > 1 ? shuffled(a, a->value, from, a->n) : a->value;
    if (joined) all = LLVMBuildBitCast(a->b, all, LLVMVectorType(t, pieces), "");
    for (unsigned p = 0; p < pieces; p++) {
        unsigned lane[PIECE];
        for (unsigned k = 0; k < a->piece; k++) lane[k] = p * a->piece + k;
        LLVMValueRef number = const_i64(a->m->ctx, a->piece == 1 ? a->e[p].lane : p),
                     v = a->piece == 1 || joined ? LLVMBuildExtractElement(a->b, all, number, "")
                                                 : shuffled(a, all, lane, a->piece);
        LLVMSetAlignment(LLVMBuildStore(a->b, v, address_of(a, p)), a->align);
    }
}

/* Pairs of vectors, then pairs of these. */
static LLVMValueRef concatenated(const Access *a, LLVMValueRef *v, unsigned n) {
    for (unsigned lanes = a->piece; n > 1; lanes *= 2, n = (n + 1) / 2)
        for (unsigned k = 0; k < (n + 1) / 2; k++) {
            LLVMTypeRef i32 = LLVMInt32TypeInContext(a->m->ctx);
            LLVMValueRef list[2 * MAX_LANES], none = LLVMGetPoison(LLVMTypeOf(v[2 * k]));
            for (unsigned l = 0; l < 2 * lanes; l++) list[l] = LLVMConstInt(i32, l, 0);
            v[k] = LLVMBuildShuffleVector(a->b, v[2 * k], 2 * k + 1 < n ? v[2 * k + 1] : none,
                                          LLVMConstVector(list, 2 * lanes), "");
        }
    return v[0];
}

static LLVMValueRef load_pieces(const Access *a) {
    LLVMTypeRef t = piece_type(a);
    unsigned pieces = a->n / a->piece;
    bool elements = LLVMGetTypeKind(t) != LLVMVectorTypeKind;
    LLVMValueRef v[MAX_LANES], all = elements ? LLVMGetPoison(LLVMVectorType(t, pieces)) : NULL;
    for (unsigned p = 0; p < pieces; p++) {
        v[p] = LLVMBuildLoad2(a->b, t, address_of(a, p), "");
        LLVMSetAlignment(v[p], a->align);
        if (elements) all = LLVMBuildInsertElement(a->b, all, v[p], const_i64(a->m->ctx, p), "");
    }
    if (!elements) all = concatenated(a, v, pieces);
    else if (a->piece > 1) all = LLVMBuildBitCast(a->b, all, LLVMVectorType(a->element, a->n), "");
    return shuffled(a, all, a->position, a->lanes);
}

static void split(const Access *a) {
    set_insert_point(a->b, a->call);
    if (a->of.store) store_pieces(a);
    else LLVMReplaceAllUsesWith(a->call, load_pieces(a));
    LLVMInstructionEraseFromParent(a->call);
}

bool split_gathers(Module *m) {
    if (m->opt->opt_level == 0 || pass_disabled(m, "split_gathers")) return true;
    Access a = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    for_each_function(f, m->mod)
        for_each_block(bb, f)
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (find_access(&a, i) && cycles_of_pieces(&a) < cycles_of_gather(m, i)) split(&a);
            }
    LLVMDisposeBuilder(a.b);
    return true;
}
