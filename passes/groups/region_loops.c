/* region_loops: the loops over the groups of a block that run a region; part of loop_groups.
**
** Layouts with rows have a loop each over z, y and x, so that what depends on y and z is hoisted out of the innermost
** one; the general layout and --shuffle have one loop over all groups. Where groups run in lockstep the loop steps over
** several of them; the remainder runs one by one. */
#include "passes/groups/loop_groups.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

void close_loop(Loops *l, LLVMValueRef var, LLVMValueRef step, LLVMValueRef end, LLVMBasicBlockRef head,
                LLVMBasicBlockRef out) {
    LLVMTypeRef t = LLVMTypeOf(step);
    LLVMValueRef v = LLVMBuildNUWAdd(l->b, load(l, t, var, ""), step, "");
    LLVMBuildStore(l->b, v, var);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, v, end, ""), head, out);
    LLVMPositionBuilderAtEnd(l->b, out);
}

/* Sets metadata of the loop whose latch is given; an option has a value or NULL. */
static void loop_option(Loops *l, LLVMBasicBlockRef latch, const char *option, LLVMValueRef value) {
    LLVMContextRef c = l->k->m->ctx;
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0);
    LLVMMetadataRef is[2] = {LLVMMDStringInContext2(c, option, strlen(option)),
                             value ? LLVMValueAsMetadata(value) : NULL};
    LLVMMetadataRef parts[2] = {self, LLVMMDNodeInContext2(c, is, value ? 2 : 1)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(c, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(LLVMGetBasicBlockTerminator(latch), LLVMGetMDKindIDInContext(c, "llvm.loop", 9),
                    LLVMMetadataAsValue(c, loop));
}

/* The loops over y and z mostly have one iteration, and contain a loop already. */
static void keep_rolled(Loops *l, LLVMBasicBlockRef latch) { loop_option(l, latch, "llvm.loop.unroll.disable", NULL); }

/* What mark_parallel has found holds between the iterations of the innermost group loop (width 1). */
static void note_parallel(Loops *l, LLVMBasicBlockRef latch) {
    if (l->parallel) loop_option(l, latch, "llvm.loop.parallel_accesses", l->parallel);
    l->parallel = NULL;
}

static LLVMBasicBlockRef open_loop(Loops *l, LLVMValueRef var, LLVMValueRef from, const char *name) {
    LLVMBuildStore(l->b, from, var);
    LLVMBasicBlockRef head = new_block(l, name);
    LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    return head;
}

/* The body of the innermost group loop; the builder ends in its latch. */
static void emit_body(Loops *l, Region *r, LLVMValueRef total) {
    LLVMBasicBlockRef latch = new_block(l, "group.next");
    skip_other_groups(l, r, latch);
    focus_group(l);
    LLVMBasicBlockRef body = LLVMGetInsertBlock(l->b);
    LLVMBasicBlockRef code = copy_code(l, r, latch, total);
    LLVMPositionBuilderAtEnd(l->b, body);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMBuildBr(l->b, code);
    LLVMPositionBuilderAtEnd(l->b, latch);
}

/* Part of a dimension of the block, for the loop over it. */
typedef struct Range {
    LLVMValueRef from, to;
    uint64_t step;
} Range;

/* The body of a loop over the first of the jammed groups: all of them if they exist and take the branches in `queries`
** alike, else one by one. d: the dimension in which they are neighbours; the builder ends in the latch. */
static void emit_either(Loops *l, Region *r, LLVMValueRef total, Range d) {
    LLVMValueRef var = r->jam_along_y ? l->y : l->x;
    uint64_t step = d.step / (uint64_t)r->jam_factor;
    LLVMBasicBlockRef together = new_block(l, "together"), apart = new_block(l, "apart"), next = new_block(l, "next");
    LLVMValueRef first = load(l, l->i32, var, "first"), limit = LLVMBuildNUWAdd(l->b, first, c32(l, d.step), "limit");
    LLVMValueRef exist = LLVMBuildICmp(l->b, LLVMIntULE, limit, d.to, "exist");
    LLVMValueRef last = LLVMBuildSelect(l->b, exist, limit, d.to, "last");
    LLVMBuildCondBr(l->b, exist, together, apart);
    l->apart = apart;
    l->copies = r->jam_factor;
    l->full_groups = l->k->layout == LAYOUT_ROWS && !r->jam_along_y;
    LLVMBasicBlockRef code = copy_code(l, r, next, total);
    LLVMPositionBuilderAtEnd(l->b, together);
    LLVMBuildBr(l->b, code);
    l->copies = 1;
    l->full_groups = false;
    LLVMPositionBuilderAtEnd(l->b, apart);
    LLVMBasicBlockRef head = open_loop(l, var, first, "one"), out = new_block(l, "ones.end");
    emit_body(l, r, total);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    close_loop(l, var, c32(l, step), last, head, out);
    keep_rolled(l, latch);
    LLVMBuildStore(l->b, first, var);
    LLVMBuildBr(l->b, next);
    LLVMPositionBuilderAtEnd(l->b, next);
    l->apart = NULL;
}

static void emit_groups(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    if (r->jam_factor > 1 && r->queries) emit_either(l, r, total, r->jam_along_y ? y : x);
    else emit_body(l, r, total);
}

/* The rows of a strip, which write whole lines of the cache together, before the next groups of a row. */
static void emit_strip(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    LLVMValueRef first = load(l, l->i32, l->y, "first"),
                 limit = LLVMBuildNUWAdd(l->b, first, c32(l, (unsigned)r->strip), ""),
                 last = LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntULT, limit, y.to, ""), limit, y.to, "last");
    LLVMBasicBlockRef head = open_loop(l, l->y, first, "strip"), out = new_block(l, "strip.end");
    emit_groups(l, r, total, x, y);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    close_loop(l, l->y, c32(l, y.step), last, head, out);
    keep_rolled(l, latch);
    LLVMBuildStore(l->b, first, l->y);
}

