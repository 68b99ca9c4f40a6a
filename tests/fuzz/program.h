/* program.h: a random kernel as a syntax tree, and the straight-line code that it is lowered to.
**
** The tree is what the generator makes and the reducer shrinks; the code is what both the printer
** of NVVM IR and the reference interpreter read, so that the two cannot disagree on what a
** construct means.  A tree is legal CUDA by construction: barriers, and assignments to uniform
** variables, stand only where all live threads of a block go; every memory access is in bounds
** where it is executed (not where it merely could be speculated). */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H
#include "passes/support/arena.h"
#include <stdbool.h>
#include <stdio.h>

enum {
    MAX_THREADS = 256,
    IN_ELEMS = 2048,
    LOCAL_ELEMS = 8,
    TABLE_ELEMS = 16,
    ATOMIC_ELEMS = 32,
    GRID_ELEMS = 1000,
    MAX_ARRAYS = 72,
    MAX_VARS = 96,
    MAX_FUNCTIONS = 4,
    MAX_BLOCKS = 8
};

typedef enum Type { T_BOOL, T_I8, T_I16, T_I32, T_I64, T_F32, T_F64, T_F16, T_COUNT } Type;
unsigned type_bits(Type t);
unsigned type_bytes(Type t);
const char *type_name(Type t);
static inline bool type_is_float(Type t) { return t >= T_F32; }

typedef enum Space {
    SPACE_IN,     /* global, read only, IN_ELEMS elements */
    SPACE_GLOBAL, /* global, a segment for each block */
    SPACE_SHARED,
    SPACE_LOCAL, /* LOCAL_ELEMS elements for each thread */
    SPACE_ATOMIC, /* global, updated by atomics of all blocks, never read */
    SPACE_TABLE, /* constants of the module, TABLE_ELEMS elements */
    SPACE_GRID    /* global, GRID_ELEMS elements, each with one thread of the grid as its owner */
} Space;

/* How a thread's own slots lie in an array. */
typedef enum Map { MAP_PACKED, MAP_STRIDED, MAP_REVERSED, MAP_SCATTERED, MAP_COUNT } Map;

/* What the threads of a block may do with a block array until the next barrier. */
typedef enum Mode { MODE_OWN, MODE_READ, MODE_ATOMIC, MODE_COUNT } Mode;

typedef struct Array {
    Space space;
    Type type;
    int slots; /* of each thread: 1, 2 or 4 */
    Map map;
    int n;     /* elements (per block) */
    int op;    /* AtomicOp of MODE_ATOMIC */
    int owner; /* a field of a structure: the array of its first field, which has the memory; else -1 */
    int field;
    unsigned stride, offset; /* bytes between elements; of the field in the structure */
    bool dynamic;            /* shared memory of the launch, `at` bytes behind its begin */
    unsigned at;
    bool whole; /* global, one segment for the grid, in which a thread's own elements go by its place in the grid */
    int alias;  /* the array that has the same memory through another parameter; else -1 */
} Array;

typedef enum AtomicOp {
    AT_ADD, AT_AND, AT_OR, AT_XOR, AT_MAX, AT_MIN, AT_UMAX, AT_UMIN, AT_COUNT, AT_XCHG = AT_COUNT,
    AT_INC, AT_DEC, AT_CAS, AT_FADD,
    /* by compare-and-swap only; each commutes with itself */
    AT_MUL, AT_BYTES, AT_SATURATE, AT_TWICE, AT_FROM, AT_END
} AtomicOp;

/* What a loop around a compare-and-swap looks like: a set. */
enum {
    RETRY_GUESS = 1,  /* starts with 0 in place of a load */
    RETRY_SWAP = 2,   /* operands the other way round, where they commute; else adds the negative: a - v */
    RETRY_LEAVE = 4,  /* leaves where both are equal, in place of going on where they are not */
    RETRY_CHOOSE = 8, /* minimum and maximum by comparison */
    RETRY_EARLY = 16, /* minimum and maximum: not tried if nothing would change */
    RETRY_NEW = 32,   /* the result is the new value */
    RETRY_FORMS = 64
};

typedef enum BinOp {
    B_ADD, B_SUB, B_MUL, B_AND, B_OR, B_XOR, B_SHL, B_LSHR, B_ASHR, B_SMIN, B_SMAX, B_UMIN, B_UMAX,
    B_ROTL, B_MULHI, B_UMULHI, B_INT_COUNT,
    B_UDIV = B_INT_COUNT, B_SDIV, B_UREM, B_SREM, B_DIV_END,
    B_FADD = B_DIV_END, B_FSUB, B_FMUL, B_FDIV, B_FMIN, B_FMAX, B_COPYSIGN, B_END
} BinOp;
typedef enum UnOp {
    U_POPC, U_CLZ, U_CTZ, U_REVERSE, U_ABS, U_BSWAP, U_FNEG, U_FABS, U_SQRT, U_FLOOR, U_CEIL, U_TRUNC, U_RINT, U_END
} UnOp;
typedef enum CmpOp { C_EQ, C_NE, C_SLT, C_SLE, C_SGT, C_SGE, C_ULT, C_ULE, C_UGT, C_UGE, C_COUNT } CmpOp;
typedef enum CastOp { CAST_TRUNC, CAST_ZEXT, CAST_SEXT, CAST_SITOFP, CAST_UITOFP, CAST_FPTOSI, CAST_FPTRUNC, CAST_FPEXT, CAST_BITS,
    CAST_GPU_SI, CAST_GPU_UI, /* of any value: what a GPU makes of it */
    CAST_SAT_SI, CAST_SAT_UI } CastOp;
