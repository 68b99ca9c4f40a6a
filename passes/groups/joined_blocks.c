/* joined_blocks: how many blocks of a kernel whose blocks may be joined (coalesce_blocks) run as one row; part of
** loop_groups.
**
** A row of such blocks is one long loop over x. It ends where the call or the row of the grid ends. Blocks of several
** rows are taken in tiles, so that what neighbours in y share stays in the cache until the next row reads it. Where the
** plane loop is interchanged (interchange_plane_loop) the frame is the limit, as each group has a slot there; such a
** row may span several rows of the grid. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/cost.h"
#include "passes/groups/loop_groups.h"
#include "passes/ir/edit.h"

enum {
    MAX_JOINED = 1 << 20, /* blocks: a row has less than 2^31 threads */
    MIN_BYTES = 64,       /* of a group that carries nothing */
    MAX_THREADS = 1024    /* of a block */
};

uint64_t interchanged_groups(const Loops *l) {
    uint64_t bytes = group_bytes(l);
    return INTERCHANGE_BYTES / (bytes ? bytes : MIN_BYTES);
}

bool can_interchange(const Loops *l) {
    return !l->dynamic && !l->leaves && interchanged_groups(l) * (uint64_t)l->k->width >= MAX_THREADS;
}

/* The operand of cucpu.global.x, NULL where it is blockDim.x. */
static LLVMValueRef constant_stride(const Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg)
        if (name_of_call(i) == NAME_GLOBAL_X && LLVMIsAConstantInt(LLVMGetOperand(i, 0))) return LLVMGetOperand(i, 0);
    return NULL;
}

static bool joins(const Loops *l) {
    unsigned len;
    if (l->split) return true;
    return (l->n == 1 || l->interchanged) && l->k->layout != LAYOUT_GENERAL && !l->k->m->opt->shuffle &&
           fn_attr(l->k->fn, ATTR_JOINED, &len);
}

LLVMValueRef private_cache(Loops *l) {
    LLVMTypeRef t = LLVMFunctionType(l->i64, NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, "cucpu_private_cache");
    if (!f) f = LLVMAddFunction(l->mod, "cucpu_private_cache", t);
    return LLVMBuildCall2(l->b, t, f, NULL, 0, "cache");
}

/* Bytes that the loads and stores of a thread access at most; all copies of its code count. */
static uint64_t bytes_per_thread(const Loops *l) {
    uint64_t bytes = 0, width = (uint64_t)l->k->width;
    for_each_cfg_instruction(i, b, l->cfg) {
        bool masked = LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i);
        LLVMTypeRef t = masked ? LLVMTypeOf(i) : NULL;
        if (t == LLVMVoidTypeInContext(l->k->m->ctx)) t = LLVMTypeOf(LLVMGetOperand(i, 0));
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) t = accessed_type(i);
        if (t && LLVMGetTypeKind(t) != LLVMFunctionTypeKind && LLVMTypeIsSized(t))
            bytes += LLVMABISizeOfType(l->k->m->dl, t);
    }
    return bytes / width ? bytes / width : 1;
}

/* Blocks of several rows: each row runs through all of them before the next one begins, so what neighbours in y share
** has to stay in the cache for a whole row. */
static LLVMValueRef tile_of_rows(Loops *l, LLVMValueRef rows) {
    LLVMValueRef threads = LLVMBuildMul(l->b, rows, l->id[NAME_NTID_X], "");
    LLVMValueRef bytes =
        LLVMBuildMul(l->b, l->id[NAME_NTID_X], c32(l, (unsigned)COST_SHARED_ROWS * bytes_per_thread(l)), "");
    LLVMValueRef cache =
        LLVMBuildTrunc(l->b, build_intrinsic2(l->b, "llvm.umin", private_cache(l), c64(l, INT32_MAX)), l->i32, "");
    LLVMValueRef min_tile = LLVMBuildUDiv(l->b, c32(l, (unsigned)COST_TILE_THREADS), threads, ""),
                 fits = LLVMBuildUDiv(l->b, cache, bytes, "");
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntUGT, fits, min_tile, "");
    return LLVMBuildSelect(l->b, more, fits, min_tile, "tile");
}

