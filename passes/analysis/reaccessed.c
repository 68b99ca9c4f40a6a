/* reaccessed: whether the order of the accesses within one iteration of a loop matters.
**
** The loop vectorizer of LLVM 22 makes one wide access of those to all fields of neighbouring structures: it loads at
** the first of them and stores at the last. Whether such an access is moved across another that it depends on is looked
** up among the dependences of the loop. These are not collected where the loop is marked as parallel, and are dropped
** where run-time checks are to prove that arrays do not overlap. Iterations of a parallel loop do not depend on each
** other, but the accesses of one iteration do.
**
** Two accesses are separate if they are to different fields at one subscript, of arrays with elements of one size, or
** if scopes (alias_scopes, `__restrict__`) imply so. All others may be to one address: also a[k + 1] and a[k], of which
** the next iteration reads what this one stores. */
#include "passes/analysis/reaccessed.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/value.h"
#include "passes/ir/shim.h"
#include <llvm-c/Target.h>

/* An address: a value plus a constant. */
typedef struct Location {
    LLVMValueRef access, core;
    uint64_t from, size; /* bytes; addresses wrap */
} Location;

static LLVMTargetDataRef layout_of(LLVMValueRef fn) { return LLVMGetModuleDataLayout(LLVMGetGlobalParent(fn)); }

static bool strip_constants(LLVMTargetDataRef dl, LLVMValueRef i, Location *p) {
    LLVMTypeRef type;
    int64_t more;
    LLVMValueRef at = accessed_address(i, &type);
    if (!at) return false;
    *p = (Location){i, at, 0, LLVMStoreSizeOfType(dl, type)};
    for (; LLVMIsAGetElementPtrInst(p->core) && shim_gep_offset(dl, p->core, &more);
         p->core = LLVMGetOperand(p->core, 0))
        p->from += (uint64_t)more;
    return true;
}

/* a[i] and b[i] for elements of one size: that size, else 0. */
static uint64_t equal_subscripts(LLVMTargetDataRef dl, LLVMValueRef a, LLVMValueRef b) {
    if (!LLVMIsAGetElementPtrInst(a) || !LLVMIsAGetElementPtrInst(b) || LLVMGetNumOperands(a) != 2 ||
        LLVMGetNumOperands(b) != 2)
        return 0;
    uint64_t size = LLVMABISizeOfType(dl, LLVMGetGEPSourceElementType(a));
    bool equal =
        LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1) && LLVMABISizeOfType(dl, LLVMGetGEPSourceElementType(b)) == size;
    return equal ? size : 0;
}

static bool do_not_overlap(const Location *p, const Location *q) {
    return p->from + p->size <= q->from || q->from + q->size <= p->from;
}

/* Each scope of p is among those that q does not alias. */
static bool scopes_apart(LLVMValueRef p, LLVMValueRef q) {
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(p));
    LLVMValueRef is = LLVMGetMetadata(p, LLVMGetMDKindIDInContext(c, "alias.scope", 11));
    LLVMValueRef is_not = LLVMGetMetadata(q, LLVMGetMDKindIDInContext(c, "noalias", 7));
    enum { MAX_SCOPES = 16 };
    LLVMValueRef s[MAX_SCOPES], n[MAX_SCOPES];
    if (!is || !is_not || LLVMGetMDNodeNumOperands(is) > MAX_SCOPES || LLVMGetMDNodeNumOperands(is_not) > MAX_SCOPES)
        return false;
    unsigned ns = LLVMGetMDNodeNumOperands(is), nn = LLVMGetMDNodeNumOperands(is_not), found = 0;
    LLVMGetMDNodeOperands(is, s);
    LLVMGetMDNodeOperands(is_not, n);
    for (unsigned i = 0; i < ns; i++)
        for (unsigned j = 0; j < nn; j++)
            if (s[i] == n[j]) {
                found++;
                break;
            }
    return ns && found == ns;
}

static bool are_disjoint(LLVMTargetDataRef dl, const Location *p, const Location *q) {
    uint64_t size = equal_subscripts(dl, p->core, q->core);
    bool fields = size > p->from && size > q->from && p->from + p->size <= size && q->from + q->size <= size;
    return (fields && do_not_overlap(p, q)) || scopes_apart(p->access, q->access) || scopes_apart(q->access, p->access);
}

static bool again_in(Arena *a, const Cfg *c, LLVMTargetDataRef dl, int loop) {
    int n = 0;
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) n++;
    Location *seen = arena_array(a, Location, n);
    n = 0;
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) {
            if (!strip_constants(dl, i, &seen[n])) continue;
            for (int k = 0; k < n; k++)
                if (LLVMIsAStoreInst(seen[k].access) && !are_disjoint(dl, &seen[k], &seen[n])) return true;
            n++;
        }
    return false;
}

bool reaccessed(Arena *a, LLVMValueRef fn) {
    const Cfg *c = cfg_build(a, fn);
    for (int l = 0; l < c->nloops; l++)
        if (cfg_is_innermost(c, l) && again_in(a, c, layout_of(fn), l)) return true;
    return false;
}
