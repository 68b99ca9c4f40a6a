/* sched.c: the blocks of one grid over a team of workers.
**
** Each worker begins with its own share of the grid, the same one at each launch, as a static loop
** would: what that share touched last time is in its cache.  It takes chunks of it by an atomic
** counter, smaller ones towards the end (guided), and goes on with the chunks of others when its own
** are gone.  Blocks of a share start in increasing linear order, and worker 0 passes through the
** shares in order, so a block may wait for lower-numbered ones: the lowest unfinished block can
** always run.  Kernels whose loops poll (CUCPU_KERNEL_POLLS) have one share for all workers, lest
** one half of them only waits for the other; where the whole grid would be resident, any block may
** wait for any other (guests.c).
** The team is an OpenMP one, plain `omp parallel` without work sharing; libomp keeps it hot.  Only
** one kernel at a time has a team: others, in other streams, run on their own thread until it is
** free.
** Waking a team costs more than a small grid gains: a kernel with a low measured cost runs on
** the calling thread, and calls the team when it takes longer.  On a machine
** with other load a team can cost a thousand times as much; then larger grids count as small. */
#include "base/env.h"
#include "base/limits.h"
#include "host/topo.h"
#include "space/space.h"
#include "exec/job.h"
#include "exec/profile.h"
#include "exec/team.h"
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ticks of work from which a team pays: when its threads still poll, and when they sleep. */
enum {
    HOT_TICKS = 5000,
    COLD_TICKS = 150000,
    SLOW_WAKE_TICKS = 4 * COLD_TICKS,
    MAX_LOST = 1 << 30,
    MAX_CREDIT = 1 << 26
};
enum { TID_SHAPES = 8, MAX_RANGES = 256 };
enum { KEPT_BYTES = 64 << 20 };
enum { SPLIT_BYTES = 4 << 20 }; /* copies from this size on use the team */

void kmp_set_blocktime(int ms) __attribute__((weak));

typedef struct TidTable {
    uint32_t block[3];
    uint32_t *tids;
} TidTable;

/* What a thread that launches kernels keeps. */
typedef struct Root {
    TidTable tables[TID_SHAPES];
    unsigned next_table;
    uint64_t last_team;  /* tick at which its team last finished */
    int64_t credit;      /* ticks that its team has saved, compared with one thread, less those that it has lost */
    uint64_t lost;       /* ticks that it lost when the credit last went below 0 */
    uint64_t wary_until; /* tick up to which this is held against the team */
    char *blocks;        /* memory of the blocks of a cooperative grid */
    uint64_t blocks_size;
} Root;

static RT_TLS Root *root;
static pthread_key_t root_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t cold_after; /* ticks without work until the team sleeps */

static void free_root(void *p) {
    Root *r = p;
    for (size_t i = 0; i < TID_SHAPES; i++) free(r->tables[i].tids);
    rt_guarded_give(r->blocks, r->blocks_size);
    free(r);
    root = NULL;
}

static void init_once(void) {
    pthread_key_create(&root_key, free_root);
    rt_install_fault_handlers();
    cold_after = (uint64_t)rt_env()->wait_ms * 1000u * (unsigned)rt_topo()->mhz;
}

static Root *get_root(void) {
    if (RT_LIKELY(root != NULL)) return root;
    pthread_once(&once, init_once);
    root = calloc(1, sizeof *root);
    if (!root) return NULL;
    pthread_setspecific(root_key, root);
    if (kmp_set_blocktime && !getenv("KMP_BLOCKTIME") && !getenv("OMP_WAIT_POLICY"))
        kmp_set_blocktime(rt_env()->wait_ms);
    return root;
}

static uint32_t *make_tids(const uint32_t b[3], uint32_t *tids) {
    uint32_t n = 0;
    for (uint32_t z = 0; z < b[2]; z++)
        for (uint32_t y = 0; y < b[1]; y++)
            for (uint32_t x = 0; x < b[0]; x++) tids[n++] = x | y << 10 | z << 20;
    memset(tids + n, 0, RT_TIDS_PAD * sizeof *tids);
    return tids;
}

static const uint32_t *find_tids(Root *r, const uint32_t b[3]) {
    for (size_t i = 0; i < TID_SHAPES; i++)
        if (r->tables[i].tids && !memcmp(r->tables[i].block, b, sizeof r->tables[i].block)) return r->tables[i].tids;
    TidTable *t = &r->tables[r->next_table++ % TID_SHAPES];
    if (!t->tids) t->tids = malloc((RT_MAX_THREADS + RT_TIDS_PAD) * sizeof *t->tids);
    if (!t->tids) return NULL;
    memcpy(t->block, b, sizeof t->block);
    return make_tids(b, t->tids);
}

