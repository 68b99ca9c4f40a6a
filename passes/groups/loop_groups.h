/* loop_groups.h: shared by the files of loop_groups: the regions of a kernel, the state of its generated entry, and the
** builders that they use.
**
** loop_groups.c builds the loop over blocks, region_loops.c those over groups, copy_region.c their bodies; group_ids.c
** the indices that a group reads, local_arrays.c its arrays, joined_blocks.c how many blocks run as one row; dispatch.c
** what runs between regions: which is next, which groups run in it, how a block is suspended and resumed at a barrier
** of the grid or the cluster. */
#ifndef CUCPU_LOOP_GROUPS_H
#define CUCPU_LOOP_GROUPS_H
#include "passes/analysis/access_groups.h"
#include "passes/analysis/barriers.h"
#include "passes/passes.h"
#include "passes/ir/variant.h"

enum {
    MAX_JAM_FACTOR = 16,
    INTERCHANGE_BYTES = 1 << 17 /* of the frame, for interchanged groups: part of the second-level cache */
};

/* What is tested of a branch: nothing; that groups take it alike; that all take the first, or the second, successor. */
typedef enum Query { QUERY_NONE, QUERY_ALIKE, QUERY_FIRST, QUERY_SECOND } Query;

typedef struct Deferred Deferred; /* defer_atomics.c */

/* A region as found by `barriers`, and what loop_groups builds for it. */
typedef struct Region {
    int start;
    LLVMValueRef barrier;
    bool *has;
    Numbers exits;
    LLVMBasicBlockRef head, done;
    LLVMBasicBlockRef suspend; /* after a barrier of the grid or cluster, static dispatch: suspends the block */
    LLVMValueRef acc;          /* alloca: accumulator of a reducing barrier */
    uint64_t acc_offset;       /* its offset in the block's part of the frame, while the block is suspended */
    Vec(int) written;          /* block slots that it defines */
    int jam_factor;   /* unroll-and-jam factor: groups that run in lockstep, a power of two; 1 = one after the other */
    int least_factor; /* the remainder of that runs by half as many, and so on down to this; then one by one */
    int strip; /* rows that run, by these factors, before the loop over x goes on: a line of the cache; 0: no more */
    const AccessGroups *groups; /* loads that jammed rows share; NULL: none are shared */
    PtrMap tiles;               /* gathers and scatters that groups in lockstep make together (tile_accesses.c) */
    Vec(Deferred *) deferred;   /* atomics that all its groups make together */
    bool keep_inside;           /* nothing is to be hoisted out of the loop over a row */
    bool jam_along_y;           /* they are neighbours in y, else in x */
    /* by block, whose branch jammed groups may take differently: tested, and if they do, they run one by one; or
    ** NULL */
    Query *queries;
    int leave;     /* successor of `start` + 1 after which nothing is left to do in this row; 0 = none */
    bool together; /* the blocks of a row run it as one (joined_prefix.c) */
} Region;

typedef struct Slot {
    LLVMValueRef cur, next; /* allocas */
    uint64_t size;
    uint64_t offset; /* in the block's part of the frame, while the block is suspended */
} Slot;

