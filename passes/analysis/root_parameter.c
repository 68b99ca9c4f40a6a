/* root_parameter: see root_parameter.h. */
#include "passes/analysis/root_parameter.h"
#include "passes/ir/attributes.h"
#include "passes/ir/value.h"

enum { MAX_PHIS = 64, VISITED = -3 }; /* VISITED: the root is that of the other operands */

typedef struct Roots {
    LLVMValueRef kernel, seen[MAX_PHIS];
    int n;
} Roots;

static int join_roots(int a, int b) { return a == VISITED ? b : b == VISITED || a == b ? a : ROOT_UNKNOWN; }

static int number_of_parameter(LLVMValueRef kernel, LLVMValueRef p) {
    unsigned n = LLVMCountParams(kernel);
    for (unsigned i = 0; i < n && i < ROOT_MAX; i++)
        if (LLVMGetParam(kernel, i) == p) return (int)i;
    return ROOT_UNKNOWN;
}

static int root_of(Roots *r, LLVMValueRef p) {
    while (LLVMIsAConstantExpr(p) || LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p))
        p = LLVMGetOperand(p, 0);
    if (LLVMIsAArgument(p)) return number_of_parameter(r->kernel, p);
    if (LLVMIsAGlobalVariable(p) || LLVMIsAAllocaInst(p) || name_of_call(p) == NAME_SHARED) return ROOT_OWN;
    bool phi = LLVMIsAPHINode(p) != NULL;
    if (!phi && !LLVMIsASelectInst(p)) return ROOT_UNKNOWN;
    for (int k = 0; k < r->n; k++)
        if (r->seen[k] == p) return VISITED;
    if (r->n == MAX_PHIS) return ROOT_UNKNOWN;
    r->seen[r->n++] = p;
    int joined = VISITED;
    for (unsigned k = phi ? 0 : 1, n = phi ? LLVMCountIncoming(p) : 3; k < n; k++)
        joined = join_roots(joined, root_of(r, phi ? LLVMGetIncomingValue(p, k) : LLVMGetOperand(p, k)));
    return joined;
}

int root_parameter(LLVMValueRef kernel, LLVMValueRef address) {
    Roots r = {.kernel = kernel};
    return root_of(&r, address);
}

LLVMValueRef accessed_anyhow(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return LLVMGetOperand(i, 0);
    return LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
}
