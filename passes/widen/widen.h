/* widen.h: shared by the parts of the pass widen. widen.c drives and does plain operations, widen_memory.c loads,
** stores and local arrays, widen_fields.c those of consecutive structures, widen_packed.c what is computed for all
** fields alike, widen_runs.c structures at any address, widen_copy.c copies of structures, widen_lanes.c addresses of
** lanes, widen_atomics.c atomics, widen_ranks.c stores at ranks, widen_calls.c calls and everything that is done lane
** by lane, widen_masks.c cucpu.any and cucpu.all, widen_warp.c the exchanges within a warp, widen_check.c the tests of
** --check, widen_count.c counters (--profile=lanes). */
#ifndef CUCPU_WIDEN_H
#define CUCPU_WIDEN_H
#include "passes/analysis/accesses.h"
#include "passes/passes.h"
#include "passes/ir/variant.h"

/* How the memory operations and calls of a kernel were widened, for -Rcucpu and --report=vector. */
typedef enum Did {
    DID_UNIFORM,    /* one scalar access for the group */
    DID_CONTIGUOUS, /* one vector access */
    DID_STRIDED,    /* vector accesses and shuffles */
    DID_GATHER,     /* gather or scatter */
    DID_LOCAL,      /* lane-interleaved local array */
    DID_LANES,      /* lane by lane */
    DID_MASKED,     /* of all these: under a mask */
    DID_COUNT
} Did;

typedef struct Counted Counted; /* widen_count.c */

typedef struct Widen {
    Kernel *k;
    Variant variant;
    Arena *a;
    LLVMBuilderRef b;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    unsigned w;
    Cfg *c;
    Shapes *s;
    MemorySpaces *memory;             /* NULL until it is needed */
    PtrMap wide;                      /* scalar value -> its vector form */
    PtrMap origin;                    /* instruction that replaced another in scalar form -> that one */
    PtrMap marked;                    /* values that get a vector form */
    PtrMap valid;                     /* address -> index + 1 of a block in which all lanes use it */
    PtrMap arrays;                    /* alloca -> Array: local arrays in lane-interleaved form */
    PtrMap fields;                    /* load or store -> Fields: those of a structure together */
    PtrMap ranked;                    /* value that is a rank -> Ranks */
    PtrMap runs;                      /* load or store -> Run: neighbouring elements at an address of each lane */
    int block;                        /* index of the current block */
    LLVMValueRef mask;                /* lanes of the current block, <W x i1>; NULL = all */
    LLVMValueRef mask_of;             /* the value that it is the vector form of */
    LLVMValueRef mask_any, mask_bits; /* of the current block, once needed */
    LLVMValueRef scratch;             /* memory for accesses without active lanes */
    LLVMValueRef check_lanes;         /* memory for a CucpuLanes; NULL: none yet */
    LLVMValueRef in, out;             /* operands and results of calls of vector functions; NULL: none yet */
    Vec(LLVMValueRef) phis;           /* scalar phis whose vector forms wait for operands */
    Vec(LLVMValueRef) dead;           /* scalar originals */
    int did[DID_COUNT];
    PtrMap noted;           /* access -> Did + 1 */
    Vec(Counted *) counted; /* --profile=lanes: places that count */
    LLVMValueRef counted_kernel, counted_title, counted_file,
        counted_lanes; /* texts, memory for addresses; NULL: none yet */
    const char *counted_name;
    Nyi refused;
} Widen;

/* Accesses to consecutive structures (widen_fields.c). */
enum { MAX_PARTS = 4 }; /* vectors of a window of widen_pattern.c */
enum { MAX_FIELDS = 16 };
typedef struct Fields {
    LLVMValueRef
        member[MAX_FIELDS]; /* by index in the structure, from the lowest accessed one on; NULL = not accessed */
    LLVMValueRef here;      /* the member at which all are done */
    unsigned n, size, high; /* K, bytes of an element, the highest index that is accessed */
    bool stores;
    LLVMValueRef vector[MAX_FIELDS]; /* loaded vectors, in memory order */
} Fields;

