/* shim.h: the few things the passes need that the C API of LLVM lacks; shim.cpp, shim_loops.cpp, shim_target.cpp and
** shim_debug.cpp have them. */
#ifndef CUCPU_SHIM_H
#define CUCPU_SHIM_H
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif
/* The bytes as a zstd frame (malloc'ed); NULL: this LLVM cannot. And back; NULL: it is none, or damaged. */
char *shim_compress(const char *bytes, size_t n, size_t *size);
LLVMMemoryBufferRef shim_decompress(LLVMMemoryBufferRef packed);
/* A copy of the function (debug info included) with a new name, in the same module. */
LLVMValueRef shim_clone_function(LLVMValueRef fn, const char *name);
/* All blocks of one function become those of another, which has none. */
void shim_move_blocks(LLVMValueRef from, LLVMValueRef to);
/* Splits the block before `at`; returns the new second half. */
LLVMBasicBlockRef shim_split_block(LLVMValueRef at, const char *name);
/* These n predecessors lead to the block through a new one, whose name ends in `suffix`. */
void shim_split_predecessors(LLVMBasicBlockRef bb, LLVMBasicBlockRef *from, unsigned n, const char *suffix);
/* Replaces constant-expression uses of a global inside functions by instructions. */
void shim_expand_constant_uses(LLVMValueRef global);
/* Trip counts of the n loops of one function with these headers; 0 = not a constant. */
void shim_trip_counts(const LLVMBasicBlockRef *headers, int n, unsigned *trips);
/* An upper bound of the trip count of the loop with this header; 0 = not known. */
unsigned shim_max_trips(LLVMBasicBlockRef header);
/* The loop with this header ends by a test of a sum that goes up by the same, not constant, amount in each iteration,
** like k * step + start: the sum becomes a phi, and what computed it goes. The loop has a preheader and one latch. */
bool shim_expose_counter(LLVMBasicBlockRef header);
/* By how much the integer changes in each iteration of the loop with this header: UINT64_MAX, not a constant; 0, not
** affine, or not at all. */
uint64_t shim_loop_step(LLVMBasicBlockRef header, LLVMValueRef index);
/* Of an integer: all bits above these are 0. */
unsigned shim_active_bits(LLVMValueRef v);
/* The result of an instruction may be poison or undef though no operand is. */
bool shim_makes_poison(LLVMValueRef v);
/* The minimum and the maximum of an integer of up to 64 bits, wherever it is computed. The analysis of a function is
** valid until the function changes; the caller closes it. */
typedef struct ShimRange {
    uint64_t umin, umax;
    int64_t smin, smax;
} ShimRange;
typedef struct ShimLoops ShimLoops;
ShimLoops *shim_open_loops(LLVMValueRef fn);
ShimRange shim_range(ShimLoops *l, LLVMValueRef v);
void shim_close_loops(ShimLoops *l);
/* Unrolls a loop in normal form completely, with its exits; false if its trip count has no bound. */
bool shim_unroll_loop(LLVMBasicBlockRef header);
/* Unrolls a counted loop of one block (and an empty latch) by this factor; the remainder runs in a copy of it
** afterwards. False if it cannot be done; the loop may have lost its latch then, so the normal form has to be restored
** in both cases. */
bool shim_unroll_by(LLVMBasicBlockRef header, unsigned count);
/* Outlines the loop with this header and calls it; NULL if that cannot be done. */
LLVMValueRef shim_outline_loop(LLVMBasicBlockRef header, const char *name);
/* Functions with `...` take a pointer to a buffer instead, which callers fill by the ABI of the module's triple
** (nvptx64, not x86-64). */
void shim_expand_variadics(LLVMModuleRef m);
/* Inlines one call; false if it cannot be inlined. */
bool shim_inline_call(LLVMValueRef call);
/* Sets which floating-point operations may be fused at code generation. */
LLVMTargetMachineRef shim_target_machine(const char *triple, const char *cpu, const char *features, int opt_level,
                                         bool fast, bool contract);
