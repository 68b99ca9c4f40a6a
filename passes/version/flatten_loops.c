/* flatten_loops: a loop and a loop inside it become one, for groups in which most lanes wait for the inner loop
** (Bulavintsev 2019), and lanes that have left the inner loop are refilled with their next iterations of the outer one.
**
**   A: work; B: do inner while more; rest; -> A
**
**   A: ...  B: count += C - active ... -> B              the loops as they are, and at the end of an iteration of A:
**      count -= D; br any(count > 0), F, A
**   F: br in, V, W     W: work -> V     V: br active <= 3/4 of all, P, M     M: inner; br more, V, R
**   P: in = true -> F                                                         R: rest; in = false -> F
**
** A lane that has finished its iterations of B waits until a fourth of the lanes does, then goes on with the next
** iterations of A while others are still in B. The values that B and what follows it use are kept for each lane: what
** was uniform in A is not any more. W runs only where a lane needs it, M where a lane is in B.
** Which groups: the data decides, by what is counted while the program runs. An iteration of B costs Tb as it is,
** with whatever lanes are active; flattened its lanes fill 7/8 of a group on average. An iteration of A, Ta, runs for a
** fourth of the lanes at a time. C is the number of active lanes below which an iteration of B had better be shared,
** D what the iterations of A cost more, in iterations of B by one lane.
** requires: normal form. Which loops: B is entered, or left, by some lanes before others, and the estimates, of a copy
** of the kernel, allow for a gain.
** Not taken: barriers, warp functions and other convergent operations; volatile accesses, compare-and-swap and atomics
** whose result is used, which may wait for other lanes. */
#include "passes/analysis/cost.h"
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/version/version_region.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

/* A lane is in A or in B: where its value is needed. */
typedef enum Needed { IN_A = 1, IN_B = 2 } Needed;
typedef struct Slot {
    LLVMValueRef alloca, initial; /* initial: of a phi of B, what B is entered with */
    unsigned needed;              /* IN_A | IN_B also if it is that of one value of A and another of B */
} Slot;

typedef struct Flatten {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    LLVMBuilderRef b;
    int outer, inner;
    bool *later;             /* block of the outer loop -> in the inner one, or after it in an iteration */
    LLVMBasicBlockRef *copy; /* block -> that of the flattened loop */
    PtrMap map, number;      /* instruction -> its copy; block of the flattened loop -> number + 1 */
    /* of the diagram: what leads from A to F; F in three; V, P; the end of an iteration */
    LLVMBasicBlockRef start, dispatch, enter, resume, vote, pause, latch;
    Vec(Slot) slots;
} Flatten;

/* ---- candidates ---- */

static bool may_flatten(LLVMValueRef i) {
    Name n = name_of_call(i);
    if (LLVMIsAAllocaInst(i) || LLVMIsAFenceInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return false;
    if (LLVMIsAAtomicRMWInst(i)) return !LLVMGetFirstUse(i);
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (!LLVMIsACallInst(i)) return true;
    return n == NAME_NONE ? is_pure_intrinsic(i) || math_is_vectorizable(i) : !name_is_convergent(n) && !name_is_cut(n);
}

static bool is_candidate(const Kernel *k, const Cfg *c, const Shapes *s, int inner) {
    int outer = c->l[inner].parent;
    long size = 0;
    if (outer < 0 || c->l[inner].nlatches != 1 || c->l[outer].nlatches != 1) return false;
    int before = cfg_preheader(c, inner);
    bool differs = shapes_loop_divergent(s, inner);
    for (int b = before; b >= 0 && c->b[b].loop == outer && b != c->l[outer].header; b = c->b[b].idom)
        differs |= shapes_branch_divergent(s, c->b[b].idom) && !cfg_postdominates(c, b, c->b[b].idom);
    if (!differs || cfg_loop_has_property(c, outer, LOOP_RARE)) return false;
    for_each_loop_instruction(i, b, c, &c->l[outer])
        if (!may_flatten(i) || ++size > growth_left(k)) return false;
    return true;
}

/* ---- values that are kept from one iteration to the next ---- */

static void at_end(const Flatten *x, LLVMBasicBlockRef bb) {
    LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(bb));
    LLVMSetCurrentDebugLocation2(x->b, NULL);
}

