/* launch.c: from <<<...>>> to a checked launch in a stream.
**
** A launch is checked against the limits that the device properties report, with the error codes
** that CUDA gives; then the first variant of the kernel that fits the block is taken (abi.h).  On an
** idle default stream it runs at once on the caller's arguments, nothing is copied or allocated;
** else a copy of the arguments goes into the stream's queue. */
#include "queue/launch.h"
#include "base/env.h"
#include "base/limits.h"
#include "host/topo.h"
#include "variants.h"
#include "exec/children.h"
#include "exec/launch.h"
#include "queue/capture.h"
#include "queue/event.h"
#include "queue/stream.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ALWAYS_THERE = 256 << 20 };

typedef struct Config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} Config;

enum { CONFIG_DEPTH = 16 };
static RT_TLS Config *configs; /* of this thread; allocated at its first launch */
static RT_TLS unsigned depth;
static pthread_key_t configs_key;
static pthread_once_t configs_once = PTHREAD_ONCE_INIT;

static void free_configs(void *p) {
    free(p);
    configs = NULL;
}

static void make_configs_key(void) { pthread_key_create(&configs_key, free_configs); }

static Config *make_configs(void) {
    pthread_once(&configs_once, make_configs_key);
    configs = calloc(CONFIG_DEPTH, sizeof *configs);
    depth = 0;
    pthread_setspecific(configs_key, configs);
    return configs;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    if (RT_UNLIKELY(!configs && !make_configs())) return 1;
    if (depth == CONFIG_DEPTH) return 1;
    configs[depth++] = (Config){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!depth) return rt_end(cudaErrorMissingConfiguration);
    const Config *c = &configs[--depth];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* ---- checks ---- */

static cudaError_t check_shape(const dim3 g, const dim3 b) {
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z) return cudaErrorInvalidConfiguration;
    if (g.x > RT_MAX_GRID_X || g.y > RT_MAX_GRID_YZ || g.z > RT_MAX_GRID_YZ) return cudaErrorInvalidConfiguration;
    if (b.x > RT_MAX_BLOCK_X || b.y > RT_MAX_BLOCK_Y || b.z > RT_MAX_BLOCK_Z) return cudaErrorInvalidConfiguration;
    return (uint64_t)b.x * b.y * b.z > RT_MAX_THREADS ? cudaErrorInvalidConfiguration : cudaSuccess;
}

