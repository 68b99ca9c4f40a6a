/* outline_cas_loops: a loop that tries a compare-and-swap until it succeeds becomes a function.
**
** in:  kernels in normal form
** out: `do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed)` is a call; optimise
**      inlines it
** Why: a call runs lane by lane (widen), each lane until it is done. In lockstep, of the lanes that share an address
** one succeeds per iteration and all others compute and try again: the iterations of W lanes are W * W / 2. The load of
** the first `assumed` is outlined too, if nothing between writes: a gather of old values would be out of date as soon
** as two lanes share an address.
** Not at width 1, where each lane runs it alone anyway; scalar variants beside others inline it again
** (inline_cas_loops).
** Refuses: expected values that are the same in each iteration, and loops that poll: such a lane waits for another one
** (spin_loops.h), which later passes must recognise. Loops with other effects, with calls, or large ones are left
** alone. */
#include "passes/passes.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CODE = 48 };

static bool is_expected_carried(const Cfg *c, int loop, LLVMValueRef swap) {
    LLVMValueRef v = LLVMGetOperand(swap, 1);
    for (int depth = 0; depth < 4 && LLVMIsACastInst(v); depth++) v = LLVMGetOperand(v, 0);
    return (LLVMIsAPHINode(v) || LLVMIsALoadInst(v)) && cfg_in_loop(c, loop, v);
}

static bool may_be_outlined(LLVMValueRef i) {
    if (LLVMIsALoadInst(i)) return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAFenceInst(i) || LLVMIsAAllocaInst(i)) return false;
    return !LLVMIsACallInst(i) || is_pure_intrinsic(i);
}

/* An innermost loop whose only effect is one compare-and-swap. */
static bool is_cas_loop(const Cfg *c, int loop) {
    int swaps = 0, code = 0;
    for (int x = 0; x < c->nloops; x++)
        if (c->l[x].parent == loop) return false;
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) {
            if (++code > MAX_CODE) return false;
            if (LLVMIsAAtomicCmpXchgInst(i)) swaps += is_expected_carried(c, loop, i) ? 1 : 2;
            else if (!may_be_outlined(i)) return false;
        }
    return swaps == 1;
}

/* It is no kernel, though it was part of one. */
static void drop_own_attributes(LLVMValueRef f) {
    unsigned n = LLVMGetAttributeCountAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex), len;
    LLVMAttributeRef *all = malloc((n + 1) * sizeof *all);
    if (!all) abort();
    LLVMGetAttributesAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, all);
    for (unsigned k = 0; k < n; k++) {
        const char *name = LLVMIsStringAttribute(all[k]) ? LLVMGetStringAttributeKind(all[k], &len) : "";
        if (!strncmp(name, "cucpu.", 6))
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, len);
    }
    free(all);
}

static LLVMMetadataRef location_of_swap(const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb)
            if (LLVMIsAAtomicCmpXchgInst(i)) return LLVMInstructionGetDebugLoc(i);
    return NULL;
}

typedef struct Retry {
    LLVMBasicBlockRef header;
    LLVMMetadataRef location; /* in the source */
} Retry;

/* ---- the first load ---- */

static LLVMValueRef previous_instruction(LLVMValueRef i) {
    LLVMValueRef p = LLVMGetPreviousInstruction(i);
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(i);
    LLVMUseRef use = p ? NULL : LLVMGetFirstUse(LLVMBasicBlockAsValue(bb));
    if (!use || LLVMGetNextUse(use)) return p;
    LLVMValueRef from = LLVMGetUser(use);
    return LLVMIsABranchInst(from) && !LLVMIsConditional(from) ? LLVMGetPreviousInstruction(from) : NULL;
}

static bool has_effects(LLVMValueRef i) {
    return !is_lifetime(i) && (LLVMIsAAtomicCmpXchgInst(i) || !may_be_outlined(i));
}

/* Nothing between them has effects. */
static bool is_just_before(LLVMValueRef load, LLVMValueRef call) {
    LLVMValueRef i = previous_instruction(call);
    for (int n = 0; i && i != load && n < MAX_CODE && !has_effects(i); n++) i = previous_instruction(i);
    return i == load;
}

static int argument_that_is(LLVMValueRef call, LLVMValueRef v) {
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (LLVMGetOperand(call, k) == v) return (int)k;
    return -1;
}

static bool is_first_load(LLVMValueRef v) {
    return LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && LLVMGetOrdering(v) <= LLVMAtomicOrderingMonotonic;
}

/* The parameter that is loaded from another one: the function loads it. */
static void take_load(LLVMValueRef f, LLVMValueRef call, unsigned k) {
    LLVMValueRef load = LLVMGetOperand(call, k);
    if (!is_first_load(load) || !is_just_before(load, call)) return;
    LLVMUseRef use = LLVMGetFirstUse(load);
    int p = argument_that_is(call, LLVMGetOperand(load, 0));
    if (p < 0 || LLVMGetNextUse(use)) return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(f)));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMValueRef inside = clone_at(b, load);
    LLVMInstructionSetDebugLoc(inside, NULL);
    LLVMSetOperand(inside, 0, LLVMGetParam(f, (unsigned)p));
    LLVMReplaceAllUsesWith(LLVMGetParam(f, k), inside);
    LLVMSetOperand(call, k, LLVMGetPoison(LLVMTypeOf(load)));
    LLVMInstructionEraseFromParent(load);
    LLVMDisposeBuilder(b);
}

static void outline(Module *m, const Retry *r) {
    LLVMValueRef f = shim_outline_loop(r->header, "retry");
    if (!f) return;
    drop_own_attributes(f);
    relax_marked_atomics(m, f);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(m->ctx, always, 0));
    fn_set_attr(f, ATTR_CAS_LOOP, "");
    LLVMUseRef use = LLVMGetFirstUse(f);
    if (!use) return;
    LLVMValueRef call = LLVMGetUser(use);
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) take_load(f, call, k);
    if (r->location) LLVMInstructionSetDebugLoc(call, r->location);
}

bool outline_cas_loops(Module *m) {
    if (m->opt->simd == 1 || pass_disabled(m, "outline_cas_loops")) return true;
    Vec(Retry) found = {0};
    for_each_function(f, m->mod) {
        if (!is_kernel(f) || LLVMIsDeclaration(f)) continue;
        Cfg *c = cfg_build(&m->arena, f);
        int before = found.n;
        const bool *polls = find_spin_loops(&m->arena, c);
        for (int x = 0; x < c->nloops; x++)
            if (!polls[x] && is_cas_loop(c, x))
                vec_push(&m->arena, &found, ((Retry){c->b[c->l[x].header].bb, location_of_swap(c, x)}));
        /* inlined again later it would hide that an address is in shared memory */
        if (found.n > before) mark_block_atomics(m, f, memory_spaces(&m->arena, f));
    }
    for (int k = 0; k < found.n; k++) outline(m, &found.v[k]);
    return true;
}

static bool is_retry_call(LLVMValueRef i) {
    unsigned len;
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) && fn_attr(f, ATTR_CAS_LOOP, &len);
}

void inline_cas_loops(Module *m, LLVMValueRef fn) {
    Vec(LLVMValueRef) calls = {0};
    for_each_instruction(i, fn)
        if (is_retry_call(i)) vec_push(&m->arena, &calls, i);
    for (int k = 0; k < calls.n; k++) shim_inline_call(calls.v[k]);
    if (calls.n) restore_normal_form(m, fn);
}
