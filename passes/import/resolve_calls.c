/* resolve_calls: an indirect call tests which function it is (indirect call promotion).
**
**   call %p(x)      becomes      if (%p == @f) call @f(x); else if (%p == @g) call @g(x); else call %p(x)
**
** @f, @g, ...: functions of this type whose address is taken: virtual functions, entries of tables. The direct calls
** are inlined like others. Where lanes call different functions each test becomes a mask, so that the function runs
** once for all lanes that call it; where all call the same one the others are skipped.
**   needed      functions with barriers, warp-level functions or __shared__ variables, which must be in the kernel
**               itself. The original function is then never called, and its body, which could not be compiled, becomes
**               a trap. Recursive ones are left to inline_device.
**   profitable  all others, up to MAX_TARGETS for a call and GROWTH_TARGETS instructions for the module; not without
**               optimisation. Other calls run lane by lane.
** The last call is for functions of other modules. Its attribute lists the functions that are tested for, so that
** others may be added where a function is found to be needed later, as what it calls itself has become known. */
#include "passes/passes.h"
#include "passes/analysis/op_cost.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_TARGETS = 16 };

typedef Vec(LLVMValueRef) Values;

bool is_of_block(LLVMValueRef i) {
    if (name_of_call(i) != NAME_NONE && name_is_convergent(name_of_call(i))) return true;
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (refers_to_shared(LLVMGetOperand(i, (unsigned)k))) return true;
    return false;
}

static bool must_be_inlined(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (is_of_block(i)) return true;
    return false;
}

static bool is_called(LLVMValueRef fn) {
    for_each_user(i, fn) {
        if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == fn) return true;
    }
    return false;
}

static bool is_address_taken(LLVMValueRef fn) {
    for_each_user(i, fn) {
        if (!LLVMIsACallInst(i) || LLVMGetCalledValue(i) != fn) return true;
        for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
            if (LLVMGetOperand(i, k) == fn) return true;
    }
    return false;
}

typedef struct Target {
    LLVMValueRef fn;
    LLVMTypeRef type;
    bool needed;
    long size;
} Target;
typedef Vec(Target) Targets;

static Targets find_targets(Module *m) {
    Targets found = {0};
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || is_kernel(f) || !is_address_taken(f)) continue;
        Target t = {f, LLVMGlobalGetValueType(f), must_be_inlined(f), function_size(f)};
        vec_push(&m->arena, &found, t);
    }
    return found;
}

static Values indirect_calls(Module *m) {
    Values found = {0};
    for_each_function(f, m->mod)
        for (LLVMBasicBlockRef b = LLVMIsDeclaration(f) ? NULL : LLVMGetFirstBasicBlock(f); b;
             b = LLVMGetNextBasicBlock(b))
            for_each_in_block(i, b)
                if (LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
                    !LLVMIsAFunction(LLVMGetCalledValue(i)))
                    vec_push(&m->arena, &found, i);
    return found;
}

static bool is_tested(LLVMValueRef call, const char *name) {
    unsigned len;
    size_t n = strlen(name);
    const char *p = resolved_targets(call, &len), *end = p ? p + len : NULL;
    for (; p && p < end; p = memchr(p, ';', (size_t)(end - p)) + 1)
        if ((size_t)(end - p) > n && !memcmp(p, name, n) && p[n] == ';') return true;
    return false;
}

/* Functions to test for: all of this type where that is profitable, else those that are needed; without those that are
** tested for already. growth: instructions so far. */
static Values targets_of(Module *m, LLVMValueRef call, const Targets *all, long *growth) {
    Values needed = {0}, any = {0};
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    long size = 0;
    int count = 0;
    for (int k = 0; k < all->n; k++) {
        const Target *t = &all->v[k];
        if (t->type != type) continue;
        count++;
        if (is_tested(call, value_name(t->fn))) continue;
        vec_push(&m->arena, &any, t->fn);
        size += t->size;
        if (t->needed) vec_push(&m->arena, &needed, t->fn);
    }
    if (!any.n || !m->opt->opt_level || pass_disabled(m, "promote_calls")) return needed;
    if (count > MAX_TARGETS || *growth + size > GROWTH_TARGETS) {
        diag_remark(&m->diag, call, UNRESOLVED_CALL, count, size);
        return needed;
    }
    diag_remark(&m->diag, call, RESOLVED_CALL, count);
    *growth += size;
    return any;
}

