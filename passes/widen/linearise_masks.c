/* linearise_masks: part of linearise: the lanes that are active in a block, and on an edge. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/linearise.h"

/* ---- masks ---- */

static int common_dominator(const Line *l, int x, int y) {
    while (x != y)
        if (x > y) x = l->ndom[x];
        else y = l->ndom[y];
    return x;
}

int line_left_from(const Line *l, int p) {
    const Block *x = &l->c->b[p];
    if (x->npred != 1 || x->nsucc != 1 || l->c->b[x->succ[0]].loop != x->loop) return -1;
    return line_effective(l, l->c->b[x->pred[0]].loop, p) != p ? x->pred[0] : -1;
}

/* Where the slot of a block is set to its initial value: above the block and all that store to it, once per iteration
** of the loop around them. */
static LLVMValueRef reset_point(const Line *l, int b) {
    const Cfg *c = l->c;
    int at = b, level = c->b[b].loop;
    if (level >= 0 && c->l[level].header == b) level = c->l[level].parent;
    for (int p = 0; p < c->b[b].npred; p++) {
        int from = c->b[b].pred[p], before = line_left_from(l, from);
        if (!from || l->ndom[from] >= 0) at = common_dominator(l, at, from);
        if (before >= 0) at = common_dominator(l, at, before);
    }
    while (c->b[at].loop >= 0 && (level < 0 || !cfg_loop_contains(c, c->b[at].loop, c->l[level].header)))
        at = l->ndom[c->l[c->b[at].loop].header];
    LLVMValueRef i = first_after_phis(c->b[at].bb);
    while (LLVMIsAAllocaInst(i)) i = LLVMGetNextInstruction(i);
    return i;
}

LLVMValueRef line_new_slot(Line *l, int block, LLVMTypeRef t, LLVMValueRef initial) {
    LLVMValueRef slot = entry_alloca(l->k->fn, t, "slot");
    vec_push(l->a, &l->slots, slot);
    LLVMPositionBuilderBefore(l->b, reset_point(l, block));
    LLVMBuildStore(l->b, initial, slot);
    return slot;
}

void line_at_end(Line *l, int b) {
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->c->b[b].bb));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
}

/* x and y, where y may be poison in lanes that x excludes; NULL = all lanes. */
static LLVMValueRef both(Line *l, LLVMValueRef x, LLVMValueRef y) {
    /* phis are about to be replaced: the recorded value must be another one */
    if (!x) return LLVMIsAPHINode(y) ? LLVMBuildFreeze(l->b, y, "mask") : y;
    if (y == LLVMConstAllOnes(l->i1)) return x;
    return LLVMBuildSelect(l->b, x, y, LLVMConstNull(l->i1), "mask");
}

/* The mask of the edge e of block b, built at the end of b. */
static LLVMValueRef edge_mask(Line *l, int b, int e) {
    LLVMValueRef m = l->mask[b];
    if (l->c->b[b].nsucc < 2) return m;
    if (l->edge[2 * b + e]) return l->edge[2 * b + e];
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(l->c->b[b].bb));
    return l->edge[2 * b + e] = both(l, m, e ? LLVMBuildNot(l->b, c, "") : c);
}

static bool leaves_divergent_loop(const Line *l, int b, int e) {
    return line_effective(l, l->c->b[b].loop, l->c->b[b].succ[e]) != l->c->b[b].succ[e];
}

/* All lanes of b leave a divergent loop by this uniform branch, or none does, and both edges lead to one block. */
static bool leaves_or_stays(const Line *l, int b) {
    if (l->c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b) || l->next0[b] != l->next1[b]) return false;
    return leaves_divergent_loop(l, b, 0) || leaves_divergent_loop(l, b, 1);
}

/* What happens on this edge has a block of its own: all lanes of b take it, or none. */
static bool has_edge_block(const Line *l, int b, int e) {
    if (l->c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b)) return false;
    return l->next0[b] != l->next1[b] ? leaves_divergent_loop(l, b, e) : leaves_or_stays(l, b);
}

