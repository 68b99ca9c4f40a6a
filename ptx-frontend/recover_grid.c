/* recover_grid.c: the barrier of the grid that nvcc writes out becomes one instruction again.
**
**   ws = {%envreg1, %envreg2};  barrier.sync 0;  one thread: old = atom.add [ws + 4], n;
**   do now = ld.acquire [ws + 4]; while ((now ^ old) >= 0);  barrier.sync 0;
**
** requires: registers are values; %envreg1 and 2 are calls of PTX_ENVREG
** does:     follows ws.  What is added to it in memory gives 0, what is loaded from it has the top bit set, so that
**           the loop ends at once; the one barrier after each such load becomes cucpu.grid.sync
** refuses:  any other use of ws (a call, a store), and a load after which not every path leads to the same barrier */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"

typedef struct Grid {
    Lower *l;
    LLVMModuleRef m;
    PtrMap seen; /* values made of ws; blocks looked at */
    Vec(LLVMValueRef) values, loads, adds;
    LLVMValueRef barrier;
    bool bad;
} Grid;

static bool calls(LLVMValueRef v, const char *name) {
    size_t n;
    if (!LLVMIsACallInst(v)) return false;
    LLVMValueRef f = LLVMGetCalledValue(v);
    return LLVMIsAFunction(f) && !strncmp(LLVMGetValueName2(f, &n), name, strlen(name));
}

static bool carries(LLVMValueRef v) {
    return LLVMIsACastInst(v) || LLVMIsABinaryOperator(v) || LLVMIsAPHINode(v) || LLVMIsAGetElementPtrInst(v) ||
           LLVMIsASelectInst(v) || calls(v, "__cucpu_ptx_bfi_");
}

static void add_value(Grid *g, LLVMValueRef v) {
    if (map_get(&g->seen, v, 0)) return;
    map_put(&g->seen, v, 1);
    vec_push(&g->l->p->arena, &g->values, v);
}

static void follow(Grid *g, LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        if (carries(i)) add_value(g, i);
        else if (LLVMIsALoadInst(i) && LLVMTypeOf(i) == g->l->i32) vec_push(&g->l->p->arena, &g->loads, i);
        else if (LLVMIsAAtomicRMWInst(i) && LLVMGetOperand(i, 0) == v && LLVMTypeOf(i) == g->l->i32)
            vec_push(&g->l->p->arena, &g->adds, i);
        else if (!LLVMIsAICmpInst(i)) g->bad = true;
    }
}

/* Every path from i on leads to the same barrier. */
static void find_barrier(Grid *g, LLVMValueRef i) {
    for (; i; i = LLVMGetNextInstruction(i)) {
        if (calls(i, "llvm.nvvm.barrier.cta.sync.") || name_of_call(i) == NAME_GRID_SYNC) {
            g->bad |= g->barrier && g->barrier != i;
            g->barrier = i;
            return;
        }
        if (LLVMIsAReturnInst(i)) g->bad = true;
        if (!LLVMIsATerminatorInst(i)) continue;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(i); k++) {
            LLVMBasicBlockRef b = LLVMGetSuccessor(i, k);
            if (map_get(&g->seen, b, 0)) continue;
            map_put(&g->seen, b, 1);
            find_barrier(g, LLVMGetFirstInstruction(b));
        }
    }
}

static void replace(LLVMValueRef i, LLVMValueRef with) {
    LLVMReplaceAllUsesWith(i, with);
    LLVMInstructionEraseFromParent(i);
}

static void replace_barrier(Grid *g, LLVMValueRef load) {
    g->barrier = NULL;
    map_init(&g->seen, &g->l->p->arena);
    find_barrier(g, LLVMGetNextInstruction(load));
    g->bad |= !g->barrier;
    if (g->bad || name_of_call(g->barrier) == NAME_GRID_SYNC) return;
    LLVMPositionBuilderBefore(g->l->b, g->barrier);
    LLVMSetCurrentDebugLocation2(g->l->b, LLVMInstructionGetDebugLoc(g->barrier));
    name_call(g->l->b, g->m, NAME_GRID_SYNC, NULL, 0, "");
    LLVMInstructionEraseFromParent(g->barrier);
}

bool recover_grid_barriers(Lower *l, LLVMValueRef fn) {
    Grid g = {.l = l, .m = l->mod};
    Vec(LLVMValueRef) markers = {0};
    map_init(&g.seen, &l->p->arena);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (calls(i, PTX_ENVREG)) vec_push(&l->p->arena, &markers, i);
    if (markers.n) l->at = (PtxLoc){LLVMGetDebugLocLine(markers.v[0]), LLVMGetDebugLocColumn(markers.v[0])};
    for (int i = 0; i < markers.n; i++) add_value(&g, markers.v[i]);
    for (int i = 0; i < g.values.n; i++) follow(&g, g.values.v[i]);
    for (int i = 0; i < g.loads.n && !g.bad; i++) replace_barrier(&g, g.loads.v[i]);
    for (int i = 0; i < g.loads.n; i++) replace(g.loads.v[i], const32(l, 0x80000000));
    for (int i = 0; i < g.adds.n; i++) replace(g.adds.v[i], const32(l, 0));
    for (int i = 0; i < markers.n; i++) replace(markers.v[i], const32(l, 1));
    return !g.bad;
}
