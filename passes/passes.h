/* passes.h: the list of passes, and functions of a pass that others call. Order and contracts: passes.def. */
#ifndef CUCPU_PASSES_H
#define CUCPU_PASSES_H
#include "passes/analysis/block_order.h"
#include "passes/analysis/facts.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes/shapes.h"
#include "passes/analysis/width.h"
#include "passes/ir/kernel.h"
#include "passes/ir/variant.h"

/* ---- the passes: true unless errors were reported; of a kernel NYI_NONE, or the reason of a refusal with the IR
** unchanged. Their contracts are in passes.def. ---- */
#define MODULE_PASS(name, what, requires, gives, loses, order) bool name(Module *m);
#define KERNEL_PASS(name, what, requires, gives, loses, order) Nyi name(Kernel *k);
#include "passes/passes.def"
#undef MODULE_PASS
#undef KERNEL_PASS

/* ---- parts of import_nvvm, in their order ---- */
/* Errors for what clang accepts but nvcc refuses; false if there are any. */
bool check_source(Module *m);
/* Names of functions and variables of the host in device code. */
#define HOST_PREFIX "cucpu.host."
/* Calls of host functions trap. */
void trap_host_calls(Module *m);
/* Functions that return a union return all of its bytes. */
void return_unions(Module *m);
/* Functions with an ellipsis; false if one is refused. */
bool import_variadics(Module *m);
/* threadIdx and the like. */
void import_builtins(Module *m);
/* Clusters of blocks. */
void import_clusters(Module *m);
/* __managed__ variables. */
void import_managed(Module *m);
/* alloca() */
void import_allocas(Module *m, LLVMValueRef fn);
/* References to textures and surfaces become visible to the linker; device links need it as well. */
void expose_references(LLVMModuleRef m);
/* -ftz=true */
void flush_denormals(Module *m, LLVMValueRef kernel);
/* -use_fast_math, -prec-div=false */
void limit_fast_math(LLVMValueRef fn);
/* Results that are undefined in C++ and LLVM are those of a GPU. */
void gpu_results(Module *m, LLVMValueRef fn);
/* Vectors that threads exchange are single accesses. */
void single_accesses(Module *m, LLVMValueRef fn);
/* A constant that is part of a variable's initialiser, where addresses that code computes are not known. */
bool starts_variable(LLVMValueRef user);

/* ---- parts of inline_device ---- */
/* --check: LLVM does not see that these accesses are undefined; until instrument_accesses. */
void hide_beyond_locals(Module *m);
/* Copies between local structures become loads and stores of fields. */
void split_copies(Module *m, LLVMValueRef fn);
/* A function that calls itself becomes a loop; false if it is left alone. */
bool flatten_recursion(Module *m, LLVMValueRef fn);
/* Indirect calls test which function it is; true if there were any.  growth: instructions that this adds. */
bool resolve_calls(Module *m, long *growth);
/* Recursive functions become calls that vectorise_calls makes vector functions of. */
void outline_recursion(Module *m, LLVMValueRef *recursive, int n);
/* Ids in a function that is not inlined become loads from cucpu_thread(); true if it reads any. */
bool ids_from_thread(Module *m, LLVMValueRef fn);
/* A barrier or warp-level function, or an operand in shared memory: not in a function that is called. */
bool is_of_block(LLVMValueRef i);
/* Removes bodies that are not called any more. */
void drop_resolved(Module *m);

/* A function with code that is not inlined: it reads ids itself. */
bool calls_function(LLVMValueRef fn);
/* The version of the kernel for blocks of one column (version_columns); NULL: it has none. */
LLVMValueRef column_of(const Module *m, LLVMValueRef kernel);

/* ---- parts of vectorise_calls ---- */
/* Nothing in it concerns other threads but those of the warp. */
bool is_closed_function(Module *m, LLVMValueRef fn);
/* Before anything is inlined into it. */
bool may_be_vectorised(Module *m, LLVMValueRef fn);
/* Part of make_variants: the kernels of vectorise_calls, in the widths of calls. */
void add_vector_functions(Module *m);
/* Part of loop_groups. */
void finish_vector_function(Kernel *k);
/* It is no kernel any more, whatever its body is. */
void become_vector_function(Module *m, LLVMValueRef variant);
/* Instead of its body; false: lanes exchange values. */
bool call_lane_by_lane(Module *m, LLVMValueRef vector_function);
/* Another function like the vector function of `called` that makes the calls so. */
LLVMValueRef scalar_vector_function(Module *m, LLVMValueRef called, LLVMValueRef vector, unsigned width);
/* Its parameters and results can be those of a vector function, with the ids of the thread as well. */
bool has_vector_signature(LLVMValueRef fn);

