/* inline_asm.h: inline PTX in device code becomes IR. */
#ifndef CUCPU_INLINE_ASM_H
#define CUCPU_INLINE_ASM_H
#include <llvm-c/Core.h>
#include <stdbool.h>

/* Translates the inline assembly that `call` calls; the builder stands in front of it.  True: the
** call's uses (if it has a result) are replaced, and the caller erases it.  False: not understood,
** and nothing was built. */
bool inline_asm_translate(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call);
#endif
