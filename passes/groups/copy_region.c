/* copy_region: the code of a region, copied into the body of its group loop; part of loop_groups.
**
** Each instruction is copied for every group that runs in lockstep (l->copies of them) before the next one is, so that
** their loads and arithmetic overlap. Ids become values of the loops (group_ids.c), edges to other regions lead to the
** end of the body, where the group notes at which barrier it stopped. */
#include "passes/analysis/accesses.h"
#include "passes/groups/loop_groups.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMValueRef mapped(const Loops *l, LLVMValueRef v) {
    if (LLVMIsAArgument(v)) {
        for (unsigned i = 0; i < LLVMCountParams(l->k->fn); i++)
            if (LLVMGetParam(l->k->fn, i) == v) return l->args[i];
    }
    if (LLVMValueIsBasicBlock(v)) return v;
    LLVMValueRef m = map_ptr(l->map, v);
    return m ? m : v;
}

static void note_written(Loops *l, Region *r, LLVMValueRef call) {
    int id = (int)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
    for (int i = 0; i < r->written.n; i++)
        if (r->written.v[i] == id) return;
    vec_push(l->a, &r->written, id);
}

static void select_copy(Loops *l, int c) {
    l->copy = c;
    l->map = &l->maps[c];
}

/* The result of a reducing barrier, read by the region after it. */
static LLVMValueRef reduced(Loops *l, Region *r, LLVMValueRef total) {
    LLVMTypeRef t = LLVMTypeOf(r->barrier);
    if (t == l->i32) return total;
    LLVMValueRef is = LLVMBuildICmp(l->b, LLVMIntNE, total, c32(l, 0), "");
    return is;
}

static void copy_instruction(Loops *l, Region *r, LLVMValueRef i, LLVMValueRef total) {
    Name n = name_of_call(i);
    if (i == r->barrier) {
        if (!is_void(i)) map_put(l->map, i, (uintptr_t)(n == NAME_MEET ? met(l, r) : reduced(l, r, total)));
        return;
    }
    if (map_get(l->map, i, 0) && LLVMIsAAllocaInst(i)) return;
    LLVMValueRef v = n != NAME_NONE ? id_value(l, i, n) : NULL;
    if (n == NAME_BLOCK_NEXT) note_written(l, r, i);
    if (!v && LLVMIsAPHINode(i)) { v = LLVMBuildPhi(l->b, LLVMTypeOf(i), value_name(i)); }
    LLVMValueRef group = LLVMGetMetadata(i, access_group_kind(l->k->m));
    if (group) l->parallel = group;
    if (!v) v = clone_at(l->b, i);
    map_put(l->map, i, (uintptr_t)v);
    if (LLVMIsAAtomicRMWInst(i)) note_deferred(l, r, i, v);
}

/* Values of access groups in the block that is copied, by group and row. */
enum { ROWS_OF_GROUP = 2 * MAX_JAM_FACTOR };
typedef struct SharedRow {
    LLVMValueRef of[ROWS_OF_GROUP];
} SharedRow;

static const AccessMember *shared_load(const Loops *l, const Region *r, LLVMValueRef i) {
    return l->copies > 1 && l->jam_along_y && r->groups ? access_member(r->groups, i) : NULL;
}

/* A row's load of an element that another one has loaded is that value. */
static void copy_shared_load(Loops *l, Region *r, const AccessMember *m, SharedRow *rows) {
    for (int c = 0; c < l->copies; c++) {
        LLVMValueRef *v = &rows[m->group].of[m->row + c];
        select_copy(l, c);
        if (*v) map_put(l->map, m->load, (uintptr_t)*v);
        if (*v) continue;
        copy_instruction(l, r, m->load, NULL);
        *v = mapped(l, m->load);
        for (int k = 0; k < LLVMGetNumOperands(m->load); k++)
            LLVMSetOperand(*v, (unsigned)k, mapped(l, LLVMGetOperand(m->load, (unsigned)k)));
    }
}

