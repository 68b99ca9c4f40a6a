/* operations.c: which operations of streams happen before which: kernels, copies, records of events, waits of the
** host.
**
** Each is a number, and follows others: the one before it in its stream, what its stream waits for, what the host had
** waited for when it was enqueued.  Threads of the host count as one.  What the host has waited for as a whole is below
** a floor, before all that comes. */
#include "check/check.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIVE = 1 << 14 }; /* above the floor; earlier ones count as before all */
typedef struct Edge {
    uint32_t before, next; /* of the same operation; 0 = none */
} Edge;
static uint32_t *first_edge; /* by number % (2 * MAX_LIVE) */
static Edge *edges;          /* from 1 on */
static uint32_t nedges = 1, edge_capacity, last, floor_, host;
static RT_TLS uint32_t running;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t *first_of(uint32_t op) { return &first_edge[op % (2 * MAX_LIVE)]; }

static void add_edge(uint32_t op, uint32_t before) { /* lock held */
    if (before <= floor_ || before >= op) return;
    if (nedges == edge_capacity || !edges) {
        uint32_t more = edge_capacity ? 2 * edge_capacity : 1024;
        Edge *grown = realloc(edges, more * sizeof *grown);
        if (!grown) return;
        edges = grown, edge_capacity = more;
    }
    edges[nedges] = (Edge){before, *first_of(op)};
    *first_of(op) = nedges++;
}

/* What is up to `to` is before all that comes. */
static void raise_floor(uint32_t to) { /* lock held */
    floor_ = to;
    if (floor_ == last) nedges = 1;
}

static uint32_t new_op(void) { /* lock held */
    if (!first_edge) first_edge = calloc(2 * MAX_LIVE, sizeof *first_edge);
    if (!first_edge) return 0;
    if (last - floor_ >= MAX_LIVE) raise_floor(last - MAX_LIVE / 2);
    *first_of(++last) = 0;
    add_edge(last, host);
    return last;
}

uint32_t rt_order_new(void) {
    pthread_mutex_lock(&lock);
    uint32_t op = new_op();
    pthread_mutex_unlock(&lock);
    return op;
}

void rt_order_after(uint32_t op, uint32_t before) {
    pthread_mutex_lock(&lock);
    if (op > floor_) add_edge(op, before);
    pthread_mutex_unlock(&lock);
}

void rt_order_host(uint32_t op) {
    pthread_mutex_lock(&lock);
    if (op > floor_ && op != host) {
        uint32_t point = new_op();
        add_edge(point, op);
        host = point;
    }
    pthread_mutex_unlock(&lock);
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_host_waited();
}

void rt_order_host_all(void) {
    pthread_mutex_lock(&lock);
    raise_floor(last);
    pthread_mutex_unlock(&lock);
    if (rt_checks(CUCPU_CHECK_RACE)) rt_race_host_waited();
}

uint32_t rt_order_run(uint32_t op) {
    uint32_t was = running;
    running = op;
    return was;
}

uint32_t rt_order_running(void) { return running; }

uint32_t rt_order_floor(void) { return floor_; }

/* Marks what is before op, from `low` on. */
static void mark(uint8_t *is_before, uint32_t low, uint32_t op) {
    memset(is_before, 0, op - low + 1);
    is_before[op - low] = 1;
    for (uint32_t i = op; i > floor_ && i >= low; i--)
        for (uint32_t e = is_before[i - low] ? *first_of(i) : 0; e; e = edges[e].next)
            if (edges[e].before >= low) is_before[edges[e].before - low] = 1;
}

void rt_order_find(uint32_t op, const uint32_t *others, bool *before, size_t n) {
    pthread_mutex_lock(&lock);
    uint32_t low = floor_ + 1;
    uint8_t *marks = op >= low ? malloc(op - low + 1) : NULL;
    if (marks) mark(marks, low, op);
    for (size_t i = 0; i < n; i++) before[i] = !marks || others[i] < low || (others[i] <= op && marks[others[i] - low]);
    pthread_mutex_unlock(&lock);
    free(marks);
}

/* ---- memory that streams get and give back ---- */

enum { FREED = 4096 };
static struct {
    uintptr_t base;
    size_t bytes;
    uint32_t op;
} freed[FREED]; /* the last ones */
static uint32_t nfreed;

static void access_all(const void *p, size_t bytes, const char *name) {
    RtTransfer t = {
        .address = p, .width = bytes, .height = 1, .depth = 1, .writes = true, .name = name, .lifetime = true};
    if (!rt_checks(CUCPU_CHECK_RACE)) return;
    rt_race_transfers(&t, 1, false);
    rt_race_transfers(&t, 1, true);
}

/* What has had the memory before is before the operation: the pool sees to that. */
void rt_order_given(const void *p, size_t bytes) {
    uintptr_t base = (uintptr_t)p;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < nfreed && i < FREED; i++)
        if (freed[i].base < base + bytes && base < freed[i].base + freed[i].bytes) add_edge(running, freed[i].op);
    pthread_mutex_unlock(&lock);
    if (rt_checks(CUCPU_CHECK_MEMORY)) rt_memory_given(p, running);
    access_all(p, bytes, "cudaMallocAsync");
}

void rt_order_freed(const void *p, size_t bytes) {
    access_all(p, bytes, "cudaFreeAsync");
    pthread_mutex_lock(&lock);
    uint32_t i = nfreed++ % FREED;
    freed[i].base = (uintptr_t)p, freed[i].bytes = bytes, freed[i].op = running;
    pthread_mutex_unlock(&lock);
}
