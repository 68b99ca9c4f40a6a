/* import_variadics: device functions with an ellipsis take a pointer to a buffer that their callers fill.
**
** clang's va_arg for nvptx64 steps through such a buffer, each argument at its own alignment; LLVM's ExpandVariadics
** writes it, while the module still is for nvptx64. clang 22 passes a structure as a variadic argument as its members
** one by one, the first one at that member's alignment, but va_arg expects it at the structure's alignment: the two
** differ if the arguments before it end in between.
** Members cannot be distinguished from arguments in a call, so functions that take such a structure are refused, if it
** is aligned to more than a member of 4 bytes. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <string.h>

enum { PTX_KERNEL_CC = 71, MAX_ALIGNED = 4 };

static bool is_call_of(LLVMValueRef i, const char *prefix) {
    if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i))) return false;
    return !strncmp(value_name(LLVMGetCalledValue(i)), prefix, strlen(prefix));
}

/* A constant distance from this pointer is stored: the position of the next argument. */
static bool is_passed_over(LLVMValueRef at) {
    for_each_user(user, at) {
        LLVMValueRef next = user, use = LLVMIsAGetElementPtrInst(next) && LLVMGetOperand(next, 0) == at ? next : NULL;
        for (LLVMUseRef s = use ? LLVMGetFirstUse(use) : NULL; s; s = LLVMGetNextUse(s))
            if (LLVMIsAStoreInst(LLVMGetUser(s)) && LLVMGetOperand(LLVMGetUser(s), 0) == next) return true;
    }
    return false;
}

/* A copy of memory from the address at which va_arg found an argument. */
static bool takes_structure(LLVMValueRef i) {
    if (!is_call_of(i, "llvm.memcpy.")) return false;
    LLVMValueRef from = LLVMGetOperand(i, 1);
    if (!LLVMIsAInstruction(from) || !is_call_of(from, "llvm.ptrmask.")) return false;
    LLVMValueRef mask = LLVMGetOperand(from, 1);
    return LLVMIsAConstantInt(mask) && LLVMConstIntGetSExtValue(mask) < -MAX_ALIGNED && is_passed_over(from);
}

static void check_structures(Module *m, LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (takes_structure(i)) diag_nyi(&m->diag, i, NYI_VARIADIC_STRUCT, NULL);
}

bool import_variadics(Module *m) {
    bool any = false;
    for_each_function(f, m->mod) {
        any |= LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f));
        if (LLVMGetFunctionCallConv(f) == PTX_KERNEL_CC && LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
            diag_error(&m->diag, f, "a __global__ function cannot have an ellipsis");
    }
    for (LLVMValueRef f = any ? LLVMGetFirstFunction(m->mod) : NULL; f; f = LLVMGetNextFunction(f))
        check_structures(m, f);
    if (m->diag.errors || m->diag.unsupported) return false;
    shim_expand_variadics(m->mod);
    return true;
}
