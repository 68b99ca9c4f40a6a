/* dispatch: the part of loop_groups that decides what runs next in a block.
**
** in:  regions, with their exits; the loops of region_loops.c call it for the single steps
**   static dispatch   a branch after the region: all groups stop at the same barrier
**   dynamic dispatch  each group records where it stopped; a phase ends when every group has; then the regions in which
**                     groups wait run one after the other
**   counted dispatch  dynamic, but groups wait for parts of the block (named barriers), for the grid or their
**                     cluster: at the end of a phase the runtime decides which barriers are complete
**                     (cucpu_barrier_release, abi.h) and reports a block in which none is; at width 1 also which
**                     warp functions (cucpu_warp_release)
**
** A block that has arrived at a barrier of the grid or of its cluster is suspended: entry returns, and the runtime
** resumes the block when all others have arrived; where blocks run cluster by cluster it is suspended too while all its
** groups poll. The state of the block is then in the fixed part of its frame: where to resume and why it was suspended
** (CucpuBlock; state: the region, 1 where the dispatch is dynamic), the regions that wait, accumulators of reducing
** barriers, and the block-uniform slots. */
#include "passes/groups/loop_groups.h"
#include "passes/ir/abi_fields.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"

/* The fixed part of the frame: CucpuBlock, then the regions that wait. */
enum { PENDING = sizeof(CucpuBlock), FIXED_ALIGN = 128 };
_Static_assert(PENDING % 16 == 0, "a set of many regions is aligned to 16");

static int set_words(const Loops *l) { return l->n / 64 + 1; }

/* The set {i} of regions; `n` represents "has returned". */
static LLVMValueRef only(const Loops *l, int i) {
    int words = set_words(l);
    uint64_t *w = arena_array(l->a, uint64_t, words);
    w[i / 64] = UINT64_C(1) << (i % 64);
    return LLVMConstIntOfArbitraryPrecision(l->set, (unsigned)words, w);
}

static uint64_t arrival_bytes(const Loops *l) { return CUCPU_ARRIVAL_BYTES + (l->cluster ? CUCPU_CLUSTER_BYTES : 0); }

void plan_dispatch(Loops *l) {
    if (l->named) l->dynamic = true;
    l->counted = l->dynamic && (l->named || l->leaves);
    unsigned bits = l->counted ? 64 * (unsigned)set_words(l) : (unsigned)l->n + 1;
    l->set = LLVMIntTypeInContext(l->k->m->ctx, bits);
    l->exchange_offset = (l->frame_bytes + 3) / 4 * 4;
    l->resume_offset = l->exchange_offset + (l->has_warp_functions ? sizeof(CucpuExchange) : 0);
    if (l->dynamic) l->frame_bytes = l->resume_offset + (l->counted ? sizeof(CucpuWait) : 4);
    if (!l->leaves && !l->counted) return;
    uint64_t at = PENDING + 8 * (uint64_t)set_words(l);
    l->arrivals_offset = at;
    if (l->counted) at += arrival_bytes(l);
    for (int i = 1; i < l->n && l->leaves; i++) {
        Name n = name_of_call(l->r[i].barrier);
        if (n < NAME_BAR_POPC || n > NAME_BAR_OR) continue;
        l->r[i].acc_offset = at;
        at += 8;
    }
    for (int i = 0; i < l->slots.n && l->leaves; i++) {
        l->slots.v[i].offset = at;
        at += (l->slots.v[i].size + 7) / 8 * 8;
    }
    l->fixed_bytes = (at + FIXED_ALIGN - 1) / FIXED_ALIGN * FIXED_ALIGN;
}

static LLVMValueRef in_structure(const Loops *l, LLVMValueRef p, size_t offset) {
    LLVMValueRef at = c64(l, offset);
    return offset ? LLVMBuildInBoundsGEP2(l->b, l->i8, p, &at, 1, "") : p;
}

static LLVMValueRef fixed_at(const Loops *l, uint64_t offset) { return in_structure(l, l->fixed, offset); }

void dispatch_variables(Loops *l) {
    l->exit = local(l, l->i32, "exit");
    l->pending = l->counted ? fixed_at(l, PENDING) : local(l, l->set, "pending");
    l->arrived = local(l, l->set, "arrived");
    l->parity = local(l, l->i8, "parity");
}

/* ---- one group ---- */

