/* linearise: divergent control flow becomes data flow under masks; uniform branches are kept.
**
** in:  per-thread code in normal form
** out: code in which every branch is uniform for the group. A block that not all lanes of the group run starts with
**      cucpu.mask(m); values that merge at divergent joins are selects; a loop that lanes leave one by one runs while
**      any lane is left.
**
** Partial linearisation after Moll (2021, ch. 8): blocks are visited in compact order; a divergent branch goes to the
** nearest of its targets and *defers* the others, which every later block must then reach; a uniform branch keeps its
** two targets as far as deferrals allow.
** Loops: an edge that leaves a divergent loop goes to its latch instead; the latch repeats the loop while any lane
** arrives at it and otherwise acts as a divergent branch to all exits. Lanes that leave it together, by a uniform
** branch of its header, go straight to the exits. A loop is divergent if lanes leave it one by one, if it may run
** without any active lane, or if an exit that lanes take together is first routed through the rest of the loop: the
** layout is repeated while it reveals more of these.
**
** Masks and phis are kept in memory slots while the graph is rewritten; then they become values again.
**   mask of a block with several predecessors: OR over its edges, reset at the start of its loop
**   phi: in each predecessor  slot = select(edge mask, value, slot);  loop headers take the value
**        unconditionally, since lanes that have left do not read it: a uniform counter remains
**        uniform, and a value that leaves a divergent loop is blended as each lane leaves
** Masks are combined by select, not by `and`: an inactive lane may hold poison.
** A block without active lanes may run all the same: the conditions of its uniform branches are frozen where they may
** be poison. An access, a call or a division before a value no longer implies anything about it: between here and widen
** no pass may rely on that (that a pointer is not null, say), and the flags of such an instruction are dropped.
** Loops that poll memory become yield points, at width 1 too. Refuses where lanes of one group wait for each other
** (analysis/spin_loops.h). */
#include "cpu-runtime/abi.h"
#include "passes/analysis/late_exits.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/widen/linearise.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- phis ---- */

/* An operand of a phi: the edge on which it is stored. */
typedef struct Incoming {
    LLVMValueRef v;
    int from, e;
} Incoming;

static int edge_number(const Line *l, int from, int to) {
    return l->c->b[from].nsucc == 2 && l->c->b[from].succ[1] == to;
}

/* No iteration of the loops between the two blocks changes the value. */
static bool is_invariant(const Line *l, LLVMValueRef v, int from, int to) {
    int def = cfg_block_of(l->c, v);
    if (LLVMIsAInstruction(v) && def < 0) return false;
    for (int x = l->c->b[from].loop; x >= 0 && !cfg_loop_contains(l->c, x, to); x = l->c->l[x].parent)
        if (def >= 0 && cfg_loop_contains(l->c, x, def)) return false;
    return true;
}

/* Where lanes leave a divergent loop for an exit that passes the value on, it is stored as they leave: exits that lead
** to one block share its slot. What is invariant in the loop is stored once, in the exit. */
static Incoming incoming_of(const Line *l, int b, LLVMValueRef phi, unsigned i, bool header) {
    Incoming r = {LLVMGetIncomingValue(phi, i), cfg_number(l->c, LLVMGetIncomingBlock(phi, i)), 0};
    int exit = r.from, before = exit >= 0 && !header ? line_left_from(l, exit) : -1;
    bool inside = cfg_block_of(l->c, r.v) == exit;
    bool one_by_one = before >= 0 && shapes_branch_divergent(l->s, before);
    if (one_by_one && !inside && is_invariant(l, r.v, before, exit)) before = -1;
    if (before >= 0 && (!inside || LLVMIsAPHINode(r.v))) {
        if (inside) r.v = LLVMGetIncomingValue(r.v, 0);
        r.from = before;
        r.e = edge_number(l, before, exit);
    } else if (exit >= 0) {
        r.e = edge_number(l, exit, b);
    }
    return r;
}

