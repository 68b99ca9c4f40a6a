/* version_region: see version_region.h. */
#include "passes/version/version_region.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/slice.h"
#include <llvm-c/DebugInfo.h>

enum { DEPTH = 8 };

/* ---- growth ---- */

int growth_left(const Kernel *k) { return (int)GROWTH_VERSIONS - (int)fn_attr_int(k->fn, ATTR_GROWTH, 0); }

void add_growth(Kernel *k, int instructions) {
    long all = fn_attr_int(k->fn, ATTR_GROWTH, 0) + instructions;
    fn_set_attr(k->fn, ATTR_GROWTH, arena_printf(k->arena, "%ld", all));
}

/* ---- finders ---- */

/* Some gather or scatter of the region has an address that depends on v. */
static bool moves_memory(const Region *x, LLVMValueRef v, PtrMap *seen, int depth) {
    if (depth > 4 * DEPTH) return false;
    for_each_user(i, v) {
        if (map_get(seen, i, 0)) continue;
        map_put(seen, i, 1);
        bool store = LLVMIsAStoreInst(i) != NULL;
        if (store || LLVMIsALoadInst(i)) {
            LLVMValueRef p = LLVMGetOperand(i, store ? 1 : 0);
            if (p == v && !shapes_is_affine(x->s, p)) return true;
        }
        if (!store && moves_memory(x, i, seen, depth + 1)) return true;
    }
    return false;
}

bool region_moves_memory(const Region *x, LLVMValueRef v) {
    PtrMap seen = map_new(x->a);
    return moves_memory(x, v, &seen, 0);
}

/* An empty block, or the arithmetic of the next iteration after the exit branch of the loop. */
static bool may_follow(const Region *x, int l, int b) {
    const Block *up = &x->c->b[x->c->b[b].pred[0]];
    bool exits = false;
    for (int e = 0; e < up->nsucc; e++) exits |= l >= 0 && !cfg_loop_contains(x->c, l, up->succ[e]);
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->c->b[b].bb); !LLVMIsATerminatorInst(i);
         i = LLVMGetNextInstruction(i))
        if (!exits || LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsACallInst(i)) return false;
    return true;
}

/* The barrier of an interchanged loop, in a separate block: it is after the region. */
static bool is_isolated_barrier(const Region *x, int b) {
    return name_is_barrier(name_of_call(LLVMGetFirstInstruction(x->c->b[b].bb)));
}

/* What the first block dominates, to the end of the loop around it or of the function. */
static bool find_last(Region *x) {
    int l = x->c->b[x->at].loop;
    if (l >= 0 && x->c->l[l].nlatches != 1) return false;
    if (l >= 0 && cfg_dominates(x->c, x->at, x->c->l[l].latches[0])) x->last = x->c->l[l].latches[0];
    while (x->last > x->at && x->c->b[x->last].npred == 1 &&
           (is_isolated_barrier(x, x->last) || may_follow(x, l, x->last)))
        x->last = x->c->b[x->last].pred[0];
    for (int b = x->at; l < 0 && b < x->c->n; b++)
        if (!x->c->b[b].nsucc && cfg_dominates(x->c, x->at, b)) x->last = b;
    return true;
}

/* What `to` dominates, without what is after the end. */
static void find_blocks(Region *x) {
    x->has = arena_array(x->a, bool, x->c->n);
    for (int b = x->to; b < x->c->n; b++)
        x->has[b] = cfg_dominates(x->c, x->to, b) && (x->stop < 0 || !cfg_dominates(x->c, x->stop, b)) &&
                    (x->last < 0 || b == x->last || !cfg_dominates(x->c, x->last, b));
}

static bool may_leave(const Region *x, int b, int to) {
    int l = x->c->b[x->at].loop;
    return b == x->last || (to > x->at && (x->arm || l < 0 || cfg_loop_contains(x->c, l, to)));
}

