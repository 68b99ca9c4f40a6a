/* normalise_cfg: the normal form that analyses and transforms rely on.
**
** out: no switch; one `ret`; reducible; every loop has one preheader, one latch and dedicated exits; no critical edges;
**      LCSSA; edges of one value meet before a join (split_joins). Convergent calls are never duplicated: irreducible
**      graphs are fixed by a dispatch block (fix-irreducible), not by node splitting.
**
** Also here, because they belong between inlining and vectorization: clean-up after inlining, full unrolling of small
** constant loops (local arrays become registers), cucpu.exit, and integer division that cannot trap: on a GPU division
** by zero and INT_MIN / -1 yield a value, on a CPU they end the program, and in an inactive vector lane they must have
** no effect. */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/passes.h"
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { CHAIN = 4 /* cases of a switch that are tested one by one */, FEW_ITERATIONS = 4 };

/* Dead store elimination compares each store with up to a limit of earlier ones (LLVM's own limit). Where there are
** many stores the limit is lowered so that this is about the number of comparisons. */
enum { DSE_WALK = 90, DSE_MIN = 10, DSE_WORK = 32 * DSE_WALK };

/* asm("exit;"): ends the thread anywhere in the (inlined) code. */
static void finish_exits(Module *m) {
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu.exit");
    if (!f) return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (LLVMUseRef u; (u = LLVMGetFirstUse(f));) {
        LLVMValueRef call = LLVMGetUser(u);
        LLVMBasicBlockRef bb = LLVMGetInstructionParent(call);
        if (!is_kernel(LLVMGetBasicBlockParent(bb)))
            diag_error(&m->diag, call, "a thread exits inside a recursive or indirectly called function");
        erase_after(call);
        LLVMPositionBuilderAtEnd(b, bb);
        LLVMBuildRetVoid(b);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(b);
    LLVMDeleteFunction(f);
}

/* ---- division ---- */

static bool never_zero(LLVMValueRef d) {
    if (LLVMIsAConstantInt(d)) return LLVMConstIntGetZExtValue(d) != 0;
    Name n = name_of_call(d);
    return (n >= NAME_NTID_X && n <= NAME_NTID_Z) || (n >= NAME_NCTAID_X && n <= NAME_CLUSTER_Z);
}

static bool may_be_min(LLVMValueRef n) {
    unsigned bits = int_bits(n);
    if (bits > 64) return false;
    return !LLVMIsAConstantInt(n) || LLVMConstIntGetZExtValue(n) == 1ULL << (bits - 1);
}

static unsigned guard_kind(LLVMValueRef v) {
    return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(v)), "cucpu.guard", 11);
}

/* The divisor, 1 where it must not be used. Marked, as a test of the program may look alike. */
static LLVMValueRef build_guard(LLVMBuilderRef b, LLVMValueRef unsafe, LLVMValueRef d) {
    LLVMValueRef safe = LLVMBuildSelect(b, unsafe, LLVMConstInt(LLVMTypeOf(d), 1, 0), d, "divisor");
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(d));
    LLVMValueRef node = LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, NULL, 0));
    if (LLVMIsASelectInst(safe)) LLVMSetMetadata(safe, guard_kind(d), node);
    return safe;
}

static void guard_division(LLVMBuilderRef b, LLVMValueRef i, LLVMOpcode op) {
    LLVMValueRef n = LLVMGetOperand(i, 0), d = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(d);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return;
    bool is_signed = op == LLVMSDiv || op == LLVMSRem;
    if (LLVMIsAConstantInt(d) && (!is_signed || LLVMConstIntGetSExtValue(d) != -1) && never_zero(d)) return;
    set_insert_point(b, i);
    /* an inactive lane may hold poison here, and a poison divisor is as bad as zero */
    if (!LLVMIsAConstantInt(d)) d = LLVMBuildFreeze(b, d, "");
    if (!LLVMIsAConstantInt(n)) n = LLVMBuildFreeze(b, n, "");
    LLVMSetOperand(i, 0, n);
    LLVMValueRef safe = d;
    if (!never_zero(LLVMGetOperand(i, 1))) {
        LLVMValueRef zero = LLVMBuildICmp(b, LLVMIntEQ, d, LLVMConstNull(t), "");
        safe = build_guard(b, zero, d);
    }
    if (is_signed && may_be_min(n)) {
        LLVMValueRef min = LLVMConstInt(t, 1ULL << (LLVMGetIntTypeWidth(t) - 1), 0);
        LLVMValueRef over = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, n, min, ""),
                                         LLVMBuildICmp(b, LLVMIntEQ, d, LLVMConstAllOnes(t), ""), "");
        safe = build_guard(b, over, safe);
    }
    LLVMSetOperand(i, 1, safe);
}

void guard_divisions(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_instruction(i, fn) {
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        if (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem) guard_division(b, i, op);
    }
    LLVMDisposeBuilder(b);
}

