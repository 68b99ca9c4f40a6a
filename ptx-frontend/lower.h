/* lower.h: shared by the files that turn the tree into LLVM IR.
**
** A register is an alloca of iN (predicates: i1), whatever its type: instructions cast.  mem2reg makes values of them
** at the end (recover.c).  f16x2, bf16x2 and bf16 travel as i32 and i16. An integer that is an address in shared
** memory counts from the block's shared memory, so 32 bits hold it; all other addresses are those of the host, and
** the generic one of a global, constant or local is the same. */
#ifndef CUCPU_PTX_LOWER_H
#define CUCPU_PTX_LOWER_H
#include "ptx-frontend/ptx.h"
#include <llvm-c/DebugInfo.h>

/* Before recover.c: the integer that a shared variable's address is. */
#define PTX_SHARED_OFFSET "cucpu.ptx.shared.offset"
/* Before recover_grid.c: %envreg1 and %envreg2 */
#define PTX_ENVREG "cucpu.ptx.envreg"

enum { KERNEL_CC = 71 };
enum {
    SPACE_GENERIC = 0,
    SPACE_GLOBAL_AS = 1,
    SPACE_SHARED_AS = 3,
    SPACE_CONST_AS = 4,
    SPACE_LOCAL_AS = 5,
    SPACE_PARAM_AS = 101
};

typedef struct Sym {
    enum { SYM_REG, SYM_FAMILY, SYM_LABEL, SYM_MEMORY, SYM_FUNC, SYM_TARGETS, SYM_PROTO } kind;
    PtxLoc loc;
    PtxType type;          /* REG, FAMILY, MEMORY: of an element */
    int lanes, count;      /* REG: of .v4; FAMILY: how many */
    LLVMValueRef value;    /* REG: alloca; MEMORY: pointer; FUNC */
    LLVMValueRef constant; /* REG of a fragment: its value is this constant */
    unsigned space;        /* MEMORY: an address space */
    uint64_t bytes;        /* MEMORY in .param */
    LLVMBasicBlockRef block;
    const Func *func; /* FUNC, PROTO */
    LLVMTypeRef fn_type;
    const Stmt *targets;
    bool is_extern; /* MEMORY: declared, not defined yet */
    bool is_weak;
    int part;
    bool input_only; /* MEMORY: a parameter, not to be written */
} Sym;

typedef struct Scope {
    PtrMap syms;
    struct Scope *up;
} Scope;

/* A result of the instruction, and the register that takes it. */
typedef struct Result {
    LLVMValueRef value, address;
} Result;

struct Row;
typedef struct Lower {
    Ptx *p;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, nothing;
    Scope *scope;
    int warp_size;
    uint64_t constants; /* bytes of .const */
    Scope **parts;      /* of each text that was put together: its names without linkage */
    /* of the function */
    const Func *func;
    LLVMValueRef fn, last_alloca, cc, ret;
    LLVMTypeRef ret_type;
    bool dead; /* after a branch: what follows is not reached before a label */
    /* of the instruction */
    PtxLoc at;
    const Inst *inst;
    const PtxType *t[5];
    int nt;
    const struct Row *row;
    Vec(Result) results; /* not stored before all operands are read */
    /* of inline assembly */
    Sym *args;
    int nargs;
    bool sideeffect;
    /* lines */
    LLVMDIBuilderRef di;
    LLVMMetadataRef di_file, di_unit, di_scope, di_type;
    const Tree *tree;
} Lower;

typedef LLVMValueRef Build(Lower *l, LLVMValueRef *v, const char *how);

/* One row of ops.def. */
typedef struct Row {
    const char *op, *mods, *types, *operands;
    Build *build;
    const char *how;
} Row;

/* ---- match.c ---- */
extern const Row ptx_rows[];
extern const int ptx_row_count;
void index_rows(Ptx *p);
void match_row(Lower *l); /* l->inst -> l->row, l->t; does not return after an error */
bool has_mod(const Lower *l, const char *name);
/* The first of the space-separated names that the opcode has; NULL: none. */
const char *which_mod(const Lower *l, const char *names);

/* ---- check_marks.c ---- */
void check_marks(Lower *l);
void check_unmarked(Lower *l, const Operand *o);

