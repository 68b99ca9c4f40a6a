/* launch.h: a checked launch, and what decides how it runs. */
#ifndef CUCPU_EXEC_LAUNCH_H
#define CUCPU_EXEC_LAUNCH_H
#include "program/program.h"

typedef struct RtTrial RtTrial;
typedef struct RtLaunch {
    RtKernel *kernel;
    const CucpuVariant *variant;
    const CucpuVariant *overlapping; /* runs where arguments overlap; NULL = `variant` does in any case */
    RtTrial *trial;                  /* of this variant against the scalar one; NULL = the variant runs */
    uint32_t block[3]; /* blockDim of the launch; abi.block: of the threads that run (CUCPU_KERNEL_REPEATS_*) */
    CucpuLaunch abi;
    uint64_t blocks, shared_bytes, frame_bytes;
    uint32_t depth;   /* 0 = launched by the host */
    uint32_t order;   /* its number among operations of streams, where that is checked */
    uint64_t checked; /* its number, if its accesses are checked (check/); 0 = they are not */
} RtLaunch;

/* sched.c: runs the grid to its end; faults become the sticky error.  No lock may be held but that of the legacy
** stream. */
void rt_run_kernel(RtLaunch *l);

/* f is told of each grid before it runs, and again when it has (ended). */
void rt_on_grid(void (*f)(RtLaunch *l, bool ended));

/* ---- variant.c ---- */
/* variant, trial and frame_bytes, of a launch whose shape is known. */
cudaError_t rt_choose_variant(RtLaunch *l);
void rt_run_threads_apart(bool all, bool warps); /* checked kernels take their scalar variants */
/* guests.c: blocks that wait for others and those run in turns, one at a time. */
void rt_guests_take_turns(bool on);
bool rt_variant_fits(const RtLaunch *l, const CucpuVariant *v);

/* ---- apart.c ---- */
uintptr_t rt_argument(const RtLaunch *l, uint32_t i); /* a pointer */
struct RtAlloc;
bool rt_is_own_alloc(const struct RtAlloc *a);  /* accesses through a pointer into it stay in it */
bool rt_arguments_are_apart(const RtLaunch *l); /* as CucpuKernel.apart requires */

/* ---- online_autotune.c ---- */
RtTrial *rt_trial_of(const RtLaunch *l); /* NULL: none */
bool rt_scalar_first(const RtLaunch *l); /* the scalar variant is estimated faster */

/* ---- cluster.c ---- */
/* wanted: by the launch, all 0 = it does not name clusters.  *set: whether there are clusters at all; else n is 1 x
** 1 x 1. */
cudaError_t rt_cluster_of(const RtKernel *k, const uint32_t wanted[3], uint32_t n[3], bool *set);
cudaError_t rt_set_cluster(RtLaunch *l, const uint32_t wanted[3]); /* l->abi.cluster; checked */
uint32_t rt_max_cluster(const RtKernel *k);                        /* blocks */
typedef struct RtSlab {                                            /* memory of the blocks of a cluster, bytes */
    uint64_t shared, frame;                                        /* from one block to the next */
    uint64_t frames;                                               /* the first frame */
    uint64_t bytes;
} RtSlab;
uint32_t rt_cluster_blocks(const RtLaunch *l); /* that run together: 1 if the kernel has no such requirement */
RtSlab rt_cluster_slab(const RtLaunch *l);
#endif
