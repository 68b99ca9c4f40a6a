/* serialise_divergent_tail: a loop that lanes leave one by one is finished by scalar code, lane by lane, once few are
** left in it.
**
**   H: phis, body ... -> H     becomes     H: phis; br count(true) <= K, P, body ... -> H
**   E: what follows                        P: br any(true), W, E
**                                          W: one = front(true); br one, Q, R
**                                          Q: v' = first(v) of all that varies; H': body' ... -> H', R
**                                          R: br one, E, W
**
** The copy computes with the values of one lane, which cucpu.first extracts from the vectors: all of it is uniform for
** the group, so that widen makes scalar code of it, with branches for the conditions. A long list, row or path among
** short ones (a hub of a graph, one long row of a sparse matrix) then costs what it costs a single thread, and not the
** time of gathers for a whole group.
** requires: normal form; before guard_coherent. Which loops: those whose iteration costs a group several times what it
**           costs a thread (gathers, divergent arms; arithmetic alone gains nothing), two
**           levels deep. K: a quarter of the lanes at most; 1 where lanes communicate through
**           atomics, or where they chase pointers, in parallel rather than one after the other.
** Not taken: barriers, warp functions and other convergent operations; calls, volatile accesses and compare-and-swap,
** which may wait for others; loops that poll by other atomics, which let other groups run. */
#include "passes/analysis/cost.h"
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/edit_cfg.h"
#include "passes/version/version_region.h"
#include <llvm-c/DebugInfo.h>

enum { LEVELS = 2, DEPTH = 8 };

/* The blocks of the diagram. */
typedef struct Tail {
    LLVMBasicBlockRef p, w, q, r;
    LLVMValueRef one; /* of W: the current lane */
} Tail;

typedef struct Finish {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    const Shapes *s;
    const MemorySpaces *memory;
    const bool *polls; /* loops */
    LLVMBuilderRef b;
    PtrMap taken; /* value from outside, or phi of the header -> its value in the single lane, in Q */
    Tail t;
} Finish;

/* ---- candidates ---- */

/* Differs from lane to lane although its operands do not. */
static bool differs_by_lane(const Finish *x, LLVMValueRef i) {
    if (is_void(i) || shapes_is_uniform(x->s, i)) return false;
    if (LLVMIsALoadInst(i)) return may_be_local(x->memory, LLVMGetOperand(i, 0));
    return LLVMIsAAtomicRMWInst(i) || name_of_call(i) != NAME_NONE;
}

static bool can_be_taken(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return is_float_type(t) || k == LLVMPointerTypeKind || (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64);
}

static bool can_be_scalar(const Finish *x, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    Name n = name_of_call(i);
    if (op == LLVMAlloca || op == LLVMAtomicCmpXchg || op == LLVMFence) return false;
    if (op == LLVMLoad || op == LLVMStore) {
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) return false;
    } else if (op == LLVMCall && n == NAME_NONE) {
        if (!is_pure_intrinsic(i) && !math_is_vectorizable(i)) return false;
    } else if (n != NAME_NONE && name_is_convergent(n) && n != NAME_ALL) {
        return false;
    }
    if (!is_void(i) && (differs_by_lane(x, i) || LLVMIsAPHINode(i)) && !can_be_taken(LLVMTypeOf(i))) return false;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) { /* values from outside */
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsAInstruction(o) && !LLVMIsAAllocaInst(o) && !shapes_is_uniform(x->s, o) &&
            !can_be_taken(LLVMTypeOf(o)))
            return false;
    }
    return true;
}

static bool has_query(const Finish *x, int loop) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[x->c->l[loop].header].bb);
    LLVMValueRef test = LLVMIsConditional(t) ? LLVMGetCondition(t) : NULL;
    return test && LLVMIsAICmpInst(test) && name_of_call(LLVMGetOperand(test, 0)) == NAME_ACTIVE_COUNT;
}

