/* coalesce_blocks: kernels that read their index along x only as blockIdx.x * blockDim.x + threadIdx.x read it by one
** function.
**
** in:  kernels in normal form
** out: cucpu.global.x(stride) for ctaid.x * stride + tid.x, and the attribute cucpu.joined: the kernel reads no other
**      id along x, neither by a barrier, a lane nor shared memory. stride is blockDim.x, or a constant.
**      A sum of 64 bits becomes the extension of that, with metadata: at width 1 rows may be longer than 2^32, and
**      make_variants computes it in 64 bits again (widen_global_ids).
**
** Block boundaries then have no effect on a thread, so loop_groups runs neighbouring blocks of one row as one long row
** of threads, in the order that they would run in anyway: the loop over threads is entered once for all blocks of a
** call, not once for each, and only the last group of that row may be partial.
** Barriers of interchange_grid_stride are kept: the row goes through them as a block does.
** Where that holds only for what comes before a BARRIER_OF_BLOCKS, a grid-stride loop mostly, the attribute is
** cucpu.joined_prefix; ids that are used after the barrier are computed there once more. Other such barriers are
** deleted.
** Refuses (leaves the kernel unchanged): other uses of threadIdx.x or blockIdx.x; strides that differ; whatever lets
** threads of a block interact, or counts them. */
#include "passes/analysis/affine.h"
#include "passes/ir/cfg.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

typedef struct Join {
    Module *m;
    LLVMValueRef stride; /* of the sums seen so far */
    Vec(LLVMValueRef) sums;
    const Cfg *c;
    LLVMValueRef barrier; /* what cannot be reached without it does not count; NULL: there is none */
    bool *before, *after; /* of the barrier: blocks. Its own is both. */
} Join;

enum { MAX_DEPTH = 8 };
enum { MAX_STRIDE = 1024 }; /* constant, in sums of 64 bits: rows are shorter than 2^31 then (shapes_step) */

static bool is_id(LLVMValueRef v, Name n) { return name_of_call(v) == n; }

/* The rows of all kernels have strides that are constants, or blockDim.x: of 32 bits. */
static LLVMValueRef joinable(LLVMValueRef stride) {
    stride = stride ? affine_narrow_id(stride) : NULL;
    if (!stride || !LLVMIsAConstantInt(stride)) return stride && is_id(stride, NAME_NTID_X) ? stride : NULL;
    uint64_t n = LLVMConstIntGetZExtValue(stride);
    if (int_bits(stride) != 64) return stride;
    return n <= MAX_STRIDE ? LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(stride))), n, 0) : NULL;
}

static LLVMValueRef block_stride(LLVMValueRef v) { return joinable(affine_block_start(v, 0)); }
static LLVMValueRef stride_of_sum(LLVMValueRef v) { return joinable(affine_grid_index(v, 0)); }

/* Every use of the start of a block, or of tid.x, is in a sum. */
static bool only_in_global_ids(LLVMValueRef v) {
    for_each_user(user, v)
        if (affine_narrow_id(user) == v ? !only_in_global_ids(user) : !stride_of_sum(user)) return false;
    return true;
}

static bool only_in_starts(LLVMValueRef ctaid) {
    for_each_user(user, ctaid)
        if (affine_narrow_id(user) == ctaid ? !only_in_starts(user) : !block_stride(user) || !only_in_global_ids(user))
            return false;
    return true;
}

static bool same_stride(const Join *j, LLVMValueRef s) {
    return !j->stride || s == j->stride || (is_id(s, NAME_NTID_X) && is_id(j->stride, NAME_NTID_X));
}

static bool may_join(Join *j, LLVMValueRef i) {
    Name n = name_of_call(i);
    switch (n) {
    case NAME_NONE: break;
    case NAME_CTAID_X: return only_in_starts(i);
    case NAME_TID_X: return only_in_global_ids(i);
    case NAME_LINEAR:
    case NAME_LANE:
    case NAME_SHARED:
    case NAME_CLUSTER_BASE: return false;
    case NAME_BARRIER:
        return is_constant(LLVMGetOperand(i, 0), BARRIER_OF_LOOP) ||
               is_constant(LLVMGetOperand(i, 0), BARRIER_OF_BLOCKS);
    default: return !name_is_convergent(n);
    }
    LLVMValueRef stride = stride_of_sum(i);
    if (!stride) return true;
    if (!same_stride(j, stride)) return false;
    j->stride = stride;
    vec_push(&j->m->arena, &j->sums, i);
    return true;
}