/* True if LLVM knows this CPU and it runs 64-bit code; the X86 target must be initialized. */
bool shim_is_x86_64(const char *cpu);
void shim_drop_module_flag(LLVMModuleRef m, const char *name);
/* Cost parameters of the target: bits of a vector register and number of vector registers. */
void shim_vector_registers(LLVMTargetMachineRef tm, LLVMValueRef fn, unsigned *bits, unsigned *count);
/* What an instruction costs where it is done for vectors of so many lanes, by the target's cost tables (TTI): cycles to
** its result, or in simple vector instructions; < 0: the tables have no entry. */
typedef enum ShimCost { SHIM_LATENCY, SHIM_THROUGHPUT } ShimCost;
double shim_cost(LLVMTargetMachineRef tm, LLVMValueRef inst, unsigned lanes, ShimCost kind);
/* The same for a gather or scatter of so many lanes: the load or store is that of one lane. */
double shim_gather_cost(LLVMTargetMachineRef tm, LLVMValueRef access, unsigned lanes);
/* An instruction of the target in the processor's scheduling model. */
enum { SHIM_RESOURCES = 64 };
typedef struct ShimSchedule {
    bool known;
    double latency, throughput;  /* cycles to the result; from one to the next if nothing else runs */
    double busy[SHIM_RESOURCES]; /* cycles of each kind of execution unit, by the number of units */
    unsigned uops;
} ShimSchedule;
/* Fills one row for each name ("VADDPSrr", ...; NULL: none). */
void shim_schedules(LLVMTargetMachineRef tm, LLVMValueRef fn, const char *const *names, unsigned n, ShimSchedule *out);
typedef struct ShimProcessor {
    unsigned issue_width, load_latency, mispredict_penalty; /* micro-operations per cycle; cycles */
} ShimProcessor;
ShimProcessor shim_processor(LLVMTargetMachineRef tm, LLVMValueRef fn);
/* Micro-operations that wait for their operands at once, by the processor's scheduling model: the size of the smallest
** scheduler. */
unsigned shim_scheduler_size(LLVMTargetMachineRef tm, LLVMValueRef fn);
/* True if the target has instructions for such a masked access of a vector; align: of an element, bytes. */
typedef enum ShimMasked { SHIM_LOAD, SHIM_STORE, SHIM_GATHER, SHIM_SCATTER } ShimMasked;
bool shim_masked_is_native(LLVMTargetMachineRef tm, LLVMValueRef fn, LLVMTypeRef vector, ShimMasked kind,
                           unsigned align);
