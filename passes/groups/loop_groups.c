/* loop_groups: the code of one group becomes the entry that runs a range of blocks.
**
** in:  group code after split_barriers (no SSA value crosses a barrier)
** out: void NAME.entry(launch, worker, first, end) of abi.h:
**
**        for block in first..end
**          region 0:  for group in block: code from the entry to barriers or return
**          dispatch
**          region b:  for group in block: code after barrier b ...
**
** A region is what can be reached from its start without crossing a barrier (Karrenberg and Hack, CC 2012,
** continuations); it is copied into a separate group loop, so that LLVM hoists out of that loop whatever the groups
** share. There are barriers + 1 regions, and code grows only where two barriers share a tail, and where groups run in
** lockstep (unroll_and_jam.c).
**
** Which region is next: if the exits of a region all lead to one barrier, or the choice between them is uniform for the
** block, it is a branch in the block loop. Otherwise groups may differ (early return, guarded barrier): every group
** records where it stopped, with the parity of the phase, and the dispatcher (dispatch.c) runs each pending region for
** the groups that stopped there. A phase ends when every group has arrived at a barrier or has returned: barriers match
** by arrival, as in hardware, and returned threads do not count. */
#include "passes/analysis/accesses.h"
#include "passes/ir/edit.h"
#include "cpu-runtime/abi.h"
#include "passes/ir/shim.h"
#include "passes/groups/loop_groups.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

static LLVMValueRef field(const Loops *l, LLVMValueRef base, LLVMTypeRef t, uint64_t offset, const char *name) {
    LLVMValueRef at = c64(l, offset);
    return load(l, t, LLVMBuildInBoundsGEP2(l->b, l->i8, base, &at, 1, ""), name);
}

/* ---- regions ---- */

static void take_regions(Loops *l, const Barriers *b) {
    l->n = b->n;
    l->region_of = b->region_of;
    l->named = b->named;
    /* Even if its barriers turned out to be unreachable: the runtime relies on the flag. */
    long flags = fn_attr_int(l->k->fn, ATTR_FLAGS, 0);
    l->cluster = flags & CUCPU_KERNEL_CLUSTER;
    l->leaves = b->leaves || flags & CUCPU_KERNEL_GRID_SYNC || l->cluster;
    l->has_warp_functions = b->has_warp_functions;
    l->r = arena_array(l->a, Region, l->n);
    for (int i = 0; i < l->n; i++) {
        const BarrierRegion *r = &b->region[i];
        l->r[i] = (Region){.start = r->start, .barrier = r->barrier, .has = r->has, .exits = r->exits};
        if (r->exits.n > 1 && !r->uniform_choice) l->dynamic = true;
    }
}

static void find_slots(Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg) {
        Name n = name_of_call(i);
        if (n != NAME_BLOCK_CUR && n != NAME_BLOCK_NEXT) continue;
        int id = (int)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
        while (l->slots.n <= id) vec_push(l->a, &l->slots, ((Slot){0}));
        l->slots.v[id].size = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
    }
}

enum {
    INTERCHANGE_BYTES = 1 << 17, /* of the second-level cache, beside the rows themselves */
    MIN_BYTES = 64,              /* of a group that carries nothing */
    MAX_THREADS = 1024           /* of a block */
};

static uint64_t interchanged_groups(const Loops *l);

static bool can_interchange(const Loops *l) {
    return !l->dynamic && !l->leaves && interchanged_groups(l) * (uint64_t)l->k->width >= MAX_THREADS;
}

static void find_regions(Loops *l) {
    run_llvm_passes_on(l->k->m, l->k->fn, "lcssa");
    l->cfg = cfg_build(l->a, l->k->fn);
    Barriers *barriers = barriers_find(l->a, l->cfg);
    Shapes *shapes = NULL;
    if (barriers->n > 1 && !pass_disabled(l->k->m, "frame_classes")) {
        shapes = shapes_compute(l->a, l->cfg, 1, LAYOUT_GENERAL, l->k->block);
        barriers_judge(l->a, barriers, shapes);
    }
    take_regions(l, barriers);
    if (pass_disabled(l->k->m, "static_dispatch") && l->n > 1) l->dynamic = true;
    find_slots(l);
    plan_dispatch(l);
    if (!l->k->m->opt->shuffle) plan_lockstep(l, shapes);
}

/* ---- the entry function: launch level ---- */