static void add_tested(Module *m, LLVMValueRef call, const Values *fns) {
    unsigned len = 0;
    const char *old = resolved_targets(call, &len), *names = arena_printf(&m->arena, "%.*s", (int)len, old ? old : "");
    for (int k = 0; k < fns->n; k++) names = arena_printf(&m->arena, "%s%s;", names, value_name(fns->v[k]));
    set_resolved_targets(call, names, (unsigned)strlen(names));
}

/* In a separate block, before `before`; returns the block. */
static LLVMBasicBlockRef direct_call(Module *m, LLVMValueRef call, LLVMValueRef fn, LLVMBasicBlockRef before,
                                     LLVMBasicBlockRef then, LLVMValueRef *result) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMBasicBlockRef bb = LLVMInsertBasicBlockInContext(m->ctx, before, "direct");
    LLVMPositionBuilderAtEnd(b, bb);
    *result = LLVMInstructionClone(call);
    LLVMInsertIntoBuilder(b, *result);
    LLVMSetOperand(*result, LLVMGetNumArgOperands(call), fn);
    LLVMBuildBr(b, then);
    LLVMDisposeBuilder(b);
    return bb;
}

static void resolve(Module *m, LLVMValueRef call, const Values *fns) {
    LLVMValueRef address = LLVMGetCalledValue(call), phi = NULL;
    LLVMBasicBlockRef at = LLVMGetInstructionParent(call);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMBasicBlockRef then = shim_split_block(LLVMGetNextInstruction(call), "called");
    LLVMBasicBlockRef other = shim_split_block(call, "indirect");
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(then));
    if (!is_void(call)) phi = LLVMBuildPhi(b, LLVMTypeOf(call), "");
    if (phi) LLVMReplaceAllUsesWith(call, phi), LLVMAddIncoming(phi, &call, &other, 1);
    for (int k = 0; k < fns->n; k++) {
        LLVMValueRef result;
        LLVMBasicBlockRef direct = direct_call(m, call, fns->v[k], other, then, &result);
        LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(m->ctx, other, "next");
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(at));
        LLVMPositionBuilderAtEnd(b, at);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, address, fns->v[k], ""), direct, next);
        if (phi) LLVMAddIncoming(phi, &result, &direct, 1);
        LLVMPositionBuilderAtEnd(b, at = next);
        LLVMBuildBr(b, other);
    }
    LLVMDisposeBuilder(b);
}

bool resolve_calls(Module *m, long *growth) {
    Targets all = find_targets(m);
    Values calls = all.n ? indirect_calls(m) : (Values){0};
    bool any = false;
    for (int i = 0; i < calls.n; i++) {
        Values fns = targets_of(m, calls.v[i], &all, growth);
        if (!fns.n) continue;
        resolve(m, calls.v[i], &fns);
        add_tested(m, calls.v[i], &fns);
        any = true;
    }
    return any;
}

void drop_resolved(Module *m) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), NULL, 0, 0);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || is_kernel(f) || is_called(f) || !LLVMGetFirstUse(f) || !must_be_inlined(f))
            continue;
        LLVMValueRef trap = LLVMGetNamedFunction(m->mod, "llvm.trap");
        if (!trap) trap = LLVMAddFunction(m->mod, "llvm.trap", type);
        LLVMLinkage linkage = LLVMGetLinkage(f);
        shim_delete_body(f);
        LLVMSetLinkage(f, linkage);
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, ""));
        LLVMBuildCall2(b, type, trap, NULL, 0, "");
        LLVMBuildUnreachable(b);
    }
    LLVMDisposeBuilder(b);
}