/* The number of lanes that scalar code takes over, 0 = the loop is left unchanged. */
static int profitable_lanes(const Finish *x, int loop) {
    const Cfg *c = x->c;
    Lanes lanes = {x->k->m, x->s, x->k->width, false, false};
    double group = 0, alone = 1;
    int size = 0;
    bool together = false; /* lanes that communicate, or whose loads overlap */
    if (!shapes_loop_divergent(x->s, loop) || c->l[loop].nlatches != 1 || has_query(x, loop) ||
        cfg_loop_has_property(c, loop, LOOP_RARE))
        return 0;
    for (int l = loop; l < c->nloops; l++)
        if (x->polls[l] && cfg_loop_contains(c, loop, c->l[l].header)) return 0;
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) {
            if (!can_be_scalar(x, i) || ++size > growth_left(x->k)) return 0;
            group += group_cycles(&lanes, i);
            alone += thread_cycles(x->k->m, i);
            together |= LLVMIsAAtomicRMWInst(i) && LLVMGetFirstUse(i);
        }
    if (group < COST_TAIL * alone || group - alone < x->k->m->costs->cpu.mispredict_penalty) return 0;
    for (int l = loop; l < c->nloops && !together; l++)
        together = cfg_loop_contains(c, loop, c->l[l].header) && chases_pointers(x->a, c, &lanes, l);
    double maximum = group / alone / COST_TAIL, quarter = x->k->width / 4;
    if (maximum > quarter) maximum = quarter;
    return together || maximum < 1 ? 1 : (int)maximum;
}

/* ---- values of the single lane ---- */

static LLVMValueRef call_first(Finish *x, Name n, LLVMValueRef v) {
    LLVMValueRef args[2] = {const_bool(x->k->m->ctx, 1), v};
    return name_call(x->b, x->k->m->mod, n, args, 2, "first");
}

/* cucpu.first of v, at the builder: as a 32- or 64-bit integer. */
static LLVMValueRef first_of(Finish *x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) return call_first(x, NAME_FIRST_PTR, v);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(x->k->m->dl, t);
    LLVMTypeRef number = LLVMIntTypeInContext(x->k->m->ctx, bits),
                whole = LLVMIntTypeInContext(x->k->m->ctx, bits > 32 ? 64 : 32);
    LLVMValueRef n = LLVMBuildZExt(x->b, LLVMBuildBitCast(x->b, v, number, ""), whole, "");
    n = call_first(x, bits > 32 ? NAME_FIRST64 : NAME_FIRST32, n);
    return LLVMBuildBitCast(x->b, LLVMBuildTrunc(x->b, n, number, ""), t, "");
}

/* v for the single lane, in Q; addresses are recomputed, so that their object remains known. */
static LLVMValueRef value_in_lane(Finish *x, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v) || shapes_is_uniform(x->s, v)) return v;
    LLVMValueRef old = map_ptr(&x->taken, v), r;
    if (old) return old;
    unsigned n = (unsigned)LLVMGetNumOperands(v);
    if (LLVMIsAGetElementPtrInst(v) && depth < DEPTH && n <= 8) {
        LLVMValueRef o[8];
        for (unsigned k = 0; k < n; k++) o[k] = value_in_lane(x, LLVMGetOperand(v, k), depth + 1);
        r = clone_at(x->b, v);
        for (unsigned k = 0; k < n; k++) LLVMSetOperand(r, k, o[k]);
    } else {
        r = first_of(x, v);
    }
    map_put(&x->taken, v, (uintptr_t)r);
    return r;
}

/* Replaces operands of the copy of instruction i by the values in Q. */
static void take_operands(Finish *x, const PtrMap *copies, LLVMValueRef i, LLVMValueRef copy, int loop) {
    bool header = LLVMGetInstructionParent(i) == x->c->b[x->c->l[loop].header].bb && LLVMIsAPHINode(i);
    for (unsigned k = 0; !header && k < (unsigned)LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, k);
        if (LLVMIsAInstruction(o) && !map_get(copies, o, 0)) LLVMSetOperand(copy, k, value_in_lane(x, o, 0));
    }
}

/* ---- replacement ---- */

static LLVMValueRef query_active(Finish *x, Name n, LLVMValueRef second, const char *name) {
    LLVMValueRef args[2] = {const_bool(x->k->m->ctx, 1), second};
    return name_call(x->b, x->k->m->mod, n, args, second ? 2 : 1, name);
}

/* The copy of the header starts with what Q takes from the phis of the original. */
static void enter_scalar_loop(Finish *x, const PtrMap *copies, LLVMBasicBlockRef header, LLVMBasicBlockRef before) {
    for_each_phi(p, header) {
        LLVMValueRef copy = map_ptr(copies, p);
        for (unsigned k = 0; k < LLVMCountIncoming(copy); k++) {
            if (LLVMGetIncomingBlock(copy, k) != before) continue;
            shim_set_phi_block(copy, k, x->t.q);
            LLVMSetOperand(copy, k, value_in_lane(x, p, 0));
        }
    }
}

