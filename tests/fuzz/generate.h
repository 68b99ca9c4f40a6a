/* generate.h: what the two halves of the generator share: the state, the dice, and constructors.
**
** generate_expr.c makes expressions, generate.c statements and the frame of a program, generate_fields.c structures of
** which each thread has its own, generate_patterns.c what single passes look for, generate_wide.c and
** generate_convert.c what code generators do. */
#ifndef FUZZ_GENERATE_H
#define FUZZ_GENERATE_H
#include "tests/fuzz/program.h"
#include "tests/fuzz/random.h"

enum { MAX_STRUCTURES = 4, MAX_FIELDS = 6, MAX_TARGETS = 8, RESULT_ARRAYS = 2, MASK_ALL = -1, MASK_UNKNOWN = -2 };

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
    int structures[MAX_STRUCTURES], nstructures, nfields; /* arrays of structures: their first fields */
    int tile;               /* rows of 2^tile threads that indices are made of; 0 = of any */
    int held[MAX_FIELDS];   /* variables of these fields' types */
} Gen;

static inline int below(Gen *g, int n) { return random_below(&g->r, n); }
static inline bool chance(Gen *g, int percent) { return random_chance(&g->r, percent); }

/* Own slots that may be accessed as a short vector. */
static inline bool is_short_vector(const Gen *g, const Array *x) {
    return x->slots > 1 && x->map == MAP_PACKED && x->stride == type_bytes(x->type) && (g->p->features & FEATURE_VECTOR);
}

static inline bool calm(const Gen *g) { return g->p->features & FEATURE_CALM; }

Expr *new_expr(Gen *g, ExprKind kind, Type type);
Expr *expr(Gen *g, Type t, int depth, bool uniform);
Expr *binary(Gen *g, BinOp op, Type t, Expr *a, Expr *b);
Expr *load(Gen *g, ExprKind kind, int array, Expr *index);
Expr *constant(Gen *g, Type t);
Expr *small(Gen *g, uint64_t v);
Expr *cast(Gen *g, CastOp op, Type to, Expr *from);
Expr *warp_value(Gen *g, Type t, int depth);
Expr *call(Gen *g, int function, int depth);
Expr *place(Gen *g); /* of the thread in the grid */
Stmt *new_stmt(Gen *g, StmtKind kind);
Array *add_array(Gen *g, Space space, Type t, int slots, Map map);
int add_var(Gen *g, Type t, Expr *init);
int add_counter(Gen *g, bool uniform);
void add_fields(Gen *g);
void add_held(Gen *g);
Expr *range_test(Gen *g); /* of the place in the grid, or one behind it */
Stmt *fields_statement(Gen *g); /* a list */
Stmt *fields_body(Gen *g);
int assignable(Gen *g, bool uniform); /* a variable, -1 = there is none */
void add_pattern_arrays(Gen *g);
bool has_patterns(const Gen *g);
Stmt *pattern_statement(Gen *g); /* a list, or NULL */
Stmt *patterns_body(Gen *g);
void add_wide_arrays(Gen *g);
Stmt *wide_statement(Gen *g, unsigned feature); /* a list, or NULL */
/* of generate_wide.c and generate_convert.c */
extern const Type int_types[4], real_types[3];
Expr *element_index(Gen *g, int n, int k); /* of the k-th of n neighbours */
Expr *given(Gen *g, Type t, int n, int k); /* an integer, from memory or known */
Expr *common(Gen *g, Type t);              /* the same for all threads, unknown to the compiler */
Expr *to_int(Gen *g, Type t, Expr *e, bool is_signed);
Expr *unary_of(Gen *g, UnOp op, Expr *a);
int own_array(Gen *g, Type t); /* in which the thread may write its own elements; -1 = there is none */
Expr *load_own_slot(Gen *g, int array, int slot);
int passing_var(Gen *g, Type t); /* for a value with several uses; perhaps it has no others */
Stmt *keep_as(Gen *g, Type t, Expr *e); /* to memory if there is such an array, else to a variable; or NULL */
Stmt **append(Stmt **end, Stmt *s);
Stmt *convert(Gen *g);
Stmt *conditions(Gen *g);
Stmt *rare(Gen *g);
/* of generate_patterns.c */
Expr *number(Gen *g, Type t, int64_t v);
Expr *of_special(Gen *g, Special s);
Expr *of_var(Gen *g, int v);
Expr *selected(Gen *g, Expr *c, Expr *a, Expr *b);
Expr *compared(Gen *g, Expr *a, Expr *b);
int find_array(Gen *g, Space space, Type t); /* any type: T_COUNT; -1 = there is none */
int own_var(Gen *g, Type t); /* a variable, -1 = there is none */
Stmt *assign_to(Gen *g, int v, Expr *value);
Stmt *counted(Gen *g, int trips, bool uniform);
Type any_int(Gen *g);
Type any_float(Gen *g);
Type any_type(Gen *g);
#endif
