/* widen_packed.c: fields that are all computed alike remain in memory order.
**
**   a[i] = make_float4(s * b[i].x + c[i].x, s * b[i].y + c[i].y, ...)
**
** would interleave or deinterleave three structures by shuffles, for one multiplication each. But the K vectors that
** are loaded hold the same fields in the same order as those that are stored: computed in that order, they need no
** shuffles. (The superword parallelism of Larsen and Amarasinghe, with all lanes' structures as the superword.)
**
** The values of a store of fields are followed upwards together: operations of the same kind whose results have no
** other uses than these operations and the stores, down to fields loaded alike, uniform values (a pattern of K, or the same for all) and values of a thread
** that all its fields share, which one shuffle for each vector repeats K times: fewer of those than there are shuffles
** to save. Each operation is a copy of the vector form that widen has built already, which is dead afterwards. Fields
** that are stored as loaded, or uniform, are blended into the others: (x * s, y * s, z * s, w). Neighbours of the
** fields that are loaded at another offset (x[i - 1] for each element i of a thread) are loaded once more, as vectors
** from there on, where nothing is written in between. */
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"
#include "passes/ir/shim.h"

enum { MAX_DEPTH = 12, MAX_OPERANDS = 4 };

/* The operations of all fields; NULL: of a field that is not among them. */
typedef struct Operation {
    LLVMValueRef v[MAX_FIELDS], out[MAX_FIELDS]; /* in each field; in memory order */
} Operation;

typedef struct Packed {
    Widen *x;
    const Fields *fields;
    unsigned n, size;
    unsigned shuffles; /* cost of the values that all fields share */
    PtrMap of;         /* the operation of a field -> Operation */
    Vec(Operation *) operations;
} Packed;

static LLVMValueRef any_of(const Packed *p, LLVMValueRef *v) {
    for (unsigned m = 0; m < p->n; m++)
        if (v[m]) return v[m];
    return NULL;
}

static bool all_same(const Packed *p, LLVMValueRef *v) {
    for (unsigned m = 0; m < p->n; m++)
        if (v[m] && v[m] != any_of(p, v)) return false;
    return true;
}

static bool all_uniform(const Packed *p, LLVMValueRef *v) {
    for (unsigned m = 0; m < p->n; m++)
        if (v[m] && !is_uniform(p->x, v[m])) return false;
    return true;
}

/* ---- leaves ---- */

/* The group of which v are the fields, each at its index. */
static const Fields *loaded_fields(const Packed *p, LLVMValueRef *v) {
    const Fields *f = map_ptr(&p->x->fields, any_of(p, v));
    if (!f || f->stores || f->n != p->n || !f->vector[0]) return NULL;
    for (unsigned m = 0; m < p->n; m++)
        if (v[m] && f->member[m] != v[m]) return NULL;
    return f;
}

/* Nothing is written between the load and the stores of the fields. */
static bool is_unchanged(const Packed *p, LLVMValueRef load) {
    LLVMValueRef here = p->fields->here;
    if (LLVMGetInstructionParent(load) != LLVMGetInstructionParent(here)) return false;
    for (LLVMValueRef i = load; i != here; i = LLVMGetNextInstruction(i)) {
        bool own = !i;
        for (unsigned m = 0; m < p->n && !own; m++) own = p->fields->member[m] == i;
        if (!i || (!own && i != load && stands_between(i, false))) return false;
    }
    return true;
}

/* Loads of consecutive elements, as many as there are fields, that may be done at the stores. */
static bool is_row(const Packed *p, LLVMValueRef *v) {
    LLVMTargetDataRef dl = p->x->k->m->dl;
    int64_t from, at;
    if (!v[0] || !LLVMIsALoadInst(v[0])) return false;
    LLVMValueRef base = access_base(dl, accessed_at(v[0]), &from);
    for (unsigned m = 0; m < p->n; m++)
        if (!v[m] || !LLVMIsALoadInst(v[m]) || fields_of(p->x, v[m]) != p->n ||
            bytes_of(p->x, LLVMTypeOf(v[m])) != p->size ||
            !same_address(access_base(dl, accessed_at(v[m]), &at), base) || at - from != (int64_t)(m * p->size) ||
            !is_unchanged(p, v[m]))
            return false;
    return true;
}

static void load_row(const Packed *p, LLVMValueRef *v, LLVMValueRef *out) {
    Widen *x = p->x;
    unsigned align = LLVMGetAlignment(v[0]) < p->size ? LLVMGetAlignment(v[0]) : p->size;
    LLVMValueRef first = scalar_of(x, accessed_at(v[0]));
    for (unsigned k = 0; k < p->n; k++)
        out[k] =
            load_vector(x, LLVMVectorType(LLVMTypeOf(v[0]), x->w), byte_offset(x, first, (int64_t)(k * x->w * p->size)),
                        align, mask_of_elements(x, p->n, k * x->w, x->w));
}

