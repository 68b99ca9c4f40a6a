/* shim.h: the few things the passes need that LLVM's C API lacks; see shim.cpp. */
#ifndef CUCPU_SHIM_H
#define CUCPU_SHIM_H
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif
/* A copy of the function (debug info included) with a new name, in the same module. */
LLVMValueRef shim_clone_function(LLVMValueRef fn, const char *name);
/* Splits the block in front of `at`; returns the new second half. */
LLVMBasicBlockRef shim_split_block(LLVMValueRef at, const char *name);
/* Replaces constant-expression uses of a global inside functions by instructions. */
void shim_expand_constant_uses(LLVMValueRef global);
/* Inlines one call; false if it cannot be inlined. */
bool shim_inline_call(LLVMValueRef call);
/* ConstantData poison of the type (LLVMGetPoison exists; this one is for vectors of i1 too). */
/* Sets how floating-point operations may be fused at code generation. */
LLVMTargetMachineRef shim_target_machine(const char *triple, const char *cpu, const char *features,
                                         int opt_level, bool fast, bool contract);
/* Cost facts of the target: bits of a vector register and number of vector registers. */
void shim_vector_registers(LLVMTargetMachineRef tm, LLVMValueRef fn, unsigned *bits, unsigned *count);
/* True if the target CPU has all of these features ("+avx2,+fma"). */
bool shim_has_features(LLVMTargetMachineRef tm, const char *features);
/* True if the alloca, load, ... has this known alignment; bytes. */
unsigned shim_pointer_align(LLVMValueRef ptr);
/* Drops lifetime intrinsics and debug records of a function. */
void shim_remove_phi_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);
void shim_set_phi_block(LLVMValueRef phi, unsigned i, LLVMBasicBlockRef bb);
void shim_clear_initializer(LLVMValueRef global);
#ifdef __cplusplus
}
#endif
#endif
