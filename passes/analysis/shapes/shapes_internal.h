/* shapes_internal.h: shared by the shapes*.c files, not for clients.
**
** A Fact is a Shape plus what soundness under wrap-around needs: the width of the value, its signed range and how far
** "affine" also holds for the sign- or zero-extended value. Everything that a Fact states about an affine value also
** holds for what lane 0 of the group would compute, even if lane 0 is not active: the code generator computes the base
** there. So flags (nsw, nuw), which only bind active lanes, are used only where they imply the same for lane 0. */
#ifndef CUCPU_SHAPES_INTERNAL_H
#define CUCPU_SHAPES_INTERNAL_H
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/divergence.h"
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/names.h"
#include <llvm-c/Target.h>

/* ext(v) is affine with the same coefficients: not known, over the lanes of a group, over the block */
typedef enum Exact { EXACT_NO, EXACT_GROUP, EXACT_BLOCK } Exact;

/* How the lanes of a varying value differ nevertheless (shapes_pattern.c). */
enum { LANES_MAX = 64 };
typedef struct Pattern {
    const struct Pattern *next;
    int bits, run, k;
    bool loose;    /* right in active lanes only: an inactive first lane may have wrapped */
    int64_t low;   /* first lanes of runs are low modulo 2^k */
    int64_t off[]; /* lane i is this much more than the first lane of its run (modulo 2^bits) */
} Pattern;
typedef struct Lanes {
    int bits, run, k;
    int64_t low, off[LANES_MAX];
    bool loose, wraps; /* wraps: offsets were cut to the width: exactness is not that of the fact */
} Lanes;
typedef struct Patterns Patterns;

typedef struct Fact {
    Shape s;
    const Pattern *pat; /* only of varying values; NULL: nothing known.  sx and ux apply to it */
    int bits;           /* 2..64 for integers and pointers; 0: other types, only uniform or varying */
    int64_t lo, hi;     /* signed range of the value (active threads, and lane 0) */
    Exact sx, ux;       /* exact under sext, zext */
    /* not 0: the number of a pure expression of ids, arguments and constants: the same for a thread at all times */
    uint32_t symbol;
    Exact
        /* exact under sext over the active lanes (threads of the block), unless poison; an inactive lane 0 may have
        ** wrapped */
        active;
} Fact;

/* The layout as the lattice uses it. */
typedef struct Group {
    int width;
    bool rows;    /* lanes differ in tid.x only, lane 0's tid.x is a multiple of width */
    bool full;    /* no masked tail */
    bool in_warp; /* a group never spans two warps */
    int warp_size;
    unsigned block[3];
    /* layout general: lane i's id less lane 0's, where that is the same for all groups; whether it is
     ** zero; what divides lane 0's id */
    bool id_known[3], id_same[3];
    uint32_t id_align[3];
    int64_t id[3][LANES_MAX];
    Patterns *patterns; /* NULL: none are made */
} Group;

/* ---- shapes_lattice.c ---- */
enum { ALIGN_MAX = 1 << 30 };
Fact fact_bottom(void);
Fact fact_varying(int bits);
Fact fact_uniform(int bits, Scope scope);
Fact fact_const(int bits, int64_t v);
int64_t sign_extend(int64_t v, int bits);
int64_t min_of(int bits);
int64_t max_of(int bits);
uint32_t low_bit(int64_t v);
uint32_t align_mul(uint32_t a, uint32_t b);
Coef coef_known(int64_t v);
uint32_t coef_align(Coef c);
void fact_normalise(const Group *g, Fact *f);
bool fact_varies(const Fact *f); /* nothing known */
bool fact_zero_coefs(const Fact *f);
bool fact_group_uniform(const Group *g, const Fact *f);
bool fact_lane_stride(const Group *g, const Fact *f, int64_t *stride);
bool fact_scalar(const Group *g, const Fact *f); /* determined by lane 0 and a stride */
Scope fact_scope(const Group *g, const Fact *f);
uint32_t fact_align_all(const Fact *f);                   /* divides the value of every thread */
uint32_t fact_align_lane0(const Group *g, const Fact *f); /* divides the value of lane 0 */
Fact fact_to_group(const Group *g, Fact f);               /* a group-uniform fact with all coefficients zero */
Fact fact_lanes(const Group *g, int bits, int64_t stride, uint32_t align0);
bool fact_fixed(const Fact *f); /* fully known function of the thread id */
bool fact_equal(const Fact *a, const Fact *b);
Fact fact_join(const Group *g, Fact a, Fact b, Scope choice);
Fact fact_degrade(const Group *g, Fact f, Scope scope);
Exact fact_active(const Group *g, const Fact *f); /* how far sext is exact over the active lanes */
void fact_align_exact(const Group *g, Fact *f);

