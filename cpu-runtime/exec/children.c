/* children.c: grids that kernels launch (dynamic parallelism, CUDA C++ Programming Guide, "CDP2").
**
** What device code gives to a stream runs when its own grid has ended, in the order in which it was
** given; the grid counts as done when all of that is done, too.  So every order that CUDA promises
** holds - within a stream of a block, between streams by events - and no block keeps its memory
** while others run.  What goes to cudaStreamTailLaunch runs after all the rest; the tail launch of a
** tail launch directly after that one, without further nesting.
** cudaDeviceSynchronize of device code (gone since CUDA 12) still has its old meaning: another
** thread runs what there is while the block waits.  So it does when a block polls, perhaps for what a child stores.
** Children of which no two must follow each other run side by side, each on one core, where there are enough of
** them. */
#include "exec/children.h"
#include "host/topo.h"
#include "exec/job.h"
#include "exec/team.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 24, FIRST_CAPACITY = 16 };

/* What a block gave to a stream. */
typedef struct Child {
    RtOp *op;
    uint64_t block, stream, index; /* index: among all children of the grid */
} Child;

typedef struct List {
    RtOp *head, *last;
} List;

typedef struct RtChildren {
    Child *now;
    size_t n, capacity, next; /* next: those before have begun */
    bool between_streams;     /* they may wait for each other */
    List tail;
    pthread_mutex_t order; /* held by the thread that runs them: one, for their order */
} RtChildren;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the children of grids that run; signals held */
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

/* ---- in the kernel ---- */

static RtChildren *children_of(RtJob *job) {
    if (job->children) return job->children;
    RtChildren *c = job->children = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->order, NULL);
    return c;
}

static bool add(RtChildren *c, cudaStream_t s, RtOp *op) {
    if (s == cudaStreamTailLaunch) {
        append(&c->tail, op);
        return true;
    }
    if (c->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : FIRST_CAPACITY;
        Child *now = realloc(c->now, capacity * sizeof *now);
        if (!now) return false;
        c->now = now;
        c->capacity = capacity;
    }
    bool alone = s == cudaStreamFireAndForget;
    c->between_streams |= op->kind == cudaGraphNodeTypeEventRecord;
    c->now[c->n] = (Child){op, rt_running_block(), alone ? UINT64_MAX - c->n : (uintptr_t)s, c->n};
    c->n++;
    return true;
}

cudaError_t rt_add_child(cudaStream_t s, RtOp *op) {
    RtJob *job = rt_running_job();
    rt_hold_signals(true);
    pthread_mutex_lock(&lock);
    RtChildren *c = children_of(job);
    bool done = c && add(c, s, op);
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
    if (!done) rt_drop_op(op);
    return done ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_child_depth(cudaStream_t s, uint32_t *depth) {
    RtJob *job = rt_running_job();
    *depth = job ? job->launch->depth + (s != cudaStreamTailLaunch) : 0;
    return *depth > MAX_DEPTH ? cudaErrorLaunchMaxDepthExceeded : cudaSuccess;
}

/* ---- after the kernel ---- */

static void run(RtOp *op) {
    rt_run_op(op);
    rt_drop_op(op);
}

static void run_in_order(RtChildren *c) {
    for (;;) {
        pthread_mutex_lock(&lock);
        RtOp *op = c->next < c->n ? c->now[c->next++].op : NULL;
        pthread_mutex_unlock(&lock);
        if (!op) return;
        run(op);
    }
}

static int compare(const void *a, const void *b) {
    const Child *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

typedef struct Chains { /* children that must run one after another: first[i] .. first[i + 1] - 1 */
    const Child *child;
    size_t *first;
} Chains;

static void run_chain(size_t i, void *p) {
    const Chains *k = p;
    for (size_t c = k->first[i]; c < k->first[i + 1]; c++) run(k->child[c].op);
}

/* Where there is one stream of a block for each core, or more, each core takes one after the other: false = there
** are not. */
static bool run_side_by_side(RtChildren *c) {
    size_t left = c->n - c->next, chains = 0, min = 2 * (size_t)rt_topo()->threads;
    Chains k = {.child = c->now + c->next};
    if (left < min || rt_topo()->threads < 2 || c->between_streams || !(k.first = malloc((left + 1) * sizeof *k.first)))
        return false;
    qsort(c->now + c->next, left, sizeof *c->now, compare);
    for (size_t i = 0; i < left; i++)
        if (!i || k.child[i].block != k.child[i - 1].block || k.child[i].stream != k.child[i - 1].stream)
            k.first[chains++] = i;
    k.first[chains] = left;
    bool done = chains >= min && rt_each(chains, run_chain, &k);
    if (done) c->next = c->n;
    free(k.first);
    return done;
}

static void run_tails(List *l) {
    List *mine = tails;
    tails = l;
    for (RtOp *op; (op = l->head);) {
        l->head = op->next;
        run(op);
    }
    tails = mine;
}

static void drop_all(RtChildren *c) {
    for (; c->next < c->n; c->next++) rt_drop_op(c->now[c->next].op);
    for (RtOp *op; (op = c->tail.head);) {
        c->tail.head = op->next;
        rt_drop_op(op);
    }
}

void rt_run_children(RtJob *job) {
    RtChildren *c = job->children;
    List *mine = tails;
    if (job->fault) drop_all(c);
    tails = NULL;
    if (!run_side_by_side(c)) run_in_order(c);
    tails = mine;
    if (mine) put_in_front(mine, &c->tail);
    else run_tails(&c->tail);
    pthread_mutex_destroy(&c->order);
    free(c->now);
    free(c);
}

static void *run_now(void *p) {
    RtChildren *c = p;
    pthread_mutex_lock(&c->order);
    run_in_order(c);
    pthread_mutex_unlock(&c->order);
    return NULL;
}

static void (*_Atomic on_wait)(bool begins);

void rt_on_wait(void (*f)(bool begins)) { atomic_store(&on_wait, f); }

/* Runs what there is on another thread: this one is in a kernel. */
cudaError_t rt_wait_for_children(void) {
    RtJob *job = rt_running_job();
    pthread_t t;
    cudaError_t e = cudaSuccess;
    rt_hold_signals(true);
    void (*waits)(bool) = job->children ? atomic_load(&on_wait) : NULL;
    if (waits) waits(true);
    if (job->children) {
        if (pthread_create(&t, NULL, run_now, job->children)) e = cudaErrorMemoryAllocation;
        else pthread_join(t, NULL);
    }
    if (waits) waits(false);
    rt_hold_signals(false);
    return e ? e : rt_sticky();
}

void rt_children_polled(RtJob *job) {
    rt_hold_signals(true);
    pthread_mutex_lock(&lock);
    RtChildren *c = job->children;
    bool waiting = c && c->next < c->n;
    pthread_mutex_unlock(&lock);
    rt_hold_signals(false);
    if (waiting) rt_wait_for_children();
}
