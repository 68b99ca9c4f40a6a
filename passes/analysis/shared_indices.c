/* shared_indices: see shared_indices.h.
**
** Addresses are affine (affine.h), by flags and by the ranges of LLVM's scalar evolution, which knows the counters of
** loops: they hold wherever a value is computed, independent of branches. But a zero-extended value of an access is not
** negative there, 4 GB after all shared memory (`if (y > 0) s[x][y - 1]`). */
#include "passes/analysis/shared_indices.h"
#include "passes/analysis/affine.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"

static const int64_t SMALL =
    INT64_C(1) << 31; /* sums of products of such integers and of factors below do not overflow */
static const int64_t FAR = INT64_C(1) << 30;
static const int64_t LARGEST_FACTOR = INT64_C(1) << 20;

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

/* ---- ranges ---- */

static bool is_small_range(ShimRange r) { return r.smin >= -SMALL && r.smax <= SMALL; }

/* The term as a signed integer; *below, *above: what it would be beyond is far below or above all memory, so that it is
** none. */
static bool set_term_range(ShimLoops *loops, IndexTerm *t, AffineExtension by, bool *below, bool *above) {
    if (!is_integer(t->v) || int_bits(t->v) > 64) return false;
    ShimRange r = shim_range(loops, t->v);
    if (!is_small_range(r) || t->factor > LARGEST_FACTOR || t->factor < -LARGEST_FACTOR) return false;
    t->lo = r.smin, t->hi = r.smax;
    if (by < AFFINE_UNSIGNED || r.smin >= 0) return true;
    if (by == AFFINE_UNSIGNED && t->factor > 0) *above = true;
    if (by == AFFINE_UNSIGNED && t->factor < 0) *below = true;
    t->lo = 0;
    return r.smax >= 0 && (by == AFFINE_POSITIVE || int_bits(t->v) == 32);
}

static bool set_ranges(ShimLoops *loops, SharedIndex *p, const Affine *a) {
    int64_t lo = p->bytes, hi = p->bytes;
    bool below = false, above = false;
    for (int k = 0; k < p->terms.n; k++) {
        IndexTerm *t = &p->terms.v[k];
        if (!set_term_range(loops, t, a->term[k].by, &below, &above)) return false;
        int64_t x = t->factor * t->lo, y = t->factor * t->hi;
        lo += x < y ? x : y;
        hi += x < y ? y : x;
    }
    if ((below && above) || (above && lo < -FAR) || (below && hi > FAR)) return false;
    p->lo = lo, p->hi = hi;
    return true;
}

/* lo remains above hi where the address is no such sum. */
static void find_address(Arena *arena, Module *m, ShimLoops *loops, SharedIndex *p) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .ranges = loops, .layout = m->dl};
    Affine a;
    if (!affine_of(&rules, LLVMGetOperand(p->inst, p->operand), AFFINE_SAME, &a) || affine_take(&a, p->base) != 1)
        return;
    p->bytes = a.constant;
    for (int k = 0; k < a.n; k++) {
        IndexTerm t = {.v = a.term[k].v, .factor = a.term[k].factor};
        vec_push(arena, &p->terms, t);
    }
    p->whole = true;
    set_ranges(loops, p, &a);
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
