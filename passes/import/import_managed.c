/* import_managed: a __managed__ variable lives in the host program; device code reaches it through
** a pointer that the runtime sets when it joins host and kernel object.
**
** The headers mark such variables with annotate("cucpu_managed").  `x` stays as the start value,
** `x.managed` is the pointer, and each use of x in code becomes a load of that pointer. */
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include <string.h>

enum { VAR_MANAGED = 2 }; /* CUCPU_VAR_MANAGED of abi.h */

static LLVMValueRef strip_casts(LLVMValueRef v) {
    while (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) > 0) v = LLVMGetOperand(v, 0);
    return v;
}

static bool says_managed(LLVMValueRef text) {
    LLVMValueRef g = strip_casts(text);
    LLVMValueRef s = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
    size_t len;
    return s && LLVMIsConstantString(s) && !strcmp(LLVMGetAsString(s, &len), "cucpu_managed");
}

static void through_pointer(Module *m, LLVMValueRef g) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->ctx, 0);
    size_t len;
    char *name = arena_printf(&m->arena, "%s.managed", LLVMGetValueName2(g, &len));
    LLVMValueRef slot = LLVMAddGlobal(m->mod, ptr, name);
    LLVMSetInitializer(slot, LLVMConstNull(ptr));
    LLVMSetLinkage(slot, LLVMInternalLinkage);
    shim_expand_constant_uses(g);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (LLVMUseRef u = LLVMGetFirstUse(g), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user)) continue;
        LLVMValueRef at = user;
        for (int i = 0; i < LLVMGetNumOperands(user); i++) {
            if (LLVMGetOperand(user, (unsigned)i) != g) continue;
            if (LLVMIsAPHINode(user))
                at = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, (unsigned)i));
            LLVMPositionBuilderBefore(b, at);
            LLVMValueRef p = LLVMBuildLoad2(b, ptr, slot, "managed");
            if (LLVMTypeOf(g) != ptr) p = LLVMBuildAddrSpaceCast(b, p, LLVMTypeOf(g), "");
            LLVMSetOperand(user, (unsigned)i, p);
        }
        next = LLVMGetFirstUse(g);
        while (next && !LLVMIsAInstruction(LLVMGetUser(next))) next = LLVMGetNextUse(next);
    }
    LLVMDisposeBuilder(b);
}

/* The variable's row of !cucpu.vars: {slot, flags | managed, initial}. */
static void retarget_row(Module *m, LLVMValueRef g) {
    unsigned n = LLVMGetNamedMetadataNumOperands(m->mod, MD_VARS);
    LLVMValueRef *ops = arena_array(&m->arena, LLVMValueRef, n + 1);
    LLVMGetNamedMetadataOperands(m->mod, MD_VARS, ops);
    size_t len;
    char *name = arena_printf(&m->arena, "%s.managed", LLVMGetValueName2(g, &len));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v[3];
        if (LLVMGetMDNodeNumOperands(ops[i]) != 2) continue;
        LLVMGetMDNodeOperands(ops[i], v);
        if (v[0] != g) continue;
        LLVMReplaceMDNodeOperandWith(ops[i], 1,
                                     LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(m->ctx), VAR_MANAGED, 0)));
        LLVMMetadataRef row[2] = {LLVMValueAsMetadata(LLVMGetNamedGlobal(m->mod, name)), LLVMValueAsMetadata(g)};
        LLVMAddNamedMetadataOperand(m->mod, MD_MANAGED,
                                    LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, row, 2)));
    }
}

void import_managed(Module *m) {
    LLVMValueRef notes = LLVMGetNamedGlobal(m->mod, "llvm.global.annotations");
    if (!notes) return;
    LLVMValueRef list = LLVMGetInitializer(notes);
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        LLVMValueRef entry = LLVMGetOperand(list, (unsigned)i);
        LLVMValueRef g = strip_casts(LLVMGetOperand(entry, 0));
        if (!LLVMIsAGlobalVariable(g) || !says_managed(LLVMGetOperand(entry, 1))) continue;
        through_pointer(m, g);
        retarget_row(m, g);
    }
    LLVMDeleteGlobal(notes);
}
