/* mark_streams: stores of arrays that a kernel only writes, each element once.
**
** out: !cucpu.stream on stores of consecutive elements to a parameter through which the kernel reads nothing, not in
**      loops, and cucpu.streamed: the bytes that a thread stores so, once for each parameter. stream_stores makes
**      non-temporal stores of them for grids that store more than the cache holds.
**
** Non-temporal stores are weakly ordered: not in kernels with fences, atomics, volatile accesses or calls, by which
** other threads could see a later store first. Threads of a block run on one core, which sees its own stores in
** order. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/root_parameter.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/passes.h"

enum { MIN_BYTES = 32 }; /* of a vector: parts of a line are combined, but only a few lines at a time */

typedef struct Streams {
    Kernel *k;
    const Cfg *c;
    unsigned read;            /* parameters */
    unsigned bytes[ROOT_MAX]; /* stored to each by a thread */
} Streams;

static bool is_ordered(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return !is_plain_access(i);
    Name n = name_of_call(i);
    if (LLVMIsACallInst(i) && n == NAME_NONE && !is_pure_intrinsic(i) && !is_lifetime(i) && !is_assume(i) &&
        !math_row_of_call(i))
        return true;
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || n == NAME_GRID_SYNC ||
           name_is_cluster(n);
}

/* Parameters that are read; false: the order of stores matters, or what is read is not known. */
static bool find_reads(Streams *s) {
    for_each_cfg_instruction(i, b, s->c) {
        if (is_ordered(i)) return false;
        if (!LLVMIsALoadInst(i)) continue;
        int from = root_parameter(s->c->fn, LLVMGetOperand(i, 0));
        if (from == ROOT_UNKNOWN) return false;
        if (from >= 0) s->read |= 1u << from;
    }
    return true;
}

static void mark(Streams *s, LLVMValueRef i, unsigned kind) {
    LLVMValueRef p = LLVMGetOperand(i, 1);
    int to = root_parameter(s->c->fn, p);
    int64_t stride, size = (int64_t)LLVMABISizeOfType(s->k->m->dl, LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (to < 0 || s->read >> to & 1 || size * s->k->width < MIN_BYTES) return;
    if (!shapes_lane_stride(kernel_shapes(s->k), p, &stride) || stride != size) return;
    if (size > s->bytes[to]) s->bytes[to] = (unsigned)size;
    LLVMSetMetadata(i, kind, LLVMMetadataAsValue(s->k->m->ctx, LLVMMDNodeInContext2(s->k->m->ctx, NULL, 0)));
}

Nyi mark_streams(Kernel *k) {
    Streams s = {.k = k, .c = kernel_cfg(k)};
    unsigned kind = LLVMGetMDKindIDInContext(k->m->ctx, MD_STREAM, sizeof MD_STREAM - 1), all = 0;
    keep_facts(k);
    if (k->width == 1 || fn_has_attr(k->fn, ATTR_VECTOR) || !k->m->opt->opt_level || k->m->opt->check ||
        pass_disabled(k->m, "stream_stores") || function_size(k->fn) > GROWTH_STREAMED || !find_reads(&s))
        return NYI_NONE;
    for_each_cfg_instruction(i, b, s.c)
        if (LLVMIsAStoreInst(i) && s.c->b[b].loop < 0) mark(&s, i, kind);
    for (int i = 0; i < ROOT_MAX; i++) all += s.bytes[i];
    if (all) fn_set_attr(k->fn, ATTR_STREAMED, arena_printf(k->arena, "%u", all));
    return NYI_NONE;
}
