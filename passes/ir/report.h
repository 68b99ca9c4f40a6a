/* report.h: what --report=html,json shows: facts that passes record for the lines of kernels, written as JSON when the
** module has been compiled.  Without the option every function here does nothing.
**
** A kernel is described as its main variant: groups of full rows, any block.  Facts about copies that passes make
** belong to the line that the copies have. */
#ifndef CUCPU_REPORT_H
#define CUCPU_REPORT_H
#include "passes/ir/kernel.h"

typedef enum ReportShape { REPORT_UNIFORM, REPORT_AFFINE, REPORT_VARYING, REPORT_SHAPES } ReportShape;

typedef struct Report Report;

bool report_wanted(const Module *m);
void report_open(Module *m);
/* A text that the caller frees; NULL: none is wanted. */
char *report_json(Module *m, size_t *size);

/* The kernel is described by this variant. */
bool report_is_main(const Kernel *k);

/* ---- facts about instructions of such a variant ---- */
void report_begin(Kernel *k); /* before all others: a pass has refused a variant of the same kernel, maybe */
void report_branch(Kernel *k, LLVMValueRef branch, bool divergent);
void report_shape(Kernel *k, LLVMValueRef inst, ReportShape shape);
void report_cycles(Kernel *k, LLVMValueRef inst, double cycles); /* of a thread, as estimated */
void report_access(Kernel *k, LLVMValueRef inst, const char *how, bool masked);
/* bytes: per thread, and per block. */
void report_barrier(Kernel *k, LLVMValueRef barrier, double thread, uint64_t block, uint64_t without_classes);

/* ---- facts about kernels, with all their variants ---- */
void report_entry(Module *m, LLVMValueRef entry, unsigned frame_per_group);
#endif
