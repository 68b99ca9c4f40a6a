/* shared_indices: see shared_indices.h.
**
** Sums and products are decomposed in 64 bits, where addresses are computed, whatever wraps; below an extension only if
** the instruction, or the ranges of its operands, imply that it does not wrap. Ranges are those of LLVM's scalar
** evolution, which knows the counters of loops: they hold wherever the value is computed, independent of branches. But
** a zero-extended value of an access is not negative there, 4 GB after all shared memory (`if (y > 0) s[x][y - 1]`). A
** phi of one value is that value. */
#include "passes/analysis/shared_indices.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"

enum { MAX_TERMS = 12, DEPTH = 12 };
static const int64_t SMALL =
    INT64_C(1) << 31; /* sums of products of such integers and of factors below do not overflow */
static const int64_t FAR = INT64_C(1) << 30;
static const int64_t LARGEST_FACTOR = INT64_C(1) << 20, LARGEST = INT64_C(1) << 52;

/* ---- uses of a pointer ---- */

static LLVMTypeRef type_of_access(LLVMValueRef i) {
    if (LLVMIsALoadInst(i)) return LLVMTypeOf(i);
    return LLVMTypeOf(LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 0 : 1));
}

static bool is_plain_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMIntegerTypeKind) return LLVMGetIntTypeWidth(t) % 8 == 0;
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind ||
           k == LLVMPointerTypeKind;
}

static bool is_lcssa_phi(LLVMValueRef v) { return LLVMIsAPHINode(v) && LLVMCountIncoming(v) == 1; }
static bool is_derived_pointer(LLVMValueRef i) {
    return LLVMIsAGetElementPtrInst(i) || LLVMIsAAddrSpaceCastInst(i) || LLVMIsABitCastInst(i) || is_lcssa_phi(i);
}

/* Adds the accesses at the pointer and at what is derived from it; false if it escapes. */
static bool collect_accesses(Arena *a, Module *m, SharedIndices *s, LLVMValueRef base, LLVMValueRef pointer) {
    for_each_user(i, pointer) {
        if (!LLVMIsAInstruction(i)) return false;
        if (is_derived_pointer(i)) {
            if (LLVMGetOperand(i, 0) != pointer || !collect_accesses(a, m, s, base, i)) return false;
            continue;
        }
        int at = accessed_operand(i);
        if (at < 0 || !is_plain_type(type_of_access(i))) return false;
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (LLVMGetOperand(i, (unsigned)k) == pointer && k != at) return false;
        SharedIndex p = {.inst = i,
                         .base = base,
                         .operand = (unsigned)at,
                         .size = (unsigned)LLVMABISizeOfType(m->dl, type_of_access(i)),
                         .lo = 1};
        vec_push(a, &s->all, p);
    }
    return true;
}

/* ---- addresses as sums ---- */

typedef enum Extension {
    EXT_NONE,
    EXT_SIGNED,
    EXT_UNSIGNED,
    EXT_POSITIVE /* either, known not to be negative */
} Extension;

typedef struct Sum {
    Arena *a;
    ShimLoops *loops;
    SharedIndex *p;
    Vec(Extension) how; /* of the terms */
} Sum;

static bool is_small_range(ShimRange r) { return r.smin >= -SMALL && r.smax <= SMALL; }

/* x op y, both as signed integers, is within the bits of v. */
static bool fits_signed(Sum *s, LLVMValueRef v, LLVMOpcode op) {
    if (int_bits(v) > 32) return false;
    ShimRange x = shim_range(s->loops, LLVMGetOperand(v, 0)), y = shim_range(s->loops, LLVMGetOperand(v, 1));
    int64_t limit = INT64_C(1) << (int_bits(v) - 1), lo, hi;
    if (op == LLVMAdd) lo = x.smin + y.smin, hi = x.smax + y.smax;
    else if (op == LLVMSub) lo = x.smin - y.smax, hi = x.smax - y.smin;
    else if (op == LLVMMul && x.smin >= 0 && y.smin >= 0) lo = 0, hi = x.smax * y.smax;
    else if (op == LLVMShl && x.smin >= 0 && y.smin == y.smax && y.smin < 31) lo = 0, hi = x.smax << y.smax;
    else return false;
    return lo >= -limit && hi < limit;
}

