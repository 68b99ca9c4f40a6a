/* return_unions: device functions that return a union return all of its bytes.
**
**   %union.U = type { %struct.S }        %r = load %union.U, ptr %p        %0 = load i32, ptr %p ...
**   ; S: { i8, i32 }                     ret %union.U %r                   ret { i32, i32 } %words
**
** For nvptx64 clang returns a structure as a value of LLVM, and copies its members. The type that it gives a union is
** that of one member: padding there may be a value of another member, and is lost. Functions that return such a type,
** and all calls of that type, return words instead, which are stored where the caller has stored the members.
** part of import_nvvm, first, on code as the front end makes it */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct Unions {
    Module *m;
    LLVMBuilderRef b;
} Unions;

static uint64_t bytes_of_values(const Module *m, LLVMTypeRef t) {
    uint64_t sum = 0;
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
            sum += bytes_of_values(m, LLVMStructGetTypeAtIndex(t, i));
        return sum;
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(t) * bytes_of_values(m, LLVMGetElementType(t));
    default: return LLVMABISizeOfType(m->dl, t);
    }
}

static bool loses_bytes(const Module *m, LLVMTypeRef t) {
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    if (kind == LLVMArrayTypeKind) return loses_bytes(m, LLVMGetElementType(t));
    if (kind != LLVMStructTypeKind) return false;
    const char *name = LLVMGetStructName(t);
    if (name && !strncmp(name, "union.", 6) && bytes_of_values(m, t) < LLVMABISizeOfType(m->dl, t)) return true;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
        if (loses_bytes(m, LLVMStructGetTypeAtIndex(t, i))) return true;
    return false;
}

/* A structure of as many bytes without any padding. */
static LLVMTypeRef words_of(const Module *m, LLVMTypeRef t) {
    unsigned size = (unsigned)LLVMABISizeOfType(m->dl, t), each = LLVMABIAlignmentOfType(m->dl, t) >= 4 ? 4 : 1,
             n = size / each;
    LLVMTypeRef word = LLVMIntTypeInContext(m->ctx, 8 * each), *all = arena_array((Arena *)&m->arena, LLVMTypeRef, n);
    for (unsigned i = 0; i < n; i++) all[i] = word;
    return LLVMStructTypeInContext(m->ctx, all, n, 0);
}

static LLVMTypeRef with_words(const Module *m, LLVMTypeRef function) {
    unsigned n = LLVMCountParamTypes(function);
    LLVMTypeRef *params = arena_array((Arena *)&m->arena, LLVMTypeRef, n + 1);
    LLVMGetParamTypes(function, params);
    return LLVMFunctionType(words_of(m, LLVMGetReturnType(function)), params, n, LLVMIsFunctionVarArg(function));
}

static LLVMValueRef word_at(const Unions *u, LLVMTypeRef words, LLVMValueRef p, unsigned k) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(u->m->ctx), LLVMOffsetOfElement(u->m->dl, words, k), 0);
    return LLVMBuildInBoundsGEP2(u->b, LLVMInt8TypeInContext(u->m->ctx), p, &at, 1, "");
}

static void store_words(const Unions *u, LLVMValueRef call, LLVMValueRef p) {
    LLVMTypeRef words = LLVMTypeOf(call);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(words); k++)
        LLVMBuildStore(u->b, LLVMBuildExtractValue(u->b, call, k, ""), word_at(u, words, p, k));
}

static LLVMValueRef load_words(const Unions *u, LLVMTypeRef words, LLVMValueRef p) {
    LLVMValueRef all = LLVMGetPoison(words);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(words); k++)
        all = LLVMBuildInsertValue(
            u->b, all, LLVMBuildLoad2(u->b, LLVMStructGetTypeAtIndex(words, k), word_at(u, words, p, k), ""), k, "");
    return all;
}

/* ---- functions ---- */

enum { MAX_ATTRIBUTES = 64 };