/* In the dynamic form only the groups that stopped at this region, in the last phase, run. */
void skip_other_groups(Loops *l, const Region *r, LLVMBasicBlockRef latch) {
    if (!l->dynamic || !r->barrier) return;
    LLVMBasicBlockRef go = new_block(l, "group.go");
    LLVMValueRef want = c32(l, (uint64_t)(r - l->r)), at;
    if (l->counted) {
        LLVMValueRef wait = frame_slot(l, l->resume_offset, sizeof(CucpuWait));
        at = load(l, l->i32, in_structure(l, wait, offsetof(CucpuWait, region)), "resume");
    } else {
        at = load(l, l->i32, frame_slot(l, l->resume_offset, 4), "resume");
        LLVMValueRef odd = LLVMBuildZExt(l->b, load(l, l->i8, l->parity, ""), l->i32, "");
        want = LLVMBuildOr(l->b, c32(l, (uint64_t)(r - l->r) * 2), odd, "");
    }
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, at, want, ""), go, latch);
    LLVMPositionBuilderAtEnd(l->b, go);
}

/* The thread's operands of a warp function. */
static void note_exchange(Loops *l, LLVMValueRef meet) {
    static const size_t offsets[CucpuExchange_FIELDS] = {offsetof(CucpuExchange, value), offsetof(CucpuExchange, high),
                                                         offsetof(CucpuExchange, lane), offsetof(CucpuExchange, clamp)};
    LLVMValueRef p = frame_slot(l, l->exchange_offset, sizeof(CucpuExchange));
    for (unsigned i = 0; i < CucpuExchange_FIELDS; i++) {
        LLVMValueRef v = LLVMGetOperand(meet, 2 + i);
        if (!LLVMIsPoison(v)) LLVMBuildStore(l->b, mapped(l, v), in_structure(l, p, offsets[i]));
    }
}

LLVMValueRef met(Loops *l, const Region *r) {
    if (!LLVMGetFirstUse(r->barrier)) return LLVMGetPoison(l->i32);
    LLVMValueRef p = frame_slot(l, l->exchange_offset, sizeof(CucpuExchange));
    return load(l, l->i32, in_structure(l, p, offsetof(CucpuExchange, value)), "met");
}

static void note_wait(Loops *l, int to) {
    LLVMValueRef p = frame_slot(l, l->resume_offset, sizeof(CucpuWait));
    LLVMValueRef region = c32(l, to == END ? CUCPU_WAIT_ENDED : CUCPU_WAIT_STOPPED | (unsigned)to);
    LLVMBuildStore(l->b, region, in_structure(l, p, offsetof(CucpuWait, region)));
    if (to == END) return;
    LLVMValueRef bar = l->r[to].barrier, id = c32(l, CUCPU_WAIT_GRID), count = c32(l, CUCPU_WAIT_ALL);
    Name n = name_of_call(bar);
    if (name_is_cluster(n)) {
        id = c32(l, CUCPU_WAIT_CLUSTER);
        count = c32(l, n == NAME_CLUSTER_ARRIVE ? CUCPU_CLUSTER_ARRIVES
                       : n == NAME_CLUSTER_WAIT ? CUCPU_CLUSTER_WAITS
                                                : CUCPU_CLUSTER_ARRIVES | CUCPU_CLUSTER_WAITS);
    } else if (n != NAME_GRID_SYNC) {
        id = mapped(l, LLVMGetOperand(bar, 0));
    }
    if (n == NAME_BARRIER_N || n == NAME_MEET) count = mapped(l, LLVMGetOperand(bar, 1));
    if (n == NAME_MEET) note_exchange(l, bar);
    LLVMBuildStore(l->b, id, in_structure(l, p, offsetof(CucpuWait, id)));
    LLVMBuildStore(l->b, count, in_structure(l, p, offsetof(CucpuWait, count)));
}

void note_stop(Loops *l, const Region *r, int to) {
    uint64_t where = (uint64_t)(to == END ? l->n : to);
    if (l->counted) {
        note_wait(l, to);
    } else if (l->dynamic) {
        LLVMValueRef all = LLVMBuildOr(l->b, load(l, l->set, l->arrived, ""), only(l, (int)where), "");
        LLVMBuildStore(l->b, all, l->arrived);
        LLVMValueRef odd = LLVMBuildZExt(l->b, load(l, l->i8, l->parity, ""), l->i32, "");
        LLVMValueRef id = LLVMBuildOr(l->b, c32(l, where * 2), LLVMBuildXor(l->b, odd, c32(l, 1), ""), "");
        LLVMBuildStore(l->b, id, frame_slot(l, l->resume_offset, 4));
    } else if (r->exits.n > 1) {
        LLVMBuildStore(l->b, c32(l, where), l->exit);
    }
}

