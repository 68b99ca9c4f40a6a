/* version_region: see version_region.h. */
#include "passes/version/version_region.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/slice.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>

enum { DEPTH = 8 };

/* ---- what can be copied ---- */

/* Some gather or scatter of the part has an address that depends on v. */
static bool moves_memory(const Part *x, LLVMValueRef v, PtrMap *seen, int depth) {
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

/* An empty block, or the arithmetic of the next iteration after the exit branch of the loop. */
static bool may_follow(const Part *x, int l, int b) {
    const Block *up = &x->c->b[x->c->b[b].pred[0]];
    bool exits = false;
    for (int e = 0; e < up->nsucc; e++) exits |= l >= 0 && !cfg_loop_contains(x->c, l, up->succ[e]);
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->c->b[b].bb); !LLVMIsATerminatorInst(i);
         i = LLVMGetNextInstruction(i))
        if (!exits || LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsACallInst(i)) return false;
    return true;
}

/* The barrier of an interchanged loop, in a separate block: it is after the part. */
static bool is_isolated_barrier(const Part *x, int b) {
    return name_is_barrier(name_of_call(LLVMGetFirstInstruction(x->c->b[b].bb)));
}

/* The part: what the division's block dominates from there on, to the end of the loop around it or of the function. */
static bool find_last(Part *x) {
    int l = x->c->b[x->at].loop;
    x->last = -1;
    if (l >= 0 && x->c->l[l].nlatches != 1) return false;
    if (l >= 0 && cfg_dominates(x->c, x->at, x->c->l[l].latches[0])) x->last = x->c->l[l].latches[0];
    while (x->last > x->at && x->c->b[x->last].npred == 1 &&
           (is_isolated_barrier(x, x->last) || may_follow(x, l, x->last)))
        x->last = x->c->b[x->last].pred[0];
    for (int b = x->at; l < 0 && b < x->c->n; b++)
        if (!x->c->b[b].nsucc && cfg_dominates(x->c, x->at, b)) x->last = b;
    return true;
}

static bool in_part(const Part *x, int b) {
    return cfg_dominates(x->c, x->at, b) && (x->last < 0 || b == x->last || !cfg_dominates(x->c, x->last, b));
}

static bool can_be_copied(const Part *x) {
    int size = 0, l = x->c->b[x->at].loop;
    for (int b = x->at; b < x->c->n; b++) {
        if (!in_part(x, b)) continue;
        for (int e = 0; b != x->last && e < x->c->b[b].nsucc; e++) {
            int to = x->c->b[b].succ[e];
            if (to <= x->at || (l >= 0 && !cfg_loop_contains(x->c, l, to))) return false;
        }
        if (!x->c->b[b].nsucc && b != x->last) return false;
        for (LLVMValueRef i = b == x->at ? x->from : LLVMGetFirstInstruction(x->c->b[b].bb); i;
             i = LLVMGetNextInstruction(i))
            if (!may_duplicate(i) || ++size > x->limit) return false;
    }
    return true;
}

/* ---- the copy ---- */

/* Values that the end of the part needs and that the part does not change (the next index in a loop) are hoisted before
** it. */
static LLVMValueRef outside_of(const void *block, LLVMValueRef v) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block ? NULL : v;
}

static void hoist_next(Part *x, LLVMBasicBlockRef part, LLVMBasicBlockRef end, LLVMBasicBlockRef header) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(end);
    Slice s = {outside_of,       part, OP_ADD | OP_MUL | OP_SHL | OP_ICMP | OP_INT_CAST, NULL, DEPTH,
               SLICE_KEEP_FLAGS, false};
    if (LLVMGetNumOperands(t)) slice_move(&s, x->b, LLVMGetOperand(t, 0));
    for (LLVMValueRef p = header ? LLVMGetFirstInstruction(header) : NULL; p && LLVMIsAPHINode(p);
         p = LLVMGetNextInstruction(p))
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) slice_move(&s, x->b, LLVMGetIncomingValue(p, k));
}

bool part_moves_memory(const Part *x, LLVMValueRef v) {
    PtrMap seen = map_new(x->a);
    return moves_memory(x, v, &seen, 0);
}

void part_isolate_barrier(Kernel *k) {
    if (!variant_of(k->fn).interchanged) return;
    for_each_instruction(i, k->fn) {
        if (!name_is_barrier(name_of_call(i))) continue;
        shim_split_block(i, "meet");
        drop_facts(k);
        return;
    }
}

bool part_find(Part *x) { return find_last(x) && can_be_copied(x); }

void part_cut(Part *x) {
    LLVMBasicBlockRef last = x->last < 0 ? NULL : x->c->b[x->last].bb, before = x->c->b[x->at].bb, end = NULL;
    x->body = shim_split_block(x->from, "rows");
    if (last) end = shim_split_block(LLVMGetBasicBlockTerminator(last == before ? x->body : last), "row.end");
    x->jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, x->jump);
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(x->from));
    int l = x->c->b[x->at].loop;
    if (end && last == before) hoist_next(x, x->body, end, l < 0 ? NULL : x->c->b[x->c->l[l].header].bb);
    x->c = cfg_build(x->a, x->k->fn);
    x->to = cfg_number(x->c, x->body);
    x->stop = end ? cfg_number(x->c, end) : -1;
    x->has = arena_array(x->a, bool, x->c->n);
    for (int b = x->to; b < x->c->n; b++)
        x->has[b] = cfg_dominates(x->c, x->to, b) && (x->stop < 0 || !cfg_dominates(x->c, x->stop, b));
}

void part_copy(Part *x, const char *name, PtrMap *map) {
    LLVMBasicBlockRef *copy = clone_blocks(x->a, x->c, x->has, x->to, name, map);
    if (x->stop >= 0) join_clones(x->c, x->has, x->stop, copy, map);
    x->copy = copy[x->to];
}

void part_add_branch(Part *x, LLVMValueRef test, const char *others) {
    LLVMBasicBlockRef next = insert_block(x->copy, others);
    LLVMPositionBuilderBefore(x->b, x->jump);
    LLVMBuildCondBr(x->b, test, x->copy, next);
    LLVMInstructionEraseFromParent(x->jump);
    LLVMPositionBuilderAtEnd(x->b, next);
    x->jump = LLVMBuildBr(x->b, x->body);
    LLVMPositionBuilderBefore(x->b, x->jump);
}

void part_finish(Part *x) {
    delete_dead(x->k->fn);
    run_llvm_passes_on(x->k->m, x->k->fn, "loop-simplify,break-crit-edges,lcssa");
    drop_facts(x->k);
}

void part_branch(Part *x, LLVMValueRef test) {
    LLVMPositionBuilderBefore(x->b, x->jump);
    LLVMBuildCondBr(x->b, test, x->copy, x->body);
    LLVMInstructionEraseFromParent(x->jump);
    delete_dead(x->k->fn);
    run_llvm_passes_on(x->k->m, x->k->fn, "loop-simplify,break-crit-edges,lcssa");
    drop_facts(x->k);
}
