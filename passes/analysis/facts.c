/* facts.c: the control-flow graph and the shapes of a kernel, computed once for all passes up to the next change.
**
** Most of the passes before linearise find nothing to do in most kernels, and each queries the shapes of all values to
** find that out. A pass that does not call keep_facts is assumed to have changed the kernel: facts are dropped after
** it. */
#include "passes/analysis/facts.h"

Cfg *kernel_cfg(Kernel *k) {
    if (!k->facts) return cfg_build(k->arena, k->fn);
    if (!k->facts->cfg) k->facts->cfg = cfg_build(&k->facts->a, k->fn);
    return k->facts->cfg;
}

Shapes *kernel_shapes(Kernel *k) {
    Facts *f = k->facts;
    if (!f) return shapes_compute(k->arena, kernel_cfg(k), k->width, k->layout, k->block);
    if (!f->shapes) f->shapes = shapes_compute(&f->a, kernel_cfg(k), k->width, k->layout, k->block);
    return f->shapes;
}

void keep_facts(Kernel *k) {
    if (k->facts) k->facts->kept = true;
}

void drop_facts(Kernel *k) {
    if (!k->facts) return;
    arena_free(&k->facts->a);
    *k->facts = (Facts){0};
}
