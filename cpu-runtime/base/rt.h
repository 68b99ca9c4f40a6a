/* rt.h: internals of the runtime, shared by its files; nothing here is exported.
**
** One section per file.  The public API is declared by cuda_runtime_api.h, what generated code
** calls by abi.h; both are pushed to default visibility here, so that everything else stays hidden.
** Lock order: registry, then queues, then memory; no lock is held while a kernel runs except the
** one of the legacy stream. */
#ifndef CUCPU_RT_H
#define CUCPU_RT_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma GCC visibility push(default)
#include "abi.h"
#include "cuda_runtime_api.h"
#include "base/entry.h"
#pragma GCC visibility pop

#define RT_LIKELY(x) __builtin_expect(!!(x), 1)
#define RT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RT_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RT_TLS _Thread_local __attribute__((tls_model("initial-exec")))

/* ---- limits: what launches are checked against and what the device properties report ---- */
enum {
    RT_MAX_THREADS = 1024,
    RT_MAX_BLOCK_X = 1024,
    RT_MAX_BLOCK_Y = 1024,
    RT_MAX_BLOCK_Z = 64,
    RT_MAX_GRID_YZ = 65535,
    RT_SHARED_DEFAULT = 48 * 1024,
    RT_SHARED_OPTIN = 227 * 1024,
    RT_SHARED_PER_SM = 228 * 1024,
    RT_REGISTERS = 65536,
    RT_THREADS_PER_SM = 2048,
    RT_BLOCKS_PER_SM = 32,
    RT_MAX_CLUSTER = 16,
    RT_BLOCK_ALIGN = 128,
    RT_TIDS_PAD = 63,
    RT_ALIGN = 512, /* of device memory */
    RT_TEXTURE_PITCH = 32,
    RT_TEXTURE_LINEAR = 1 << 28, /* texels, then of pitched memory */
    RT_TEXTURE_WIDTH = 131072,
    RT_TEXTURE_HEIGHT = 65000,
    RT_MAX_PITCH = INT32_MAX,
    RT_ARG_ALIGN = 64 /* of a copied kernel argument */
};
#define RT_ROUND(n, to) (((uint64_t)(n) + (to)-1) / (to) * (to))
#define RT_MAX_GRID_X 0x7fffffffu

/* ---- env.c ---- */
typedef struct RtEnv {
#define INT int
#define STRING const char *
#define CUCPU_ENV(field, name, kind, def, text) kind field;
#include "base/env.def"
#undef INT
#undef STRING
    enum {
        RT_MODE_MIXED,
        RT_MODE_SYNC,
        RT_MODE_ASYNC
    } mode;                /* launch; without: the default stream runs in the calling thread */
    uint64_t shuffle_seed; /* sched; 0 = natural order */
    int capability;        /* compute_capability: 10 * major + minor */
} RtEnv;
const RtEnv *rt_env(void); /* parsed at the first call */

/* ---- error.c ---- */
cudaError_t rt_end(cudaError_t e);             /* records e as the thread's last error; returns it */
cudaError_t rt_sticky(void);                   /* the context's sticky error, or cudaSuccess */
cudaError_t rt_swap_last_error(cudaError_t e); /* of this thread; returns the one before */
enum RtUse { RT_UNUSED, RT_USED, RT_BY_DRIVER };
extern _Atomic bool rt_ever_used;    /* some thread has called a function of the runtime API */
extern _Atomic bool rt_primary_held; /* and none has called cudaDeviceReset since */
extern RT_TLS enum RtUse
    rt_used; /* this thread has, so that the primary context is current; or it is within a function of the driver API */
extern RT_TLS bool rt_in_host_function; /* that a stream calls: it may use no function of the API */
cudaError_t rt_enter(void);             /* why no function may be called now: the sticky error, or cudaSuccess */
cudaError_t
rt_enter_aside(void); /* the same of functions that look at no context: they make none, and no fault concerns them */
void rt_hold_primary(void);        /* the runtime API is used, by this thread */
void rt_clear_device_error(void);  /* the last error of the kernels that this thread runs */
void rt_set_sticky(cudaError_t e); /* the first one stays */
void rt_clear_sticky(void);
/* driver.c: the context of the runtime API becomes the current one; it ends, until the runtime API is used again. */
void rt_make_primary_current(void);
void rt_end_primary(void);
void rt_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Entry of every API function that touches the device. */
#define RT_ENTER()                                                                                                     \
    do {                                                                                                               \
        cudaError_t enter_ = rt_enter();                                                                               \
        if (RT_UNLIKELY(enter_ != cudaSuccess)) return rt_end(enter_);                                                 \
    } while (0)
