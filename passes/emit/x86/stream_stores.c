/* stream_stores: grids that store more than the cache holds store past it.
**
** in:  entries with stores that mark_streams has marked, as vectors
** out: a copy of the entry, NAME.streamed, in which these are non-temporal where their address is aligned; it runs
**      where a thread stores more than CucpuLaunch.stream_bytes: a share of the last cache, divided by the threads
**      of the grid. The line is not read before it is written then: of a copy a third of the traffic.
**
** The copy ends with a fence: what the worker stores next, that the grid has ended, is seen after them. */
#include "cpu-runtime/abi.h"
#include "passes/ir/abi_fields.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { MIN_BITS = 256 };

static bool is_stream(const Module *m, LLVMValueRef i, unsigned kind) {
    if (!LLVMIsAStoreInst(i) || !LLVMGetMetadata(i, kind)) return false;
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 0));
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    uint64_t bits = LLVMSizeOfTypeInBits(m->dl, t);
    return bits >= MIN_BITS && !(bits & (bits - 1));
}

/* Aligned to its own size, or at least to that of a register: as it is tested. */
static void stream(Module *m, LLVMBuilderRef b, LLVMValueRef store) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx), t = LLVMTypeOf(LLVMGetOperand(store, 0));
    uint64_t bytes = LLVMSizeOfTypeInBits(m->dl, t) / 8, line = m->vector_bits / 8 < bytes ? m->vector_bits / 8 : bytes;
    LLVMBasicBlockRef head = LLVMGetInstructionParent(store), plain = shim_split_block(store, "plain");
    LLVMBasicBlockRef join = shim_split_block(LLVMGetNextInstruction(store), "stored");
    LLVMBasicBlockRef aligned = LLVMInsertBasicBlockInContext(m->ctx, plain, "aligned");
    LLVMPositionBuilderAtEnd(b, aligned);
    LLVMValueRef copy = LLVMInstructionClone(store);
    LLVMInsertIntoBuilder(b, copy);
    LLVMSetAlignment(copy, (unsigned)line);
    LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(m->ctx), 1, 0);
    LLVMSetMetadata(copy, LLVMGetMDKindIDInContext(m->ctx, "nontemporal", 11), LLVMMDNodeInContext(m->ctx, &one, 1));
    LLVMBuildBr(b, join);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef at = LLVMBuildPtrToInt(b, LLVMGetOperand(store, 1), i64, "");
    LLVMValueRef low = LLVMBuildAnd(b, at, LLVMConstInt(i64, line - 1, 0), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, low, LLVMConstInt(i64, 0, 0), ""), aligned, plain);
}

static void fence(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, "llvm.x86.sse.sfence");
    if (!f) f = LLVMAddFunction(m->mod, "llvm.x86.sse.sfence", t);
    for_each_block(bb, fn) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsAReturnInst(end)) continue;
        set_insert_point(b, end);
        LLVMBuildCall2(b, t, f, NULL, 0, "");
    }
}

/* Variables stay in the first block; returns what comes after them. */
static LLVMValueRef after_allocas(LLVMBuilderRef b, LLVMValueRef fn) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    for (LLVMValueRef i = first, next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstant(LLVMGetOperand(i, 0))) continue;
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderBefore(b, first);
        LLVMInsertIntoBuilder(b, i);
    }
    return first;
}

static void call_streamed(Module *m, LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef streamed, long bytes) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx), i8 = LLVMInt8TypeInContext(m->ctx);
    LLVMValueRef args[4], at = LLVMConstInt(LLVMInt64TypeInContext(m->ctx), offsetof(CucpuLaunch, stream_bytes), 0);
    LLVMGetParams(fn, args);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn), body = shim_split_block(after_allocas(b, fn), "body");
    LLVMBasicBlockRef other = LLVMInsertBasicBlockInContext(m->ctx, body, "streamed");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef limit = LLVMBuildLoad2(b, i32, LLVMBuildInBoundsGEP2(b, i8, args[0], &at, 1, ""), "stream_bytes");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, limit, LLVMConstInt(i32, (uint64_t)bytes, 0), "");
    LLVMBuildCondBr(b, more, other, body);
    LLVMPositionBuilderAtEnd(b, other);
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(streamed), streamed, args, 4, "");
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    if (sp) LLVMInstructionSetDebugLoc(call, LLVMDIBuilderCreateDebugLocation(m->ctx, diag_line(fn), 0, sp, NULL));
    LLVMBuildRetVoid(b);
}

static void make_streamed(Module *m, LLVMBuilderRef b, LLVMValueRef fn, unsigned kind) {
    LLVMValueRef copy = shim_clone_function(fn, arena_printf(&m->arena, "%s.streamed", value_name(fn)));
    Vec(LLVMValueRef) stores = {0};
    fn_remove_attr(copy, ATTR_ENTRY);
    LLVMSetLinkage(copy, LLVMInternalLinkage);
    for_each_instruction(i, copy)
        if (is_stream(m, i, kind)) vec_push(&m->arena, &stores, i);
    for (int i = 0; i < stores.n; i++) stream(m, b, stores.v[i]);
    fence(m, b, copy);
    call_streamed(m, b, fn, copy, fn_attr_int(fn, ATTR_STREAMED, 0));
}

bool stream_stores(Module *m) {
    unsigned kind = LLVMGetMDKindIDInContext(m->ctx, MD_STREAM, sizeof MD_STREAM - 1);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || !fn_has_attr(f, ATTR_ENTRY) || !fn_has_attr(f, ATTR_STREAMED)) continue;
        bool any = false;
        for_each_instruction(i, f) any |= is_stream(m, i, kind);
        if (any) make_streamed(m, b, f, kind);
    }
    LLVMDisposeBuilder(b);
    return true;
}
