/* host_variables: warnings where host code reads or writes a __device__ or __constant__ variable by its name.
**
** in:  the host half as bitcode, as clang's front end made it
**
** The variable of that name in host code is a shadow of which only the address is used; the runtime copies nothing to
** it or from it. Programs that do this compile with nvcc too, with a warning at each access; clang has none. Here there
** is one for each variable and function. */
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <stdlib.h>
#include <string.h>

enum { NAME_ARG = 2, CONSTANT_ARG = 6, MAX_DEPTH = 8 };

typedef struct Touched {
    Vec(LLVMValueRef) readers, writers; /* instructions, one of each function */
} Touched;

static LLVMValueRef function_of(LLVMValueRef inst) { return LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)); }

static void touch(Arena *a, Touched *t, LLVMValueRef inst, bool writes) {
    int n = writes ? t->writers.n : t->readers.n;
    LLVMValueRef *v = writes ? t->writers.v : t->readers.v;
    for (int i = 0; i < n; i++)
        if (function_of(v[i]) == function_of(inst)) return;
    if (writes) vec_push(a, &t->writers, inst);
    else vec_push(a, &t->readers, inst);
}

static bool is_address_of_part(LLVMValueRef v) {
    return LLVMIsAGetElementPtrInst(v) || LLVMIsABitCastInst(v) || LLVMIsAAddrSpaceCastInst(v) ||
           LLVMIsAConstantExpr(v);
}

/* Of memory at the address p. */
static void find_accesses(Arena *a, Touched *t, LLVMValueRef p, int depth) {
    for (LLVMUseRef u = LLVMGetFirstUse(p); u && depth < MAX_DEPTH; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool copy = LLVMIsAMemCpyInst(user) || LLVMIsAMemMoveInst(user), store = LLVMIsAStoreInst(user) != NULL;
        if (is_address_of_part(user)) find_accesses(a, t, user, depth + 1);
        if (LLVMIsALoadInst(user) || (copy && LLVMGetOperand(user, 1) == p)) touch(a, t, user, false);
        if ((store && LLVMGetOperand(user, 1) == p) ||
            ((copy || LLVMIsAMemSetInst(user)) && LLVMGetOperand(user, 0) == p))
            touch(a, t, user, true);
        if ((LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user)) && LLVMGetOperand(user, 0) == p)
            touch(a, t, user, true);
    }
}

static void warn(Module *m, const char *variable, bool constant, const char *what, LLVMValueRef *at, int n) {
    for (int i = 0; i < n; i++) {
        char *name = shim_demangle(value_name(function_of(at[i])));
        diag_warning(&m->diag, at[i],
                     "a %s variable '%s' cannot be directly %s in a host function ('%s'); see cudaMemcpy%sSymbol",
                     constant ? "__constant__" : "__device__", variable, what, name, *what == 'w' ? "To" : "From");
        free(name);
    }
}

/* Used by the host program itself: the second operand of a row of !cucpu.managed. */
static bool is_managed(Module *m, Arena *a, LLVMValueRef variable) {
    unsigned n = LLVMGetNamedMetadataNumOperands(m->mod, MD_MANAGED);
    LLVMValueRef *rows = arena_array(a, LLVMValueRef, n + 1), pair[2];
    LLVMGetNamedMetadataOperands(m->mod, MD_MANAGED, rows);
    for (unsigned i = 0; i < n; i++) {
        LLVMGetMDNodeOperands(rows[i], pair);
        if (pair[1] == variable) return true;
    }
    return false;
}

/* By the name that is passed to the runtime. */
static LLVMValueRef device_variable(Module *m, LLVMValueRef name) {
    LLVMValueRef text = LLVMIsAGlobalVariable(name) ? LLVMGetInitializer(name) : NULL;
    size_t len;
    return text && LLVMIsConstantString(text) ? LLVMGetNamedGlobal(m->mod, LLVMGetAsString(text, &len)) : NULL;
}

static void check_host_variable_use(Module *m, LLVMValueRef registering) {
    LLVMValueRef v = LLVMGetOperand(registering, 1), flag = LLVMGetOperand(registering, CONSTANT_ARG);
    LLVMValueRef there = device_variable(m, LLVMGetOperand(registering, NAME_ARG));
    Arena a = {0};
    Touched t = {0};
    if (!LLVMIsAGlobalVariable(v) || !there || is_managed(m, &a, there)) return arena_free(&a);
    find_accesses(&a, &t, v, 0);
    char *name = shim_demangle(value_name(v));
    bool constant = LLVMIsAConstantInt(flag) && LLVMConstIntGetZExtValue(flag);
    warn(m, name, constant, "written", t.writers.v, t.writers.n);
    warn(m, name, constant, "read", t.readers.v, t.readers.n);
    free(name);
    arena_free(&a);
}

void check_host_variables(Module *m, LLVMModuleRef host) {
    LLVMValueRef f = LLVMGetNamedFunction(host, "__cudaRegisterVar");
    for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f) check_host_variable_use(m, call);
    }
}
