/* trap_host_calls: calls of host functions, in __host__ __device__ functions, end the kernel.
**
** in:  clang's NVVM IR, where launcher/plugin/host_calls.cpp has named such functions "cucpu.host." and their mangled
**      name, or they have an attribute "dontcall-warn" with that text.
** out: no function of that kind. A call is one of cucpu_host_call(function, file, line), followed by `unreachable`, and
**      what only its arguments needed is erased; where the address of the function is taken, it becomes a function that
**      does the same, without a position. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* Erases what follows the instruction in its block, and the edges to the successors. */
static void cut_after(LLVMValueRef inst) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(inst);
    LLVMValueRef last = LLVMGetBasicBlockTerminator(bb);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(last, k);
        for_each_phi(phi, to) shim_remove_phi_incoming(phi, bb);
    }
    for (LLVMValueRef i = LLVMGetLastInstruction(bb); i != inst; i = LLVMGetLastInstruction(bb)) {
        if (LLVMGetFirstUse(i)) LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
}

static LLVMValueRef build_fault(Module *m, LLVMBuilderRef b, const char *function, const char *file, unsigned line) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->ctx, 0), i32 = LLVMInt32TypeInContext(m->ctx),
                types[3] = {ptr, ptr, i32};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), types, 3, 0);
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu_host_call");
    if (!f) f = LLVMAddFunction(m->mod, "cucpu_host_call", t);
    LLVMValueRef args[3] = {LLVMBuildGlobalString(b, function, "host.function"),
                            LLVMBuildGlobalString(b, file, "host.file"), LLVMConstInt(i32, line, 0)};
    LLVMValueRef call = LLVMBuildCall2(b, t, f, args, 3, "");
    LLVMBuildUnreachable(b);
    return call;
}

static void trap_call(Module *m, LLVMBuilderRef b, LLVMValueRef call, const char *function) {
    unsigned len = 0;
    const char *name = LLVMGetDebugLocFilename(call, &len);
    const char *file = arena_printf(&m->arena, "%.*s", name ? (int)len : 0, name ? name : "");
    cut_after(call);
    LLVMPositionBuilderAtEnd(b, LLVMGetInstructionParent(call));
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
    build_fault(m, b, function, file, name ? LLVMGetDebugLocLine(call) : 0);
    if (LLVMGetFirstUse(call)) LLVMReplaceAllUsesWith(call, LLVMGetPoison(LLVMTypeOf(call)));
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMInstructionEraseFromParent(call);
    delete_dead(fn);
}

static LLVMValueRef next_call(LLVMValueRef f) {
    for_each_user(user, f) {
        if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == f) return user;
    }
    return NULL;
}

static void trap_function(Module *m, LLVMBuilderRef b, LLVMValueRef f, const char *function) {
    for (LLVMValueRef call; (call = next_call(f)) != NULL;) trap_call(m, b, call, function);
    if (!LLVMIsDeclaration(f)) shim_delete_body(f);
    if (!LLVMGetFirstUse(f)) {
        LLVMDeleteFunction(f);
        return;
    }
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(m->ctx, f, "host"));
    LLVMSetCurrentDebugLocation2(b, NULL);
    build_fault(m, b, function, "", 0);
    LLVMSetLinkage(f, LLVMInternalLinkage);
}

/* NULL: it is no host function. */
static const char *host_name(Module *m, LLVMValueRef f) {
    size_t len;
    unsigned n;
    const char *name = LLVMGetValueName2(f, &len), *attribute = fn_attr(f, "dontcall-warn", &n);
    if (attribute) name = arena_printf(&m->arena, "%.*s", (int)n, attribute);
    return strncmp(name, HOST_PREFIX, sizeof HOST_PREFIX - 1) ? NULL : name + sizeof HOST_PREFIX - 1;
}

void trap_host_calls(Module *m) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        const char *name = host_name(m, f);
        if (!name) continue;
        char *text = shim_demangle(name);
        trap_function(m, b, f, text);
        free(text);
    }
    LLVMDisposeBuilder(b);
}
