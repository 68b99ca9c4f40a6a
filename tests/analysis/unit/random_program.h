/* random_program.h: random kernels in the normal form that the analysis requires, for property tests.
** A kernel is `void k(ptr, i8, i32)`; it calls ids (cucpu.*) and `i32 vary()` (any value per thread),
** loads an i8 from its parameter, and may have a local array of four i8. */
#ifndef CUCPU_TESTS_RANDOM_PROGRAM_H
#define CUCPU_TESTS_RANDOM_PROGRAM_H
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

void rnd_seed(uint64_t seed);
uint64_t rnd(void);
int rnd_below(int n);
LLVMValueRef random_program(LLVMContextRef c, LLVMModuleRef *module, uint64_t seed);
#endif