static void declare_entry(Loops *l) {
    LLVMTypeRef params[4] = {l->ptr, l->ptr, l->i64, l->i64};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(l->k->m->ctx), params, 4, 0);
    char *name = arena_printf(l->a, "%s.entry", value_name(l->k->fn));
    l->entry = LLVMAddFunction(l->mod, name, t);
    LLVMSetLinkage(l->entry, LLVMInternalLinkage);
    LLVMMetadataRef sp = LLVMGetSubprogram(l->k->fn);
    if (sp) LLVMSetSubprogram(l->entry, sp);
    static const char *const names[4] = {"launch", "worker", "first", "end"};
    for (unsigned i = 0; i < 4; i++) LLVMSetValueName2(LLVMGetParam(l->entry, i), names[i], strlen(names[i]));
    l->launch = LLVMGetParam(l->entry, 0);
    l->worker = LLVMGetParam(l->entry, 1);
}

static void load_arguments(Loops *l) {
    unsigned n = LLVMCountParams(l->k->fn);
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    l->args = arena_array(l->a, LLVMValueRef, n + 1);
    LLVMValueRef table = field(l, l->launch, l->ptr, offsetof(CucpuLaunch, args), "args");
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef p = LLVMGetParam(l->k->fn, i);
        LLVMTypeRef t = LLVMTypeOf(p);
        LLVMValueRef at = field(l, table, l->ptr, sizeof(void *) * i, "");
        if (LLVMGetEnumAttributeAtIndex(l->k->fn, i + 1, byval)) {
            l->args[i] = at;
            continue;
        }
        bool is_bool = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;
        LLVMValueRef v = load(l, is_bool ? l->i8 : t, at, value_name(p));
        if (is_bool) v = LLVMBuildTrunc(l->b, v, l->i1, "");
        else LLVMSetAlignment(v, LLVMABIAlignmentOfType(l->k->m->dl, t));
        LLVMValueRef constant = LLVMMDNodeInContext(l->k->m->ctx, NULL, 0);
        LLVMSetMetadata(LLVMIsALoadInst(v) ? v : LLVMGetOperand(v, 0),
                        LLVMGetMDKindIDInContext(l->k->m->ctx, "invariant.load", 14), constant);
        l->args[i] = v;
    }
}

/* It reads its cluster, or whether it is cooperative. */
static bool reads_cluster(const Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg) {
        Name n = name_of_call(i);
        if (n >= NAME_CLUSTER_X && n <= NAME_COOPERATIVE) return true;
    }
    return false;
}

static void cluster_values(Loops *l) {
    for (int d = 0; d < 3; d++)
        l->id[NAME_CLUSTER_X + d] =
            field(l, l->launch, l->i32, offsetof(CucpuLaunch, cluster) + 4 * (uint64_t)d, "cluster");
    l->id[NAME_CLUSTER_SET] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, cluster_set), "cluster.set");
    l->id[NAME_COOPERATIVE] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, cooperative), "cooperative");
    l->id[NAME_CLUSTER_BASE] = field(l, l->worker, l->ptr, offsetof(CucpuWorker, cluster), "cluster.base");
    l->id[NAME_CLUSTER_STRIDE] = field(l, l->worker, l->i32, offsetof(CucpuWorker, cluster_stride), "cluster.stride");
}

static int dimension_of_grid(const Loops *l, int d) {
    unsigned len;
    return fn_attr(l->k->fn, ATTR_SWAPPED_GRID, &len) ? swapped_dimension(d, (int)fn_attr_int(l->k->fn, ATTR_ALONG, 0))
                                                      : d;
}

/* Interchanged groups that run together, at most: what they carry is in the fixed part of the frame. */
static uint64_t interchanged_groups(const Loops *l) {
    uint64_t bytes = group_bytes(l);
    return INTERCHANGE_BYTES / (bytes ? bytes : MIN_BYTES);
}

