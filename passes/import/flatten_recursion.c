/* flatten_recursion: a function that calls itself becomes a loop over activation records.
**
** Barriers and warp-level functions must be in the kernel itself, and so in a function that can be inlined.
**
**   int f(x) { A; y = f(B); C; return D; }
**
**   activation: r = a record on the stack, r.x = x, r.resume = 0
**   body:       A; r' = a new record, r'.caller = r, r'.x = B, r'.resume = 1; r = r'; go to body
**   resume.1:   y = r.result; r = r.caller (the old r is freed); C; r.result = D; go to return
**   return:     go to resume.n, n = r.resume; 0: return r.result
**
** in:  a function that calls itself directly
** out: the same without these calls; its variables, and values live across blocks (reg2mem), are fields of the record.
**      Records but the first come from cucpu_local_malloc. A thread whose records take more than 512 KiB (local memory
**      of a thread) ends the kernel.
** Not taken: functions with variables that are aligned to more than the 16 bytes of malloc.
** Of functions that call each other one is inlined into the others first (inline_device). */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <llvm-c/DebugInfo.h>

enum { MAX_ALIGN = 16, MAX_LOCAL = 512 << 10 /* bytes */ };
enum {
    CALLER = 0,
    RESUME = 8,
    USED = 12,
    RESULT = 16
}; /* fields of a record; arguments and variables follow the result */

typedef struct Flat {
    Module *m;
    LLVMValueRef fn;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64, ptr, result; /* result: NULL = void */
    LLVMValueRef current;                  /* alloca: the record */
    uint64_t size, *argument;              /* of a record; offsets of the arguments */
    LLVMBasicBlockRef body, leave, overflow;
    Vec(LLVMValueRef) calls, variables;
    Vec(uint64_t) at; /* offsets of the variables */
} Flat;

static LLVMTypeRef by_value(const Flat *f, unsigned i) {
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f->fn, i + 1, kind);
    return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static uint64_t add_field(Flat *f, LLVMTypeRef t, uint64_t count, unsigned align) {
    unsigned own = LLVMABIAlignmentOfType(f->m->dl, t);
    if (own > align) align = own;
    uint64_t at = (f->size + align - 1) / align * align;
    f->size = at + LLVMABISizeOfType(f->m->dl, t) * count;
    return at;
}

static LLVMValueRef field_of(const Flat *f, LLVMValueRef record, uint64_t at) {
    LLVMValueRef offset = LLVMConstInt(f->i64, at, 0);
    return LLVMBuildInBoundsGEP2(f->b, f->i8, record, &offset, 1, "");
}

static LLVMValueRef record(const Flat *f) { return LLVMBuildLoad2(f->b, f->ptr, f->current, "record"); }

/* ---- what a record holds ---- */

static bool is_self_call(const Flat *f, LLVMValueRef i) {
    return LLVMIsACallInst(i) && LLVMGetCalledValue(i) == f->fn && LLVMGetNumArgOperands(i) == LLVMCountParams(f->fn);
}

static void find_calls(Flat *f) {
    for_each_block(b, f->fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (is_self_call(f, i)) vec_push(&f->m->arena, &f->calls, i);
            else if (is_lifetime(i)) LLVMInstructionEraseFromParent(i);
        }
}

/* Afterwards all static variables, and all values that are used in another block than their own, are allocas. */
static void move_to_memory(Flat *f) {
    for (int k = 0; k < f->calls.n; k++) {
        shim_split_block(LLVMGetNextInstruction(f->calls.v[k]), "after");
        shim_split_block(f->calls.v[k], "recursion");
    }
    run_llvm_passes_on(f->m, f->fn, "reg2mem");
}

/* False: something is aligned to more than records are. */
static bool lay_out_record(Flat *f) {
    unsigned n = LLVMCountParams(f->fn);
    f->argument = arena_array(&f->m->arena, uint64_t, n + 1);
    f->size = RESULT;
    if (f->result) add_field(f, f->result, 1, 1);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef t = by_value(f, i);
        f->argument[i] = add_field(f, t ? t : LLVMTypeOf(LLVMGetParam(f->fn, i)), 1, t ? MAX_ALIGN : 1);
    }
    bool fits = true;
    for_each_in_block(i, f->body) {
        if (!LLVMIsAAllocaInst(i)) continue;
        unsigned align = LLVMGetAlignment(i);
        fits &= align <= MAX_ALIGN && LLVMIsAConstantInt(LLVMGetOperand(i, 0));
        if (!fits) break;
        vec_push(&f->m->arena, &f->variables, i);
        vec_push(&f->m->arena, &f->at,
                 add_field(f, LLVMGetAllocatedType(i), LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)), align));
    }
    f->size = (f->size + MAX_ALIGN - 1) / MAX_ALIGN * MAX_ALIGN;
    return fits && f->size < MAX_LOCAL;
}

