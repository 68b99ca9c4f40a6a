/* strided_loops.h: loops in which threads step through memory by rows of a matrix or by planes. */
#ifndef CUCPU_STRIDED_LOOPS_H
#define CUCPU_STRIDED_LOOPS_H
#include "passes/ir/cfg.h"

/* The address or type of a load or store; NULL = i is neither. */
LLVMValueRef accessed_address(LLVMValueRef i, LLVMTypeRef *type);

/* The address p changes from iteration to iteration of the loop by a value unknown here, or by `far` bytes. */
bool strides_far(const Cfg *c, LLVMValueRef p, int loop, int64_t far);

/* The load accesses memory whose distance from that of another load of the same loop is not known here, though both
** have one base: mostly neighbouring rows, which neighbouring threads access in the same iteration. */
bool has_neighbouring_row(const Cfg *c, LLVMValueRef load, int loop);
#endif
