/* narrow_rows: fewer lanes for blocks whose rows are shorter than a group (make_variants).
**
** In a group of two or four such rows ids, addresses and row-uniform values vary by lane: what was a scalar becomes a
** vector, what was consecutive a gather or a permutation. As many lanes as the row has threads avoid that, at the price
** of registers that are not filled. Half of the lanes are always profitable (and cost nothing where a register is two
** of the machine's); a quarter unless the estimate (cost.h) of the group of several rows is clearly better:
** arithmetic alone.
** Not for warp functions, which take whole warps, and not for kernels whose blocks are joined to long rows
** (coalesce_blocks). */
#include "passes/analysis/cost.h"
#include "passes/analysis/width.h"
#include "passes/ir/kernel.h"
#include "passes/ir/value.h"

enum { FEWEST = 4 /* lanes */ };

static bool narrow_is_profitable(Module *m, LLVMValueRef fn, int width, int lanes, const unsigned block[3]) {
    Arena a = {0};
    Cfg *c = cfg_build(&a, fn);
    bool yes = true;
    if (c->reducible && 2 * lanes < width) {
        Liveness *live = liveness(&a, c, NULL, NULL);
        double narrow = cost_of_kernel(m, &a, c, live, lanes, LAYOUT_ROWS_FULL, block, false).cycles;
        yes = narrow < cost_of_kernel(m, &a, c, live, width, LAYOUT_GENERAL, block, false).cycles * COST_SHORT_ROWS;
    }
    arena_free(&a);
    return yes;
}

int narrow_rows(Module *m, LLVMValueRef fn, int width, int less, const unsigned block[3]) {
    static const unsigned any[3] = {0};
    int lanes = less / 2;
    if (m->opt->simd || pass_disabled(m, "narrow_rows") || lanes < FEWEST || 4 * lanes < width || width % lanes ||
        !calls_name(fn, NAME_TID_Y, NAME_TID_Z))
        return 0;
    return narrow_is_profitable(m, fn, width, lanes, block ? block : any) ? lanes : 0;
}
