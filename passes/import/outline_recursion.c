/* outline_recursion: part of inline_device: recursive functions become calls, for vectorise_calls.
**
** Such a function calls itself for all lanes of a group as long as one of them is active; the stack has one frame for
** all of them. Chosen are functions that
**   - have scalars, or structures of scalars, as parameters and results;
**   - access memory by plain loads, stores and, outside of loops, atomic operations: nothing waits for another lane;
**   - have no local array of a size that is not constant, or of more than MAX_LOCALS bytes.
** Other functions that they call, and functions called through pointers, run lane by lane. Where the address of a
** function is taken as well there is a copy of it. Not without optimisation, and not with --check, which sees each
** thread's accesses. */
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/passes.h"
#include <string.h>

enum { MAX_LOCALS = 16 << 10 };

static bool is_plain(LLVMValueRef i) {
    return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

static bool is_possible_call(LLVMValueRef i) {
    static const char *const not [] = {"cucpu.exit", "llvm.va_", "llvm.stack"};
    Name n = name_of_call(i);
    if (n != NAME_NONE) return name_is_thread_id(n);
    for (size_t k = 0; k < sizeof not / sizeof *not ; k++)
        if (!strncmp(called_name(i), not [k], strlen(not [k]))) return false;
    return !LLVMIsAInlineAsm(LLVMGetCalledValue(i));
}

static bool is_possible(const Cfg *c, int b, LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return is_plain(i);
    if (LLVMIsAAtomicRMWInst(i)) return !LLVMGetVolatile(i) && c->b[b].loop < 0;
    if (LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || LLVMIsAVAArgInst(i)) return false;
    if (LLVMIsAAllocaInst(i)) return LLVMIsAConstantInt(LLVMGetOperand(i, 0)) && b == 0;
    return !LLVMIsACallInst(i) || is_possible_call(i);
}

static uint64_t bytes_of(const Module *m, LLVMValueRef alloca) {
    return LLVMABISizeOfType(m->dl, LLVMGetAllocatedType(alloca)) * LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0));
}

static bool is_called_by_outlined(LLVMValueRef fn) {
    for_each_user(i, fn) {
        if (!LLVMIsAInstruction(i)) continue;
        LLVMValueRef in = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
        if (!is_kernel(in) && fn_has_attr(in, ATTR_OUTLINED)) return true;
    }
    return false;
}

static bool may_be_outlined(Module *m, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool possible = has_vector_signature(fn) && !is_called_by_outlined(fn);
    uint64_t locals = 0;
    for_each_cfg_instruction(i, b, c) {
        possible = possible && is_possible(c, b, i);
        if (possible && LLVMIsAAllocaInst(i)) locals += bytes_of(m, i);
    }
    arena_free(&a);
    return possible && locals <= MAX_LOCALS;
}

static bool is_only_called(LLVMValueRef fn) {
    for_each_user(i, fn) {
        if (!LLVMIsACallInst(i) || LLVMGetCalledValue(i) != fn) return false;
        for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
            if (LLVMGetOperand(i, k) == fn) return false;
    }
    return true;
}

/* A copy that is called in its place; the function itself is for those who have its address. */
static LLVMValueRef copy_for_calls(Module *m, LLVMValueRef fn) {
    LLVMValueRef copy = shim_clone_function(fn, arena_printf(&m->arena, "%s.direct", value_name(fn)));
    Vec(LLVMValueRef) calls = {0};
    LLVMSetLinkage(copy, LLVMInternalLinkage);
    for_each_user(i, fn)
        if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == fn) vec_push(&m->arena, &calls, i);
    for (int k = 0; k < calls.n; k++) LLVMSetOperand(calls.v[k], LLVMGetNumArgOperands(calls.v[k]), copy);
    return copy;
}

void outline_recursion(Module *m, LLVMValueRef *recursive, int n) {
    if (!n || !m->opt->opt_level || m->opt->check || pass_disabled(m, "outline_recursion")) return;
    Vec(LLVMValueRef) chosen = {0};
    for (int k = 0; k < n; k++)
        if (may_be_outlined(m, recursive[k])) vec_push(&m->arena, &chosen, recursive[k]);
    for (int k = 0; k < chosen.n; k++) {
        LLVMValueRef fn = is_only_called(chosen.v[k]) ? chosen.v[k] : copy_for_calls(m, chosen.v[k]);
        diag_remark(&m->diag, fn, VECTOR_RECURSION);
        fn_set_attr(fn, ATTR_OUTLINED, "");
        fn_set_attr(fn, ATTR_RECURSIVE, "");
    }
}
