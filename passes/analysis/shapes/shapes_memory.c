/* shapes_memory.c: loads, and which local arrays can be one object for all lanes of a group.
**
** An alloca is such an object if the lanes always read the same from it, although they run one after the other where
** they diverge: every store writes a uniform value to a uniform address, its address does not escape, and no divergent
** branch decides about a store within the part of the function in which the object lives. That part is dominated by D,
** the nearest common dominator of all uses, moved out of all loops (so that nothing survives from a visit with fewer
** lanes to a visit with more). Plain "Alloca SSA" without the last condition is unsound once divergent arms run in
** sequence over one object: an arm may overwrite what the other arm still has to read. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"

typedef struct AllocaInfo AllocaInfo;
struct AllocaInfo {
    LLVMValueRef alloca;
    bool uniform, proven;
    Vec(LLVMValueRef) writes; /* stores, memset, memcpy into it */
    int home;                 /* block D, -1 = no use seen yet */
};

bool shapes_alloca_is_uniform(const Shapes *s, LLVMValueRef alloca) {
    const AllocaInfo *i = map_ptr(&s->allocas, alloca);
    return s->g.width == 1 || (i && i->uniform);
}

/* ---- loads ---- */

static unsigned md_kind(const Shapes *s, const char *name) {
    return LLVMGetMDKindIDInContext(LLVMGetModuleContext(s->module), name, (unsigned)strlen(name));
}

/* A block-uniform slot holds a value that split_barriers proved to be the same for all groups. */
static bool block_slot(Shapes *s, LLVMValueRef p) { return LLVMIsACallInst(p) && shapes_name(s, p) == NAME_BLOCK_CUR; }

static bool immutable(const Shapes *s, LLVMValueRef load, LLVMValueRef p) {
    return LLVMGetMetadata(load, md_kind(s, "invariant.load")) || spaces_of(s->memory, p) == SPACE_CONSTANT;
}

Fact shapes_load(Shapes *s, LLVMValueRef load) {
    LLVMValueRef p = LLVMGetOperand(load, 0);
    Fact f = shapes_operand(s, p);
    int bits = shapes_bits(s, LLVMTypeOf(load));
    Scope scope = fact_scope(&s->g, &f);
    if (scope < SCOPE_GROUP && !block_slot(s, p) && !immutable(s, load, p)) scope = SCOPE_GROUP;
    Fact r = scope == SCOPE_NONE ? fact_varying(bits) : fact_uniform(bits, scope);
    fact_normalise(&s->g, &r);
    return r;
}

/* ---- local objects ---- */

/* Widens the part of the function in which the object lives by one use. */
static void extend_home(Shapes *s, AllocaInfo *i, LLVMValueRef use) {
    const Cfg *c = s->cfg;
    int b = cfg_block_of(c, use);
    if (b < 0) return;
    if (i->home < 0) i->home = b;
    while (!cfg_dominates(c, i->home, b)) i->home = c->b[i->home].idom;
}

/* Follows all uses of pointer p; false if the address escapes. */
static bool follow(Shapes *s, AllocaInfo *i, LLVMValueRef p, PtrMap *seen) {
    if (map_get(seen, p, 0)) return true;
    map_put(seen, p, 1);
    for_each_user(x, p) {
        if (LLVMIsAGetElementPtrInst(x) || LLVMIsABitCastInst(x) || LLVMIsAAddrSpaceCastInst(x) || LLVMIsAPHINode(x) ||
            LLVMIsASelectInst(x)) {
            if (!follow(s, i, x, seen)) return false;
        } else if (LLVMIsALoadInst(x)) {
            if (LLVMGetVolatile(x) || LLVMGetOrdering(x) != LLVMAtomicOrderingNotAtomic) return false;
        } else if (LLVMIsAStoreInst(x)) {
            if (LLVMGetOperand(x, 0) == p || LLVMGetVolatile(x) || LLVMGetOrdering(x) != LLVMAtomicOrderingNotAtomic)
                return false;
            vec_push(s->a, &i->writes, x);
        } else if (LLVMIsACallInst(x)) {
            if (is_lifetime(x)) continue;
            if (!LLVMIsAMemIntrinsic(x)) return false;
            if (LLVMGetOperand(x, 0) == p) vec_push(s->a, &i->writes, x);
        } else {
            return false;
        }
        extend_home(s, i, x);
    }
    return true;
}

