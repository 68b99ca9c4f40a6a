/* version_columns: kernels whose blocks may be columns, of 1 x n threads, get a version that runs them as rows.
**
**   i = blockIdx.x * blockDim.y + threadIdx.y           i = blockIdx.x * blockDim.x + threadIdx.x
**
** in:  scalar code of kernels, inlined
** out: the kernel, and beside it a kernel NAME.column with the code on the right: threadIdx.y and blockDim.y are
**      threadIdx.x and blockDim.x, the other ids are 0 and sizes 1. Its attribute cucpu.column is the kernel's name.
**      The runtime launches it with blocks of (n, 1, 1) threads for blocks of (1, n, 1) (CucpuKernel.column).
**
** Why: lanes are along x, where a column has one thread. Libraries that number vector lanes along x and threads along
** y launch all that has no vector loop so (Kokkos). What makes rows fast, of loops over the grid or of neighbouring
** blocks, then holds for columns without a rule of its own.
** Threads keep their order, so that warps, barriers and lanes are the same: the two are one kernel with other names of
** ids. Which kernels: those that read threadIdx.y, but threadIdx.x only for the index in the block or in tests, and do
** not add it to a multiple of blockIdx.x, as kernels with blocks of several columns do. Where all launches are known
** find_launch_sites keeps the version only if one is of a column. Refuses kernels that are compiled for one blockDim
** (.reqntid) or have clusters, calls of functions that are not inlined, which read ids themselves, and kernels beyond
** GROWTH_VERSIONS. */
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <stdlib.h>
#include <string.h>

static bool reads(LLVMValueRef fn, Name name) {
    for_each_instruction(i, fn)
        if (name_of_call(i) == name) return true;
    return false;
}

static LLVMValueRef without_casts(LLVMValueRef v) {
    while (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsATruncInst(v)) v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_id(LLVMValueRef v, Name name) { return name_of_call(without_casts(v)) == name; }

enum { DEPTH = 4 };

/* blockIdx.x * c, which c may be blockDim.x, or a sum with it. */
static bool has_start_of_row(LLVMValueRef v, int depth) {
    v = without_casts(v);
    bool sum = is_op(v, OP_ADD), product = is_op(v, OP_MUL);
    if (is_op(v, OP_SHL)) return is_id(LLVMGetOperand(v, 0), NAME_CTAID_X);
    for (unsigned k = 0; k < 2 && (sum || product); k++)
        if (product ? is_id(LLVMGetOperand(v, k), NAME_CTAID_X)
                    : depth < DEPTH && has_start_of_row(LLVMGetOperand(v, k), depth + 1))
            return true;
    return false;
}

static bool has_index_along_x(LLVMValueRef fn) {
    for_each_instruction(i, fn) {
        if (!is_op(i, OP_ADD)) continue;
        LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
        if (is_id(b, NAME_TID_X) ? has_start_of_row(a, 0) : is_id(a, NAME_TID_X) && has_start_of_row(b, 0)) return true;
    }
    return false;
}

/* threadIdx.y, perhaps times something. */
static bool is_start_of_thread(LLVMValueRef v) {
    v = without_casts(v);
    return is_id(v, NAME_TID_Y) ||
           (is_op(v, OP_MUL) && (is_id(LLVMGetOperand(v, 0), NAME_TID_Y) || is_id(LLVMGetOperand(v, 1), NAME_TID_Y)));
}

/* The value is threadIdx.x: it is only added to threadIdx.y, for the index in the block, or tested. */
static bool is_part_of_index(LLVMValueRef v) {
    for_each_user(i, v) {
        if (LLVMIsAICmpInst(i) && LLVMIsAConstant(LLVMGetOperand(i, 1))) continue;
        if (is_op(i, OP_INT_CAST) && is_part_of_index(i)) continue;
        bool sum = is_op(i, OP_ADD) || opcode(i) == LLVMOr;
        LLVMValueRef to = LLVMIsAGetElementPtrInst(i) ? LLVMGetOperand(i, 0) : NULL;
        if (to && LLVMIsAGetElementPtrInst(to) && is_start_of_thread(LLVMGetOperand(to, 1))) continue;
        if (!sum || !is_start_of_thread(LLVMGetOperand(i, LLVMGetOperand(i, 0) == v))) return false;
    }
    return true;
}

static bool is_lane_along_x(LLVMValueRef fn) {
    for_each_instruction(i, fn)
        if (name_of_call(i) == NAME_TID_X && !is_part_of_index(i)) return true;
    return false;
}

static bool may_have_columns(LLVMValueRef fn) {
    return reads(fn, NAME_TID_Y) && !has_index_along_x(fn) && !is_lane_along_x(fn) && !calls_function(fn) &&
           !fn_has_attr(fn, ATTR_REQNTID) && !fn_has_attr(fn, ATTR_CLUSTER) && !fn_has_attr(fn, ATTR_MAX_CLUSTER) &&
           function_size(fn) <= GROWTH_VERSIONS;
}

static LLVMValueRef id_of_row(Module *m, LLVMValueRef id, Name n) {
    bool size = n >= NAME_NTID_X;
    if (n != NAME_TID_Y && n != NAME_NTID_Y) return LLVMConstInt(LLVMTypeOf(id), size, 0);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    set_insert_point(b, id);
    LLVMValueRef v = name_call(b, m->mod, size ? NAME_NTID_X : NAME_TID_X, NULL, 0, "");
    LLVMDisposeBuilder(b);
    return v;
}

static void run_as_row(Module *m, LLVMValueRef fn) {
    Vec(LLVMValueRef) ids = {0};
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (n >= NAME_TID_X && n <= NAME_NTID_Z) vec_push(&m->arena, &ids, i);
    }
    for (int k = 0; k < ids.n; k++) {
        LLVMValueRef v = id_of_row(m, ids.v[k], name_of_call(ids.v[k]));
        replace_instruction(ids.v[k], v);
    }
}

LLVMValueRef column_of(const Module *m, LLVMValueRef kernel) {
    size_t len;
    const char *name = LLVMGetValueName2(kernel, &len);
    char *column = malloc(len + sizeof COLUMN);
    if (!column) bug("out of memory");
    memcpy(column, name, len);
    memcpy(column + len, COLUMN, sizeof COLUMN);
    LLVMValueRef found = LLVMGetNamedFunction(m->mod, column);
    free(column);
    return found && fn_has_attr(found, ATTR_COLUMN) ? found : NULL;
}

bool version_columns(Module *m) {
    const CucpuOptions *o = m->opt;
    Vec(LLVMValueRef) kernels = {0};
    if (pass_disabled(m, "version_columns") || o->opt_level == 0 || o->check || o->profile) return true;
    for_each_function(f, m->mod)
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !fn_has_attr(f, ATTR_VECTOR) && !fn_has_attr(f, ATTR_COLUMN) &&
            !column_of(m, f) && may_have_columns(f))
            vec_push(&m->arena, &kernels, f);
    for (int k = 0; k < kernels.n; k++) {
        const char *name = value_name(kernels.v[k]);
        LLVMValueRef column = shim_clone_function(kernels.v[k], arena_printf(&m->arena, "%s" COLUMN, name));
        fn_set_attr(column, ATTR_COLUMN, name);
        run_as_row(m, column);
    }
    return true;
}
