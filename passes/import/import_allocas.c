/* import_allocas: allocas of unknown size, or inside a loop (alloca() in device code), come from the heap.
**
** Frames of threads have one size (loop_groups, split_barriers). clang puts all other variables into a function's first
** block, with a constant size. A function with others keeps them in a list, which is freed where it returns;
** cpu-runtime/device/alloca.cu. Must run before inlining: the first block of a function may be inlined into a loop of
** its caller. */
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

typedef struct Allocas {
    LLVMBuilderRef b;
    LLVMModuleRef mod;
    LLVMTypeRef ptr, i64;
    LLVMValueRef blocks; /* the list's head */
} Allocas;

static bool is_dynamic_alloca(LLVMValueRef i, LLVMBasicBlockRef entry) {
    return LLVMIsAAllocaInst(i) && (LLVMGetInstructionParent(i) != entry || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)));
}

static void make_list(Allocas *x, LLVMBasicBlockRef entry) {
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(entry));
    x->blocks = LLVMBuildAlloca(x->b, x->ptr, "allocas");
    LLVMBuildStore(x->b, LLVMConstNull(x->ptr), x->blocks);
}

static void replace_alloca(Module *m, const Allocas *x, LLVMValueRef i) {
    enum { MIN_ALIGN = 16 };
    LLVMValueRef count = LLVMGetOperand(i, 0),
                 each = LLVMConstInt(x->i64, LLVMABISizeOfType(m->dl, LLVMGetAllocatedType(i)), 0);
    unsigned align = LLVMGetAlignment(i) > MIN_ALIGN ? LLVMGetAlignment(i) : MIN_ALIGN;
    set_insert_point(x->b, i);
    LLVMValueRef bytes = LLVMBuildMul(x->b, LLVMBuildIntCast2(x->b, count, x->i64, false, ""), each, "");
    LLVMValueRef args[3] = {x->blocks, bytes, LLVMConstInt(x->i64, align, 0)};
    replace_instruction(i, build_named_call(x->b, "__cucpu_alloca", x->ptr, args, 3));
}

void import_allocas(Module *m, LLVMValueRef fn) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    Allocas x = {.mod = m->mod, .ptr = LLVMPointerTypeInContext(m->ctx, 0), .i64 = LLVMInt64TypeInContext(m->ctx)};
    for_each_block(b, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!is_dynamic_alloca(i, entry)) continue;
            if (!x.b) make_list((x.b = LLVMCreateBuilderInContext(m->ctx), &x), entry);
            replace_alloca(m, &x, i);
        }
    for (LLVMBasicBlockRef b = x.b ? LLVMGetFirstBasicBlock(fn) : NULL; b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!end || !LLVMIsAReturnInst(end)) continue;
        set_insert_point(x.b, end);
        build_named_call(x.b, "__cucpu_free_allocas", LLVMVoidTypeInContext(m->ctx), &x.blocks, 1);
    }
    if (x.b) LLVMDisposeBuilder(x.b);
}
