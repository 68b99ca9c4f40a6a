/* pipeline.h: the passes of passes.def, in their order or one by one. */
#ifndef CUCPU_PIPELINE_H
#define CUCPU_PIPELINE_H
#include "passes/ir/kernel.h"

typedef struct Pass Pass;
const Pass *find_pass(const char *name, size_t len); /* NULL = there is none */

/* A run of the pipeline: the pass that comes next, and what each has taken so far. */
typedef struct PassRun {
    int next;
    double *ms;
} PassRun;

PassRun pipeline_at(Module *m, const char *pass); /* from this pass on; NULL: the first */
/* Runs passes up to that of the name `to` (NULL: all), or to --stop-after; false after an error. */
bool pipeline_run(Module *m, PassRun *run, const char *to);
bool pipeline_stopped(const PassRun *run); /* at the end, or by --stop-after */
void pipeline_print_times(const PassRun *run);

/* One pass on all kernels, like cucpu-opt: a refusal is an error, and the forms of its contract are checked before and
** after it. */
bool run_checked(Module *m, const Pass *pass);

/* The variants that still are group code, or every kernel where there are none (cucpu-opt). */
LLVMValueRef *variants_of(Module *m, Arena *a, int *n);
void verify_module(Module *m, const char *after); /* by LLVM's verifier; does not return if the IR is invalid */
#endif