/* ---- the block: entered, suspended, resumed ---- */

static void clear_state(Loops *l) {
    LLVMBuildStore(l->b, LLVMConstNull(l->set), l->pending); /* a frame holds the state of the last kernel */
    if (l->counted) {
        for (uint64_t i = 0; i < arrival_bytes(l); i += 8)
            LLVMSetAlignment(LLVMBuildStore(l->b, c64(l, 0), fixed_at(l, l->arrivals_offset + i)), 8);
        return;
    }
    LLVMBuildStore(l->b, LLVMConstNull(l->set), l->arrived);
    LLVMBuildStore(l->b, LLVMConstInt(l->i8, 0, 0), l->parity);
}

static LLVMValueRef state(const Loops *l) { return fixed_at(l, offsetof(CucpuBlock, state)); }

static void save(Loops *l, bool saves, LLVMTypeRef t, LLVMValueRef slot, uint64_t offset) {
    LLVMValueRef kept = fixed_at(l, offset), v = load(l, t, saves ? slot : kept, "");
    if (!saves) LLVMSetAlignment(v, 8);
    v = LLVMBuildStore(l->b, v, saves ? kept : slot);
    if (saves) LLVMSetAlignment(v, 8);
}

/* Between suspending the block and resuming it. */
static void save_block(Loops *l, bool saves) {
    for (int i = 0; i < l->slots.n; i++)
        save(l, saves, LLVMGetAllocatedType(l->slots.v[i].cur), l->slots.v[i].cur, l->slots.v[i].offset);
    for (int i = 1; i < l->n; i++)
        if (l->r[i].acc) save(l, saves, l->i32, l->r[i].acc, l->r[i].acc_offset);
}
static void resume_block(Loops *l) {
    save_block(l, false);
    if (l->dynamic) {
        LLVMBuildBr(l->b, l->dispatch);
        return;
    }
    LLVMValueRef sw = LLVMBuildSwitch(l->b, load(l, l->i32, state(l), ""), l->block_done, (unsigned)l->n);
    for (int i = 1; i < l->n; i++)
        if (name_leaves_block(name_of_call(l->r[i].barrier))) LLVMAddCase(sw, c32(l, (uint64_t)i), l->r[i].head);
}

void enter_block(Loops *l) {
    if (l->leaves) {
        LLVMBasicBlockRef fresh = new_block(l, "fresh"), again = new_block(l, "again");
        LLVMValueRef at = load(l, l->i32, state(l), "state");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, at, c32(l, 0), ""), fresh, again);
        LLVMPositionBuilderAtEnd(l->b, again);
        resume_block(l);
        LLVMPositionBuilderAtEnd(l->b, fresh);
    }
    clear_state(l);
    LLVMBuildBr(l->b, l->r[0].head);
}

void end_block(Loops *l) {
    LLVMPositionBuilderAtEnd(l->b, l->suspend);
    if (l->leaves) save_block(l, true);
    LLVMBuildBr(l->b, l->block_next);
    LLVMPositionBuilderAtEnd(l->b, l->block_done);
    if (l->leaves) LLVMBuildStore(l->b, c32(l, CUCPU_BLOCK_DONE), state(l));
    if (l->split) next_of_row(l);
    else LLVMBuildBr(l->b, l->block_next);
    LLVMPositionBuilderAtEnd(l->b, l->block_next);
}

/* ---- between regions ---- */

/* The successor of a region in static dispatch. A barrier of the grid or cluster suspends the block; all groups have
** arrived at it. */
static LLVMBasicBlockRef successor_block(Loops *l, int to) {
    if (to == END) return l->block_done;
    if (l->split && to == l->split) return first_of_row(l);
    Region *r = &l->r[to];
    Name n = name_of_call(r->barrier);
    if (!name_leaves_block(n)) return r->head;
    if (r->suspend) return r->suspend;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
    r->suspend = new_block(l, "grid.stop");
    LLVMPositionBuilderAtEnd(l->b, r->suspend);
    LLVMBuildStore(l->b, c32(l, (uint64_t)to), state(l));
    LLVMBuildStore(l->b, c32(l, n == NAME_GRID_SYNC ? CUCPU_LEFT_GRID : CUCPU_LEFT_CLUSTER),
                   fixed_at(l, offsetof(CucpuBlock, why)));
    LLVMBuildStore(l->b, c32(l, n != NAME_GRID_SYNC), fixed_at(l, offsetof(CucpuBlock, ready)));
    LLVMBuildBr(l->b, l->suspend);
    LLVMPositionBuilderAtEnd(l->b, here);
    return r->suspend;
}