/* Lane i of vector k belongs to the thread (k * W + i) / n. */
static void repeat(const Packed *p, LLVMValueRef v, LLVMValueRef *out) {
    Widen *x = p->x;
    LLVMValueRef all = vector_of(x, v), idx[64];
    for (unsigned k = 0; k < p->n; k++) {
        for (unsigned i = 0; i < x->w; i++) idx[i] = c32(x, (k * x->w + i) / p->n);
        out[k] =
            LLVMBuildShuffleVector(x->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(idx, x->w), "repeated");
    }
}

static void pattern(const Packed *p, LLVMValueRef *v, LLVMValueRef *out) {
    Widen *x = p->x;
    LLVMTypeRef vt = LLVMVectorType(LLVMTypeOf(any_of(p, v)), x->w);
    LLVMValueRef each = LLVMGetPoison(vt), idx[64];
    for (unsigned m = 0; m < p->n; m++)
        if (v[m]) each = LLVMBuildInsertElement(x->b, each, scalar_of(x, v[m]), c32(x, m), "");
    for (unsigned k = 0; k < p->n; k++) {
        for (unsigned i = 0; i < x->w; i++) idx[i] = c32(x, (k * x->w + i) % p->n);
        out[k] = LLVMBuildShuffleVector(x->b, each, LLVMGetPoison(vt), LLVMConstVector(idx, x->w), "pattern");
    }
}

/* ---- operations ---- */

/* The vector operation that widen built for v, if a copy of it with other operands computes the same of these. */
static LLVMValueRef copyable(const Packed *p, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v) || !is_wide(p->x, v)) return NULL;
    LLVMValueRef w = map_ptr(&p->x->wide, v);
    if (!w || !LLVMIsAInstruction(w) || LLVMGetInstructionOpcode(w) != LLVMGetInstructionOpcode(v)) return NULL;
    if (LLVMGetNumOperands(w) > MAX_OPERANDS || LLVMGetNumOperands(w) != LLVMGetNumOperands(v)) return NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return NULL; /* their divisor is safe in its own lane only */
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMFNeg:
    case LLVMSelect:
    case LLVMFreeze: return w;
    case LLVMCall: return is_pure_intrinsic(v) && is_pure_intrinsic(w) ? w : NULL;
    default: return LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) ? w : NULL;
    }
}

/* All users are operations that are packed too, or store the fields. */
static bool used_here(const Packed *p, LLVMValueRef v) {
    for_each_user(user, v) {
        bool here = map_get(&p->of, user, 0) != 0;
        for (unsigned m = 0; m < p->n && !here; m++) here = p->fields->member[m] == user;
        if (!here) return false;
    }
    return true;
}

static bool all_used_here(const Packed *p) {
    for (int i = 0; i < p->operations.n; i++)
        for (unsigned m = 0; m < p->n; m++)
            if (p->operations.v[i]->v[m] && !used_here(p, p->operations.v[i]->v[m])) return false;
    return true;
}

static void forget_operations(Packed *p) {
    p->shuffles = 0;
    p->operations.n = 0;
    map_init(&p->of, p->x->a);
}

static void remember(Packed *p, LLVMValueRef *v, LLVMValueRef *out) {
    Operation *o = arena_alloc(p->x->a, sizeof *o);
    for (unsigned m = 0; m < p->n; m++) {
        o->v[m] = v[m], o->out[m] = out ? out[m] : NULL;
        if (v[m]) map_put(&p->of, v[m], (uintptr_t)o);
    }
    vec_push(p->x->a, &p->operations, o);
}

/* The operation is packed already, for another use. */
static bool is_same_operation(const Packed *p, const Operation *o, LLVMValueRef *v, LLVMValueRef *out) {
    for (unsigned m = 0; m < p->n; m++)
        if (o->v[m] != v[m]) return false;
    for (unsigned m = 0; m < p->n && out; m++) out[m] = o->out[m];
    return true;
}

static bool same_kind(LLVMValueRef a, LLVMValueRef b) {
    if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b)) return false;
    if (LLVMGetNumOperands(a) != LLVMGetNumOperands(b)) return false;
    for (int k = 0; k < LLVMGetNumOperands(a); k++)
        if (LLVMTypeOf(LLVMGetOperand(a, (unsigned)k)) != LLVMTypeOf(LLVMGetOperand(b, (unsigned)k))) return false;
    if (LLVMIsAICmpInst(a) && LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b)) return false;
    if (LLVMIsAFCmpInst(a) && LLVMGetFCmpPredicate(a) != LLVMGetFCmpPredicate(b)) return false;
    if (LLVMIsACallInst(a) && LLVMGetCalledValue(a) != LLVMGetCalledValue(b)) return false;
    return !LLVMCanValueUseFastMathFlags(a) || LLVMGetFastMathFlags(a) == LLVMGetFastMathFlags(b);
}

static bool pack(Packed *p, LLVMValueRef *v, LLVMValueRef *out, int depth);

