/* hold_polled_loads: what a loop polls by a load with a cache operator (__ldcg, __ldcv, ld.global.cg) is loaded in each
** iteration.
**
** nvcc never reuses the result of such a load for the next one, so programs wait by `while (__ldcg(flag) == 0);`. The
** headers and the PTX reader mark it !nontemporal. In a loop that may iterate until another thread stores
** (analysis/spin_loops.h) it becomes volatile; elsewhere it is a plain load, which vectorises better, or an unordered
** one where parts of it are used: code generation would load each part separately (single_accesses).
** Part of normalise_cfg, when addresses are values and nothing has been moved out of loops. */
#include "passes/analysis/spin_loops.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

typedef Vec(LLVMValueRef) Loads;

static bool has_parts(LLVMValueRef load) {
    LLVMTypeRef t = LLVMTypeOf(load);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return false;
    if (LLVMGetIntTypeWidth(t) > 64) return true;
    for_each_user(user, load)
        if (LLVMIsATruncInst(user)) return true;
    return false;
}

static Loads marked_loads(Module *m, LLVMValueRef fn) {
    unsigned mark = LLVMGetMDKindIDInContext(m->ctx, "nontemporal", 11);
    Loads found = {0};
    for_each_instruction(i, fn) {
        if (!LLVMIsALoadInst(i) || !LLVMGetMetadata(i, mark)) continue;
        LLVMSetMetadata(i, mark, NULL);
        if (!has_parts(i)) LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic);
        vec_push(&m->arena, &found, i);
    }
    return found;
}

void hold_polled_loads(Module *m, LLVMValueRef fn) {
    Loads loads = marked_loads(m, fn);
    if (!loads.n) return;
    for (int i = 0; i < loads.n; i++) LLVMSetVolatile(loads.v[i], true);
    const Cfg *c = cfg_build(&m->arena, fn);
    const bool *polls = find_spin_loops(&m->arena, c);
    for (int i = 0; i < loads.n; i++) {
        int b = cfg_block_of(c, loads.v[i]);
        bool hold = false;
        for (int x = b < 0 ? -1 : c->b[b].loop; x >= 0; x = c->l[x].parent) hold |= polls[x];
        LLVMSetVolatile(loads.v[i], hold);
    }
}
