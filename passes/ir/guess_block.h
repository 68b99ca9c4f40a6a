/* guess_block: with which blocks a kernel is probably launched. */
#ifndef CUCPU_GUESS_BLOCK_H
#define CUCPU_GUESS_BLOCK_H
#include <llvm-c/Core.h>

/* For a kernel that still reads special registers: sets cucpu.usual, or nothing. */
void guess_block(LLVMModuleRef m, LLVMValueRef fn);
#endif
