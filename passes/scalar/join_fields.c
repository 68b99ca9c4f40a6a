/* join_fields: small fields of a structure are loaded and stored as parts of a larger integer.
**
**   struct { char a, b; short c; float d; }:   load i16 p + 2      becomes     trunc(load i32 p >> 16)
**                                              load float p + 4                load float p + 4
**   uchar4 q[f(i)]:   store i8 x, q; store i8 y, q + 1; ...        becomes     store i32 x | y << 8 | ..., q
**
** in, out: normal form
** Why: fields of one size are accessed together, as consecutive vectors (widen_fields.c) or at once for each lane
** (widen_runs.c); one of another size would be a separate gather. For bytes and shorts at addresses without a known
** stride there is neither: each would be taken from a gather of words, or stored lane by lane.
** Which: accesses in one block to one varying address and constant offsets, without one of other memory in between
** (loads: without a write). Fields of 1, 2 or 4 bytes beside larger loads of which one is aligned: whole integers of
** that size around the others are on the pages of these. Fields of 1 or 2 bytes without a stride: those that make up an
** integer of 2 or 4 bytes, and loads within one that is aligned. */
#include "passes/analysis/accesses.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_LOADS = 16, AHEAD = 64, MAX_FIELDS = 8 };

typedef struct Group {
    LLVMValueRef load[MAX_LOADS], base; /* or stores */
    int64_t at[MAX_LOADS];              /* offsets from base */
    unsigned size[MAX_LOADS], largest;
    int n, anchor; /* one of the largest size, aligned to it */
} Group;

/* An integer that consists of fields of a group. */
typedef struct Word {
    int field[4], n;
    unsigned size, align;
} Word;

typedef struct Join {
    Kernel *k;
    const Shapes *s;
    PtrMap seen;
    LLVMBuilderRef b;
} Join;

static unsigned field_size(const Join *x, LLVMValueRef access) {
    LLVMTypeRef type = accessed_type(access);
    LLVMTypeKind t = LLVMGetTypeKind(type);
    if (t == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) % 8) return 0;
    if (t != LLVMIntegerTypeKind && t != LLVMFloatTypeKind && t != LLVMDoubleTypeKind && t != LLVMHalfTypeKind &&
        t != LLVMBFloatTypeKind)
        return 0;
    uint64_t n = LLVMStoreSizeOfType(x->k->m->dl, type);
    return n <= 8 && !(n & (n - 1)) ? (unsigned)n : 0;
}

static bool has_field_stride(const Join *x, LLVMValueRef base, unsigned largest) {
    int64_t stride, offset[64];
    if (shapes_is_uniform(x->s, base)) return false;
    if (shapes_lane_stride(x->s, base, &stride))
        return stride >= 2 * largest && stride <= MAX_FIELDS * largest && stride % largest == 0;
    return shapes_runs(x->s, base, offset) <= 1;
}

/* Fields without a stride: widen_fields and widen_runs do not access them together. */
static bool has_no_stride(const Join *x, const Group *g) {
    int64_t stride, offset[64];
    return !shapes_is_uniform(x->s, g->base) && !shapes_lane_stride(x->s, g->base, &stride) &&
           shapes_runs(x->s, g->base, offset) <= 1;
}

static bool overlaps_field(const Group *g, int64_t at, unsigned size) {
    for (int k = 0; k < g->n; k++)
        if (at < g->at[k] + (int64_t)g->size[k] && g->at[k] < at + (int64_t)size) return true;
    return false;
}

static void add_field(Join *x, Group *g, LLVMValueRef i, int64_t at, unsigned size) {
    if (size > g->largest) g->largest = size, g->anchor = -1;
    if (size == g->largest && LLVMGetAlignment(i) >= g->largest) g->anchor = g->n;
    g->load[g->n] = i, g->at[g->n] = at, g->size[g->n++] = size;
    map_put(&x->seen, i, 1);
}

