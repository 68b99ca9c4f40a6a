/* worker.h: this thread as one that runs blocks, for what kernels call. */
#ifndef CUCPU_WORKER_H
#define CUCPU_WORKER_H
#include "base/base.h"

typedef struct RtJob RtJob;
struct RtLaunch;
RtJob *rt_running_job(void);     /* whose kernel has called the runtime on this thread; NULL = none has */
uint64_t rt_running_block(void); /* linear index of the block that this thread runs, or the first of a joined row */
/* The block that this thread runs, if its kernel may leave it; *cluster: blocks that run together, 0 = no
** CUCPU_KERNEL_CLUSTER. */
CucpuBlock *rt_left_block(uint32_t *cluster);
/* This thread's memory and the launch, while it runs a kernel; else NULL. */
const CucpuWorker *rt_running_worker(const struct RtLaunch **launch);
void rt_worker_polls(void); /* groups of its block have looked and found nothing */
/* In a kernel: from true to false no other worker's fault ends it; such pairs may be nested.  For calls that take
** locks or memory. */
void rt_hold_signals(bool hold);

/* ---- faults ---- */
void rt_worker_fault(cudaError_t e) __attribute__((noreturn)); /* ends the running kernel */
void rt_describe_kernel(char *text, size_t bytes);             /* name, file:line and block of the running kernel */
void rt_install_fault_handlers(void);
#endif