static void demote_phi(Line *l, int b, LLVMValueRef phi) {
    LLVMTypeRef t = LLVMTypeOf(phi);
    int loop = l->c->b[b].loop;
    bool header = loop >= 0 && l->c->l[loop].header == b;
    LLVMValueRef slot = line_new_slot(l, b, t, LLVMGetPoison(t));
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        Incoming in = incoming_of(l, b, phi, i, header);
        if (in.from < 0) continue;
        int to = l->c->b[in.from].succ[in.e];
        LLVMValueRef v = in.v, m = NULL;
        bool leaves_divergent =
            line_effective(l, l->c->b[in.from].loop, to) != to && !line_leaves_together(l, in.from, to);
        if (!header && (leaves_divergent || LLVMCountIncoming(phi) > 1)) m = line_at_edge(l, in.from, in.e);
        else line_at_end(l, in.from);
        if (m && m != l->entry_mask) {
            LLVMValueRef old = LLVMBuildLoad2(l->b, t, slot, "");
            v = LLVMBuildSelect(l->b, m, v, old, "blend");
            map_put(&l->partial, slot, 1);
        }
        LLVMBuildStore(l->b, v, slot);
    }
    LLVMPositionBuilderBefore(l->b, first_after_phis(l->c->b[b].bb));
    LLVMValueRef v = LLVMBuildLoad2(l->b, t, slot, "");
    replace_instruction(phi, v);
}

/* All phis of a block are read at its start; a phi that feeds another phi of the same block must be stored with its old
** value: slots are read at the block start, and stored at the end of predecessors from SSA values, so the parallel
** semantics hold by construction. */
static void demote_phis(Line *l) {
    for (int b = l->c->n - 1; b >= 0; b--)
        for (LLVMValueRef i; (i = LLVMGetFirstInstruction(l->c->b[b].bb)) && LLVMIsAPHINode(i);) {
            if (LLVMGetFirstUse(i)) demote_phi(l, b, i);
            else LLVMInstructionEraseFromParent(i); /* passed on to a later block, which is done */
        }
}

/* ---- rewriting ---- */

static bool is_slot_load(const Line *l, LLVMValueRef i) {
    for (int s = 0; LLVMIsALoadInst(i) && s < l->slots.n; s++)
        if (LLVMGetOperand(i, 0) == l->slots.v[s]) return true;
    return false;
}

/* The header does nothing but count the lanes that are left, and is left by them together where there is none. */
static bool header_leaves_without_lanes(const Line *l, int loop) {
    int h = l->c->l[loop].header;
    if (l->c->b[h].nsucc != 2 || !line_leaves_together(l, h, l->c->b[h].succ[0])) return false;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(l->c->b[h].bb), test = LLVMGetCondition(t);
    if (!LLVMIsAICmpInst(test) || LLVMGetICmpPredicate(test) != LLVMIntULE) return false;
    LLVMValueRef count = LLVMGetOperand(test, 0);
    for_each_in_block(i, l->c->b[h].bb)
        if (i != t && i != test && i != count && name_of_call(i) != NAME_MASK && !is_slot_load(l, i)) return false;
    return name_of_call(count) == NAME_ACTIVE_COUNT && LLVMGetOperand(count, 0) == l->mask[h];
}

static void rewrite_terminator(Line *l, int b) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(l->c->b[b].bb);
    int loop, n0 = l->next0[b], n1 = l->next1[b];
    LLVMBasicBlockRef to[2];
    if (n0 < 0 && n1 < 0) return; /* ret */
    for (int e = 0; e < 2; e++) {
        int next = e && n1 >= 0 ? n1 : n0;
        to[e] = l->edge_block[2 * b + e] ? l->edge_block[2 * b + e] : l->c->b[next].bb;
    }
    set_insert_point(l->b, t);
    if (to[0] == to[1]) {
        LLVMBuildBr(l->b, to[0]);
    } else if (line_is_latch(l, b, &loop) && header_leaves_without_lanes(l, loop)) {
        LLVMBuildBr(l->b, to[0]);
    } else if (line_is_latch(l, b, &loop)) {
        LLVMValueRef m = l->mask[b] ? l->mask[b] : LLVMConstInt(l->i1, 1, 0);
        LLVMValueRef any = name_call(l->b, l->k->m->mod, NAME_ANY, &m, 1, "any");
        LLVMBuildCondBr(l->b, any, to[0], to[1]);
    } else {
        LLVMBuildCondBr(l->b, LLVMGetCondition(t), to[0], to[1]);
    }
    LLVMInstructionEraseFromParent(t);
}