/* Loops over z, y and x. */
static void emit_rows(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    LLVMBasicBlockRef hz = open_loop(l, l->z, c32(l, 0), "z");
    LLVMBasicBlockRef hy = open_loop(l, l->y, y.from, "y");
    LLVMBasicBlockRef hx = open_loop(l, l->x, x.from, "x");
    l->row_end = new_block(l, "row.end");
    bool strip = (uint64_t)r->strip > y.step && (r->queries || l->copies > 1);
    if (strip) emit_strip(l, r, total, x, y);
    else emit_groups(l, r, total, x, y);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    close_loop(l, l->x, c32(l, x.step), x.to, hx, l->row_end);
    note_parallel(l, latch);
    if (r->keep_inside) loop_option(l, latch, "llvm.licm.disable", NULL);
    LLVMBasicBlockRef end_y = new_block(l, "plane.end"), end_z = new_block(l, "loop.out");
    close_loop(l, l->y, c32(l, strip ? (uint64_t)r->strip : y.step), y.to, hy, end_y);
    keep_rolled(l, l->row_end);
    close_loop(l, l->z, c32(l, 1), l->id[NAME_NTID_Z], hz, end_z);
    keep_rolled(l, end_y);
}

/* The same, if the ranges are not empty. */
static void emit_rest(Loops *l, Region *r, LLVMValueRef total, Range x, Range y, bool jam_along_y) {
    LLVMBasicBlockRef some = new_block(l, "some"), none = new_block(l, "none");
    Range d = jam_along_y ? y : x;
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULT, d.from, d.to, ""), some, none);
    LLVMPositionBuilderAtEnd(l->b, some);
    emit_rows(l, r, total, x, y);
    LLVMBuildBr(l->b, none);
    LLVMPositionBuilderAtEnd(l->b, none);
}