/* ---- shapes_pattern.c ---- */
Patterns *patterns_new(Arena *a);
void group_set_ids(Group *g);
bool read_lanes(const Group *g, const Fact *f, Lanes *l);
Fact lanes_fact(const Group *g, const Lanes *l);
int pattern_run(const Group *g, const Fact *f);
int pattern_sign(const Group *g, const Fact *f);
bool pattern_constant(const Group *g, const Fact *f);
bool pattern_stride(const Group *g, const Fact *f, int64_t *stride);
void pattern_window_exact(const Group *g, Fact *f);
uint32_t pattern_align(const Pattern *p);
Fact pattern_sum(const Group *g, const Fact *a, const Fact *b, int sign, bool *wraps);
Fact pattern_scale(const Group *g, const Fact *a, const Fact *u, bool *wraps);
Fact pattern_bits(const Group *g, LLVMOpcode op, const Fact *a, const Fact *b);
Fact pattern_divide(const Group *g, const Fact *a, int64_t c, bool rem);
Fact pattern_resize(const Group *g, const Fact *a, int bits, bool *wraps);
Fact pattern_extend_active(const Group *g, const Fact *a, int bits);
Fact pattern_join(const Group *g, const Fact *a, const Fact *b, bool *wraps);
Fact pattern_halve(const Group *g, const Fact *a);

/* ---- shapes_arith.c: integers ---- */
typedef struct Flags {
    bool nsw, nuw, nneg, disjoint;
} Flags;
Fact arith_add(const Group *g, Fact a, Fact b, Flags fl);
Fact arith_sub(const Group *g, Fact a, Fact b, Flags fl);
Fact arith_mul(const Group *g, Fact a, Fact b, Flags fl);
Fact arith_shl(const Group *g, Fact a, Fact b, Flags fl);
Fact arith_bits(const Group *g, LLVMOpcode op, Fact a, Fact b, Flags fl);
Fact arith_divide(const Group *g, LLVMOpcode op, Fact a, Fact b);
Fact arith_trunc(const Group *g, Fact a, int bits);
Fact arith_sext(const Group *g, Fact a, int bits);
/* As arith_sext, for an instruction whose lane-0 form the code generator takes from a lane that is
** active (shapes_rebased). */
Fact arith_sext_active(const Group *g, Fact a, int bits);
Fact arith_zext(const Group *g, Fact a, int bits, bool nneg);
Fact arith_icmp_decides(const Group *g, LLVMIntPredicate p, Fact a, Fact b,
                        Scope runs); /* for a branch of which `runs` is the scope that runs it together */
Fact arith_icmp(const Group *g, LLVMIntPredicate p, Fact a, Fact b);
/* Any side-effect-free operation: uniform if all operands are. */
Fact arith_opaque(const Group *g, int bits, const Fact *ops, int n);

/* ---- the analysis ---- */
struct Shapes {
    Arena *a;
    const Cfg *cfg;
    Group g;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    Divergence *div;
    MemorySpaces *memory;
    bool kernel, sums; /* sums: ATTR_SUMS */
    uint64_t step;     /* ATTR_STEP */
    bool deep;         /* x and z are swapped: up to 1024 threads along z */
    bool swapped_grid; /* more than 65,535 blocks along y or z */
    PtrMap index;      /* argument or instruction -> number + 1 */
    int n;
    LLVMValueRef *value;
    Fact *fact;
    int *block; /* of an instruction, -1 for arguments */
    uint8_t *changes;
    int *queue, head, count;
    uint8_t *queued;
    /* by block */
    Scope *branch, *sync, *temporal, *activity;
    int *first, *end; /* value numbers of the block's instructions */
    Scope *loop_exit; /* by loop */
    int degree;       /* of affine forms: 0, 1, 2 = all */
    bool *lose_value; /* by value, by block: see shapes_ablate.c; NULL = none */
    bool *lose_branch;
    PtrMap names;           /* callee -> Name + 1 */
    struct Symbol *symbols; /* hash table, see shapes_symbol.c */
    uint32_t nsymbols, capsymbols;
    PtrMap allocas; /* alloca -> AllocaInfo */
    struct AllocaInfo **alloca_list;
    int nallocas;
};

Fact shapes_operand(Shapes *s, LLVMValueRef v);
Fact shapes_transfer(Shapes *s, LLVMValueRef inst);                 /* shapes_transfer.c */
Fact shapes_call(Shapes *s, LLVMValueRef inst);                     /* shapes_calls.c */
Fact shapes_load(Shapes *s, LLVMValueRef inst);                     /* shapes_memory.c */
LLVMValueRef shapes_block_multiple(LLVMValueRef v, uint64_t *step); /* 32 bits: blockIdx.x * step, else NULL */
int shapes_bits(const Shapes *s, LLVMTypeRef type);
void shapes_touch(Shapes *s, LLVMValueRef v); /* transfer v again */
void shapes_touch_users(Shapes *s, LLVMValueRef v);
void shapes_find_allocas(Shapes *s);  /* shapes_memory.c */
bool shapes_check_allocas(Shapes *s); /* true if one became varying */
bool shapes_alloca_is_uniform(const Shapes *s, LLVMValueRef alloca);
Name shapes_name(Shapes *s, LLVMValueRef call);
uint32_t shapes_symbol(Shapes *s, LLVMValueRef v); /* shapes_symbol.c */
void shapes_compute_activity(Shapes *s);
void shapes_ablate(Shapes *s);                      /* shapes_ablate.c */
void shapes_limit_degree(const Shapes *s, Fact *f); /* shapes_ablate.c */
/* The operand of the cucpu.mask that block b begins with; NULL = none, or all existing lanes. */
LLVMValueRef shapes_block_mask(Shapes *s, int b);
static inline Exact min_exact(Exact a, Exact b) { return a < b ? a : b; }
#endif