static cudaError_t check_kernel(const RtKernel *k, const dim3 b, size_t shared) {
    const CucpuKernel *a = k->abi;
    uint32_t threads = b.x * b.y * b.z;
    if (a->max_threads && threads > a->max_threads) return cudaErrorLaunchOutOfResources;
    if (a->req_block[0] && (a->req_block[0] != b.x || a->req_block[1] != b.y || a->req_block[2] != b.z))
        return cudaErrorInvalidValue;
    int set = atomic_load_explicit(&k->max_dyn_shared, memory_order_relaxed);
    size_t limit = set ? (size_t)set - 1 + a->static_shared : RT_SHARED_DEFAULT;
    if (shared > limit || shared + a->static_shared > limit) return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* A program that is to run with another order of threads must not run with an unchanged one unnoticed. */
static void check_shuffle(const CucpuKernel *k) {
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (k->flags & CUCPU_KERNEL_SHUFFLE || atomic_flag_test_and_set(&reported)) return;
    rt_message("CUCPU_SCHED: %s was compiled without --shuffle: the order of the threads in its blocks stays", k->name);
}

/* Half of the last cache: a copy of as much is as fast with plain stores as with non-temporal ones, of more it is
** slower, and what was stored first is not in the cache any more when the grid has ended. */
static uint32_t stream_bytes(uint64_t threads) {
    uint64_t cache = rt_topo()->l3, bytes = cache / 2 / threads;
    return !cache || bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static bool runs_as_row(const RtKernel *k, const dim3 b, const RtAttributes *how) {
    bool clusters = how->cluster[0] || atomic_load_explicit(&k->req_cluster[0], memory_order_relaxed);
    return k->column && b.x == 1 && b.y > 1 && b.z == 1 && !clusters;
}

static cudaError_t prepare(RtLaunch *l, RtKernel *k, const dim3 g, const dim3 b, size_t shared,
                           const RtAttributes *how) {
    static const RtAttributes plain;
    if (!how) how = &plain;
    RT_TRY(check_shape(g, b));
    RT_TRY(check_kernel(k, b, shared));
    bool column = runs_as_row(k, b, how);
    l->kernel = column ? k->column : k;
    if (RT_UNLIKELY(rt_env()->shuffle_seed != 0)) check_shuffle(k->abi);
    l->block[0] = b.x, l->block[1] = b.y, l->block[2] = b.z;
    l->abi = (CucpuLaunch){.grid = {g.x, g.y, g.z}, .block = {b.x, b.y, b.z}, .dyn_shared = (uint32_t)shared};
    if (column) l->abi.block[0] = b.y, l->abi.block[1] = 1;
    cucpu_block_that_runs(l->kernel->abi->flags, l->abi.block);
    l->abi.threads = l->abi.block[0] * l->abi.block[1] * l->abi.block[2];
    l->blocks = (uint64_t)g.x * g.y * g.z;
    l->abi.stream_bytes = stream_bytes(l->blocks * l->abi.threads);
    l->shared_bytes = l->kernel->abi->static_shared + shared;
    RT_TRY(rt_choose_variant(l));
    RT_TRY(rt_set_cluster(l, how->cluster));
    l->abi.cooperative = how->cooperative;
    return l->frame_bytes > rt_topo()->memory / (unsigned)rt_topo()->threads ? cudaErrorLaunchOutOfResources
                                                                             : cudaSuccess;
}

/* More than any GPU holds at once is a mistake.  Below that, the memory which the blocks of a grid that synchronises
** keep limits their number. */
static cudaError_t check_cooperative(const RtLaunch *l) {
    enum { MULTIPROCESSORS = 256 };
    if (!l->abi.cooperative) return cudaSuccess;
    unsigned n = (unsigned)rt_topo()->threads > MULTIPROCESSORS ? (unsigned)rt_topo()->threads : MULTIPROCESSORS;
    int threads = (int)(l->block[0] * l->block[1] * l->block[2]);
    int each = rt_resident_blocks(l->kernel, threads, l->abi.dyn_shared);
    if (l->blocks > (uint64_t)each * n) return cudaErrorCooperativeLaunchTooLarge;
    if (!(l->kernel->abi->flags & CUCPU_KERNEL_GRID_SYNC)) return cudaSuccess;
    double bytes = (double)l->blocks / rt_cluster_blocks(l) * (double)rt_cluster_slab(l).bytes;
    if (bytes < ALWAYS_THERE) return cudaSuccess;
    return bytes > (double)rt_memory_available() ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

/* ---- running ---- */

/* Generated code may load an argument with any alignment up to a vector's. */
#define ARG_ROUND(bytes) RT_ROUND(bytes, RT_ARG_ALIGN)

typedef struct KernelOp {
    RtOp op;
    const void *function; /* the host stub */
    RtLaunch launch;
    char data[]; /* nparams pointers, then the values */
} KernelOp;

static void run_op(RtOp *op) {
    RtLaunch l = ((KernelOp *)op)->launch;
    rt_run_kernel(&l);
}

static void place_args(RtOp *op) {
    KernelOp *k = (KernelOp *)op;
    const CucpuKernel *a = k->launch.kernel->abi;
    void **args = (void **)k->data;
    size_t at = ARG_ROUND(sizeof *k + a->nparams * sizeof(void *)) - sizeof *k;
    for (uint32_t i = 0; i < a->nparams; i++) {
        args[i] = k->data + at;
        at += ARG_ROUND(a->params[i].size);
    }
    k->launch.abi.args = args;
}

static cudaError_t enqueue_kernel(cudaStream_t stream, const void *function, const RtLaunch *l, void **args) {
    const CucpuKernel *a = l->kernel->abi;
    size_t bytes = ARG_ROUND(sizeof(KernelOp) + a->nparams * sizeof(void *)) + l->kernel->params_bytes;
    KernelOp *k = rt_new_op(bytes, run_op, NULL);
    if (!k) return cudaErrorMemoryAllocation;
    k->op.kind = cudaGraphNodeTypeKernel;
    k->function = function;
    k->launch = *l;
    place_args(&k->op);
    for (uint32_t i = 0; i < a->nparams; i++) memcpy(k->launch.abi.args[i], args[i], a->params[i].size);
    return rt_enqueue(stream, &k->op);
}

void rt_kernel_params(const RtOp *op, struct cudaKernelNodeParams *out) {
    const KernelOp *k = (const KernelOp *)op;
    const CucpuLaunch *l = &k->launch.abi;
    const uint32_t *block = k->launch.block;
    *out = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)k->function,
                                         .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
                                         .blockDim = {block[0], block[1], block[2]},
                                         .sharedMemBytes = l->dyn_shared,
                                         .kernelParams = (void **)(uintptr_t)l->args};
}

size_t rt_find_params(const CucpuKernel *k, char *buffer, void **args) {
    size_t at = 0;
    for (uint32_t i = 0; i < k->nparams; i++) {
        at = RT_ROUND(at, k->params[i].align ? k->params[i].align : 1);
        args[i] = buffer + at;
        at += k->params[i].size;
    }
    return at;
}

cudaError_t rt_unpack_params(const CucpuKernel *k, void **extra, void ***args) {
    enum { END, POINTER, SIZE }; /* CU_LAUNCH_PARAM_* */
    char *buffer = NULL;
    size_t size = 0;
    for (; (uintptr_t)*extra != END; extra += 2) {
        if ((uintptr_t)*extra == POINTER) buffer = extra[1];
        else if ((uintptr_t)*extra == SIZE) size = *(size_t *)extra[1];
        else return cudaErrorInvalidValue;
    }
    *args = malloc((k->nparams + 1) * sizeof **args);
    if (!*args) return cudaErrorMemoryAllocation;
    size_t at = rt_find_params(k, buffer, *args);
    bool valid = at <= size && (buffer || !at);
    if (valid && at == size) return cudaSuccess;
    free(*args);
    return valid ? cudaErrorLaunchOutOfResources : cudaErrorInvalidValue; /* as CUDA calls too many arguments */
}

/* A kernel that polls may wait for what the host stores after the launch, or a thread of it. */
static bool may_wait_for_host(const RtLaunch *l) {
    return RT_UNLIKELY(l->kernel->abi->flags & CUCPU_KERNEL_POLLS) && rt_env()->mode != RT_MODE_SYNC;
}

static void spoil_capture(cudaStream_t stream) {
    cudaStream_t s = rt_stream(stream);
    if (s && s->capture) rt_invalidate_capture(s);
}

static void record_refused(const RtKernel *k, dim3 g, dim3 b, cudaError_t error) {
    const char *name = !k ? "unknown kernel" : k->abi->title ? k->abi->title : k->abi->name;
    CucpuRecord r = {.kind = CUCPU_REC_REFUSED, .name = rt_record_text(name), .correlation = rt_doing().correlation};
    r.start = r.end = rt_profile_now();
    r.refused.grid[0] = g.x, r.refused.grid[1] = g.y, r.refused.grid[2] = g.z;
    r.refused.block[0] = b.x, r.refused.block[1] = b.y, r.refused.block[2] = b.z;
    r.refused.result = (uint32_t)error;
    rt_record(&r);
}

/* Of a kernel that is not known: NULL. */
static cudaError_t refuse(const RtKernel *k, dim3 g, dim3 b, size_t shared, cudaError_t error) {
    if (RT_UNLIKELY(rt_profiled)) record_refused(k, g, b, error);
    if (rt_env()->trace_lines)
        rt_message("%s<<<(%u,%u,%u),(%u,%u,%u),%zu>>> refused: %s", k ? k->abi->name : "unknown kernel", g.x, g.y, g.z,
                   b.x, b.y, b.z, shared, cudaGetErrorName(error));
    return error;
}

static const RtKernel *known(const void *function) {
    RtKernel *k;
    return rt_find_kernel(function, &k) ? NULL : k;
}

cudaError_t rt_launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                      const RtAttributes *how) {
    RtKernel *k;
    RtLaunch l;
    cudaError_t error = rt_find_kernel(function, &k);
    if (RT_UNLIKELY(error)) return refuse(NULL, grid, block, shared, error);
    error = prepare(&l, k, grid, block, shared, how);
    if (!error) error = rt_child_depth(stream, &l.depth);
    if (!error) error = check_cooperative(&l);
    if (!error && k->abi->nparams && !args) error = cudaErrorInvalidValue;
    if (RT_UNLIKELY(error)) {
        spoil_capture(stream);
        return refuse(k, grid, block, shared, error);
    }
    bool inline_now;
    error = rt_begin_inline(stream, &inline_now);
    if (RT_UNLIKELY(error)) return refuse(k, grid, block, shared, error);
    if (inline_now && !may_wait_for_host(&l)) {
        l.abi.args = args;
        rt_run_kernel(&l);
        rt_end_inline(stream);
        return RT_UNLIKELY(rt_env()->mode == RT_MODE_SYNC) ? rt_sticky() : cudaSuccess;
    }
    if (inline_now) rt_end_inline(stream);
    return enqueue_kernel(stream, function, &l, args);
}

