/* worker.c: a thread that runs blocks: its memory, and how a faulty kernel is left.
**
** Every thread that runs blocks owns a shared-memory arena and a frame, grown on demand and touched
** first by itself (so they lie on its NUMA node).  A fault - a failed assertion, a trap, a signal -
** leaves the kernel by longjmp to the worker's loop: generated code holds nothing that needs cleaning
** up.  The other workers of the grid stop before their next chunk.  Signals that do not come from a
** kernel go to the handler that was there before.
** A worker that does not come back, because its block waits for the faulty one, is interrupted by a
** signal after a while. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "base/env.h"
#include "host/topo.h"
#include "space/alloc.h"
#include "space/space.h"
#include "exec/fault.h"
#include "exec/job.h"
#include <pthread.h>
#include <setjmp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { FLUSH_DENORMALS = 0x8040 }; /* bits of MXCSR: results, operands */
enum { ALT_STACK = 64 * 1024, PATIENCE_MS = 1000, STOP_SIGNAL = SIGILL };

typedef struct RtWorker RtWorker;
struct RtWorker {
    CucpuWorker abi;
    void *shared, *frame; /* its own; a block of a cooperative grid brings others */
    void *cluster;        /* of the blocks of a cluster */
    size_t shared_size, frame_size, cluster_size;
    RtWorker *next; /* in the list of all workers */
    pthread_t thread_id;
    _Atomic(RtJob *) job;       /* that it is in the kernel of */
    volatile sig_atomic_t held; /* see rt_hold_signals */
    int index;
    bool bound, own_stack;
    bool stopped; /* it left the kernel because another worker's block was faulty */
    cudaError_t error;
    bool overflow; /* the signal is a stack overflow */
    int signal;
    void *address;
    uintptr_t pc; /* of the instruction that the signal is about */
    jmp_buf escape;
    CucpuThread thread;
    uint32_t *order; /* of groups, for shuffle */
    uint32_t order_size;
    uint32_t awake; /* nanoseconds that its threads should have slept */
    uint64_t random;
    uint64_t blocks; /* that it has begun in this call of rt_worker_run */
    RtTally *tally;  /* see rt_counters_begin */
    char *alt_stack;
    uintptr_t stack_top;   /* what the kernel has on the stack lies below */
    uintptr_t stack_floor; /* see cucpu_stack_floor; 0 = not yet known */
};

enum { MIN_SLEEP = 50000, MAX_SLEEP = 1000000 }; /* ns; the hardware sleeps 1 ms at most */

static RT_TLS RtWorker *self;
static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static RtWorker *workers;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t shuffle_seed; /* 0 = natural order */

static void free_worker(void *p) {
    RtWorker *w = p;
    pthread_mutex_lock(&workers_lock);
    RtWorker **link = &workers;
    while (*link != w) link = &(*link)->next;
    *link = w->next;
    pthread_mutex_unlock(&workers_lock);
    if (w->own_stack) {
        stack_t off = {.ss_flags = SS_DISABLE};
        sigaltstack(&off, NULL);
    }
    free(w->alt_stack);
    rt_guarded_give(w->shared, w->shared_size);
    rt_guarded_give(w->frame, w->frame_size);
    rt_guarded_give(w->cluster, w->cluster_size);
    free(w->order);
    rt_counters_free(w->tally);
    free(w);
    self = NULL;
}

static void init_once(void) {
    pthread_key_create(&key, free_worker);
    shuffle_seed = rt_env()->shuffle_seed;
}

/* A kernel that overflows its stack can only be reported from another one. */
static void give_alt_stack(RtWorker *w) {
    stack_t old, new = {0};
    if (sigaltstack(NULL, &old) || !(old.ss_flags & SS_DISABLE)) return;
    w->alt_stack = malloc(ALT_STACK);
    if (!w->alt_stack) return;
    new.ss_sp = w->alt_stack;
    new.ss_size = ALT_STACK;
    w->own_stack = !sigaltstack(&new, NULL);
}

static RtWorker *make_worker(void) {
    pthread_once(&once, init_once);
    RtWorker *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    give_alt_stack(w);
    pthread_setspecific(key, w);
    w->thread_id = pthread_self();
    pthread_mutex_lock(&workers_lock);
    w->next = workers;
    workers = w;
    pthread_mutex_unlock(&workers_lock);
    return self = w;
}

static RtWorker *worker(void) { return RT_LIKELY(self != NULL) ? self : make_worker(); }

