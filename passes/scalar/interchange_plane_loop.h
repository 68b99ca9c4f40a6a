/* interchange_plane_loop.h: what the files of interchange_plane_loop share: facts of the loop, and what is built. */
#ifndef CUCPU_INTERCHANGE_PLANE_LOOP_H
#define CUCPU_INTERCHANGE_PLANE_LOOP_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/value.h"
#include "passes/passes.h"

enum {
    STEPS = 2,
    DEPTH = 12,
    MAX_CARRIED = 4,
    MAX_COUNTERS = 8,
    MAX_OPERANDS = 4,
    LIMIT = 150 /* instructions of the loop */
};

/* Operations that are done again elsewhere. */
enum { COMPUTED = OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT | OP_GEP };

typedef struct Counter { /* phi + step, or the address phi[step] */
    LLVMValueRef phi, next, step, at[STEPS + 1];
    bool clamped; /* its start is not affine in the lanes: at[] is the increment since then in 64 bits */
} Counter;

typedef struct Carried {
    LLVMValueRef phi, next, slot;
} Carried;

typedef struct Interchange {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *c;
    LLVMValueRef fn;
    int loop, pre, exiting, exit;
    int rejoin; /* where threads that do not enter the loop go; -1: there are none */
    LLVMValueRef test, limit, on;
    int tested; /* its counter */
    bool tests_next, goes_on;
    Counter counter[MAX_COUNTERS];
    Carried carried[MAX_CARRIED];
    int ncounters, ncarried;
    Vec(Carried)
        results; /* phis after the loop: next is their operand from it; slot: NULL if it can be computed there */
    const Shapes *s;
    LLVMBasicBlockRef start, head, join, left; /* before the new loop; its header; its end; after it */
    LLVMValueRef more[STEPS];                  /* [k]: there is an iteration after iteration k */
    Vec(LLVMBasicBlockRef) made;
    PtrMap hoisted;                     /* values of `before` -> the same for all threads, in `start` */
    PtrMap recomputed;                  /* values of the loop -> the same, in `left` */
    LLVMValueRef predicate, conditions; /* the function, and its further conditions */
    PtrMap in_predicate;                /* values -> the same in it */
} Interchange;

static inline LLVMBasicBlockRef block(const Interchange *x, int b) { return x->c->b[b].bb; }
static inline LLVMTypeRef i64(const Interchange *x) { return LLVMInt64TypeInContext(x->m->ctx); }

/* ---- plane_predicate.c ---- */
void begin_predicate(Interchange *x); /* declares it */
/* Tests of the arguments alone that every thread has to pass which enters the loop become conditions of it: the variant
** is for launches that pass them. */
void add_condition(Interchange *x);
bool end_predicate(Interchange *x); /* false: nothing is gained */
#endif