/* Variables are fields of the current record. */
static void use_record(Flat *f, LLVMValueRef old, uint64_t at, LLVMTypeRef load) {
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, old) vec_push(&f->m->arena, &users, user);
    for (int k = 0; k < users.n; k++) {
        LLVMValueRef i = users.v[k];
        set_insert_point(f->b, i);
        LLVMValueRef v = field_of(f, record(f), at);
        if (load) v = LLVMBuildLoad2(f->b, load, v, "");
        for (int o = 0; o < LLVMGetNumOperands(i); o++)
            if (LLVMGetOperand(i, (unsigned)o) == old) LLVMSetOperand(i, (unsigned)o, v);
    }
}

static void store_argument(const Flat *f, LLVMValueRef to, unsigned i, LLVMValueRef v) {
    LLVMTypeRef t = by_value(f, i);
    LLVMValueRef at = field_of(f, to, f->argument[i]);
    if (t) LLVMBuildMemCpy(f->b, at, 1, v, 1, LLVMConstInt(f->i64, LLVMABISizeOfType(f->m->dl, t), 0));
    else LLVMBuildStore(f->b, v, at);
}

static void fill_record(const Flat *f, LLVMValueRef to, LLVMValueRef caller, unsigned resume, LLVMValueRef used) {
    LLVMBuildStore(f->b, caller, field_of(f, to, CALLER));
    LLVMBuildStore(f->b, LLVMConstInt(f->i32, resume, 0), field_of(f, to, RESUME));
    LLVMBuildStore(f->b, used, field_of(f, to, USED));
}

/* ---- blocks ---- */

/* Before the function: its first record. */
static void begin(Flat *f) {
    LLVMBasicBlockRef entry = LLVMInsertBasicBlockInContext(f->m->ctx, f->body, "activation");
    LLVMPositionBuilderAtEnd(f->b, entry);
    f->current = LLVMBuildAlloca(f->b, f->ptr, "current");
    LLVMValueRef first = LLVMBuildAlloca(f->b, LLVMArrayType2(f->i8, f->size), "first");
    LLVMSetAlignment(first, MAX_ALIGN);
    fill_record(f, first, LLVMConstNull(f->ptr), 0, LLVMConstInt(f->i32, f->size, 0));
    for (unsigned i = 0; i < LLVMCountParams(f->fn); i++) {
        LLVMValueRef p = LLVMGetParam(f->fn, i);
        use_record(f, p, f->argument[i], by_value(f, i) ? NULL : LLVMTypeOf(p));
        LLVMPositionBuilderAtEnd(f->b, entry);
        LLVMSetCurrentDebugLocation2(f->b, NULL);
        store_argument(f, first, i, p);
    }
    LLVMBuildStore(f->b, first, f->current);
    LLVMBuildBr(f->b, f->body);
    for (int k = 0; k < f->variables.n; k++) {
        use_record(f, f->variables.v[k], f->at.v[k], NULL);
        LLVMInstructionEraseFromParent(f->variables.v[k]);
    }
    LLVMSetCurrentDebugLocation2(f->b, NULL);
}

