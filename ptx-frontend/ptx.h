/* ptx.h: PTX text becomes LLVM IR in the NVVM form that import_nvvm takes.
**
**   text -> lex.c -> parse.c, parse_body.c, constant.c -> the tree below
**        -> match.c with ops.def (which row an instruction is) -> lower*.c -> recover.c -> LLVM module
**
** The tree lives in the arena of Ptx.  Names are interned: equal names are equal pointers.  Errors go to stderr, or
** to Ptx.report, as file:line:col: error: text; a statement with an error is skipped, so that one run shows several. */
#ifndef CUCPU_PTX_H
#define CUCPU_PTX_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PtxLoc {
    unsigned line, col;
} PtxLoc;

/* ---- types ---- */
typedef struct PtxType {
    char kind;     /* b u s f: bits, unsigned, signed, float; y: bf16; p: predicate; o: opaque; m: only in matrices;
                  0: none */
    uint8_t bits;  /* of all lanes together */
    uint8_t lanes; /* 2: f16x2 and its like; else 1 */
    const char *name;
} PtxType;
const PtxType *ptx_type(const char *name); /* "f32"; NULL: no type */

/* ---- text.c, lex.c ---- */
typedef enum Token {
    TOKEN_END,
    TOKEN_NAME, /* identifier, with its leading % or $ */
    TOKEN_DOT,  /* ".name" and ".name::name", without the first dot */
    TOKEN_INT,
    TOKEN_FLOAT, /* 0f..., 0d..., 1.5 */
    TOKEN_STRING,
    TOKEN_ARG,  /* $0 of inline assembly */
    TOKEN_PUNCT /* one character, or two: << >> <= >= == != && || */
} Token;

typedef struct Lexer {
    const char *at, *end, *line_start;
    unsigned line;
    Token kind;
    PtxLoc loc;
    const char *name; /* NAME, DOT: interned */
    uint64_t value;   /* INT; ARG: its index; FLOAT: the bits of a double */
    bool is_unsigned; /* INT with a U */
    char float_kind;  /* FLOAT: f, d, or 0 for a decimal */
    char punct[3];
} Lexer;

typedef struct PtxReport {
    char *text;
    size_t size, n;
} PtxReport;

typedef struct Ptx {
    Arena arena;
    const char *file;
    Lexer lex;
    bool fragment; /* inline assembly: $0 are operands */
    bool in_body;  /* of a function: where an error was */
    int errors, unsupported;
    bool lacks;      /* the first error was that something is not supported: others may follow from it */
    char *report;    /* first error of a fragment, or NULL: print */
    jmp_buf *resume; /* where ptx_error goes on */
    struct NameTable *names;
    PtrMap rows; /* opcode name -> its first row + 1 */
} Ptx;

enum { PTX_MAX_ERRORS = 20 };