/* ---- team ---- */

static pthread_mutex_t team_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(RtJob *) team_job; /* of the holder of the lock */
static _Atomic int finished;      /* counts workers, for its ordering only */
static RtRange team_ranges[MAX_RANGES];

static bool take_team(void) { return !pthread_mutex_trylock(&team_lock); }

static void share_out(RtJob *job, uint32_t threads) {
    if (job->launch->kernel->abi->flags & CUCPU_KERNEL_POLLS || threads > MAX_RANGES) {
        job->parts = job->guests ? UINT32_MAX : threads * 4;
        return;
    }
    uint64_t first = atomic_load_explicit(&job->whole.next, memory_order_relaxed), left = job->whole.end - first;
    for (uint32_t i = 0; i < threads; i++) {
        atomic_store_explicit(&team_ranges[i].next, first + left / threads * i + left % threads * i / threads,
                              memory_order_relaxed);
        if (i) team_ranges[i - 1].end = atomic_load_explicit(&team_ranges[i].next, memory_order_relaxed);
    }
    team_ranges[threads - 1].end = job->whole.end;
    job->ranges = team_ranges;
    job->nranges = threads;
    job->parts = 4;
}

/* team_lock held; released.  The job goes over by an atomic pointer and comes back by an atomic
** count, although fork and join order everything: thread checkers do not see into libomp. */
static void run_team(RtJob *job, int threads) {
    share_out(job, (uint32_t)threads);
    atomic_store_explicit(&team_job, job, memory_order_release);
#pragma omp parallel num_threads(threads)
    {
        RtJob *mine = atomic_load_explicit(&team_job, memory_order_acquire);
        rt_worker_run(mine, omp_get_thread_num(), UINT32_MAX);
        rt_worker_left(mine);
        atomic_fetch_add_explicit(&finished, 1, memory_order_release);
    }
    atomic_load_explicit(&finished, memory_order_acquire);
    pthread_mutex_unlock(&team_lock);
}

static bool team_sleeps(const Root *r, uint64_t now) { return now - r->last_team >= cold_after; }

static bool team_pays(const Root *r, const RtLaunch *l, uint64_t now) {
    if (l->blocks < 2 || rt_topo()->threads < 2) return false;
    uint64_t cost = atomic_load_explicit(&l->kernel->thread_cost, memory_order_relaxed);
    if (!cost) return now >= r->wary_until;
    double work = (double)cost / 1024 * l->abi.threads * (double)l->blocks;
    uint64_t wake = team_sleeps(r, now) ? COLD_TICKS : HOT_TICKS;
    return work > (double)(wake + 2 * (now < r->wary_until ? r->lost : 0));
}

/* On a busy machine a worker may get its core only milliseconds after the others have done all the
** work, and the launch waits for it.  When the team has lost more than it saved, lately, a launch of
** less work than was lost does not call it, at first for about as long as it took, then for longer.
** What it takes to wake a team is no sign of other load: the next launch finds it awake. */
static void note_team(Root *r, uint64_t start, uint64_t work, bool slept) {
    uint64_t now = r->last_team = cucpu_clock64(), took = now - start;
    if (slept && took < work + SLOW_WAKE_TICKS) return;
    r->credit += (int64_t)(work - took);
    if (r->credit > MAX_CREDIT) r->credit = MAX_CREDIT;
    if (r->credit >= (int64_t)r->lost) r->lost = 0;
    if (r->credit >= 0) return;
    uint64_t lost = (uint64_t)-r->credit;
    if (lost < 2 * r->lost) lost = 2 * r->lost;
    r->lost = lost < MAX_LOST ? lost : MAX_LOST;
    r->wary_until = now + 2 * r->lost;
    r->credit = 0;
}

/* Runs chunks on this thread; false = the grid has taken longer than expected, there is more to do
** and this thread now holds the team. */
static bool run_alone(const Root *r, RtJob *job, uint64_t start, bool heavy) {
    bool alone_only = job->blocks < 2 || rt_topo()->threads < 2;
    uint64_t limit = COLD_TICKS + (start < r->wary_until ? r->lost : 0);
    job->parts = job->guests ? UINT32_MAX : alone_only ? 1 : heavy ? (uint32_t)rt_topo()->threads * 4 : 4;
    while (atomic_load_explicit(&job->whole.next, memory_order_relaxed) < job->blocks && !job->fault) {
        rt_worker_run(job, 0, 1);
        if (!alone_only && cucpu_clock64() - start > limit && take_team()) return false;
    }
    return true;
}

