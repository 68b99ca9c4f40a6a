/* parts.h: a large module is finished in parts, several processes at a time. */
#ifndef CUCPU_PARTS_H
#define CUCPU_PARTS_H
#include "passes/passes.h"

typedef bool PartFinish(Module *m, const char *path); /* the rest of the pipeline; an object to `path` */

/* The number of parts of the module, which must have its table; 1: it is small, or its output is no object. */
int parts_of(Module *m);
/* Makes `output` of n parts by `finish` and m->opt->join. The module is consumed. */
bool finish_parts(Module *m, int n, const char *output, PartFinish *finish);
#endif