LLVMValueRef line_at_edge(Line *l, int b, int e) {
    if (!has_edge_block(l, b, e)) {
        line_at_end(l, b);
        return edge_mask(l, b, e);
    }
    LLVMBasicBlockRef *bb = &l->edge_block[2 * b + e], to = l->c->b[e ? l->next1[b] : l->next0[b]].bb;
    if (!*bb) {
        *bb = LLVMInsertBasicBlockInContext(l->k->m->ctx, to, "edge");
        LLVMPositionBuilderAtEnd(l->b, *bb);
        LLVMSetCurrentDebugLocation2(l->b, NULL);
        LLVMBuildBr(l->b, to);
    }
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(*bb));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    return l->mask[b];
}

static bool has_other_path(const Line *l, int from, int to) {
    for (int b = 0; b < l->c->n; b++)
        if (b != from && (l->next0[b] == to || l->next1[b] == to)) return true;
    return false;
}

/* Lanes that enter a loop all leave it: where every exit leads to b, the lanes of b are those of the preheader, which
** is returned; -1: b is not such an exit. The union of the edges would be one more value in each iteration. */
static int preheader_of_loop_before(const Line *l, int b) {
    const Cfg *c = l->c;
    const Block *x = &c->b[b];
    int loop = x->npred ? c->b[x->pred[0]].loop : -1;
    while (loop >= 0 && c->l[loop].parent != x->loop) loop = c->l[loop].parent;
    if (loop < 0) return -1;
    for (int p = 0; p < x->npred; p++)
        if (!cfg_loop_contains(c, loop, x->pred[p])) return -1;
    for (int i = c->l[loop].first; i <= c->l[loop].last; i++)
        for (int e = 0; e < c->b[i].nsucc; e++) {
            int to = c->b[i].succ[e];
            if (to != b && !cfg_loop_contains(c, loop, to)) return -1;
        }
    int before = cfg_preheader(c, loop);
    return before >= 0 && c->b[before].nsucc == 1 ? before : -1;
}

/* Decides how the mask of each block is computed, and computes it where that needs no edges. */
static bool in_divergent_loop(const Line *l, int b) {
    for (int x = l->c->b[b].loop; x >= 0; x = l->c->l[x].parent)
        if (l->div_loop[x]) return true;
    return false;
}

/* The mask of a block as the mask of another or as one edge of it; false if it needs a slot. The source must dominate
** the block in the new graph too: where the block can be reached without it, no lane is active in the block, which a
** slot expresses. A slot is also needed where all lanes of a block take one edge, and another path leads to the same
** block: from the end of a divergent loop that all have left otherwise, or to its latch, as they leave it together. */
static bool mask_from_above(Line *l, int b) {
    const Block *x = &l->c->b[b];
    int loop = x->loop;
    if (l->all_active[b]) return true; /* all lanes */
    if (!shapes_block_divergent(l->s, b) && !in_divergent_loop(l, b)) {
        l->mask[b] = l->in_all_active[b] ? NULL : l->entry_mask;
        return true;
    }
    if (loop >= 0 && l->c->l[loop].header == b) {
        int before = -1;
        for (int p = 0; p < x->npred; p++)
            if (x->pred[p] < b) before = x->pred[p];
        if (l->div_loop[loop] || !line_new_dominates(l, before, b)) return false;
        l->mask[b] = l->mask[before];
        return true;
    }
    if (line_same_lanes(l, x->idom, b) && line_new_dominates(l, x->idom, b)) {
        l->mask[b] = l->mask[x->idom];
        return true;
    }
    int before = preheader_of_loop_before(l, b);
    if (before >= 0 && l->c->b[before].loop == loop && line_new_dominates(l, before, b)) {
        l->mask[b] = l->mask[before];
        return true;
    }
    if (x->npred != 1 || !line_new_dominates(l, x->pred[0], b)) return false;
    int p = x->pred[0], e = l->c->b[p].nsucc == 2 && l->c->b[p].succ[1] == b;
    bool together = line_leaves_together(l, p, b), uniform = line_kept_uniform_edge(l, p, e, b);
    if ((together || uniform) && has_other_path(l, p, b)) return false;
    if (uniform) {
        l->mask[b] = l->mask[p];
        return true;
    }
    if (l->c->b[p].loop != loop || leaves_or_stays(l, p)) return false;
    line_at_end(l, p);
    l->mask[b] = edge_mask(l, p, e);
    return true;
}

