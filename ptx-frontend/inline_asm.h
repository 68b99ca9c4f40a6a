/* inline_asm.h: inline PTX in device code becomes IR. */
#ifndef CUCPU_INLINE_ASM_H
#define CUCPU_INLINE_ASM_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>

/* Translates the inline assembly that `call` calls; the builder is positioned before it.  NULL: the
** call's uses (if it has a result) are replaced, and the caller erases it.  Otherwise the reason, in the arena or
** static, why it is not understood, and nothing was built. */
const char *inline_asm_translate(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call, int warp_size, Arena *arena);
#endif