/* Its copies are complete: they have their operands. */
static bool is_complete(const Loops *l, const Region *r, LLVMValueRef i) {
    return l->copies > 1 && (is_tile_access(r, i) || shared_load(l, r, i));
}

/* The last instruction of the unit that begins with i: i itself, or the store of a read-modify-write that begins with
** the load i. */
static LLVMValueRef end_of_unit(LLVMValueRef i) {
    LLVMValueRef last = i;
    if (!LLVMIsALoadInst(i) || !is_undivided(i)) return i;
    while (!LLVMIsAStoreInst(last) || !is_undivided(last)) last = LLVMGetNextInstruction(last);
    return last;
}

/* Jammed groups run in lockstep: each instruction for all of them, then the next. */
static void copy_block(Loops *l, Region *r, int number, LLVMBasicBlockRef to, LLVMValueRef total) {
    LLVMPositionBuilderAtEnd(l->b, to);
    l->same_block = true;
    SharedRow *rows = r->groups ? arena_array(l->a, SharedRow, r->groups->rows.n + 1) : NULL;
    memset(l->number, 0, sizeof l->number);
    for_each_in_block(i, l->cfg->b[number].bb) {
        if (LLVMIsATerminatorInst(i)) break;
        LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(i));
        LLVMValueRef last = end_of_unit(i);
        const AccessMember *member = shared_load(l, r, i);
        if (member) copy_shared_load(l, r, member, rows);
        if (l->copies > 1 && is_tile_access(r, i)) access_tile(l, i);
        if (is_complete(l, r, i)) continue;
        for (int c = 0; c < l->copies; c++) {
            select_copy(l, c);
            for (LLVMValueRef u = i;; u = LLVMGetNextInstruction(u)) {
                copy_instruction(l, r, u, total);
                if (u == last) break;
            }
        }
        i = last;
    }
    l->same_block = false;
    select_copy(l, 0);
}

/* Operands of the copies: every definition of the region is known now. */
static void connect_block(Loops *l, const Region *r, int number, const LLVMBasicBlockRef *end) {
    for_each_in_block(i, l->cfg->b[number].bb) {
        if (LLVMIsATerminatorInst(i)) break;
        LLVMValueRef c = map_ptr(l->map, i);
        if (!c || LLVMIsAAllocaInst(i) || i == r->barrier || is_complete(l, r, i)) continue;
        if (LLVMIsAPHINode(i)) {
            for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
                int p = cfg_number(l->cfg, LLVMGetIncomingBlock(i, k));
                if (p < 0 || !r->has[p]) continue;
                LLVMValueRef v = mapped(l, LLVMGetIncomingValue(i, k));
                LLVMBasicBlockRef from = end[p];
                LLVMAddIncoming(c, &v, &from, 1);
            }
            continue;
        }
        Name n = name_of_call(i);
        if (n != NAME_NONE && LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)) == l->k->fn &&
            (!LLVMIsACallInst(c) || name_of_call(c) != n))
            continue; /* an id: its value was built separately */
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            LLVMSetOperand(c, (unsigned)k, mapped(l, LLVMGetOperand(i, (unsigned)k)));
    }
}

/* Adds the running group's operand of a reducing barrier to the accumulator. */
static void accumulate(Loops *l, const Region *to) {
    LLVMValueRef bar = to->barrier, p = mapped(l, LLVMGetOperand(bar, 1));
    LLVMValueRef old = load(l, l->i32, to->acc, ""), v;
    unsigned w = lanes_of(LLVMTypeOf(p));
    Name n = name_of_call(bar);
    if (w > 1) p = LLVMBuildBitCast(l->b, p, LLVMIntTypeInContext(l->k->m->ctx, w), "");
    if (n == NAME_BAR_POPC) {
        if (w > 1) {
            LLVMTypeRef t = LLVMTypeOf(p);
            unsigned id = LLVMLookupIntrinsicID("llvm.ctpop", 10);
            LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->mod, id, &t, 1);
            p = LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->k->m->ctx, id, &t, 1), f, &p, 1, "");
        }
        v = LLVMBuildAdd(l->b, old, LLVMBuildIntCast2(l->b, p, l->i32, 0, ""), "");
    } else {
        LLVMValueRef yes = n == NAME_BAR_OR ? LLVMBuildICmp(l->b, LLVMIntNE, p, LLVMConstNull(LLVMTypeOf(p)), "")
                                            : LLVMBuildICmp(l->b, LLVMIntEQ, p, LLVMConstAllOnes(LLVMTypeOf(p)), "");
        yes = LLVMBuildZExt(l->b, yes, l->i32, "");
        v = n == NAME_BAR_OR ? LLVMBuildOr(l->b, old, yes, "") : LLVMBuildAnd(l->b, old, yes, "");
    }
    LLVMBuildStore(l->b, v, to->acc);
}