bool rt_op_is_cooperative(const RtOp *op) { return ((const KernelOp *)op)->launch.abi.cooperative; }

void rt_kernel_attributes(const RtOp *op, cudaLaunchAttributeValue *attributes) {
    const RtLaunch *l = &((const KernelOp *)op)->launch;
    const uint32_t *n = l->abi.cluster;
    attributes[cudaLaunchAttributeCooperative].cooperative = (int)l->abi.cooperative;
    if (n[0] * n[1] * n[2] <= 1) return;
    attributes[cudaLaunchAttributeClusterDimension].clusterDim.x = n[0];
    attributes[cudaLaunchAttributeClusterDimension].clusterDim.y = n[1];
    attributes[cudaLaunchAttributeClusterDimension].clusterDim.z = n[2];
}

cudaError_t rt_relaunch_op(const RtOp *op, const RtAttributes *how, RtOp **out) {
    const KernelOp *k = (const KernelOp *)op;
    const CucpuLaunch *l = &k->launch.abi;
    RtLaunch checked = k->launch;
    checked.abi.cooperative = how->cooperative;
    if (how->cluster[0] || how->cluster[1] || how->cluster[2]) RT_TRY(rt_set_cluster(&checked, how->cluster));
    RT_TRY(check_cooperative(&checked));
    *out = NULL;
    rt_recording = out;
    cudaError_t error = enqueue_kernel(NULL, k->function, &checked, (void **)(uintptr_t)l->args);
    rt_recording = NULL;
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
    RT_CALL();
    cudaError_t error = rt_enter();
    if (RT_UNLIKELY(error)) return rt_end(refuse(known(function), grid, block, shared, error));
    return rt_end(rt_launch(function, grid, block, args, shared, stream, NULL));
}

