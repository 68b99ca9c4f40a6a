/* import_builtins: threadIdx, blockIdx, blockDim and gridDim are variables without storage.
**
** in:  clang's loads of constant variables of device code, `cucpu.threadIdx` and so on (builtin_vars.h), three words
**      each
** out: each load of a word is the cucpu.* function that reads it; where more than a word is used (a copy, a reference),
**      the function has a private copy, filled at its entry. The variables are gone.
** In CUDA they are a uint3 and a dim3 like others: `auto t = threadIdx; t.x++` and templates over their types must
** work, which objects whose members are properties do not support. Of a copy only what is read of it remains (SROA). */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <string.h>

enum { WORD = 4, WORDS = 3 };

typedef struct Builtin {
    const char *name;
    Name word[WORDS];
} Builtin;

static const Builtin builtins[] = {
    {"cucpu.threadIdx", {NAME_TID_X, NAME_TID_Y, NAME_TID_Z}},
    {"cucpu.blockIdx", {NAME_CTAID_X, NAME_CTAID_Y, NAME_CTAID_Z}},
    {"cucpu.blockDim", {NAME_NTID_X, NAME_NTID_Y, NAME_NTID_Z}},
    {"cucpu.gridDim", {NAME_NCTAID_X, NAME_NCTAID_Y, NAME_NCTAID_Z}},
};

/* The offset that a GEP of constants computes, in bytes from its base; -1: it has other operands, or another form. */
static int64_t bytes_from(const Module *m, LLVMValueRef gep) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    int64_t at = 0;
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (!LLVMIsAConstantInt(index)) return -1;
        int64_t i = LLVMConstIntGetSExtValue(index);
        if (k == 1) {
            at = i * (int64_t)LLVMABISizeOfType(m->dl, t);
            continue;
        }
        if (LLVMGetTypeKind(t) != LLVMStructTypeKind) return -1;
        at += (int64_t)LLVMOffsetOfElement(m->dl, t, (unsigned)i);
        t = LLVMStructGetTypeAtIndex(t, (unsigned)i);
    }
    return at;
}

static LLVMValueRef read_word(Module *m, LLVMBuilderRef b, Name word) {
    LLVMValueRef r = name_call(b, m->mod, word, NULL, 0, "");
    unsigned noundef = LLVMGetEnumAttributeKindForName("noundef", 7);
    LLVMAddCallSiteAttribute(r, LLVMAttributeReturnIndex, LLVMCreateEnumAttribute(m->ctx, noundef, 0));
    return r;
}

static bool is_word(const Module *m, LLVMValueRef user, int64_t at) {
    return LLVMIsALoadInst(user) && at >= 0 && at % WORD == 0 && at < WORD * WORDS &&
           LLVMTypeOf(user) == LLVMInt32TypeInContext(m->ctx);
}

/* Loads of a word from v, which is the variable plus `at` bytes, become reads; what led to nothing else is erased. */
static void take_words(Module *m, const Builtin *x, LLVMValueRef v, int64_t at) {
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, v) vec_push(&m->arena, &users, user);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (int i = 0; i < users.n; i++) {
        LLVMValueRef user = users.v[i];
        int64_t step = LLVMIsAGetElementPtrInst(user) ? bytes_from(m, user) : LLVMIsAAddrSpaceCastInst(user) ? 0 : -1;
        if (step >= 0) take_words(m, x, user, at + step);
        if (is_word(m, user, at)) {
            LLVMPositionBuilderBefore(b, user);
            LLVMReplaceAllUsesWith(user, read_word(m, b, x->word[at / WORD]));
        }
        if ((step >= 0 || is_word(m, user, at)) && !LLVMGetFirstUse(user)) LLVMInstructionEraseFromParent(user);
    }
    LLVMDisposeBuilder(b);
}

/* The function's private copy of the variable, filled at its entry. */
static LLVMValueRef copy_in(Module *m, const Builtin *x, LLVMValueRef fn, LLVMTypeRef as) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->ctx), words = LLVMArrayType2(i32, WORDS);
    LLVMValueRef copy = entry_alloca(fn, words, x->name);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(copy));
    for (int k = 0; k < WORDS; k++) {
        LLVMValueRef index[2] = {LLVMConstInt(i32, 0, 0), LLVMConstInt(i32, (unsigned)k, 0)};
        LLVMBuildStore(b, read_word(m, b, x->word[k]), LLVMBuildInBoundsGEP2(b, words, copy, index, 2, ""));
    }
    LLVMValueRef r = LLVMTypeOf(copy) == as ? copy : LLVMBuildAddrSpaceCast(b, copy, as, "");
    LLVMDisposeBuilder(b);
    return r;
}

/* An instruction that uses g: NULL = none is left. */
static LLVMValueRef user_of(LLVMValueRef g) {
    for_each_user(user, g)
        if (LLVMIsAInstruction(user)) return user;
    return NULL;
}

static void copy_for_others(Module *m, const Builtin *x, LLVMValueRef g) {
    PtrMap copies = map_new(&m->arena);
    for (LLVMValueRef user; (user = user_of(g));) {
        LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)),
                     copy = (LLVMValueRef)map_get(&copies, fn, 0);
        if (!copy) map_put(&copies, fn, (uintptr_t)(copy = copy_in(m, x, fn, LLVMTypeOf(g))));
        for (int k = 0; k < LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, (unsigned)k) == g) LLVMSetOperand(user, (unsigned)k, copy);
    }
}

void import_builtins(Module *m) {
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(m->mod, builtins[i].name);
        if (!g) continue;
        shim_expand_constant_uses(g);
        take_words(m, &builtins[i], g, 0);
        copy_for_others(m, &builtins[i], g);
        if (starts_variable(g))
            diag_error(&m->diag, NULL, "the address of '%s' cannot initialise a variable",
                       builtins[i].name + strlen("cucpu."));
        LLVMReplaceAllUsesWith(g, LLVMGetUndef(LLVMTypeOf(g))); /* lists of variables, of which nothing is left */
        LLVMDeleteGlobal(g);
    }
}