/* The operand before guard_division. */
static LLVMValueRef unguarded(LLVMValueRef v) {
    unsigned kind = guard_kind(v);
    while (LLVMIsASelectInst(v) && LLVMGetMetadata(v, kind)) v = LLVMGetOperand(v, 2);
    return LLVMIsAFreezeInst(v) ? LLVMGetOperand(v, 0) : v;
}

void unguard_divisions(LLVMValueRef fn) {
    for_each_instruction(i, fn) {
        if (!is_op(i, OP_DIV)) continue;
        LLVMValueRef n = LLVMGetOperand(i, 0), d = unguarded(LLVMGetOperand(i, 1));
        if (d == LLVMGetOperand(i, 1)) continue;
        LLVMSetOperand(i, 1, d);
        if (LLVMIsAFreezeInst(n)) LLVMSetOperand(i, 0, LLVMGetOperand(n, 0));
    }
}

/* ---- switch ---- */

static void replace_edge(LLVMBasicBlockRef to, LLVMBasicBlockRef from, const LLVMBasicBlockRef *now, unsigned n) {
    for_each_phi(p, to) {
        LLVMValueRef v = NULL;
        unsigned old = 0;
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++) {
            if (LLVMGetIncomingBlock(p, i) != from) continue;
            v = LLVMGetIncomingValue(p, i);
            old++;
        }
        while (old--) shim_remove_phi_incoming(p, from);
        for (unsigned i = 0; i < n; i++) {
            LLVMBasicBlockRef b = now[i];
            LLVMAddIncoming(p, &v, &b, 1);
        }
    }
}

/* A switch of few cases becomes a chain of tests for equality, in which a lane is tested once per case; lower-switch
** would search, with comparisons that split the lanes once more. */
static void chain_switch(LLVMBuilderRef b, LLVMValueRef sw) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(sw), chain[CHAIN], to[CHAIN + 1];
    unsigned n = LLVMGetNumSuccessors(sw) - 1;
    LLVMValueRef v = LLVMGetOperand(sw, 0), cases[CHAIN];
    to[n] = LLVMGetSwitchDefaultDest(sw);
    for (unsigned i = 0; i < n; i++) {
        cases[i] = LLVMGetSwitchCaseValue(sw, i + 1);
        to[i] = LLVMGetSuccessor(sw, i + 1);
        chain[i] = i ? LLVMInsertBasicBlockInContext(
                           LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(home))), to[n], "case")
                     : home;
    }
    for (unsigned i = 0; i <= n; i++) {
        LLVMBasicBlockRef from[CHAIN + 1];
        unsigned edges = 0;
        for (unsigned k = 0; k <= n; k++)
            if (to[k] == to[i]) from[edges++] = chain[k < n ? k : n - 1];
        bool seen = false;
        for (unsigned k = 0; k < i; k++) seen |= to[k] == to[i];
        if (!seen) replace_edge(to[i], home, from, edges);
    }
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(sw);
    LLVMInstructionEraseFromParent(sw);
    for (unsigned i = 0; i < n; i++) {
        LLVMPositionBuilderAtEnd(b, chain[i]);
        LLVMSetCurrentDebugLocation2(b, at);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, v, cases[i], ""), to[i], i + 1 < n ? chain[i + 1] : to[n]);
    }
}

static void chain_switches(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_block(bb, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsASwitchInst(t)) continue;
        unsigned n = LLVMGetNumSuccessors(t) - 1;
        if (n >= 1 && n <= CHAIN) chain_switch(b, t);
    }
    LLVMDisposeBuilder(b);
}

/* A byval parameter is a private copy of the thread; the launch holds one for all threads. Read-only ones are read in
** place, others are copied to local memory first. */
static void copy_byval(Module *m, LLVMValueRef fn) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (unsigned p = 0; p < LLVMCountParams(fn); p++) {
        LLVMAttributeRef at = LLVMGetEnumAttributeAtIndex(fn, p + 1, byval);
        LLVMValueRef v = LLVMGetParam(fn, p);
        if (!at || memory_only_read(v)) continue;
        LLVMTypeRef t = LLVMGetTypeAttributeValue(at);
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
        LLVMValueRef own = LLVMBuildAlloca(b, t, "param");
        LLVMReplaceAllUsesWith(v, own);
        unsigned align = LLVMABIAlignmentOfType(m->dl, t);
        LLVMBuildMemCpy(b, own, align, v, align,
                        LLVMConstInt(LLVMInt64TypeInContext(m->ctx), LLVMABISizeOfType(m->dl, t), 0));
    }
    LLVMDisposeBuilder(b);
}

static unsigned max_stores(LLVMModuleRef m) {
    unsigned maximum = 0;
    for_each_function(f, m) {
        unsigned n = 0;
        for_each_instruction(i, f) n += LLVMIsAStoreInst(i) != NULL;
        if (n > maximum) maximum = n;
    }
    return maximum;
}

static void limit_dead_stores(Module *m) {
    unsigned n = max_stores(m->mod), limit = n * DSE_WALK > DSE_WORK ? DSE_WORK / n : DSE_WALK;
    shim_set_option("dse-memoryssa-walklimit", limit < DSE_MIN ? DSE_MIN : limit);
}