/* A call: a new record, and a branch to the start; the code after the call takes the result and the old record. Returns
** the block of that code. */
static LLVMBasicBlockRef enter_call(Flat *f, LLVMValueRef call, unsigned number) {
    LLVMBasicBlockRef at = LLVMGetInstructionParent(call),
                      resume = shim_split_block(LLVMGetNextInstruction(call), "resume");
    LLVMBasicBlockRef enter = LLVMInsertBasicBlockInContext(f->m->ctx, resume, "enter");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(at));
    LLVMPositionBuilderAtEnd(f->b, at);
    LLVMSetCurrentDebugLocation2(f->b, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef caller = record(f), used = LLVMBuildLoad2(f->b, f->i32, field_of(f, caller, USED), "");
    used = LLVMBuildAdd(f->b, used, LLVMConstInt(f->i32, f->size, 0), "used");
    LLVMValueRef over = LLVMBuildICmp(f->b, LLVMIntUGT, used, LLVMConstInt(f->i32, MAX_LOCAL, 0), "");
    LLVMBuildCondBr(f->b, over, f->overflow, enter);
    LLVMPositionBuilderAtEnd(f->b, enter);
    LLVMValueRef callee =
        build_named_call(f->b, "cucpu_local_malloc", f->ptr, (LLVMValueRef[]){LLVMConstInt(f->i64, f->size, 0)}, 1);
    fill_record(f, callee, caller, number, used);
    for (unsigned i = 0; i < LLVMCountParams(f->fn); i++) store_argument(f, callee, i, LLVMGetOperand(call, i));
    LLVMBuildStore(f->b, callee, f->current);
    LLVMBuildBr(f->b, f->body);

    LLVMPositionBuilderBefore(f->b, LLVMGetFirstInstruction(resume));
    callee = record(f);
    if (f->result) LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(f->b, f->result, field_of(f, callee, RESULT), ""));
    LLVMBuildStore(f->b, LLVMBuildLoad2(f->b, f->ptr, field_of(f, callee, CALLER), ""), f->current);
    build_named_call(f->b, "cucpu_local_free", LLVMVoidTypeInContext(f->m->ctx), &callee, 1);
    LLVMInstructionEraseFromParent(call);
    return resume;
}

/* Each return stores its result in the record. */
static void redirect_returns(Flat *f) {
    for_each_block(b, f->fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsAReturnInst(t)) continue;
        set_insert_point(f->b, t);
        if (f->result) LLVMBuildStore(f->b, LLVMGetOperand(t, 0), field_of(f, record(f), RESULT));
        LLVMBuildBr(f->b, f->leave);
        LLVMInstructionEraseFromParent(t);
    }
}

static void finish(Flat *f, const LLVMBasicBlockRef *resume) {
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(f->m->ctx, f->fn, "done");
    LLVMSetCurrentDebugLocation2(f->b, NULL);
    LLVMPositionBuilderAtEnd(f->b, f->leave);
    LLVMValueRef at = LLVMBuildLoad2(f->b, f->i32, field_of(f, record(f), RESUME), "resume");
    LLVMValueRef sw = LLVMBuildSwitch(f->b, at, done, (unsigned)f->calls.n);
    for (int k = 0; k < f->calls.n; k++) LLVMAddCase(sw, LLVMConstInt(f->i32, (unsigned)k + 1, 0), resume[k]);
    LLVMPositionBuilderAtEnd(f->b, f->overflow);
    build_named_call(f->b, "cucpu_stack_overflow", LLVMVoidTypeInContext(f->m->ctx), NULL, 0);
    LLVMBuildBr(f->b, done);
    LLVMPositionBuilderAtEnd(f->b, done);
    if (f->result) LLVMBuildRet(f->b, LLVMBuildLoad2(f->b, f->result, field_of(f, record(f), RESULT), ""));
    else LLVMBuildRetVoid(f->b);
}

bool flatten_recursion(Module *m, LLVMValueRef fn) {
    LLVMContextRef c = m->ctx;
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
    Flat f = {.m = m,
              .fn = fn,
              .i8 = LLVMInt8TypeInContext(c),
              .i32 = LLVMInt32TypeInContext(c),
              .i64 = LLVMInt64TypeInContext(c)};
    f.ptr = LLVMPointerTypeInContext(c, 0);
    f.result = LLVMGetTypeKind(result) == LLVMVoidTypeKind ? NULL : result;
    find_calls(&f);
    if (!f.calls.n) return false;
    move_to_memory(&f);
    f.body = LLVMGetEntryBasicBlock(fn);
    if (!lay_out_record(&f)) return false;
    f.b = LLVMCreateBuilderInContext(c);
    begin(&f);
    f.leave = LLVMAppendBasicBlockInContext(c, fn, "return");
    f.overflow = LLVMAppendBasicBlockInContext(c, fn, "overflow");
    LLVMBasicBlockRef *resume = arena_array(&m->arena, LLVMBasicBlockRef, f.calls.n);
    redirect_returns(&f);
    for (int k = 0; k < f.calls.n; k++) resume[k] = enter_call(&f, f.calls.v[k], (unsigned)k + 1);
    finish(&f, resume);
    LLVMDisposeBuilder(f.b);
    run_llvm_passes_on(m, fn, "sroa,simplifycfg");
    return true;
}