static void collect_fields(Join *x, LLVMValueRef first, Group *g) {
    *g = (Group){.anchor = -1};
    int64_t at;
    bool store = LLVMIsAStoreInst(first) != NULL;
    g->base = access_base(x->k->m->dl, accessed_at(first), &at);
    LLVMValueRef i = first;
    for (int ahead = 0; i && ahead < AHEAD && g->n < MAX_LOADS; i = LLVMGetNextInstruction(i), ahead++) {
        bool same = is_plain_access(i) && (LLVMIsAStoreInst(i) != NULL) == store &&
                    access_base(x->k->m->dl, accessed_at(i), &at) == g->base && field_size(x, i);
        if (store && same && overlaps_field(g, at, field_size(x, i))) return;
        if (stands_between(i, store) && !(store && same)) return;
        if (same && !map_get(&x->seen, i, 0)) add_field(x, g, i, at, field_size(x, i));
    }
}

/* The offset of the integer of the largest size that contains load k; false: there is none. */
static bool start_of_word(const Group *g, int k, int64_t *from) {
    int64_t size = g->largest, d = g->at[k] - g->at[g->anchor];
    *from = g->at[k] - ((d % size) + size) % size;
    return g->at[k] + g->size[k] <= *from + size;
}

/* The address `from` bytes after that of the group, at the builder. */
static LLVMValueRef address(Join *x, const Group *g, int64_t from) {
    LLVMContextRef ctx = x->k->m->ctx;
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(ctx), (uint64_t)from, 1);
    return from ? LLVMBuildGEP2(x->b, LLVMInt8TypeInContext(ctx), g->base, &at, 1, "") : g->base;
}

static LLVMTypeRef integer_of(const Join *x, unsigned bytes) { return LLVMIntTypeInContext(x->k->m->ctx, 8 * bytes); }

/* The integer at `from`, loaded before the group's first load. */
static LLVMValueRef load_integer(Join *x, const Group *g, int64_t from, unsigned size, unsigned align) {
    set_insert_point(x->b, g->load[0]);
    LLVMValueRef v = LLVMBuildLoad2(x->b, integer_of(x, size), address(x, g, from), "fields");
    LLVMSetAlignment(v, align);
    return v;
}

/* Uses of load k take their bytes of the integer from `from` on. */
static void take_field(Join *x, const Group *g, int k, LLVMValueRef integer, int64_t from) {
    LLVMTypeRef wide = LLVMTypeOf(integer);
    set_insert_point(x->b, g->load[k]);
    LLVMValueRef bits = LLVMConstInt(wide, (uint64_t)(8 * (g->at[k] - from)), 0);
    LLVMValueRef v = LLVMBuildTrunc(x->b, LLVMBuildLShr(x->b, integer, bits, ""), integer_of(x, g->size[k]), "");
    LLVMReplaceAllUsesWith(g->load[k], LLVMBuildBitCast(x->b, v, LLVMTypeOf(g->load[k]), ""));
}

/* ---- fields beside larger ones ---- */

static bool join_group(Join *x, Group *g) {
    int64_t from[MAX_LOADS];
    LLVMValueRef integer[MAX_LOADS] = {0};
    bool any = false;
    for (int k = 0; k < g->n; k++) {
        if (g->size[k] == g->largest || !start_of_word(g, k, &from[k])) continue;
        for (int l = 0; l < k; l++)
            if (integer[l] && from[l] == from[k]) integer[k] = integer[l];
        if (!integer[k]) integer[k] = load_integer(x, g, from[k], g->largest, g->largest);
        any = true;
    }
    for (int k = 0; k < g->n; k++)
        if (integer[k]) take_field(x, g, k, integer[k], from[k]);
    for (int k = 0; k < g->n; k++)
        if (integer[k]) LLVMInstructionEraseFromParent(g->load[k]);
    return any;
}

/* ---- fields without a stride ---- */