#define RT_ENTER_ASIDE()                                                                                               \
    do {                                                                                                               \
        cudaError_t enter_ = rt_enter_aside();                                                                         \
        if (RT_UNLIKELY(enter_ != cudaSuccess)) return rt_end(enter_);                                                 \
    } while (0)
#define RT_TRY(call)                                                                                                   \
    do {                                                                                                               \
        cudaError_t try_ = (call);                                                                                     \
        if (RT_UNLIKELY(try_ != cudaSuccess)) return try_;                                                             \
    } while (0)

/* ---- cpu_features.c: sets as in CucpuModule.cpu_features ---- */
uint64_t rt_cpu_features(void);                                  /* of this machine */
void rt_name_cpu_features(uint64_t set, char *out, size_t size); /* "avx2, fma" */

/* ---- topo.c ---- */
typedef struct RtTopo {
    char model[128];
    int cores, pus, numa_nodes;
    int threads; /* size of the team */
    bool bind;
    uint64_t memory; /* bytes, after the limits of the process */
    uint64_t l2, l3; /* bytes of one cache */
    int mhz;
} RtTopo;
const RtTopo *rt_topo(void); /* found at the first call */
void rt_bind_worker(int index);
void rt_place_memory(void *p, size_t bytes); /* spreads big buffers over the NUMA nodes */
uint64_t rt_memory_available(void);

/* ---- registry.c ---- */
typedef struct RtModule RtModule;
typedef struct RtKernel {
    const CucpuKernel *abi;
    const RtModule *module;
    _Atomic int max_dyn_shared; /* cudaFuncAttributeMaxDynamicSharedMemorySize + 1; 0 = not set */
    _Atomic int carveout;
    _Atomic int nonportable_cluster, cluster_policy, req_cluster[3]; /* cudaFuncAttribute*Cluster* */
    _Atomic uint64_t thread_cost; /* measured, 1/1024 tick per thread; 0 = not yet run */
    _Atomic bool cost_is_cold;    /* of the first launch, which finds neither code nor data in a cache */
    uint64_t params_bytes;        /* size of the copied parameters */
    struct RtTrial *trials;       /* of its variants; NULL if there is no code of one lane beside them */
} RtKernel;
struct RtModule {
    const CucpuModule *abi;
    RtKernel *kernels;
    RtModule *next;
    int target;   /* of PTX that was loaded: 70 = sm_70 */
    bool told;    /* why its kernels cannot run */
    bool joined;  /* its kernels can be launched by their RtKernel */
    bool loaded;  /* by module.c, not part of the program */
    bool dead;    /* of a library that is closed: abi points nowhere */
    bool refused; /* its tables contradict themselves or the host's: nothing of it is used */
};
void rt_expect_module(RtModule **out);   /* the next module that this thread registers; NULL ends it */
RtModule *rt_linked_module(uint64_t id); /* part of the program; NULL: there is none */
cudaError_t rt_use_module(RtModule *m);  /* &m->kernels[i] become functions, its variables known memory */
cudaError_t rt_find_kernel(const void *function, RtKernel **out);
cudaError_t rt_find_symbol(const void *symbol, void **address, size_t *size);
void rt_restore_variables(void); /* all have the values again that they start with; kernels their attributes */
int rt_warp_size(void);
void rt_each_module(void (*visit)(const CucpuModule *m, void *data), void *data);

