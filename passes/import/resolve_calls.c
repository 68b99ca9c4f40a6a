/* resolve_calls: an indirect call that may lead to a barrier tests which function it is.
**
**   call %p(x)      becomes      if (%p == @f) call @f(x); else if (%p == @g) call @g(x); else call %p(x)
**
** Barriers and warp-level functions must be in the kernel itself. @f, @g, ...: functions of this type that contain them
** and whose address is taken: virtual functions, entries of tables. The direct calls are inlined like others; the
** original function is then never called, and its body, which could not be compiled, becomes a trap. Recursive
** functions are left to inline_device, which refuses them. */
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

typedef Vec(LLVMValueRef) Values;

static bool synchronises(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (name_of_call(i) != NAME_NONE && name_is_convergent(name_of_call(i))) return true;
    return false;
}

static bool is_called(LLVMValueRef fn) {
    for_each_user(i, fn) {
        if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == fn) return true;
    }
    return false;
}

static Values synchronising_functions(Module *m) {
    Values found = {0};
    for_each_function(f, m->mod)
        if (!LLVMIsDeclaration(f) && !is_kernel(f) && LLVMGetFirstUse(f) && synchronises(f))
            vec_push(&m->arena, &found, f);
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

static bool resolve(Module *m, LLVMValueRef call, const Values *fns) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    LLVMValueRef address = LLVMGetCalledValue(call), phi = NULL;
    LLVMBasicBlockRef at = LLVMGetInstructionParent(call), then = NULL, other = NULL;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (int k = 0; k < fns->n; k++) {
        if (LLVMGlobalGetValueType(fns->v[k]) != type) continue;
        if (!then) {
            then = shim_split_block(LLVMGetNextInstruction(call), "called");
            other = shim_split_block(call, "indirect");
            LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(then));
            if (!is_void(call)) phi = LLVMBuildPhi(b, LLVMTypeOf(call), "");
            if (phi) LLVMReplaceAllUsesWith(call, phi), LLVMAddIncoming(phi, &call, &other, 1);
        }
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
    return then != NULL;
}

bool resolve_calls(Module *m) {
    Values fns = synchronising_functions(m), calls = fns.n ? indirect_calls(m) : (Values){0};
    bool any = false;
    for (int i = 0; i < calls.n; i++) any |= resolve(m, calls.v[i], &fns);
    return any;
}

void drop_resolved(Module *m) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), NULL, 0, 0);
    Values fns = synchronising_functions(m);
    for (int i = 0; i < fns.n; i++) {
        if (is_called(fns.v[i])) continue;
        LLVMValueRef trap = LLVMGetNamedFunction(m->mod, "llvm.trap");
        if (!trap) trap = LLVMAddFunction(m->mod, "llvm.trap", type);
        LLVMLinkage linkage = LLVMGetLinkage(fns.v[i]);
        shim_delete_body(fns.v[i]);
        LLVMSetLinkage(fns.v[i], linkage);
        LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, fns.v[i], ""));
        LLVMBuildCall2(b, type, trap, NULL, 0, "");
        LLVMBuildUnreachable(b);
    }
    LLVMDisposeBuilder(b);
}