static LLVMValueRef new_slot(Flatten *x, LLVMValueRef of) {
    LLVMTypeRef t = LLVMTypeOf(of);
    LLVMValueRef alloca = entry_alloca(x->k->fn, t, "kept");
    at_end(x, x->start);
    LLVMBuildStore(x->b, LLVMGetPoison(t), alloca);
    vec_push(x->a, &x->slots, ((Slot){alloca, NULL, IN_B}));
    return alloca;
}

/* The use is where the inner loop was entered in this iteration, or may have been. */
static bool is_late_use(const Flatten *x, LLVMValueRef user, int operand) {
    LLVMBasicBlockRef bb =
        LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, (unsigned)operand) : LLVMGetInstructionParent(user);
    int n = (int)map_get(&x->number, bb, 0) - 1;
    return n >= 0 && x->later[n];
}

static bool is_used_later(const Flatten *x, LLVMValueRef v) {
    for_each_user(user, v)
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == v && is_late_use(x, user, k)) return true;
    return false;
}

/* Late uses of v read its slot; slot NULL: they compute v again. */
static void replace_late_uses(Flatten *x, LLVMValueRef v, LLVMValueRef slot) {
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, v) vec_push(x->a, &users, user);
    for (int u = 0; u < users.n; u++)
        for (int k = 0; k < LLVMGetNumOperands(users.v[u]); k++) {
            LLVMValueRef user = users.v[u];
            if (LLVMGetOperand(user, (unsigned)k) != v || !is_late_use(x, user, k)) continue;
            LLVMPositionBuilderBefore(x->b, operand_insertion_point(user, (unsigned)k));
            LLVMValueRef now = slot ? LLVMBuildLoad2(x->b, LLVMTypeOf(v), slot, "") : clone_at(x->b, v);
            LLVMSetOperand(user, (unsigned)k, now);
        }
}

/* A conversion or an address of one value of W: that one is kept. */
static bool is_computed_again(const Flatten *x, LLVMValueRef v) {
    int varying = 0;
    if (!LLVMIsACastInst(v) && !LLVMIsAGetElementPtrInst(v)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef o = LLVMGetOperand(v, (unsigned)k);
        varying += LLVMIsAInstruction(o) && map_get(&x->number, LLVMGetInstructionParent(o), 0);
    }
    return varying == 1;
}

/* Values of W that are used later. */
static void keep_values(Flatten *x) {
    const Loop *l = &x->c->l[x->outer];
    for (int n = l->last; n >= l->first; n--)
        for (LLVMValueRef i = LLVMGetLastInstruction(x->c->b[n].bb); i; i = LLVMGetPreviousInstruction(i)) {
            if (!cfg_loop_contains(x->c, x->outer, n) || x->later[n] || is_void(i)) continue;
            LLVMValueRef v = map_ptr(&x->map, i);
            if (is_computed_again(x, v)) replace_late_uses(x, v, NULL);
        }
    for_each_loop_instruction(i, n, x->c, l) {
        LLVMValueRef v = map_ptr(&x->map, i);
        if (x->later[n] || is_void(i) || (LLVMIsAPHINode(i) && n == l->header) || !is_used_later(x, v)) continue;
        LLVMValueRef slot = new_slot(x, v);
        replace_late_uses(x, v, slot);
        LLVMPositionBuilderBefore(x->b, LLVMIsAPHINode(v) ? first_after_phis(LLVMGetInstructionParent(v))
                                                          : LLVMGetNextInstruction(v));
        LLVMBuildStore(x->b, v, slot);
    }
}

typedef struct Kept {
    LLVMValueRef phi, slot;
} Kept;
typedef Vec(Kept) Keeps;

