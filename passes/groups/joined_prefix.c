/* joined_prefix: regions that the blocks of a row run as one, before those that they run one after another; part of
** loop_groups.
**
**   for (i = id; i < n; i += threads) sum += x[i];     the iterations: all blocks of the row together
**   s[threadIdx.x] = sum; __syncthreads(); ...         for each block of the row: the rest
**
** in:  a kernel with ATTR_JOINED_PREFIX and its barrier BARRIER_OF_BLOCKS (coalesce_blocks): what runs before it is the
**      code of a thread that knows its index in the grid alone
** Why: block after block, a grid-stride loop takes a kilobyte of each page; the row reads intervals of memory.
** How: what the first part leaves to the second is in slots of a part of the frame with room for all blocks of the row
** (row_slot); the number of blocks is limited by it, as for kernels whose blocks stay together (joined_blocks.c). The
** second part has slots of its own, as any kernel has: split_barriers gives a value that lives on a new name there.
** Refuses: layouts other than full rows, in which groups of a row are not those of its blocks; paths to the end, or
** back, around the barrier; values that are the same for a block but not for the row. */
#include "passes/groups/loop_groups.h"
#include "passes/ir/edit.h"

static bool is_split(const Region *r) {
    return name_of_call(r->barrier) == NAME_BARRIER && is_constant(LLVMGetOperand(r->barrier, 0), BARRIER_OF_BLOCKS);
}

/* Regions that can be reached without entering `end`; false: END is one of them. */
static bool reach_regions(const Loops *l, int from, int end, bool *reached) {
    int *stack = arena_array(l->a, int, l->n + 1), n = 0;
    bool whole = true;
    reached[from] = true;
    stack[n++] = from;
    while (n) {
        const Region *r = &l->r[stack[--n]];
        for (int k = 0; k < r->exits.n; k++) {
            int to = r->exits.v[k];
            if (to == END) whole = false;
            if (to == END || to == end || reached[to]) continue;
            reached[to] = true;
            stack[n++] = to;
        }
    }
    return whole;
}

static bool depends_on_index(LLVMValueRef v, PtrMap *seen) {
    if (!LLVMIsAInstruction(v) || map_get(seen, v, 0)) return false;
    map_put(seen, v, 1);
    if (name_of_call(v) == NAME_GLOBAL_X) return true;
    for (unsigned k = 0; k < value_operands(v); k++)
        if (depends_on_index(LLVMGetOperand(v, k), seen)) return true;
    return false;
}

/* What the row keeps once for all of its blocks is the same for all of them. */
static bool is_of_row(const Loops *l, const Region *r) {
    for_each_cfg_instruction(i, b, l->cfg) {
        if (!r->has[b] || !LLVMIsAStoreInst(i) || name_of_call(LLVMGetOperand(i, 1)) != NAME_BLOCK_NEXT) continue;
        PtrMap seen = map_new(l->a);
        if (depends_on_index(LLVMGetOperand(i, 0), &seen)) return false;
    }
    return true;
}

static bool splits_at(Loops *l, int split) {
    bool *before = arena_array(l->a, bool, l->n), *after = arena_array(l->a, bool, l->n);
    if (!reach_regions(l, 0, split, before)) return false;
    reach_regions(l, split, END, after);
    for (int i = 0; i < l->n; i++) {
        if (before[i] && (after[i] || !is_of_row(l, &l->r[i]))) return false;
        l->r[i].together = before[i];
        for (int k = 0; after[i] && k < l->r[i].exits.n; k++)
            if (l->r[i].exits.v[k] == split) return false;
    }
    return true;
}

void plan_joined_prefix(Loops *l) {
    unsigned len;
    if (!fn_attr(l->k->fn, ATTR_JOINED_PREFIX, &len) || l->interchanged || l->large_offset || !can_interchange(l) ||
        l->k->layout != LAYOUT_ROWS_FULL || l->k->m->opt->shuffle)
        return;
    for (int i = 1; i < l->n; i++)
        if (is_split(&l->r[i])) l->split = splits_at(l, i) ? i : 0;
}

void note_row(Loops *l) {
    l->all_groups = LLVMBuildUDiv(l->b, l->id[NAME_ROW_END], c32(l, (uint64_t)l->k->width), "groups");
    l->row_blocks = LLVMBuildUDiv(l->b, l->id[NAME_ROW_END], l->id[NAME_NTID_X], "blocks");
    l->row_first = l->id[NAME_CTAID_X];
    l->one_end = l->id[NAME_ROW_END];
    l->one_groups = l->row_groups;
}

void open_each_block(Loops *l) {
    l->each_first = new_block(l, "row.blocks");
    l->each = new_block(l, "one");
    LLVMPositionBuilderAtEnd(l->b, l->each_first);
    LLVMBuildStore(l->b, c32(l, 0), l->one);
    LLVMBuildBr(l->b, l->each);
    LLVMPositionBuilderAtEnd(l->b, l->each);
    l->one_index = LLVMBuildNUWAdd(l->b, l->row_first, load(l, l->i32, l->one, "one"), "ctaid.x");
}

LLVMBasicBlockRef first_of_row(Loops *l) { return l->each_first; }

void next_of_row(Loops *l) {
    LLVMValueRef next = LLVMBuildNUWAdd(l->b, load(l, l->i32, l->one, ""), c32(l, 1), "");
    LLVMBuildStore(l->b, next, l->one);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, next, l->row_blocks, ""), l->each, l->block_next);
}

void select_blocks(Loops *l, bool together) {
    l->together = together;
    l->id[NAME_CTAID_X] = together ? l->row_first : l->one_index;
    l->id[NAME_ROW_END] = together ? l->one_end : l->id[NAME_NTID_X];
    l->row_groups = together ? l->all_groups : l->one_groups;
}

/* At the start of the second part values come from the slots of the row, and go to those of the block. */
LLVMValueRef row_slot(Loops *l, LLVMValueRef call) {
    bool taken =
        LLVMGetInstructionParent(call) == l->cfg->b[l->r[l->split].start].bb && LLVMIsALoadInst(first_use(call));
    if (!l->together && !taken) return NULL;
    LLVMValueRef before = l->together ? c32(l, 0) : LLVMBuildMul(l->b, load(l, l->i32, l->one, ""), l->one_groups, "");
    LLVMValueRef at = LLVMBuildMul(l->b, group_of_row(l, before), c64(l, group_bytes(l)), "");
    at = LLVMBuildAdd(l->b, at, c64(l, LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0))), "");
    return LLVMBuildInBoundsGEP2(l->b, l->i8, l->row_frame, &at, 1, "slot");
}