static bool reserve(void **block, size_t *size, uint64_t want) {
    if (RT_LIKELY(want <= *size)) return true;
    rt_guarded_give(*block, *size);
    *block = rt_guarded_take(want < 4096 ? 4096 : want);
    *size = !*block ? 0 : want < 4096 ? 4096 : want;
    return *block != NULL;
}

/* ---- the loop ---- */

static uint64_t next_random(RtWorker *w) {
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    return w->random ^= w->random << 17;
}

static bool take_from(RtWorker *w, RtRange *r, uint32_t parts, uint64_t *first, uint64_t *end) {
    uint64_t at = atomic_load_explicit(&r->next, memory_order_relaxed), n;
    do {
        if (at >= r->end) return false;
        n = (r->end - at) / parts;
        if (RT_UNLIKELY(shuffle_seed) && n > 1) n = next_random(w) % n;
        if (!n) n = 1;
    } while (!atomic_compare_exchange_weak_explicit(&r->next, &at, at + n, memory_order_relaxed, memory_order_relaxed));
    *first = at;
    *end = at + n;
    return true;
}

/* From the worker's own range; when that is empty, from the next one that is not. */
static bool take_chunk(RtWorker *w, RtJob *job, uint64_t *first, uint64_t *end) {
    for (uint32_t k = 0; k < job->nranges; k++)
        if (take_from(w, &job->ranges[((unsigned)w->index + k) % job->nranges], job->parts, first, end)) return true;
    return false;
}

/* A cluster, or the next block of one. */
static void run_unit(RtWorker *w, RtJob *job, uint64_t i) {
    if (job->cluster) {
        rt_run_cluster(job, &w->abi, job->memory ? job->memory + i * job->slab.bytes : w->cluster, i);
        return;
    }
    uint64_t b = rt_block_at(&job->launch->abi, i / job->in_order, (uint32_t)(i % job->in_order));
    atomic_load_explicit(&job->variant, memory_order_relaxed)->entry(&job->launch->abi, &w->abi, b, b + 1);
}

static void run_chunk(RtWorker *w, RtJob *job, uint64_t first, uint64_t end) {
    w->abi.block = first;
    if (RT_UNLIKELY(job->cluster || job->in_order)) {
        for (uint64_t i = first; i < end; i++) run_unit(w, job, i);
        return;
    }
    if (RT_UNLIKELY(job->counters != NULL)) {
        const CucpuLaunch *own = rt_counters_begin(&w->tally, job);
        const CucpuVariant *code =
            own ? atomic_load_explicit(&job->variant, memory_order_relaxed) : job->launch->variant;
        code->entry(own ? own : &job->launch->abi, &w->abi, first, end);
        return;
    }
    if (RT_UNLIKELY(job->samples != NULL)) first = rt_trial_run(job, &w->abi, first, end);
    if (RT_UNLIKELY(first == end)) return; /* an entry runs one block at least */
    atomic_load_explicit(&job->variant, memory_order_relaxed)->entry(&job->launch->abi, &w->abi, first, end);
}

static void run_chunks(RtWorker *w, RtJob *job, uint32_t chunks) {
    uint64_t first, end;
    while (chunks-- && !atomic_load_explicit(&job->fault, memory_order_relaxed) && take_chunk(w, job, &first, &end)) {
        w->blocks += end - first;
        run_chunk(w, job, first, end);
    }
}

static void fail(RtJob *job, cudaError_t e) {
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&job->fault, &none, (int)e);
}

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/* "file:line: ", or "" where it is unknown.  The file as the kernel's, if it is that. */
static const char *line_of_fault(const RtWorker *w, char *text, size_t bytes) {
    RtJob *job = atomic_load(&w->job);
    const char *own = job ? job->launch->kernel->abi->file : NULL;
    if (!rt_source_line(w->pc, text, bytes - 2)) return "";
    strcat(text, ": ");
    const char *at = own ? strstr(text, own) : NULL;
    return at && at > text && at[-1] == '/' && at[strlen(own)] == ':' ? at : text;
}