static bool can_be_copied(Region *x) {
    int limit = growth_left(x->k) / (x->copies ? x->copies : 1);
    x->size = 0;
    for (int b = x->to; b < x->c->n; b++) {
        if (!x->has[b]) continue;
        for (int e = 0; e < x->c->b[b].nsucc; e++)
            if (!may_leave(x, b, x->c->b[b].succ[e])) return false;
        if (!x->c->b[b].nsucc && b != x->last && !x->of_block) return false;
        for (LLVMValueRef i = b == x->at ? x->from : LLVMGetFirstInstruction(x->c->b[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (!(may_duplicate(i) || x->of_block) || ++x->size > limit) return false;
    }
    return true;
}

static void begin_region(Region *x, int at, LLVMValueRef from) {
    x->at = x->to = at;
    x->from = from;
    x->last = x->stop = -1;
    x->arm = x->join = NULL;
    x->of_block = false;
}

bool region_find_rest(Region *x, int at, LLVMValueRef from) {
    begin_region(x, at, from);
    if (!find_last(x)) return false;
    find_blocks(x);
    return can_be_copied(x);
}

bool region_find_until(Region *x, int at, LLVMValueRef from, LLVMBasicBlockRef join) {
    begin_region(x, at, from);
    x->join = join;
    x->stop = cfg_number(x->c, join);
    find_blocks(x);
    return can_be_copied(x);
}

bool region_find_arm(Region *x, int at, int to) {
    begin_region(x, at, LLVMGetBasicBlockTerminator(x->c->b[at].bb));
    x->to = to;
    x->arm = x->c->b[to].bb;
    find_blocks(x);
    return can_be_copied(x);
}

/* The first instruction that is no alloca. */
static LLVMValueRef move_allocas(LLVMValueRef fn) {
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)), first = i;
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(fn)));
    LLVMPositionBuilderBefore(b, first);
    for (LLVMValueRef next = first; (i = next);) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i)) continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
    }
    LLVMDisposeBuilder(b);
    return first;
}

bool region_find_kernel(Region *x) {
    begin_region(x, 0, move_allocas(x->k->fn));
    x->of_block = true;
    for (int b = 0; b < x->c->n; b++)
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(x->c->b[b].bb))) x->last = b;
    find_blocks(x);
    return x->last >= 0 && can_be_copied(x);
}

/* ---- the original is split off ---- */

/* Values that the end of the region needs and that the region does not change (the next index in a loop) are hoisted
** before it. */
static LLVMValueRef outside_of(const void *block, LLVMValueRef v) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block ? NULL : v;
}

static void hoist_next(Region *x, LLVMBasicBlockRef end, LLVMBasicBlockRef header) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(end);
    Slice s = {outside_of,       x->body, OP_ADD | OP_MUL | OP_SHL | OP_ICMP | OP_INT_CAST, NULL, DEPTH,
               SLICE_KEEP_FLAGS, false};
    if (LLVMGetNumOperands(t)) slice_move(&s, x->b, LLVMGetOperand(t, 0));
    for (LLVMValueRef p = header ? LLVMGetFirstInstruction(header) : NULL; p && LLVMIsAPHINode(p);
         p = LLVMGetNextInstruction(p))
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) slice_move(&s, x->b, LLVMGetIncomingValue(p, k));
}

/* The block after the region: all its paths lead there. */
static LLVMBasicBlockRef cut_end(Region *x, LLVMBasicBlockRef before) {
    if (x->join || x->arm || x->last < 0) return x->join;
    LLVMBasicBlockRef last = x->c->b[x->last].bb;
    LLVMBasicBlockRef end = shim_split_block(LLVMGetBasicBlockTerminator(last == before ? x->body : last), "row.end");
    int l = x->c->b[x->at].loop;
    if (last == before) hoist_next(x, end, l < 0 ? NULL : x->c->b[x->c->l[l].header].bb);
    return end;
}

void region_cut(Region *x, const char *name) {
    LLVMBasicBlockRef before = LLVMGetInstructionParent(x->from);
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(x->from);
    x->body = shim_split_block(x->from, name);
    x->jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, x->jump);
    LLVMSetCurrentDebugLocation2(x->b, location);
    LLVMBasicBlockRef end = cut_end(x, before);
    x->c = cfg_build(x->a, x->k->fn);
    x->to = cfg_number(x->c, x->arm ? x->arm : x->body);
    x->stop = end ? cfg_number(x->c, end) : -1;
    x->last = -1;
    find_blocks(x);
}

void region_mark_tried(Region *x, LLVMValueRef v) {
    LLVMSetMetadata(v, x->tried, LLVMMDNodeInContext(x->k->m->ctx, NULL, 0));
}

bool region_is_before(const Region *x, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    int b = cfg_block_of(x->c, v);
    return b >= 0 && b != x->to && cfg_dominates(x->c, b, x->to);
}

/* ---- the copy ---- */