/* Not those of the result. */
static void copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned nparams) {
    for (unsigned i = 0; i <= nparams; i++) {
        unsigned at = i == 0 ? (unsigned)LLVMAttributeFunctionIndex : i;
        LLVMAttributeRef list[MAX_ATTRIBUTES];
        unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        if (n > MAX_ATTRIBUTES) continue;
        LLVMGetAttributesAtIndex(from, at, list);
        for (unsigned k = 0; k < n; k++) LLVMAddAttributeAtIndex(to, at, list[k]);
    }
}

static void move_body(LLVMValueRef from, LLVMValueRef to) {
    shim_move_blocks(from, to);
    for (unsigned i = 0; i < LLVMCountParams(from); i++)
        LLVMReplaceAllUsesWith(LLVMGetParam(from, i), LLVMGetParam(to, i));
    LLVMSetSubprogram(to, LLVMGetSubprogram(from));
    LLVMSetSubprogram(from, NULL);
}

static void return_words(const Unions *u, LLVMValueRef fn) {
    LLVMTypeRef words = LLVMGetReturnType(LLVMGlobalGetValueType(fn));
    for_each_block(b, fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b), v = LLVMIsAReturnInst(t) ? LLVMGetOperand(t, 0) : NULL;
        if (!v) continue;
        LLVMValueRef from;
        if (LLVMIsALoadInst(v)) {
            LLVMPositionBuilderBefore(u->b, v);
            from = LLVMGetOperand(v, 0);
        } else {
            from = entry_alloca(fn, LLVMTypeOf(v), "");
            LLVMPositionBuilderBefore(u->b, t);
            LLVMBuildStore(u->b, v, from);
        }
        LLVMValueRef all = load_words(u, words, from);
        LLVMPositionBuilderBefore(u->b, t);
        LLVMBuildRet(u->b, all);
        LLVMInstructionEraseFromParent(t);
    }
}

static void replace_function(const Unions *u, LLVMValueRef fn) {
    char *name = arena_printf(&u->m->arena, "%s", value_name(fn));
    LLVMValueRef now = LLVMAddFunction(u->m->mod, "", with_words(u->m, LLVMGlobalGetValueType(fn)));
    LLVMSetLinkage(now, LLVMGetLinkage(fn));
    LLVMSetVisibility(now, LLVMGetVisibility(fn));
    LLVMSetFunctionCallConv(now, LLVMGetFunctionCallConv(fn));
    if (LLVMGetComdat(fn)) LLVMSetComdat(now, LLVMGetComdat(fn));
    copy_attributes(fn, now, LLVMCountParams(fn));
    if (!LLVMIsDeclaration(fn)) move_body(fn, now);
    LLVMReplaceAllUsesWith(fn, now);
    LLVMDeleteFunction(fn);
    LLVMSetValueName2(now, name, strlen(name));
    return_words(u, now);
}

/* ---- calls ---- */

/* The address at which the caller stores member k of what a call returns; NULL: not in the form of the front end. */
static LLVMValueRef result_slot(const Unions *u, LLVMValueRef extract) {
    LLVMUseRef use = LLVMGetFirstUse(extract);
    LLVMValueRef store = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    if (LLVMGetNumIndices(extract) != 1 || !store || !LLVMIsAStoreInst(store) || LLVMGetOperand(store, 0) != extract)
        return NULL;
    LLVMValueRef p = LLVMGetOperand(store, 1);
    uint64_t at = LLVMOffsetOfElement(u->m->dl, LLVMTypeOf(LLVMGetOperand(extract, 0)), *LLVMGetIndices(extract));
    if (!LLVMIsAGetElementPtrInst(p)) return at ? NULL : p;
    unsigned n = (unsigned)LLVMGetNumOperands(p);
    bool member = LLVMGetGEPSourceElementType(p) == LLVMTypeOf(LLVMGetOperand(extract, 0)) && n == 3 &&
                  LLVMIsAConstantInt(LLVMGetOperand(p, 1)) && LLVMIsAConstantInt(LLVMGetOperand(p, 2)) &&
                  !LLVMConstIntGetZExtValue(LLVMGetOperand(p, 1)) &&
                  LLVMConstIntGetZExtValue(LLVMGetOperand(p, 2)) == *LLVMGetIndices(extract);
    return member ? LLVMGetOperand(p, 0) : NULL;
}