/* Linear order keeps dominance where the compact order could be dominance-compact; elsewhere the value goes through
** memory. A lane that uses it has run its definition. */
static void repair_dominance(Line *l) {
    Cfg *c = cfg_build(l->a, l->k->fn);
    for_each_cfg_instruction(i, b, c)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v)) continue;
            int d = cfg_block_of(c, v);
            if (d == b || cfg_dominates(c, d, b)) continue;
            LLVMValueRef slot = entry_alloca(l->k->fn, LLVMTypeOf(v), "repair");
            vec_push(l->a, &l->slots, slot);
            map_put(&l->partial, slot, 1);
            LLVMPositionBuilderBefore(l->b, LLVMGetNextInstruction(v));
            LLVMBuildStore(l->b, v, slot);
            LLVMPositionBuilderBefore(l->b, i);
            LLVMSetOperand(i, (unsigned)k, LLVMBuildLoad2(l->b, LLVMTypeOf(v), slot, ""));
        }
}

/* v may be poison in a block without active lanes. */
static bool may_be_poison(const Line *l, LLVMValueRef v, PtrMap *seen) {
    if (LLVMIsUndef(v) || LLVMIsPoison(v)) return true;
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v) || LLVMIsAFreezeInst(v) || map_get(seen, v, 0)) return false;
    map_put(seen, v, 1);
    if (LLVMIsALoadInst(v) && map_get(&l->partial, LLVMGetOperand(v, 0), 0)) return true;
    if (LLVMIsALoadInst(v) && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)))
        for_each_user(i, LLVMGetOperand(v, 0)) {
            bool stores =
                LLVMIsAStoreInst(i) && !LLVMIsPoison(LLVMGetOperand(i, 0)); /* poison: the initial value of a slot */
            if (stores && may_be_poison(l, LLVMGetOperand(i, 0), seen)) return true;
        }
    if (LLVMIsACallInst(v) && !is_pure_intrinsic(v)) return false;
    if (LLVMIsALoadInst(v)) { /* under a mask it may be of scratch memory */
        int b = cfg_block_of(l->c, v);
        return !LLVMIsAAllocaInst(LLVMGetOperand(v, 0)) && (b < 0 || l->mask[b]);
    }
    int b = cfg_block_of(l->c, v);
    if ((b < 0 || !l->some[b]) && shim_makes_poison(v)) return true;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (may_be_poison(l, LLVMGetOperand(v, (unsigned)k), seen)) return true;
    return false;
}

/* Without active lanes the uniform branches of a block may take either edge, but nothing else. */
static void freeze_conditions(Line *l) {
    for_each_block(b, l->k->fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) continue;
        PtrMap seen = map_new(l->a);
        if (!may_be_poison(l, LLVMGetCondition(t), &seen)) continue;
        LLVMPositionBuilderBefore(l->b, t);
        LLVMSetCondition(t, LLVMBuildFreeze(l->b, LLVMGetCondition(t), ""));
    }
}

/* Instructions with undefined behaviour for a value with violated flags (poison, a null pointer): an inactive lane may
** have such a value now. */
static void drop_value_attributes(const Line *l) {
    static const char *const promises[] = {"noundef", "dereferenceable", "dereferenceable_or_null"};
    for (int b = 0; b < l->c->n; b++)
        for (LLVMValueRef i = l->mask[b] ? LLVMGetFirstInstruction(l->c->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i))
            for (size_t k = 0; k < sizeof promises / sizeof *promises; k++) {
                unsigned n = (unsigned)strlen(promises[k]), kind = LLVMGetEnumAttributeKindForName(promises[k], n);
                if (LLVMIsALoadInst(i))
                    LLVMSetMetadata(i, LLVMGetMDKindIDInContext(l->k->m->ctx, promises[k], n), NULL);
                for (unsigned a = 0; LLVMIsACallInst(i) && a <= LLVMGetNumArgOperands(i); a++)
                    LLVMRemoveCallSiteEnumAttribute(i, a, kind);
            }
}

/* ---- lanes that wait for others ---- */