void leave_region(Loops *l, Region *r) {
    LLVMPositionBuilderAtEnd(l->b, r->done);
    for (int i = 0; i < r->written.n; i++) {
        const Slot *s = &l->slots.v[r->written.v[i]];
        LLVMBuildStore(l->b, load(l, LLVMGetAllocatedType(s->next), s->next, ""), s->cur);
    }
    if (l->dynamic && l->n > 1) {
        LLVMBuildBr(l->b, l->dispatch);
        return;
    }
    if (r->exits.n == 0) {
        LLVMBuildBr(l->b, l->block_done);
        return;
    } /* never ends: unreachable */
    if (r->exits.n == 1) {
        LLVMBuildBr(l->b, successor_block(l, r->exits.v[0]));
        return;
    }
    LLVMValueRef sw =
        LLVMBuildSwitch(l->b, load(l, l->i32, l->exit, ""), successor_block(l, r->exits.v[0]), (unsigned)r->exits.n);
    for (int i = 1; i < r->exits.n; i++)
        LLVMAddCase(sw, c32(l, (uint64_t)(r->exits.v[i] == END ? l->n : r->exits.v[i])),
                    successor_block(l, r->exits.v[i]));
}

/* Sets of several words are the runtime's: LLVM would compare them word by word in each case of the switch. */
static void pick_by_number(Loops *l) {
    LLVMTypeRef types[2] = {l->ptr, l->i32}, t = LLVMFunctionType(l->i32, types, 2, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, "cucpu_take_region");
    if (!f) f = LLVMAddFunction(l->mod, "cucpu_take_region", t);
    LLVMValueRef args[2] = {l->pending, c32(l, (uint64_t)set_words(l))};
    LLVMValueRef next = LLVMBuildCall2(l->b, t, f, args, 2, "next");
    LLVMBasicBlockRef never = new_block(l, "never");
    LLVMValueRef sw = LLVMBuildSwitch(l->b, next, never, (unsigned)l->n);
    for (int i = 1; i < l->n; i++) LLVMAddCase(sw, c32(l, (uint64_t)i), l->r[i].head);
    LLVMPositionBuilderAtEnd(l->b, never);
    LLVMBuildUnreachable(l->b);
}

static void emit_pick(Loops *l) {
    LLVMPositionBuilderAtEnd(l->b, l->pick);
    if (l->counted && set_words(l) > 1) {
        pick_by_number(l);
        return;
    }
    LLVMValueRef p = load(l, l->set, l->pending, "");
    LLVMValueRef low = LLVMBuildAnd(l->b, p, LLVMBuildNeg(l->b, p, ""), "lowest");
    LLVMBuildStore(l->b, LLVMBuildXor(l->b, p, low, ""), l->pending);
    LLVMBasicBlockRef never = new_block(l, "never");
    LLVMValueRef sw = LLVMBuildSwitch(l->b, low, never, (unsigned)l->n);
    for (int i = 1; i < l->n; i++) LLVMAddCase(sw, only(l, i), l->r[i].head);
    LLVMPositionBuilderAtEnd(l->b, never);
    LLVMBuildUnreachable(l->b);
}

/* Every group has arrived at a barrier or returned: the barrier is complete. */
static void release_all(Loops *l) {
    LLVMValueRef ended = only(l, l->n);
    LLVMValueRef next = LLVMBuildAnd(l->b, load(l, l->set, l->arrived, ""), LLVMConstNot(ended), "");
    LLVMBuildStore(l->b, next, l->pending);
    LLVMBuildStore(l->b, LLVMConstNull(l->set), l->arrived);
    LLVMBuildStore(l->b, LLVMBuildXor(l->b, load(l, l->i8, l->parity, ""), LLVMConstInt(l->i8, 1, 0), ""), l->parity);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, next, LLVMConstNull(l->set), ""), l->block_done, l->pick);
}