/* ---- launch.c ---- */
struct RtOp;
typedef struct RtLaunch { /* a checked launch */
    RtKernel *kernel;
    const CucpuVariant *variant;
    struct RtTrial *trial; /* of this variant against the code of one lane; NULL = the variant runs */
    CucpuLaunch abi;
    uint64_t blocks, shared_bytes, frame_bytes;
    uint32_t depth; /* 0 = launched by the host */
} RtLaunch;
bool rt_variant_fits(const RtLaunch *l, const CucpuVariant *v);
typedef struct RtHow { /* what attributes of a launch change */
    bool cooperative;
    uint32_t cluster[3]; /* all 0: they name no clusters */
    cudaEvent_t event;   /* to be recorded behind the kernel, or NULL */
} RtHow;
cudaError_t rt_launch_attributes(const cudaLaunchAttribute *a, unsigned n, RtHow *how);
cudaError_t rt_launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                      const RtHow *how);          /* NULL: no attributes */
cudaError_t rt_check_launch_event(cudaEvent_t e); /* event.c: may an attribute name it? */
/* *out: a launch that differs only in that it is, or is not, cooperative, and has such clusters; all 0: those that it has. */
cudaError_t rt_relaunch_op(const struct RtOp *op, const RtHow *how, struct RtOp **out);
bool rt_op_is_cooperative(const struct RtOp *op); /* of a kernel */
/* What a kernel was launched with, as attributes of its node: whether it is cooperative, its clusters. */
void rt_tell_attributes(const struct RtOp *op, cudaLaunchAttributeValue *attributes);
/* args[i] = place of parameter i in a buffer that has one behind the other, each at its alignment; returns its size. */
size_t rt_place_params(const CucpuKernel *k, char *buffer, void **args);
/* The same for cuLaunchKernel's extra, where CU_LAUNCH_PARAM_BUFFER_POINTER names the buffer.  The caller frees *args. */
cudaError_t rt_unpack_params(const CucpuKernel *k, void **extra, void ***args);

/* ---- func.c ---- */
int rt_resident_blocks(const RtKernel *k, int block, size_t dynamic); /* of one multiprocessor */

/* ---- cluster.c ---- */
typedef struct RtJob RtJob;
typedef struct RtSlab {     /* memory of the blocks of a cluster, bytes */
    uint64_t shared, frame; /* from one block to the next */
    uint64_t frames;        /* the first frame */
    uint64_t bytes;
} RtSlab;
cudaError_t rt_set_cluster(RtLaunch *l, const uint32_t wanted[3]); /* l->abi.cluster; checked */
bool rt_required_cluster(const RtKernel *k, uint32_t n[3]);        /* false: it has none, n is 0 */
uint32_t rt_cluster_blocks(const RtLaunch *l); /* that run together: 1 if the kernel does not mind */
RtSlab rt_cluster_slab(const RtLaunch *l);
void rt_cluster_clear(char *slab, const RtSlab *s, uint32_t blocks);         /* none of them has begun */
uint64_t rt_block_at(const CucpuLaunch *l, uint64_t cluster, uint32_t rank); /* its linear index */
/* Runs a cluster until all its blocks have ended or wait for the grid; w: of this thread. */
void rt_run_cluster(RtJob *job, CucpuWorker *w, char *slab, uint64_t number);

/* ---- sched.c, worker.c ---- */
typedef struct RtOp RtOp;
typedef struct RtWorker RtWorker;
typedef struct RtGuests RtGuests;
void rt_run_kernel(RtLaunch *l); /* runs it to its end; faults become the sticky error */

/* What a launch contributes to a trial. */
typedef struct RtSamples {
    const CucpuVariant *taken, *other; /* the code of this launch, as a rule, and the other one */
    _Atomic bool open;                 /* no worker has taken samples yet */
    bool whole;                        /* the launch itself is a sample */
    bool few;                          /* a chunk had too few blocks for samples */
    bool glance;                       /* all that is wanted */
    bool glanced;                      /* a few blocks of the other one have run, and took */
    double seen;                       /* as many times as long */
    uint64_t blocks;                   /* of a sample; 0 = there were too few */
    uint64_t ticks[2];                 /* the least for either */
    int wins;                          /* of the other one, in a row */
    bool clear;                        /* no doubt that it is faster */
} RtSamples;

/* Consecutive blocks, on cache lines of its own. */
typedef struct RtRange {
    _Atomic uint64_t next; /* first block that nobody has taken */
    uint64_t end;
    char pad[112];
} RtRange;

