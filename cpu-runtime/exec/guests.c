/* guests.c: further threads for blocks that are waited for.
**
** Programs start as many blocks as the device reports that it runs at once, and let each of them go over common
** data until all is done: a block may wait for one with a higher number, which no worker has begun as
** long as all workers wait.  So, in a grid that is not larger than that, a block that has polled for a
** while calls another thread, a guest, to begin with the next block; the operating system shares out the
** cores.  Guests run nothing else and end with the grid.
** Blocks of larger grids may only wait for blocks with lower numbers, as on any GPU, or of their own cluster: where
** a kernel does not use clusters (cluster.c) its blocks are taken cluster by cluster, and there are as many guests
** as a cluster has blocks, so that the lowest cluster that has not ended has begun.
** Where accesses are checked one at a time (check/race.c) the threads take turns: a block goes on until it polls. */
#include "base/limits.h"
#include "host/topo.h"
#include "exec/job.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum {
    POLLS_PER_GUEST = 64, /* polls of all blocks between two calls for a guest */
    MIN_RESIDENT = 256    /* any GPU runs so many blocks at once, whatever this device reports */
};

typedef struct RtGuests {
    pthread_mutex_t lock; /* held with signals blocked: one that ends the kernel must not leave it locked */
    sigset_t mask;        /* of a thread that runs blocks */
    RtJob *job;
    _Atomic uint32_t polls;
    bool turns;
    _Atomic uint32_t drawn, served; /* tickets for turns */
    uint32_t n, max;
    pthread_t threads[];
} RtGuests;

/* Blocks that run at once on a GPU with the properties that this device reports, or on most others. */
static uint64_t resident(const RtLaunch *l) {
    uint32_t warp = (uint32_t)rt_warp_size(), threads = RT_ROUND(l->abi.threads, warp);
    uint32_t n = RT_THREADS_PER_SM / threads;
    uint64_t all = (uint64_t)(n < RT_BLOCKS_PER_SM ? n : RT_BLOCKS_PER_SM) * (unsigned)rt_topo()->threads;
    return all > MIN_RESIDENT ? all : MIN_RESIDENT;
}

static bool take_turns;

void rt_guests_take_turns(bool on) { take_turns = on; }

/* A fault ends all of them, wherever they are. */
static void take_turn(RtGuests *g) {
    if (!g->turns) return;
    uint32_t ticket = atomic_fetch_add(&g->drawn, 1);
    while (atomic_load(&g->served) != ticket && !g->job->fault) sched_yield();
}

static void give_turn(RtGuests *g) {
    if (g->turns) atomic_fetch_add(&g->served, 1);
}

void rt_guests_open(RtJob *job) {
    const RtLaunch *l = job->launch;
    if (!(l->kernel->abi->flags & CUCPU_KERNEL_POLLS) || job->blocks < 2) return;
    uint32_t cluster = job->cluster ? 1 : l->abi.cluster[0] * l->abi.cluster[1] * l->abi.cluster[2];
    if (cluster > 1) job->in_order = cluster;
    uint64_t max = l->blocks <= resident(l) ? job->blocks : cluster > 1 ? cluster : 0;
    RtGuests *g = max ? calloc(1, sizeof *g + max * sizeof *g->threads) : NULL;
    if (!g) return;
    pthread_mutex_init(&g->lock, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &g->mask);
    g->job = job;
    g->max = (uint32_t)max;
    job->guests = g;
    g->turns = take_turns;
    take_turn(g);
}

static void *guest(void *p) {
    RtGuests *g = p;
    pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    take_turn(g);
    rt_worker_run(g->job, 0, UINT32_MAX);
    give_turn(g);
    return NULL;
}

static void call_guest(RtGuests *g) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&g->lock);
    if (g->n < g->max && !pthread_create(&g->threads[g->n], NULL, guest, g)) g->n++;
    pthread_mutex_unlock(&g->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void rt_guests_polled(RtJob *job) {
    RtGuests *g = job->guests;
    if (RT_LIKELY(!g)) return;
    bool waited =
        atomic_fetch_add_explicit(&g->polls, 1, memory_order_relaxed) % POLLS_PER_GUEST == POLLS_PER_GUEST - 1;
    if (waited && !job->fault && atomic_load_explicit(&job->whole.next, memory_order_relaxed) < job->blocks)
        call_guest(g);
    give_turn(g);
    sched_yield();
    take_turn(g);
}

/* A guest may call the next one until it ends itself. */
void rt_guests_close(RtJob *job) {
    RtGuests *g = job->guests;
    if (!g) return;
    give_turn(g);
    for (uint32_t i = 0;; i++) {
        pthread_mutex_lock(&g->lock);
        bool more = i < g->n;
        pthread_mutex_unlock(&g->lock);
        if (!more) break;
        pthread_join(g->threads[i], NULL);
    }
    pthread_mutex_destroy(&g->lock);
    free(g);
    job->guests = NULL;
}