/* K, if the access may be to one of K fields, else 0. */
unsigned fields_of(Widen *x, LLVMValueRef i);

/* ---- values ---- */
LLVMTypeRef wide_type(const Widen *x, LLVMTypeRef t);
/* The vector form of a value: built where the value is defined, once. */
LLVMValueRef vector_of(Widen *x, LLVMValueRef v);
/* The scalar form (lane 0's value) of a uniform or affine value, at the builder. */
LLVMValueRef scalar_of(Widen *x, LLVMValueRef v);
bool is_wide(const Widen *x, LLVMValueRef v);
bool is_uniform(const Widen *x, LLVMValueRef v);
/* v = core + *sum, modulo 2^bits: the single term of v that is not uniform, which is_core accepts; NULL: it has no such
** form. *sum: uniform addends, built; NULL: there are none. */
LLVMValueRef split_uniform(Widen *x, LLVMValueRef v, bool (*is_core)(const Widen *, LLVMValueRef), LLVMValueRef *sum);
bool lane_stride(const Widen *x, LLVMValueRef v, int64_t *stride); /* as shapes_lane_stride */
int lane_runs(const Widen *x, LLVMValueRef v, int64_t *offset);    /* as shapes_runs */
bool in_order(const Widen *x, LLVMValueRef v, bool is_signed);     /* as shapes_in_order */
/* All lanes, active or not, may use this address: an earlier access did. */
bool address_is_valid(const Widen *x, LLVMValueRef p);
LLVMValueRef splat(Widen *x, LLVMValueRef v);
LLVMValueRef iota(Widen *x, LLVMTypeRef element);
/* The constants that the lanes of any group have: lane ids, and what is computed from them and constants; NULL =
** none. */
LLVMValueRef warp_constants(Widen *x, LLVMValueRef v);
LLVMValueRef c32(const Widen *x, uint64_t v);
LLVMValueRef c64(const Widen *x, uint64_t v);
/* Records that `inst` is replaced by vector form v. */
void set_wide(Widen *x, LLVMValueRef inst, LLVMValueRef v);
void refuse_at(Widen *x, LLVMValueRef inst, Nyi reason);
LLVMValueRef call_intrinsic(Widen *x, const char *name, LLVMTypeRef *over, unsigned nover, LLVMValueRef *args,
                            unsigned n);

/* Counts it, and emits a -Rcucpu remark where it costs speed (why may be REMARK_NONE). */
void note(Widen *x, LLVMValueRef inst, Did what, Remark why);

/* ---- masks ---- */
LLVMValueRef all_lanes(const Widen *x);
LLVMValueRef mask_or_all(Widen *x);
LLVMValueRef
/* i1: the comparison holds for some lane; NULL = scalar code cannot compute it */
any_of_row(Widen *x, LLVMValueRef compare);
LLVMValueRef any_lane(Widen *x);                     /* i1: some lane of the current block is active */
LLVMValueRef lane_bits(Widen *x, LLVMValueRef mask); /* <W x i1> as iW */
LLVMValueRef first_lane(Widen *x);                   /* i32: lowest active lane of the current block */
LLVMValueRef last_lane(Widen *x);

