/* facts.h: analyses that several passes query for the same kernel. */
#ifndef CUCPU_FACTS_H
#define CUCPU_FACTS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/kernel.h"

Cfg *kernel_cfg(Kernel *k);       /* of the current kernel; valid until the pass changes it */
Shapes *kernel_shapes(Kernel *k); /* likewise, over kernel_cfg; for its width, layout and block */
void keep_facts(Kernel *k); /* the pass changes nothing: they are valid for the next one too, unless it drops them */
void drop_facts(Kernel *k); /* the kernel has changed */
#endif
