/* block_order.h: in which order the blocks of a grid follow each other. */
#ifndef CUCPU_BLOCK_ORDER_H
#define CUCPU_BLOCK_ORDER_H
#include "passes/ir/kernel.h"

/* The dimension along which its blocks had better follow each other, by what they access.  flags: CUCPU_KERNEL_*. */
int block_order(Module *m, LLVMValueRef kernel, unsigned flags);
#endif