/* Arguments that workers count at each for itself. */
enum { RT_COUNTERS = 4 };
typedef struct RtCounter {
    uint32_t param, size; /* bytes of an element */
    uintptr_t base;       /* of the allocation */
    size_t bytes, offset; /* of the allocation; of the argument in it */
} RtCounter;
typedef struct RtCounters {
    int n;
    RtCounter of[RT_COUNTERS];
} RtCounters;
typedef struct RtTally RtTally; /* a worker's */

struct RtJob {
    const RtLaunch *launch;
    _Atomic(const CucpuVariant *) code; /* of the blocks */
    const RtCounters *counters;         /* NULL = none; else `code` is for launches of rt_counters_begin alone */
    RtSamples *samples;                 /* NULL = no trial in this launch */
    uint64_t blocks;                    /* or clusters, if `cluster` is not 0 */
    RtRange *ranges;                    /* what is left of the grid, in order; worker i begins with range i % nranges */
    uint32_t nranges;
    uint32_t parts;    /* a chunk is 1/parts of what a range has left */
    _Atomic int fault; /* cudaError_t of the first fault, else 0 */
    char pad[128];
    _Atomic uint64_t work;    /* ticks that workers have spent in it */
    _Atomic uint64_t waiting; /* blocks that wait for the grid */
    RtRange whole;
    RtGuests *guests;  /* NULL = the grid has none */
    uint32_t cluster;  /* blocks that run together, entered one by one and again; 0 = chunks of blocks run */
    uint32_t in_order; /* chunks of blocks are taken cluster by cluster, of so many blocks; 0 = in linear order */
    char *memory;      /* cooperative: of every cluster */
    RtSlab slab;
    _Atomic(struct RtChildren *) children; /* children.c; NULL = its kernel has launched nothing */
};
RtWorker *rt_worker(void); /* of this thread; NULL = out of memory */
/* Runs chunks of the job on this thread, at most `chunks`, until none is left or the job failed. */
void rt_worker_run(RtJob *job, int index, uint32_t chunks);
void rt_worker_left(const RtJob *job); /* this thread runs no more of it */
void rt_worker_polls(void);            /* groups of its block have looked and found nothing */
/* The block that this thread runs, if its kernel may leave it; *cluster: blocks that run together, 0 = no CUCPU_KERNEL_CLUSTER. */
CucpuBlock *rt_left_block(uint32_t *cluster);
void rt_worker_fault(cudaError_t e) __attribute__((noreturn)); /* ends the running kernel */
bool rt_in_kernel(void);
uint64_t rt_running_block(void); /* linear index of the block that this thread runs, or the first of a joined row */
RtJob *rt_running_job(void);     /* whose kernel has called the runtime on this thread; NULL = none has */
/* In a kernel: from true to false no other worker's fault ends it; such pairs may be nested.  For calls that take locks or memory. */
void rt_hold_signals(bool hold);
void rt_describe_kernel(char *text, size_t bytes); /* name, file:line and block of the running kernel */
void rt_install_fault_handlers(void);

/* ---- operand.c ---- */
/* A signal handler's context: the error that a SIGSEGV stands for; *address where the signal does
 * not tell it. */
cudaError_t rt_explain_fault(const void *context, void **address);
uintptr_t rt_stack_pointer(const void *context);
uintptr_t rt_program_counter(const void *context);
/* line.c: "file:line" of the instruction; false: there is no table. */
bool rt_source_line(uintptr_t pc, char *text, size_t bytes);

/* ---- online_autotune.c ---- */
typedef struct RtTrial RtTrial;
RtTrial *rt_make_trials(const CucpuKernel *k); /* NULL: one code only, or no memory */
RtTrial *rt_trial_of(const RtLaunch *l);       /* NULL: none */
bool rt_scalar_first(const RtLaunch *l);       /* of the two codes that of one lane is estimated faster */
/* Chooses the code of the job, and whether samples are taken; `samples` lives as long as the job. */
void rt_trial_begin(RtJob *job, RtSamples *samples);
/* A worker's chunk: takes the samples from its start; returns the first block that is left. */
uint64_t rt_trial_run(RtJob *job, CucpuWorker *w, uint64_t first, uint64_t end);
void rt_trial_end(RtJob *job); /* the workers have left the job */

