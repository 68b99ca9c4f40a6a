/* passes.h: what the passes share: the module being compiled, a kernel in it, and the list of
** passes.  Their order and contracts are passes.def. */
#ifndef CUCPU_PASSES_H
#define CUCPU_PASSES_H
#include "passes/compiler.h"
#include "passes/ir/names.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes.h"
#include "passes/support/arena.h"
#include "passes/support/diag.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

typedef struct Module {
    Arena arena;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMTargetMachineRef tm;
    LLVMTargetDataRef dl;
    const CucpuOptions *opt;
    Diag diag;
    unsigned vector_bits, vector_regs; /* of the target */
    bool ptx;                          /* was read from PTX text */
    bool several_kernels;              /* so large together that those whose launches are known are only compiled for these and for any */
    bool many_kernels;                 /* so large together that the larger ones get few variants */
    bool many_loops;                   /* a function has so many that LLVM may not ask about all for each */
} Module;

/* What passes in a row know of a kernel (analysis/facts.c). */
typedef struct Facts {
    Arena a;
    Cfg *cfg;
    Shapes *shapes;
    bool kept; /* the pass that runs has left the kernel as it was */
} Facts;

/* A kernel is a function with the attribute cucpu.kernel.  All that later passes must know of it
** stands in attributes of the function, so that every stage can be printed and read back. */
typedef struct Kernel {
    Module *m;
    LLVMValueRef fn;
    int width;        /* cucpu.width, 0 while it is not yet chosen */
    Layout layout;    /* cucpu.layout */
    unsigned block[3];/* cucpu.block: blockDim where known, else 0 */
    Arena *arena;     /* of the pass that runs */
    Facts *facts;     /* NULL: each pass computes its own */
} Kernel;

/* ---- the passes: true unless errors were reported; of a kernel NYI_NONE, or the reason of a refusal with the IR untouched.
** Their contracts are in passes.def. ---- */
#define MODULE_PASS(name, what, requires, gives, loses, order) bool name(Module *m);
#define KERNEL_PASS(name, what, requires, gives, loses, order) Nyi name(Kernel *k);
#include "passes/passes.def"
#undef MODULE_PASS
#undef KERNEL_PASS

/* ---- parts of module passes ---- */
void import_builtins(Module *m);     /* part of import_nvvm: threadIdx and its like */
void import_clusters(Module *m);     /* part of import_nvvm: clusters of blocks */
void expose_references(LLVMModuleRef m); /* part of import_nvvm, and of device links: static texture and surface references */
void import_managed(Module *m);      /* part of import_nvvm: __managed__ variables */
void import_allocas(Module *m, LLVMValueRef fn); /* part of import_nvvm: alloca() */
bool check_source(Module *m);        /* part of import_nvvm, first: errors for what clang lets through; false if there are any */
void return_unions(Module *m);       /* part of import_nvvm, first: functions that return a union return all of its bytes */
bool import_variadics(Module *m);    /* part of import_nvvm, next: functions with an ellipsis; false if one is refused */
bool starts_variable(LLVMValueRef user); /* a constant that is part of some variable's start value, where addresses that code finds are not known */
void flush_denormals(Module *m, LLVMValueRef kernel); /* part of import_nvvm: -ftz=true */
void gpu_results(Module *m, LLVMValueRef fn); /* part of import_nvvm */
void split_copies(Module *m, LLVMValueRef fn); /* part of inline_device: copies between local structures become loads and stores of fields */
bool resolve_calls(Module *m);       /* part of inline_device: calls through addresses that may lead to a barrier; true if there were any */
void drop_resolved(Module *m);       /* part of inline_device: bodies that nobody calls any more */
void single_accesses(Module *m, LLVMValueRef fn);   /* part of normalise_cfg */
void hold_polled_loads(Module *m, LLVMValueRef fn); /* part of normalise_cfg */
void hold_exchanges(Module *m, LLVMValueRef kernel); /* part of normalise_cfg */

/* Says of a loop that it seldom runs, or a few rounds at most, beside one that does the work: copies of it are not worth their size. */
#define LOOP_RARE "cucpu.loop.rare"

/* ---- parts of kernel passes ---- */
void unroll_arrays(Module *m);             /* part of normalise_cfg: loops through small local arrays and tables */
bool unroll_is_decided(const Cfg *c, int loop); /* by #pragma unroll N, or unroll 1 */

