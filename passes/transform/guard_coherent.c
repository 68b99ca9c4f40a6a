/* guard_coherent: skips the side of a divergent branch that no lane takes (BOSCC, Shin 2007, in the
** unstructured form of Moll 2021, 9.2).
**
**   A: br c, B, C        becomes        A:  br any(c), A', C        A': br c, B, C
**
** any() is uniform, so linearise keeps that branch, and with it all that B dominates.
** A side that holds a barrier gets no guard: the other side must be free to run before it.
** Needed for correctness where the region that B dominates holds a loop: the exit condition of a
** uniform loop means nothing while no lane is active.  (linearise turns such a loop into a masked
** one where no guard stands in front of it.)  Elsewhere a question of cost: a branch on a mask
** costs about as much as a handful of vector instructions and mispredicts; it pays for regions of
** more than GUARD_COST instructions. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

enum { GUARD_COST = 24, CALL_COST = 16, MEMORY_COST = 4 };

typedef struct Guard {
    LLVMBasicBlockRef a;
    unsigned side;
} Guard;

static int block_cost(LLVMBasicBlockRef bb) {
    int cost = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMPHI: case LLVMBr: break;
        case LLVMCall: cost += CALL_COST; break;
        case LLVMLoad: case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg: cost += MEMORY_COST; break;
        case LLVMFDiv: case LLVMSDiv: case LLVMUDiv: case LLVMSRem: case LLVMURem: cost += CALL_COST; break;
        default: cost++;
        }
    return cost;
}

/* What each block dominates, summed up the dominator tree in one pass. */
typedef struct Below {
    int cost;
    bool loop, barrier;
} Below;

static Below *sum_up(const Kernel *k, const Cfg *c) {
    Below *s = arena_array(k->arena, Below, c->n);
    for (int b = c->n - 1; b >= 0; b--) {
        s[b].cost += block_cost(c->b[b].bb);
        s[b].loop |= c->b[b].loop >= 0 && c->l[c->b[b].loop].header == b;
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i))
            s[b].barrier |= name_is_cut(name_of_call(i));
        if (!b) break;
        Below *up = &s[c->b[b].idom]; /* idom < b in compact order */
        up->cost += s[b].cost;
        up->loop |= s[b].loop;
        up->barrier |= s[b].barrier;
    }
    return s;
}

/* Whether a side is worth, or in need of, a guard. */
static bool wants_guard(const Kernel *k, const Below *side) {
    if (side->barrier) return false;
    return side->loop || (side->cost > GUARD_COST && !pass_disabled(k->m, "guard_coherent"));
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
    if (k->width == 1) return NYI_NONE;
    Cfg *c = cfg_build(k->arena, k->fn);
    if (!c->reducible) return NYI_IRREDUCIBLE;
    Shapes *s = shapes_compute(k->arena, c, k->width, k->layout, k->block);
    Vec(Guard) guards = {0};
    const Below *below = sum_up(k, c);
    for (int b = 0; b < c->n; b++) {
        if (c->b[b].nsucc != 2 || !shapes_branch_divergent(s, b)) continue;
        for (unsigned side = 0; side < 2; side++) {
            int to = c->b[b].succ[side];
            if (c->b[to].npred == 1 && wants_guard(k, &below[to]))
                vec_push(k->arena, &guards, ((Guard){c->b[b].bb, side}));
        }
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < guards.n; i++) {
        /* the second guard of a block stands in front of the first one's inner branch */
        Guard g = guards.v[i];
        if (i && guards.v[i - 1].a == g.a) g.a = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g.a), 0);
        insert_guard(k, b, g);
    }
    LLVMDisposeBuilder(b);
    if (guards.n) run_llvm_passes_on(k->m, k->fn, "loop-simplify,break-crit-edges,lcssa");
    return NYI_NONE;
}
