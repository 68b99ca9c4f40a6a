/* widen_fields.c: loads and stores of all fields of a structure, or all elements of a float4; copies of such.
**
** Lane i's structure follows lane i - 1's, so the fields of all lanes are K vectors in a row: these are loaded
** or stored, and shuffles take the fields out of them or put them in (log K for each vector,
** K - 1 where K is no power of two).  Field by field it
** would be K gathers or scatters.
**
** A group is K accesses of one size in one block, at K neighbouring elements of a lane, with lanes K elements
** apart; of loads some may be missing, but not the first and the last: what lies between is the structure's.
** Loads are done at the first of them, with no write in between; stores at the last, with no other access in
** between.  Shared memory is left to widen_pattern.c, local arrays to widen_memory.c. */
#include "passes/ir/edit.h"
#include "passes/transform/widen.h"

enum { MAX_FIELDS = 8, MAX_AHEAD = 64 };

typedef struct Fields {
    LLVMValueRef member[MAX_FIELDS]; /* by place in the structure; NULL = not accessed */
    LLVMValueRef here;               /* the member at which all are done */
    unsigned n, size;                /* K, bytes of an element */
} Fields;

static LLVMValueRef address(LLVMValueRef i) { return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0); }
static LLVMTypeRef type_of(LLVMValueRef i) { return LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i); }

/* ---- groups ---- */

static bool is_field_type(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMIntegerTypeKind) {
        unsigned n = LLVMGetIntTypeWidth(t);
        return n == 8 || n == 16 || n == 32 || n == 64;
    }
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
}

LLVMValueRef base_of(const Widen *x, LLVMValueRef p, int64_t *bytes) {
    *bytes = 0;
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && LLVMIsAConstantInt(LLVMGetOperand(p, 1))) {
        *bytes += LLVMConstIntGetSExtValue(LLVMGetOperand(p, 1)) * (int64_t)bytes_of(x, LLVMGetGEPSourceElementType(p));
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

bool is_local(LLVMValueRef p) {
    while (LLVMIsAGetElementPtrInst(p)) p = LLVMGetOperand(p, 0);
    return LLVMIsAAllocaInst(p) != NULL;
}

/* K, if the access may be one of a group, else 0. */
static unsigned fields_of(Widen *x, LLVMValueRef i) {
    int64_t stride;
    if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) return 0;
    if ((LLVMIsALoadInst(i) && !is_wide(x, i)) || !is_field_type(type_of(i)) || is_local(address(i)) || is_uniform(x, address(i))) return 0;
    if (!lane_stride(x, address(i), &stride)) return 0;
    int64_t size = (int64_t)bytes_of(x, type_of(i));
    if (stride < 2 * size || stride > MAX_FIELDS * size || stride % size || stride / size > x->w) return 0;
    if (!x->memory) x->memory = memory_spaces(x->a, x->k->fn);
    return spaces_of(x->memory, address(i)) == SPACE_SHARED ? 0 : (unsigned)(stride / size);
}

bool stands_between(LLVMValueRef i, bool stores) {
    if (LLVMIsALoadInst(i)) return stores || LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(i)) return !is_pure_intrinsic(i) && !(name_of_call(i) >= NAME_TID_X && name_of_call(i) <= NAME_GLOBAL_X);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return LLVMIsAStoreInst(i) || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence || op == LLVMVAArg;
}

/* Later accesses of its block that belong to `first`, by how far they are behind it in memory. */
static void collect(Widen *x, LLVMValueRef first, unsigned n, LLVMValueRef *before, LLVMValueRef *behind, LLVMValueRef *last) {
    int64_t from, at, size = (int64_t)bytes_of(x, type_of(first));
    LLVMValueRef base = base_of(x, address(first), &from), i = first;
    bool stores = LLVMIsAStoreInst(first);
    behind[0] = *last = first;
    for (int ahead = 0; ahead < MAX_AHEAD && (i = LLVMGetNextInstruction(i)); ahead++) {
        bool alike = stores ? LLVMIsAStoreInst(i) != NULL : LLVMIsALoadInst(i) != NULL;
        if (alike && fields_of(x, i) == n && bytes_of(x, type_of(i)) == (uint64_t)size && base_of(x, address(i), &at) == base &&
            (at - from) % size == 0 && (at - from) / size > -(int64_t)n && (at - from) / size < (int64_t)n) {
            int64_t d = (at - from) / size;
            LLVMValueRef *slot = d < 0 ? &before[-d] : &behind[d];
            if (!*slot && !map_get(&x->fields, i, 0)) {
                *slot = *last = i;
                continue;
            }
            if (!stores) continue;
            return;
        }
        if (stands_between(i, stores)) return;
    }
}

