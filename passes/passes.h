/* passes.h: the list of passes, and the functions that one has of another.  Their order and contracts are passes.def. */
#ifndef CUCPU_PASSES_H
#define CUCPU_PASSES_H
#include "passes/analysis/block_order.h"
#include "passes/analysis/facts.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes.h"
#include "passes/analysis/width.h"
#include "passes/ir/kernel.h"

/* ---- the passes: true unless errors were reported; of a kernel NYI_NONE, or the reason of a refusal with the IR untouched.
** Their contracts are in passes.def. ---- */
#define MODULE_PASS(name, what, requires, gives, loses, order) bool name(Module *m);
#define KERNEL_PASS(name, what, requires, gives, loses, order) Nyi name(Kernel *k);
#include "passes/passes.def"
#undef MODULE_PASS
#undef KERNEL_PASS

/* ---- parts of module passes ---- */
void import_builtins(Module *m); /* part of import_nvvm: threadIdx and its like */
void import_clusters(Module *m); /* part of import_nvvm: clusters of blocks */
void expose_references(
    LLVMModuleRef m);           /* part of import_nvvm, and of device links: static texture and surface references */
void import_managed(Module *m); /* part of import_nvvm: __managed__ variables */
void import_allocas(Module *m, LLVMValueRef fn); /* part of import_nvvm: alloca() */
bool check_source(
    Module *m); /* part of import_nvvm, first: errors for what clang lets through; false if there are any */
#define HOST_PREFIX "cucpu.host." /* names of functions and variables of the host in device code */
void trap_host_calls(Module *m);  /* part of import_nvvm, first: calls of functions of the host */
void return_unions(Module *m);    /* part of import_nvvm, next: functions that return a union return all of its bytes */
bool import_variadics(Module *m); /* part of import_nvvm, next: functions with an ellipsis; false if one is refused */
bool starts_variable(
    LLVMValueRef
        user); /* a constant that is part of some variable's start value, where addresses that code finds are not known */
void flush_denormals(Module *m, LLVMValueRef kernel); /* part of import_nvvm: -ftz=true */
void limit_fast_math(LLVMValueRef fn);                /* part of import_nvvm: -use_fast_math, -prec-div=false */
void gpu_results(Module *m, LLVMValueRef fn);         /* part of import_nvvm */
void split_copies(
    Module *m,
    LLVMValueRef fn); /* part of inline_device: copies between local structures become loads and stores of fields */
bool flatten_recursion(
    Module *m,
    LLVMValueRef
        fn); /* part of inline_device: a function that calls itself becomes a loop; false if it is left alone */
bool resolve_calls(
    Module *m); /* part of inline_device: calls through addresses that may lead to a barrier; true if there were any */
bool is_closed_function(
    Module *m, LLVMValueRef fn); /* vectorise_calls: nothing in it concerns other threads but those of the warp */
bool may_be_vectorised(Module *m, LLVMValueRef fn); /* vectorise_calls: before anything is inlined into it */
void add_vector_functions(Module *m);   /* part of make_variants: vectorise_calls' kernels, in the widths of calls */
void finish_vector_function(Kernel *k); /* part of loop_groups */
void become_vector_function(Module *m, LLVMValueRef variant);    /* no kernel any more, whatever its body is */
bool call_lane_by_lane(Module *m, LLVMValueRef vector_function); /* instead of its body; false: lanes exchange values */
void drop_resolved(Module *m);                       /* part of inline_device: bodies that nobody calls any more */
void single_accesses(Module *m, LLVMValueRef fn);    /* part of import_nvvm */
void hold_polled_loads(Module *m, LLVMValueRef fn);  /* part of normalise_cfg */
void hold_exchanges(Module *m, LLVMValueRef kernel); /* part of normalise_cfg */

/* Says of a loop that it seldom runs, or a few rounds at most, beside one that does the work: copies of it are not worth their size. */
#define LOOP_RARE "cucpu.loop.rare"

/* ---- parts of kernel passes ---- */
void unroll_arrays(Module *m);                  /* part of normalise_cfg: loops through small local arrays and tables */
bool unroll_is_decided(const Cfg *c, int loop); /* by #pragma unroll N, or unroll 1 */

/* ---- parts of passes that others call ---- */
LLVMValueRef marching_copy(Module *m, LLVMValueRef kernel, int width); /* march_rows: NULL = it does not */
LLVMValueRef counting_copy(Module *m, LLVMValueRef kernel);            /* count_privately: NULL = it counts nothing */
bool transpose_tiles(Kernel *k);                      /* what transpose_shared does; true if anything has changed */
void restore_normal_form(Module *m, LLVMValueRef fn); /* after edits of a kernel */
void inline_retries(Module *m,
                    LLVMValueRef variant); /* what outline_retries made calls, in code of one lane, is loops again */
void unrotate_loops(Module *m, LLVMValueRef kernel); /* part of interchange_strides: of kernels made of PTX */
bool join_expressions(Module *m, LLVMValueRef fn);   /* part of normalise_cfg: phis of one expression; true if any */
bool narrow_values_of(Module *m, LLVMValueRef fn);   /* what narrow_values does; true if anything has changed */
bool narrow_forms(Module *m, LLVMValueRef fn);    /* part of narrow_values: differences and sums of bytes or shorts */
void guard_divisions(Module *m, LLVMValueRef fn); /* no lane traps, also if switched off */
void check_host_variables(
    Module *m,
    LLVMModuleRef host); /* part of find_launch_sites: warns of __device__ variables that host code reads or writes */
void find_launch_sites(Module *m); /* part of make_variants: cucpu.launches from the host half */

/* fold_block.c: whether the variant for blocks of one row, `launch`, is better compiled for `as`, several rows of as many threads; whether
** it may be for `as`, where x and the dimension are swapped (lanes along that, as many as columns are made of, up to width; 0: none); makes it so, but for the constants of `as`. */
bool folded_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]);
int swapped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], int dimension, unsigned as[3]);
void fold_block(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3]);
void join_kernel(Module *m, LLVMValueRef fn); /* what join_blocks does, of one kernel or variant */
/* Lanes may go along y (1) or z (2) instead of x.  Swaps the two in a variant, blockDim as well, and the grid where blocks follow each other along this dimension. */
bool may_swap_dimension(Module *m, LLVMValueRef kernel, int width, int dimension);
void swap_dimension(Module *m, LLVMValueRef variant, int dimension);
int swapped_dimension(int d,
                      int along); /* where dimension d lies if x and `along` have changed places; 0: they have not */
/* Clones a base kernel; block: only for this blockDim, NULL = any. */
LLVMValueRef add_variant(Module *m, LLVMValueRef kernel, int width, Layout layout, const unsigned block[3]);

void mark_block_atomic(Module *m, LLVMValueRef atomic);
void mark_block_atomics(Module *m, LLVMValueRef kernel, const MemorySpaces *memory); /* for relax_atomics */
/* What an atomic writes, of numbers or vectors; NULL = an operation that is left alone. */
LLVMValueRef relaxed_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v);
void relax_marked_atomics(Module *m, LLVMValueRef fn); /* what relax_atomics does, for a function that is no kernel */

unsigned access_group_kind(const Module *m); /* of the metadata that mark_parallel sets */
#endif