/* ", inside an allocation of N bytes at P that was freed", or ", N bytes after an allocation of N bytes at P": of the
** nearest one, if it is as near as it is large, or nearer than a GiB. */
static void name_allocation(const void *address, char *text, size_t bytes) {
    enum { FAR = 1 << 30 };
    RtAlloc below, above;
    uintptr_t p = (uintptr_t)address, base;
    size_t size;
    rt_find_neighbours(address, &below, &above);
    uint64_t after = below.size ? p - below.base - below.size : UINT64_MAX;
    uint64_t before = above.size ? above.base - p : UINT64_MAX;
    const RtAlloc *a = after <= before ? &below : &above;
    uint64_t distance = after <= before ? after : before;
    if (below.size && p - below.base < below.size)
        snprintf(text, bytes, ", inside an allocation of %zu bytes at %p", below.size, (void *)below.base);
    else if (rt_find_freed(address, &base, &size))
        snprintf(text, bytes, ", inside an allocation of %zu bytes at %p that was freed", size, (void *)base);
    else if (distance < FAR || (a->size && distance <= a->size))
        snprintf(text, bytes, ", %llu bytes %s an allocation of %zu bytes at %p", (unsigned long long)distance,
                 a == &below ? "after" : "before", a->size, (void *)a->base);
}

/* longjmp has left the handler: restore the signals of the thread and report what happened. */
static void leave_signal(RtWorker *w) {
    char where[512], line[512], near[128] = "";
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < RT_COUNT(fault_signals); i++) sigaddset(&blocked, fault_signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    if (w->stopped) return;
    rt_describe_kernel(where, sizeof where);
    const char *what = w->signal == SIGFPE                      ? "arithmetic exception"
                       : w->signal == SIGILL                    ? "illegal instruction"
                       : w->overflow                            ? "stack overflow"
                       : w->error == cudaErrorMisalignedAddress ? "misaligned memory access"
                                                                : "illegal memory access";
    bool illegal = w->error == cudaErrorIllegalAddress && !w->overflow;
    if (illegal) name_allocation(w->address, near, sizeof near);
    rt_message("%s: %s%s at address %p%s", where, line_of_fault(w, line, sizeof line), what, w->address, near);
    rt_counters_print(w->tally);
}

/* Workers that are in the kernel of this job; each is sent the signal if `stop`. */
static int others_inside(RtJob *job, bool stop) {
    int n = 0;
    pthread_mutex_lock(&workers_lock);
    for (RtWorker *w = workers; w; w = w->next) {
        if (w == self || atomic_load(&w->job) != job) continue;
        n++;
        if (stop) pthread_kill(w->thread_id, STOP_SIGNAL);
    }
    pthread_mutex_unlock(&workers_lock);
    return n;
}

static void stop_others(RtJob *job) {
    const struct timespec tick = {0, 1000000};
    for (int ms = 0; ms < 2 * PATIENCE_MS && others_inside(job, false); ms++) {
        nanosleep(&tick, NULL);
        if (ms >= PATIENCE_MS && ms % 100 == 0) others_inside(job, true);
    }
}

static void start(RtWorker *w, int index) {
    w->index = index;
    if (RT_UNLIKELY(!w->bound)) {
        w->bound = true;
        rt_bind_worker(index);
        w->random = shuffle_seed * 0x9e3779b97f4a7c15u + (unsigned)index * 2u + 1u;
    }
}

/* Shared memory begins at a multiple of the slack: some programs align arrays in it by their addresses. */
static size_t shared_room(size_t bytes) {
    return RT_ROUND(bytes, (size_t)CUCPU_SHARED_SLACK) + 2 * (size_t)CUCPU_SHARED_SLACK;
}

void rt_worker_run(RtJob *job, int index, uint32_t chunks) {
    RtWorker *w = worker();
    if (RT_UNLIKELY(!w)) {
        fail(job, cudaErrorMemoryAllocation);
        return;
    }
    start(w, index);
    bool clusters = job->cluster && !job->memory;
    if (RT_UNLIKELY(!reserve(&w->shared, &w->shared_size, shared_room(job->launch->shared_bytes)) ||
                    !reserve(&w->frame, &w->frame_size, job->launch->frame_bytes) ||
                    (clusters && !reserve(&w->cluster, &w->cluster_size, job->slab.bytes)))) {
        fail(job, cudaErrorLaunchOutOfResources);
        return;
    }
    uint64_t began = cucpu_clock64();
    w->blocks = 0;
    w->stack_top = (uintptr_t)__builtin_frame_address(0);
    w->abi.shared = (char *)w->shared + CUCPU_SHARED_SLACK;
    w->abi.frame = w->frame;
    w->signal = 0;
    w->held = 0;
    rt_clear_device_error();
    atomic_store(&w->job, job);
    const unsigned mode = _mm_getcsr();
    if (job->launch->kernel->abi->flags & CUCPU_KERNEL_FLUSH) _mm_setcsr(mode | FLUSH_DENORMALS);
    if (_setjmp(w->escape) == 0) {
        rt_kernel_active = 1;
        run_chunks(w, job, chunks);
        rt_kernel_active = 0;
        atomic_store(&w->job, NULL);
    } else {
        rt_kernel_active = 0;
        if (w->signal) leave_signal(w);
        fail(job, w->error);
        atomic_store(&w->job, NULL);
        if (!w->stopped) stop_others(job);
        w->stopped = false;
    }
    _mm_setcsr(mode);
    uint64_t ended = cucpu_clock64();
    if (RT_UNLIKELY(rt_profiled && w->blocks)) rt_record_share(job, index, began, ended, w->blocks);
    atomic_fetch_add_explicit(&job->work, ended - began, memory_order_relaxed);
}