/* ---- counters.c ---- */
bool rt_counters_of(const RtLaunch *l,
                    RtCounters *c); /* the launch, whose arguments are there, takes CucpuKernel.counting */
/* What the worker runs blocks of the job with; NULL: no memory, it takes the launch and its variant as they are.  *tally: of the worker, NULL at first. */
const CucpuLaunch *rt_counters_begin(RtTally **tally, const RtJob *job);
void rt_counters_end(RtTally *t, const RtJob *job); /* the worker has left the job: adds its sums to the real ones */
void rt_counters_tell(const RtTally *t); /* after a fault: what the addresses are that the worker counts at */
void rt_counters_free(RtTally *t);

/* ---- children.c ---- */
/* In a kernel: op runs behind its grid.  Owns op, also on errors. */
cudaError_t rt_add_child(cudaStream_t s, RtOp *op);
/* How deep a launch at this point is nested; cudaErrorLaunchMaxDepthExceeded. */
cudaError_t rt_child_depth(cudaStream_t s, uint32_t *depth);
void rt_run_children(RtJob *job);       /* the workers have left the job, which has children; frees them */
void rt_children_polled(RtJob *job);    /* by a block of it, which may wait for them */
cudaError_t rt_wait_for_children(void); /* in a kernel: until those are done that its grid has launched so far */

/* ---- guests.c ---- */
/* Before and after the workers run a grid that may wait for blocks that none of them has begun. */
void rt_guests_open(RtJob *job);
void rt_guests_polled(RtJob *job); /* by a thread that runs a block of it */
void rt_guests_close(RtJob *job);

/* ---- alloc.c ---- */
typedef struct RtHints { /* on managed memory; devices are kept as device - cudaInvalidDeviceId */
    int read_mostly, preferred, last_prefetch, accessed;
} RtHints;
typedef struct RtPlace { /* of memory: space.c knows */
    uint32_t at, in;
} RtPlace;
typedef struct RtAlloc {
    uintptr_t base;
    size_t size;
    uint32_t kind;  /* enum cudaMemoryType */
    uint32_t flags; /* of cudaHostAlloc, cudaMallocManaged ... */
    uint32_t how;   /* RT_BY_* */
    uint64_t id;    /* no two allocations of the process have the same */
    void *owner;    /* the memory pool, if any */
    RtPlace place;
    int file;        /* its descriptor + 1, where the memory is a part of a file: of pools that are shared */
    bool borrowed;   /* ... of another process, which gives its bytes back */
    uint64_t offset; /* in the file */
    RtHints hints;
} RtAlloc;
enum {
    RT_BY_MALLOC,
    RT_BY_HOST_ALLOC,
    RT_BY_HOST_REGISTER,
    RT_BY_MANAGED,
    RT_BY_POOL,
    RT_BY_ARRAY,
    RT_BY_GRAPH, /* of a memory node, which is the owner */
    RT_BY_SYMBOL,
    RT_BY_MAPPING,  /* driver/virtual.c */
    RT_BY_EXTERNAL, /* external.c */
    RT_BY_IPC       /* ipc.c */
};
cudaError_t rt_alloc(void **out, size_t bytes, const RtAlloc *how);
cudaError_t rt_free(void *p, uint32_t how_mask, cudaError_t wrong);
bool rt_find_alloc(const void *p, RtAlloc *out);
cudaError_t rt_note_alloc(const RtAlloc *a); /* memory that the runtime does not own */
void rt_forget_alloc(const void *p);
void rt_free_all(void);
void rt_update_hints(const void *p, void (*change)(RtHints *h, int value), int value);
void rt_reset_pools(void);  /* pool.c: only the default one is left, as it began */
void rt_reset_arrays(void); /* array.c, texture.c, graph.c: nothing is left */
void rt_reset_textures(void);
void rt_reset_execs(void);
void rt_reset_modules(void);            /* module.c: handles of modules, not of libraries, are invalid */
bool rt_graph_freed(const void *p);     /* graph/memory.c: a memory node's, allocated and now freed */
bool rt_graph_give_back(const void *p); /* ... a call frees what a launch has allocated */
void rt_adopt_alloc(const void *p);     /* RT_BY_GRAPH becomes RT_BY_MALLOC */
cudaError_t rt_share_alloc(const void *p, RtAlloc *out, int *fd,
                           uint64_t *offset); /* what cudaMalloc gave; nothing runs */