/* ---- memory (widen_memory.c, widen_pattern.c); align in bytes, mask NULL = all lanes ---- */
uint64_t bytes_of(const Widen *x, LLVMTypeRef t);
LLVMValueRef byte_offset(Widen *x, LLVMValueRef p, int64_t bytes);
/* 256 bytes of memory that are never read. */
LLVMValueRef scratch(Widen *x);
bool is_local(LLVMValueRef p);
bool is_shared(Widen *x, LLVMValueRef p);        /* shared memory and nothing else */
bool may_be_row(const Widen *x, LLVMValueRef p); /* whether lanes are consecutive is tested at run time */
/* The addresses of all lanes at `inst`, one by one or as a vector; for inactive lanes scratch memory, from byte `part`
** on. */
typedef struct LaneAddresses {
    LLVMValueRef p, all; /* the address; its vector, or NULL = each is computed separately */
} LaneAddresses;
LaneAddresses lane_addresses(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned part);
LLVMValueRef address_in_lane(Widen *x, const LaneAddresses *a, unsigned lane);
LLVMValueRef safe_addresses(Widen *x, LLVMValueRef p, unsigned part);
/* `all`: the vector of v, an index or an address, which increases by differences of `at` in each run of r active lanes.
** The first lane of each run has in the result the value that it has in `all` if it is active, and would have if it is
** not; any value if none of the run is active. */
LLVMValueRef firsts_of_runs(Widen *x, LLVMValueRef v, LLVMValueRef all, const int64_t *at, unsigned r);
LLVMValueRef load_vector(Widen *x, LLVMTypeRef vt, LLVMValueRef p, unsigned align, LLVMValueRef mask);
/* Returns the instruction that stores. */
LLVMValueRef store_vector(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align, LLVMValueRef mask);
LLVMValueRef gather(Widen *x, LLVMTypeRef vt, LLVMValueRef p, unsigned align); /* under the block's mask */
LLVMValueRef scatter(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned align);
/* Access by a pattern of the lanes that is known at compile time; NULL or false = there is none. */
LLVMValueRef load_pattern(Widen *x, LLVMValueRef p, LLVMTypeRef t, unsigned align, Did *how);
bool store_pattern(Widen *x, LLVMValueRef v, LLVMValueRef p, LLVMTypeRef t, unsigned align, Did *how);
/* Lanes per run where all runs are equally long (up to `maximum`) and each increases by `step`; 0 = no such runs. */
unsigned run_length(const Widen *x, const int64_t *at, unsigned maximum, int64_t step);
/* Vector accesses for runs of r lanes, first[k * r]: the address of run k; under the block's mask. */
LLVMValueRef load_runs(Widen *x, LLVMTypeRef t, const LLVMValueRef *first, unsigned r, unsigned align);
void store_runs(Widen *x, LLVMValueRef v, const LLVMValueRef *first, unsigned r, unsigned align);
/* widen_extended.c: indices that may wrap before they are extended; NULL or false = p is none, or has no runs. */
LLVMValueRef load_extended(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned align);
bool store_extended(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef p, unsigned align);
LLVMValueRef load_extended_runs(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned align, Did *how);
bool store_extended_runs(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef p, unsigned align, Did *how);

/* Lanes of n elements each, consecutive: the mask of `count` elements (at most 128) from element `from` on; NULL =
** all. */
LLVMValueRef mask_of_elements(Widen *x, unsigned n, unsigned from, unsigned count);
/* p, or scratch memory if no lane is active. */
LLVMValueRef safe_pointer(Widen *x, LLVMValueRef p);

/* Two blocks that join before `inst`: `row` if the i1 is true, where the builder is, else `apart`. */
typedef struct Fork {
    LLVMBasicBlockRef row, apart, join;
    LLVMValueRef first; /* lane 0's address, if needed */
} Fork;
Fork fork_at(Widen *x, LLVMValueRef inst, LLVMValueRef row);
/* v[0] from `row`, whose branch is built, or v[1] from `apart`, where the builder is; before `inst`. */
LLVMValueRef join_loads(Widen *x, LLVMValueRef inst, Fork *f, LLVMTypeRef vt, LLVMValueRef v[2]);