/* True if the target CPU has all of these features ("+avx2,+fma"). */
bool shim_has_features(LLVMTargetMachineRef tm, const char *features);
/* True if the alloca, load, ... has this known alignment; bytes. */
unsigned shim_pointer_align(LLVMValueRef ptr);
/* The bytes that a GEP adds to its pointer, if they are a constant. */
bool shim_gep_offset(LLVMTargetDataRef dl, LLVMValueRef gep, int64_t *bytes);
void shim_remove_phi_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
void shim_set_phi_block(LLVMValueRef phi, unsigned i, LLVMBasicBlockRef bb);
/* Replaces the loads and stores of an alloca that has no other uses by values; visits only the blocks between loads and
** stores. */
void shim_promote_slot(LLVMValueRef alloca);
/* What instsimplify does, by operands alone: not by facts from an access, a call or a branch before the value. */
void shim_simplify_values(LLVMValueRef fn);
/* Sets an integer or a switch among the options of LLVM's command line; for the whole process. */
void shim_set_option(const char *name, unsigned value);
void shim_set_flag(const char *name, bool value);
/* The same for a switch that LLVM tests only if it was given. */
void shim_give_flag(const char *name, bool value);
/* Runs a pipeline on the module, but no optional pass (its class name) that `skip` rejects for a function, or for the
** module (NULL). */
typedef bool ShimSkip(const char *pass, LLVMValueRef fn, void *context);
void shim_run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *list, ShimSkip *skip, void *context);
/* What the pass loop-rotate does, on loops in simplified form. */
void shim_rotate_loops(LLVMTargetMachineRef tm, LLVMValueRef fn);
void shim_clear_initializer(LLVMValueRef global);
/* Makes the function a declaration. */
void shim_delete_body(LLVMValueRef fn);
bool shim_only_reads(LLVMValueRef call);
bool shim_is_local(LLVMValueRef p);                /* whatever it points to is an alloca */
void shim_set_memory(LLVMValueRef fn, bool reads); /* touches no memory, or only reads it */
void shim_read_bodies(LLVMModuleRef m);            /* of a module that was read without them */
/* The C++ name of a symbol, or a copy of the symbol; to be freed. */
char *shim_demangle(const char *symbol);
/* Where the instruction is: in which function, and line of which file; depth 1: the call that was inlined there, and so
** on.  false: there are not so many.  What is not known is NULL or 0. */
bool shim_source_frame(LLVMValueRef inst, unsigned depth, const char **symbol, const char **file, unsigned *line);
/* The n bytes as a JSON string, quotes included; to be freed. */
char *shim_json_string(const char *s, size_t n);
/* Drops nuw, nsw, exact, ... of an instruction. */
void shim_drop_flags(LLVMValueRef inst);
/* Gives it these fast-math flags (LLVMFastMathFlags) and no others. */
void shim_set_fast_math(LLVMValueRef inst, unsigned flags);
/* Copies the flags of the old instruction: nuw, nsw, exact, fast-math, ... */
void shim_copy_flags(LLVMValueRef to, LLVMValueRef from);
/* Keeps a function that is not called yet, or a variable (llvm.compiler.used). */
void shim_keep(LLVMValueRef global);
/* What the pointer is computed from by constant and other offsets: a variable, parameter, call, load, phi, ...
** *offset: bytes from there; *exact: all of it is constant. */
LLVMValueRef shim_object_of(LLVMTargetDataRef layout, LLVMValueRef pointer, int64_t *offset, bool *exact);
/* A new access group, as a value for LLVMSetMetadata. */
LLVMValueRef shim_access_group(LLVMContextRef context);
/* A lower bound of the number of equal highest bits of an integer (of each lane). */
unsigned shim_sign_bits(LLVMValueRef v);
/* Before code generation: turns off what LLVM 22 does wrong, and locations of variables where there are none. */
void shim_prepare_codegen(LLVMModuleRef m);
/* Adds what counts lines and saves the counts, for the files that clang has named in !llvm.gcov, which
** is deleted; writes the .gcno. */
void shim_instrument_coverage(LLVMModuleRef m);
/* The same for counters that clang has put into the code (-fprofile-instr-generate). */
void shim_instrument_profile(LLVMModuleRef m);
/* Adds a constructor. */
void shim_add_constructor(LLVMValueRef fn, int priority);

/* ---- debug information ---- */
/* Functions have their linkage names in line tables, too. */
void shim_name_subprograms(LLVMModuleRef m);
/* The module describes variables (-g, not line tables alone). */
bool shim_has_variables(LLVMModuleRef m);
/* The record says where a variable is, exactly or from a bit of it on, with no further computation. */
bool shim_debug_part(LLVMDbgRecordRef record, uint64_t *first_bit);
/* Of what a pointer in memory points to, where the expression is of the pointer itself. */
LLVMMetadataRef shim_dereferenced(LLVMMetadataRef expression);
/* Of a variable of the source, local or global: bytes, 0 = not known. */
uint64_t shim_variable_size(LLVMMetadataRef variable);
/* The variable of the source that a global is; NULL: none.  Debug information forgets it. */
LLVMMetadataRef shim_take_variable(LLVMValueRef global);
/* A local variable of that scope with the name and type of a global one. */
LLVMMetadataRef shim_local_variable(LLVMMetadataRef global, LLVMMetadataRef scope);
/* Debug information takes the code of fn, with what is inlined there, for inlined itself: into a function of this name
** that has nothing else. */
void shim_inline_subprogram(LLVMValueRef fn, const char *name);
/* The function, inlined or not, whose code has this location, or variable. */
LLVMMetadataRef shim_subprogram_of(LLVMMetadataRef location_or_variable);
#ifdef __cplusplus
}
#endif
#endif