static bool keeps_value(Sum *s, LLVMValueRef v, Extension e) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMOr) return LLVMGetIsDisjoint(v);
    if (e == EXT_NONE || (e == EXT_SIGNED ? LLVMGetNSW(v) : LLVMGetNUW(v))) return true;
    return e == EXT_SIGNED && fits_signed(s, v, op);
}

static bool add_term(Sum *s, LLVMValueRef v, int64_t factor, Extension e) {
    for (int k = 0; k < s->p->terms.n; k++)
        if (s->p->terms.v[k].v == v && s->how.v[k] == e) {
            s->p->terms.v[k].factor += factor;
            return true;
        }
    IndexTerm t = {.v = v, .factor = factor};
    if (s->p->terms.n == MAX_TERMS) return false;
    vec_push(s->a, &s->p->terms, t);
    vec_push(s->a, &s->how, e);
    return true;
}

/* A constant c of a product by c, or by 1 << c; 0: it is none. */
static int64_t constant_factor(LLVMValueRef v) {
    LLVMValueRef c = LLVMGetOperand(v, 1);
    if (!LLVMIsAConstantInt(c) || int_bits(c) > 64) return 0;
    int64_t n = LLVMConstIntGetSExtValue(c);
    if (LLVMGetInstructionOpcode(v) == LLVMShl)
        return n >= 0 && n < 20 && n < (int64_t)int_bits(v) - 1 ? INT64_C(1) << n : 0;
    return n > 0 && n < LARGEST_FACTOR ? n : 0;
}

static bool add_sum(Sum *s, LLVMValueRef v, int64_t factor, Extension e, int depth);

static bool add_extended(Sum *s, LLVMValueRef v, int64_t factor, Extension e, int depth) {
    LLVMValueRef from = LLVMGetOperand(v, 0);
    bool is_positive = int_bits(from) <= 64 && shim_range(s->loops, from).smin >= 0;
    Extension inner = LLVMIsASExtInst(v) || is_positive ? EXT_SIGNED : LLVMGetNNeg(v) ? EXT_POSITIVE : EXT_UNSIGNED;
    if (e == EXT_SIGNED && inner != EXT_SIGNED) e = EXT_NONE; /* a zero-extended value is not negative */
    if (is_positive || (e == EXT_POSITIVE && inner == EXT_SIGNED)) e = EXT_NONE;
    if (e != EXT_NONE && e != inner) return add_term(s, v, factor, e);
    return add_sum(s, from, factor, inner, depth + 1);
}

/* Adds factor * v, as extended to 64 bits. */
static bool add_sum(Sum *s, LLVMValueRef v, int64_t factor, Extension e, int depth) {
    if (factor > LARGEST_FACTOR || factor < -LARGEST_FACTOR) return false;
    if (LLVMIsAConstantInt(v) && int_bits(v) <= 64) {
        int64_t c =
            e == EXT_UNSIGNED && int_bits(v) < 64 ? (int64_t)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v);
        if (c > SMALL || c < -SMALL) return false;
        s->p->bytes += factor * c;
        return s->p->bytes <= LARGEST && s->p->bytes >= -LARGEST;
    }
    while (LLVMIsAInstruction(v) && is_lcssa_phi(v)) v = LLVMGetIncomingValue(v, 0);
    if (!LLVMIsAInstruction(v) || depth > DEPTH) return add_term(s, v, factor, e);
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v)) return add_extended(s, v, factor, e, depth);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    Extension of_parts = e == EXT_POSITIVE ? EXT_UNSIGNED : e;
    LLVMValueRef x =
        op == LLVMAdd || op == LLVMSub || op == LLVMOr || op == LLVMMul || op == LLVMShl ? LLVMGetOperand(v, 0) : NULL;
    if (!x || !keeps_value(s, v, e)) return add_term(s, v, factor, e);
    if (op == LLVMMul || op == LLVMShl) {
        int64_t c = constant_factor(v);
        return c && c < LARGEST_FACTOR ? add_sum(s, x, factor * c, of_parts, depth + 1) : add_term(s, v, factor, e);
    }
    return add_sum(s, x, factor, of_parts, depth + 1) &&
           add_sum(s, LLVMGetOperand(v, 1), op == LLVMSub ? -factor : factor, of_parts, depth + 1);
}