/* The most blocks whose threads are in one row. Of blocks with several rows: as many as share a cache where a thread
** does a bounded amount of work, else as many as fill a group. */
static LLVMValueRef max_joined(Loops *l) {
    LLVMValueRef rows = LLVMBuildMul(l->b, l->id[NAME_NTID_Y], l->id[NAME_NTID_Z], "");
    LLVMValueRef flat = LLVMBuildICmp(l->b, LLVMIntEQ, rows, c32(l, 1), ""), tile = c32(l, 1);
    if (l->interchanged || l->split) {
        LLVMValueRef groups = LLVMBuildMul(l->b, rows, l->row_groups, "");
        tile = LLVMBuildUDiv(l->b, c32(l, interchanged_groups(l)), groups, "tile");
        flat = c1(l, false);
    } else if (!l->cfg->nloops) {
        tile = tile_of_rows(l, rows);
    } else {
        LLVMValueRef row = l->id[NAME_NTID_X], last = c32(l, (uint64_t)l->k->width - 1);
        tile = LLVMBuildUDiv(l->b, LLVMBuildAdd(l->b, row, last, ""), row, "tile");
    }
    LLVMValueRef maximum = LLVMBuildSelect(l->b, flat, c32(l, MAX_JOINED), tile, ""), stride = constant_stride(l);
    if (stride)
        maximum = LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, stride, l->id[NAME_NTID_X], ""), maximum,
                                  c32(l, 1), "");
    return LLVMBuildZExt(l->b, maximum, l->i64, "max_blocks");
}

/* How many blocks run together from `block` on: what is left of the call and of the row of the grid. */
static LLVMValueRef blocks_together(Loops *l, LLVMValueRef block) {
    LLVMValueRef row = LLVMBuildSub(l->b, l->id[NAME_NCTAID_X], l->id[NAME_CTAID_X], "");
    LLVMValueRef left = LLVMBuildSub(l->b, LLVMGetParam(l->entry, 3), block, "");
    LLVMValueRef n = build_intrinsic2(l->b, "llvm.umin", left, LLVMBuildZExt(l->b, row, l->i64, ""));
    return build_intrinsic2(l->b, "llvm.umin", n, max_joined(l));
}

/* Interchanged rows of the grid: those of the call, as far as whole rows of it are left. */
static void stack_rows(Loops *l, LLVMValueRef block, LLVMValueRef n) {
    l->row_groups = LLVMBuildUDiv(l->b, l->id[NAME_ROW_END], c32(l, (uint64_t)l->k->width), "");
    if (!l->variant.stacked) return;
    LLVMValueRef width = LLVMBuildZExt(l->b, l->id[NAME_NCTAID_X], l->i64, ""),
                 rows = LLVMBuildMul(l->b, l->id[NAME_NTID_Y], l->id[NAME_NTID_Z], "");
    LLVMValueRef whole = LLVMBuildICmp(l->b, LLVMIntEQ, n, width, ""),
                 left = LLVMBuildSub(l->b, LLVMGetParam(l->entry, 3), block, "");
    LLVMValueRef maximum =
        LLVMBuildUDiv(l->b, c32(l, interchanged_groups(l)), LLVMBuildMul(l->b, rows, l->row_groups, ""), "");
    LLVMValueRef in_grid = LLVMBuildSub(l->b, l->id[NAME_NCTAID_Y], l->id[NAME_CTAID_Y], "");
    LLVMValueRef in_call = LLVMBuildTrunc(
        l->b, build_intrinsic2(l->b, "llvm.umin", LLVMBuildUDiv(l->b, left, width, ""), c64(l, MAX_THREADS)), l->i32,
        "");
    l->stack = LLVMBuildSelect(
        l->b, whole,
        build_intrinsic2(l->b, "llvm.umin", build_intrinsic2(l->b, "llvm.umin", maximum, in_grid), in_call), c32(l, 1),
        "stack");
    l->rows = LLVMBuildMul(l->b, l->id[NAME_NTID_Y], l->stack, "rows");
}

LLVMValueRef measure_row(Loops *l, LLVMValueRef block) {
    l->id[NAME_ROW_END] = l->id[NAME_NTID_X];
    if (!joins(l)) return c64(l, 1);
    LLVMValueRef n = blocks_together(l, block);
    l->id[NAME_ROW_END] = LLVMBuildNUWMul(l->b, LLVMBuildTrunc(l->b, n, l->i32, ""), l->id[NAME_NTID_X], "row");
    if (l->interchanged) stack_rows(l, block, n);
    if (l->split) note_row(l);
    return n;
}
