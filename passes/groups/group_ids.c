/* group_ids: the index in the block that the code of a group reads (part of loop_groups).
**
** A group is numbered in the order of its threads, and so are its frame slots:
**   rows (ROWS_FULL, ROWS)   (x, y, z) of its first lane in l->x, l->y, l->z; its number is that of its row times the
**                            groups per row, plus x / W
**   general                  its number in l->g; ids come from the table of the launch, or, where blockDim is
**                            known and W is 1, from the linear id
** in:  the builder where a value is needed; l->copy, the one of the groups in lockstep whose code is being built: its
**      neighbours are at x + copy * W, or at y + copy
** out: values of the entry; those of launch and block level (blockDim, gridDim, blockIdx, shared memory) are in l->id.
** Not here: the loops over x, y, z and g (region_loops.c). */
#include "passes/ir/edit.h"
#include "passes/groups/loop_groups.h"

enum { FRAME_ALIGN = 64 };

/* Groups per block, by layout. */
LLVMValueRef count_groups(Loops *l) {
    LLVMValueRef w = c32(l, (uint64_t)l->k->width), less = c32(l, (uint64_t)l->k->width - 1);
    if (l->k->layout == LAYOUT_GENERAL)
        return LLVMBuildUDiv(l->b, LLVMBuildAdd(l->b, l->threads, less, ""), w, "groups");
    l->row_groups = LLVMBuildUDiv(l->b, LLVMBuildAdd(l->b, l->id[NAME_NTID_X], less, ""), w, "");
    LLVMValueRef rows = LLVMBuildMul(l->b, l->id[NAME_NTID_Y], l->id[NAME_NTID_Z], "");
    return LLVMBuildMul(l->b, l->row_groups, rows, "groups");
}

static LLVMValueRef iota(unsigned w, LLVMTypeRef e) {
    LLVMValueRef v[64];
    for (unsigned i = 0; i < w; i++) v[i] = LLVMConstInt(e, i, 0);
    return LLVMConstVector(v, w);
}

static LLVMValueRef splat_over(const Loops *l, LLVMValueRef v, unsigned w) {
    LLVMTypeRef vt = LLVMVectorType(LLVMTypeOf(v), w);
    LLVMValueRef one = LLVMBuildInsertElement(l->b, LLVMGetPoison(vt), v, c64(l, 0), "");
    return LLVMBuildShuffleVector(l->b, one, LLVMGetPoison(vt), LLVMConstNull(LLVMVectorType(l->i32, w)), "");
}

/* tid.x of the first lane, and tid.y, of the group whose copy is being built. */
static LLVMValueRef first_x(Loops *l) {
    LLVMValueRef x = load(l, l->i32, l->x, "tid");
    if (!l->copy || l->jam_along_y) return x;
    return LLVMBuildNUWAdd(l->b, x, c32(l, (uint64_t)(l->copy * l->k->width)), "tid");
}

static LLVMValueRef row_y(Loops *l) {
    LLVMValueRef y = load(l, l->i32, l->y, "tid");
    return l->copy && l->jam_along_y ? LLVMBuildNUWAdd(l->b, y, c32(l, (uint64_t)l->copy), "tid") : y;
}

static LLVMValueRef row_number(Loops *l) {
    LLVMValueRef t = LLVMBuildMul(l->b, load(l, l->i32, l->z, ""), l->rows, "");
    return LLVMBuildAdd(l->b, t, row_y(l), "row");
}

static LLVMValueRef linear_base(Loops *l) {
    if (l->k->layout == LAYOUT_GENERAL) {
        LLVMValueRef g = LLVMBuildTrunc(l->b, load(l, l->i64, l->g, ""), l->i32, "");
        return LLVMBuildMul(l->b, g, c32(l, (uint64_t)l->k->width), "linear");
    }
    return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, row_number(l), l->id[NAME_NTID_X], ""), first_x(l), "linear");
}

static LLVMValueRef group_number(Loops *l) {
    if (l->k->layout == LAYOUT_GENERAL) return load(l, l->i64, l->g, "");
    if (l->same_block && l->number[l->copy]) return l->number[l->copy];
    LLVMValueRef g = LLVMBuildMul(l->b, row_number(l), l->row_groups, "");
    LLVMValueRef in_row = LLVMBuildUDiv(l->b, first_x(l), c32(l, (uint64_t)l->k->width), "");
    return l->number[l->copy] = LLVMBuildZExt(l->b, LLVMBuildAdd(l->b, g, in_row, ""), l->i64, "g");
}

