/* barrier.h: the state of a block in which every group has stopped, shared by barrier.c (barriers of
** the block and the grid) and warp.c (warp-level functions at width 1). */
#ifndef CUCPU_BARRIER_H
#define CUCPU_BARRIER_H
#include "base/base.h"

typedef struct Phase {
    const CucpuBarriers *b;
    const CucpuLaunch *l;
    CucpuWait *waits;
    uint64_t *pending;
    uint32_t *arrivals;
    CucpuBlock *block;             /* NULL: it cannot be left */
    uint32_t cluster;              /* blocks of it; 0: the kernel does not use clusters */
    uint32_t groups, row, per_row; /* row: in threads */
    uint32_t passed, polled;       /* groups that go on; those of them that only poll */
} Phase;

static inline bool barrier_is_warp(const CucpuWait *w) {
    return w->region != CUCPU_WAIT_ENDED && (w->id & ~UINT32_C(0xff)) == CUCPU_WAIT_WARP;
}
void barrier_open(Phase *p);  /* counts the groups; none has passed yet */
void barrier_enter(Phase *p); /* where the barrier of the cluster has been met meanwhile, those who wait for it pass */
uint32_t barrier_leave(const Phase *p);  /* settled: CUCPU_RELEASED_LEAVE if others must run first, else 0 */
void barrier_pass(Phase *p, uint32_t g); /* the group goes on in the next phase */
void barrier_settle(Phase *p);           /* all barriers that are met; those who yield */
bool barrier_any_passed(const Phase *p);
void barrier_end_phase(const Phase *p); /* lends the core to others while the block only polls */
_Noreturn void barrier_fault(const Phase *p, uint32_t g, const char *why);
#endif
