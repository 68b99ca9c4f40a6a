/* distribute_iterations.h: a loop whose iterations are distributed among threads, and whether memory allows that
** (distribute_memory.c). */
#ifndef CUCPU_DISTRIBUTE_ITERATIONS_H
#define CUCPU_DISTRIBUTE_ITERATIONS_H
#include "passes/analysis/affine.h"
#include "passes/analysis/root_parameter.h"
#include "passes/ir/cfg.h"
#include "passes/passes.h"

enum { DEPTH = 12, MAX_ROOTS = 16, MAX_ACCESSES = 64, MAX_TRIPS = 1024 };

/* A value F * (K * t + q) + rest, where q counts iterations. */
typedef struct Root {
    LLVMValueRef v;
    int64_t factor;
    Affine rest;
} Root;

typedef struct Access {
    LLVMValueRef i, address;
    int parameter; /* or ROOT_OWN: shared memory, or a variable that is only loaded */
    bool inside, writes, commutes;
} Access;

typedef struct Distribution {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *c;
    int loop;
    LLVMBasicBlockRef header, latch, before, after, body;
    LLVMBasicBlockRef
        leaves; /* a block that leaves the loop for `after`, too, where an index reaches a bound; or NULL */
    LLVMValueRef counter, next, test;
    int64_t first, trips;   /* the counter is first + q */
    bool own;               /* the counter itself is the index: K * t + rest + q */
    LLVMValueRef bound;     /* own: the loop also ends there; or NULL */
    bool bounded_exactly;   /* own: the end of the thread's interval does not wrap around */
    LLVMIntPredicate below; /* own: of the test */
    unsigned dimensions;    /* t is the index in a row (1), plane (2) or block of three dimensions (3) */
    PtrMap mixed;           /* integers of the loop that depend on t or q otherwise */
    Root root[MAX_ROOTS];
    int nroots;
    Access access[MAX_ACCESSES];
    int naccesses;
    unsigned assumed, accessed; /* parameters that have to be apart from all other `accessed` ones */
    PtrMap copy;                /* values and blocks of the loop -> those of the new one, where the old one is kept */
} Distribution;

/* NULL: it is none. */
const Root *root_of(const Distribution *d, LLVMValueRef v);
/* Different threads may make the iterations of one; sets `assumed` and `accessed`. */
bool may_distribute(Distribution *d);
#endif
