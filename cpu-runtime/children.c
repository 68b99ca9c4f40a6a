/* children.c: grids that kernels launch (dynamic parallelism, CUDA C++ Programming Guide, "CDP2").
**
** What device code gives to a stream runs when its own grid has ended, in the order in which it was
** given; the grid counts as done when all of that is done, too.  So every order that CUDA promises
** holds - within a stream of a block, between streams by events - and no block keeps its memory
** while others run.  What goes to cudaStreamTailLaunch runs behind all the rest; the tail launch of a
** tail launch directly behind that one, without further nesting.
** cudaDeviceSynchronize of device code (gone since CUDA 12) still has its old meaning: another
** thread runs what there is while the block waits. */
#include "rt.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 24 };

typedef struct List {
    RtOp *head, *last;
} List;

typedef struct RtChildren {
    List now, tail;
    pthread_mutex_t turn; /* of the thread that runs them: one, for their order */
} RtChildren;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the lists of grids that run; signals held */
static RT_TLS List *tails; /* what this thread runs was taken from there: a tail launch; else NULL */

static void append(List *l, RtOp *op) {
    op->next = NULL;
    if (l->head) l->last->next = op;
    else l->head = op;
    l->last = op;
}

static void put_in_front(List *l, List *first) {
    if (!first->head) return;
    first->last->next = l->head;
    if (!l->head) l->last = first->last;
    l->head = first->head;
    first->head = NULL;
}

static RtChildren *make_children(void) {
    RtChildren *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->turn, NULL);
    return c;
}

/* ---- in the kernel ---- */

cudaError_t rt_add_child(cudaStream_t s, RtOp *op) {
    RtJob *job = rt_running_job();
    rt_hold_signals(true);
    pthread_mutex_lock(&lock);
    if (!job->children) job->children = make_children();
    RtChildren *c = job->children;
    if (c) append(s == cudaStreamTailLaunch ? &c->tail : &c->now, op);
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
    if (!c) rt_drop_op(op);
    return c ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_child_depth(cudaStream_t s, uint32_t *depth) {
    RtJob *job = rt_running_job();
    *depth = job ? job->launch->depth + (s != cudaStreamTailLaunch) : 0;
    return *depth > MOST_DEPTH ? cudaErrorLaunchMaxDepthExceeded : cudaSuccess;
}

void *cucpu_launch_buffer(size_t alignment, size_t bytes) {
    rt_hold_signals(true);
    void *p = aligned_alloc(RT_ARG_ALIGN, RT_ROUND(bytes ? bytes : 1, alignment > RT_ARG_ALIGN ? alignment : RT_ARG_ALIGN));
    rt_hold_signals(false);
    return p;
}

/* The arguments as clang puts them into the buffer: one behind the other, each at its alignment. */
static cudaError_t launch(const void *kernel, char *buffer, const uint32_t shape[6], uint32_t shared, cudaStream_t s) {
    RtKernel *k;
    RT_TRY(rt_find_kernel(kernel, &k));
    void **args = calloc(k->abi->nparams + 1, sizeof *args);
    if (!args) return cudaErrorMemoryAllocation;
    rt_place_params(k->abi, buffer, args);
    cudaError_t e = rt_launch(kernel, (dim3){shape[0], shape[1], shape[2]}, (dim3){shape[3], shape[4], shape[5]}, args, shared,
                              s, false);
    free(args);
    return e;
}

int cucpu_launch(const void *kernel, void *buffer, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                         uint32_t bz, uint32_t shared, void *stream) {
    const uint32_t shape[6] = {gx, gy, gz, bx, by, bz};
    rt_hold_signals(true);
    cudaError_t e = launch(kernel, buffer, shape, shared, stream);
    free(buffer);
    rt_hold_signals(false);
    return (int)rt_end(e);
}

/* ---- behind it ---- */

static void run_list(List *l) {
    for (;;) {
        pthread_mutex_lock(&lock);
        RtOp *op = l->head;
        if (op) l->head = op->next;
        pthread_mutex_unlock(&lock);
        if (!op) return;
        rt_run_op(op);
        rt_drop_op(op);
    }
}

static void drop_list(List *l) {
    for (RtOp *op = l->head, *next; op; op = next) {
        next = op->next;
        rt_drop_op(op);
    }
    l->head = NULL;
}

static void run_apart(List *l, List *of) {
    List *mine = tails;
    tails = of;
    run_list(l);
    tails = mine;
}

void rt_run_children(RtJob *job) {
    RtChildren *c = job->children;
    if (job->fault) {
        drop_list(&c->now);
        drop_list(&c->tail);
    }
    run_apart(&c->now, NULL);
    if (tails) put_in_front(tails, &c->tail);
    else run_apart(&c->tail, &c->tail);
    pthread_mutex_destroy(&c->turn);
    free(c);
}

static void *run_now(void *p) {
    RtChildren *c = p;
    pthread_mutex_lock(&c->turn);
    run_list(&c->now);
    pthread_mutex_unlock(&c->turn);
    return NULL;
}

/* Runs what there is on another thread: this one is in a kernel. */
cudaError_t rt_wait_for_children(void) {
    RtJob *job = rt_running_job();
    pthread_t t;
    cudaError_t e = cudaSuccess;
    rt_hold_signals(true);
    if (job->children) {
        if (pthread_create(&t, NULL, run_now, job->children)) e = cudaErrorMemoryAllocation;
        else pthread_join(t, NULL);
    }
    rt_hold_signals(false);
    return e ? e : rt_sticky();
}
