/* children.h: operations that kernels give to streams, as those who enqueue see them. */
#ifndef CUCPU_CHILDREN_H
#define CUCPU_CHILDREN_H
#include "exec/op.h"

/* In a kernel: op runs after its grid.  Owns op, also on errors. */
cudaError_t rt_add_child(cudaStream_t s, RtOp *op);
/* How deep a launch at this point is nested; cudaErrorLaunchMaxDepthExceeded. */
cudaError_t rt_child_depth(cudaStream_t s, uint32_t *depth);
cudaError_t rt_wait_for_children(void); /* in a kernel: until those are done that its grid has launched so far */
/* f is called by the thread that waits, in a kernel, before and after it. */
void rt_on_wait(void (*f)(bool begins));
#endif