/* A phi of A that is not used in B shares the slot of a value of B, if possible of what it
** becomes there. */
static LLVMValueRef shared_slot(Flatten *x, LLVMValueRef phi) {
    for (int exact = 1; exact >= 0; exact--)
        for (int i = 0; i < x->slots.n; i++) {
            Slot *s = &x->slots.v[i];
            if (s->needed != IN_B || LLVMGetAllocatedType(s->alloca) != LLVMTypeOf(phi)) continue;
            if (exact && s->initial != phi) continue;
            s->needed = IN_A | IN_B;
            return s->alloca;
        }
    return NULL;
}

static Keeps slots_of_phis(Flatten *x, int header, bool share) {
    Keeps r = {0};
    LLVMBasicBlockRef before = x->copy[cfg_preheader(x->c, x->inner)];
    for_each_phi(p, x->copy[header]) {
        LLVMValueRef slot = share && !is_used_later(x, p) ? shared_slot(x, p) : NULL;
        vec_push(x->a, &r, ((Kept){p, slot}));
    }
    for (int i = 0; i < r.n; i++) {
        if (!r.v[i].slot) {
            r.v[i].slot = new_slot(x, r.v[i].phi);
            Slot *s = &x->slots.v[x->slots.n - 1];
            if (share) s->needed = is_used_later(x, r.v[i].phi) ? IN_A | IN_B : IN_A;
            else s->initial = value_from(r.v[i].phi, before);
        }
        if (share) replace_late_uses(x, r.v[i].phi, r.v[i].slot);
    }
    return r;
}

/* At the end of the block a lane has no value in slots that are only needed elsewhere. */
static void forget(Flatten *x, LLVMBasicBlockRef bb, unsigned where) {
    at_end(x, bb);
    for (int i = 0; i < x->slots.n; i++)
        if (!(x->slots.v[i].needed & where)) {
            LLVMValueRef slot = x->slots.v[i].alloca;
            LLVMBuildStore(x->b, LLVMGetPoison(LLVMGetAllocatedType(slot)), slot);
        }
}

/* The phis of a header become slots, written where they get their values. */
static void replace_phis(Flatten *x, const Keeps *phis) {
    for (int i = 0; i < phis->n; i++)
        for (unsigned k = 0; k < LLVMCountIncoming(phis->v[i].phi); k++) {
            at_end(x, LLVMGetIncomingBlock(phis->v[i].phi, k));
            LLVMBuildStore(x->b, LLVMGetIncomingValue(phis->v[i].phi, k), phis->v[i].slot);
        }
    for (int i = 0; i < phis->n; i++) {
        LLVMValueRef p = phis->v[i].phi;
        LLVMPositionBuilderBefore(x->b, first_after_phis(LLVMGetInstructionParent(p)));
        replace_instruction(p, LLVMBuildLoad2(x->b, LLVMTypeOf(p), phis->v[i].slot, ""));
    }
}

/* ---- control flow ---- */

static void find_later(Flatten *x) {
    const Cfg *c = x->c;
    const Loop *l = &c->l[x->outer];
    x->later = arena_array(x->a, bool, c->n);
    for (int b = l->first; b <= l->last; b++) {
        if (!cfg_loop_contains(c, x->outer, b)) continue;
        x->later[b] = cfg_loop_contains(c, x->inner, b);
        for (int p = 0; p < c->b[b].npred; p++)
            x->later[b] |= b != l->header && c->b[b].pred[p] < b && x->later[c->b[b].pred[p]];
    }
}

static LLVMValueRef query(const Flatten *x, Name n, LLVMValueRef mask, const char *name) {
    return name_call(x->b, x->k->m->mod, n, &mask, 1, name);
}

static void jump(const Flatten *x, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    if (t) LLVMInstructionEraseFromParent(t);
    LLVMPositionBuilderAtEnd(x->b, from);
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    LLVMBuildBr(x->b, to);
}