typedef enum Special {
    S_TID_X, S_TID_Y, S_TID_Z, S_NTID_X, S_NTID_Y, S_NTID_Z, S_CTAID_X, S_CTAID_Y, S_CTAID_Z,
    S_NCTAID_X, S_NCTAID_Y, S_NCTAID_Z, S_PARAM0, S_PARAM1, S_PARAM2, S_PARAM3, S_LTID, S_BLOCK, S_LANE,
    S_PLACE /* of the thread in the grid */
} Special;
static inline bool special_is_uniform(Special s) { return s > S_TID_Z && s != S_LTID && s != S_LANE && s != S_PLACE; }

typedef enum ExprKind {
    E_CONST, E_VAR, E_SPECIAL, E_BIN, E_UN, E_CMP, E_CAST, E_SELECT, E_AND_THEN, E_OR_ELSE,
    E_LOAD_MASKED,  /* array[a & (n-1)] */
    E_LOAD_GUARDED, /* (unsigned)a < n ? array[a] : 0, as control flow */
    E_LOAD_OWN,     /* own slot `op` */
    E_LOAD_FAR,     /* IN array: array[(int64_t)a + bits], where that is in bounds, else 0; op: a has a sign */
    E_LOAD_AFFINE,  /* IN array: array[a], a in bounds by construction */
    E_LOAD_EITHER,  /* cond a ? local array[b] : local array op[b], by a selected pointer */
    E_LOAD_VECTOR,  /* own slots as a short vector, of which one component: op, or a[0] & (slots-1) */
    E_ATOMIC_OWN,   /* result of an atomic on an own slot */
    E_RETRY_OWN,    /* the same by a loop around a compare-and-swap; op: slot, form, AtomicOp */
    E_FMA,
    E_FUNNEL,       /* a[0] and a[1] side by side, shifted by a[2]: to the left, op: to the right */
    E_WIDE,         /* (a[0] * a[1] + a[2]) >> bits in 128 bits, of 64-bit numbers; op: a set of WIDE_... */
    E_SHUFFLE, E_BALLOT, E_VOTE, E_MATCH, E_REDUX, /* index: variable with the mask of lanes, -1 = all */
    E_CALL          /* function index, or function op where a[2] is false; arguments a[0], a[1] */
} ExprKind;

enum { WIDE_SIGNED_A = 1, WIDE_SIGNED_B = 2, WIDE_LOGICAL = 4 };

typedef struct Expr {
    ExprKind kind;
    Type type;
    int op, index; /* index: variable, array or special */
    uint64_t bits; /* of a constant */
    struct Expr *a[3];
} Expr;

typedef enum StmtKind {
    STMT_ASSIGN,       /* var = e0 */
    STMT_STORE_OWN,    /* array, own slot op = e0 */
    STMT_STORE_VECTOR, /* array, own slots = e0, e1, e0, e1 op e1 each, as a short vector */
    STMT_STORE_PARTS,  /* array, own slots = e0, e1, e2, e3, as a short vector */
    STMT_STORE_LOCAL,  /* array[e1 & mask] = e0 */
    STMT_ATOMIC,       /* array[e1 & mask] op= e0 */
    STMT_RETRY,        /* the same by a loop around a compare-and-swap of form op */
    STMT_COPY,         /* structure array, own slot op & 15 = structure var, own slot op >> 4 */
    STMT_IF,           /* e0: body 0, body 1 */
    STMT_SWITCH,       /* e0 & 3: bodies 0..2, default 3; bit i of op: case i falls into case i+1 */
    STMT_FOR,          /* e0 & op trips, counter var */
    STMT_WHILE,        /* while (e0 && fuel op) */
    STMT_DO,           /* do body while (e0 && fuel op) */
    STMT_BLOCK,        /* body that STMT_LEAVE can leave */
    STMT_CROSS,        /* if (e0) { body 0; if (e1) goto L; } else { body 1; L: body 2 } */
    STMT_TANGLE,       /* if (e0) goto M; do { body 0; M: body 1 } while (e1 && fuel op): two entries */
    STMT_WARP_IF,      /* var = ballot(array, e0): if (e0) body 0; array: variable of the mask around it */
    STMT_WARP_WHILE,   /* while (var = ballot(var, e0), e0 && fuel op) body 0 */
    STMT_GRID,         /* grid-stride loop with counter var: body 0; array[var] += e0 */
    STMT_LEAVE,        /* if (e0) leave target (break, or goto its end) */
    STMT_CONTINUE,     /* if (e0) continue target */
    STMT_RETURN,       /* if (e0) return */
    STMT_BARRIER,      /* op: 0 plain, else var = count/and/or of e0 */
    STMT_SYNCWARP
} StmtKind;

