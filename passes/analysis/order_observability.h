/* order_observability.h: whether the results of a kernel depend on the order in which its threads ran.
**
** Sums of floats by atomics are rounded in the order of the threads, and printf prints in it. Other results that depend
** on the order (which index a thread gets from a counter) are undefined in CUDA, and do not count.
** Sums in shared memory are equal in code of any number of lanes if no thread can reach two of their atomics, nor one
** of them twice, on one address between two barriers of the block: each then iterates over the lanes of one group after
** the other, which is the order of the threads. */
#ifndef CUCPU_ORDER_OBSERVABILITY_H
#define CUCPU_ORDER_OBSERVABILITY_H
#include <llvm-c/Core.h>
#include <stdbool.h>

/* How results depend on the order of threads, hence on which code ran: not, sums of floats in global memory, or the
** same each time however many workers there are. */
typedef enum Order { ORDER_HIDDEN, ORDER_OF_SUMS, ORDER_SHOWN } Order;

/* in_order: where all threads of the block synchronise at each barrier, both variants run them in their order in
** between. Also scans called functions. */
Order observable_order(LLVMValueRef kernel, bool in_order);
#endif