static void mask_from_slot(Line *l, int b) {
    l->slot_mask[b] = true;
    l->mslot[b] = line_new_slot(l, b, l->i1, LLVMConstNull(l->i1));
    LLVMPositionBuilderBefore(l->b, first_after_phis(l->c->b[b].bb));
    l->mask[b] = LLVMBuildLoad2(l->b, l->i1, l->mslot[b], "mask");
}

void line_build_masks(Line *l) {
    Cfg *c = l->c;
    l->mask = arena_array(l->a, LLVMValueRef, c->n);
    l->edge = arena_array(l->a, LLVMValueRef, 2 * c->n);
    l->edge_block = arena_array(l->a, LLVMBasicBlockRef, 2 * c->n);
    l->mslot = arena_array(l->a, LLVMValueRef, c->n);
    l->slot_mask = arena_array(l->a, bool, c->n);
    if (!line_are_all_lanes_active(l)) {
        LLVMValueRef at = first_after_phis(c->b[0].bb);
        while (LLVMIsAAllocaInst(at)) at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(l->b, at);
        l->entry_mask = name_call(l->b, l->k->m->mod, NAME_ACTIVE, NULL, 0, "active");
    }
    l->mask[0] = l->entry_mask;
    for (int b = 1; b < c->n; b++)
        if (!mask_from_above(l, b)) mask_from_slot(l, b);
    LLVMValueRef all = LLVMConstInt(l->i1, 1, 0);
    for (int b = 0; b < c->n; b++)
        for (int e = 0; e < c->b[b].nsucc; e++) {
            int to = c->b[b].succ[e];
            if (!l->slot_mask[to]) continue;
            LLVMValueRef m = line_at_edge(l, b, e);
            bool header = c->b[to].loop >= 0 && c->l[c->b[to].loop].header == to;
            if (!header) {
                LLVMValueRef old = LLVMBuildLoad2(l->b, l->i1, l->mslot[to], "");
                m = m ? LLVMBuildOr(l->b, old, m, "mask") : all;
            }
            LLVMBuildStore(l->b, m ? m : all, l->mslot[to]);
        }
}

void line_mark_masks(Line *l) {
    for (int b = 0; b < l->c->n; b++) {
        if (!l->mask[b]) continue;
        LLVMValueRef at = first_after_phis(l->c->b[b].bb);
        /* after the instruction that computes the mask, if that is here */
        if (LLVMIsAInstruction(l->mask[b]) && LLVMGetInstructionParent(l->mask[b]) == l->c->b[b].bb)
            at = LLVMGetNextInstruction(l->mask[b]);
        while (LLVMIsAAllocaInst(at)) at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(l->b, at);
        name_call(l->b, l->k->m->mod, NAME_MASK, &l->mask[b], 1, "");
    }
}

void line_resolve_any(Line *l) {
    for_each_cfg_instruction(i, b, l->c) {
        Name n = name_of_call(i);
        if (!name_queries_mask(n) || !l->mask[b]) continue;
        LLVMPositionBuilderBefore(l->b, i);
        LLVMSetOperand(i, 0, both(l, l->mask[b], LLVMGetOperand(i, 0)));
    }
}