/* Ids in the copy are those of the single lane; a group of one lane never has all lanes active. */
static void settle_copy(Finish *x, LLVMValueRef i, LLVMValueRef copy) {
    if (name_of_call(i) == NAME_ALL) LLVMReplaceAllUsesWith(copy, LLVMConstNull(LLVMTypeOf(copy)));
    if (!differs_by_lane(x, i)) return;
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, copy) vec_push(x->a, &users, user);
    LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(copy));
    LLVMValueRef first = first_of(x, copy);
    for (int n = 0; n < users.n; n++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users.v[n]); k++)
            if (LLVMGetOperand(users.v[n], k) == copy) LLVMSetOperand(users.v[n], k, first);
}

/* Copies the loop: after Q it runs for one lane. */
static LLVMBasicBlockRef *clone_for_one_lane(Finish *x, int loop) {
    const Cfg *c = x->c;
    int at = c->l[loop].header, last = c->l[loop].last;
    bool *has = arena_array(x->a, bool, c->n);
    PtrMap copies = map_new(x->a);
    map_init(&x->taken, x->a);
    for (int b = at; b <= last; b++) has[b] = true;
    LLVMBasicBlockRef *copy = clone_blocks(x->a, c, has, at, "alone", &copies);
    add_growth(x->k, (int)cfg_loop_size(c, loop));
    x->t.q = insert_block(copy[at], "first");
    LLVMPositionBuilderAtEnd(x->b, x->t.q);
    enter_scalar_loop(x, &copies, c->b[at].bb, c->b[cfg_preheader(c, loop)].bb);
    for (int b = at; b <= last; b++)
        for_each_in_block(i, c->b[b].bb) take_operands(x, &copies, i, map_ptr(&copies, i), loop);
    LLVMBuildBr(x->b, copy[at]);
    for (int b = at; b <= last; b++)
        for_each_in_block(i, c->b[b].bb) settle_copy(x, i, map_ptr(&copies, i));
    return copy;
}

/* Edges from the copy to this exit lead to block `join` instead, which has a phi for each that the exit has. */
static LLVMBasicBlockRef join_exit(Finish *x, int loop, LLVMBasicBlockRef *copy, LLVMBasicBlockRef exit) {
    const Cfg *c = x->c;
    LLVMBasicBlockRef join = insert_block(x->t.r, "left");
    LLVMPositionBuilderAtEnd(x->b, join);
    for_each_phi(p, exit) {
        LLVMValueRef phi = LLVMBuildPhi(x->b, LLVMTypeOf(p), "");
        for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
            for (unsigned k = LLVMCountIncoming(p); k-- > 0;) {
                if (LLVMGetIncomingBlock(p, k) != copy[b]) continue;
                LLVMValueRef v = LLVMGetIncomingValue(p, k);
                LLVMAddIncoming(phi, &v, &copy[b], 1);
                shim_remove_phi_incoming(p, copy[b]);
            }
    }
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(copy[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(t); s++)
            if (LLVMGetSuccessor(t, s) == exit) LLVMSetSuccessor(t, s, join);
    }
    LLVMBuildBr(x->b, x->t.r);
    return join;
}

typedef Vec(LLVMBasicBlockRef) Blocks;

static Blocks exit_blocks(const Finish *x, int loop) {
    Blocks r = {0};
    for (int b = x->c->l[loop].first; b <= x->c->l[loop].last; b++)
        for (int e = 0; e < x->c->b[b].nsucc; e++) {
            int to = x->c->b[b].succ[e];
            bool known = cfg_loop_contains(x->c, loop, to);
            for (int i = 0; i < r.n && !known; i++) known = r.v[i] == x->c->b[to].bb;
            if (!known) vec_push(x->a, &r, x->c->b[to].bb);
        }
    return r;
}

/* A phi in R: v if control comes from `from`, nothing if from W or from another exit's join. */
static LLVMValueRef forward_value(Finish *x, const Blocks *joins, LLVMBasicBlockRef from, LLVMValueRef v) {
    LLVMValueRef none = LLVMGetPoison(LLVMTypeOf(v)), phi = LLVMBuildPhi(x->b, LLVMTypeOf(v), "");
    LLVMAddIncoming(phi, &none, &x->t.w, 1);
    for (int i = 0; i < joins->n; i++) LLVMAddIncoming(phi, joins->v[i] == from ? &v : &none, &joins->v[i], 1);
    return phi;
}