static LLVMValueRef both(const Region *x, LLVMValueRef a, LLVMValueRef b) {
    return a ? LLVMBuildAnd(x->b, a, b, "") : b;
}

void region_require(Region *x, LLVMValueRef condition) { x->holds = both(x, x->holds, condition); }

void region_require_in_lanes(Region *x, LLVMValueRef condition) {
    x->in_all_lanes = both(x, x->in_all_lanes, condition);
}

void region_assume(Region *x, LLVMValueRef value, LLVMValueRef replacement) {
    vec_push(x->a, &x->assumed, ((Assumption){value, replacement}));
}

/* A value from before the region is replaced only in the copy. */
static void replace_in_copy(const Region *x, LLVMValueRef old, LLVMValueRef v) {
    for_each_region_instruction(i, b, x) {
        LLVMValueRef c = map_ptr(&x->map, i);
        for (int o = 0; c && !LLVMIsAPHINode(c) && o < LLVMGetNumOperands(c); o++)
            if (LLVMGetOperand(c, (unsigned)o) == old) LLVMSetOperand(c, (unsigned)o, v);
    }
}

static void substitute(Region *x) {
    for (int n = 0; n < x->assumed.n; n++) {
        LLVMValueRef old = x->assumed.v[n].value, copy = map_ptr(&x->map, old),
                     v = copied_value(&x->map, x->assumed.v[n].replacement);
        if (copy) LLVMReplaceAllUsesWith(copy, v);
        else replace_in_copy(x, old, v);
        if (copy) map_put(&x->map, old, (uintptr_t)v); /* for replacements that depend on it */
    }
    x->assumed.n = 0;
}

static LLVMValueRef check(Region *x) {
    LLVMPositionBuilderBefore(x->b, x->jump);
    LLVMValueRef holds = x->holds;
    if (x->in_all_lanes) holds = both(x, holds, name_call(x->b, x->k->m->mod, NAME_ALL, &x->in_all_lanes, 1, "all"));
    x->holds = x->in_all_lanes = NULL;
    return holds;
}

/* Each version of a block's code is a region between barriers, in which the result of the check is known. */
static void insert_barrier(Region *x, LLVMBasicBlockRef bb) {
    LLVMValueRef id = const_i32(x->k->fn, 0);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(bb));
    name_call(x->b, x->k->m->mod, NAME_BARRIER, &id, 1, "");
}

void region_copy(Region *x, const char *name, const char *others) {
    LLVMValueRef holds = check(x);
    map_init(&x->map, x->a);
    LLVMBasicBlockRef *copy = clone_blocks(x->a, x->c, x->has, x->to, name, &x->map);
    if (x->stop >= 0) join_clones(x->c, x->has, x->stop, copy, &x->map);
    x->copy = copy[x->to];
    if (x->arm) redirect_phis(x->copy, x->body, LLVMGetInstructionParent(x->jump));
    substitute(x);
    add_growth(x->k, x->size);
    if (x->of_block) insert_barrier(x, x->copy);
    if (x->of_block) insert_barrier(x, x->body);
    LLVMBasicBlockRef next = others ? insert_block(x->copy, others) : x->body;
    replace_by_branch(x->b, x->jump, holds, x->copy, next);
    if (!others) return;
    LLVMPositionBuilderAtEnd(x->b, next);
    x->jump = LLVMBuildBr(x->b, x->body);
    LLVMPositionBuilderBefore(x->b, x->jump);
}

void region_finish(Region *x, const char *cleanup) {
    delete_dead(x->k->fn);
    if (cleanup) unguard_divisions(x->k->fn);
    if (cleanup) run_llvm_passes_on(x->k->m, x->k->fn, cleanup);
    if (cleanup) restore_normal_form(x->k->m, x->k->fn);
    else run_llvm_passes_on(x->k->m, x->k->fn, "loop-simplify,break-crit-edges,lcssa");
    drop_facts(x->k);
}

bool make_versions(Region *r, int max, bool (*find)(void *context), void (*make)(void *context), void *context) {
    int made = 0;
    r->a = r->k->arena;
    for (; made < max; made++) {
        r->c = kernel_cfg(r->k);
        if (!r->c->reducible) break;
        r->s = kernel_shapes(r->k);
        if (!find(context)) break;
        r->b = LLVMCreateBuilderInContext(r->k->m->ctx);
        make(context);
        LLVMDisposeBuilder(r->b);
    }
    return made;
}