/* The first launch may take a hundred times as long as the next one, which counts alone. */
static void note_cost(const RtLaunch *l, uint64_t ticks) {
    RtKernel *k = l->kernel;
    double per_thread = (double)ticks * 1024 / l->abi.threads / (double)l->blocks;
    uint64_t old = atomic_load_explicit(&k->thread_cost, memory_order_relaxed);
    bool alone = !old || atomic_load_explicit(&k->cost_is_cold, memory_order_relaxed);
    uint64_t cost = (uint64_t)(alone ? per_thread : (double)old * 0.75 + per_thread * 0.25);
    if (alone) atomic_store_explicit(&k->cost_is_cold, !old, memory_order_relaxed);
    atomic_store_explicit(&k->thread_cost, cost + 1, memory_order_relaxed);
}

static void trace(const RtJob *job, uint64_t ns, int threads) {
    const RtLaunch *l = job->launch;
    const CucpuVariant *code = atomic_load_explicit(&job->variant, memory_order_relaxed);
    const CucpuLaunch *a = &l->abi;
    rt_message("%s<<<(%u,%u,%u),(%u,%u,%u),%u>>> W=%u layout=%u workers=%d %.3f us%s", l->kernel->abi->name, a->grid[0],
               a->grid[1], a->grid[2], l->block[0], l->block[1], l->block[2], a->dyn_shared, code->width, code->layout,
               threads, (double)ns / 1000, job->counters ? ", counters of each worker" : "");
}

static void measured(const RtJob *job, uint64_t ns, int threads) {
    const CucpuVariant *v = atomic_load_explicit(&job->variant, memory_order_relaxed);
    if (rt_env()->trace_lines) trace(job, ns, threads);
    if (rt_env()->profile) rt_profile_kernel(job->launch, v, ns);
}

/* Calls the entry for every block once; returns how many threads did. */
static int run_blocks(Root *r, RtJob *job) {
    uint64_t start = cucpu_clock64();
    bool pays = job->blocks > 1 && team_pays(r, job->launch, start);
    int threads = 1;
    if ((pays && take_team()) || !run_alone(r, job, start, pays)) {
        bool slept = team_sleeps(r, cucpu_clock64());
        threads = rt_topo()->threads;
        run_team(job, threads);
        if (!job->fault) note_team(r, start, atomic_load_explicit(&job->work, memory_order_relaxed), slept);
    }
    note_cost(job->launch, atomic_load_explicit(&job->work, memory_order_relaxed));
    return threads;
}

/* ---- cooperative grids: phases, from one barrier of the grid to the next ---- */

static bool give_blocks_memory(Root *r, RtJob *job) {
    uint64_t bytes = job->slab.bytes * job->blocks;
    if (bytes > r->blocks_size) {
        rt_guarded_give(r->blocks, r->blocks_size);
        r->blocks = rt_guarded_take(bytes);
        r->blocks_size = r->blocks ? bytes : 0;
    }
    job->memory = r->blocks;
    for (uint64_t c = 0; c < job->blocks && job->memory; c++)
        rt_cluster_clear(job->memory + c * job->slab.bytes, &job->slab, job->cluster);
    return job->memory != NULL;
}

/* All blocks are still to be taken. */
static void begin(RtJob *job) {
    atomic_store_explicit(&job->whole.next, 0, memory_order_relaxed);
    job->whole.end = job->blocks;
    job->ranges = &job->whole;
    job->nranges = 1;
}

static int run_phases(Root *r, RtJob *job) {
    if (!give_blocks_memory(r, job)) {
        job->fault = cudaErrorCooperativeLaunchTooLarge;
        return 1;
    }
    int threads;
    do {
        begin(job);
        atomic_store_explicit(&job->waiting, 0, memory_order_relaxed);
        atomic_store_explicit(&job->work, 0, memory_order_relaxed);
        threads = run_blocks(r, job);
    } while (atomic_load_explicit(&job->waiting, memory_order_relaxed) && !job->fault);
    if (r->blocks_size > KEPT_BYTES) {
        rt_guarded_give(r->blocks, r->blocks_size);
        r->blocks = NULL;
        r->blocks_size = 0;
    }
    return threads;
}

static void go_by_clusters(RtJob *job) {
    job->cluster = rt_cluster_blocks(job->launch);
    job->blocks = job->launch->blocks / job->cluster;
    job->slab = rt_cluster_slab(job->launch);
}

static void (*_Atomic on_grid)(RtLaunch *l, bool ended);

void rt_on_grid(void (*f)(RtLaunch *l, bool ended)) { atomic_store(&on_grid, f); }

static void tell_grid(RtLaunch *l, bool ended) {
    void (*f)(RtLaunch *, bool) = atomic_load_explicit(&on_grid, memory_order_relaxed);
    if (RT_UNLIKELY(f != NULL)) f(l, ended);
}

