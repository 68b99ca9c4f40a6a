/* order_observability.h: whether the results of a kernel tell in which order its threads ran.
**
** Sums of floats by atomics are rounded in the order of the threads, and printf prints in it.
*Whatever else depends on the
** order (which place a thread gets of a counter) CUDA leaves open, and so do we.
** Sums in shared memory come out alike in code of any number of lanes if no thread can reach two of
*their atomics, nor
** one of them twice, on one address between two barriers of the block: each then goes through the
*lanes of one group after the
** other, which is the order of the threads. */
#ifndef CUCPU_ORDER_OBSERVABILITY_H
#define CUCPU_ORDER_OBSERVABILITY_H
#include <llvm-c/Core.h>
#include <stdbool.h>

/* What results tell of the order of threads, hence of which code ran: nothing, sums of floats in
*global memory, or what is the same
** each time however many workers there are. */
typedef enum Order { ORDER_HIDDEN, ORDER_OF_SUMS, ORDER_SHOWN } Order;

/* in_turn: where all threads of the block meet at each barrier, both codes take them in their order
 * in between.  Looks into called functions. */
Order observable_order(LLVMValueRef kernel, bool in_turn);
#endif