/* The sum, and its operands that have no other use. */
static void erase_unused(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v) || LLVMGetFirstUse(v)) return;
    LLVMValueRef o[2] = {0};
    for (int k = 0; k < LLVMGetNumOperands(v) && k < 2 && !LLVMIsACallInst(v); k++)
        o[k] = LLVMGetOperand(v, (unsigned)k);
    LLVMInstructionEraseFromParent(v);
    for (int k = 0; k < 2; k++)
        if (o[k]) erase_unused(o[k]);
}

static unsigned wide_kind(const Module *m) {
    return LLVMGetMDKindIDInContext(m->ctx, MD_WIDE_ID, sizeof MD_WIDE_ID - 1);
}

static void coalesce_ids(Join *j, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(j->m->ctx);
    for (int k = 0; k < j->sums.n; k++) {
        LLVMValueRef i = j->sums.v[k], stride = stride_of_sum(i);
        set_insert_point(b, i);
        LLVMValueRef id = name_call(b, j->m->mod, NAME_GLOBAL_X, &stride, 1, "global");
        if (int_bits(i) == 64) {
            id = LLVMBuildZExt(b, id, LLVMTypeOf(i), "");
            LLVMSetMetadata(id, wide_kind(j->m),
                            LLVMMetadataAsValue(j->m->ctx, LLVMMDNodeInContext2(j->m->ctx, NULL, 0)));
        }
        LLVMReplaceAllUsesWith(i, id);
        erase_unused(i);
    }
    LLVMDisposeBuilder(b);
    fn_set_attr(fn, j->barrier ? ATTR_JOINED_PREFIX : ATTR_JOINED, "");
}

/* Here the index is the first block's, and the thread in a row of less than 2^31 threads, both without wrapping. */
void widen_global_ids(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->ctx);
    for_each_block(bb, fn)
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!LLVMIsAZExtInst(i) || !LLVMGetMetadata(i, wide_kind(m))) continue;
            set_insert_point(b, i);
            LLVMValueRef global = LLVMGetOperand(i, 0), stride = LLVMGetOperand(global, 0),
                         block = name_call(b, m->mod, NAME_CTAID_X, NULL, 0, ""),
                         x = LLVMBuildSub(b, global, LLVMBuildMul(b, block, stride, ""), "x"),
                         start = LLVMBuildNUWMul(b, LLVMBuildZExt(b, block, i64, ""), LLVMBuildZExt(b, stride, i64, ""),
                                                 "start");
            replace_instruction(i, LLVMBuildNUWAdd(b, start, LLVMBuildZExt(b, x, i64, ""), "global"));
        }
    LLVMDisposeBuilder(b);
}

void coalesce_kernel(Module *m, LLVMValueRef fn) {
    Join j = {.m = m};
    bool may = true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b && may; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && may; i = LLVMGetNextInstruction(i))
            may = may_join(&j, i);
    if (may && j.sums.n) coalesce_ids(&j, fn);
}

/* ---- the part before a barrier ---- */

/* Blocks that can be reached from the end of this one without crossing the barrier. */
static void reach_blocks(const Join *j, int from, bool *reached) {
    int *stack = arena_array(&j->m->arena, int, j->c->n + 1), n = 0, at = cfg_block_of(j->c, j->barrier);
    stack[n++] = from;
    while (n) {
        const Block *b = &j->c->b[stack[--n]];
        for (int k = 0; k < b->nsucc; k++) {
            int to = b->succ[k];
            if (reached[to]) continue;
            reached[to] = true;
            if (to != at) stack[n++] = to;
        }
    }
}

/* Whoever gets past the barrier's block has crossed it, once. */
static bool find_parts(Join *j) {
    int at = cfg_block_of(j->c, j->barrier);
    if (at <= 0) return false;
    j->before = arena_array(&j->m->arena, bool, j->c->n);
    j->after = arena_array(&j->m->arena, bool, j->c->n);
    j->before[0] = true;
    reach_blocks(j, 0, j->before);
    reach_blocks(j, at, j->after);
    bool apart = j->before[at] && !j->after[at];
    j->after[at] = true;
    for (int b = 0; b < j->c->n; b++)
        if (b != at) apart &= !(j->before[b] && (j->after[b] || !j->c->b[b].nsucc));
    return apart;
}