/* First as many jammed groups as possible, then by half as many the remainder, at last one by one; or, where groups
** test their branches, both in one loop. */
static void emit_jammed(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    Range *d = r->jam_along_y ? &y : &x;
    l->jam_along_y = r->jam_along_y;
    if (r->queries) {
        d->step *= (uint64_t)r->jam_factor;
        emit_rows(l, r, total, x, y);
        return;
    }
    LLVMValueRef from = c32(l, 0), end = d->to;
    uint64_t step = d->step;
    l->full_groups = l->k->layout == LAYOUT_ROWS && !r->jam_along_y;
    for (int n = r->jam_factor; n >= r->least_factor; n /= 2) {
        LLVMValueRef middle = LLVMBuildAnd(l->b, end, c32(l, ~(step * (uint64_t)n - 1)), "jammed");
        *d = (Range){from, middle, step * (uint64_t)n};
        l->copies = n;
        emit_rest(l, r, total, x, y, r->jam_along_y);
        from = middle;
    }
    l->copies = 1;
    l->full_groups = false;
    *d = (Range){from, end, step};
    emit_rest(l, r, total, x, y, r->jam_along_y);
}

/* --shuffle: one loop over all groups, in the order that the runtime gives for this phase; a null pointer represents
** the natural one. */
static void emit_shuffled(Loops *l, Region *r, LLVMValueRef total) {
    LLVMTypeRef t = LLVMFunctionType(l->ptr, &l->i32, 1, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, "cucpu_group_order");
    if (!f) f = LLVMAddFunction(l->mod, "cucpu_group_order", t);
    LLVMValueRef n = LLVMBuildTrunc(l->b, l->groups, l->i32, ""), order = LLVMBuildCall2(l->b, t, f, &n, 1, "order");
    LLVMBasicBlockRef head = open_loop(l, l->position, c64(l, 0), "position");
    LLVMBasicBlockRef other = new_block(l, "shuffled"), go = new_block(l, "group");
    LLVMValueRef position = load(l, l->i64, l->position, "position");
    LLVMBuildStore(l->b, position, l->g);
    LLVMBuildCondBr(l->b, LLVMBuildIsNull(l->b, order, ""), go, other);
    LLVMPositionBuilderAtEnd(l->b, other);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(l->b, l->i32, order, &position, 1, "");
    LLVMBuildStore(l->b, LLVMBuildZExt(l->b, load(l, l->i32, at, ""), l->i64, ""), l->g);
    LLVMBuildBr(l->b, go);
    LLVMPositionBuilderAtEnd(l->b, go);
    locate_group(l);
    emit_body(l, r, total);
    close_loop(l, l->position, c64(l, 1), l->groups, head, new_block(l, "loop.out"));
}

void emit_region(Loops *l, Region *r) {
    LLVMPositionBuilderAtEnd(l->b, r->head);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMValueRef total = NULL;
    if (r->acc) {
        total = load(l, l->i32, r->acc, "total");
        LLVMBuildStore(l->b, c32(l, name_of_call(r->barrier) == NAME_BAR_AND), r->acc);
    }
    l->copies = 1;
    l->copy = 0;
    start_deferred(l, r);
    if (l->k->m->opt->shuffle) {
        emit_shuffled(l, r, total);
    } else if (l->k->layout == LAYOUT_GENERAL) {
        LLVMBasicBlockRef head = open_loop(l, l->g, c64(l, 0), "group");
        emit_body(l, r, total);
        close_loop(l, l->g, c64(l, 1), l->groups, head, new_block(l, "loop.out"));
    } else {
        Range x = {c32(l, 0), l->id[NAME_ROW_END], (uint64_t)l->k->width}, y = {c32(l, 0), l->rows, 1};
        if (r->jam_factor > 1) emit_jammed(l, r, total, x, y);
        else emit_rows(l, r, total, x, y);
    }
    finish_deferred(l, r);
    r->done = LLVMGetInsertBlock(l->b);
}