typedef struct Loops {
    Kernel *k;
    Arena *a;
    LLVMBuilderRef b;
    LLVMModuleRef mod;
    LLVMTypeRef i1, i8, i32, i64, ptr;
    Variant variant;
    Cfg *cfg;
    Region *r;
    int n;             /* regions */
    int *region_of;    /* block number -> region that starts there, or -1 */
    bool dynamic;      /* groups can stop at different barriers */
    bool named;        /* barriers of a part of the block, or more than one */
    bool leaves;       /* has barriers of the grid or the cluster: blocks are suspended and resumed */
    bool cluster;      /* is run cluster by cluster */
    bool counted;      /* dynamic, and the runtime decides which barriers are complete */
    bool interchanged; /* a row of blocks goes through the barriers of its loop together (interchange_plane_loop) */
    int split;         /* region from which on blocks of a row no longer run as one (joined_prefix.c); 0 = none */
    bool has_warp_functions;     /* counted, width 1, with warp functions */
    LLVMValueRef entry;          /* the new function */
    LLVMValueRef id[NAME_COUNT]; /* values of the launch- and block-level names */
    LLVMValueRef launch, worker, frame, groups, threads, tids, *args;
    LLVMValueRef fixed;                          /* the block's part of the frame */
    LLVMValueRef x, y, z, g, block;              /* allocas: loop variables */
    LLVMValueRef block_index[3];                 /* allocas: blockIdx */
    LLVMValueRef position;                       /* the same with --shuffle: index in the order */
    LLVMValueRef exit, pending, arrived, parity; /* dispatch state: allocas, pending may be in the frame */
    LLVMTypeRef set;                             /* of regions; member n: has returned */
    Vec(Slot) slots;
    uint64_t exchange_offset, resume_offset, frame_bytes, fixed_bytes, arrivals_offset;
    uint64_t large_offset; /* offset of large local arrays in the fixed part of the frame, 0 = on the stack */
    LLVMBasicBlockRef dispatch, pick, suspend, block_done, block_next;
    PtrMap *map; /* of the region being copied: that of the current copy */
    PtrMap *maps;
    int copies, copy;                    /* groups in lockstep, and the number of the current one */
    bool same_block;                     /* code goes to the end of one block: values in it can be reused */
    LLVMValueRef number[MAX_JAM_FACTOR]; /* of the group of each copy, if it is in that block */
    bool jam_along_y, full_groups;
    bool shares_rows;                               /* some region has access groups */
    Vec(LLVMValueRef) allocas, own[MAX_JAM_FACTOR]; /* of the group code, and of each copy */
    LLVMBasicBlockRef row_end;
    LLVMBasicBlockRef apart;      /* for groups in lockstep that diverge at a branch */
    LLVMValueRef row_groups;      /* i32: groups per row */
    LLVMValueRef rows;            /* i32: rows per plane: blockDim.y, or more where rows of blocks are interchanged */
    LLVMValueRef stack;           /* i32: so many rows of blocks; NULL: one */
    Vec(LLVMValueRef) global_ids; /* sums that do not wrap: see extend_global_ids */
    bool has_records;             /* -G: the threads of a group have records, in a frame slot */
    LLVMValueRef focus, records;  /* allocas: pointers to the record of the running thread, and to the first one */
    uint64_t records_offset, records_size; /* of that slot */
    LLVMValueRef parallel;                 /* access group seen in the region being copied, or NULL */
    /* With split: slots of all blocks of a row; how many blocks these are, the first one's index along x, and the
    ** groups of them all, in a row of threads; the one that runs: its number among them (alloca), its index. */
    LLVMValueRef row_frame, row_blocks, row_first, all_groups, one, one_index, one_end, one_groups;
    LLVMBasicBlockRef each, each_first;
    bool together; /* the region that is being built: Region.together */
} Loops;

/* ---- builders ---- */
static inline LLVMValueRef c32(const Loops *l, uint64_t v) { return LLVMConstInt(l->i32, v, 0); }
static inline LLVMValueRef c64(const Loops *l, uint64_t v) { return LLVMConstInt(l->i64, v, 0); }
static inline LLVMValueRef c1(const Loops *l, bool v) { return LLVMConstInt(l->i1, v, 0); }
static inline LLVMBasicBlockRef new_block(const Loops *l, const char *name) {
    return LLVMAppendBasicBlockInContext(l->k->m->ctx, l->entry, name);
}
static inline LLVMValueRef load(const Loops *l, LLVMTypeRef t, LLVMValueRef p, const char *name) {
    return LLVMBuildLoad2(l->b, t, p, name);
}
static inline LLVMValueRef local(Loops *l, LLVMTypeRef t, const char *name) { return LLVMBuildAlloca(l->b, t, name); }

/* ---- copy_region.c ---- */
LLVMValueRef mapped(const Loops *l, LLVMValueRef v);
/* Code of one group, or of l->copies groups in lockstep; its exits lead to `latch`. `total`: the result of the reducing
** barrier that the region follows, or NULL. */
LLVMBasicBlockRef copy_code(Loops *l, Region *r, LLVMBasicBlockRef latch, LLVMValueRef total);

/* ---- tile_accesses.c ---- */
bool is_tile_access(const Region *r, LLVMValueRef i);
/* The access of all groups in lockstep; a gather's values are in the maps of the copies. */
void access_tile(Loops *l, LLVMValueRef access);