/* The second copy of the loops, entered from `start` with what A has at its end. */
static void copy_loops(Flatten *x) {
    const Cfg *c = x->c;
    const Loop *l = &c->l[x->outer];
    bool *has = arena_array(x->a, bool, c->n);
    for (int b = l->first; b <= l->last; b++) has[b] = cfg_loop_contains(c, x->outer, b);
    map_init(&x->map, x->a);
    map_init(&x->number, x->a);
    x->copy = clone_blocks(x->a, c, has, l->header, "flat", &x->map);
    add_growth(x->k, (int)cfg_loop_size(c, x->outer));
    for (int b = l->first; b <= l->last; b++)
        if (has[b]) map_put(&x->number, x->copy[b], (uintptr_t)b + 1);
    LLVMBasicBlockRef before = c->b[cfg_preheader(c, x->outer)].bb, latch = c->b[l->latches[0]].bb;
    x->start = insert_block(x->copy[l->header], "flat");
    jump(x, x->start, x->copy[l->header]);
    for_each_phi(p, c->b[l->header].bb) {
        LLVMValueRef twin = map_ptr(&x->map, p);
        for (unsigned k = 0; k < LLVMCountIncoming(twin); k++)
            if (LLVMGetIncomingBlock(twin, k) == before) {
                shim_set_phi_block(twin, k, x->start);
                LLVMSetOperand(twin, k, value_from(p, latch));
            }
    }
}

/* Lanes leave the loops once: what they take along is blended only where one does. */
static void guard_exits(const Flatten *x) {
    const Loop *l = &x->c->l[x->outer];
    for (int b = l->first; b <= l->last; b++)
        for (int e = 0; cfg_loop_contains(x->c, x->outer, b) && e < x->c->b[b].nsucc; e++) {
            if (cfg_loop_contains(x->c, x->outer, x->c->b[b].succ[e])) continue;
            LLVMBasicBlockRef from = x->copy[b];
            LLVMValueRef t = LLVMGetBasicBlockTerminator(from), c = LLVMGetCondition(t);
            LLVMBasicBlockRef stay = LLVMGetSuccessor(t, 1 - (unsigned)e), leave = shim_split_block(t, "leave");
            at_end(x, from);
            LLVMValueRef any = query(x, NAME_ANY, e ? LLVMBuildNot(x->b, c, "") : c, "any");
            replace_by_branch(x->b, LLVMGetBasicBlockTerminator(from), any, leave, stay);
            for_each_phi(p, stay) {
                LLVMValueRef v = value_from(p, leave);
                LLVMAddIncoming(p, &v, &from, 1);
            }
            break;
        }
}

/* F: which lanes are in B; V, the header of the inner loop: whether B goes on. */
static void build_dispatch(Flatten *x, LLVMValueRef in, LLVMBasicBlockRef head, LLVMBasicBlockRef body) {
    LLVMValueRef yes = const_bool(x->k->m->ctx, 1);
    LLVMPositionBuilderAtEnd(x->b, x->dispatch);
    LLVMValueRef is_in = LLVMBuildLoad2(x->b, LLVMTypeOf(yes), in, "in");
    LLVMValueRef filled = query(x, NAME_ACTIVE_COUNT, yes, "alive");
    filled = LLVMBuildMul(x->b, filled, const_i32(x->k->fn, (uint64_t)COST_LANES_OF_FREE - 1), "");
    filled = LLVMBuildUDiv(x->b, filled, const_i32(x->k->fn, (uint64_t)COST_LANES_OF_FREE), "filled");
    LLVMBuildCondBr(x->b, query(x, NAME_ANY, LLVMBuildNot(x->b, is_in, ""), "any"), x->enter, x->resume);
    LLVMPositionBuilderAtEnd(x->b, x->enter);
    LLVMBuildCondBr(x->b, is_in, x->resume, head);
    LLVMPositionBuilderAtEnd(x->b, x->resume);
    LLVMBuildCondBr(x->b, query(x, NAME_ANY, yes, "any"), x->vote, x->latch);
    LLVMPositionBuilderAtEnd(x->b, x->vote);
    LLVMValueRef active = query(x, NAME_ACTIVE_COUNT, yes, "active");
    LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntULE, active, filled, ""), x->pause, body);
}