/* ---- parts of normalise_cfg ---- */
void hold_polled_loads(Module *m, LLVMValueRef fn);
void detect_warp_synchronous(Module *m, LLVMValueRef kernel);
/* Loops over small local arrays and tables are unrolled. */
void unroll_arrays(Module *m);
/* Phis of one expression become that expression; true if any did. */
bool join_expressions(Module *m, LLVMValueRef fn);
/* split_joins.c: edges that bring one value to a join, all from one branch, get a block of their own. */
void split_joins(LLVMValueRef fn);
/* No lane traps; runs even if normalise_cfg is off. */
void guard_divisions(Module *m, LLVMValueRef fn);
/* Of scalar code, before LLVM's instcombine, which makes other tests of guards, that hide the divisor; guard_divisions,
** or restore_normal_form, has to follow. */
void unguard_divisions(LLVMValueRef fn);
/* Normal form again, after edits of a kernel. */
void restore_normal_form(Module *m, LLVMValueRef fn);

/* ---- loops ---- */
/* Metadata of a cold loop, such as the remainder of another one: it is not versioned. */
#define LOOP_RARE "cucpu.loop.rare"
/* Iterations that a thread makes of a grid-stride loop before the next thread makes its own. */
#define LOOP_STRIP "cucpu.loop.strip"
/* #pragma unroll N or unroll 1 decides. */
bool unroll_is_decided(const Cfg *c, int loop);
/* For distribute_iterations and interchange_grid_stride (unrotate_loops.c). */
void expose_source_loops(Module *m, LLVMValueRef kernel);

/* ---- parts of make_variants ---- */
/* --disable=uniform_values and the like, for the analysis of shapes. */
void limit_shapes(Module *m, LLVMValueRef kernel);
void print_variants(const Module *m); /* the plans of all kernels, to stdout */
/* Clones a base kernel; block: only for this blockDim, NULL = any. */
LLVMValueRef add_variant(Module *m, LLVMValueRef kernel, int width, Layout layout, const unsigned block[3]);
/* cucpu.launches from the host half. */
void find_launch_sites(Module *m);
/* Warnings about __device__ variables that host code reads or writes. */
void check_host_variables(Module *m, LLVMModuleRef host);
/* interchange_plane_loop: what variant v is to be made of, and the fields of v for it; NULL = not applicable or not
** profitable. */
LLVMValueRef plane_loop_variant(Module *m, LLVMValueRef kernel, Variant *v);
void drop_plane_loop_variant(Module *m, LLVMValueRef copy, const Variant *v);
/* privatise_histogram: the same; counters: as in Variant. NULL = the kernel has no histogram. */
LLVMValueRef privatised_variant(Module *m, LLVMValueRef kernel, unsigned counters[3]);
/* coalesce_blocks of one kernel or variant. */
void coalesce_kernel(Module *m, LLVMValueRef fn);
void widen_global_ids(Module *m, LLVMValueRef fn); /* width 1: MD_WIDE_ID */
/* In a scalar variant: inlines the loops that outline_cas_loops has outlined. */
void inline_cas_loops(Module *m, LLVMValueRef variant);
/* reshape_block: whether the variant for blocks of one row, `launch`, is better compiled for `as`, several rows of as
** many threads. */
bool reshaped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], unsigned as[3]);
/* Whether it may be compiled for `as`, in which x and `dimension` are swapped: the number of lanes along that
** dimension, as many as columns consist of, up to width; 0: none. */
int swapped_block(Module *m, LLVMValueRef kernel, int width, const unsigned launch[3], int dimension, unsigned as[3]);
/* Reshapes the variant, except for the constants of `as`; its attributes say so. */
void reshape_block(Module *m, LLVMValueRef variant, const unsigned launch[3], const unsigned as[3]);
/* Lanes may be along y (1) or z (2) instead of x. */
bool may_swap_dimension(Module *m, LLVMValueRef kernel, int width, int dimension);
/* Swaps the two in a variant, blockDim as well, and the grid if its attributes say so (swapped_grid). */
void swap_dimension(Module *m, LLVMValueRef variant, int dimension);
/* The dimension that d becomes if x and `along` are swapped; along = 0: they are not. */
int swapped_dimension(int d, int along);

/* ---- parts of kernel passes that others call ---- */
/* --profile=lanes */
bool counts_lanes(const Module *m);
/* transpose_shared; true if anything has changed. */
bool transpose_tiles(Kernel *k);
/* narrow_values of one function; true if anything has changed. */
bool narrow_values_of(Module *m, LLVMValueRef fn);
/* Part of narrow_values: differences and sums of 8- or 16-bit integers. */
bool narrow_forms(Module *m, LLVMValueRef fn);
void mark_block_atomic(Module *m, LLVMValueRef atomic);
/* For relax_atomics. */
void mark_block_atomics(Module *m, LLVMValueRef kernel, const MemorySpaces *memory);
/* The value that an atomic writes, of scalars or vectors; NULL = an operation that is left alone. */
LLVMValueRef relaxed_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef old, LLVMValueRef v);
/* relax_atomics of a function that is no kernel. */
void relax_marked_atomics(Module *m, LLVMValueRef fn);
/* Kind of the metadata that mark_parallel sets. */
unsigned access_group_kind(const Module *m);
#endif