/* The lane that could release others is after the loop with them, or on another path. */
static bool waits_for_other_lanes(const Line *l, const bool *polls) {
    for (int x = 0; x < l->c->nloops; x++)
        if (polls[x] && spins_on_own_lanes(l->k, l->c, l->s, x)) return true;
    return false;
}

/* Every iteration runs a barrier, which lets the others run. */
static bool has_barrier(const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb)
            if (name_is_cut(name_of_call(i)) && cfg_dominates(c, b, c->l[loop].latches[0])) return true;
    return false;
}

/* What the loop tests may be stored by another block. */
static bool polls_other_blocks(const MemorySpaces *spaces, const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) {
            bool atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
            bool polls_global = atomic || (LLVMIsALoadInst(i) &&
                                           (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
            if (polls_global && spaces_of(spaces, LLVMGetOperand(i, 0)) & SPACE_GLOBAL) return true;
        }
    return false;
}

/* A group that waits for another one lets the others of its block run between two tests: a barrier without participants
** before the back edge (abi.h, CUCPU_WAIT_YIELD). A block that waits for another one, of which all threads test again
** after a barrier, tells the runtime so by the same means. */
static void yield_while_waiting(Kernel *k, const Cfg *c, const bool *polls) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    const MemorySpaces *spaces = memory_spaces(k->arena, k->fn);
    for (int x = 0; x < c->nloops; x++) {
        if (!polls[x] || c->l[x].nlatches != 1 || (has_barrier(c, x) && !polls_other_blocks(spaces, c, x))) continue;
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(c->b[c->l[x].latches[0]].bb));
        LLVMSetCurrentDebugLocation2(b, NULL);
        LLVMValueRef args[2] = {const_i32(k->fn, CUCPU_WAIT_YIELD), const_i32(k->fn, 1)};
        name_call(b, k->m->mod, NAME_BARRIER_N, args, 2, "");
    }
    LLVMDisposeBuilder(b);
}

static Nyi width_one(Kernel *k) {
    report_begin(k);
    Cfg *c = cfg_build(k->arena, k->fn);
    yield_while_waiting(k, c, find_spin_loops(k->arena, c));
    return NYI_NONE;
}

static Nyi refusal(const Line *l, const bool *polls) {
    for (int b = 1; b < l->c->n; b++)
        if (l->ndom[b] < 0) return NYI_LINEAR_ORDER;
    if (exits_late(l->a, l->c, l->s, l->div_loop)) return NYI_EXIT_BARRIER;
    if (waits_for_other_lanes(l, polls)) return NYI_LANE_WAIT;
    return converges_across_branch(l->k, l->c, l->s) ? NYI_LANE_MEET : NYI_NONE;
}

static LLVMValueRef of_first_lane(Line *l, LLVMValueRef mask, LLVMValueRef v) {
    bool wide = int_bits(v) > 32;
    LLVMContextRef ctx = l->k->m->ctx;
    v = LLVMBuildSExt(l->b, v, wide ? LLVMInt64TypeInContext(ctx) : LLVMInt32TypeInContext(ctx), "");
    LLVMValueRef args[2] = {mask, v};
    return name_call(l->b, l->k->m->mod, wide ? NAME_FIRST64 : NAME_FIRST32, args, 2, "first");
}

/* Comparisons that are alike in all active lanes, but not in an inactive lane 0, are made for the first active lane. */
static void compare_first_lanes(Line *l) {
    for_each_cfg_instruction(i, b, l->c) {
        if (!LLVMIsAICmpInst(i) || !shapes_compares_first(l->s, i)) continue;
        set_insert_point(l->b, i);
        LLVMValueRef all = LLVMConstInt(l->i1, 1, 0);
        LLVMValueRef x = of_first_lane(l, all, LLVMGetOperand(i, 0)), y = of_first_lane(l, all, LLVMGetOperand(i, 1));
        LLVMReplaceAllUsesWith(i, LLVMBuildICmp(l->b, LLVMGetICmpPredicate(i), x, y, ""));
    }
}