LLVMValueRef group_of_row(Loops *l, LLVMValueRef first) {
    LLVMValueRef g = LLVMBuildAdd(l->b, LLVMBuildMul(l->b, row_number(l), l->all_groups, ""), first, ""),
                 in_row = LLVMBuildUDiv(l->b, first_x(l), c32(l, (uint64_t)l->k->width), "");
    return LLVMBuildZExt(l->b, LLVMBuildAdd(l->b, g, in_row, ""), l->i64, "g");
}

/* tid.x, .y, .z of the group's first thread in a block of known size. */
static LLVMValueRef known_id(Loops *l, Name n) {
    LLVMValueRef v = linear_base(l), x = c32(l, l->k->block[0]), y = c32(l, l->k->block[1]);
    if (n == NAME_TID_X) return LLVMBuildURem(l->b, v, x, "tid");
    v = LLVMBuildUDiv(l->b, v, x, "");
    return n == NAME_TID_Y ? LLVMBuildURem(l->b, v, y, "tid") : LLVMBuildUDiv(l->b, v, y, "tid");
}

/* tid.x, .y, .z from the packed table of the launch. */
static LLVMValueRef table_id(Loops *l, Name n, unsigned w) {
    if (w == 1 && l->k->block[0] && l->k->block[1]) return known_id(l, n);
    LLVMValueRef at = LLVMBuildZExt(l->b, linear_base(l), l->i64, "");
    LLVMValueRef p = LLVMBuildInBoundsGEP2(l->b, l->i32, l->tids, &at, 1, "");
    LLVMTypeRef t = w > 1 ? LLVMVectorType(l->i32, w) : l->i32;
    LLVMValueRef v = load(l, t, p, "tids");
    LLVMSetAlignment(v, 4);
    unsigned shift = n == NAME_TID_X ? 0 : n == NAME_TID_Y ? 10 : 20;
    LLVMValueRef s = c32(l, shift), m = c32(l, 1023);
    if (w > 1) {
        s = splat_over(l, s, w);
        m = splat_over(l, m, w);
    }
    if (shift) v = LLVMBuildLShr(l->b, v, s, "");
    return shift == 20 ? v : LLVMBuildAnd(l->b, v, m, "tid");
}

static LLVMValueRef active_lanes(Loops *l, unsigned w) {
    const unsigned *b = l->k->block;
    unsigned lanes = (unsigned)l->k->width, threads = b[0] * b[1] * b[2];
    bool full = l->k->layout == LAYOUT_ROWS ? b[0] && b[0] % lanes == 0 : threads && threads % lanes == 0;
    if (l->k->layout == LAYOUT_ROWS_FULL || full || w == 1 || l->full_groups)
        return w == 1 ? LLVMConstInt(l->i1, 1, 0) : LLVMConstAllOnes(LLVMVectorType(l->i1, w));
    LLVMValueRef base = l->k->layout == LAYOUT_ROWS ? first_x(l) : linear_base(l);
    LLVMValueRef end = l->k->layout == LAYOUT_ROWS ? l->id[NAME_ROW_END] : l->threads;
    LLVMValueRef left = LLVMBuildSub(l->b, end, base, "");
    return LLVMBuildICmp(l->b, LLVMIntULT, iota(w, l->i32), splat_over(l, left, w), "active");
}

uint64_t group_bytes(const Loops *l) { return (l->frame_bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN; }

/* The slots of neighbouring groups are adjacent, or all slots of an interchanged group: slots a power of two apart
** would share cache sets. */
LLVMValueRef frame_slot(Loops *l, uint64_t offset, uint64_t size) {
    if (l->interchanged) {
        LLVMValueRef in_all =
            LLVMBuildAdd(l->b, LLVMBuildMul(l->b, group_number(l), c64(l, group_bytes(l)), ""), c64(l, offset), "");
        return LLVMBuildInBoundsGEP2(l->b, l->i8, l->frame, &in_all, 1, "slot");
    }
    LLVMValueRef at = LLVMBuildMul(l->b, l->groups, c64(l, offset), "");
    at = LLVMBuildAdd(l->b, at, LLVMBuildMul(l->b, group_number(l), c64(l, size), ""), "");
    return LLVMBuildInBoundsGEP2(l->b, l->i8, l->frame, &at, 1, "slot");
}

/* start + x, which SHAPES_MAX_ROW keeps from wrapping. */
static LLVMValueRef index_in_row(Loops *l, LLVMValueRef start, LLVMValueRef x) {
    LLVMValueRef v = LLVMBuildNUWAdd(l->b, start, x, "global");
    if (!LLVMIsAInstruction(v)) return v;
    LLVMSetNSW(v, 1);
    vec_push(l->a, &l->global_ids, v);
    return v;
}

/* LLVM would drop the flags of these sums before it used them. */
void extend_global_ids(Loops *l) {
    for (int k = 0; k < l->global_ids.n; k++) {
        LLVMValueRef v = l->global_ids.v[k], sum = NULL;
        for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
            LLVMValueRef i = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if ((!LLVMIsASExtInst(i) && !LLVMIsAZExtInst(i)) || LLVMTypeOf(i) != l->i64) continue;
            if (!sum) {
                LLVMPositionBuilderBefore(l->b, v);
                sum = LLVMBuildNUWAdd(l->b, LLVMBuildZExt(l->b, LLVMGetOperand(v, 0), l->i64, ""),
                                      LLVMBuildZExt(l->b, LLVMGetOperand(v, 1), l->i64, ""), "");
            }
            LLVMReplaceAllUsesWith(i, sum);
        }
    }
}