/* Constants in a getelementptr are signed, as its indices are. */
static bool add_indices(Sum *s, Module *m, LLVMValueRef gep) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) return false;
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            s->p->bytes += (int64_t)LLVMOffsetOfElement(m->dl, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (k > 1 && LLVMGetTypeKind(t) != LLVMArrayTypeKind) return false;
        if (k > 1) t = LLVMGetElementType(t);
        if (!add_sum(s, index, (int64_t)LLVMABISizeOfType(m->dl, t), int_bits(index) < 64 ? EXT_SIGNED : EXT_NONE, 0))
            return false;
    }
    return true;
}

/* ---- ranges ---- */

/* The term as a signed integer; *below, *above: what it would be beyond is far below or above all memory, so that it is
** none. */
static bool set_term_range(Sum *s, IndexTerm *t, Extension how, bool *below, bool *above) {
    if (LLVMGetTypeKind(LLVMTypeOf(t->v)) != LLVMIntegerTypeKind || int_bits(t->v) > 64) return false;
    ShimRange r = shim_range(s->loops, t->v);
    if (!is_small_range(r) || t->factor > LARGEST_FACTOR || t->factor < -LARGEST_FACTOR) return false;
    t->lo = r.smin, t->hi = r.smax;
    if (how < EXT_UNSIGNED || r.smin >= 0) return true;
    if (how == EXT_UNSIGNED && t->factor > 0) *above = true;
    if (how == EXT_UNSIGNED && t->factor < 0) *below = true;
    t->lo = 0;
    return r.smax >= 0 && (how == EXT_POSITIVE || int_bits(t->v) == 32);
}

static bool set_ranges(Sum *s) {
    SharedIndex *p = s->p;
    int64_t lo = p->bytes, hi = p->bytes;
    bool below = false, above = false;
    for (int k = 0; k < p->terms.n; k++) {
        IndexTerm *t = &p->terms.v[k];
        if (!set_term_range(s, t, s->how.v[k], &below, &above)) return false;
        int64_t x = t->factor * t->lo, y = t->factor * t->hi;
        lo += x < y ? x : y;
        hi += x < y ? y : x;
    }
    if ((below && above) || (above && lo < -FAR) || (below && hi > FAR)) return false;
    p->lo = lo, p->hi = hi;
    return true;
}

/* lo remains above hi where the address is no such sum. */
static void find_address(Arena *a, Module *m, ShimLoops *loops, SharedIndex *p) {
    Sum s = {.a = a, .loops = loops, .p = p};
    LLVMValueRef at = LLVMGetOperand(p->inst, p->operand);
    for (; at != p->base; at = LLVMGetOperand(at, 0))
        if (LLVMIsAGetElementPtrInst(at) && !add_indices(&s, m, at)) return;
    p->whole = true;
    set_ranges(&s);
}

SharedIndices *shared_indices(Arena *a, Module *m, LLVMValueRef fn) {
    SharedIndices *s = arena_alloc(a, sizeof *s);
    *s = (SharedIndices){0};
    for_each_instruction(i, fn)
        if (name_of_call(i) == NAME_SHARED && !collect_accesses(a, m, s, i, i)) return NULL;
    if (!s->all.n) return NULL;
    ShimLoops *loops = shim_open_loops(fn);
    for (int k = 0; k < s->all.n; k++) find_address(a, m, loops, &s->all.v[k]);
    shim_close_loops(loops);
    return s;
}
