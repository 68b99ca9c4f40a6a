/* guard_coherent: skips the successor of a divergent branch that no lane takes (BOSCC, Shin 2007, in the unstructured
** form of Moll 2021, 9.2).
**
**   A: br c, B, C        becomes        A:  br any(c), A', C        A': br c, B, C
**
** any() is uniform, so linearise keeps that branch, and with it all that B dominates.
** An arm that holds a barrier gets a guard only if the other one is nothing but the path past it (threads without work
** return before): else the other arm must be free to run before the barrier.
** Needed for correctness if the region that B dominates holds a loop: the exit condition of a uniform loop is undefined
** while no lane is active. (linearise turns such a loop into a masked one where no guard dominates it.) Elsewhere a
** cost decision (lane_cost.h). A test of data that differs from lane to lane is false in all of them too seldom to skip
** a few instructions: both arms are computed, and selects choose. Expensive arms are skipped all the same, in case the
** data of neighbours is alike. A test of an index in the block or grid (affine against uniform) has the same result in
** whole groups, and is nearly free if it is one scalar comparison (is_cheap_test). With such a test an access of global
** memory (`if (i < few) counts[i] = 0`) is skipped however cheap: most groups may be far beyond the end of the array,
** and a load or store without active lanes to memory that is not mapped takes hundreds of cycles (Zen 4). */
#include "passes/analysis/conditions.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/monotone.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

typedef struct Guard {
    LLVMBasicBlockRef a;
    unsigned arm;
} Guard;

/* Sums over what each block dominates, computed up the dominator tree in one traversal. */
typedef struct Below {
    double cost;
    bool loop, barrier, touches; /* touches: global memory, each lane at a different address */
} Below;

static Below *sum_up(const Kernel *k, const Cfg *c, const Lanes *lanes) {
    Below *s = arena_array(k->arena, Below, c->n);
    const MemorySpaces *memory = memory_spaces(k->arena, k->fn);
    for (int b = c->n - 1; b >= 0; b--) {
        s[b].loop |= c->b[b].loop >= 0 && c->l[c->b[b].loop].header == b;
        for_each_in_block(i, c->b[b].bb) {
            s[b].cost += group_cycles(lanes, i);
            s[b].barrier |= name_is_cut(name_of_call(i));
            LLVMTypeRef t;
            LLVMValueRef p = accessed_address(i, &t);
            s[b].touches |= p && !shapes_is_uniform(lanes->shapes, p) && spaces_of(memory, p) & SPACE_GLOBAL;
        }
        if (!b) break;
        Below *up = &s[c->b[b].idom]; /* idom < b in compact order */
        up->cost += s[b].cost;
        up->loop |= s[b].loop;
        up->barrier |= s[b].barrier;
        up->touches |= s[b].touches;
    }
    return s;
}

static bool is_uniform(const void *s, LLVMValueRef v) { return shapes_is_uniform(s, v); }

/* The test is one scalar comparison (widen_calls.c), and a row can be left where it fails (unroll_and_jam.c). */
static bool is_cheap_test(const Kernel *k, const Shapes *s, LLVMValueRef branch) {
    return k->layout == LAYOUT_ROWS_FULL && monotone_compare(LLVMGetCondition(branch), (RowFixed){is_uniform, s});
}

/* The cost of an arm above which a test of the mask and a branch that may be mispredicted are profitable. Lanes of a
** group that does not fill a register agree more often than those of one that does. */
static double min_cost(const Kernel *k, const Shapes *s, LLVMValueRef branch) {
    double lanes = k->m->vector_bits / 32.0;
    if (is_cheap_test(k, s, branch)) return cost_of_test(k->m, TEST_OF_LAUNCH);
    if (is_index_condition(s, LLVMGetCondition(branch))) return cost_of_test(k->m, TEST_OF_INDEX);
    return cost_of_test(k->m, TEST_OF_DATA) * (k->width < lanes ? k->width / lanes : 1);
}

/* From block `other` on nothing is executed that lanes which take `arm` do not execute, too. */
static bool is_path_past(const Cfg *c, int other, int arm) {
    while (c->b[other].npred == 1 && c->b[other].nsucc == 1 &&
           LLVMIsABranchInst(LLVMGetFirstInstruction(c->b[other].bb)))
        other = c->b[other].succ[0];
    return cfg_postdominates(c, other, arm);
}

/* Whether a guard of an arm is profitable or required. */
static bool wants_guard(const Kernel *k, const Below *arm, bool past, double minimum) {
    if (arm->barrier && !past) return false;
    return arm->loop || (arm->cost > minimum && !pass_disabled(k->m, "guard_coherent"));
}

static void insert_guard(Kernel *k, LLVMBuilderRef b, Guard g) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g.a), c = LLVMGetCondition(t);
    LLVMBasicBlockRef other = LLVMGetSuccessor(t, 1 - g.arm);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMBasicBlockRef inner = shim_split_block(t, "some");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(g.a);
    LLVMPositionBuilderBefore(b, jump);
    LLVMValueRef want = g.arm ? LLVMBuildNot(b, c, "") : c;
    LLVMValueRef any = name_call(b, k->m->mod, NAME_ANY, &want, 1, "any");
    LLVMBuildCondBr(b, any, inner, other);
    LLVMInstructionEraseFromParent(jump);
    for_each_phi(p, other)
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++) {
            if (LLVMGetIncomingBlock(p, i) != inner) continue;
            LLVMValueRef v = LLVMGetIncomingValue(p, i);
            LLVMAddIncoming(p, &v, &g.a, 1);
            break;
        }
}

Nyi guard_coherent(Kernel *k) {
    keep_facts(k);
    if (k->width == 1) return NYI_NONE;
    Cfg *c = kernel_cfg(k);
    if (!c->reducible) return NYI_IRREDUCIBLE;
    Shapes *s = kernel_shapes(k);
    Vec(Guard) guards = {0};
    Lanes lanes = {k->m, s, k->width, false, false};
    const Below *below = sum_up(k, c, &lanes);
    for (int b = 0; b < c->n; b++) {
        if (c->b[b].nsucc != 2 || !shapes_branch_divergent(s, b)) continue;
        double minimum = min_cost(k, s, LLVMGetBasicBlockTerminator(c->b[b].bb));
        for (unsigned arm = 0; arm < 2; arm++) {
            int to = c->b[b].succ[arm];
            bool past = is_path_past(c, c->b[b].succ[1 - arm], to);
            bool far = minimum < cost_of_test(k->m, TEST_OF_DATA) && below[to].touches;
            if (c->b[to].npred == 1 && wants_guard(k, &below[to], past, far ? 0 : minimum))
                vec_push(k->arena, &guards, ((Guard){c->b[b].bb, arm}));
        }
    }
    if (!guards.n) return NYI_NONE;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < guards.n; i++) {
        /* the second guard of a block precedes the first one's inner branch */
        Guard g = guards.v[i];
        if (i && guards.v[i - 1].a == g.a) g.a = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g.a), 0);
        insert_guard(k, b, g);
    }
    LLVMDisposeBuilder(b);
    /* with dominators available each split edge would search all that follows for them */
    run_llvm_passes_on(k->m, k->fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
    drop_facts(k);
    return NYI_NONE;
}