/* From R each lane goes to the exit that its copy of the loop has taken; lanes that are still waiting go back to W. P
** leads to the last exit as well, without a lane. */
static void leave_scalar_loop(Finish *x, int loop, LLVMBasicBlockRef *copy) {
    Blocks exits = exit_blocks(x, loop), joins = {0};
    for (int i = 0; i < exits.n; i++) vec_push(x->a, &joins, join_exit(x, loop, copy, exits.v[i]));
    LLVMBasicBlockRef from = insert_block(copy[x->c->l[loop].header], "done"), first = from;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->k->m->ctx);
    LLVMPositionBuilderAtEnd(x->b, x->t.r);
    LLVMValueRef which = LLVMBuildPhi(x->b, i32, "exit");
    for (int i = 0; i < exits.n; i++) {
        LLVMValueRef number = LLVMConstInt(i32, (unsigned)i, 0), none = LLVMGetPoison(i32);
        LLVMAddIncoming(which, &number, &joins.v[i], 1);
        if (!i) LLVMAddIncoming(which, &none, &x->t.w, 1);
        LLVMBasicBlockRef next = i + 1 < exits.n ? insert_block(copy[x->c->l[loop].header], "done") : NULL;
        LLVMValueRef source = LLVMGetFirstInstruction(joins.v[i]);
        for_each_phi(p, exits.v[i]) {
            LLVMPositionBuilderAtEnd(x->b, x->t.r);
            LLVMValueRef v = forward_value(x, &joins, joins.v[i], source), poison = LLVMGetPoison(LLVMTypeOf(p));
            LLVMAddIncoming(p, &v, &from, 1);
            if (!next) LLVMAddIncoming(p, &poison, &x->t.p, 1);
            source = LLVMGetNextInstruction(source);
        }
        LLVMPositionBuilderAtEnd(x->b, from);
        if (next) LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntEQ, which, number, ""), exits.v[i], next);
        else LLVMBuildBr(x->b, exits.v[i]);
        from = next;
    }
    LLVMPositionBuilderAtEnd(x->b, x->t.r);
    LLVMBuildCondBr(x->b, x->t.one, first, x->t.w);
    LLVMPositionBuilderAtEnd(x->b, x->t.p);
    LLVMBuildCondBr(x->b, query_active(x, NAME_ANY, NULL, "any"), x->t.w, exits.v[exits.n - 1]);
}

static void serialise_loop(Finish *x, int loop, int lanes) {
    LLVMBasicBlockRef header = x->c->b[x->c->l[loop].header].bb;
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    LLVMBasicBlockRef *copy = clone_for_one_lane(x, loop);
    x->t.p = insert_block(x->t.q, "few");
    x->t.w = insert_block(x->t.q, "next");
    x->t.r = insert_block(x->t.q, "next");
    LLVMPositionBuilderAtEnd(x->b, x->t.w);
    x->t.one = query_active(x, NAME_FRONT, NULL, "one");
    LLVMBuildCondBr(x->b, x->t.one, x->t.q, x->t.r);
    leave_scalar_loop(x, loop, copy);
    LLVMBasicBlockRef body = shim_split_block(first_after_phis(header), "several");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(header);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMValueRef active = query_active(x, NAME_ACTIVE_COUNT, NULL, "active"),
                 most = const_i32(x->k->fn, (unsigned)lanes);
    replace_by_branch(x->b, jump, LLVMBuildICmp(x->b, LLVMIntULE, active, most, "few"), x->t.p, body);
}

/* The outermost loops for which it is profitable; false: there is none. */
static bool finish_level(Finish *x) {
    bool changed = false, *done = arena_array(x->a, bool, x->c->nloops + 1);
    for (int l = 0; l < x->c->nloops; l++) {
        int up = x->c->l[l].parent, lanes = up >= 0 && done[up] ? 0 : profitable_lanes(x, l);
        done[l] = lanes || (up >= 0 && done[up]);
        if (lanes) serialise_loop(x, l, lanes);
        changed |= lanes > 0;
    }
    return changed;
}

Nyi serialise_divergent_tail(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || pass_disabled(k->m, "serialise_divergent_tail")) return NYI_NONE;
    for (int level = 0; level < LEVELS; level++) {
        Finish x = {.k = k, .a = k->arena, .c = kernel_cfg(k)};
        if (!x.c->reducible) return NYI_NONE;
        x.s = kernel_shapes(k);
        x.memory = memory_spaces(x.a, k->fn);
        x.polls = find_spin_loops(x.a, x.c);
        x.b = LLVMCreateBuilderInContext(k->m->ctx);
        bool changed = finish_level(&x);
        LLVMDisposeBuilder(x.b);
        if (!changed) break;
        run_llvm_passes_on(k->m, k->fn, "loop-simplify,break-crit-edges,lcssa");
        drop_facts(k);
    }
    return NYI_NONE;
}
