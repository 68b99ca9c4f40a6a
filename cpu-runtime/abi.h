/* abi.h: the only contract between code that the compiler generates and the runtime.
**
** A kernel object holds one CucpuModule, which a constructor of the object hands to
** cucpu_register_module before main.  Everything else in the object is internal.  The host
** object of the same source file carries the module's id as its "fat binary"
** (CucpuFatbin); the runtime joins the two by id, lazily, at the first use of either.
**
** Plain C11, fixed layouts without padding, no includes but stdint/stddef.  passes/ir/abi_fields.def lists the
** fields of the structures that the compiler makes; it does not compile where this file differs.  A change needs a
** new version. */
#ifndef CUCPU_ABI_H
#define CUCPU_ABI_H
#include <stddef.h>
#include <stdint.h>

#define CUCPU_ABI_VERSION 16u
#define CUCPU_FATBIN_MAGIC 0x55504355u /* "UCPU" */

#ifdef __cplusplus
extern "C" {
#endif

/* What `-fcuda-include-gpubinary` puts into the host object. */
typedef struct CucpuFatbin {
    uint32_t magic, version;
    uint64_t module_id;
} CucpuFatbin;

/* One launch; constant while the kernel runs. */
typedef struct CucpuLaunch {
    uint32_t grid[3];     /* gridDim, blocks */
    uint32_t block[3];    /* blockDim, threads */
    uint32_t dyn_shared;  /* bytes of dynamic shared memory */
    uint32_t threads;     /* block[0]*block[1]*block[2] */
    void *const *args;    /* args[i] points to the value of parameter i */
    const uint32_t *tids; /* threads (+ 63 copies of 0) entries: x | y<<10 | z<<20, linear order */
    uint32_t cluster[3];  /* blocks of a cluster; grid[i] is a multiple of cluster[i] */
    uint32_t cluster_set; /* 1: the launch or the kernel names clusters; 0: each block is one of its own */
    uint32_t cooperative; /* 1: the blocks may wait for each other at the barrier of the grid */
    /* If each thread of the grid stores more than this to memory that is only written, it is more than the share of the
    ** last cache that non-temporal stores are better for; UINT32_MAX: never. */
    uint32_t stream_bytes;
    uint32_t apart;    /* 1: the arguments of CucpuKernel.apart point into allocations of their own */
    uint32_t reserved; /* 0 */
} CucpuLaunch;

/* Generated code may read, and write back unchanged, this many bytes before and after the shared memory of a block. */
enum { CUCPU_SHARED_SLACK = 1024 };

/* Memory of the worker that runs the blocks; never shared between two workers. */
typedef struct CucpuWorker {
    void *shared;            /* static_shared, then (16-byte aligned) dyn_shared bytes; 128-byte aligned */
    void *frame;             /* frame_fixed + groups * frame_per_group bytes; 128-byte aligned */
    uint64_t block;          /* linear index of the running block: written by the kernel, read on faults */
    void *cluster;           /* CUCPU_KERNEL_CLUSTER: shared memory of the first block of the cluster ... */
    uint32_t cluster_stride; /* ... and bytes to that of the next one, a power of two */
    uint32_t reserved;
} CucpuWorker;

/* Runs the blocks first..end-1 (linear index, x fastest) one after another, in that order; first < end. */
typedef void CucpuEntry(const CucpuLaunch *launch, CucpuWorker *worker, uint64_t first, uint64_t end);

/* How threads become lanes of a group.  The runtime takes the first variant of a kernel that fits the launch
** (cpu-runtime/variants.h); the last one fits every block: CUCPU_LAYOUT_GENERAL, or one of width 1. */
enum {
    CUCPU_LAYOUT_ROWS_FULL = 0, /* blockDim.x % width == 0: a group is part of one row, no mask */
    CUCPU_LAYOUT_ROWS = 1,      /* groups lie in one row, the last of each row is masked: idle lanes are cheaper
                                ** than gathers, if rows are not too short */
    CUCPU_LAYOUT_GENERAL = 2    /* consecutive linear thread ids, last group masked */
};

typedef struct CucpuVariant {
    CucpuEntry *entry;
    uint32_t width;           /* lanes W of a group */
    uint32_t layout;          /* CUCPU_LAYOUT_* */
    uint32_t block[3];        /* only for this blockDim; 0 = any */
    uint32_t frame_fixed;     /* bytes of frame per block, multiple of 128 */
    uint32_t frame_per_group; /* bytes of frame per group; ROWS: groups = rows * ceil(x/width) */
    uint32_t below;           /* only for blockDim.x below this; 0 = any */
    uint32_t along;           /* dimension of groups: 1 = y, 2 = z (with ROWS_FULL only), 0 = x */
    uint32_t along_time;      /* what groups along y or z take, percent of the time of those along x, as estimated */
    uint32_t overlapping;     /* 1: only for launches whose arguments overlap, see CucpuKernel.apart */
    uint32_t reserved;
} CucpuVariant;

typedef struct CucpuParam {
    uint32_t size, align; /* bytes */
} CucpuParam;

/* A field of a structure that is passed by value. */
typedef struct CucpuField {
    uint32_t parameter, offset; /* bytes */
} CucpuField;

/* A block of a kernel with CUCPU_KERNEL_GRID_SYNC or _CLUSTER has memory of its own until it ends; entry
** leaves it when it waits for the grid or its cluster.  Its frame begins with this, all 0 before the first call. */
typedef struct CucpuBlock {
    uint32_t state; /* CUCPU_BLOCK_FRESH, _DONE; any other value: it waits */
    uint32_t why;   /* CUCPU_LEFT_*: what for */
    uint32_t ready; /* all its threads that have not returned have arrived at the barrier of the cluster */
    uint32_t met;   /* the barrier of the cluster is met: set by the runtime, cleared by cucpu_barrier_release */
} CucpuBlock;
#define CUCPU_BLOCK_FRESH 0u
#define CUCPU_BLOCK_DONE UINT32_MAX /* all threads have returned */
enum {
    CUCPU_LEFT_GRID = 1,    /* for the barrier of the grid */
    CUCPU_LEFT_CLUSTER = 2, /* for the barrier of the cluster */
    CUCPU_LEFT_POLLS = 3    /* for what other blocks of the cluster store */
};

/* Where a group of a block has stopped: kept in the frame, one for each group, by kernels whose groups
** may wait for a part of the block or for the grid. */
typedef struct CucpuWait {
    uint32_t region; /* to go on with | CUCPU_WAIT_STOPPED, or CUCPU_WAIT_ENDED */
    /* Of the barrier, 0 ... 15, from CUCPU_TILES on, CUCPU_WAIT_GRID, _CLUSTER, _YIELD, or _WARP | CUCPU_WARP_*. */
    uint32_t id;
    /* Of threads, or CUCPU_WAIT_ALL, or of threads | CUCPU_WAIT_ARRIVE; in a function of the warp: the member mask;
    ** at the cluster's: CUCPU_CLUSTER_*. */
    uint32_t count;
} CucpuWait;
#define CUCPU_WAIT_STOPPED 0x80000000u
#define CUCPU_WAIT_ENDED UINT32_MAX /* all threads of the group have returned */
#define CUCPU_WAIT_GRID UINT32_MAX
#define CUCPU_WAIT_CLUSTER 0xfffffffeu
#define CUCPU_WAIT_YIELD 0x7fffffffu /* no barrier: the group polls, and lets the others run */
#define CUCPU_WAIT_WARP 0x40000000u  /* width 1: the thread stands in a warp-level function */
#define CUCPU_WAIT_ALL UINT32_MAX
#define CUCPU_WAIT_ARRIVE 0x80000000u /* the group counts as arrived and does not wait: bar.arrive */
#define CUCPU_BARRIERS 16u            /* ids of a block */
/* Ids of the tiles of several warps (cooperative_groups.h), so that they are distinct from the block's barriers and
** each other's: tile number i of those of n threads has CUCPU_TILES + 1024 / n - 1 + i.  Nobody arrives there
** without waiting. */
#define CUCPU_TILES 0x10000u
#define CUCPU_TILE_COUNT 1024u
enum { CUCPU_CLUSTER_ARRIVES = 1, CUCPU_CLUSTER_WAITS = 2 }; /* barrier.cluster.arrive, .wait; both: sync */
/* What a kernel keeps for cucpu_barrier_release: arrivals by id; with CUCPU_KERNEL_CLUSTER followed by a bit for
** each group that has arrived at the barrier of the cluster.  All 0 at the start of a block. */
enum { CUCPU_ARRIVAL_BYTES = 4 * 16, CUCPU_CLUSTER_BYTES = 1024 / 8 };

/* Warp-level functions, as a thread of width 1 waits in them. */
enum {
    CUCPU_WARP_SYNC,
    CUCPU_WARP_SHFL_IDX,
    CUCPU_WARP_SHFL_UP,
    CUCPU_WARP_SHFL_DOWN,
    CUCPU_WARP_SHFL_XOR,
    CUCPU_WARP_BALLOT,
    CUCPU_WARP_ANY,
    CUCPU_WARP_ALL,
    CUCPU_WARP_UNI,
    CUCPU_WARP_MATCH_ANY,
    CUCPU_WARP_MATCH_ALL,
    CUCPU_WARP_ADD,
    CUCPU_WARP_UMIN,
    CUCPU_WARP_UMAX,
    CUCPU_WARP_MIN,
    CUCPU_WARP_MAX,
    CUCPU_WARP_AND,
    CUCPU_WARP_OR,
    CUCPU_WARP_XOR,
    CUCPU_WARP_ACTIVE, /* __activemask(): no mask; with those at the same point of the program */
    CUCPU_WARP_STEP    /* the same without a result: code that counts on lanes running in step */
};

/* What a thread brings to such a function, and takes from it: one for each thread, in the frame. */
typedef struct CucpuExchange {
    uint32_t value, high; /* operand, high word of a 64-bit one; value becomes the result */
    uint32_t lane, clamp; /* of shuffles */
} CucpuExchange;

/* The barriers of such a kernel's variant; region r begins after barrier r, region 0 has none. */
typedef struct CucpuBarriers {
    const char *const *files; /* may be NULL each */
    const uint32_t *lines;
    uint32_t regions, width, layout, warp_size;
    uint32_t row;   /* threads of a row, where known when compiled, else 0: as the block is long ... */
    uint32_t along; /* ... in this dimension */
} CucpuBarriers;

enum {
    CUCPU_RELEASED_SOME = 0,
    CUCPU_RELEASED_NONE = 1, /* all threads have returned */
    CUCPU_RELEASED_LEAVE = 2 /* the block is to be left: CucpuBlock has the reason */
};

enum {
    CUCPU_KERNEL_WARP = 1,      /* looks at warps: groups must be consecutive linear ids */
    CUCPU_KERNEL_GRID_SYNC = 2, /* needs all blocks of the grid resident (cooperative launch) */
    CUCPU_KERNEL_BARRIER = 4,   /* has block barriers */
    CUCPU_KERNEL_DYN_SHARED = 8,
    CUCPU_KERNEL_SHUFFLE = 16,       /* runs groups in the order of cucpu_group_order */
    CUCPU_KERNEL_JOINED = 32,        /* may run blocks of a row as one: CucpuWorker.block is the first of them */
    CUCPU_KERNEL_FLUSH = 64,         /* denormal operands and results of its arithmetic are zero */
    CUCPU_KERNEL_POLLS = 128,        /* has a loop that ends by what other threads store: blocks may wait for others */
    CUCPU_KERNEL_SCALAR_FIRST = 256, /* `scalar` was estimated faster than the other variants */
    /* Adds floats in global memory: `scalar` and the other variants add in another order, so that time decides only
    ** where several workers do so anyhow. */
    CUCPU_KERNEL_SUMS = 512,
    /* Waits for its cluster, or accesses the shared memory of other blocks: the blocks of a cluster run on one
    ** worker, one after another. */
    CUCPU_KERNEL_CLUSTER = 1024,
    CUCPU_KERNEL_ANY_ROW = 2048, /* computes no index in a row of blocks: no gridDim.x is too large for `variants` */
    CUCPU_KERNEL_EXPLICIT_CLUSTER = 4096, /* .explicitcluster: must be launched with clusters */
    /* The order in which it adds is observable: which variant runs depends on blockDim alone, by estimate. */
    CUCPU_KERNEL_UNTRIED = 8192,
    /* May run blocks that follow each other in y or z as one: a variant has lanes there. */
    CUCPU_KERNEL_TOGETHER = 16384,
    /* A grid-stride loop, in which blocks of a row step through memory together: JOINED, or in this part alone. Some of
    ** them alone take another time. */
    CUCPU_KERNEL_GRID_STRIDE = 32768,
    /* All threads that differ in threadIdx.y, or .z, alone do the same: one of them runs for all. */
    CUCPU_KERNEL_REPEATS_Y = 1 << 24,
    CUCPU_KERNEL_REPEATS_Z = 1 << 25,
    /* Reads threadIdx only as an index in the block: x and y, or all dimensions, are one. */
    CUCPU_KERNEL_FLAT_Y = 1 << 26,
    CUCPU_KERNEL_FLAT_Z = 1 << 27
};
/* flags >> 16 & 255: __CUDA_ARCH__ / 10 that it was compiled with, 0 = that of the device */
enum { CUCPU_KERNEL_ARCH = 16, CUCPU_KERNEL_ARCH_MASK = 255 };

typedef struct CucpuKernel {
    const char *name; /* mangled */
    const CucpuParam *params;
    const CucpuVariant *variants;
    uint32_t nparams, nvariants;
    uint32_t static_shared; /* bytes, a multiple of 16 */
    uint32_t local_bytes;   /* local memory per thread, for cudaFuncGetAttributes */
    uint32_t max_threads;   /* __launch_bounds__, 0 = none */
    uint32_t req_block[3];  /* .reqntid, 0 = none */
    uint32_t flags;         /* CUCPU_KERNEL_* */
    uint32_t line;          /* of the definition, 0 = unknown */
    const char *file;       /* may be NULL */
    uint64_t step;          /* variants of more than one lane take blockIdx.x * step not to wrap; 0 = no limit */
    /* The scalar variant, of one lane, for any block (or req_block), with the same results: the runtime takes it or
    ** one of `variants`, by time, block by block (exec/online_autotune.c); NULL = there is none. */
    const CucpuVariant *scalar;
    uint32_t scalar_time;         /* what it is estimated to take, percent of what they take */
    uint32_t max_cluster;         /* .maxclusterrank: blocks of a cluster, 0 = none */
    uint32_t req_cluster[3];      /* __cluster_dims__, 0 = none */
    uint32_t counters;            /* bits of the parameters, of the first 32, that are used for integer sums alone */
    const CucpuVariant *counting; /* takes private memory of the worker for these parameters; NULL = there is none */
    uint32_t wide_counters;       /* of those, whose elements have 8 bytes; the others have 4 */
    uint32_t rare_counters;       /* 1: a thread may seldom count */
    /* Bits of the parameters, of the first 32, whose arguments the variants take to point into allocations that no
    ** other argument of `accessed` points into; those with `overlapping` do not. */
    uint32_t apart, accessed;
    const CucpuField *fields; /* which parameters these are after the first `nparams`; NULL = there are none */
    const char *title;        /* the name as the source has it, for messages; NULL = `name` is that */
    /* Blocks of (1, n, 1) threads run as (n, 1, 1) in this kernel, in which threadIdx.y is threadIdx.x: its index in
    ** CucpuModule.kernels, nkernels or more; 0 = there is none. */
    uint32_t column;
    uint32_t reserved;
} CucpuKernel;

enum {
    CUCPU_VAR_CONSTANT = 1, /* __constant__ */
    CUCPU_VAR_MANAGED = 2   /* address is that of a pointer which the runtime sets to the host's
                            ** variable; initial, elsewhere, is the start value */
};

typedef struct CucpuVar {
    const char *name; /* mangled */
    void *address;
    const void *initial; /* managed only, and never NULL there: size bytes */
    uint64_t size;       /* bytes */
    uint32_t flags;      /* CUCPU_VAR_* */
    uint32_t reserved;
} CucpuVar;

/* What a variable of device memory holds before the first kernel, and again after cudaDeviceReset.  Also of
** variables that have no row in `vars`; not of managed ones. */
typedef struct CucpuStart {
    void *address;
    const void *initial; /* size bytes, or NULL for zeros */
    uint64_t size;
} CucpuStart;

/* The id of a module made of PTX is text_hash (launcher/text.c) of its text up to the first zero, begun with this
** value. */
#define CUCPU_PTX_SEED 0x5054585054585054u
#define CUCPU_PTX_NEWEST 9 /* major version of PTX that the compiler accepts */

/* ---- checked kernels (cucpu --check, docs/checker.md) ---- */

enum { CUCPU_CHECK_MEMORY = 1, CUCPU_CHECK_RACE = 2, CUCPU_CHECK_INIT = 4, CUCPU_CHECK_SYNC = 8 };

typedef struct CucpuFrame {      /* a function, as messages name it, and a line in it */
    const char *function, *file; /* may be NULL */
    uint32_t line, reserved;
} CucpuFrame;

/* An operation of a checked kernel, reported to the runtime before it takes place; of a barrier, after it. */
typedef struct CucpuSite {
    const CucpuFrame *frames; /* where it is, and the calls that led there, innermost first */
    uint32_t nframes;
    uint32_t size, align; /* bytes of an access; what its address must be a multiple of */
    uint32_t flags;       /* CUCPU_SITE_* */
    uint32_t number;      /* set by the runtime, from 1 on */
    uint32_t offset;      /* the runtime's +0x... in messages: rises with the place in the kernel */
} CucpuSite;
enum {
    CUCPU_SITE_READ = 1,
    CUCPU_SITE_WRITE = 2,
    CUCPU_SITE_ATOMIC = 4,
    CUCPU_SITE_BLOCK = 8, /* atomics, fences: of the block's scope; else of the device's or wider */
    CUCPU_SITE_VOLATILE = 16,
    CUCPU_SITE_ACQUIRE = 32,
    CUCPU_SITE_RELEASE = 64,
    CUCPU_SITE_LOCAL = 128, /* memory, where known when compiled */
    CUCPU_SITE_SHARED = 256,
    CUCPU_SITE_PART = 512,     /* a barrier that not all threads of the block meet at */
    CUCPU_SITE_COMPARE = 2048, /* compare-and-swap */
    CUCPU_SITE_GRID = 1024     /* the barrier of the grid, or of a cluster */
};
#define CUCPU_NO_THREAD UINT32_MAX /* of a function that is not inlined: the thread that called it */

typedef struct CucpuLanes { /* of a group: what its active lanes access */
    uint64_t mask, reserved;
    uint32_t thread[64];
    uint64_t address[64];
} CucpuLanes;

/* Accesses of the `span` bytes from `low` on are right: the allocation that was met last. */
typedef struct CucpuBounds {
    uint64_t low, span;
} CucpuBounds;
/* low of a module's row: which accesses kernels report to the runtime; and how many rows after those for
** CUCPU_CHECK_MEMORY alone the ones are that hold where words are compared with CUCPU_FRESH_WORD as well. */
enum {
    CUCPU_REPORT_WRONG = 0, /* those out of bounds */
    CUCPU_REPORT_ALL = 1,
    CUCPU_REPORT_FRESH = 2,    /* and reads of words that nobody has written */
    CUCPU_REPORT_BARRIERS = 4, /* a bit besides: barriers, too */
    CUCPU_FRESH_ROWS = 1 << 20
};
/* What is in a word that nobody has written; not 0, which programs expect. */
#define CUCPU_FRESH_FACTOR 0x9e3779b1u
#define CUCPU_FRESH_WORD(address) ((uint32_t)((address) >> 2) * CUCPU_FRESH_FACTOR | 1u)
/* Local arrays have this address in calls that check their bounds, whatever theirs. */
#define CUCPU_LOCAL_BASE (1ull << 46)

typedef struct CucpuObject { /* a variable of the module in global or constant memory */
    const void *address;
    uint64_t size;
} CucpuObject;

typedef struct CucpuCheck {
    CucpuSite *sites;
    const CucpuObject *objects;
    uint32_t nsites, nobjects;
    uint32_t kinds; /* CUCPU_CHECK_*: what the program checks where nobody says otherwise */
    uint32_t reserved;
} CucpuCheck;

/* ---- instrumented kernels (cucpu --profile=lanes, docs/sweep.md) ---- */

enum { CUCPU_COUNTED_BLOCK, CUCPU_COUNTED_BRANCH, CUCPU_COUNTED_LOOP, CUCPU_COUNTED_ACCESS };
enum {                      /* how the lanes of a group access memory */
       CUCPU_ACCESS_SCALAR, /* width 1 */
       CUCPU_ACCESS_UNIFORM,
       CUCPU_ACCESS_CONTIGUOUS,
       CUCPU_ACCESS_STRIDED,
       CUCPU_ACCESS_GATHER,
       CUCPU_ACCESS_LOCAL, /* local arrays, a row of lanes */
       CUCPU_ACCESS_LANES, /* one by one */
       CUCPU_ACCESS_OTHER
};

/* A place of a kernel that counts, with two counters: BLOCK: how often it ran, lanes that were active; BRANCH, LOOP
** (one that leaves a loop): how often some lane came to it, how often lanes took both edges; ACCESS: how often some
** lane made it, cache lines that its lanes touched. */
typedef struct CucpuCounted {
    const char *kernel, *title; /* CucpuKernel.name; as the source names it, without parameters */
    const char *file;           /* may be NULL */
    uint32_t line, kind;        /* 0: not known; CUCPU_COUNTED_* */
    uint32_t access;            /* CUCPU_ACCESS_* */
    uint32_t width, layout;     /* of the variant */
    uint32_t size;              /* BLOCK: vector operations; ACCESS: bytes of a lane */
    /* BLOCK: what a lane does: operations on half, float and double, a product that is added being two; bytes */
    uint32_t flops_half, flops_single, flops_double, loaded, stored, reserved;
} CucpuCounted;

typedef struct CucpuProfile { /* of a module */
    const CucpuCounted *const *places;
    uint32_t nplaces;
    uint32_t number; /* set by the runtime, from 1 on */
} CucpuProfile;

/* What a module was compiled from, for compute-sanitizer, which has its checked kernels made of it. */
typedef struct CucpuBitcode {
    const char *options; /* of the cucpu command, separated by blanks */
    const void *bytes;   /* device code as the front end has made it, a zstd frame */
    uint64_t size;       /* of that */
} CucpuBitcode;

typedef struct CucpuModule {
    uint32_t version; /* CUCPU_ABI_VERSION */
    uint32_t warp_size;
    uint64_t id; /* as in CucpuFatbin */
    const char *source;
    const CucpuKernel *kernels; /* nkernels, then ncolumns that run columns of these */
    const CucpuVar *vars;
    uint32_t nkernels, nvars;
    const CucpuStart *starts;
    uint32_t nstarts, ncolumns;
    uint64_t cpu_features;       /* what its code needs of the CPU: bit n is row n of cpu_features.def */
    const CucpuCheck *check;     /* NULL: its kernels are not checked */
    const CucpuBitcode *bitcode; /* NULL: it has none */
} CucpuModule;

/* ids of the thread on whose behalf a function that was not inlined runs (recursion, function
** pointers): the generated code fills it before such a call. */
typedef struct CucpuThread {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
} CucpuThread;

/* ---- what generated code calls in the runtime ---- */
void cucpu_register_module(const CucpuModule *module);
CucpuThread *cucpu_thread(void); /* thread-local */
/* The address down to which recursive vector functions may use the stack; the rest is for scalar code. */
uint64_t cucpu_stack_floor(void);
void *cucpu_shared(void); /* the shared memory of the block that this worker runs, for such functions */
/* malloc and free of device code, and memory beyond the heap's limit for alloca(); threads of a
 * block call them at any time. */
void *cucpu_malloc(uint64_t bytes);
void *cucpu_malloc_aligned(uint64_t bytes, uint64_t alignment); /* NULL too if it is no power of two */
void cucpu_free(void *p);
void *cucpu_local_malloc(uint64_t bytes);
void cucpu_local_free(void *p);
int cucpu_vprintf(const char *format, const void *args); /* CUDA's packed argument buffer */
/* These do not return: the kernel ends with a sticky error. */
void cucpu_assertfail(const char *message, const char *file, uint32_t line, const char *function,
                      const uint32_t block[3], const uint32_t thread[3]);
void cucpu_trap(void);
void cucpu_stack_overflow(void);
/* Device code came to a call of a function of the host. */
void cucpu_host_call(const char *function, const char *file, uint32_t line);
/* A barrier that cannot be met: reported with the kernel's name. */
void cucpu_barrier_fault(const char *file, uint32_t line, uint64_t arrived, uint64_t missing);
/* Every group has stopped.  Ends the wait of those whose barrier is met: their regions go into the
** set *pending; CUCPU_RELEASED_*.  arrivals: of threads that have not stopped, by id.  Does not return
** if no barrier can be met. */
uint32_t cucpu_barrier_release(const CucpuBarriers *barriers, const CucpuLaunch *launch, CucpuWait *waits,
                               uint64_t *pending, uint32_t *arrivals);
/* The same for kernels of width 1 with warp-level functions; exchange: one for each thread. */
uint32_t cucpu_warp_release(const CucpuBarriers *barriers, const CucpuLaunch *launch, CucpuWait *waits,
                            uint64_t *pending, uint32_t *arrivals, CucpuExchange *exchange);
/* *at[l] += v[l] for each lane l of the set, in the order of lanes, by relaxed atomics; the addresses are aligned. */
void cucpu_atomic_fadd32(float *const *at, const float *v, uint64_t lanes);
void cucpu_atomic_fadd64(double *const *at, const double *v, uint64_t lanes);
/* 16 bytes at a multiple of 16: *value becomes what was at p, *compare what was there before. */
void cucpu_atomic_exchange128(void *p, uint64_t *value);
void cucpu_atomic_cas128(void *p, uint64_t *compare, const uint64_t *value);
/* Bulk copies of tensors: what the operation is. */
enum {
    CUCPU_TENSOR_RANK = 7,
    CUCPU_TENSOR_STORE = 8,
    CUCPU_TENSOR_IM2COL = 16,
    CUCPU_TENSOR_ROWS = 32, /* gather4, scatter4 */
    CUCPU_TENSOR_REDUCE_SHIFT = 8
};
/* Copies the box at these coordinates; at: the address `shared` within the block's shared memory; offsets: of im2col,
** 16 bits each.  Returns the bytes in shared memory. */
uint32_t cucpu_tensor_copy(const void *map, void *shared, uint32_t at, uint32_t op, int32_t x, int32_t y, int32_t z,
                           int32_t w, int32_t v, uint64_t offsets);
/* tensormap.replace */
enum {
    CUCPU_MAP_ADDRESS,
    CUCPU_MAP_RANK,
    CUCPU_MAP_BOX,
    CUCPU_MAP_DIM,
    CUCPU_MAP_STRIDE,
    CUCPU_MAP_STEP,
    CUCPU_MAP_TYPE,
    CUCPU_MAP_SWIZZLE,
    CUCPU_MAP_ATOMICITY,
    CUCPU_MAP_FILL
};
void cucpu_tensor_replace(void *map, uint32_t field, uint32_t ordinal, uint64_t value);
/* <<<...>>> of device code: room for the arguments, NULL = no memory; then the launch, which frees it.  kernel: its
** row in CucpuModule.kernels; returns a cudaError_t. */
void *cucpu_launch_buffer(size_t alignment, size_t bytes);
int cucpu_launch(const void *kernel, void *buffer, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                 uint32_t bz, uint32_t shared, void *stream);
uint64_t cucpu_clock64(void);     /* cycles */
uint64_t cucpu_globaltimer(void); /* nanoseconds */
uint32_t cucpu_smid(void);        /* worker index */
void cucpu_nanosleep(uint32_t ns);
uint32_t cucpu_is_local(const void *p); /* does it lie in the frame of the block or on the worker's stack? */
uint64_t cucpu_private_cache(void);     /* bytes of the second-level cache of a core */
/* Checked kernels.  thread: x | y << 10 | z << 20, or CUCPU_NO_THREAD.  An access that would be a fault ends the
** kernel. */
/* object: the variable that the access names, of `size` bytes; NULL: none.  align, flags: those of the site. */
void cucpu_check_access(const CucpuSite *site, const void *p, uint32_t thread, uint64_t bytes, const void *object,
                        uint64_t size, uint32_t align, uint32_t flags);
void cucpu_check_lanes(const CucpuSite *site, const CucpuLanes *lanes, uint64_t bytes, const void *object,
                       uint64_t size, uint32_t align);
void cucpu_check_barrier_lanes(const CucpuSite *site, const CucpuLanes *lanes); /* the lanes have left it */
/* The rows of a module for the worker that calls: of the module, CUCPU_REPORT_*, then one for each site. */
const CucpuBounds *cucpu_check_bounds(const CucpuSite *sites);
void cucpu_check_block(void);             /* a kernel with shared memory begins: each of its groups */
void cucpu_check_thread(uint32_t thread); /* before a call that is not inlined */
void cucpu_check_barrier(const CucpuSite *site, uint32_t thread); /* the thread has left a barrier of the block */
void cucpu_check_warp(const CucpuSite *site, uint32_t thread, uint32_t mask); /* or a function of its warp */
void cucpu_check_fence(const CucpuSite *site, uint32_t thread);
void cucpu_check_malloc(const CucpuSite *site, const void *p, uint32_t thread,
                        uint64_t bytes); /* p: of the device heap */
void cucpu_check_free(const CucpuSite *site, const void *p, uint32_t thread);
/* Instrumented kernels: the counters of this worker, 2 * i and 2 * i + 1 for place i. */
uint64_t *cucpu_profile_counters(CucpuProfile *profile);
/* Cache lines that the active lanes touch, `bytes` from each address on. */
uint64_t cucpu_count_lines(const uint64_t *addresses, uint64_t mask, uint32_t lanes, uint32_t bytes);
/* Group order for CUCPU_SCHED=shuffle:<seed>: a permutation of 0..groups-1, or NULL for the
** natural order; valid until the next call by the same worker. */
const uint32_t *cucpu_group_order(uint32_t groups);

#ifdef __cplusplus
}
#endif
#endif