static void launch_values(Loops *l) {
    int along = (int)fn_attr_int(l->k->fn, ATTR_ALONG, 0); /* swapped with x */
    for (int d = 0; d < 3; d++) {
        l->id[NAME_NCTAID_X + d] =
            field(l, l->launch, l->i32, offsetof(CucpuLaunch, grid) + 4 * (uint64_t)dimension_of_grid(l, d), "nctaid");
        LLVMValueRef n = field(l, l->launch, l->i32,
                               offsetof(CucpuLaunch, block) + 4 * (uint64_t)swapped_dimension(d, along), "ntid");
        l->id[NAME_NTID_X + d] = l->k->block[d] ? c32(l, l->k->block[d]) : n;
    }
    l->id[NAME_DYN_SIZE] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, dyn_shared), "dynsize");
    if (reads_cluster(l)) cluster_values(l);
    const unsigned *b = l->k->block;
    l->threads = b[0] && b[1] && b[2] ? c32(l, (uint64_t)b[0] * b[1] * b[2])
                                      : field(l, l->launch, l->i32, offsetof(CucpuLaunch, threads), "threads");
    l->tids = field(l, l->launch, l->ptr, offsetof(CucpuLaunch, tids), "tids");
    l->id[NAME_SHARED] = field(l, l->worker, l->ptr, offsetof(CucpuWorker, shared), "shared");
    l->fixed = field(l, l->worker, l->ptr, offsetof(CucpuWorker, frame), "frame");
    LLVMValueRef at = c64(l, l->fixed_bytes);
    l->frame = l->fixed_bytes ? LLVMBuildInBoundsGEP2(l->b, l->i8, l->fixed, &at, 1, "frame") : l->fixed;
    l->groups = LLVMBuildZExt(l->b, count_groups(l), l->i64, "");
    l->rows = l->id[NAME_NTID_Y];
    if (l->interchanged) l->groups = c64(l, interchanged_groups(l));
    load_arguments(l);
    l->x = local(l, l->i32, "x");
    l->y = local(l, l->i32, "y");
    l->z = local(l, l->i32, "z");
    l->g = local(l, l->i64, "g");
    dispatch_variables(l);
}

/* ---- local arrays ---- */

/* A thread may have 512 KiB of local memory (Programming Guide, "Compute Capabilities"), a group as much for each lane,
** and a stack may have 8 MiB, or less: larger arrays of a group are in the frame, which is allocated. */
enum { MAX_STACK = 1 << 20, MIN_LARGE = 4096 /* bytes of what is moved */, LOCAL_ALIGN = 128 };

static uint64_t bytes_of_alloca(const Loops *l, LLVMValueRef i) {
    return LLVMABISizeOfType(l->k->m->dl, LLVMGetAllocatedType(i)) * LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
}

static bool is_static_alloca(LLVMValueRef i) {
    return LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0));
}

/* Groups in lockstep have separate local arrays. */
static int copies_of_locals(const Loops *l) {
    int copies = 1;
    for (int i = 0; i < l->n; i++)
        if (l->r[i].jam_factor > copies) copies = l->r[i].jam_factor;
    return copies;
}

/* After the groups in lockstep are known, before the size of the fixed part is used for the layout. */
static void plan_locals(Loops *l) {
    uint64_t all = 0, large = 0;
    for_each_cfg_instruction(i, b, l->cfg) {
        uint64_t bytes = is_static_alloca(i) ? bytes_of_alloca(l, i) : 0;
        all += bytes;
        if (bytes >= MIN_LARGE) large += (bytes + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
    }
    unsigned len;
    if (all * (uint64_t)copies_of_locals(l) <= MAX_STACK || fn_attr(l->k->fn, ATTR_INTERCHANGED, &len)) return;
    if (!l->fixed_bytes) l->fixed_bytes = LOCAL_ALIGN; /* 0 means: none is moved */
    l->large_offset = l->fixed_bytes;
    l->fixed_bytes += large * (uint64_t)copies_of_locals(l);
}

/* Static allocas of the group code: one object, used by one group after the other. */
static void move_allocas(Loops *l) {
    int copies = copies_of_locals(l);
    uint64_t at = l->large_offset;
    for_each_cfg_instruction(i, b, l->cfg) {
        if (!is_static_alloca(i)) continue;
        uint64_t bytes = bytes_of_alloca(l, i);
        bool moves = l->large_offset && bytes >= MIN_LARGE;
        vec_push(l->a, &l->allocas, i);
        for (int c = 0; c < copies; c++) {
            LLVMValueRef offset = c64(l, at),
                         v = moves ? LLVMBuildInBoundsGEP2(l->b, l->i8, l->fixed, &offset, 1, "local")
                                   : clone_at(l->b, i);
            vec_push(l->a, &l->own[c], v);
            if (moves) at += (bytes + LOCAL_ALIGN - 1) / LOCAL_ALIGN * LOCAL_ALIGN;
        }
    }
}

/* Block slots and accumulators of reducing barriers. */
static void block_state(Loops *l) {
    for (int i = 0; i < l->slots.n; i++) {
        LLVMTypeRef t = LLVMIntTypeInContext(l->k->m->ctx, (unsigned)l->slots.v[i].size * 8);
        l->slots.v[i].cur = local(l, t, "cur");
        l->slots.v[i].next = local(l, t, "next");
    }
    for (int i = 1; i < l->n; i++) {
        Name n = name_of_call(l->r[i].barrier);
        if (n != NAME_BAR_POPC && n != NAME_BAR_AND && n != NAME_BAR_OR) continue;
        l->r[i].acc = local(l, l->i32, "acc");
    }
}

/* ---- copying a region ---- */

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
    map_put(l->map, i, (uintptr_t)(v ? v : clone_at(l->b, i)));
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
    memset(l->number, 0, sizeof l->number);
    for_each_in_block(i, l->cfg->b[number].bb) {
        if (LLVMIsATerminatorInst(i)) break;
        LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(i));
        LLVMValueRef last = end_of_unit(i);
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
        if (!c || LLVMIsAAllocaInst(i) || i == r->barrier) continue;
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
    return l->copies > 1 && r->queries && r->queries[block];
}