void rt_put_memory(const RtAlloc *a);         /* of an allocation that is not in the registry any more */
void rt_pool_freed(const RtAlloc *a);         /* pool.c: the memory goes back to its pool, which may keep it */
bool rt_release_pools(void);                  /* all that pools keep is given back; false: there is none */
void rt_pools_synchronised(void);             /* ... what they keep beyond their thresholds */
/* space.c, with alloc.c's lock: device memory, NULL = there is none; its bytes are the system's again (also without the lock), then
** its addresses; what is kept without need. */
void *rt_space_take(size_t bytes, RtPlace *place);
void rt_space_release(void *p, size_t bytes, RtPlace place);
void rt_space_give(RtPlace place);
void rt_space_trim(void);
/* The same of a file. */
void *rt_space_map(size_t bytes, int fd, uint64_t offset, RtPlace *place);
/* Memory of rt_space_take becomes part of a file, from *offset on, for other processes.  -1: that cannot be. */
int rt_space_share(void *p, size_t bytes, RtPlace place, uint64_t *offset);
/* space.c: memory of workers, zeros, at a multiple of RT_BLOCK_ALIGN, between pages that cannot be accessed. */
void *rt_guarded_take(size_t bytes);
void rt_guarded_give(void *p, size_t bytes);
/* May the device (or, for device == false, the host) side of a copy use these bytes? */
cudaError_t rt_check_range(const void *p, size_t bytes, bool device);

/* ---- stream.c ---- */
typedef void RtRun(RtOp *op);
struct RtOp {    /* head of every queued operation */
    RtRun *run;  /* may be called several times: graphs; NULL = a wait mark */
    RtRun *drop; /* frees what the op owns; may be NULL */
    RtOp *next;
    _Atomic int refs;
    int kind;     /* enum cudaGraphNodeType */
    bool always;  /* runs also after a fault */
    bool instant; /* the record of an event: takes no time */
};
/* *now = true: nothing is pending before it, the caller does the work and calls rt_end_inline;
** false: it makes an op and enqueues it. */
cudaError_t rt_begin_inline(cudaStream_t s, bool *now);
void rt_end_inline(cudaStream_t s);
void *rt_new_op(size_t bytes, RtRun *run, RtRun *drop); /* RT_ARG_ALIGN aligned; NULL = no memory */
cudaError_t rt_enqueue(cudaStream_t s, RtOp *op);       /* owns op, also on errors */
void rt_keep_op(RtOp *op);                              /* one more owner */
void rt_drop_op(RtOp *op);                              /* one less; the last one frees it */
void rt_run_op(RtOp *op);                               /* now, on this thread */
bool rt_is_capturing(cudaStream_t s);                   /* it takes operations into a graph */
cudaError_t rt_sync_stream(cudaStream_t s);
cudaError_t rt_sync_all(void);
cudaError_t
rt_wait_for_streams(cudaStream_t s); /* s, which is not the default stream, waits for what all have so far */

/* ---- heap.c ---- */
bool rt_heap_touched(void); /* a kernel has called malloc since the start or the last reset */
void rt_reset_heap(void);

/* ---- device.c ---- */
size_t rt_limit(enum cudaLimit limit);
void rt_reset_limits(void);

/* ---- printf.c ---- */
void rt_flush_printf(void);

/* ---- misc ---- */
uint64_t rt_now_ns(void);
/* sched.c: calls piece for disjoint parts of 0..bytes, on the team if it is free and that pays. */
void rt_split(size_t bytes, void (*piece)(const void *data, size_t from, size_t to), const void *data);
/* sched.c: calls run(i, data) for each i below n, on the team; false = it is not free, nothing was done. */
bool rt_each(size_t n, void (*run)(size_t i, void *data), void *data);
#endif