void rt_worker_left(const RtJob *job) {
    if (job->counters && self) rt_counters_end(self->tally, job);
}

/* ---- faults ---- */

uint64_t rt_running_block(void) { return self ? self->abi.block : 0; }

RtJob *rt_running_job(void) { return rt_in_kernel() ? atomic_load_explicit(&self->job, memory_order_relaxed) : NULL; }

const CucpuWorker *rt_running_worker(const RtLaunch **launch) {
    if (RT_UNLIKELY(!rt_in_kernel())) return NULL;
    *launch = atomic_load_explicit(&self->job, memory_order_relaxed)->launch;
    return &self->abi;
}

void rt_hold_signals(bool hold) {
    if (self) self->held += hold ? 1 : -1;
}

void rt_worker_polls(void) {
    RtJob *job = self ? atomic_load(&self->job) : NULL;
    if (!job) return;
    if (RT_UNLIKELY(job->children != NULL)) rt_children_polled(job);
    rt_guests_polled(job);
}

CucpuBlock *rt_left_block(uint32_t *cluster) {
    const RtJob *job = rt_running_job();
    if (!job || !job->cluster) return NULL;
    *cluster = job->launch->kernel->abi->flags & CUCPU_KERNEL_CLUSTER ? job->cluster : 0;
    return self->abi.frame;
}

void rt_worker_fault(cudaError_t e) {
    if (!rt_in_kernel()) {
        rt_message("a kernel's trap was called outside a kernel");
        abort();
    }
    self->error = e;
    _longjmp(self->escape, 1);
}

void rt_describe_kernel(char *text, size_t bytes) {
    RtJob *job = self ? atomic_load(&self->job) : NULL;
    const RtLaunch *l = job ? job->launch : NULL;
    if (!l) {
        snprintf(text, bytes, "no kernel");
        return;
    }
    const CucpuKernel *k = l->kernel->abi;
    uint64_t b = self->abi.block, gx = l->abi.grid[0], gy = l->abi.grid[1];
    int n = snprintf(text, bytes, "kernel %.*s", (int)(bytes / 2), k->title ? k->title : k->name);
    if (k->file && n > 0 && (size_t)n < bytes) n += snprintf(text + n, bytes - (size_t)n, " (%s:%u)", k->file, k->line);
    if (n > 0 && (size_t)n < bytes)
        snprintf(text + n, bytes - (size_t)n, ", block [%llu,%llu,%llu]%s", (unsigned long long)(b % gx),
                 (unsigned long long)(b / gx % gy), (unsigned long long)(b / gx / gy),
                 k->flags & (CUCPU_KERNEL_JOINED | CUCPU_KERNEL_TOGETHER | CUCPU_KERNEL_GRID_STRIDE)
                     ? " or one after it"
                     : "");
}

static struct sigaction previous[RT_COUNT(fault_signals)];

static void chain(int sig, siginfo_t *info, void *context) {
    for (size_t i = 0; i < RT_COUNT(fault_signals); i++) {
        struct sigaction *p = &previous[i];
        if (fault_signals[i] != sig) continue;
        if (p->sa_flags & SA_SIGINFO) {
            p->sa_sigaction(sig, info, context);
        } else if (p->sa_handler != SIG_DFL && p->sa_handler != SIG_IGN) {
            p->sa_handler(sig);
        } else { /* the instruction runs again and ends the process as it would have without us */
            signal(sig, SIG_DFL);
            if (info->si_code <= 0) raise(sig);
        }
    }
}

/* Of the stack between its top and the stack pointer only what it has no room for cannot be
 * accessed. */
static bool is_overflow(const RtWorker *w, const void *address, const void *context) {
    enum { BELOW = 64 * 1024 }; /* what a frame touches ahead of the stack pointer */
    uintptr_t a = (uintptr_t)address;
    return a < w->stack_top && a + BELOW >= rt_stack_pointer(context);
}