/* Goes to `alike` if all groups in lockstep take the branch of block `number` as the first one does. */
static void branch_if_alike(Loops *l, int number, LLVMBasicBlockRef alike) {
    LLVMValueRef c = LLVMGetOperand(LLVMGetBasicBlockTerminator(l->cfg->b[number].bb), 0), all = NULL,
                 first = mapped(l, c);
    for (int k = 1; k < l->copies; k++) {
        select_copy(l, k);
        LLVMValueRef same = LLVMBuildICmp(l->b, LLVMIntEQ, mapped(l, c), first, "");
        all = all ? LLVMBuildAnd(l->b, all, same, "") : same;
    }
    select_copy(l, 0);
    LLVMBuildCondBr(l->b, all, alike, l->apart);
}

static void copy_terminator(Loops *l, Region *r, int number, const LLVMBasicBlockRef *copy, LLVMBasicBlockRef end,
                            LLVMBasicBlockRef latch) {
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
    LLVMPositionBuilderAtEnd(l->b, copy[number]);
    if (end != copy[number]) branch_if_alike(l, number, end);
    LLVMPositionBuilderAtEnd(l->b, end);
    LLVMInsertIntoBuilder(l->b, c);
    if (LLVMIsConditional(t)) LLVMSetCondition(c, mapped(l, LLVMGetCondition(t)));
    for (unsigned s = 0; s < ns && s < 64; s++) LLVMSetSuccessor(c, s, targets[s]);
}

/* Code of one group, or of l->copies groups in lockstep. */
static LLVMBasicBlockRef copy_code(Loops *l, Region *r, LLVMBasicBlockRef latch, LLVMValueRef total) {
    PtrMap maps[MAX_JAM_FACTOR];
    l->maps = maps;
    for (int c = 0; c < l->copies; c++) {
        map_init(&maps[c], l->a);
        for (int i = 0; i < l->allocas.n; i++) map_put(&maps[c], l->allocas.v[i], (uintptr_t)l->own[c].v[i]);
    }
    select_copy(l, 0);
    LLVMBasicBlockRef *copy = arena_array(l->a, LLVMBasicBlockRef, l->cfg->n),
                      *end = arena_array(l->a, LLVMBasicBlockRef, l->cfg->n);
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) {
            copy[b] = end[b] = new_block(l, LLVMGetBasicBlockName(l->cfg->b[b].bb));
            if (needs_query(l, r, b)) end[b] = new_block(l, "alike");
        }
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) copy_block(l, r, b, copy[b], total);
    for (int c = 0; c < l->copies; c++) {
        select_copy(l, c);
        for (int b = 0; b < l->cfg->n; b++)
            if (r->has[b]) connect_block(l, r, b, end);
    }
    select_copy(l, 0);
    for (int b = 0; b < l->cfg->n; b++)
        if (r->has[b]) copy_terminator(l, r, b, copy, end[b], latch);
    return copy[r->start];
}

/* ---- group loops ---- */

