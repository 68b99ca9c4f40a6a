/* guard_coherent: skips the side of a divergent branch that no lane takes (BOSCC, Shin 2007, in the
** unstructured form of Moll 2021, 9.2).
**
**   A: br c, B, C        becomes        A:  br any(c), A', C        A': br c, B, C
**
** any() is uniform, so linearise keeps that branch, and with it all that B dominates.
** A side that holds a barrier gets a guard only if the other side is nothing but the way past it (threads of no use
** return in front): else that side must be free to run before it.
** Needed for correctness where the region that B dominates holds a loop: the exit condition of a
** uniform loop means nothing while no lane is active.  (linearise turns such a loop into a masked
** one where no guard stands in front of it.)  Elsewhere a question of cost (lane_cost.h).  A test of
** data that differs from lane to lane is false in all of them too seldom to skip a few instructions: both
** sides are computed, and selects choose.  Expensive sides are skipped all the same, in case that the data
** of neighbours is alike.  A test of a place in the block or grid (affine against uniform) has whole groups on
** either side, and where it is one scalar comparison (is_cheap_test) hardly costs anything.  With such a test
** an access of global memory (`if (i < few) counts[i] = 0`) is skipped however cheap: most groups may be far behind the array, and a load
** or store without lanes of memory that is not there takes hundreds of cycles (Zen 4). */
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/monotone.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

/* Cycles of a side that is worth a test of the mask and a branch that may be mispredicted. */
static const double CHEAP_TEST = 2, PLACE_TEST = 8, DATA_TEST = 64;

typedef struct Guard {
    LLVMBasicBlockRef a;
    unsigned side;
} Guard;

/* What each block dominates, summed up the dominator tree in one pass. */
typedef struct Below {
    double cost;
    bool loop, barrier, touches; /* touches: global memory, each lane a place of its own */
} Below;

static Below *sum_up(const Kernel *k, const Cfg *c, const Lanes *lanes) {
    Below *s = arena_array(k->arena, Below, c->n);
    const MemorySpaces *memory = memory_spaces(k->arena, k->fn);
    for (int b = c->n - 1; b >= 0; b--) {
        s[b].loop |= c->b[b].loop >= 0 && c->l[c->b[b].loop].header == b;
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
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

/* All comparisons are between affine and uniform values. */
static bool tests_place(const Shapes *s, LLVMValueRef v, int depth) {
    int64_t stride;
    if (shapes_is_uniform(s, v)) return true;
    if (!LLVMIsAInstruction(v) || depth > 8) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMICmp && op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect) return false;
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++) {
        LLVMValueRef o = LLVMGetOperand(v, i);
        bool scalar = shapes_is_uniform(s, o) || shapes_lane_stride(s, o, &stride);
        if (op == LLVMICmp ? !scalar : !tests_place(s, o, depth + 1)) return false;
    }
    return true;
}

/* What a side must cost to be worth a guard. */
static double least_cost(const Kernel *k, const Shapes *s, LLVMValueRef branch) {
    if (is_cheap_test(k, s, branch)) return CHEAP_TEST;
    return tests_place(s, LLVMGetCondition(branch), 0) ? PLACE_TEST : DATA_TEST;
}

/* From block `other` on nothing happens but what lanes that come through `side` do, too. */
static bool leads_past(const Cfg *c, int other, int side) {
    while (c->b[other].npred == 1 && c->b[other].nsucc == 1 &&
           LLVMIsABranchInst(LLVMGetFirstInstruction(c->b[other].bb)))
        other = c->b[other].succ[0];
    return cfg_postdominates(c, other, side);
}

/* Whether a side is worth, or in need of, a guard. */
static bool wants_guard(const Kernel *k, const Below *side, bool past, double least) {
    if (side->barrier && !past) return false;
    return side->loop || (side->cost > least && !pass_disabled(k->m, "guard_coherent"));
}

static void insert_guard(Kernel *k, LLVMBuilderRef b, Guard g) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(g.a), c = LLVMGetCondition(t);
    LLVMBasicBlockRef other = LLVMGetSuccessor(t, 1 - g.side);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMBasicBlockRef inner = shim_split_block(t, "some");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(g.a);
    LLVMPositionBuilderBefore(b, jump);
    LLVMValueRef want = g.side ? LLVMBuildNot(b, c, "") : c;
    LLVMValueRef any = name_call(b, k->m->mod, NAME_ANY, &want, 1, "any");
    LLVMBuildCondBr(b, any, inner, other);
    LLVMInstructionEraseFromParent(jump);
    for (LLVMValueRef p = LLVMGetFirstInstruction(other); p && LLVMIsAPHINode(p); p = LLVMGetNextInstruction(p))
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
    Lanes lanes = {s, k->m->dl, k->width, (int)k->m->vector_bits, false};
    const Below *below = sum_up(k, c, &lanes);
    for (int b = 0; b < c->n; b++) {
        if (c->b[b].nsucc != 2 || !shapes_branch_divergent(s, b)) continue;
        double least = least_cost(k, s, LLVMGetBasicBlockTerminator(c->b[b].bb));
        for (unsigned side = 0; side < 2; side++) {
            int to = c->b[b].succ[side];
            bool past = leads_past(c, c->b[b].succ[1 - side], to);
            bool far = least < DATA_TEST && below[to].touches;
            if (c->b[to].npred == 1 && wants_guard(k, &below[to], past, far ? 0 : least))
                vec_push(k->arena, &guards, ((Guard){c->b[b].bb, side}));
        }
    }
    if (!guards.n) return NYI_NONE;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < guards.n; i++) {
        /* the second guard of a block stands in front of the first one's inner branch */
        Guard g = guards.v[i];
        if (i && guards.v[i - 1].a == g.a) g.a = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g.a), 0);
        insert_guard(k, b, g);
    }
    LLVMDisposeBuilder(b);
    /* with dominators at hand each edge that is split would look for them in all that follows */
    run_llvm_passes_on(k->m, k->fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
    drop_facts(k);
    return NYI_NONE;
}
