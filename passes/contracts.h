/* contracts.h: what each pass requires of the IR, gives and loses (passes.def), and whether an order of passes
** satisfies that. */
#ifndef CUCPU_CONTRACTS_H
#define CUCPU_CONTRACTS_H
#include "passes/support/arena.h"

typedef struct Contract {
    const char *name;
    unsigned requires, gives, loses; /* sets of FORM_* (verify.h) */
    const char *order;               /* "after P Q: reason; before R: reason" */
} Contract;

/* All passes in pipeline order. */
const Contract *pass_contracts(int *n);
/* What the n passes, in this order and starting from NVVM IR, violate: pass, form or other pass, and why; NULL:
** nothing. Allocated in `a`. */
const char *broken_contract(Arena *a, const Contract *passes, int n);
#endif