static void flatten(Flatten *x) {
    const Cfg *c = x->c;
    const Loop *a = &c->l[x->outer], *b = &c->l[x->inner];
    LLVMBasicBlockRef head = x->copy[a->header], body = x->copy[b->header];
    LLVMBasicBlockRef last = x->copy[a->latches[0]], more = x->copy[b->latches[0]];
    LLVMValueRef yes = const_bool(x->k->m->ctx, 1), no = const_bool(x->k->m->ctx, 0);
    keep_values(x);
    Keeps inner = slots_of_phis(x, b->header, false), outer = slots_of_phis(x, a->header, true);
    replace_phis(x, &inner);
    replace_phis(x, &outer);
    x->dispatch = insert_block(head, "dispatch");
    x->enter = insert_block(head, "enter");
    x->resume = insert_block(body, "resume");
    x->vote = insert_block(body, "vote");
    x->pause = insert_block(body, "pause");
    x->latch = insert_block(body, "latch");
    jump(x, x->pause, x->latch);
    forget(x, last, IN_A);
    forget(x, x->pause, IN_B);
    LLVMValueRef in = new_slot(x, no);
    at_end(x, x->start), LLVMBuildStore(x->b, no, in), jump(x, x->start, x->dispatch);
    at_end(x, x->pause), LLVMBuildStore(x->b, yes, in);
    at_end(x, last), LLVMBuildStore(x->b, no, in), jump(x, last, x->latch);
    jump(x, x->latch, x->dispatch);
    jump(x, more, x->vote);
    jump(x, x->copy[cfg_preheader(c, x->inner)], x->resume);
    build_dispatch(x, in, head, body);
    guard_exits(x);
    for (int i = 0; i < x->slots.n; i++) shim_promote_slot(x->slots.v[i].alloca);
}

/* Weights of what is counted, in iterations of the inner loop by one lane. */
typedef struct Weights {
    int shared; /* C */
    int outer;  /* D */
} Weights;

/* count += by, at the builder: one counter for the group, as linearise makes of memory that all blocks write alike. */
static LLVMValueRef count_more(const Flatten *x, LLVMValueRef count, LLVMValueRef by) {
    LLVMValueRef sum = LLVMBuildLoad2(x->b, LLVMTypeOf(by), count, "");
    sum = LLVMBuildAdd(x->b, sum, by, "");
    LLVMBuildStore(x->b, sum, count);
    return sum;
}

static void count_iterations(Flatten *x, Weights w) {
    const Cfg *c = x->c;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(x->k->m->ctx);
    LLVMBasicBlockRef latch = c->b[c->l[x->outer].latches[0]].bb, head = c->b[c->l[x->outer].header].bb;
    LLVMValueRef count = entry_alloca(x->k->fn, i32, "idle"), yes = const_bool(x->k->m->ctx, 1);
    at_end(x, c->b[cfg_preheader(c, x->outer)].bb);
    LLVMBuildStore(x->b, LLVMConstNull(i32), count);
    LLVMPositionBuilderBefore(x->b, first_after_phis(c->b[c->l[x->inner].header].bb));
    LLVMValueRef active = query(x, NAME_ACTIVE_COUNT, yes, "active");
    count_more(x, count, LLVMBuildSub(x->b, LLVMConstInt(i32, (unsigned)w.shared, 0), active, ""));
    at_end(x, latch);
    LLVMValueRef sum = count_more(x, count, LLVMConstInt(i32, (uint64_t) - (int64_t)w.outer, 1));
    LLVMValueRef idle = LLVMBuildICmp(x->b, LLVMIntSGT, sum, LLVMConstNull(i32), "");
    replace_by_branch(x->b, LLVMGetBasicBlockTerminator(latch), query(x, NAME_ANY, idle, "idle"), x->start, head);
}

/* ---- profitability ---- */

static double cycles_of(const Flatten *x, const Lanes *lanes, bool inner, bool flat) {
    const Loop *l = &x->c->l[x->outer];
    double sum = 0;
    for (int b = l->first; b <= l->last; b++) {
        if (!cfg_loop_contains(x->c, x->outer, b) || cfg_loop_contains(x->c, x->inner, b) != inner) continue;
        double times = iterations_of_block(x->c, b, inner ? x->inner : x->outer);
        for_each_in_block(i, flat ? x->copy[b] : x->c->b[b].bb) sum += times * group_cycles(lanes, i);
    }
    return sum;
}

