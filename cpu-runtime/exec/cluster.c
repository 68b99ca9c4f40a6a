/* cluster.c: clusters of blocks: which a launch has, and how one runs.
**
** Blocks whose kernel waits for its cluster, or looks into the shared memory of other blocks (CUCPU_KERNEL_CLUSTER),
** run cluster by cluster: one worker has the memory of all blocks of a cluster and enters them one after another,
** until each waits for the others, polls, or ends.  Once all threads that have not returned have arrived at the
** barrier of the cluster, it is met, and those who wait are entered again.  So nothing of a cluster runs at the same
** time: what a block does between two such points is one step for the others, and an access to the shared memory of
** another block, atomic or not, needs no more than one to its own. Kernels with barriers of the grid run likewise, a
** cluster being one block where they have none; those blocks keep their memory, and the next phase enters them
** again. Any other kernel cannot observe where its blocks run: only one that polls needs those of a cluster together
** (rt_block_at, guests.c). */
#include "base/limits.h"
#include "exec/job.h"
#include <sched.h>
#include <string.h>

enum { PORTABLE = 8, MAX_IDLE = 64 }; /* MAX_IDLE: iterations without progress before the core is yielded */

/* ---- at a launch ---- */

static uint32_t product(const uint32_t n[3]) { return n[0] * n[1] * n[2]; }

uint32_t rt_max_cluster(const RtKernel *k) {
    uint32_t max = atomic_load_explicit(&k->nonportable_cluster, memory_order_relaxed) ? RT_MAX_CLUSTER : PORTABLE;
    return k->abi->max_cluster && k->abi->max_cluster < max ? k->abi->max_cluster : max;
}

static bool is_valid(const RtKernel *k, const uint32_t n[3]) {
    for (int d = 0; d < 3; d++)
        if (!n[d] || n[d] > RT_MAX_CLUSTER) return false;
    return product(n) <= rt_max_cluster(k);
}

cudaError_t rt_cluster_of(const RtKernel *k, const uint32_t wanted[3], uint32_t n[3], bool *set) {
    bool named = wanted[0] || wanted[1] || wanted[2], fixed = rt_required_cluster(k, n);
    *set = fixed || named;
    if (fixed && named && memcmp(n, wanted, 3 * sizeof *n)) return cudaErrorInvalidClusterSize;
    if (named) memcpy(n, wanted, 3 * sizeof *n);
    if (*set) return is_valid(k, n) ? cudaSuccess : cudaErrorInvalidClusterSize;
    n[0] = n[1] = n[2] = 1;
    return k->abi->flags & CUCPU_KERNEL_EXPLICIT_CLUSTER ? cudaErrorInvalidClusterSize : cudaSuccess;
}

