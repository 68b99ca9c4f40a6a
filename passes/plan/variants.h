/* variants.h: which variants a kernel is compiled to: a plan, then the functions that it lists.
**
** describe_kernel writes what is known of the kernel into attributes; plan_variants decides, and leaves kernels as they
** are; build_variant makes one variant of the list. */
#ifndef CUCPU_PLAN_VARIANTS_H
#define CUCPU_PLAN_VARIANTS_H
#include "passes/ir/variant.h"
#include "passes/passes.h"
#include <stdio.h>

typedef struct VariantSpec {
    Variant v; /* width, layout, dimension of lanes, and for which launches: as in its attributes */
    VariantKind kind;
    int vectors; /* vector registers of a value of 32 bits per lane */
    int rank;    /* the runtime takes the first that fits by this order, else by that of the list; -1: beside them */
    const char *why; /* for the printer */
} VariantSpec;

typedef struct VariantPlan {
    LLVMValueRef kernel;
    Vec(VariantSpec) list; /* in the order in which they are built */
    unsigned flags;        /* CUCPU_KERNEL_*: those of describe_kernel, and what the runtime must know of the list */
    const char *launches;  /* blockDims of launches: known, or guessed; NULL: none */
} VariantPlan;

/* Kernels that are large together get fewer variants. */
typedef struct VariantBudget {
    bool several; /* those whose launches are known are compiled only for these and for any block */
    bool many;    /* the larger ones get few variants */
} VariantBudget;
VariantBudget variant_budget(LLVMValueRef *kernels, int n);

/* Flags (CUCPU_KERNEL_*), order of blocks and other attributes that analyses and plan read. */
void describe_kernel(Module *m, LLVMValueRef kernel);
VariantPlan plan_variants(Module *m, LLVMValueRef kernel, VariantBudget budget);
void print_plan(const VariantPlan *plan, FILE *f);
/* alike: NULL, or a variant that differs by its layout alone, to be copied. */
LLVMValueRef build_variant(Module *m, LLVMValueRef kernel, const Variant *v, LLVMValueRef alike);
/* The same for estimates, before anything is simplified. */
LLVMValueRef sketch_variant(Module *m, LLVMValueRef kernel, const Variant *v);

/* Estimates, and what is built of a plan: no remarks, which would repeat those of the kernel. */
static inline bool be_quiet(Module *m) {
    bool remarks = m->diag.remarks;
    m->diag.remarks = false;
    return remarks;
}

static inline bool is_block(const unsigned b[3]) { /* that can be launched */
    return b[0] && b[1] && b[2] && b[0] <= 1024 && b[1] <= 1024 && b[2] <= 64 && b[0] * b[1] * b[2] <= 1024;
}
#endif