/* The edges of b lead out of no loop whose lanes leave it together. */
static bool stays_in_loops(const Line *l, int b) {
    for (int e = 0; e < l->c->b[b].nsucc; e++) {
        int to = l->c->b[b].succ[e];
        for (int x = l->c->b[b].loop; x >= 0 && !cfg_loop_contains(l->c, x, to); x = l->c->l[x].parent)
            if (!l->div_loop[x] || line_leaves_together(l, b, to)) return false;
    }
    return true;
}

static LLVMValueRef mask_at_end(const Line *l, LLVMBasicBlockRef bb) {
    for (LLVMValueRef i = LLVMGetLastInstruction(bb); i; i = LLVMGetPreviousInstruction(i))
        if (name_of_call(i) == NAME_MASK) return LLVMGetOperand(i, 0);
    return LLVMConstInt(l->i1, 1, 0);
}

/* A uniform value that leaves a divergent loop is blended, and inactive lanes have another one then. The branches that
** depend on it take the value of the first active lane. Where there may be none they may take either edge, but not
** leave a loop: false. */
static bool branch_by_first_lanes(Line *l) {
    Kernel *k = l->k;
    const Cfg *c = cfg_build(l->a, k->fn); /* beside that of before */
    const Shapes *s = shapes_compute(l->a, c, k->width, k->layout, k->block);
    bool ok = true;
    l->b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int b = 0; b < c->n && ok; b++) {
        if (!shapes_branch_divergent(s, b)) continue;
        int before = cfg_number(l->c, c->b[b].bb);
        LLVMValueRef t = LLVMGetBasicBlockTerminator(c->b[b].bb);
        ok = before >= 0 && (l->some[before] || stays_in_loops(l, before));
        set_insert_point(l->b, t);
        LLVMValueRef first = of_first_lane(l, mask_at_end(l, c->b[b].bb), LLVMGetCondition(t));
        LLVMSetCondition(t, LLVMBuildFreeze(l->b, LLVMBuildTrunc(l->b, first, l->i1, ""), ""));
    }
    LLVMDisposeBuilder(l->b);
    return ok;
}

Nyi linearise(Kernel *k) {
    if (k->width == 1) return width_one(k);
    Line l = {.k = k, .a = k->arena, .i1 = LLVMInt1TypeInContext(k->m->ctx)};
    l.c = kernel_cfg(k);
    if (!l.c->reducible) return NYI_IRREDUCIBLE;
    for (int i = 0; i < l.c->nloops; i++)
        if (l.c->l[i].nlatches != 1) return NYI_IRREDUCIBLE;
    l.s = kernel_shapes(k);
    shapes_mark_allocas(l.s);
    l.b = LLVMCreateBuilderInContext(k->m->ctx);
    map_init(&l.partial, l.a);
    line_iteration_postdominators(&l);
    line_lay_out_blocks(&l);
    line_new_dominators(&l);
    int divergent = 0;
    report_begin(k);
    for (int b = 0; b < l.c->n; b++) {
        if (l.c->b[b].nsucc != 2) continue;
        bool diverges = shapes_branch_divergent(l.s, b);
        divergent += diverges;
        report_branch(k, LLVMGetBasicBlockTerminator(l.c->b[b].bb), diverges);
    }
    fn_set_attr(k->fn, ATTR_DIVERGENT, arena_printf(l.a, "%d", divergent));
    const bool *polls = find_spin_loops(l.a, l.c);
    Nyi refused = refusal(&l, polls);
    if (refused != NYI_NONE) {
        LLVMDisposeBuilder(l.b);
        return refused;
    }
    yield_while_waiting(k, l.c, polls);
    compare_first_lanes(&l);
    line_build_masks(&l);
    line_resolve_any(&l);
    demote_phis(&l);
    line_mark_masks(&l);
    for (int b = 0; b < l.c->n; b++) rewrite_terminator(&l, b);
    repair_dominance(&l);
    freeze_conditions(&l);
    drop_value_attributes(&l);
    LLVMDisposeBuilder(l.b);
    for (int i = 0; i < l.slots.n; i++) shim_promote_slot(l.slots.v[i]);
    run_llvm_passes_on(k->m, k->fn, "mem2reg");
    shim_simplify_values(k->fn);
    delete_dead(k->fn);
    return branch_by_first_lanes(&l) ? NYI_NONE : NYI_LATE_BRANCH;
}