/* out = NULL: only tests whether it can be done. */
static bool pack_operation(Packed *p, LLVMValueRef *v, LLVMValueRef *out, int depth) {
    LLVMValueRef first = any_of(p, v), w = copyable(p, first), operands[MAX_OPERANDS][MAX_FIELDS];
    if (!w || depth > MAX_DEPTH) return false;
    for (unsigned m = 0; m < p->n; m++) {
        const Operation *known = v[m] ? map_ptr(&p->of, v[m]) : NULL;
        if (known) return is_same_operation(p, known, v, out);
        if (v[m] && (!copyable(p, v[m]) || !same_kind(first, v[m]))) return false;
    }
    unsigned n = (unsigned)LLVMGetNumOperands(w) - (LLVMIsACallInst(w) != NULL);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef each[MAX_FIELDS];
        for (unsigned m = 0; m < p->n; m++) each[m] = v[m] ? LLVMGetOperand(v[m], k) : NULL;
        bool scalar = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(w, k))) != LLVMVectorTypeKind;
        if (scalar ? !all_same(p, each) : !pack(p, each, out ? operands[k] : NULL, depth + 1)) return false;
        if (scalar) operands[k][0] = NULL;
    }
    for (unsigned l = 0; out && l < p->n; l++) {
        out[l] = clone_at(p->x->b, w);
        shim_drop_flags(out[l]);
        for (unsigned k = 0; k < n; k++)
            if (operands[k][0]) LLVMSetOperand(out[l], k, operands[k][l]);
    }
    remember(p, v, out);
    return true;
}

static bool pack(Packed *p, LLVMValueRef *v, LLVMValueRef *out, int depth) {
    LLVMValueRef first = any_of(p, v);
    const Fields *f = loaded_fields(p, v);
    for (unsigned m = 0; m < p->n; m++)
        if (v[m] && LLVMTypeOf(v[m]) != LLVMTypeOf(first)) return false;
    if (f) {
        for (unsigned k = 0; out && k < p->n; k++)
            out[k] = LLVMBuildBitCast(p->x->b, f->vector[k], LLVMVectorType(LLVMTypeOf(first), p->x->w), "");
        return true;
    }
    if (is_row(p, v)) {
        if (out) load_row(p, v, out);
        return true;
    }
    if (all_same(p, v)) {
        if (is_uniform(p->x, first)) {
            for (unsigned k = 0; out && k < p->n; k++) out[k] = vector_of(p->x, first);
            return true;
        }
        if (LLVMTypeOf(first) == p->x->i1) return false;
        unsigned wider = (unsigned)bytes_of(p->x, LLVMTypeOf(first)) / p->size;
        p->shuffles += p->n * (wider ? wider : 1);
        if (out) repeat(p, first, out);
        return true;
    }
    if (!all_uniform(p, v)) return pack_operation(p, v, out, depth);
    if (LLVMTypeOf(first) == p->x->i1) return false;
    if (out) pattern(p, v, out);
    return true;
}

/* ---- stores ---- */

/* All at once, or those that are computed and those that are not. */
static bool pack_or_blend(Packed *p, LLVMValueRef *v, LLVMValueRef *out) {
    LLVMValueRef computed[MAX_FIELDS], rest[MAX_FIELDS], other[MAX_FIELDS], lane[64];
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(p->x->ctx, 8 * p->size), p->x->w);
    forget_operations(p);
    if (pack(p, v, NULL, 0) && all_used_here(p)) {
        if (out) forget_operations(p), pack(p, v, out, 0);
        return true;
    }
    forget_operations(p);
    for (unsigned m = 0; m < p->n; m++) {
        bool leaf = v[m] && (is_uniform(p->x, v[m]) || map_get(&p->x->fields, v[m], 0));
        computed[m] = leaf ? NULL : v[m], rest[m] = leaf ? v[m] : NULL;
    }
    if (!any_of(p, computed) || !any_of(p, rest) || !pack(p, computed, out, 0) ||
        !pack(p, rest, out ? other : NULL, 0) || !(out || all_used_here(p)))
        return false;
    for (unsigned k = 0; out && k < p->n; k++) {
        for (unsigned i = 0; i < p->x->w; i++) {
            unsigned m = (k * p->x->w + i) % p->n;
            lane[i] = c32(p->x, rest[m] ? p->x->w + i : i);
        }
        LLVMValueRef a = LLVMBuildBitCast(p->x->b, out[k], vt, ""), b = LLVMBuildBitCast(p->x->b, other[k], vt, "");
        out[k] = LLVMBuildShuffleVector(p->x->b, a, b, LLVMConstVector(lane, p->x->w), "");
    }
    return true;
}

bool pack_fields(Widen *x, const Fields *f, LLVMValueRef *out) {
    LLVMValueRef v[MAX_FIELDS];
    Packed p = {.x = x, .fields = f, .n = f->n, .size = f->size};
    if (pass_disabled(x->k->m, "packed")) return false;
    for (unsigned m = 0; m < f->n; m++) v[m] = f->member[m] ? LLVMGetOperand(f->member[m], 0) : NULL;
    unsigned log = 0;
    while (2u << log <= f->n) log++;
    if (!pack_or_blend(&p, v, NULL) || p.shuffles >= (f->n & (f->n - 1) ? f->n * (f->n - 1) : f->n * log)) return false;
    return pack_or_blend(&p, v, out);
}
