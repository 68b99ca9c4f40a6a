/* check.h: checks of kernels that were compiled with --check (docs/checker.md).
**
** Kernels call cucpu_check_* (access.c), which find out who accesses what and pass it on to the checkers: memory.c,
** race.c, init.c.  What they find goes to report.c.  Nothing here runs for other kernels but rt_check_bad_free, when a
** free fails. */
#ifndef CUCPU_CHECK_H
#define CUCPU_CHECK_H
#include "exec/launch.h"
#include "exec/worker.h"

/* ---- options.c: CUCPU_CHECK, or what the program was compiled with ---- */
enum { RT_INFO, RT_WARNING, RT_ERROR };
typedef struct RtCheckOptions {
    unsigned kinds;         /* CUCPU_CHECK_*; 0 = nothing is checked */
    bool tool;              /* under compute-sanitizer, which prints the summary */
    bool leaks;             /* report what is not freed */
    bool no_host;           /* accesses of the host are not compared */
    bool api, no_api;       /* report errors that functions of the runtime API return; not even those not looked at */
    unsigned limit;         /* of reports that are printed; 0 = none */
    unsigned level;         /* of races that are reported: RT_INFO ... */
    bool hazards, analysis; /* reports of races: each pair of threads, each pair of sites */
    unsigned skip, count;   /* of launches of kernels that are checked; count 0 = all of the rest */
    const char *kernel, *not ; /* substrings of names of kernels that are checked, or not; NULL = no condition */
    const char *kernel_regex, *not_regex; /* likewise, POSIX extended regular expressions */
    const char *prefix;                   /* of lines */
    const char *log;                      /* file; NULL = standard output under the tool, standard error else */
    const char *save;                     /* file for the lines of reports without the prefix; NULL = none */
    const char *suppressions;             /* file: suppress.c; NULL = none */
    int status;                           /* descriptor to which counts go, for the tool; -1 = none */
} RtCheckOptions;
extern RtCheckOptions rt_check;
bool rt_has_checks(const CucpuModule *m);  /* its kernels have the calls for what is checked */
bool rt_is_to_check(const CucpuModule *m); /* its kernels are not checked, but it is asked for from outside */
const char *rt_check_option(void);         /* for the cucpu command; NULL = none */
static inline bool rt_checks(unsigned kind) { return (rt_check.kinds & kind) != 0; }

/* ---- access.c: who accesses what ---- */
typedef enum RtSpace { RT_GLOBAL, RT_SHARED, RT_LOCAL } RtSpace;
typedef struct RtHere {     /* of a worker: the thread that its kernel runs, the block, the launch */
    const RtLaunch *launch; /* of `number`, its own number in time */
    uint64_t number, block;
    uint32_t thread, linear; /* x | y << 10 | z << 20; its number in the block */
    uintptr_t shared;        /* memory of the block ... */
    size_t shared_bytes;
    uintptr_t low[4], high[4]; /* allocations that were accessed last; valid while `frees` is */
    unsigned next;
    uint64_t frees;
} RtHere;
typedef struct RtAccess {
    const CucpuSite *site;
    uintptr_t address;
    uint64_t bytes;
    RtSpace space;
    uintptr_t object; /* that it is made from, or 0 ... */
    uint64_t object_bytes;
} RtAccess;
static inline uint32_t rt_linear(const RtLaunch *l, uint32_t thread) {
    const uint32_t *b = l->abi.block;
    return (thread & 1023) + b[0] * ((thread >> 10 & 1023) + b[1] * (thread >> 20));
}
RtHere *rt_enter_thread(uint32_t thread); /* NULL: this launch is not checked */
void rt_thread_at(const RtHere *h, uint32_t thread[3], uint32_t block[3]);
void rt_number_sites(const CucpuCheck *c);
void rt_forget_bounds(void);               /* memory was freed */
const CucpuSite *rt_site(uint32_t number); /* NULL: there is none */

/* ---- report.c: a report is what is printed between begin and end; no other thread prints meanwhile ---- */
bool rt_report_begin(int severity); /* counts it; false: it is not printed, and has no end */
void rt_report(const char *format, ...) __attribute__((format(printf, 1, 2))); /* a line */
void rt_report_end(void);
bool rt_is_suppressed(const char *record); /* suppress.c: the lines of a report */
void rt_report_unseen(void);               /* an error of the API that this thread has not looked at */
void rt_report_site(const CucpuSite *s);   /* "at f()+0x10 in a.cu:3" */
void rt_report_callers(const CucpuSite *s);
void rt_report_thread(const RtHere *h); /* "by thread ... in block ..." */
const char *rt_name_site(const CucpuSite *s, char *text, size_t bytes);
const char *rt_commas(uint64_t n, char text[32]);
void rt_count(char kind, uint64_t n); /* for the summary: RT_COUNT_* */
enum {
    RT_COUNTED_ERROR = 'e',
    RT_COUNTED_WARNING = 'w',
    RT_COUNTED_INFO = 'i',
    RT_COUNTED_LEAK = 'l',
    RT_COUNTED_LEAKED = 'b',
    RT_COUNTED_LAUNCH = 'k',
    RT_COUNTED_UNCHECKED = 'u',
    RT_COUNTED_RUNTIME = 'r'
};