/* The instruction is crossed before the barrier; in its block as well. */
static bool is_before(const Join *j, LLVMValueRef i) {
    int b = cfg_block_of(j->c, i);
    if (LLVMGetInstructionParent(i) != LLVMGetInstructionParent(j->barrier)) return b >= 0 && j->before[b];
    for (LLVMValueRef k = LLVMGetFirstInstruction(j->c->b[b].bb); k != j->barrier; k = LLVMGetNextInstruction(k))
        if (k == i) return true;
    return false;
}

static bool is_used_before(const Join *j, LLVMValueRef user, unsigned k) {
    return is_before(j, operand_insertion_point(user, k));
}

/* Computed from ids, arguments and constants, and different in the blocks of a row. */
static bool is_sum_of_ids(LLVMValueRef v, int depth, bool *of_block) {
    Name n = name_of_call(v);
    bool one = n == NAME_TID_X || n == NAME_CTAID_X || n == NAME_LINEAR || n == NAME_LANE || n == NAME_SHARED;
    *of_block |= one;
    if (!LLVMIsAInstruction(v) || one || (n >= NAME_TID_X && n <= NAME_NCTAID_Z)) return true;
    if (depth == MAX_DEPTH || !is_op(v, OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_PTR_CAST | OP_GEP))
        return false;
    for (unsigned k = 0; k < value_operands(v); k++)
        if (!is_sum_of_ids(LLVMGetOperand(v, k), depth + 1, of_block)) return false;
    return true;
}

/* A copy of v right after the barrier, for what uses it there. */
static void copy_after_barrier(const Join *j, LLVMBuilderRef b, LLVMValueRef v) {
    LLVMValueRef copy = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        for (unsigned k = 0; k < value_operands(user); k++) {
            if (LLVMGetOperand(user, k) != v || is_used_before(j, user, k)) continue;
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(j->barrier));
            if (!copy) copy = clone_at(b, v);
            LLVMSetOperand(user, k, copy);
            break;
        }
    }
}

static void compute_ids_again(const Join *j) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(j->m->ctx);
    for (int n = j->c->n - 1; n >= 0; n--)
        for (LLVMValueRef i = LLVMGetLastInstruction(j->c->b[n].bb), last; i; i = last) {
            bool of_block = false;
            last = LLVMGetPreviousInstruction(i);
            if (!is_before(j, i) || !is_sum_of_ids(i, 0, &of_block) || !of_block) continue;
            copy_after_barrier(j, b, i);
            if (!LLVMGetFirstUse(i)) LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(b);
}

static bool coalesce_before(Join *j, LLVMValueRef fn) {
    if (!find_parts(j)) return false;
    compute_ids_again(j);
    for_each_instruction(i, fn)
        if (is_before(j, i) && !may_join(j, i)) return false;
    if (j->sums.n) coalesce_ids(j, fn);
    return j->sums.n > 0;
}

/* Deletes barriers that mark where a part ends, but the last one that does so. */
static void coalesce_part(Module *m, LLVMValueRef fn, bool off) {
    unsigned len;
    bool found = off || fn_attr(fn, ATTR_JOINED, &len);
    const Cfg *c = cfg_build(&m->arena, fn);
    for (int n = c->n - 1; n >= 0; n--)
        for (LLVMValueRef i = LLVMGetLastInstruction(c->b[n].bb), last; i; i = last) {
            last = LLVMGetPreviousInstruction(i);
            if (name_of_call(i) != NAME_BARRIER || !is_constant(LLVMGetOperand(i, 0), BARRIER_OF_BLOCKS)) continue;
            Join j = {.m = m, .c = c, .barrier = i};
            if (!found && coalesce_before(&j, fn)) found = true;
            else LLVMInstructionEraseFromParent(i);
        }
}

bool coalesce_blocks(Module *m) {
    bool off = pass_disabled(m, "coalesce_blocks") || m->opt->shuffle;
    for_each_function(f, m->mod) {
        if (!is_kernel(f) || LLVMIsDeclaration(f)) continue;
        if (!off) coalesce_kernel(m, f);
        coalesce_part(m, f, off);
    }
    return true;
}
