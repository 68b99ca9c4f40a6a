/* stream.c: the driver API: memory operations of streams, capture that is looked into, attributes.
**
** A stream that waits for a value polls it on the thread that runs the queue; that thread does not count among those of
** the streams meanwhile, so that the stream which writes the value always finds one. */
#include "space/alloc.h"
#include "check/check.h"
#include "queue/stream.h"
#include "driver/driver.h"
#include <sched.h>
#include <time.h>

static cudaStream_t stream(CUstream s) { return (cudaStream_t)s; }

/* ---- memory operations ---- */

enum { MAX_OPS = 256, SPINS = 200, PAUSE_NS = 20000 };

typedef struct MemOps {
    RtOp op;
    unsigned count;
    CUstreamBatchMemOpParams ops[];
} MemOps;

static bool is_wide(CUstreamBatchMemOpType t) {
    return t == CU_STREAM_MEM_OP_WAIT_VALUE_64 || t == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}
static bool is_wait(CUstreamBatchMemOpType t) {
    return t == CU_STREAM_MEM_OP_WAIT_VALUE_32 || t == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool met(const CUstreamBatchMemOpParams *p) {
    bool wide = is_wide(p->operation);
    void *at = (void *)(uintptr_t)p->waitValue.address;
    uint64_t v = wide ? atomic_load((_Atomic uint64_t *)at) : atomic_load((_Atomic uint32_t *)at);
    uint64_t wanted = wide ? p->waitValue.value64 : p->waitValue.value;
    uint64_t all = wide ? UINT64_MAX : UINT32_MAX;
    switch (p->waitValue.flags) {
    case CU_STREAM_WAIT_VALUE_GEQ: /* cyclic */
        return wide ? (int64_t)(v - wanted) >= 0 : (int32_t)(uint32_t)(v - wanted) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return v == wanted;
    case CU_STREAM_WAIT_VALUE_AND: return (v & wanted) != 0;
    default: /* CU_STREAM_WAIT_VALUE_NOR */ return (~(v | wanted) & all) != 0;
    }
}

static void wait_until_met(const CUstreamBatchMemOpParams *p) {
    if (met(p)) return;
    rt_queue_polls(true);
    for (int spins = 0; !met(p) && !rt_sticky(); spins++)
        if (spins < SPINS) sched_yield();
        else nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    rt_queue_polls(false);
}

static void run_ops(RtOp *op) {
    const MemOps *m = (const MemOps *)op;
    for (unsigned i = 0; i < m->count; i++) {
        const CUstreamBatchMemOpParams *p = &m->ops[i];
        void *at = (void *)(uintptr_t)p->writeValue.address;
        if (is_wait(p->operation)) {
            wait_until_met(p);
            if (rt_orders()) rt_order_host_all(); /* whoever has written it */
        } else if (p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
            atomic_store((_Atomic uint32_t *)at, p->writeValue.value);
        else if (p->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
            atomic_store((_Atomic uint64_t *)at, p->writeValue.value64);
        else atomic_thread_fence(memory_order_seq_cst);
    }
}

static cudaError_t check_op(const CUstreamBatchMemOpParams *p) {
    if (p->operation == CU_STREAM_MEM_OP_BARRIER)
        return p->memoryBarrier.flags > 1 ? cudaErrorInvalidValue : cudaSuccess;
    if (p->operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES) return cudaErrorNotSupported;
    if ((unsigned)p->operation - 1 >= CU_STREAM_MEM_OP_WRITE_VALUE_64) return cudaErrorInvalidValue;
    size_t size = is_wide(p->operation) ? 8 : 4;
    unsigned max = is_wait(p->operation) ? CU_STREAM_WAIT_VALUE_NOR : CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
    if (is_wait(p->operation) && p->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH) return cudaErrorNotSupported;
    if (p->waitValue.flags > max || p->waitValue.address % size) return cudaErrorInvalidValue;
    return rt_check_range((void *)(uintptr_t)p->waitValue.address, size, true);
}

static cudaError_t enqueue_ops(CUstream s, unsigned count, const CUstreamBatchMemOpParams *ops, unsigned flags) {
    if (!rt_stream(stream(s))) return cudaErrorInvalidResourceHandle;
    if (!count || count > MAX_OPS || !ops || flags) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) RT_TRY(check_op(&ops[i]));
    MemOps *m = rt_new_op(sizeof *m + count * sizeof *ops, run_ops, NULL);
    if (!m) return cudaErrorMemoryAllocation;
    m->op.kind = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    m->count = count;
    for (unsigned i = 0; i < count; i++) m->ops[i] = ops[i];
    return rt_enqueue(stream(s), &m->op);
}

CUresult cuStreamBatchMemOp(CUstream s, unsigned count, CUstreamBatchMemOpParams *ops, unsigned flags) {
    DRV_FORWARD_OF(s, enqueue_ops(s, count, ops, flags));
}

#define ONE(OP, member, ...)                                                                                           \
    CUstreamBatchMemOpParams one = {.member = {.operation = CU_STREAM_MEM_OP_##OP, .address = p, .flags = flags}};     \
    one.member.__VA_ARGS__;                                                                                            \
    DRV_FORWARD_OF(s, enqueue_ops(s, 1, &one, 0))

CUresult cuStreamWaitValue32(CUstream s, CUdeviceptr p, cuuint32_t v, unsigned flags) {
    ONE(WAIT_VALUE_32, waitValue, value = v);
}
CUresult cuStreamWaitValue64(CUstream s, CUdeviceptr p, cuuint64_t v, unsigned flags) {
    ONE(WAIT_VALUE_64, waitValue, value64 = v);
}
CUresult cuStreamWriteValue32(CUstream s, CUdeviceptr p, cuuint32_t v, unsigned flags) {
    ONE(WRITE_VALUE_32, writeValue, value = v);
}
CUresult cuStreamWriteValue64(CUstream s, CUdeviceptr p, cuuint64_t v, unsigned flags) {
    ONE(WRITE_VALUE_64, writeValue, value64 = v);
}

/* ---- capture ---- */

CUresult cuStreamBeginCaptureToGraph(CUstream s, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *edges,
                                     size_t count, CUstreamCaptureMode mode) {
    DRV_FORWARD_OF(s, cudaStreamBeginCaptureToGraph(stream(s), (cudaGraph_t)graph, (const cudaGraphNode_t *)deps,
                                                    (const cudaGraphEdgeData *)edges, count,
                                                    (enum cudaStreamCaptureMode)mode));
}
CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **deps, size_t *count) {
    unsigned long long number = 0;
    DRV_ENTER((uintptr_t)s <= (uintptr_t)cudaStreamPerThread);
    DrvKept kept = drv_keep();
    cudaError_t error = cudaStreamGetCaptureInfo(stream(s), (enum cudaStreamCaptureStatus *)status, &number,
                                                 (cudaGraph_t *)graph, (const cudaGraphNode_t **)deps, count);
    drv_restore(kept);
    if (!error && id) *id = number;
    return drv_result(error);
}
CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *deps, size_t count, unsigned flags) {
    DRV_FORWARD_OF(s, cudaStreamUpdateCaptureDependencies(stream(s), (cudaGraphNode_t *)deps, count, flags));
}

/* ---- attributes ---- */

_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(cudaLaunchAttributeValue), "one layout");

CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID id, CUstreamAttrValue *value) {
    DRV_FORWARD_OF(s, cudaStreamGetAttribute(stream(s), (cudaLaunchAttributeID)id, (cudaLaunchAttributeValue *)value));
}
CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID id, const CUstreamAttrValue *value) {
    DRV_FORWARD_OF(
        s, cudaStreamSetAttribute(stream(s), (cudaLaunchAttributeID)id, (const cudaLaunchAttributeValue *)value));
}
CUresult cuStreamGetDevice(CUstream s, CUdevice *device) { DRV_FORWARD_OF(s, cudaStreamGetDevice(stream(s), device)); }
