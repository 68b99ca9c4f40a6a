/* lower_runtime: pseudo functions in a form convenient for passes become calls of the runtime (abi.h).
**
** cucpu.assert(message, file, line, function, ctaid x, y, z, tid x, y, z) has the ids as plain values until here, so
** that widen can extract them lane by lane; cucpu_assertfail takes them as two arrays. Runs on every function that is
** left: entries, and functions that were not inlined. */
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { ASSERT_BLOCK = 4, ASSERT_THREAD = 7 };

/* Stores three operands of the call to an array in the function's frame. */
static LLVMValueRef store_three(Module *m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef array, unsigned first) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx);
    for (unsigned i = 0; i < 3; i++) {
        LLVMValueRef at = LLVMConstInt(i32, i, 0);
        LLVMBuildStore(b, LLVMGetOperand(call, first + i), LLVMBuildGEP2(b, i32, array, &at, 1, ""));
    }
    return array;
}

static void lower_assert(Module *m, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef arrays[2]) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx), ptr = LLVMPointerTypeInContext(m->ctx, 0);
    LLVMTypeRef types[6] = {ptr, ptr, i32, ptr, ptr, ptr};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), types, 6, 0);
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu_assertfail"), args[6];
    if (!f) f = LLVMAddFunction(m->mod, "cucpu_assertfail", t);
    set_insert_point(b, call);
    for (unsigned i = 0; i < 4; i++) args[i] = LLVMGetOperand(call, i);
    args[4] = store_three(m, b, call, arrays[0], ASSERT_BLOCK);
    args[5] = store_three(m, b, call, arrays[1], ASSERT_THREAD);
    LLVMBuildCall2(b, t, f, args, 6, "");
    LLVMInstructionEraseFromParent(call);
}

bool lower_runtime(Module *m) {
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "cucpu.assert");
    if (!f) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMTypeRef three = LLVMArrayType2(LLVMInt32TypeInContext(m->ctx), 3);
    PtrMap frames; /* function -> its two arrays */
    map_init(&frames, &m->arena);
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetFirstUse(f)) {
        LLVMValueRef call = LLVMGetUser(u);
        LLVMValueRef in = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        LLVMValueRef *arrays = (LLVMValueRef *)map_get(&frames, in, 0);
        if (!arrays) {
            arrays = arena_array(&m->arena, LLVMValueRef, 2);
            arrays[0] = entry_alloca(in, three, "assert.block");
            arrays[1] = entry_alloca(in, three, "assert.thread");
            map_put(&frames, in, (uintptr_t)arrays);
        }
        lower_assert(m, b, call, arrays);
    }
    LLVMDeleteFunction(f);
    LLVMDisposeBuilder(b);
    return true;
}