void ptx_open(Ptx *p, const char *file, const char *text, size_t length);
void ptx_close(Ptx *p);
const char *ptx_intern(Ptx *p, const char *s, size_t n);
_Noreturn void ptx_error(Ptx *p, PtxLoc at, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void ptx_unsupported(Ptx *p, PtxLoc at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ptx_next(Ptx *p); /* the next token into p->lex */
const char *ptx_token_text(Ptx *p);

/* ---- the tree ---- */
typedef enum OperandKind {
    OPERAND_NAME, /* name, member, value: name.member+value or name[value] */
    OPERAND_INT,
    OPERAND_FLOAT,
    OPERAND_ADDRESS, /* [v[0] + value], or [value] */
    OPERAND_VECTOR,  /* {v...} */
    OPERAND_LIST,    /* (v...) of a call */
    OPERAND_TUPLE,   /* [a, b] of textures */
    OPERAND_SINK,    /* _ */
    OPERAND_ARG      /* $0 */
} OperandKind;

typedef struct Operand {
    OperandKind kind;
    PtxLoc loc;
    const char *name, *member;
    int64_t value;
    double real;
    char float_kind;
    bool negated, minus, indexed, is_unsigned; /* negated: !p; minus: -a of vmad */
    struct Operand *v;
    int n;
    struct Operand *pair; /* of d|p */
} Operand;

typedef struct Inst {
    const char *op, *guard, *label; /* label: of the statement, for .branchtargets */
    bool guard_not;
    int guard_arg; /* guard is $n: n + 1 */
    const char **mods;
    int nmods;
    Operand *ops;
    int nops;
} Inst;

typedef struct Init {
    enum { INIT_INT, INIT_FLOAT, INIT_SYMBOL, INIT_LIST } kind;
    PtxLoc loc;
    const char *name;
    int64_t value; /* INT; SYMBOL: what is added */
    double real;
    char float_kind;
    uint64_t mask; /* SYMBOL: 0xFF00(symbol); 0: all */
    bool generic;
    struct Init *v;
    int n;
} Init;

typedef struct Var {
    PtxLoc loc;
    const char *name, *space; /* reg, param, global, shared, const, local */
    PtxType type;
    int lanes;      /* of .v2 .v4: 2, 4; else 1 */
    int count;      /* of %r<100>: 100; else -1 */
    unsigned align; /* 0: natural */
    int64_t dims[4];
    int ndims; /* 0: a scalar; dims[0] = 0: [] */
    Init *init;
    bool is_extern, is_visible, is_weak, is_pointer, managed;
    int part;
} Var;

typedef Vec(struct Stmt) Stmts;
typedef Vec(Var) Vars;

typedef struct Func {
    PtxLoc loc;
    const char *name;
    bool kernel, is_extern, is_visible, is_weak, has_body, noreturn;
    int part;
    unsigned maxntid[3], reqntid[3];
    unsigned cluster[3], max_cluster; /* blocks; 0 = none given */
    bool explicit_cluster;
    Vars rets, params;
    Stmts body;
    PtxLoc end;
} Func;

typedef struct Stmt {
    enum { STMT_INST, STMT_LABEL, STMT_BLOCK, STMT_VAR, STMT_TARGETS, STMT_CALLEES, STMT_PROTO, STMT_LOC } kind;
    PtxLoc loc;
    const char *name; /* LABEL, TARGETS, CALLEES, PROTO */
    Inst inst;
    Stmts block;
    Var var;
    Operand *labels; /* TARGETS; CALLEES: functions */
    int nlabels;
    Func *proto;
    unsigned file, line, col; /* LOC */
} Stmt;

typedef struct Alias {
    PtxLoc loc;
    const char *name, *of;
    int part;
} Alias;

typedef struct Tree {
    Vec(Func) funcs;
    Vec(Alias) aliases;
    Vars vars;
    Vec(const char *) files;                            /* of .file, by number */
    int version_major, version_minor, address_size, sm; /* sm: of .target sm_80 */
    int parts; /* how many .another there are: texts that cuLink* has put together */
} Tree;

/* ---- parse.c, parse_body.c, constant.c ---- */
bool ptx_parse(Ptx *p, Tree *t); /* false after errors */
bool ptx_parse_fragment(Ptx *p, Stmts *body);
void parse_body(Ptx *p, Stmts *body); /* up to the } of a block, or the end of a fragment */
Operand parse_operand(Ptx *p);
Var parse_declaration(Ptx *p, const char *space, Vars *out);
void parse_parameters(Ptx *p, Vars *out);
int64_t parse_constant(Ptx *p);
int64_t parse_count(Ptx *p);
bool at_punct(const Ptx *p, const char *punct);
bool take_punct(Ptx *p, const char *punct);
void expect_punct(Ptx *p, const char *punct);
bool at_dot(const Ptx *p, const char *name);
bool take_dot(Ptx *p, const char *name);
const char *expect_name(Ptx *p, const char *what);
void skip_to_semicolon(Ptx *p);
void skip_pragma(Ptx *p);
bool minus_of(Ptx *p, Token kind);

/* ---- lower.c ---- */
typedef struct PtxOptions {
    const char *file; /* for messages and line numbers */
    int warp_size;
} PtxOptions;

enum { PTX_OK, PTX_ERROR, PTX_UNSUPPORTED };
/* Makes a module of PTX text.  Errors go to stderr.  *out is NULL unless PTX_OK. */
int ptx_to_module(const PtxOptions *o, const char *text, size_t length, LLVMContextRef ctx, LLVMModuleRef *out);
/* Does the text look like PTX?  After blanks and comments comes .version. */
bool ptx_is_ptx(const char *text, size_t length);
#endif