/* Stops the group at `to`: its state is noted, control goes to the end of the group loop's body. */
static LLVMBasicBlockRef exit_block(Loops *l, Region *r, int to, LLVMBasicBlockRef latch) {
    LLVMBasicBlockRef bb = new_block(l, to == END ? "group.end" : "group.stop");
    LLVMPositionBuilderAtEnd(l->b, bb);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    for (int c = 0; c < l->copies; c++) {
        select_copy(l, c);
        if (to != END && l->r[to].acc) accumulate(l, &l->r[to]);
        if (c == 0 || l->dynamic) note_stop(l, r, to);
    }
    select_copy(l, 0);
    LLVMBuildBr(l->b, latch);
    return bb;
}

/* The path from `b` to the end of the region, which has no effect on later groups of the row (unroll_and_jam.c): a copy
** of it that ends the loop over the row. */
static LLVMBasicBlockRef leave_row(Loops *l, Region *r, int b) {
    PtrMap own = {0}, *map = l->map;
    map_init(&own, l->a);
    for (size_t i = 0; i < map->cap; i++)
        if (map->keys[i]) map_put(&own, map->keys[i], map->values[i]);
    l->map = &own;
    LLVMBasicBlockRef bb = new_block(l, "row.leave");
    int from = r->start;
    for (; l->region_of[b] < 0; from = b, b = l->cfg->b[b].succ[0]) {
        for_each_in_block(i, l->cfg->b[b].bb) {
            LLVMPositionBuilderAtEnd(l->b, bb);
            if (LLVMIsATerminatorInst(i)) break;
            Name n = name_of_call(i);
            LLVMValueRef v = n != NAME_NONE ? id_value(l, i, n) : NULL;
            for (unsigned k = 0; !v && LLVMIsAPHINode(i) && k < LLVMCountIncoming(i); k++)
                if (cfg_number(l->cfg, LLVMGetIncomingBlock(i, k)) == from) v = mapped(l, LLVMGetIncomingValue(i, k));
            if (!v) {
                v = clone_at(l->b, i);
                for (int k = 0; k < LLVMGetNumOperands(v); k++)
                    LLVMSetOperand(v, (unsigned)k, mapped(l, LLVMGetOperand(i, (unsigned)k)));
            }
            map_put(&own, i, (uintptr_t)v);
        }
        if (!l->cfg->b[b].nsucc) break;
    }
    LLVMBasicBlockRef end = exit_block(l, r, l->region_of[b] >= 0 ? l->region_of[b] : END, l->row_end);
    LLVMPositionBuilderAtEnd(l->b, bb);
    LLVMBuildBr(l->b, end);
    l->map = map;
    return bb;
}

static bool needs_query(const Loops *l, const Region *r, int block) {
    return l->copies > 1 && r->queries && r->queries[block] != QUERY_NONE;
}

/* Goes to `alike` if all groups in lockstep take the branch of block `number` as the first one does, or as the query
** requires. */
static void branch_if_alike(Loops *l, int number, Query query, LLVMBasicBlockRef alike) {
    LLVMValueRef c = LLVMGetOperand(LLVMGetBasicBlockTerminator(l->cfg->b[number].bb), 0), all = NULL,
                 expected = query == QUERY_ALIKE ? mapped(l, c) : c1(l, query == QUERY_FIRST);
    for (int k = query == QUERY_ALIKE; k < l->copies; k++) {
        select_copy(l, k);
        LLVMValueRef same = LLVMBuildICmp(l->b, LLVMIntEQ, mapped(l, c), expected, "");
        all = all ? LLVMBuildAnd(l->b, all, same, "") : same;
    }
    select_copy(l, 0);
    LLVMBuildCondBr(l->b, all, alike, l->apart);
}

