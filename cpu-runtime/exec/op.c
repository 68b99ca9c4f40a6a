/* op.c: operations: what streams queue, graphs consist of and kernels launch. */
#include "exec/op.h"
#include "base/limits.h"
#include <stdlib.h>

void *rt_new_op(size_t bytes, RtRun *run, RtRun *drop) {
    RtOp *op = aligned_alloc(RT_ARG_ALIGN, RT_ROUND(bytes, RT_ARG_ALIGN));
    if (op) *op = (RtOp){.run = run, .drop = drop, .refs = 1, .correlation = rt_profiled ? rt_doing().correlation : 0};
    return op;
}

void rt_keep_op(RtOp *op) { op->refs++; }

void rt_drop_op(RtOp *op) {
    if (--op->refs) return;
    if (op->drop) op->drop(op);
    free(op);
}

RtDoing rt_doing_op(const RtOp *op, uint32_t stream) { return rt_set_doing((RtDoing){op->correlation, stream}); }

void rt_run_op(RtOp *op) {
    if (op->always || !rt_sticky()) op->run(op);
}