/* The integer of this size that begins with field k consists of fields that are not `taken`, or is known to be memory
** that may be loaded. */
static bool is_word(const Group *g, const bool *taken, int k, unsigned size, Word *w) {
    unsigned bytes = 0;
    *w = (Word){.size = size, .align = LLVMGetAlignment(g->load[k])};
    for (int j = 0; j < g->n; j++) {
        int64_t at = g->at[j] - g->at[k];
        if (taken[j] || at < 0 || at + g->size[j] > size) continue;
        if (w->n == 4) return false;
        w->field[w->n++] = j;
        bytes += g->size[j];
    }
    return w->n > 1 && (bytes == size || (LLVMIsALoadInst(g->load[k]) && w->align >= size));
}

static void store_word(Join *x, const Group *g, const Word *w, int64_t from) {
    LLVMTypeRef t = integer_of(x, w->size);
    LLVMValueRef sum = NULL;
    set_insert_point(x->b, g->load[g->n - 1]);
    for (int j = 0; j < w->n; j++) {
        int k = w->field[j];
        LLVMValueRef v = LLVMBuildBitCast(x->b, LLVMGetOperand(g->load[k], 0), integer_of(x, g->size[k]), "");
        v = LLVMBuildZExt(x->b, v, t, "");
        v = LLVMBuildShl(x->b, v, LLVMConstInt(t, (uint64_t)(8 * (g->at[k] - from)), 0), "");
        sum = sum ? LLVMBuildOr(x->b, sum, v, "fields") : v;
    }
    LLVMSetAlignment(LLVMBuildStore(x->b, sum, address(x, g, from)), w->align);
}

static bool join_words(Join *x, const Group *g) {
    bool taken[MAX_LOADS] = {false}, store = LLVMIsAStoreInst(g->load[0]) != NULL, any = false;
    for (unsigned size = 4; size > g->largest; size /= 2)
        for (int k = 0; k < g->n; k++) {
            Word w;
            if (taken[k] || !is_word(g, taken, k, size, &w)) continue;
            LLVMValueRef integer = store ? NULL : load_integer(x, g, g->at[k], size, w.align);
            if (store) store_word(x, g, &w, g->at[k]);
            for (int j = 0; j < w.n; j++) {
                taken[w.field[j]] = true;
                if (!store) take_field(x, g, w.field[j], integer, g->at[k]);
            }
            any = true;
        }
    for (int k = 0; k < g->n; k++)
        if (taken[k]) LLVMInstructionEraseFromParent(g->load[k]);
    return any;
}

Nyi join_fields(Kernel *k) {
    keep_facts(k);
    if (k->width < 4 || k->m->opt->opt_level == 0 || pass_disabled(k->m, "join_fields") ||
        pass_disabled(k->m, "fields"))
        return NYI_NONE;
    const Cfg *c = kernel_cfg(k);
    Join x = {.k = k, .s = kernel_shapes(k)};
    map_init(&x.seen, k->arena);
    Vec(Group) larger = {0}, alone = {0};
    for_each_cfg_instruction(i, b, c) {
        Group g;
        if (!is_plain_access(i) || map_get(&x.seen, i, 0) || !field_size(&x, i)) continue;
        collect_fields(&x, i, &g);
        if (g.n < 2) continue;
        if (g.largest <= 2 && has_no_stride(&x, &g)) vec_push(k->arena, &alone, g);
        else if (LLVMIsALoadInst(i) && g.anchor >= 0 && has_field_stride(&x, g.base, g.largest))
            vec_push(k->arena, &larger, g);
    }
    if (!larger.n && !alone.n) return NYI_NONE;
    bool any = false;
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < larger.n; i++) any |= join_group(&x, &larger.v[i]);
    for (int i = 0; i < alone.n; i++) any |= join_words(&x, &alone.v[i]);
    LLVMDisposeBuilder(x.b);
    if (any) drop_facts(k);
    return NYI_NONE;
}