static void leave_loops(Shapes *s, AllocaInfo *i) {
    const Cfg *c = s->cfg;
    int l = i->home < 0 ? -1 : c->b[i->home].loop;
    while (l >= 0 && c->l[l].parent >= 0) l = c->l[l].parent;
    if (l >= 0) i->home = c->b[c->l[l].header].idom >= 0 ? c->b[c->l[l].header].idom : 0;
}

void shapes_find_allocas(Shapes *s) {
    map_init(&s->allocas, s->a);
    Vec(AllocaInfo *) list = {0};
    for (int k = 0; k < s->n; k++) {
        LLVMValueRef v = s->value[k];
        if (s->block[k] < 0 || !LLVMIsAAllocaInst(v)) continue;
        AllocaInfo *i = arena_alloc(s->a, sizeof *i);
        PtrMap seen = map_new(s->a);
        i->alloca = v;
        i->home = -1;
        i->proven = LLVMGetMetadata(v, md_kind(s, "cucpu.uniform")) != NULL;
        i->uniform =
            i->proven || (s->block[k] == 0 && LLVMIsAConstantInt(LLVMGetOperand(v, 0)) && follow(s, i, v, &seen));
        leave_loops(s, i);
        map_put(&s->allocas, v, (uintptr_t)i);
        vec_push(s->a, &list, i);
    }
    s->alloca_list = list.v;
    s->nallocas = list.n;
}

static bool uniform(Shapes *s, LLVMValueRef v) {
    Fact f = shapes_operand(s, v);
    return fact_group_uniform(&s->g, &f);
}

/* A divergent branch within the life of the object decides whether `block` runs. */
static bool decided_apart(Shapes *s, int home, int block, uint8_t *seen) {
    int n;
    const int *by = divergence_deciders(s->div, block, &n);
    for (int i = 0; i < n; i++) {
        int a = by[i];
        if (seen[a] || !cfg_dominates(s->cfg, home, a)) continue;
        seen[a] = 1;
        if (s->branch[a] == SCOPE_NONE || decided_apart(s, home, a, seen)) return true;
    }
    return false;
}

static bool still_uniform(Shapes *s, AllocaInfo *i) {
    for (int k = 0; k < i->writes.n; k++) {
        LLVMValueRef w = i->writes.v[k];
        int n = LLVMIsAStoreInst(w) ? 2 : 3, b = cfg_block_of(s->cfg, w);
        if (b < 0) continue;
        for (int o = 0; o < n; o++)
            if (!uniform(s, LLVMGetOperand(w, (unsigned)o))) return false;
        LLVMValueRef mask = shapes_block_mask(s, b);
        if (mask && !uniform(s, mask)) return false;
        uint8_t *seen = arena_array(s->a, uint8_t, s->cfg->n + 1);
        if (decided_apart(s, i->home, b, seen)) return false;
    }
    return true;
}

bool shapes_check_allocas(Shapes *s) {
    bool changed = false;
    for (int k = 0; k < s->nallocas && s->g.width > 1; k++) {
        AllocaInfo *i = s->alloca_list[k];
        if (!i->uniform || i->proven || still_uniform(s, i)) continue;
        i->uniform = false;
        shapes_touch(s, i->alloca);
        changed = true;
    }
    return changed;
}

void shapes_mark_allocas(const Shapes *s) {
    LLVMContextRef context = LLVMGetModuleContext(s->module);
    for (int k = 0; k < s->nallocas; k++)
        if (s->g.width > 1 && s->alloca_list[k]->uniform)
            LLVMSetMetadata(s->alloca_list[k]->alloca, md_kind(s, "cucpu.uniform"),
                            LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0)));
}