/* One variable takes all members; *last: the last of the stores. */
static LLVMValueRef slot_of_all(const Unions *u, LLVMValueRef call, LLVMValueRef *last) {
    LLVMValueRef home = NULL;
    *last = call;
    for_each_user(extract, call) {
        LLVMValueRef p = LLVMIsAExtractValueInst(extract) ? result_slot(u, extract) : NULL;
        if (!p || (home && home != p)) return NULL;
        home = p;
    }
    for (LLVMValueRef i = call; home && i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i) && LLVMIsAExtractValueInst(LLVMGetOperand(i, 0)) &&
            LLVMGetOperand(LLVMGetOperand(i, 0), 0) == call)
            *last = i;
    return home;
}

/* The caller may store it as a whole. */
static void store_whole(const Unions *u, LLVMValueRef call, LLVMValueRef now) {
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        LLVMValueRef store = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsAStoreInst(store)) continue; /* an aggregate is never the address */
        LLVMPositionBuilderBefore(u->b, store);
        store_words(u, now, LLVMGetOperand(store, 1));
        LLVMInstructionEraseFromParent(store);
    }
}

static LLVMValueRef call_of_words(const Unions *u, LLVMValueRef call) {
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef *args = arena_array(&u->m->arena, LLVMValueRef, n + 1);
    for (unsigned i = 0; i < n; i++) args[i] = LLVMGetOperand(call, i);
    set_insert_point(u->b, call);
    LLVMValueRef now = LLVMBuildCall2(u->b, with_words(u->m, type), LLVMGetCalledValue(call), args, n, "");
    LLVMSetInstructionCallConv(now, LLVMGetInstructionCallConv(call));
    for (unsigned i = 1; i <= n; i++) {
        LLVMAttributeRef list[MAX_ATTRIBUTES];
        unsigned count = LLVMGetCallSiteAttributeCount(call, i);
        if (count > MAX_ATTRIBUTES) continue;
        LLVMGetCallSiteAttributes(call, i, list);
        for (unsigned k = 0; k < count; k++) LLVMAddCallSiteAttribute(now, i, list[k]);
    }
    return now;
}

static void replace_union_call(const Unions *u, LLVMValueRef call) {
    LLVMValueRef now = call_of_words(u, call), last;
    store_whole(u, call, now);
    LLVMValueRef home = slot_of_all(u, call, &last);
    if (home) {
        LLVMPositionBuilderBefore(u->b, LLVMGetNextInstruction(last));
        store_words(u, now, home);
        LLVMReplaceAllUsesWith(call, LLVMGetPoison(LLVMTypeOf(call)));
    } else if (LLVMGetFirstUse(call)) {
        LLVMPositionBuilderBefore(u->b, call);
        LLVMValueRef slot = entry_alloca(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), LLVMTypeOf(call), "");
        store_words(u, now, slot);
        LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(u->b, LLVMTypeOf(call), slot, ""));
    }
    LLVMInstructionEraseFromParent(call);
}

void return_unions(Module *m) {
    Vec(LLVMValueRef) functions = {0}, calls = {0};
    for_each_function(f, m->mod) {
        if (loses_bytes(m, LLVMGetReturnType(LLVMGlobalGetValueType(f)))) vec_push(&m->arena, &functions, f);
        for_each_instruction(i, f)
            if (LLVMIsACallInst(i) && loses_bytes(m, LLVMTypeOf(i))) vec_push(&m->arena, &calls, i);
    }
    Unions u = {m, LLVMCreateBuilderInContext(m->ctx)};
    for (int k = 0; k < calls.n; k++) replace_union_call(&u, calls.v[k]);
    for (int k = 0; k < functions.n; k++) replace_function(&u, functions.v[k]);
    LLVMDisposeBuilder(u.b);
}