static unsigned noduplicate(void) { return LLVMGetEnumAttributeKindForName("noduplicate", 11); }

static void hold_loop(Module *m, const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb)
            if (name_is_cut(name_of_call(i)))
                LLVMAddCallSiteAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         LLVMCreateEnumAttribute(m->ctx, noduplicate(), 0));
}

/* Barriers in loops of more than a few iterations may not be copied: each of the copies would be a group loop.
** unroll_loops unrolls those where it helps. */
static void hold_barriers(Module *m, LLVMValueRef f) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, f);
    int *loop = arena_array(&a, int, c->nloops + 1), n = 0;
    LLVMBasicBlockRef *header = arena_array(&a, LLVMBasicBlockRef, c->nloops + 1);
    unsigned *trips = arena_array(&a, unsigned, c->nloops + 1);
    for (int l = 0; l < c->nloops; l++)
        if (cfg_has_cut(c, l) && !cfg_loop_has_property(c, l, "llvm.loop.unroll."))
            loop[n] = l, header[n++] = c->b[c->l[l].header].bb;
    shim_trip_counts(header, n, trips);
    for (int k = 0; k < n; k++)
        if (trips[k] > FEW_ITERATIONS) hold_loop(m, c, loop[k]);
    arena_free(&a);
}

static void release_barriers(LLVMValueRef f) {
    for_each_instruction(i, f)
        if (name_is_cut(name_of_call(i)))
            LLVMRemoveCallSiteEnumAttribute(i, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, noduplicate());
}

static void hold_all_exchanges(Module *m) {
    if (pass_disabled(m, "detect_warp_synchronous")) return;
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && is_kernel(f)) detect_warp_synchronous(m, f);
}

/* The front end's code is taken unoptimised (-disable-llvm-passes): the first passes of LLVM's own pipeline,
** reassociation and LICM (which reassociates too) above all, would lose the no-wrap flags that shapes of addresses rely
** on. No indvars either: a counter of 64 bits makes every vector index twice as wide.
** Nothing here reassociates, vectorizes, or unrolls except small loops completely. */
static void clean_up_module(Module *m) {
    run_llvm_passes(m, "function(sroa,simplifycfg)");
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f)) {
            if (is_kernel(f)) copy_byval(m, f);
            hold_polled_loads(m, f);
        }
    if (m->opt->opt_level == 0) {
        hold_all_exchanges(m);
        return;
    }
    limit_dead_stores(m);
    run_llvm_passes(m,
                    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)");
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f)) shim_rotate_loops(m->tm, f);
    run_llvm_passes(m, "function(simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa)");
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f)) hold_barriers(m, f);
    run_llvm_passes(m, "function(loop(loop-deletion,loop-unroll-full))");
    for_each_function(f, m->mod) release_barriers(f);
    unroll_arrays(m);
    hold_all_exchanges(m);
    /* simplifycfg once more: arms that were separate blocks are merged now */
    run_llvm_passes(m, "function(sroa,early-cse<memssa>,gvn,sccp,instcombine<no-verify-fixpoint>,dse,"
                       "simplifycfg,adce,early-cse)");
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && join_expressions(m, f)) run_llvm_passes_on(m, f, "adce,simplifycfg");
}

/* A path that is never taken would look like a continuation of a loop. */
static bool has_constant_branch(LLVMValueRef fn) {
    for_each_block(b, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsABranchInst(t) && LLVMIsConditional(t) && LLVMIsAConstantInt(LLVMGetCondition(t))) return true;
    }
    return false;
}

/* Loops with several entries get one, with an integer that selects the target. LLVM 22's pass loses the value of a phi
** where entries of an inner loop are entries of an outer one, too: it sees none. */
static void make_reducible(Module *m, LLVMValueRef fn) {
    Arena a = {0};
    bool loses_phis = workaround_is_on(WORKAROUND_fix_irreducible_phis);
    if (!cfg_build(&a, fn)->reducible)
        run_llvm_passes_on(m, fn, loses_phis ? "reg2mem,fix-irreducible,mem2reg" : "fix-irreducible");
    arena_free(&a);
}

void restore_normal_form(Module *m, LLVMValueRef fn) {
    if (m->opt->opt_level && has_constant_branch(fn)) run_llvm_passes_on(m, fn, "simplifycfg");
    guard_divisions(m, fn);
    chain_switches(m, fn);
    run_llvm_passes_on(m, fn, "lower-switch,mergereturn");
    make_reducible(m, fn);
    run_llvm_passes_on(m, fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
    if (m->opt->opt_level) split_joins(fn);
}

bool normalise_cfg(Module *m) {
    finish_exits(m);
    clean_up_module(m);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        if (!is_kernel(f)) {
            guard_divisions(m, f);
            continue;
        }
        restore_normal_form(m, f);
        if (m->opt->opt_level)
            run_llvm_passes_on(m, f, "early-cse,lcssa"); /* what keeps divisions by one divisor safe */
    }
    return true;
}
