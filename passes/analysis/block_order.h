/* block_order.h: the order of the blocks of a grid. */
#ifndef CUCPU_BLOCK_ORDER_H
#define CUCPU_BLOCK_ORDER_H
#include "passes/ir/kernel.h"

/* The dimension along which consecutive blocks should be, by what they access. flags: CUCPU_KERNEL_*. */
int block_order(Module *m, LLVMValueRef kernel, unsigned flags);
#endif
