/* import_managed: a __managed__ variable lives in the host program; device code reaches it through a pointer that the
** runtime sets when it joins host and kernel object.
**
** The headers mark such variables with annotate("cucpu_managed"). `x` remains as the start value, `x.managed` is the
** pointer, and each use of x in code becomes a load of that pointer.
**
** __cluster_dims__ of kernels are annotations, too: they become ATTR_CLUSTER. */
#include "cpu-runtime/abi.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <string.h>

static LLVMValueRef strip_casts(LLVMValueRef v) {
    while (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v) > 0) v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_annotated(LLVMValueRef text, const char *what) {
    LLVMValueRef g = strip_casts(text);
    LLVMValueRef s = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
    size_t len;
    return s && LLVMIsConstantString(s) && !strcmp(LLVMGetAsString(s, &len), what);
}

/* The arguments of the annotation are a constant structure. */
static void note_cluster(Module *m, LLVMValueRef kernel, LLVMValueRef arguments) {
    LLVMValueRef g = strip_casts(arguments), sizes = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
    unsigned n[3] = {1, 1, 1};
    for (int i = 0; sizes && i < LLVMGetNumOperands(sizes) && i < 3; i++) {
        LLVMValueRef v = LLVMGetOperand(sizes, (unsigned)i);
        if (LLVMIsAConstantInt(v)) n[i] = (unsigned)LLVMConstIntGetZExtValue(v);
    }
    if (!n[0] || !n[1] || !n[2]) diag_error(&m->diag, kernel, "__cluster_dims__: a cluster has at least one block");
    fn_set_attr(kernel, ATTR_CLUSTER, arena_printf(&m->arena, "%u,%u,%u", n[0], n[1], n[2]));
}

/* Replaces the operands of one instruction that are g by the pointer's value. A phi may name a block twice: both
** entries get the same load. */
static void replace_operands(LLVMBuilderRef b, LLVMValueRef user, LLVMValueRef g, LLVMValueRef slot) {
    int n = LLVMGetNumOperands(user);
    bool phi = LLVMIsAPHINode(user) != NULL;
    for (int i = 0; i < n; i++) {
        if (LLVMGetOperand(user, (unsigned)i) != g) continue;
        LLVMPositionBuilderBefore(b, operand_insertion_point(user, (unsigned)i));
        LLVMValueRef p = LLVMBuildLoad2(b, LLVMGlobalGetValueType(slot), slot, "managed");
        if (LLVMTypeOf(g) != LLVMTypeOf(p)) p = LLVMBuildAddrSpaceCast(b, p, LLVMTypeOf(g), "");
        for (int k = i; k < n; k++) {
            if (LLVMGetOperand(user, (unsigned)k) != g) continue;
            bool same =
                k == i || (phi && LLVMGetIncomingBlock(user, (unsigned)k) == LLVMGetIncomingBlock(user, (unsigned)i));
            if (same) LLVMSetOperand(user, (unsigned)k, p);
        }
    }
}

/* LLVM's and clang's internal lists of variables (the latter appear with -rdc). */
static bool is_bookkeeping(LLVMValueRef g) {
    static const char *const prefixes[] = {"llvm.", "__clang_gpu_used_external"};
    const char *name = value_name(g);
    return !strncmp(name, prefixes[0], strlen(prefixes[0])) || !strncmp(name, prefixes[1], strlen(prefixes[1]));
}

bool starts_variable(LLVMValueRef user) {
    if (LLVMIsAGlobalVariable(user) && LLVMGetInitializer(user)) return !is_bookkeeping(user);
    if (!LLVMIsAConstant(user)) return false;
    for_each_user(i, user)
        if (starts_variable(i)) return true;
    return false;
}

static void through_pointer(Module *m, LLVMValueRef g) {
    LLVMTypeRef ptr = LLVMPointerTypeInContext(m->ctx, 0);
    const char *name = value_name(g);
    LLVMValueRef slot = LLVMAddGlobal(m->mod, ptr, arena_printf(&m->arena, "%s.managed", name));
    LLVMSetInitializer(slot, LLVMConstNull(ptr));
    LLVMSetLinkage(slot, LLVMInternalLinkage);
    shim_expand_constant_uses(g);
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, g) {
        if (LLVMIsAInstruction(user)) vec_push(&m->arena, &users, user);
        else if (starts_variable(user))
            diag_error(&m->diag, NULL, "the address of the managed variable '%s' cannot initialise another variable",
                       name);
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (int i = 0; i < users.n; i++) replace_operands(b, users.v[i], g, slot);
    LLVMDisposeBuilder(b);
}

/* The variable's row of !cucpu.vars: {slot, flags | managed, initial}. */
static void retarget_row(Module *m, LLVMValueRef g) {
    unsigned n = LLVMGetNamedMetadataNumOperands(m->mod, MD_VARS);
    LLVMValueRef *ops = arena_array(&m->arena, LLVMValueRef, n + 1);
    LLVMGetNamedMetadataOperands(m->mod, MD_VARS, ops);
    char *name = arena_printf(&m->arena, "%s.managed", value_name(g));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v[3];
        if (LLVMGetMDNodeNumOperands(ops[i]) != 2) continue;
        LLVMGetMDNodeOperands(ops[i], v);
        if (v[0] != g) continue;
        LLVMReplaceMDNodeOperandWith(
            ops[i], 1, LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(m->ctx), CUCPU_VAR_MANAGED, 0)));
        LLVMMetadataRef row[2] = {LLVMValueAsMetadata(LLVMGetNamedGlobal(m->mod, name)), LLVMValueAsMetadata(g)};
        LLVMAddNamedMetadataOperand(m->mod, MD_MANAGED,
                                    LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, row, 2)));
    }
}

static bool is_imported(Module *m, LLVMValueRef g) {
    return LLVMGetNamedGlobal(m->mod, arena_printf(&m->arena, "%s.managed", value_name(g))) != NULL;
}

void import_managed(Module *m) {
    LLVMValueRef notes = LLVMGetNamedGlobal(m->mod, "llvm.global.annotations");
    if (!notes) return;
    LLVMValueRef list = LLVMGetInitializer(notes);
    for (int i = 0; i < LLVMGetNumOperands(list); i++) {
        LLVMValueRef entry = LLVMGetOperand(list, (unsigned)i);
        LLVMValueRef g = strip_casts(LLVMGetOperand(entry, 0));
        if (LLVMIsAFunction(g) && is_annotated(LLVMGetOperand(entry, 1), "cucpu_cluster"))
            note_cluster(m, g, LLVMGetOperand(entry, 4));
        if (LLVMIsAFunction(g) && is_annotated(LLVMGetOperand(entry, 1), "cucpu_grid_of_clusters"))
            diag_nyi(&m->diag, g, NYI_GRID_OF_CLUSTERS, "__block_size__");
        if (!LLVMIsAGlobalVariable(g) || !is_annotated(LLVMGetOperand(entry, 1), "cucpu_managed")) continue;
        if (is_imported(m, g)) continue; /* each file that declares it has an annotation */
        through_pointer(m, g);
        retarget_row(m, g);
    }
    LLVMDeleteGlobal(notes);
}