/* last: where the code of the block ends; end: where it branches, if the groups in lockstep agree. */
static void copy_terminator(Loops *l, Region *r, int number, const LLVMBasicBlockRef *copy, LLVMBasicBlockRef last,
                            LLVMBasicBlockRef end, LLVMBasicBlockRef latch) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(l->cfg->b[number].bb);
    if (!LLVMGetNumSuccessors(t)) {
        LLVMBasicBlockRef exit = exit_block(l, r, END, latch);
        LLVMPositionBuilderAtEnd(l->b, end);
        LLVMBuildBr(l->b, exit);
        return;
    }
    LLVMValueRef c = LLVMInstructionClone(t);
    LLVMBasicBlockRef targets[64];
    unsigned ns = LLVMGetNumSuccessors(t);
    for (unsigned s = 0; s < ns && s < 64; s++) {
        int to = l->cfg->b[number].succ[s];
        if (l->copies == 1 && number == r->start && r->leave == (int)s + 1 && !(l->apart && r->jam_along_y)) {
            targets[s] = leave_row(l, r, to);
            continue;
        }
        targets[s] = l->region_of[to] >= 0 ? exit_block(l, r, l->region_of[to], latch) : copy[to];
    }
    if (end != last) {
        LLVMPositionBuilderAtEnd(l->b, last);
        branch_if_alike(l, number, r->queries[number], end);
    }
    Query query = end != last ? r->queries[number] : QUERY_NONE;
    LLVMPositionBuilderAtEnd(l->b, end);
    LLVMInsertIntoBuilder(l->b, c);
    if (query > QUERY_ALIKE) LLVMSetCondition(c, c1(l, query == QUERY_FIRST));
    else if (LLVMIsConditional(t)) LLVMSetCondition(c, mapped(l, LLVMGetCondition(t)));
    for (unsigned s = 0; s < ns && s < 64; s++) LLVMSetSuccessor(c, s, targets[s]);
}

LLVMBasicBlockRef copy_code(Loops *l, Region *r, LLVMBasicBlockRef latch, LLVMValueRef total) {
    PtrMap maps[MAX_JAM_FACTOR];
    Arena scratch = {0}; /* there may be thousands of regions in as many blocks */
    l->maps = maps;
    for (int c = 0; c < l->copies; c++) {
        map_init(&maps[c], &scratch);
        for (int i = 0; i < l->allocas.n; i++) map_put(&maps[c], l->allocas.v[i], (uintptr_t)l->own[c].v[i]);
    }
    select_copy(l, 0);
    LLVMBasicBlockRef *copy = arena_array(&scratch, LLVMBasicBlockRef, l->cfg->n),
                      *last = arena_array(&scratch, LLVMBasicBlockRef, l->cfg->n),
                      *end = arena_array(&scratch, LLVMBasicBlockRef, l->cfg->n);
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) {
            copy[b] = end[b] = new_block(l, LLVMGetBasicBlockName(l->cfg->b[b].bb));
            if (needs_query(l, r, b)) end[b] = new_block(l, "alike");
        }
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) {
            copy_block(l, r, b, copy[b], total);
            last[b] = LLVMGetInsertBlock(l->b);
            if (!needs_query(l, r, b)) end[b] = last[b];
        }
    for (int c = 0; c < l->copies; c++) {
        select_copy(l, c);
        for (int b = 0; b < l->cfg->n; b++)
            if (r->has[b]) connect_block(l, r, b, end);
    }
    select_copy(l, 0);
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) copy_terminator(l, r, b, copy, last[b], end[b], latch);
    LLVMBasicBlockRef start = copy[r->start];
    arena_free(&scratch);
    return start;
}
