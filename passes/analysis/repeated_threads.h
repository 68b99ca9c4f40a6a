/* repeated_threads.h: dimensions of the block along which all threads do the same. */
#ifndef CUCPU_REPEATED_THREADS_H
#define CUCPU_REPEATED_THREADS_H
#include <llvm-c/Core.h>

/* Bits of the dimensions y and z (1 << 1, 1 << 2) of which one layer of threads may run for all of them; 0 = none.
** Per-thread code of a kernel, inlined. */
unsigned repeated_dimensions(LLVMValueRef kernel);
#endif