/* ---- parts of passes that others call ---- */
typedef struct Width {
    int lanes;
    int scalar;        /* code of one lane beside them, as only times can tell which is faster: its estimate, percent of theirs; 0 = none */
    bool scalar_first; /* it is estimated faster */
    bool sums;         /* times choose only where several workers run the blocks (CUCPU_KERNEL_SUMS) */
    double gain;       /* of a kernel that must not have trials: below 1 in groups with idle lanes = one lane is better there; else 0 */
} Width;
Width choose_width(Module *m, LLVMValueRef kernel);                       /* by option or cost */
/* Groups of the variant for a block of one column take less time than those of rows of neighbouring blocks (CUCPU_KERNEL_JOINED). */
bool column_is_faster(Module *m, LLVMValueRef kernel, LLVMValueRef column, int width, const unsigned block[3]);
LLVMValueRef marching_copy(Module *m, LLVMValueRef kernel, int width); /* march_rows: NULL = it does not */
LLVMValueRef counting_copy(Module *m, LLVMValueRef kernel); /* count_privately: NULL = it counts nothing */
bool lanes_lie_apart(Module *m, LLVMValueRef kernel, int width); /* some access of global memory is a gather or scatter */
double cycles_of_lane(Module *m, LLVMValueRef fn, int width, Layout layout, const unsigned block[3]); /* estimate */
bool transpose_tiles(Kernel *k); /* what transpose_shared does; true if anything has changed */
bool hides_order(LLVMValueRef kernel); /* no result tells in which order threads run */
/* For estimates alone: a copy in which no sum or product wraps; unsigned places of neighbours are side by side then (widen_extended asks at run time).  The caller deletes it. */
LLVMValueRef clone_without_wrap(LLVMValueRef fn);
/* The time of groups of `lanes` along y or z, in blocks of the swapped size, percent of those along x, as estimated; 0: those are no faster. */
unsigned swapped_time(Module *m, LLVMValueRef kernel, int width, LLVMValueRef swapped, int lanes, const unsigned block[3]);
int choose_wide_rows(Module *m, LLVMValueRef kernel, int width);          /* up to so many lanes where rows fill them */
/* Fewer lanes than `less`, which is `width` or less, for rows that are shorter than `width`; 0: none.  block: NULL = any. */
int narrow_rows(Module *m, LLVMValueRef kernel, int width, int less, const unsigned block[3]);
void restore_normal_form(Module *m, LLVMValueRef fn);                     /* after edits of a kernel */
void inline_retries(Module *m, LLVMValueRef variant); /* what outline_retries made calls, in code of one lane, is loops again */
void unrotate_loops(Module *m, LLVMValueRef kernel); /* part of interchange_strides: of kernels made of PTX */
bool join_expressions(Module *m, LLVMValueRef fn); /* part of normalise_cfg: phis of one expression; true if any */
bool narrow_values_of(Module *m, LLVMValueRef fn);                         /* what narrow_values does; true if anything has changed */
bool narrow_forms(Module *m, LLVMValueRef fn);                            /* part of narrow_values: differences and sums of bytes or shorts */
void guard_divisions(Module *m, LLVMValueRef fn);                         /* no lane traps, also if switched off */
void check_host_variables(Module *m, LLVMModuleRef host); /* part of find_launch_sites: warns of __device__ variables that host code reads or writes */
void find_launch_sites(Module *m); /* part of make_variants: cucpu.launches from the host half */
/* block_order.c: the dimension along which its blocks had better follow each other, by what they access.  flags: CUCPU_KERNEL_*. */
int block_order(Module *m, LLVMValueRef kernel, unsigned flags);

/* fold_block.c: whether the variant for blocks of one row, `launch`, is better compiled for `as`, several rows of as many threads; whether
** it may be for `as`, where x and the dimension are swapped (lanes along that, as many as columns are made of, up to width; 0: none); makes it so, but for the constants of `as`. */
bool folded_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]);
int swapped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], int dimension, unsigned as[3]);
void fold_block(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3]);
void join_kernel(Module *m, LLVMValueRef fn); /* what join_blocks does, of one kernel or variant */
/* Lanes may go along y (1) or z (2) instead of x.  Swaps the two in a variant, blockDim as well, and the grid where blocks follow each other along this dimension. */
bool may_swap_dimension(Module *m, LLVMValueRef kernel, int width, int dimension);
void swap_dimension(Module *m, LLVMValueRef variant, int dimension);
int swapped_dimension(int d, int along); /* where dimension d lies if x and `along` have changed places; 0: they have not */
bool asks_for(LLVMValueRef kernel, int dimension); /* reads threadIdx.x, .y or .z */
/* Clones a base kernel; block: only for this blockDim, NULL = any. */
LLVMValueRef add_variant(Module *m, LLVMValueRef kernel, int width, Layout layout, const unsigned block[3]);

void mark_block_atomic(Module *m, LLVMValueRef atomic);
void mark_block_atomics(Module *m, LLVMValueRef kernel, const MemorySpaces *memory); /* for relax_atomics */
/* What an atomic writes, of numbers or vectors; NULL = an operation that is left alone. */
LLVMValueRef relaxed_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v);
void relax_marked_atomics(Module *m, LLVMValueRef fn); /* what relax_atomics does, for a function that is no kernel */

unsigned access_group_kind(const Module *m); /* of the metadata that mark_parallel sets */

/* ---- analysis/facts.c: what several passes ask of the same kernel ---- */
Cfg *kernel_cfg(Kernel *k);       /* of the kernel as it is; until the pass changes it */
Shapes *kernel_shapes(Kernel *k); /* likewise, over kernel_cfg; for its width, layout and block */
void keep_facts(Kernel *k);       /* the pass changes nothing: they hold for the next one too, unless it drops them */
void drop_facts(Kernel *k);       /* the kernel has changed */

/* ---- helpers ---- */
Kernel kernel_of(Module *m, LLVMValueRef fn, Arena *a);
bool is_kernel(LLVMValueRef fn);
const char *fn_attr(LLVMValueRef fn, const char *key, unsigned *len); /* NULL = absent */
long fn_attr_int(LLVMValueRef fn, const char *key, long absent);
void fn_attr_three(LLVMValueRef fn, const char *key, unsigned v[3]); /* "x,y,z"; zeros if absent */
void fn_set_attr(LLVMValueRef fn, const char *key, const char *value);
/* Runs an LLVM pass pipeline on the module or on one function. */
void run_llvm_passes(Module *m, const char *passes);
void run_llvm_passes_on(Module *m, LLVMValueRef fn, const char *passes);
bool pass_disabled(const Module *m, const char *name);
#endif
