/* ipc.c: device memory and events of one process in others of the machine.
**
** A handle names a file in memory that the process which made it keeps open: others open it by way of /proc.  Memory moves into
** such a file when its handle is asked for (space.c); what is opened is a shared mapping.  An event made for several processes
** counts its records, and those that were reached, in a file. */
#define _GNU_SOURCE
#include "queue/stream.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, SPINS = 1000, PAUSE_NS = 20000, ASK_EVERY = 5000 /* pauses */ };
static const uint64_t MAGIC = 0x637069757063ull; /* of this version of the layout */

typedef struct Handle {
    uint64_t magic, inode, offset, size;
    int32_t pid, fd;
    char rest[24];
} Handle;
_Static_assert(sizeof(Handle) == sizeof(cudaIpcMemHandle_t) && sizeof(Handle) == sizeof(cudaIpcEventHandle_t),
               "64 bytes");

typedef struct Import { /* memory of another process */
    struct Import *next;
    Handle of;
    char *map;           /* NULL: closed */
    size_t bytes, extra; /* of the mapping; in front of the memory */
    unsigned opened;
} Import;

typedef struct Slots { /* events, for ever */
    struct Slots *next;
    Handle of; /* .pid: 0 = of this process */
    RtSharedEvent *events;
    unsigned used;
} Slots;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Import *imports;
static Slots *slots;

/* ---- handles ---- */

static bool make_handle(void *out, int fd, uint64_t offset, uint64_t size) {
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return false;
    const Handle h = {.magic = MAGIC, .inode = st.st_ino, .offset = offset, .size = size, .pid = getpid(), .fd = fd};
    memcpy(out, &h, sizeof h);
    return true;
}

/* The file, or -1: the process is gone, or has freed what the handle is of. */
static int open_handle(const Handle *h) {
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->pid, h->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    if (!fstat(fd, &st) && st.st_ino == h->inode && h->offset <= (uint64_t)st.st_size &&
        h->size <= (uint64_t)st.st_size - h->offset)
        return fd;
    close(fd);
    return -1;
}

static cudaError_t check_handle(const Handle *h) {
    if (h->magic != MAGIC || !h->size || h->pid <= 0 || h->fd < 0) return cudaErrorInvalidValue;
    return h->pid == getpid() ? cudaErrorDeviceUninitialized : cudaSuccess; /* as CUDA: other processes open it */
}

/* ---- memory ---- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p) {
    RT_ENTER();
    uint64_t offset;
    RtAlloc a;
    if (!out || !p) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = rt_sync_all(); /* nothing writes while it moves */
    int fd = -1;
    if (!error) error = rt_share_alloc(p, &a, &fd, &offset);
    if (!error && !make_handle(out, fd, offset, a.size)) error = cudaErrorMapBufferObjectFailed;
    return rt_end(error);
}

static cudaError_t map_import(const Handle *h, Import **out) { /* lock held */
    int fd = open_handle(h);
    if (fd < 0) return cudaErrorMapBufferObjectFailed;
    Import *m = calloc(1, sizeof *m);
    size_t extra = h->offset % (uint64_t)sysconf(_SC_PAGESIZE);
    char *p = m ? mmap(NULL, h->size + extra, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(h->offset - extra))
                : MAP_FAILED;
    close(fd);
    RtAlloc a = {.base = (uintptr_t)p + extra, .size = h->size, .kind = cudaMemoryTypeDevice, .how = RT_BY_IPC};
    cudaError_t error = p == MAP_FAILED ? cudaErrorMapBufferObjectFailed : rt_note_alloc(&a);
    if (error) {
        if (p != MAP_FAILED) munmap(p, h->size + extra);
        free(m);
        return error;
    }
    *m = (Import){imports, *h, p, h->size + extra, extra, 0};
    *out = imports = m;
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags) {
    RT_ENTER();
    Handle h;
    memcpy(&h, &handle, sizeof h);
    if (!out || flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = check_handle(&h);
    if (error) return rt_end(error);
    pthread_mutex_lock(&lock);
    Import *m = imports;
    while (m && memcmp(&m->of, &h, sizeof h)) m = m->next;
    if (!m) error = map_import(&h, &m);
    if (!error) {
        m->opened++;
        *out = m->map + m->extra;
    }
    pthread_mutex_unlock(&lock);
    return rt_end(error);
}

static void drop_import(Import **at) { /* lock held */
    Import *m = *at;
    *at = m->next;
    rt_forget_alloc(m->map + m->extra);
    munmap(m->map, m->bytes);
    free(m);
}

cudaError_t cudaIpcCloseMemHandle(void *p) {
    RT_ENTER();
    cudaError_t error = rt_sync_all();
    if (error) return rt_end(error);
    pthread_mutex_lock(&lock);
    Import **at = &imports;
    while (*at && (*at)->map + (*at)->extra != p) at = &(*at)->next;
    bool known = *at != NULL;
    if (known && --(*at)->opened == 0) drop_import(at);
    pthread_mutex_unlock(&lock);
    return rt_end(known ? cudaSuccess : cudaErrorInvalidValue);
}

void rt_reset_ipc(void) {
    pthread_mutex_lock(&lock);
    while (imports) drop_import(&imports);
    pthread_mutex_unlock(&lock);
}

/* ---- events ---- */

static RtSharedEvent *map_slots(int fd) {
    void *p = mmap(NULL, EVENTS * sizeof(RtSharedEvent), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static Slots *add_slots(const Handle *of, int fd) { /* lock held */
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
    const Handle of = {.fd = fd};
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
    bool ok = s && make_handle(out, s->of.fd, (uint64_t)((char *)e - (char *)s->events), sizeof *e);
    pthread_mutex_unlock(&lock);
    return rt_end(ok ? cudaSuccess : cudaErrorInvalidResourceHandle); /* one that was opened is its maker's to share */
}

static RtSharedEvent *open_slot(const Handle *h) { /* lock held */
    Slots *s = slots;
    while (s && (s->of.pid != h->pid || s->of.inode != h->inode)) s = s->next;
    int fd = s ? -1 : open_handle(h);
    if (fd >= 0) {
        s = add_slots(h, fd);
        close(fd);
    }
    return s ? (RtSharedEvent *)(void *)((char *)s->events + h->offset) : NULL;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle) {
    RT_ENTER();
    Handle h;
    memcpy(&h, &handle, sizeof h);
    if (!out) return rt_end(cudaErrorInvalidValue);
    cudaError_t error = check_handle(&h);
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
        if (spins % ASK_EVERY == ASK_EVERY - 1 && is_orphan(e)) return;
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
