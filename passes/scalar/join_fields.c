/* join_fields: fields of 1, 2 or 4 bytes beside larger ones are loaded as part of an integer of the larger size.
**
**   struct { char a, b; short c; float d; }:   load i16 p + 2      becomes     trunc(load i32 p >> 16)
**                                              load float p + 4                load float p + 4
**
** in, out: normal form
** Why: fields of one size are loaded together, as consecutive vectors (widen_fields.c) or at once for each lane
** (widen_runs.c); one of another size would be a separate gather.
** Which: loads in one block from one varying address and constant offsets, without a write in between, of which one has
** the largest size and is aligned to it. Then whole integers of that size around the others are on the pages of these.
** Not done: stores, which would need all bytes of an integer. */
#include "passes/analysis/accesses.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_LOADS = 16, AHEAD = 64, MAX_FIELDS = 8 };

typedef struct Group {
    LLVMValueRef load[MAX_LOADS], base;
    int64_t at[MAX_LOADS]; /* offsets from base */
    unsigned size[MAX_LOADS], largest;
    int n, anchor; /* one of the largest size, aligned to it */
} Group;

typedef struct Join {
    Kernel *k;
    const Shapes *s;
    PtrMap seen;
    LLVMBuilderRef b;
} Join;

static unsigned field_size(const Join *x, LLVMValueRef load) {
    LLVMTypeKind t = LLVMGetTypeKind(LLVMTypeOf(load));
    if (t == LLVMIntegerTypeKind && int_bits(load) % 8) return 0;
    if (t != LLVMIntegerTypeKind && t != LLVMFloatTypeKind && t != LLVMDoubleTypeKind && t != LLVMHalfTypeKind &&
        t != LLVMBFloatTypeKind)
        return 0;
    uint64_t n = LLVMStoreSizeOfType(x->k->m->dl, LLVMTypeOf(load));
    return n <= 8 && !(n & (n - 1)) ? (unsigned)n : 0;
}

static bool has_field_stride(const Join *x, LLVMValueRef base, unsigned largest) {
    int64_t stride, offset[64];
    if (shapes_is_uniform(x->s, base)) return false;
    if (shapes_lane_stride(x->s, base, &stride))
        return stride >= 2 * largest && stride <= MAX_FIELDS * largest && stride % largest == 0;
    return shapes_runs(x->s, base, offset) <= 1;
}

static void collect_fields(Join *x, LLVMValueRef first, Group *g) {
    *g = (Group){.anchor = -1};
    int64_t at;
    g->base = access_base(x->k->m->dl, accessed_at(first), &at);
    LLVMValueRef i = first;
    for (int ahead = 0; i && ahead < AHEAD && g->n < MAX_LOADS; i = LLVMGetNextInstruction(i), ahead++) {
        if (stands_between(i, false)) return;
        if (!LLVMIsALoadInst(i) || access_base(x->k->m->dl, accessed_at(i), &at) != g->base || !field_size(x, i) ||
            map_get(&x->seen, i, 0))
            continue;
        g->load[g->n] = i, g->at[g->n] = at, g->size[g->n] = field_size(x, i);
        if (g->size[g->n] > g->largest) g->largest = g->size[g->n], g->anchor = -1;
        if (g->size[g->n] == g->largest && LLVMGetAlignment(i) >= g->largest) g->anchor = g->n;
        g->n++;
        map_put(&x->seen, i, 1);
    }
}

/* The offset of the integer of the largest size that contains load k; false: there is none. */
static bool start_of_word(const Group *g, int k, int64_t *from) {
    int64_t size = g->largest, d = g->at[k] - g->at[g->anchor];
    *from = g->at[k] - ((d % size) + size) % size;
    return g->at[k] + g->size[k] <= *from + size;
}

/* The integer at `from`, loaded before the group's first load. */
static LLVMValueRef load_integer(Join *x, const Group *g, int64_t from) {
    LLVMTypeRef t = LLVMIntTypeInContext(x->k->m->ctx, 8 * g->largest), i8 = LLVMInt8TypeInContext(x->k->m->ctx);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(x->k->m->ctx), (uint64_t)from, 1);
    set_insert_point(x->b, g->load[0]);
    LLVMValueRef v = LLVMBuildLoad2(x->b, t, from ? LLVMBuildGEP2(x->b, i8, g->base, &at, 1, "") : g->base, "fields");
    LLVMSetAlignment(v, g->largest);
    return v;
}

static bool join_group(Join *x, Group *g) {
    int64_t from[MAX_LOADS];
    LLVMValueRef integer[MAX_LOADS] = {0};
    bool any = false;
    for (int k = 0; k < g->n; k++) {
        if (g->size[k] == g->largest || !start_of_word(g, k, &from[k])) continue;
        for (int l = 0; l < k; l++)
            if (integer[l] && from[l] == from[k]) integer[k] = integer[l];
        if (!integer[k]) integer[k] = load_integer(x, g, from[k]);
    }
    for (int k = 0; k < g->n; k++) {
        if (!integer[k]) continue;
        LLVMTypeRef t = LLVMTypeOf(g->load[k]), wide = LLVMTypeOf(integer[k]);
        set_insert_point(x->b, g->load[k]);
        LLVMValueRef v =
            LLVMBuildLShr(x->b, integer[k], LLVMConstInt(wide, (uint64_t)(8 * (g->at[k] - from[k])), 0), "");
        v = LLVMBuildTrunc(x->b, v, LLVMIntTypeInContext(x->k->m->ctx, 8 * g->size[k]), "");
        LLVMReplaceAllUsesWith(g->load[k], LLVMBuildBitCast(x->b, v, t, ""));
        any = true;
    }
    for (int k = 0; k < g->n; k++)
        if (integer[k]) LLVMInstructionEraseFromParent(g->load[k]);
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
    Vec(Group) found = {0};
    for_each_cfg_instruction(i, b, c) {
        Group g;
        if (!LLVMIsALoadInst(i) || !is_plain_access(i) || map_get(&x.seen, i, 0)) continue;
        collect_fields(&x, i, &g);
        if (g.n > 1 && g.anchor >= 0 && has_field_stride(&x, g.base, g.largest)) vec_push(k->arena, &found, g);
    }
    if (!found.n) return NYI_NONE;
    bool any = false;
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < found.n; i++) any |= join_group(&x, &found.v[i]);
    LLVMDisposeBuilder(x.b);
    if (any) drop_facts(k);
    return NYI_NONE;
}