/* Lanes come to the end of an iteration with different values: after B, and after R. */
static bool is_blended(const Flatten *x, LLVMValueRef phi) {
    LLVMValueRef one = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (LLVMIsPoison(v) || LLVMGetIncomingBlock(phi, k) == x->resume) continue; /* nobody's */
        if (one && one != v) return true;
        one = v;
    }
    return false;
}

static double cycles_of_blends(const Flatten *x, const Lanes *lanes) {
    double sum = 0;
    for_each_phi(p, x->latch)
        if (is_blended(x, p)) sum += blend_cycles(lanes, LLVMTypeOf(p));
    return sum;
}

static Lanes lanes_of_kernel(const Kernel *k, const Shapes *s) { return (Lanes){k->m, s, k->width, false, false}; }

static Flatten flatten_in(Kernel *k, const Cfg *c, int inner, Weights w) {
    Flatten x = {.k = k, .a = k->arena, .c = c, .inner = inner, .outer = c->l[inner].parent};
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    find_later(&x);
    copy_loops(&x);
    flatten(&x);
    count_iterations(&x, w);
    LLVMDisposeBuilder(x.b);
    return x;
}

/* Where a lane runs B alone, and long, flattening must gain; and not only there. */
static bool may_gain(Weights w, int width) {
    return w.shared > width * COST_SHARED_LANES && COST_LONG_TRIPS * (w.shared - 1) > w.outer;
}

/* By a copy of the kernel. Nothing gains where lanes are always in the same part: they differ in B only by leaving both
** loops. */
static Weights profitable_weights(Kernel *k, const Cfg *c, const Shapes *s, int inner) {
    Kernel copy = *k;
    copy.facts = NULL;
    copy.fn = shim_clone_function(k->fn, "cucpu.tried");
    Lanes before = lanes_of_kernel(k, s);
    Flatten old = {.c = c, .inner = inner, .outer = c->l[inner].parent};
    double tb = cycles_of(&old, &before, true, false), ta = cycles_of(&old, &before, false, false);
    Flatten x = flatten_in(&copy, cfg_build(k->arena, copy.fn), inner, (Weights){0, 0});
    double flat_ta = cycles_of_blends(&x, &before);
    run_llvm_passes_on(k->m, copy.fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
    const Shapes *shapes = kernel_shapes(&copy);
    bool differ = shapes_branch_divergent(shapes, cfg_number(kernel_cfg(&copy), x.enter));
    Lanes after = lanes_of_kernel(k, shapes);
    double flat_tb = cycles_of(&x, &after, true, true);
    flat_ta += cycles_of(&x, &after, false, true);
    LLVMDeleteFunction(copy.fn);
    if (!differ || flat_tb <= 0) return (Weights){0, 0};
    double times = COST_LANES_OF_FREE, filled = k->width * (1 + (times - 1) / times) / 2;
    return (Weights){(int)(filled * tb / flat_tb / estimate_margin()),
                     (int)((times * flat_ta - ta) * filled / flat_tb)};
}

Nyi flatten_loops(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || pass_disabled(k->m, "flatten_loops")) return NYI_NONE;
    const bool *polls = NULL;
    for (int inner = 0;; inner++) {
        const Cfg *c = kernel_cfg(k);
        if (!c->reducible) return NYI_IRREDUCIBLE;
        if (inner >= c->nloops) break;
        const Shapes *s = kernel_shapes(k);
        if (!is_candidate(k, c, s, inner)) continue;
        if (!polls) polls = find_spin_loops(k->arena, c); /* nothing is changed before the first that is profitable */
        if (polls[inner] || polls[c->l[inner].parent]) continue;
        Weights w = profitable_weights(k, c, s, inner);
        if (!may_gain(w, k->width)) continue;
        flatten_in(k, c, inner, w);
        run_llvm_passes_on(k->m, k->fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
        drop_facts(k);
        if (k->layout == LAYOUT_ROWS_FULL && !k->block[0])
            diag_remark(&k->m->diag, k->fn, FLATTENED, w.shared - 1, k->width);
        break;
    }
    return NYI_NONE;
}
