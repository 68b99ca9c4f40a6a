/* unroll_rows: loops in which each lane goes through a private row take four elements per iteration, or as many as a
** register holds.
**
** in, out: normal form
** Why: `for (j = 0; j < k; j++) s += in[i * k + j]` reads k elements apart in each iteration, one gather for each. Four
** iterations together read four neighbours, which widen_runs loads at once for each lane and transposes. Small loops
** with one such row take as many as a register holds, mostly a cache line: it is then read in one iteration, also where
** rows are a power of two apart, of which the first level of the cache holds few. The order of a sum is kept. Only
** where all lanes make the same number of iterations (the remainder of one row is that of all), and where the elements
** have the 4 or 8 bytes that widen_runs supports. #pragma unroll is obeyed. */
#include "passes/analysis/cost.h"
#include "passes/analysis/lane_rows.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

enum { TOGETHER = 4 };

/* Iterations to make together: of a loop in which some load has lanes that are far apart; else 0. */
static unsigned iterations_together(const Kernel *k, const Shapes *s, LLVMBasicBlockRef body) {
    unsigned n = 0, rows = 0, line = TOGETHER;
    for (LLVMValueRef i = LLVMGetFirstInstruction(body); i; i = LLVMGetNextInstruction(i), n++) {
        LLVMTypeRef t;
        LLVMValueRef p = accessed_address(i, &t);
        int64_t stride, offset[64];
        if (!p || shapes_is_uniform(s, p)) continue;
        uint64_t size = LLVMABISizeOfType(k->m->dl, t);
        if (size != 4 && size != 8) return 0;
        bool known = shapes_lane_stride(s, p, &stride) || shapes_runs(s, p, offset) > 1;
        if (!LLVMIsALoadInst(i) || (known && (uint64_t)(stride < 0 ? -stride : stride) <= 8 * size)) continue;
        line = k->m->vector_bits / (8 * (unsigned)size);
        rows++;
    }
    if (!rows || n > (unsigned)GROWTH_ROWS) return 0;
    bool whole = rows == 1 && n <= (unsigned)GROWTH_WHOLE_ROW && line > TOGETHER && (int)line <= k->width;
    return whole ? line : TOGETHER;
}

Nyi unroll_rows(Kernel *k) {
    if (k->width < 4 || k->m->opt->opt_level == 0 || pass_disabled(k->m, "unroll_rows") || pass_disabled(k->m, "runs"))
        return NYI_NONE;
    const Cfg *c = kernel_cfg(k);
    Vec(LLVMBasicBlockRef) chosen = {0};
    Vec(unsigned) together = {0};
    for (int l = 0; l < c->nloops && c->reducible; l++) {
        LaneRow row = lane_row(c, k->m->dl, l);
        if (!row.is_row || row.branches || unroll_is_decided(c, l)) continue;
        const Shapes *s = kernel_shapes(k);
        unsigned n = shapes_loop_divergent(s, l) ? 0 : iterations_together(k, s, c->b[c->l[l].header].bb);
        if (!n) continue;
        vec_push(k->arena, &chosen, c->b[c->l[l].header].bb);
        vec_push(k->arena, &together, n);
    }
    if (!chosen.n) {
        keep_facts(k);
        return NYI_NONE;
    }
    for (int i = 0; i < chosen.n; i++) /* what is left of a line is read by fours */
        if (shim_unroll_by(chosen.v[i], TOGETHER) && together.v[i] > TOGETHER)
            shim_unroll_by(chosen.v[i], together.v[i] / TOGETHER);
    run_llvm_passes_on(k->m, k->fn, "early-cse,separate-const-offset-from-gep,early-cse,adce,simplifycfg");
    restore_normal_form(k->m, k->fn);
    return NYI_NONE;
}