void rt_run_kernel(RtLaunch *l) {
    Root *r = get_root();
    if (rt_sticky()) return;
    if (!r || !(l->abi.tids = find_tids(r, l->abi.block))) {
        rt_set_sticky(cudaErrorMemoryAllocation);
        return;
    }
    l->abi.apart = RT_UNLIKELY(l->kernel->abi->apart != 0) && rt_arguments_are_apart(l);
    bool overlapping = RT_UNLIKELY(l->overlapping != NULL) && !l->abi.apart;
    if (overlapping) l->variant = l->overlapping, l->trial = NULL;
    RtJob job = {.launch = l, .variant = l->variant, .blocks = l->blocks};
    if (RT_UNLIKELY(l->kernel->abi->flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER))) go_by_clusters(&job);
    RtSamples samples;
    RtCounters counters;
    begin(&job);
    if (!overlapping && RT_UNLIKELY(rt_counters_of(l, &counters))) {
        job.counters = &counters;
        job.variant = l->kernel->abi->counting;
    } else if (l->trial) {
        rt_trial_begin(&job, &samples);
    }
    tell_grid(l, false);
    uint64_t start_ns = RT_UNLIKELY(rt_env()->trace_lines || rt_env()->profile) ? rt_now_ns() : 0, recorded = 0;
    if (RT_UNLIKELY(rt_profiled)) recorded = rt_profile_now(), job.launched = rt_doing().correlation;
    bool phases = l->abi.cooperative && l->kernel->abi->flags & CUCPU_KERNEL_GRID_SYNC;
    if (!phases) rt_guests_open(&job);
    int threads = RT_UNLIKELY(phases) ? run_phases(r, &job) : run_blocks(r, &job);
    rt_worker_left(&job);
    rt_guests_close(&job);
    if (job.launch->trial && !job.counters) rt_trial_end(&job);
    if (RT_UNLIKELY(recorded)) rt_record_kernel(&job, recorded, threads);
    if (RT_UNLIKELY(start_ns)) measured(&job, rt_now_ns() - start_ns, threads);
    if (RT_UNLIKELY(job.fault)) rt_set_sticky((cudaError_t)job.fault);
    tell_grid(l, true);
    if (RT_UNLIKELY(job.children != NULL)) rt_run_children(&job);
}

typedef struct Split {
    size_t bytes;
    void (*piece)(const void *data, size_t from, size_t to);
    const void *data;
} Split;
static _Atomic(const Split *) team_split; /* of the holder of the lock */

static void run_part(const Split *s, size_t i, size_t n) {
    size_t part = RT_ROUND(s->bytes / n + 1, 4096), from = part * i;
    if (from < s->bytes) s->piece(s->data, from, from + part < s->bytes ? from + part : s->bytes);
}

void rt_split(size_t bytes, void (*piece)(const void *data, size_t from, size_t to), const void *data) {
    int threads = rt_topo()->threads;
    Split split = {bytes, piece, data};
    if (bytes < SPLIT_BYTES || threads < 2 || !take_team()) {
        piece(data, 0, bytes);
        return;
    }
    atomic_store_explicit(&team_split, &split, memory_order_release);
#pragma omp parallel num_threads(threads)
    {
        run_part(atomic_load_explicit(&team_split, memory_order_acquire), (size_t)omp_get_thread_num(),
                 (size_t)omp_get_num_threads());
        atomic_fetch_add_explicit(&finished, 1, memory_order_release);
    }
    atomic_load_explicit(&finished, memory_order_acquire);
    pthread_mutex_unlock(&team_lock);
}

typedef struct Each {
    _Atomic size_t next;
    size_t n;
    void (*run)(size_t i, void *data);
    void *data;
} Each;
static _Atomic(Each *) team_each; /* of the holder of the lock */

bool rt_each(size_t n, void (*run)(size_t i, void *data), void *data) {
    Each each = {.n = n, .run = run, .data = data};
    if (!take_team()) return false;
    atomic_store_explicit(&team_each, &each, memory_order_release);
#pragma omp parallel num_threads(rt_topo()->threads)
    {
        Each *e = atomic_load_explicit(&team_each, memory_order_acquire);
        for (size_t i; (i = atomic_fetch_add_explicit(&e->next, 1, memory_order_relaxed)) < e->n;) e->run(i, e->data);
        atomic_fetch_add_explicit(&finished, 1, memory_order_release);
    }
    atomic_load_explicit(&finished, memory_order_acquire);
    pthread_mutex_unlock(&team_lock);
    return true;
}
