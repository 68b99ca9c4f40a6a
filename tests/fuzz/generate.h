/* generate.h: what the two halves of the generator share: the state, the dice, and constructors.
**
** generate_expr.c makes expressions, generate.c statements and the frame of a program. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H
#include "tests/fuzz/program.h"
#include "tests/fuzz/random.h"

enum { MAX_TARGETS = 8, RESULT_ARRAYS = 2, MASK_ALL = -1, MASK_UNKNOWN = -2 };

typedef struct Target {
    Stmt *stmt;
    bool uniform;
    Mode modes[MAX_ARRAYS]; /* at its begin and its end */
} Target;

typedef struct Gen {
    Arena *a;
    Program *p;
    Random r;
    Mode modes[MAX_ARRAYS];
    Target targets[MAX_TARGETS];
    int ntargets, first_target, budget, scope;
    int mask; /* variable with the lanes that are here; MASK_ALL, or MASK_UNKNOWN: some of these */
    bool uniform, returned; /* here; some thread may have returned before */
} Gen;

static inline int below(Gen *g, int n) { return random_below(&g->r, n); }
static inline bool chance(Gen *g, int percent) { return random_chance(&g->r, percent); }

static inline bool calm(const Gen *g) { return g->p->features & FEATURE_CALM; }

Expr *new_expr(Gen *g, ExprKind kind, Type type);
Expr *expr(Gen *g, Type t, int depth, bool uniform);
Expr *constant(Gen *g, Type t);
Expr *small(Gen *g, uint64_t v);
Expr *cast(Gen *g, CastOp op, Type to, Expr *from);
Expr *warp_value(Gen *g, Type t, int depth);
Expr *call(Gen *g, int function, int depth);
Type any_int(Gen *g);
Type any_float(Gen *g);
Type any_type(Gen *g);
#endif