/* ---- operations.c: order of operations of streams, which have numbers; 0 = before all ---- */
static inline bool rt_orders(void) { /* else numbers are 0 */
    return RT_UNLIKELY(rt_checks(CUCPU_CHECK_RACE | CUCPU_CHECK_MEMORY));
}
uint32_t rt_order_new(void);                       /* after what the host has waited for */
void rt_order_after(uint32_t op, uint32_t before); /* op: a later number */
void rt_order_host(uint32_t op);                   /* the host has waited for it ... */
void rt_order_host_all(void);                      /* ... for all that there are */
uint32_t rt_order_run(uint32_t op);                /* this thread runs it from now on; which one before */
uint32_t rt_order_running(void);
uint32_t rt_order_floor(void); /* it and all below are before all that comes */
/* The operation that runs gives memory to its stream, or takes it back. */
void rt_order_given(const void *p, size_t bytes);
void rt_order_freed(const void *p, size_t bytes);
void rt_order_find(uint32_t op, const uint32_t *others, bool *before, size_t n); /* which of the others are before op */

/* ---- race.c ---- */
/* Bytes that an operation which is no kernel reads, or writes. */
typedef struct RtTransfer {
    const void *address;
    size_t width, pitch, height, slice, depth;
    bool writes, lifetime; /* lifetime: memory is given or taken, no value is stored */
    const char *name;      /* of the operation, as reports have it */
} RtTransfer;
/* Of the operation that runs: before it does, and after. */
void rt_race_transfers(const RtTransfer *t, size_t n, bool ended);
void rt_race_access(RtHere *h, const RtAccess *a);
/* The same where it takes little; false: nothing is done. */
bool rt_race_quickly(const CucpuSite *site, uintptr_t p, uint32_t thread, uint64_t bytes);
bool rt_race_lanes_quickly(const CucpuSite *site, const CucpuLanes *lanes, uint64_t bytes);
/* Of lanes that follow each other, at addresses at a constant distance: as cucpu_check_row. */
bool rt_race_row(const CucpuSite *site, uint64_t at, int64_t stride, uint64_t mask, uint32_t thread, uint64_t bytes);
/* The access that follows is by a lane of a group, which takes place when those of all lanes have been told; NULL: the
** end of that. */
void rt_race_group(const CucpuLanes *lanes, int lane, bool has_values);
void rt_race_barrier(RtHere *h, uint32_t flags); /* the thread has left it; CUCPU_SITE_* */
void rt_race_barrier_lanes(RtHere *h, uint32_t flags, const CucpuLanes *lanes);
void rt_race_warp(RtHere *h, uint32_t mask);
const RtAccess *rt_race_last_poll(RtHere *h); /* of a flag; NULL: none */
bool rt_race_polls_in_vain(void);             /* nothing was stored for a while */
void rt_race_host_waited(void);               /* for operations */
void rt_race_fence(RtHere *h, bool block_scope);
void rt_race_forget(const void *p, size_t bytes); /* new memory: what was there before is of no interest */
void rt_race_grid(RtLaunch *l, bool ended);

/* ---- init.c ---- */
void rt_init_begin(void);
void rt_init_block(RtHere *h); /* the block begins: nobody has accessed its shared memory */
void rt_init_check(RtHere *h, const RtAccess *a);
void rt_init_copy(const void *src, size_t width, size_t pitch, size_t height); /* to the host */
void rt_init_moved(const void *dst, const void *src, size_t bytes);            /* within the device: was copied */
bool rt_init_is_right(RtHere *h, const RtAccess *all, const CucpuLanes *lanes, uint64_t bytes);

/* ---- sync.c ---- */
void rt_sync_barrier(RtHere *h, const CucpuSite *s); /* the thread has left it */
void rt_sync_barrier_lanes(RtHere *h, const CucpuSite *s, const CucpuLanes *lanes);
void rt_sync_warp(RtHere *h, const CucpuSite *s, uint32_t mask);
void rt_sync_grid(const RtLaunch *l); /* has ended */

/* ---- memory.c ---- */
bool rt_memory_is_known(RtHere *h, const RtAccess *a); /* within an allocation or variable; remembers it in h */
void rt_memory_check(RtHere *h, const RtAccess *a);    /* does not return if it would be a fault */
void rt_memory_module(const CucpuCheck *c);
void rt_memory_begin(void);
void rt_memory_given(const void *p, uint32_t op); /* by this operation of a stream */
void rt_memory_grid(RtLaunch *l);                 /* begins, or has ended */
void rt_memory_leaks(void);
/* A function of the API could not free it; pending: it is to be freed already. */
void rt_check_bad_free(const void *p, bool pending);
void rt_check_allow(const void *p, size_t bytes); /* memory of the runtime that kernels read; 0 bytes: no longer */
/* The host faults there; false: it has nothing to do with memory of the runtime. */
bool rt_memory_host_fault(uintptr_t p, bool writes, const char *where);
uint64_t rt_memory_frees(void);

/* ---- host_memory.c ---- */
void rt_host_memory_begin(void);
#endif