static LLVMValueRef add_table(Loops *l, LLVMValueRef init) {
    return internal_global(l->mod, init, "cucpu.barriers", true);
}

static LLVMValueRef barrier_table(Loops *l) {
    LLVMContextRef c = l->k->m->ctx;
    LLVMValueRef *lines = arena_array(l->a, LLVMValueRef, l->n), *files = arena_array(l->a, LLVMValueRef, l->n);
    for (int i = 0; i < l->n; i++) {
        unsigned len;
        const char *file = i ? diag_file(l->r[i].barrier, &len) : NULL;
        lines[i] = c32(l, i ? diag_line(l->r[i].barrier) : 0);
        files[i] = file ? add_table(l, LLVMConstStringInContext2(c, file, len, 0)) : LLVMConstNull(l->ptr);
    }
    LLVMValueRef v[CucpuBarriers_FIELDS] = {
        [CucpuBarriers_files] = add_table(l, LLVMConstArray2(l->ptr, files, (uint64_t)l->n)),
        [CucpuBarriers_lines] = add_table(l, LLVMConstArray2(l->i32, lines, (uint64_t)l->n)),
        [CucpuBarriers_regions] = c32(l, (uint64_t)l->n),
        [CucpuBarriers_width] = c32(l, (uint64_t)l->k->width),
        [CucpuBarriers_layout] = c32(l, (uint64_t)l->k->layout),
        [CucpuBarriers_warp_size] = c32(l, (uint64_t)l->k->m->opt->warp_size),
        [CucpuBarriers_row] = c32(l, (uint64_t)l->k->block[0]),
        [CucpuBarriers_along] = c32(l, (uint64_t)l->variant.along),
    };
    return add_table(l, abi_constant(l->k->m->dl, ABI_CucpuBarriers, v));
}

static LLVMValueRef per_group(Loops *l, uint64_t offset, const char *name) {
    LLVMValueRef at = LLVMBuildMul(l->b, l->groups, c64(l, offset), "");
    return LLVMBuildInBoundsGEP2(l->b, l->i8, l->frame, &at, 1, name);
}

/* The runtime decides which barriers are complete. */
static void release_counted(Loops *l) {
    LLVMTypeRef types[6] = {l->ptr, l->ptr, l->ptr, l->ptr, l->ptr, l->ptr};
    const char *name = l->has_warp_functions ? "cucpu_warp_release" : "cucpu_barrier_release";
    unsigned n = l->has_warp_functions ? 6 : 5;
    LLVMTypeRef t = LLVMFunctionType(l->i32, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(l->mod, name);
    if (!f) f = LLVMAddFunction(l->mod, name, t);
    LLVMValueRef args[6] = {barrier_table(l),
                            l->launch,
                            per_group(l, l->resume_offset, "waits"),
                            l->pending,
                            fixed_at(l, l->arrivals_offset),
                            l->has_warp_functions ? per_group(l, l->exchange_offset, "exchange") : NULL};
    LLVMValueRef what = LLVMBuildCall2(l->b, t, f, args, n, "released");
    LLVMBasicBlockRef stop = new_block(l, "grid.stop");
    LLVMValueRef sw = LLVMBuildSwitch(l->b, what, l->pick, 2);
    LLVMAddCase(sw, c32(l, CUCPU_RELEASED_NONE), l->block_done);
    LLVMAddCase(sw, c32(l, CUCPU_RELEASED_LEAVE), stop);
    LLVMPositionBuilderAtEnd(l->b, stop);
    if (l->leaves) LLVMBuildStore(l->b, c32(l, 1), state(l));
    LLVMBuildBr(l->b, l->suspend);
}

/* pending: regions still to run in this phase; arrived: where groups stopped in it. */
void emit_dispatch(Loops *l) {
    LLVMPositionBuilderAtEnd(l->b, l->dispatch);
    if (!l->dynamic || l->n == 1) {
        LLVMBuildUnreachable(l->b);
        LLVMPositionBuilderAtEnd(l->b, l->pick);
        LLVMBuildUnreachable(l->b);
        return;
    }
    LLVMBasicBlockRef release = new_block(l, "release");
    LLVMValueRef p = load(l, l->set, l->pending, "pending");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, p, LLVMConstNull(l->set), ""), release, l->pick);
    LLVMPositionBuilderAtEnd(l->b, release);
    if (l->counted) release_counted(l);
    else release_all(l);
    emit_pick(l);
}