LLVMValueRef id_value(Loops *l, LLVMValueRef call, Name n) {
    unsigned w = lanes_of(LLVMTypeOf(call));
    bool rows = l->k->layout != LAYOUT_GENERAL;
    LLVMValueRef v;
    switch (n) {
    case NAME_TID_X:
    case NAME_TID_Y:
    case NAME_TID_Z:
        if (!rows) return table_id(l, n, w);
        v = n == NAME_TID_X ? first_x(l) : n == NAME_TID_Y ? row_y(l) : load(l, l->i32, l->z, "tid");
        if (w == 1) return v;
        v = splat_over(l, v, w);
        return n == NAME_TID_X ? LLVMBuildAdd(l->b, v, iota(w, l->i32), "") : v;
    case NAME_LINEAR:
    case NAME_LANE:
        if (n == NAME_LANE && l->k->width == l->k->m->opt->warp_size) /* each group is a warp */
            return w == 1 ? c32(l, 0) : iota(w, l->i32);
        v = linear_base(l);
        if (w > 1) v = LLVMBuildAdd(l->b, splat_over(l, v, w), iota(w, l->i32), "");
        if (n == NAME_LINEAR) return v;
        {
            LLVMValueRef m = c32(l, (uint64_t)l->k->m->opt->warp_size - 1);
            return LLVMBuildAnd(l->b, v, w > 1 ? splat_over(l, m, w) : m, "lane");
        }
    case NAME_GLOBAL_X: {
        LLVMValueRef stride = LLVMGetOperand(call, 0);
        LLVMValueRef start = LLVMBuildMul(l->b, l->id[NAME_CTAID_X], mapped(l, stride), "");
        v = rows ? first_x(l) : table_id(l, NAME_TID_X, w);
        if (w == 1 || rows) {
            bool wraps = !rows || l->k->width == 1 || LLVMIsAConstantInt(stride);
            v = wraps ? LLVMBuildAdd(l->b, start, v, "global") : index_in_row(l, start, v);
            return w == 1 ? v : LLVMBuildAdd(l->b, splat_over(l, v, w), iota(w, l->i32), "");
        }
        return LLVMBuildAdd(l->b, splat_over(l, start, w), v, "");
    }
    case NAME_ACTIVE: return active_lanes(l, w);
    case NAME_FRAME_SLOT:
        v = l->split ? row_slot(l, call) : NULL;
        if (v) return v;
        return frame_slot(l, LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)),
                          LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)));
    case NAME_BLOCK_CUR: return l->slots.v[LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0))].cur;
    case NAME_BLOCK_NEXT: return l->slots.v[LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0))].next;
    default: return l->id[n];
    }
}

/* The next group: the loop variables from its number. */
void locate_group(Loops *l) {
    if (l->k->layout == LAYOUT_GENERAL) return;
    LLVMValueRef g = LLVMBuildTrunc(l->b, load(l, l->i64, l->g, ""), l->i32, "");
    LLVMValueRef row = LLVMBuildUDiv(l->b, g, l->row_groups, ""), z = LLVMBuildUDiv(l->b, row, l->id[NAME_NTID_Y], "");
    LLVMValueRef x = LLVMBuildSub(l->b, g, LLVMBuildMul(l->b, row, l->row_groups, ""), "");
    LLVMBuildStore(l->b, LLVMBuildMul(l->b, x, c32(l, (uint64_t)l->k->width), ""), l->x);
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, row, LLVMBuildMul(l->b, z, l->id[NAME_NTID_Y], ""), ""), l->y);
    LLVMBuildStore(l->b, z, l->z);
}