/* ---- lower_operand.c ---- */
_Noreturn void fail(Lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
Sym *find_sym(Lower *l, const char *name, PtxLoc at); /* an error if there is none */
Sym *try_sym(Lower *l, const char *name);
const char *family_name(Lower *l, const char *prefix, size_t n);
Sym *add_sym(Lower *l, const char *name, Sym s);
LLVMValueRef add_alloca(Lower *l, LLVMTypeRef t, unsigned align, const char *name);
LLVMTypeRef llvm_type(const Lower *l, const PtxType *t);
LLVMTypeRef int_type(const Lower *l, unsigned bits);
LLVMValueRef const_int(const Lower *l, unsigned bits, uint64_t v);
LLVMValueRef const32(const Lower *l, uint64_t v);
LLVMValueRef as_int(Lower *l, LLVMValueRef v);                    /* bits of a float or pointer */
LLVMValueRef as_type(Lower *l, LLVMValueRef v, const PtxType *t); /* bits as the type of t, same size */
LLVMValueRef resize(Lower *l, LLVMValueRef v, unsigned bits, bool is_signed);
LLVMValueRef read_operand(Lower *l, const Operand *o, const PtxType *t);
LLVMValueRef read_relaxed(Lower *l, const Operand *o, const PtxType *t); /* the register may be wider */
/* Takes effect at the end of the instruction: its operands may be registers that it writes. */
void write_operand(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v);
void store_results(Lower *l);
void write_relaxed(Lower *l, const Operand *o, const PtxType *t, LLVMValueRef v);
Sym *register_of(Lower *l, const Operand *o);
unsigned operand_bits(Lower *l, const Operand *o);         /* of a register; 0 for others */
LLVMValueRef symbol_address(Lower *l, const Sym *s);       /* as i64 */
LLVMValueRef special_register(Lower *l, const Operand *o); /* NULL: it is none */
extern const PtxType type_pred, type_u32, type_u64, type_b32, type_b64, type_s32, type_f32, type_f64, type_u16,
    type_b16;

/* ---- calls of functions that are declared by name ---- */
LLVMValueRef call_named(Lower *l, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n);
LLVMValueRef call_nvvm(Lower *l, const char *name, LLVMValueRef *args, unsigned n); /* "activemask"; not overloaded */
LLVMValueRef call_llvm(Lower *l, const char *name, LLVMTypeRef over, LLVMValueRef *args, unsigned n);

/* ---- lower_memory.c ---- */
LLVMValueRef offset_by(Lower *l, LLVMValueRef p, int64_t offset);
LLVMValueRef address_of(Lower *l, const Operand *o, unsigned space);
unsigned space_of_inst(const Lower *l);
unsigned vector_lanes(const Lower *l); /* of .v2 .v4 .v8; else 1 */
LLVMValueRef modify_element(Lower *l, LLVMValueRef p, LLVMValueRef x);
LLVMValueRef modify_memory(Lower *l, LLVMValueRef p, LLVMValueRef x);
LLVMValueRef shared_offset(Lower *l, const Operand *o); /* an address in shared memory as 32 bits */
LLVMValueRef in_shared(Lower *l, LLVMValueRef offset);

LLVMValueRef offset_in_shared(Lower *l, LLVMValueRef p);

/* ---- lower_bulk.c ---- */
LLVMValueRef mbarrier(Lower *l, int at);                            /* the address in this operand */
void complete_at(Lower *l, LLVMValueRef p, LLVMValueRef bytes);     /* what an mbarrier waits for has come */
LLVMValueRef in_block(Lower *l, LLVMValueRef p, LLVMValueRef rank); /* what corresponds to p in another block */
/* f for each block of the cluster that the mask has. */
void for_each_block(Lower *l, LLVMValueRef mask, void (*f)(Lower *, LLVMValueRef rank, const void *), const void *with);

/* ---- lower_float.c ---- */
LLVMValueRef ptx_flush(Lower *l, LLVMValueRef v);    /* .ftz, if the instruction has it */
LLVMValueRef ptx_saturate(Lower *l, LLVMValueRef v); /* .sat */

/* ---- lower_control.c ---- */
LLVMBasicBlockRef label_of(Lower *l, const Operand *o);

/* ---- lower.c ---- */
void lower_statements(Lower *l, const Stmts *body);
void lower_init(Lower *l, LLVMContextRef ctx, LLVMModuleRef mod, LLVMBuilderRef b);
Scope *open_scope(Lower *l);
LLVMBasicBlockRef new_block(Lower *l, const char *name);
void start_block(Lower *l, LLVMBasicBlockRef b);

/* ---- lower_module.c ---- */
void lower_variable(Lower *l, const Var *v, bool in_function);
void declare_functions(Lower *l, const Tree *t);
void enter_part(Lower *l, int part); /* whose names are found */
LLVMTypeRef function_type(Lower *l, const Func *f);
void mark_arrays(Lower *l, const Func *f, LLVMValueRef to); /* to: the function, or a call of it */
LLVMTypeRef memory_type(Lower *l, const Var *v);
uint64_t var_bytes(const Var *v);
unsigned var_align(const Var *v);
bool is_scalar(const Var *v);
PtxType value_type(const Var *v);

/* ---- recover.c, recover_float.c, recover_division.c, recover_grid.c ---- */
void recover_values(LLVMValueRef fn); /* registers become values */
void recover_pointers(LLVMModuleRef m, LLVMValueRef fn);
void recover_divisions(LLVMModuleRef m, LLVMValueRef fn);
void recover_floats(LLVMModuleRef m, LLVMValueRef fn);
bool recover_grid_barriers(Lower *l, LLVMValueRef fn); /* false: not the barrier that nvcc writes */

#endif
