/* op.h: operations: what streams queue, graphs consist of and kernels launch.
**
** They are counted: the last owner frees an operation and what it owns. */
#ifndef CUCPU_OP_H
#define CUCPU_OP_H
#include "base/base.h"

typedef struct RtOp RtOp;
typedef void RtRun(RtOp *op);
struct RtOp {    /* the head of every operation */
    RtRun *run;  /* may be called several times: graphs; NULL = a wait mark */
    RtRun *drop; /* frees what the op owns; may be NULL */
    RtOp *next;
    _Atomic int refs;
    int kind;             /* enum cudaGraphNodeType */
    uint32_t order;       /* its number among operations, where that is checked: check/check.h */
    uint32_t correlation; /* of the call that has made it, if that is recorded */
    bool always;          /* runs also after a fault */
    bool instant;         /* the record of an event: takes no time */
};
void *rt_new_op(size_t bytes, RtRun *run, RtRun *drop); /* RT_ARG_ALIGN aligned; NULL = no memory */
void rt_keep_op(RtOp *op);                              /* one more owner */
void rt_drop_op(RtOp *op);                              /* one less */
void rt_run_op(RtOp *op);                               /* now, on this thread */
RtDoing rt_doing_op(const RtOp *op, uint32_t stream);   /* what it does is recorded as that; returns what was before */
#endif
