/* edit.h: small edits of LLVM IR that several passes need. */
#ifndef CUCPU_EDIT_H
#define CUCPU_EDIT_H
#include "passes/ir/value.h"
#include "passes/support/arena.h"

/* New instructions go before i, with its debug location (IRBuilder::SetInsertPoint). */
void set_insert_point(LLVMBuilderRef b, LLVMValueRef i);
/* v replaces the instruction, which is deleted. */
void replace_instruction(LLVMValueRef i, LLVMValueRef v);
/* Deletes the instruction; its uses become poison. */
void erase_instruction(LLVMValueRef i);
/* A call of the intrinsic over the type of x: llvm.umin and its like. */
LLVMValueRef build_intrinsic2(LLVMBuilderRef b, const char *name, LLVMValueRef x, LLVMValueRef y);
/* The lanes of x and y, numbered one after the other; y NULL, or a number below 0: poison. */
LLVMValueRef build_shuffle(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, const int *lane, unsigned n);
/* n lanes of v from this one on, of which there may be fewer; a scalar is one lane.  Of all lanes: v itself. */
LLVMValueRef build_lanes(LLVMBuilderRef b, LLVMValueRef v, unsigned from, unsigned n);
/* A call of the function of this name, which is declared if there is none. */
LLVMValueRef build_named_call(LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned n);
/* First instruction of the block that is not a phi. */
LLVMValueRef first_after_phis(LLVMBasicBlockRef bb);
/* The insertion point for a value that becomes operand k of `user`: before the user, or for a phi at the end of the
** incoming block. */
LLVMValueRef operand_insertion_point(LLVMValueRef user, unsigned k);
/* A new alloca at the start of the function. */
LLVMValueRef entry_alloca(LLVMValueRef fn, LLVMTypeRef type, const char *name);
/* A global of internal linkage with this value. */
LLVMValueRef internal_global(LLVMModuleRef mod, LLVMValueRef init, const char *name, bool constant);
/* The same for memory that every use fills before it reads: it is not live across a barrier. */
LLVMValueRef entry_scratch(LLVMValueRef fn, LLVMTypeRef type, const char *name);
bool is_scratch(LLVMValueRef alloca);
/* Clones an instruction, operands unchanged, inserts it at the builder and names it. */
LLVMValueRef clone_at(LLVMBuilderRef b, LLVMValueRef inst);
/* The operand that the phi has for that predecessor; NULL: none. */
LLVMValueRef value_from(LLVMValueRef phi, LLVMBasicBlockRef from);
/* The number of lanes of a vector type, 1 for scalars. */
unsigned lanes_of(LLVMTypeRef t);
/* An integer or pointer constant i32. */
LLVMValueRef const_i32(LLVMValueRef in_function, uint64_t v);
LLVMValueRef const_i64(LLVMContextRef c, uint64_t v);
bool is_void(LLVMValueRef inst);
long function_size(LLVMValueRef fn); /* instructions */
/* By strict aliasing (TBAA) the two accesses are to different memory. Scalar types only. */
bool types_apart(LLVMValueRef a, LLVMValueRef b);
/* Some instruction that uses the value, or a constant that contains it; NULL: there is none. */
LLVMValueRef first_use(LLVMValueRef v);
/* A call that only computes: of an LLVM intrinsic that accesses no memory and may be speculated. */
bool is_pure_intrinsic(LLVMValueRef inst);
bool is_assume(LLVMValueRef inst);
/* The same, and the function is llvm.fma or llvm.fmuladd. */
bool is_fma(LLVMValueRef inst);
/* A call of llvm.lifetime.start or end. */
bool is_lifetime(LLVMValueRef inst);
/* `b swapped a` is equivalent to `a p b`. */
LLVMIntPredicate swapped_predicate(LLVMIntPredicate p);
/* `a inverse b` is the negation of `a p b`. */
LLVMIntPredicate inverse_predicate(LLVMIntPredicate p);
/* i is an integer minimum or maximum: *p is what an operand is to the other one where it is the result. */
bool min_max_predicate(LLVMValueRef i, LLVMIntPredicate *p);
/* <, <=, signed or not */
bool is_less_predicate(LLVMIntPredicate p);
/* <n x i1>, a mask of n lanes. */
bool is_vector_of_bits(LLVMValueRef v);
/* The store writes a modified value back to where it was loaded just before: other groups run before or after both. If
** the load is marked as well, nothing between them has an effect, and they are the only accesses. */
void mark_undivided(LLVMValueRef access);
bool is_undivided(LLVMValueRef inst);
/* The masked store is to memory that only the thread that runs its block writes meanwhile, with CUCPU_SHARED_SLACK
** bytes around it. */
void mark_blendable(LLVMValueRef store);
bool is_blendable(LLVMValueRef inst);
/* The gather or scatter accesses a column of a matrix, and threads further along y its neighbours (MD_COLUMNS), unless
** an index wraps (MD_WRAPS). */
void mark_columns(LLVMValueRef access, bool wraps);
/* A counter of coverage, or what describes it, of which clang's runtime library has the sections. */
bool is_coverage(LLVMValueRef v);
bool is_of_columns(LLVMValueRef inst);
bool columns_may_wrap(LLVMValueRef inst);
/* Changes each instruction of the module that the predicate accepts; replacements are not visited again. */
void change_instructions(LLVMModuleRef mod, bool (*takes)(LLVMValueRef i),
                         void (*change)(LLVMBuilderRef b, LLVMValueRef i));
/* Removes unused instructions without side effects from the function until none is left. */
void delete_dead(LLVMValueRef fn);
#endif