static void on_fault(int sig, siginfo_t *info, void *context) {
    RtWorker *w = self;
    if (!w || !rt_kernel_active) {
        bool late = w && sig == STOP_SIGNAL && info->si_code == SI_TKILL && info->si_pid == getpid();
        if (!late) chain(sig, info, context);
        return;
    }
    if (sig == STOP_SIGNAL && info->si_code <= 0) {
        RtJob *job = atomic_load(&w->job);
        if (!job || !job->fault || w->held) return;
        w->stopped = true;
    }
    rt_kernel_active = 0;
    w->signal = sig;
    w->address = info->si_addr;
    w->pc = rt_program_counter(context);
    w->overflow = is_overflow(w, info->si_addr, context);
    w->error = sig == SIGFPE   ? cudaErrorLaunchFailure
               : sig == SIGILL ? cudaErrorIllegalInstruction
               : w->overflow   ? cudaErrorIllegalAddress /* as GPUs say, and not HardwareStackError */
                               : rt_explain_fault(context, &w->address);
    _longjmp(w->escape, 1);
}

void rt_install_fault_handlers(void) {
    struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < RT_COUNT(fault_signals); i++) sigaction(fault_signals[i], &a, &previous[i]);
}

/* ---- what generated code queries ---- */

static RtWorker *running(void) {
    RtWorker *w = worker();
    if (!w) {
        rt_message("out of memory");
        abort();
    }
    return w;
}

CucpuThread *cucpu_thread(void) { return &running()->thread; }

void *cucpu_shared(void) { return running()->abi.shared; }

/* A quarter of the stack: the frames of a group are larger than those of its threads one by one, which have the
** rest. */
static uintptr_t find_stack_floor(void) {
    enum { UNKNOWN = 512 << 10, SHARE = 4 };
    pthread_attr_t attr;
    void *low;
    size_t size;
    bool known = !pthread_getattr_np(pthread_self(), &attr);
    if (known) {
        known = !pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_destroy(&attr);
    }
    return known ? (uintptr_t)low + size - size / SHARE : (uintptr_t)__builtin_frame_address(0) - UNKNOWN;
}

uint64_t cucpu_stack_floor(void) {
    RtWorker *w = worker();
    if (!w) return UINT64_MAX;
    if (!w->stack_floor) w->stack_floor = find_stack_floor();
    return w->stack_floor;
}

uint32_t cucpu_smid(void) { return self ? (uint32_t)self->index : 0; }

uint64_t cucpu_clock64(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return rt_now_ns();
#endif
}

uint64_t cucpu_globaltimer(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CUDA allows anything from 0 to twice the time.  The system sleeps 50 us more than requested, far
** more than most programs request: short sleeps add up to one that is long enough.  In a kernel that
** polls they are no sleeps, as the loop lets the other threads of the block run, which it waits for. */
void cucpu_nanosleep(uint32_t ns) {
    uint64_t sum = ns > MAX_SLEEP ? MAX_SLEEP : ns;
    RtJob *job = self && sum < MIN_SLEEP ? atomic_load_explicit(&self->job, memory_order_relaxed) : NULL;
    if (job) {
        if (job->launch->kernel->abi->flags & CUCPU_KERNEL_POLLS) return;
        sum += self->awake;
        self->awake = sum < MIN_SLEEP ? (uint32_t)sum : 0;
        if (self->awake) return;
    }
    if (!sum) return;
    struct timespec t = {0, (long)sum};
    nanosleep(&t, NULL);
}

uint32_t cucpu_is_local(const void *p) {
    const RtJob *job = self ? atomic_load(&self->job) : NULL;
    uintptr_t a = (uintptr_t)p;
    if (!job) return 0;
    if (a - (uintptr_t)self->abi.frame < job->launch->frame_bytes) return 1;
    return a >= (uintptr_t)__builtin_frame_address(0) && a < self->stack_top;
}

uint64_t cucpu_private_cache(void) {
    enum { USUAL = 1 << 19 };
    return rt_topo()->l2 ? rt_topo()->l2 : USUAL;
}

const uint32_t *cucpu_group_order(uint32_t groups) {
    if (RT_LIKELY(!shuffle_seed)) return NULL;
    RtWorker *w = worker();
    if (!w) return NULL;
    if (groups > w->order_size) {
        free(w->order);
        w->order = malloc(groups * sizeof *w->order);
        w->order_size = w->order ? groups : 0;
    }
    if (!w->order) return NULL;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t j = (uint32_t)(next_random(w) % (i + 1));
        w->order[i] = w->order[j];
        w->order[j] = i;
    }
    return w->order;
}
