/* job.h: a grid that runs, as the files that run it see it.
**
** The thread that calls rt_run_kernel owns the job, on its stack; workers share it until they have left it. */
#ifndef CUCPU_JOB_H
#define CUCPU_JOB_H
#include "exec/launch.h"
#include "exec/worker.h"

/* What a launch contributes to a trial. */
typedef struct RtSamples {
    const CucpuVariant *taken, *other; /* the variant of this launch, as a rule, and the other one */
    _Atomic bool open;                 /* no worker has taken samples yet */
    bool whole;                        /* the launch itself is a sample */
    bool few;                          /* a chunk had too few blocks for samples */
    bool probe;                        /* all that is wanted */
    bool probed;                       /* a few blocks of the other one have run, and took */
    double seen;                       /* as many times as long */
    uint64_t blocks;                   /* of a sample; 0 = there were too few */
    uint64_t ticks[2];                 /* the least for either */
    int wins;                          /* of the other one, in a row */
    bool clear;                        /* no doubt that it is faster */
} RtSamples;

/* Consecutive blocks, on cache lines of its own. */
typedef struct RtRange {
    _Atomic uint64_t next; /* first block that no worker has taken */
    uint64_t end;
    char pad[112];
} RtRange;

/* Arguments for which each worker has private counters. */
enum { RT_COUNTERS = 4 };
typedef struct RtCounter {
    uint32_t param, size; /* bytes of an element */
    uintptr_t base;       /* of the allocation */
    size_t bytes, offset; /* of the allocation; of the argument in it */
} RtCounter;
typedef struct RtCounters {
    int n;
    RtCounter of[RT_COUNTERS];
} RtCounters;

struct RtJob {
    const RtLaunch *launch;
    _Atomic(const CucpuVariant *) variant; /* of the blocks */
    const RtCounters *counters;            /* NULL = none; else `variant` is for launches of rt_counters_begin alone */
    RtSamples *samples;                    /* NULL = no trial in this launch */
    uint64_t blocks;                       /* or clusters, if `cluster` is not 0 */
    RtRange *ranges; /* what is left of the grid, in order; worker i begins with range i % nranges */
    uint32_t nranges;
    uint32_t parts;    /* a chunk is 1/parts of what a range has left */
    _Atomic int fault; /* cudaError_t of the first fault, else 0 */
    char pad[128];
    _Atomic uint64_t work;    /* ticks that workers have spent in it */
    _Atomic uint64_t waiting; /* blocks that wait for the grid */
    RtRange whole;
    struct RtGuests *guests; /* NULL = the grid has none */
    uint32_t cluster;        /* blocks that run together, entered one by one and again; 0 = chunks of blocks run */
    uint32_t launched;       /* the correlation of the launch, if it is recorded */
    uint32_t in_order;       /* chunks are taken cluster by cluster, of so many blocks; 0 = in linear order */
    char *memory;            /* cooperative: of every cluster */
    RtSlab slab;
    _Atomic(struct RtChildren *) children; /* NULL = its kernel has launched nothing */
};

/* ---- worker.c ---- */
/* Runs chunks of the job on this thread, at most `chunks`, until none is left or the job failed. */
void rt_worker_run(RtJob *job, int index, uint32_t chunks);
void rt_worker_left(const RtJob *job); /* this thread runs no more of it */

/* ---- cluster.c ---- */
void rt_cluster_clear(char *slab, const RtSlab *s, uint32_t blocks);         /* none of them has begun */
uint64_t rt_block_at(const CucpuLaunch *l, uint64_t cluster, uint32_t rank); /* its linear index */
/* Runs a cluster until all its blocks have ended or wait for the grid; w: of this thread. */
void rt_run_cluster(RtJob *job, CucpuWorker *w, char *slab, uint64_t number);

/* ---- online_autotune.c ---- */
/* Chooses the variant of the job, and whether samples are taken; `samples` lives as long as the job. */
void rt_trial_begin(RtJob *job, RtSamples *samples);
/* A worker's chunk: takes the samples from its start; returns the first block that is left. */
uint64_t rt_trial_run(RtJob *job, CucpuWorker *w, uint64_t first, uint64_t end);
void rt_trial_end(RtJob *job); /* the workers have left the job */

/* ---- counters.c ---- */
typedef struct RtTally RtTally; /* a worker's counters */
/* The launch, whose arguments are there, takes CucpuKernel.counting. */
bool rt_counters_of(const RtLaunch *l, RtCounters *c);
/* What the worker runs blocks of the job with; NULL: no memory, it takes the launch and its variant as they are.
** *tally: of the worker, NULL at first. */
const CucpuLaunch *rt_counters_begin(RtTally **tally, const RtJob *job);
void rt_counters_end(RtTally *t, const RtJob *job); /* the worker has left the job: adds its sums to the real ones */
void rt_counters_print(const RtTally *t);           /* after a fault: which addresses the worker counts at */
void rt_counters_free(RtTally *t);

/* ---- record.c ---- */
void rt_record_kernel(const RtJob *job, uint64_t start, int threads);
/* What this worker did of it; the time since its last share of the same grid counts as a part of it. */
void rt_record_share(const RtJob *job, int index, uint64_t start, uint64_t end, uint64_t blocks);

/* ---- guests.c: of a grid that may wait for blocks that no worker has begun ---- */
void rt_guests_open(RtJob *job);   /* before the workers run it */
void rt_guests_polled(RtJob *job); /* by a thread that runs a block of it */
void rt_guests_close(RtJob *job);  /* the workers have left it */

/* ---- children.c ---- */
void rt_run_children(RtJob *job);    /* the workers have left the job, which has children; frees them */
void rt_children_polled(RtJob *job); /* by a block of it, which may wait for them */
#endif
