/* sync.c: barriers that not all threads of a block come to, or that they come to at different places; masks of
** functions of the warp that do not name the caller; and, as reports, what the runtime finds when nobody can go on.
**
** A thread that has returned is not waited for: whether all have met at a barrier shows when the block has ended. */
#include "check/check.h"
#include "exec/fault.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BARRIERS = 4096 };
typedef struct Meetings { /* of the block that a worker runs */
    struct Meetings *next;
    const RtLaunch *launch;
    uint64_t number, block;
    uint32_t most; /* barriers that some thread has left */
    bool reported;
    uint16_t left[1024];                  /* by each thread */
    const CucpuSite *sites[MAX_BARRIERS]; /* of each */
} Meetings;
static RT_TLS Meetings *own;
static Meetings *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(const RtHere *h, const CucpuSite *s, const char *what) {
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Barrier error detected. %s", what);
    rt_report_site(s);
    rt_report_thread(h);
    rt_report_callers(s);
    rt_report_end();
}

static uint32_t word_of(const RtLaunch *l, uint32_t linear) {
    const uint32_t *b = l->abi.block;
    return linear % b[0] | linear / b[0] % b[1] << 10 | linear / b[0] / b[1] << 20;
}

/* The block has ended. */
static void settle(Meetings *m) {
    const RtLaunch *l = m->launch;
    for (uint32_t t = 0; m->number && m->most && !m->reported && t < l->abi.threads; t++) {
        if (m->left[t] == m->most || m->left[t] >= MAX_BARRIERS) continue;
        RtHere at = {.launch = l, .block = m->block, .thread = word_of(l, t)};
        report(&at, m->sites[m->left[t]], "Divergent thread(s) in block");
        m->reported = true;
    }
    m->number = 0;
}

static Meetings *meetings(const RtHere *h) {
    if (!own) {
        own = calloc(1, sizeof *own);
        if (!own) return NULL;
        pthread_mutex_lock(&lock);
        own->next = all, all = own;
        pthread_mutex_unlock(&lock);
    }
    if (own->number == h->number && own->block == h->block) return own;
    settle(own);
    memset(own->left, 0, sizeof own->left);
    own->launch = h->launch, own->number = h->number, own->block = h->block;
    own->most = 0, own->reported = false;
    return own;
}

/* One thread has left the barrier. */
static void leave(Meetings *m, RtHere *h, const CucpuSite *s) {
    uint32_t n = m->left[h->linear] < MAX_BARRIERS ? m->left[h->linear]++ : MAX_BARRIERS;
    if (n < MAX_BARRIERS && n == m->most) m->sites[m->most++] = s;
    else if (n < MAX_BARRIERS && m->sites[n] != s && !m->reported) {
        m->reported = true;
        report(h, s, "Divergent thread(s) in block");
    }
}

static bool is_of_block(const RtHere *h, const CucpuSite *s) {
    return !(s->flags & (CUCPU_SITE_PART | CUCPU_SITE_GRID)) &&
           !(h->launch->kernel->abi->flags & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER));
}

void rt_sync_barrier(RtHere *h, const CucpuSite *s) {
    if (!is_of_block(h, s)) return;
    rt_hold_signals(true);
    Meetings *m = meetings(h);
    if (m) leave(m, h, s);
    rt_hold_signals(false);
}

/* Lanes of threads that follow each other and have left as many barriers. */
static bool leave_together(Meetings *m, const RtHere *h, const CucpuSite *s, const CucpuLanes *lanes) {
    unsigned first = (unsigned)__builtin_ctzll(lanes->mask), n = (unsigned)__builtin_popcountll(lanes->mask);
    if (lanes->mask >> first != ~(uint64_t)0 >> (64 - n)) return false;
    if (lanes->thread[first + n - 1] - lanes->thread[first] != n - 1) return false;
    uint16_t *left = &m->left[rt_linear(h->launch, lanes->thread[first])], number = *left, other = 0;
    for (unsigned i = 0; i < n; i++) other |= left[i] ^ number;
    if (other || number >= MAX_BARRIERS || (number < m->most && m->sites[number] != s)) return false;
    if (number == m->most) m->sites[m->most++] = s;
    for (unsigned i = 0; i < n; i++) left[i]++;
    return true;
}

void rt_sync_barrier_lanes(RtHere *h, const CucpuSite *s, const CucpuLanes *lanes) {
    if (!is_of_block(h, s)) return;
    rt_hold_signals(true);
    Meetings *m = meetings(h);
    bool done = m && leave_together(m, h, s, lanes);
    for (uint64_t left = m && !done ? lanes->mask : 0; left; left &= left - 1) {
        h->thread = lanes->thread[__builtin_ctzll(left)];
        h->linear = rt_linear(h->launch, h->thread);
        leave(m, h, s);
    }
    rt_hold_signals(false);
}

void rt_sync_warp(RtHere *h, const CucpuSite *s, uint32_t mask) {
    if (rt_warp_size() == 32 && !(mask >> h->linear % 32 & 1)) report(h, s, "Invalid arguments");
}

/* The workers have left the grid; what has ended with a fault was reported. */
void rt_sync_grid(const RtLaunch *l) {
    pthread_mutex_lock(&lock);
    for (Meetings *m = all; m; m = m->next)
        if (m->number == l->checked && rt_sticky()) m->number = 0;
        else if (m->number == l->checked) settle(m);
    pthread_mutex_unlock(&lock);
}

static void report_poll(void) {
    RtHere h;
    const RtAccess *a = rt_race_last_poll(&h);
    if (!a || !rt_report_begin(RT_ERROR)) return;
    rt_report("Deadlock detected: threads poll, and nobody has stored anything for 5 seconds");
    rt_report_site(a->site);
    rt_report_thread(&h);
    rt_report("    Address 0x%llx", (unsigned long long)(a->address - (a->space == RT_SHARED ? h.shared : 0)));
    rt_report_callers(a->site);
    rt_report_end();
}

static void on_stuck(const char *what, const char *file, uint32_t line) {
    if (!rt_checks(CUCPU_CHECK_SYNC | CUCPU_CHECK_RACE | CUCPU_CHECK_MEMORY)) return;
    if (own) own->number = 0;
    if (!what) {
        report_poll();
        return;
    }
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Barrier error detected. Divergent thread(s) in %s", what);
    rt_report("    at %s:%u", file ? file : "?", line);
    rt_report_end();
}

__attribute__((constructor)) static void begin(void) { rt_on_stuck(on_stuck); }