/* nvcc's host code of CUDA 13: the stub keeps what it gets here.  Whether there is such a kernel the launch says. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    *kernel = (cudaKernel_t)(uintptr_t)function;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
    RT_CALL();
    const RtAttributes how = {.cooperative = true};
    cudaError_t error = rt_enter();
    if (RT_UNLIKELY(error)) return rt_end(refuse(known(function), grid, block, shared, error));
    return rt_end(rt_launch(function, grid, block, args, shared, stream, &how));
}

/* Events that a kernel triggers while it runs: CUDA lets those who wait see it as late as when it has ended. */
static cudaError_t read_event(const cudaLaunchAttribute *a, cudaEvent_t *event) {
    if (a->id == cudaLaunchAttributeProgrammaticEvent) *event = a->val.programmaticEvent.event;
    else if (a->id == cudaLaunchAttributeLaunchCompletionEvent) *event = a->val.launchCompletionEvent.event;
    else return cudaSuccess;
    return rt_check_launch_event(*event);
}

/* The other attributes change nothing here.  A preferred size of clusters is one that the device need not take. */
cudaError_t rt_launch_attributes(const cudaLaunchAttribute *a, unsigned n, RtAttributes *how) {
    *how = (RtAttributes){0};
    if (n && !a) return cudaErrorInvalidValue;
    for (; n; n--, a++) {
        if ((unsigned)a->id > cudaLaunchAttributePreferredSharedMemoryCarveout) return cudaErrorInvalidValue;
        RT_TRY(read_event(a, &how->event));
        if (a->id == cudaLaunchAttributeCooperative) how->cooperative = a->val.cooperative;
        if (a->id != cudaLaunchAttributeClusterDimension) continue;
        how->cluster[0] = a->val.clusterDim.x;
        how->cluster[1] = a->val.clusterDim.y;
        how->cluster[2] = a->val.clusterDim.z;
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *function, void **args) {
    RT_CALL();
    RtAttributes how;
    cudaError_t e = rt_enter();
    if (RT_UNLIKELY(e)) return rt_end(c ? refuse(known(function), c->gridDim, c->blockDim, c->dynamicSmemBytes, e) : e);
    e = c ? rt_launch_attributes(c->attrs, c->numAttrs, &how) : cudaErrorInvalidValue;
    if (!e) e = rt_launch(function, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream, &how);
    if (!e && how.event) e = cudaEventRecord(how.event, c->stream);
    return rt_end(e);
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned devices, unsigned flags) {
    RT_ENTER();
    if (!list || devices != 1 || flags > 3) return rt_end(cudaErrorInvalidValue);
    return cudaLaunchCooperativeKernel(list->func, list->gridDim, list->blockDim, list->args, list->sharedMem,
                                       list->stream);
}