/* ---- region_loops.c ---- */
/* Steps a loop variable; the builder ends in the block `out` after the loop. */
void close_loop(Loops *l, LLVMValueRef var, LLVMValueRef step, LLVMValueRef end, LLVMBasicBlockRef head,
                LLVMBasicBlockRef out);
void emit_region(Loops *l, Region *r);

/* ---- defer_atomics.c ---- */
void start_deferred(Loops *l, Region *r); /* before the loops over groups; the builder is there */
void note_deferred(Loops *l, Region *r, LLVMValueRef i, LLVMValueRef copy);
void finish_deferred(Loops *l, Region *r); /* after the loops: all copies are complete */

/* ---- local_arrays.c ---- */
void plan_locals(Loops *l);  /* after the groups in lockstep are known, before fixed_bytes is used for the layout */
void move_allocas(Loops *l); /* in the entry block */

/* ---- debug_locations.c ---- */
void find_records(Loops *l);
void focus_variables(Loops *l);    /* in the entry block */
void focus_group(Loops *l);        /* where the code of a group starts */
void describe_variables(Loops *l); /* when the entry is complete */

/* ---- joined_blocks.c ---- */
uint64_t interchanged_groups(const Loops *l); /* that run together, at most: they have slots in the fixed frame */
bool can_interchange(const Loops *l);
LLVMValueRef private_cache(Loops *l); /* i64: bytes of cache of one core */
/* The row of threads in the loop over x, and the step of the loop over blocks along it. */
LLVMValueRef measure_row(Loops *l, LLVMValueRef block);

/* ---- joined_prefix.c ---- */
void plan_joined_prefix(Loops *l);
void note_row(Loops *l);                     /* after measure_row */
void open_each_block(Loops *l);              /* the head of the loop over the blocks of a row; the builder ends in it */
void select_blocks(Loops *l, bool together); /* ids and slots are those of the row, or of one block */
void next_of_row(Loops *l); /* ends the block in which one block is done: the next one of the row, or block_next */
LLVMBasicBlockRef first_of_row(Loops *l); /* starts the loop over the blocks of the row */
/* The slot of the current group that the code of the row has filled. */
LLVMValueRef row_slot(Loops *l, LLVMValueRef call);

/* ---- group_ids.c ---- */
LLVMValueRef group_of_row(Loops *l, LLVMValueRef first); /* the group's number in the frame of a row of blocks */
uint64_t group_bytes(const Loops *l);                    /* frame size of an interchanged group */
LLVMValueRef count_groups(Loops *l);                     /* i32: groups per block; sets row_groups */
/* The value of a cucpu.* id call of the group code; NULL = not of that kind. Call once the values of the launch are
** known. */
LLVMValueRef id_value(Loops *l, LLVMValueRef call, Name n);
void extend_global_ids(
    Loops *l); /* after the last id_value: extensions of blockIdx.x * blockDim.x + threadIdx.x become 64-bit sums */
/* offset and size per group; the slot of the current group */
LLVMValueRef frame_slot(Loops *l, uint64_t offset, uint64_t size);
void locate_group(Loops *l); /* x, y, z of the group whose number is in g */

/* ---- unroll_and_jam.c ---- */
/* Which regions run several groups in lockstep, and where a row can be left early. `shapes` of the group code for width
** 1, or NULL: computed if needed. */
void plan_lockstep(Loops *l, const Shapes *shapes);

/* ---- alias_scopes.c ---- */
void mark_alias_scopes(const Loops *l); /* when the entry is complete */

/* ---- dispatch.c ---- */
void plan_dispatch(Loops *l);      /* after the regions are known: kind of dispatch, frame layout */
void dispatch_variables(Loops *l); /* in the entry block */
void enter_block(Loops *l);        /* from a block's head to a region */
void skip_other_groups(Loops *l, const Region *r, LLVMBasicBlockRef latch);
void note_stop(Loops *l, const Region *r, int to); /* the current group has arrived at region `to` */
LLVMValueRef met(Loops *l, const Region *r);       /* the result of the warp function that region r follows */
void leave_region(Loops *l, Region *r);
void emit_dispatch(Loops *l);
void end_block(Loops *l); /* fills block_done; the builder ends in block_next */
#endif
