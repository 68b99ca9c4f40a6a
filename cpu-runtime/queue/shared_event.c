/* shared_event.c: events of several processes: records are counted in a file that they share, and those that were
** reached. */
#define _GNU_SOURCE
#include "host/shared_file.h"
#include "queue/event.h"
#include "queue/stream.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, SPINS = 1000, PAUSE_NS = 20000, CHECK_EVERY = 5000 /* pauses */ };

typedef struct Slots { /* events, for ever */
    struct Slots *next;
    RtSharedFile of; /* .pid: 0 = of this process */
    RtSharedEvent *events;
    unsigned used;
} Slots;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Slots *slots;

static RtSharedEvent *map_slots(int fd) {
    void *p = mmap(NULL, EVENTS * sizeof(RtSharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static Slots *add_slots(const RtSharedFile *of, int fd) { /* lock held */
    Slots *s = calloc(1, sizeof *s);
    RtSharedEvent *e = s ? map_slots(fd) : NULL;
    if (!e) {
        free(s);
        return NULL;
    }
    *s = (Slots){slots, *of, e, 0};
    return slots = s;
}

/* In front: those of this process that have one left. */
static Slots *own_slots(void) { /* lock held */
    for (Slots *s = slots; s; s = s->next)
        if (!s->of.pid && s->used < EVENTS) return s;
    int fd = memfd_create("cucpu-events", MFD_CLOEXEC);
    const RtSharedFile of = {.fd = fd};
    Slots *s = fd < 0 || ftruncate(fd, EVENTS * sizeof(RtSharedEvent)) ? NULL : add_slots(&of, fd);
    if (!s && fd >= 0) close(fd);
    return s;
}

RtSharedEvent *rt_make_shared_event(void) {
    pthread_mutex_lock(&lock);
    Slots *s = own_slots();
    RtSharedEvent *e = s ? &s->events[s->used++] : NULL;
    pthread_mutex_unlock(&lock);
    return e;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event) {
    RT_ENTER();
    if (!out || !event) return rt_end(cudaErrorInvalidValue);
    RtSharedEvent *e = rt_shared_event(event);
    if (!e) return rt_end(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&lock);
    Slots *s = slots;
    while (s && !(!s->of.pid && e >= s->events && e < s->events + EVENTS)) s = s->next;
    bool ok = s && rt_share_file(out, s->of.fd, (uint64_t)((char *)e - (char *)s->events), sizeof *e);
    pthread_mutex_unlock(&lock);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidResourceHandle); /* one that was opened is its maker's to share */
}

static RtSharedEvent *open_slot(const RtSharedFile *h) { /* lock held */
    Slots *s = slots;
    while (s && (s->of.pid != h->pid || s->of.inode != h->inode)) s = s->next;
    int fd = s ? -1 : rt_open_shared(h);
    if (fd >= 0) {
        s = add_slots(h, fd);
        close(fd);
    }
    return s ? (RtSharedEvent *)(void *)((char *)s->events + h->offset) : NULL;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle) {
    RT_ENTER();
    RtSharedFile h;
    memcpy(&h, &handle, sizeof h);
    if (!out) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_check_shared(&h);
    if (!error && (h.size != sizeof(RtSharedEvent) || h.offset % sizeof(RtSharedEvent) ||
                   h.offset >= EVENTS * sizeof(RtSharedEvent)))
        error = cudaErrorInvalidValue;
    if (error) return rt_end(error);
    pthread_mutex_lock(&lock);
    RtSharedEvent *e = open_slot(&h);
    pthread_mutex_unlock(&lock);
    return rt_end(e ? rt_open_event(out, e) : cudaErrorMapBufferObjectFailed);
}

uint64_t rt_begin_shared(RtSharedEvent *e) {
    atomic_store(&e->recorder, getpid());
    return atomic_fetch_add(&e->recorded, 1) + 1;
}

void rt_reach_shared(RtSharedEvent *e, uint64_t point) {
    uint64_t old = atomic_load(&e->reached);
    while (old < point && !atomic_compare_exchange_weak(&e->reached, &old, point)) {}
}

/* Nobody will reach it. */
static bool is_orphan(const RtSharedEvent *e) {
    pid_t pid = atomic_load(&e->recorder);
    return pid && kill(pid, 0) && errno == ESRCH;
}

void rt_wait_shared(RtSharedEvent *e, uint64_t point) {
    for (unsigned spins = 0; atomic_load(&e->reached) < point && !rt_sticky(); spins++) {
        if (spins < SPINS) sched_yield();
        else nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
        if (spins % CHECK_EVERY == CHECK_EVERY - 1 && is_orphan(e)) return;
    }
}

typedef struct WaitOp {
    RtOp op;
    RtSharedEvent *event;
    uint64_t point;
} WaitOp;

static void run_wait(RtOp *op) {
    WaitOp *w = (WaitOp *)op;
    if (atomic_load(&w->event->reached) >= w->point) return;
    rt_queue_polls(true);
    rt_wait_shared(w->event, w->point);
    rt_queue_polls(false);
}

cudaError_t rt_enqueue_shared_wait(cudaStream_t s, RtSharedEvent *e, uint64_t point) {
    WaitOp *w = rt_new_op(sizeof *w, run_wait, NULL);
    if (!w) return cudaErrorMemoryAllocation;
    w->event = e;
    w->point = point;
    return rt_enqueue(s, &w->op);
}