cudaError_t rt_set_cluster(RtLaunch *l, const uint32_t wanted[3]) {
    bool set;
    RT_TRY(rt_cluster_of(l->kernel, wanted, l->abi.cluster, &set));
    l->abi.cluster_set = set;
    for (int d = 0; d < 3 && set; d++)
        if (l->abi.grid[d] % l->abi.cluster[d]) return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* ---- the memory of the blocks of a cluster ---- */

uint32_t rt_cluster_blocks(const RtLaunch *l) {
    return l->kernel->abi->flags & CUCPU_KERNEL_CLUSTER ? product(l->abi.cluster) : 1;
}

static uint64_t power_of_two(uint64_t n) {
    uint64_t p = 1;
    while (p < n) p *= 2;
    return p;
}

/* Shared memory of all blocks in a row, then their frames. */
RtSlab rt_cluster_slab(const RtLaunch *l) {
    uint64_t n = rt_cluster_blocks(l), shared = RT_ROUND(l->shared_bytes, RT_BLOCK_ALIGN) + 2 * CUCPU_SHARED_SLACK;
    RtSlab s = {.shared = l->kernel->abi->flags & CUCPU_KERNEL_CLUSTER ? power_of_two(shared) : shared,
                .frame = RT_ROUND(l->frame_bytes, RT_BLOCK_ALIGN)};
    s.frames = CUCPU_SHARED_SLACK + n * s.shared;
    s.bytes = s.frames + n * s.frame;
    return s;
}

void rt_cluster_clear(char *slab, const RtSlab *s, uint32_t blocks) {
    for (uint32_t r = 0; r < blocks; r++) memset(slab + s->frames + r * s->frame, 0, sizeof(CucpuBlock));
}

/* ---- a cluster runs ---- */

typedef struct Cluster {
    RtJob *job;
    CucpuWorker *w;
    char *slab;
    uint32_t blocks;
    uint64_t block[RT_MAX_CLUSTER]; /* linear index */
    uint32_t order[RT_MAX_CLUSTER];
} Cluster;

uint64_t rt_block_at(const CucpuLaunch *l, uint64_t cluster, uint32_t rank) {
    uint64_t at[3], gx = l->grid[0] / l->cluster[0], gy = l->grid[1] / l->cluster[1];
    at[0] = cluster % gx * l->cluster[0] + rank % l->cluster[0];
    at[1] = cluster / gx % gy * l->cluster[1] + rank / l->cluster[0] % l->cluster[1];
    at[2] = cluster / gx / gy * l->cluster[2] + rank / l->cluster[0] / l->cluster[1];
    return (at[2] * l->grid[1] + at[1]) * l->grid[0] + at[0];
}

static CucpuBlock *block_of(const Cluster *c, uint32_t rank) {
    const RtSlab *s = &c->job->slab;
    return (CucpuBlock *)(void *)(c->slab + s->frames + rank * s->frame);
}

static bool has_ended(const CucpuBlock *b) { return b->state == CUCPU_BLOCK_DONE; }

/* It has not begun, continues after a barrier, or polls. */
static bool can_go_on(const CucpuBlock *b) {
    if (has_ended(b)) return false;
    return b->state == CUCPU_BLOCK_FRESH || !b->why || b->why == CUCPU_LEFT_POLLS ||
           (b->why == CUCPU_LEFT_CLUSTER && b->met);
}

static void enter(Cluster *c, uint32_t rank) {
    const RtSlab *s = &c->job->slab;
    CucpuBlock *b = block_of(c, rank);
    uint64_t block = c->block[rank];
    c->w->cluster = c->slab + CUCPU_SHARED_SLACK;
    c->w->cluster_stride = (uint32_t)s->shared;
    c->w->shared = c->slab + CUCPU_SHARED_SLACK + rank * s->shared;
    c->w->frame = b;
    c->w->block = block;
    c->job->launch->variant->entry(&c->job->launch->abi, c->w, block, block + 1);
    b->met = 0; /* code without arrivals of its own does not look at it */
}

/* Each block that can; *polls: all that did only poll.  False: none can. */
static bool enter_all(Cluster *c, bool *polls) {
    bool any = false;
    *polls = true;
    for (uint32_t i = 0; i < c->blocks; i++) {
        CucpuBlock *b = block_of(c, c->order[i]);
        if (!can_go_on(b)) continue;
        enter(c, c->order[i]);
        any = true;
        *polls &= !has_ended(b) && b->why == CUCPU_LEFT_POLLS;
    }
    return any;
}

/* All that have not ended have arrived: the barrier is met. */
static bool meet(Cluster *c) {
    bool any = false;
    for (uint32_t r = 0; r < c->blocks; r++) {
        const CucpuBlock *b = block_of(c, r);
        if (has_ended(b)) continue;
        if (!b->ready) return false;
        any = true;
    }
    for (uint32_t r = 0; r < c->blocks; r++) {
        CucpuBlock *b = block_of(c, r);
        if (has_ended(b)) continue;
        b->met = 1;
        b->ready = 0;
    }
    return any;
}

/* What waits now, waits for the grid. */
static void leave(const Cluster *c) {
    uint32_t grid = 0, cluster = 0;
    char where[512];
    for (uint32_t r = 0; r < c->blocks; r++) {
        const CucpuBlock *b = block_of(c, r);
        if (!has_ended(b)) ++*(b->why == CUCPU_LEFT_CLUSTER ? &cluster : &grid);
    }
    if (!grid && !cluster) return;
    if (!cluster && c->job->memory) {
        atomic_fetch_add_explicit(&c->job->waiting, 1, memory_order_relaxed);
        return;
    }
    rt_describe_kernel(where, sizeof where);
    if (cluster)
        rt_message("%s: the barrier of its cluster cannot be met: %u blocks have arrived, %u wait for the grid", where,
                   cluster, grid);
    else rt_message("%s: the grid is synchronised, but the launch was not a cooperative one", where);
    rt_worker_fault(cudaErrorLaunchFailure);
}

static void order_blocks(Cluster *c) {
    const uint32_t *order = c->blocks > 1 ? cucpu_group_order(c->blocks) : NULL;
    for (uint32_t i = 0; i < c->blocks; i++) c->order[i] = order ? order[i] : i;
}

void rt_run_cluster(RtJob *job, CucpuWorker *w, char *slab, uint64_t number) {
    Cluster c = {.job = job, .w = w, .slab = slab, .blocks = job->cluster};
    uint32_t idle = 0;
    bool polls;
    if (!job->memory) rt_cluster_clear(slab, &job->slab, c.blocks);
    for (uint32_t r = 0; r < c.blocks; r++) {
        CucpuBlock *b = block_of(&c, r);
        c.block[r] = c.blocks > 1 ? rt_block_at(&job->launch->abi, number, r) : number;
        if (b->why == CUCPU_LEFT_GRID) b->why = 0;
    }
    do {
        order_blocks(&c);
        while (enter_all(&c, &polls)) {
            if (!polls) idle = 0;
            else if (!meet(&c)) {
                rt_worker_polls();
                if (++idle > MAX_IDLE) sched_yield();
            }
        }
    } while (meet(&c));
    leave(&c);
}