/* ---- ranks (widen_ranks.c) ---- */
/* Of a value that is in each served lane one more than in the one served before it. */
typedef struct Ranks {
    LLVMValueRef served; /* mask of the lanes that have a rank, or */
    LLVMValueRef bits;   /* iW: the same as a scalar */
    LLVMValueRef first;  /* the value in the first of them, a scalar */
} Ranks;
void set_ranked(Widen *x, LLVMValueRef v, Ranks r);
/* A population count whose operand is a uniform mask & the lanes that precede each has ranks. */
void find_prefix_count(Widen *x, LLVMValueRef call);
/* How many active lanes precede each active lane. */
LLVMValueRef ranks_of_active(Widen *x, LLVMTypeRef t);
/* The sum of the preceding lanes in each, in log W steps. */
LLVMValueRef sums_before(Widen *x, LLVMValueRef v);
/* Stores v at ranked indices; false: p is something else. */
bool store_at_ranks(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef p, unsigned align);

/* ---- parts ---- */
void find_arrays(Widen *x);
void find_fields(Widen *x);
bool widen_fields(Widen *x, LLVMValueRef inst); /* false: the access belongs to no structure */
/* The vectors of a store of fields that are computed in memory order; false: they are not. */
bool pack_fields(Widen *x, const Fields *f, LLVMValueRef *out);
void find_runs(Widen *x);                    /* after find_fields */
bool widen_run(Widen *x, LLVMValueRef inst); /* false: the access belongs to no run */
/* v[0], v[1], ... v[n - 1], of `lanes` each, concatenated; n is a power of two. */
LLVMValueRef concatenate(Widen *x, LLVMValueRef *v, unsigned n, unsigned lanes);
/* n lanes of v from `first` on; NULL of NULL. */
LLVMValueRef lanes_from(Widen *x, LLVMValueRef v, unsigned first, unsigned n);
/* false: no atomic access of 16 bytes, or one at an address that all lanes share */
bool widen_atomic128(Widen *x, LLVMValueRef inst);
/* a part of an i128, by a shuffle; NULL: something else is truncated */
LLVMValueRef widen_part128(Widen *x, LLVMValueRef trunc);
bool widen_copy(Widen *x, LLVMValueRef inst); /* memcpy of a structure; false: it is too long, or volatile */
void widen_load(Widen *x, LLVMValueRef inst);
void widen_store(Widen *x, LLVMValueRef inst);
void widen_alloca(Widen *x, LLVMValueRef inst);
bool array_memory_call(Widen *x, LLVMValueRef inst); /* memset/memcpy of a local array */
void widen_call(Widen *x, LLVMValueRef inst);
Nyi widen_warp_call(Widen *x, LLVMValueRef inst, Name n);
bool widen_vector_call(Widen *x,
                       LLVMValueRef inst);     /* false: no function that vectorise_calls made, or not for this width */
bool widen_check(Widen *x, LLVMValueRef call); /* false: no call of instrument_accesses, or of an unknown size */
void check_one_lane(Widen *x);                 /* the same for all calls of a kernel of width 1 */
/* --profile=lanes (widen_count.c): counts lanes of the operations from `from` to the end of its block; an access. */
void count_block(Widen *x, LLVMValueRef from);
void count_access(Widen *x, LLVMValueRef inst);
bool widen_count(Widen *x, LLVMValueRef call); /* false: no call of count_branches */
void count_one_lane(Widen *x);                 /* all of it, of a kernel of width 1 */
void finish_counted(Widen *x);
void widen_any(Widen *x, LLVMValueRef inst);
void widen_all(Widen *x, LLVMValueRef inst);
void widen_active_count(Widen *x, LLVMValueRef inst);
void widen_front(Widen *x, LLVMValueRef inst);
void widen_first(Widen *x, LLVMValueRef inst);
/* Runs `inst` once for each active lane, in lane order. */
void for_each_lane(Widen *x, LLVMValueRef inst);
void widen_atomic(Widen *x, LLVMValueRef inst);
/* val[index] for each lane. */
LLVMValueRef permute(Widen *x, LLVMValueRef val, LLVMValueRef index);
#endif