typedef struct Stmt {
    StmtKind kind;
    int op, var, array;
    bool uniform; /* all live threads of the block come here */
    Expr *e[4];
    struct Stmt *body[4], *target, *next;
    int label_end, label_next; /* while it is being lowered; label_end 0 = not inside */
} Stmt;

typedef struct Var {
    Type type;
    bool uniform, counter;
    int scope; /* 0 = the kernel, k + 1 = function k */
    Expr *init;
    bool passing; /* not among the results */
} Var;

/* A device function.  The second argument bounds how often it calls itself. */
typedef struct Function {
    Type type, arg_type[2];
    int arg[2]; /* variables */
    bool keep;  /* noinline */
    Stmt *body;
    Expr *value;
} Function;

/* Constructs that only some programs have: name, percent.  CALM: no branch is divergent. */
#define FEATURES(X) X(VECTOR, 40) X(STRUCT, 30) X(DYNAMIC, 25) X(GRID, 25) X(FLOAT_ATOMIC, 25) X(TANGLE, 8) X(CALL, 25) X(CALM, 12) \
    X(FIELDS, 22) X(RETRY, 28) X(RESTRICT, 40) X(PRODUCTS, 16) X(PICKS, 12) X(BYTES, 12) X(FAR, 10) \
    X(WIDE, 22) X(CONVERT, 12) X(CONDITIONS, 12) X(RARE, 6) X(COLUMNS, 14)
enum {
#define X(name, percent) BIT_##name,
    FEATURES(X)
#undef X
#define X(name, percent) FEATURE_##name = 1 << BIT_##name,
    FEATURES(X)
#undef X
};

typedef struct Program {
    Arena *arena;
    Array arrays[MAX_ARRAYS];
    int narrays;
    Var vars[MAX_VARS];
    int nvars;
    Function functions[MAX_FUNCTIONS];
    int nfunctions;
    Stmt *body;
    unsigned dynamic_bytes; /* of shared memory */
    unsigned features;      /* set of Feature: what this program may use */
    bool line; /* launches have one dimension */
    int lead;  /* the dimension along which places in arrays follow each other: 0, or 1 or 2 as in matrices by columns */
    bool warp; /* uses warp-level functions: needs groups of whole warps */
} Program;

/* ---- code: one list of operations over temporaries and variables ---- */

typedef enum OpCode {
    O_CONST, O_GET, O_SET, O_SPECIAL, O_BIN, O_UN, O_CMP, O_CAST, O_SELECT,
    O_FMA, O_FUNNEL, O_WIDE, O_LOAD, O_LOAD_EITHER, O_LOAD_VECTOR, O_STORE, O_STORE_VECTOR, O_COPY, O_ADDRESS, O_ATOMIC, O_LABEL, O_BR, O_CBR, O_SWITCH, O_BARRIER, O_RETURN,
    O_ARG, O_CALL,
    O_SHUFFLE, O_BALLOT, O_VOTE, O_MATCH, O_REDUX, O_SYNCWARP
} OpCode;

typedef struct Op {
    OpCode code;
    Type type, from;  /* of the result (or of what is stored); of a cast's operand; LOAD: T_I64 = the index has 64 bits */
    int op;           /* BinOp ... */
    int dst, a, b, c; /* temporaries; GET and SET: variable in b */
    int array, label[5];
    int at;           /* LOAD, ATOMIC: temporary of an O_ADDRESS, -1 = the address is computed here */
    uint64_t bits;
    bool flag;        /* BIN: nsw nuw; ATOMIC: the result is used; LOAD: atomics of others meet it */
    int count;        /* of a short vector's components */
    int parts[4];     /* STORE_VECTOR: the components */
} Op;

typedef struct Code {
    Vec(Op) ops;
    int ntemps, nlabels, nvars;
    Type *var_types; /* program's variables, then those of the lowering */
    struct Code *functions;
} Code;

/* The array whose parameter or variable this one belongs to, whose memory it lies in, and where. */
static inline int array_home(const Program *p, int i) { return p->arrays[i].owner >= 0 ? p->arrays[i].owner : i; }
static inline int array_memory(const Program *p, int i) { return array_home(p, p->arrays[i].alias >= 0 ? p->arrays[i].alias : i); }
static inline size_t array_at(const Array *x, uint64_t i) { return i * x->stride + x->offset; }

Program *generate(Arena *a, uint64_t seed, bool warp);
Code *lower(Arena *a, const Program *p);
char *print_ir(Arena *a, const Program *p, const Code *c);
int count_statements(const Stmt *s);
uint64_t table_bits(Type t, int i); /* element i of a table */
#endif