static void group_from(Widen *x, LLVMValueRef first) {
    unsigned n = fields_of(x, first), low = 0, count = 0;
    LLVMValueRef before[MAX_FIELDS] = {0}, behind[MAX_FIELDS] = {0}, last;
    if (!n || map_get(&x->fields, first, 0)) return;
    collect(x, first, n, before, behind, &last);
    for (unsigned k = 1; k < n; k++)
        if (before[k]) low = k;
    Fields *f = arena_alloc(x->a, sizeof *f);
    *f = (Fields){.n = n, .size = (unsigned)bytes_of(x, type_of(first))};
    for (unsigned k = 0; k < n; k++) {
        f->member[k] = k < low ? before[low - k] : behind[k - low];
        count += f->member[k] != NULL;
    }
    bool stores = LLVMIsAStoreInst(first);
    if (!f->member[0] || !f->member[n - 1] || (stores ? count < n : 2 * count < n)) return;
    f->here = first;
    if (stores) /* the last in program order, of these */
        for (LLVMValueRef i = first; i; i = i == last ? NULL : LLVMGetNextInstruction(i))
            for (unsigned k = 0; k < n; k++)
                if (f->member[k] == i) f->here = i;
    for (unsigned k = 0; k < n; k++)
        if (f->member[k]) map_put(&x->fields, f->member[k], (uintptr_t)f);
}

void find_fields(Widen *x) {
    if (x->w < 4 || pass_disabled(x->k->m, "fields")) return;
    for (int b = 0; b < x->c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->c->b[b].bb); i; i = LLVMGetNextInstruction(i)) group_from(x, i);
}

/* ---- vectors ---- */

/* Lane i of the result is lane at[i] of v[part[i]]. */
static LLVMValueRef pick(Widen *x, LLVMValueRef *v, unsigned n, const unsigned *part, const unsigned *at) {
    LLVMValueRef all = NULL, idx[64];
    for (unsigned k = 0; k < n; k++) {
        bool any = false;
        for (unsigned i = 0; i < x->w; i++) {
            any |= part[i] == k;
            idx[i] = part[i] == k ? c32(x, (all ? x->w : 0) + at[i]) : all && part[i] < k ? c32(x, i) : LLVMGetPoison(x->i32);
        }
        if (!any) continue;
        if (!all && k + 1 < n) { /* the first two at once */
            for (unsigned i = 0; i < x->w; i++)
                if (part[i] == k + 1) idx[i] = c32(x, x->w + at[i]);
            all = LLVMBuildShuffleVector(x->b, v[k], v[k + 1], LLVMConstVector(idx, x->w), "");
            k++;
            continue;
        }
        all = LLVMBuildShuffleVector(x->b, all ? all : v[k], all ? v[k] : LLVMGetPoison(LLVMTypeOf(v[k])), LLVMConstVector(idx, x->w), "");
    }
    return all;
}

/* Half `first` of the lanes of a and b by turns; or every second lane of a and b, from lane `first` on. */
static LLVMValueRef two(Widen *x, LLVMValueRef a, LLVMValueRef b, bool by_turns, unsigned first) {
    LLVMValueRef idx[64];
    for (unsigned i = 0; i < x->w; i++)
        idx[i] = c32(x, by_turns ? first * x->w / 2 + i / 2 + (i % 2) * x->w : 2 * i + first);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, x->w), "");
}

/* v[0][0], v[1][0], ... v[n - 1][0], v[0][1], ...; n is a power of two.  The even and the odd ones first: n log n shuffles. */
static void interleave(Widen *x, LLVMValueRef *v, unsigned n) {
    LLVMValueRef half[2][MAX_FIELDS];
    if (n == 1) return;
    for (unsigned k = 0; k < n; k++) half[k % 2][k / 2] = v[k];
    for (unsigned odd = 0; odd < 2; odd++) interleave(x, half[odd], n / 2);
    for (unsigned k = 0; k < n; k++) v[k] = two(x, half[0][k / 2], half[1][k / 2], true, k % 2);
}

static void take_apart(Widen *x, LLVMValueRef *v, unsigned n) {
    LLVMValueRef half[2][MAX_FIELDS];
    if (n == 1) return;
    for (unsigned k = 0; k < n; k++) half[k % 2][k / 2] = two(x, v[k / 2 * 2], v[k / 2 * 2 + 1], false, k % 2);
    for (unsigned odd = 0; odd < 2; odd++) take_apart(x, half[odd], n / 2);
    for (unsigned k = 0; k < n; k++) v[k] = half[k % 2][k / 2];
}

/* The mask of vector k of the structures of all lanes. */
static LLVMValueRef mask_of(Widen *x, const Fields *f, unsigned k) {
    LLVMValueRef idx[64];
    if (!x->mask) return NULL;
    for (unsigned i = 0; i < x->w; i++) idx[i] = c32(x, (k * x->w + i) / f->n);
    return LLVMBuildShuffleVector(x->b, x->mask, LLVMGetPoison(LLVMTypeOf(x->mask)), LLVMConstVector(idx, x->w), "");
}