/* Steps a loop variable; the builder ends in the block `out` after the loop. */
static void close_loop(Loops *l, LLVMValueRef var, LLVMValueRef step, LLVMValueRef end, LLVMBasicBlockRef head,
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

/* Loops over z, y and x. */
static void emit_rows(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    LLVMBasicBlockRef hz = open_loop(l, l->z, c32(l, 0), "z");
    LLVMBasicBlockRef hy = open_loop(l, l->y, y.from, "y");
    LLVMBasicBlockRef hx = open_loop(l, l->x, x.from, "x");
    l->row_end = new_block(l, "row.end");
    if (r->jam_factor > 1 && r->queries) emit_either(l, r, total, r->jam_along_y ? y : x);
    else emit_body(l, r, total);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(l->b);
    close_loop(l, l->x, c32(l, x.step), x.to, hx, l->row_end);
    note_parallel(l, latch);
    if (r->keep_inside) loop_option(l, latch, "llvm.licm.disable", NULL);
    LLVMBasicBlockRef end_y = new_block(l, "plane.end"), end_z = new_block(l, "loop.out");
    close_loop(l, l->y, c32(l, y.step), y.to, hy, end_y);
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

/* First as many jammed groups as possible, then the remainder one by one; or, where groups test their branches, both in
** one loop. */
static void emit_jammed(Loops *l, Region *r, LLVMValueRef total, Range x, Range y) {
    Range *d = r->jam_along_y ? &y : &x;
    l->jam_along_y = r->jam_along_y;
    if (r->queries) {
        d->step *= (uint64_t)r->jam_factor;
        emit_rows(l, r, total, x, y);
        return;
    }
    LLVMValueRef end = d->to, mask = c32(l, ~(d->step * (uint64_t)r->jam_factor - 1));
    LLVMValueRef middle = LLVMBuildAnd(l->b, end, mask, "jammed");
    uint64_t step = d->step;
    *d = (Range){c32(l, 0), middle, step * (uint64_t)r->jam_factor};
    l->copies = r->jam_factor;
    l->full_groups = l->k->layout == LAYOUT_ROWS && !r->jam_along_y;
    emit_rest(l, r, total, x, y, r->jam_along_y);
    l->copies = 1;
    l->full_groups = false;
    *d = (Range){middle, end, step};
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

static void emit_region(Loops *l, Region *r) {
    LLVMPositionBuilderAtEnd(l->b, r->head);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMValueRef total = NULL;
    if (r->acc) {
        total = load(l, l->i32, r->acc, "total");
        LLVMBuildStore(l->b, c32(l, name_of_call(r->barrier) == NAME_BAR_AND), r->acc);
    }
    l->copies = 1;
    l->copy = 0;
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
    r->done = LLVMGetInsertBlock(l->b);
}

/* ---- the block loop ---- */

/* Blocks are consecutive along the first of these. */
static const int *dimensions(const Loops *l) {
    static const int along[3][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}};
    return along[fn_attr_int(l->k->fn, ATTR_ORDER, 0)];
}

/* The index of the first block: the only division, later blocks are counted from there. */
static void first_block_ids(Loops *l) {
    static const char *const names[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
    const int *d = dimensions(l);
    LLVMValueRef first = LLVMGetParam(l->entry, 2);
    LLVMValueRef nx = LLVMBuildZExt(l->b, l->id[NAME_NCTAID_X + d[0]], l->i64, "");
    LLVMValueRef ny = LLVMBuildZExt(l->b, l->id[NAME_NCTAID_X + d[1]], l->i64, "");
    LLVMValueRef row = LLVMBuildUDiv(l->b, first, nx, "");
    LLVMValueRef z = LLVMBuildUDiv(l->b, row, ny, "");
    LLVMValueRef x = LLVMBuildSub(l->b, first, LLVMBuildMul(l->b, row, nx, ""), "");
    LLVMValueRef y = LLVMBuildSub(l->b, row, LLVMBuildMul(l->b, z, ny, ""), ""), at[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        l->block_index[d[i]] = local(l, l->i32, names[d[i]]);
        LLVMBuildStore(l->b, LLVMBuildTrunc(l->b, at[i], l->i32, ""), l->block_index[d[i]]);
    }
}

/* For messages: blocks are numbered along x there. */
static LLVMValueRef block_number(Loops *l, LLVMValueRef block) {
    LLVMValueRef at = NULL;
    if (dimensions(l)[0] == 0 && dimension_of_grid(l, 0) == 0) return block;
    for (int was = 2; was >= 0; was--) {
        int d = dimension_of_grid(l, was);
        LLVMValueRef id = LLVMBuildZExt(l->b, l->id[NAME_CTAID_X + d], l->i64, "");
        if (at) at = LLVMBuildMul(l->b, at, LLVMBuildZExt(l->b, l->id[NAME_NCTAID_X + d], l->i64, ""), "");
        at = at ? LLVMBuildAdd(l->b, at, id, "") : id;
    }
    return at;
}

static void block_ids(Loops *l, LLVMValueRef block) {
    for (int d = 0; d < 3; d++) l->id[NAME_CTAID_X + d] = load(l, l->i32, l->block_index[d], "");
    LLVMValueRef at = c64(l, offsetof(CucpuWorker, block));
    LLVMBuildStore(l->b, block_number(l, block), LLVMBuildInBoundsGEP2(l->b, l->i8, l->worker, &at, 1, ""));
}

/* The index `row` blocks further on, in the same row or at the start of the next (of those that do not run yet). */
static void next_block_ids(Loops *l, LLVMValueRef row) {
    LLVMValueRef by = LLVMBuildTrunc(l->b, row, l->i32, "");
    for (int i = 0; i < 3; i++) {
        int d = dimensions(l)[i];
        LLVMValueRef v = LLVMBuildAdd(l->b, l->id[NAME_CTAID_X + d], by, "");
        LLVMValueRef ends = LLVMBuildICmp(l->b, LLVMIntEQ, v, l->id[NAME_NCTAID_X + d], "");
        LLVMBuildStore(l->b, i < 2 ? LLVMBuildSelect(l->b, ends, c32(l, 0), v, "") : v, l->block_index[d]);
        by = i == 0 && l->stack ? LLVMBuildSelect(l->b, ends, l->stack, c32(l, 0), "")
                                : LLVMBuildZExt(l->b, ends, l->i32, "");
    }
}

/* ---- joined blocks ---- */

enum {
    MAX_JOINED = 1 << 20,   /* blocks: a row has less than 2^31 threads */
    TILE_THREADS = 1 << 14, /* of blocks with several rows; no less than a block has */
    SHARED_ROWS = 4 /* neighbours in y share what a few rows touch: those before and after, and one that is written */
};

/* The operand of cucpu.global.x, NULL where it is blockDim.x. */
static LLVMValueRef constant_stride(const Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg)
        if (name_of_call(i) == NAME_GLOBAL_X && LLVMIsAConstantInt(LLVMGetOperand(i, 0))) return LLVMGetOperand(i, 0);
    return NULL;
}

static bool joins(const Loops *l) {
    unsigned len;
    return (l->n == 1 || l->interchanged) && l->k->layout != LAYOUT_GENERAL && !l->k->m->opt->shuffle &&
           fn_attr(l->k->fn, ATTR_JOINED, &len);
}

static LLVMValueRef private_cache(Loops *l) {
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
    LLVMValueRef bytes = LLVMBuildMul(l->b, l->id[NAME_NTID_X], c32(l, SHARED_ROWS * bytes_per_thread(l)), "");
    LLVMValueRef cache =
        LLVMBuildTrunc(l->b, build_intrinsic2(l->b, "llvm.umin", private_cache(l), c64(l, INT32_MAX)), l->i32, "");
    LLVMValueRef min_tile = LLVMBuildUDiv(l->b, c32(l, TILE_THREADS), threads, ""),
                 fits = LLVMBuildUDiv(l->b, cache, bytes, "");
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntUGT, fits, min_tile, "");
    return LLVMBuildSelect(l->b, more, fits, min_tile, "tile");
}

/* The most blocks whose threads are in one row. Of blocks with several rows: as many as share a cache where a thread
** does a bounded amount of work, else as many as fill a group. */
static LLVMValueRef max_joined(Loops *l) {
    LLVMValueRef rows = LLVMBuildMul(l->b, l->id[NAME_NTID_Y], l->id[NAME_NTID_Z], "");
    LLVMValueRef flat = LLVMBuildICmp(l->b, LLVMIntEQ, rows, c32(l, 1), ""), tile = c32(l, 1);
    if (l->interchanged) {
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
    unsigned len;
    l->row_groups = LLVMBuildUDiv(l->b, l->id[NAME_ROW_END], c32(l, (uint64_t)l->k->width), "");
    if (!fn_attr(l->k->fn, ATTR_STACKED, &len)) return;
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

/* The row of threads in the loop over x, and the step of the loop over blocks along it. */
static LLVMValueRef measure_row(Loops *l, LLVMValueRef block) {
    l->id[NAME_ROW_END] = l->id[NAME_NTID_X];
    if (!joins(l)) return c64(l, 1);
    LLVMValueRef n = blocks_together(l, block);
    l->id[NAME_ROW_END] = LLVMBuildNUWMul(l->b, LLVMBuildTrunc(l->b, n, l->i32, ""), l->id[NAME_NTID_X], "row");
    if (l->interchanged) stack_rows(l, block, n);
    return n;
}

/* Rows are interchanged if the kernel's predicate is true, else the entry of the variant beside this one runs the
** blocks (kernel_table). */
static void test_predicate(Loops *l, LLVMBasicBlockRef head) {
    unsigned len, n = LLVMCountParams(l->k->fn);
    const char *name = fn_attr(l->k->fn, ATTR_INTERCHANGED, &len);
    LLVMValueRef predicate = LLVMGetNamedFunction(l->mod, arena_printf(l->a, "%.*s", (int)len, name));
    LLVMTypeRef type = LLVMGlobalGetValueType(l->entry);
    LLVMValueRef *args = arena_array(l->a, LLVMValueRef, n + 1);
    memcpy(args, l->args, n * sizeof *args);
    args[n] = private_cache(l);
    LLVMValueRef is = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(predicate), predicate, args, n + 1, "profitable");
    LLVMBasicBlockRef alone = new_block(l, "alone");
    LLVMBuildCondBr(l->b, is, head, alone);
    LLVMPositionBuilderAtEnd(l->b, alone);
    size_t size;
    const char *entry = LLVMGetValueName2(l->entry, &size);
    LLVMValueRef other = LLVMAddFunction(l->mod, arena_printf(l->a, "%s.alone", entry), type), same[4];
    LLVMGetParams(l->entry, same);
    LLVMBuildCall2(l->b, type, other, same, 4, "");
    LLVMBuildRetVoid(l->b);
}

/* No value of a block slot lives into the next block: what a second loop around barriers starts with is known to be the
** constant that it is set to. */
static void forget_slots(Loops *l) {
    for (int i = 0; i < l->slots.n; i++) {
        LLVMTypeRef t = LLVMGetAllocatedType(l->slots.v[i].cur);
        LLVMBuildStore(l->b, LLVMGetPoison(t), l->slots.v[i].cur);
        LLVMBuildStore(l->b, LLVMGetPoison(t), l->slots.v[i].next);
    }
}

static void emit_entry(Loops *l) {
    LLVMBasicBlockRef entry = new_block(l, "entry"), head = new_block(l, "block");
    l->dispatch = new_block(l, "dispatch");
    l->pick = new_block(l, "pick");
    l->suspend = new_block(l, "suspend");
    l->block_done = new_block(l, "block.done");
    l->block_next = new_block(l, "block.next");
    LLVMPositionBuilderAtEnd(l->b, entry);
    l->block = local(l, l->i64, "block");
    l->position = local(l, l->i64, "position");
    launch_values(l);
    move_allocas(l);
    block_state(l);
    LLVMBuildStore(l->b, LLVMGetParam(l->entry, 2), l->block);
    first_block_ids(l);
    unsigned len;
    if (fn_attr(l->k->fn, ATTR_INTERCHANGED, &len)) test_predicate(l, head);
    else LLVMBuildBr(l->b, head);
    LLVMPositionBuilderAtEnd(l->b, head);
    LLVMValueRef block = load(l, l->i64, l->block, "block");
    block_ids(l, block);
    LLVMValueRef step = measure_row(l, block);
    forget_slots(l);
    for (int i = 1; i < l->n; i++)
        if (l->r[i].acc) LLVMBuildStore(l->b, c32(l, name_of_call(l->r[i].barrier) == NAME_BAR_AND), l->r[i].acc);
    for (int i = 0; i < l->n; i++) l->r[i].head = new_block(l, "region");
    enter_block(l);
    for (int i = 0; i < l->n; i++) emit_region(l, &l->r[i]);
    for (int i = 0; i < l->n; i++) leave_region(l, &l->r[i]);
    emit_dispatch(l);
    end_block(l);
    next_block_ids(l, step);
    if (l->stack) step = LLVMBuildMul(l->b, step, LLVMBuildZExt(l->b, l->stack, l->i64, ""), "step");
    close_loop(l, l->block, step, LLVMGetParam(l->entry, 3), head, new_block(l, "loop.out"));
    LLVMBuildRetVoid(l->b);
}

/* Named barriers count warps, so groups must be parts of warps: as for warp-level functions. */
static void keep_thread_order(Loops *l) {
    unsigned len;
    const char *name = fn_attr(l->k->fn, ATTR_BASE, &len);
    LLVMValueRef base = name ? LLVMGetNamedFunction(l->mod, arena_printf(l->a, "%.*s", (int)len, name)) : NULL;
    if (!base) return;
    long flags = fn_attr_int(base, ATTR_FLAGS, 0) | CUCPU_KERNEL_WARP;
    fn_set_attr(base, ATTR_FLAGS, arena_printf(l->a, "%ld", flags));
}

enum { CACHE_LINE = 64 }; /* bytes */

/* The entry inherits the attributes that the kernel table needs. */
static void hand_over(Loops *l) {
    static const char *const keys[] = {
        ATTR_BASE,    ATTR_WIDTH,    ATTR_LAYOUT,       ATTR_BLOCK,    ATTR_LAUNCH,  ATTR_AFTER_ROWS,  ATTR_SHARED,
        ATTR_MAXNTID, ATTR_REQNTID,  ATTR_FLAGS,        ATTR_JOINED,   ATTR_BELOW,   ATTR_ALONG,       ATTR_ALONG_TIME,
        ATTR_SCALAR,  ATTR_COUNTERS, ATTR_INTERCHANGED, ATTR_INTERIOR, "target-cpu", "target-features"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        unsigned len;
        const char *v = fn_attr(l->k->fn, keys[i], &len);
        if (v) fn_set_attr(l->entry, keys[i], arena_printf(l->a, "%.*s", (int)len, v));
    }
    if (l->named) keep_thread_order(l);
    fn_set_attr(l->entry, ATTR_ENTRY, "");
    LLVMSetAlignment(l->entry, CACHE_LINE); /* the same code is as fast beside other variants as alone */
    fn_set_attr(l->entry, ATTR_FRAME,
                arena_printf(l->a, "%llu,%llu",
                             (unsigned long long)(l->fixed_bytes + (l->interchanged ? INTERCHANGE_BYTES : 0)),
                             (unsigned long long)(l->interchanged ? 0 : l->frame_bytes)));
}

/* Blocks of a row make the steps of a grid-stride loop together, as they all share its control (coalesce_blocks). */
static bool steps_together(const Loops *l) {
    unsigned len;
    return l->n > 1 && !l->large_offset && l->k->layout != LAYOUT_GENERAL && fn_attr(l->k->fn, ATTR_JOINED, &len) &&
           can_interchange(l);
}

Nyi loop_groups(Kernel *k) {
    LLVMContextRef c = k->m->ctx;
    Loops l = {.k = k, .a = k->arena, .b = LLVMCreateBuilderInContext(c), .mod = k->m->mod};
    l.i1 = LLVMInt1TypeInContext(c);
    l.i8 = LLVMInt8TypeInContext(c);
    l.i32 = LLVMInt32TypeInContext(c);
    l.i64 = LLVMInt64TypeInContext(c);
    l.ptr = LLVMPointerTypeInContext(c, 0);
    unsigned len;
    const char *frame = fn_attr(k->fn, ATTR_FRAME, &len);
    l.frame_bytes = frame ? strtoull(strchr(frame, ',') + 1, NULL, 10) : 0;
    find_regions(&l);
    plan_locals(&l);
    l.interchanged = fn_attr(k->fn, ATTR_INTERCHANGED, &len) != NULL;
    if (l.interchanged && !can_interchange(&l)) {
        LLVMDisposeBuilder(l.b);
        return NYI_FRAME_VALUE;
    }
    l.interchanged = l.interchanged || steps_together(&l);
    declare_entry(&l);
    emit_entry(&l);
    extend_global_ids(&l);
    mark_alias_scopes(&l);
    hand_over(&l);
    LLVMDisposeBuilder(l.b);
    LLVMSetSubprogram(k->fn, NULL);
    LLVMDeleteFunction(k->fn);
    run_llvm_passes_on(k->m, l.entry, l.slots.n ? "mem2reg,sccp,simplifycfg" : "mem2reg,simplifycfg");
    k->fn = l.entry;
    return NYI_NONE;
}