/* The largest element of which both sides of a copy consist; 0 = none of at most MAX_FIELDS. */
static unsigned element_of(uint64_t bytes, unsigned to, unsigned from) {
    for (unsigned size = 8; size; size /= 2)
        if (to % size == 0 && from % size == 0 && bytes % size == 0) return bytes / size <= MAX_FIELDS ? size : 0;
    return 0;
}

static unsigned align_of(LLVMValueRef call, unsigned operand) {
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

bool widen_copy(Widen *x, LLVMValueRef i) {
    LLVMValueRef f = LLVMGetCalledValue(i), size = LLVMGetOperand(i, 2), v[MAX_FIELDS];
    LLVMValueRef at[2] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    if (!LLVMIsAFunction(f) || LLVMGetIntrinsicID(f) != LLVMLookupIntrinsicID("llvm.memcpy", 11)) return false;
    if (!LLVMIsAConstantInt(size) || !LLVMIsNull(LLVMGetOperand(i, 3)) || pass_disabled(x->k->m, "fields")) return false;
    uint64_t bytes = LLVMConstIntGetZExtValue(size);
    for (unsigned k = 0; k < 2; k++) {
        int64_t stride;
        if (is_local(at[k]) || is_uniform(x, at[k]) || !lane_stride(x, at[k], &stride) || stride != (int64_t)bytes) return false;
    }
    unsigned to = align_of(i, 0), from = align_of(i, 1);
    Fields s = {.size = element_of(bytes, to, from)};
    if (!s.size) return false;
    s.n = (unsigned)(bytes / s.size);
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * s.size), x->w);
    at[0] = scalar_of(x, at[0]), at[1] = scalar_of(x, at[1]);
    for (unsigned k = 0; k < s.n; k++)
        v[k] = load_vector(x, vt, byte_offset(x, at[1], (int64_t)(k * x->w * s.size)), s.size, mask_of(x, &s, k));
    for (unsigned k = 0; k < s.n; k++)
        store_vector(x, v[k], byte_offset(x, at[0], (int64_t)(k * x->w * s.size)), s.size, mask_of(x, &s, k));
    note(x, i, DID_CONTIGUOUS, NULL);
    vec_push(x->a, &x->dead, i);
    return true;
}

/* Address of vector k, from that of the member that is here. */
static LLVMValueRef place(Widen *x, const Fields *f, unsigned k) {
    unsigned mine = 0;
    while (f->member[mine] != f->here) mine++;
    int64_t elements = (int64_t)(k * x->w) - (int64_t)mine;
    return byte_offset(x, scalar_of(x, address(f->here)), elements * (int64_t)f->size);
}

static void load_fields(Widen *x, const Fields *f) {
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * f->size), x->w);
    LLVMValueRef v[MAX_FIELDS];
    unsigned part[64], at[64], align = LLVMGetAlignment(f->here);
    if (align > f->size) align = f->size;
    for (unsigned k = 0; k < f->n; k++) v[k] = load_vector(x, vt, place(x, f, k), align, mask_of(x, f, k));
    bool power = !(f->n & (f->n - 1));
    if (power) take_apart(x, v, f->n);
    for (unsigned m = 0; m < f->n; m++) {
        if (!f->member[m]) continue;
        for (unsigned i = 0; i < x->w; i++) part[i] = (i * f->n + m) / x->w, at[i] = (i * f->n + m) % x->w;
        LLVMTypeRef t = LLVMVectorType(type_of(f->member[m]), x->w);
        set_wide(x, f->member[m], LLVMBuildBitCast(x->b, power ? v[m] : pick(x, v, f->n, part, at), t, ""));
    }
}

static void store_fields(Widen *x, const Fields *f) {
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * f->size), x->w);
    LLVMValueRef v[MAX_FIELDS];
    unsigned part[64], at[64], align = LLVMGetAlignment(f->here);
    if (align > f->size) align = f->size;
    for (unsigned m = 0; m < f->n; m++) v[m] = LLVMBuildBitCast(x->b, vector_of(x, LLVMGetOperand(f->member[m], 0)), vt, "");
    bool power = !(f->n & (f->n - 1));
    if (power) interleave(x, v, f->n);
    for (unsigned k = 0; k < f->n; k++) {
        for (unsigned i = 0; i < x->w; i++) part[i] = (k * x->w + i) % f->n, at[i] = (k * x->w + i) / f->n;
        store_vector(x, power ? v[k] : pick(x, v, f->n, part, at), place(x, f, k), align, mask_of(x, f, k));
    }
}

bool widen_fields(Widen *x, LLVMValueRef i) {
    const Fields *f = map_ptr(&x->fields, i);
    if (!f) return false;
    note(x, i, DID_STRIDED, NULL);
    if (LLVMIsAStoreInst(i)) vec_push(x->a, &x->dead, i);
    if (f->here != i) return true;
    if (LLVMIsAStoreInst(i)) store_fields(x, f);
    else load_fields(x, f);
    return true;
}
