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

static void find_regions(Loops *l) {
    run_llvm_passes_on(l->k->m, l->k->fn, "lcssa");
    l->cfg = cfg_build(l->a, l->k->fn);
    Barriers *barriers = barriers_find(l->a, l->cfg);
    Shapes *shapes = NULL;
    if (barriers->n > 1 && !pass_disabled(l->k->m, "frame_classes")) {
        shapes = shapes_compute(l->a, l->cfg, 1, LAYOUT_GENERAL, l->k->block);
        if (!barriers->named) barriers_judge(barriers, shapes); /* else the dispatch is dynamic anyway */
    }
    take_regions(l, barriers);
    if (pass_disabled(l->k->m, "static_dispatch") && l->n > 1) l->dynamic = true;
    find_slots(l);
    find_records(l);
    plan_dispatch(l);
    if (!l->k->m->opt->shuffle) plan_lockstep(l, shapes);
}

/* ---- the entry function: launch level ---- */

static void declare_entry(Loops *l) {
    LLVMTypeRef params[4] = {l->ptr, l->ptr, l->i64, l->i64};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(l->k->m->ctx), params, 4, 0);
    /* with -G not a mangled name: it is no place for a breakpoint at the kernel */
    char *name = arena_printf(l->a, "%s%s.entry", l->has_records ? "cucpu_blocks." : "", value_name(l->k->fn));
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
        unsigned from = i, offset = 0;
        bool of_structure = is_field_parameter(l->k->fn, i, &from, &offset);
        LLVMValueRef at = field(l, table, l->ptr, sizeof(void *) * from, "");
        if (LLVMGetEnumAttributeAtIndex(l->k->fn, i + 1, byval)) {
            l->args[i] = at;
            continue;
        }
        bool is_bool = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;
        LLVMValueRef v =
            of_structure ? field(l, at, t, offset, value_name(p)) : load(l, is_bool ? l->i8 : t, at, value_name(p));
        if (is_bool) v = LLVMBuildTrunc(l->b, v, l->i1, "");
        else if (of_structure) LLVMSetAlignment(v, 1);
        else LLVMSetAlignment(v, LLVMABIAlignmentOfType(l->k->m->dl, t));
        LLVMValueRef constant = LLVMMDNodeInContext(l->k->m->ctx, NULL, 0);
        LLVMSetMetadata(LLVMIsALoadInst(v) ? v : LLVMGetOperand(v, 0),
                        LLVMGetMDKindIDInContext(l->k->m->ctx, "invariant.load", 14), constant);
        l->args[i] = v;
    }
}

/* It reads its cluster, or whether it is cooperative or its arguments are apart. */
static bool reads_cluster(const Loops *l) {
    for_each_cfg_instruction(i, b, l->cfg) {
        Name n = name_of_call(i);
        if (n >= NAME_CLUSTER_X && n <= NAME_APART) return true;
    }
    return false;
}

static void cluster_values(Loops *l) {
    for (int d = 0; d < 3; d++)
        l->id[NAME_CLUSTER_X + d] =
            field(l, l->launch, l->i32, offsetof(CucpuLaunch, cluster) + 4 * (uint64_t)d, "cluster");
    l->id[NAME_CLUSTER_SET] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, cluster_set), "cluster.set");
    l->id[NAME_COOPERATIVE] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, cooperative), "cooperative");
    l->id[NAME_APART] = field(l, l->launch, l->i32, offsetof(CucpuLaunch, apart), "apart");
    l->id[NAME_CLUSTER_BASE] = field(l, l->worker, l->ptr, offsetof(CucpuWorker, cluster), "cluster.base");
    l->id[NAME_CLUSTER_STRIDE] = field(l, l->worker, l->i32, offsetof(CucpuWorker, cluster_stride), "cluster.stride");
}

static int dimension_of_grid(const Loops *l, int d) {
    return l->variant.swapped_grid ? swapped_dimension(d, l->variant.along) : d;
}

static void launch_values(Loops *l) {
    int along = l->variant.along; /* swapped with x */
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
    LLVMValueRef at = c64(l, l->fixed_bytes), after_row = c64(l, INTERCHANGE_BYTES);
    l->frame = l->fixed_bytes ? LLVMBuildInBoundsGEP2(l->b, l->i8, l->fixed, &at, 1, "frame") : l->fixed;
    l->row_frame = l->frame;
    if (l->split) l->frame = LLVMBuildInBoundsGEP2(l->b, l->i8, l->row_frame, &after_row, 1, "frame");
    l->groups = LLVMBuildZExt(l->b, count_groups(l), l->i64, "");
    l->rows = l->id[NAME_NTID_Y];
    if (l->interchanged) l->groups = c64(l, interchanged_groups(l));
    load_arguments(l);
    l->x = local(l, l->i32, "x");
    l->y = local(l, l->i32, "y");
    l->z = local(l, l->i32, "z");
    if (l->split) l->one = local(l, l->i32, "one");
    l->g = local(l, l->i64, "g");
    dispatch_variables(l);
    focus_variables(l);
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

/* Of blocks that run as one the first, until they run one after another; see promote_shared for `volatile`. */
static void note_block(Loops *l, LLVMValueRef block, bool of_row) {
    LLVMValueRef at = c64(l, offsetof(CucpuWorker, block)), number = block_number(l, block);
    LLVMValueRef v = LLVMBuildStore(l->b, number, LLVMBuildInBoundsGEP2(l->b, l->i8, l->worker, &at, 1, ""));
    LLVMSetVolatile(v, of_row);
}

static void block_ids(Loops *l, LLVMValueRef block) {
    for (int d = 0; d < 3; d++) l->id[NAME_CTAID_X + d] = load(l, l->i32, l->block_index[d], "");
    note_block(l, block, l->split);
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

/* Rows are interchanged if the kernel's predicate is true, else the entry of the variant beside this one runs the
** blocks (kernel_table). */
static void test_predicate(Loops *l, LLVMBasicBlockRef head) {
    unsigned n = LLVMCountParams(l->k->fn);
    LLVMValueRef predicate = LLVMGetNamedFunction(l->mod, l->variant.interchanged);
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
    if (l->variant.interchanged) test_predicate(l, head);
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
    if (l->split) {
        open_each_block(l);
        select_blocks(l, false);
        note_block(l, LLVMBuildAdd(l->b, block, LLVMBuildZExt(l->b, load(l, l->i32, l->one, ""), l->i64, ""), ""),
                   false);
        LLVMBuildBr(l->b, l->r[l->split].head);
    }
    for (int i = 0; i < l->n; i++) {
        if (l->split) select_blocks(l, l->r[i].together);
        emit_region(l, &l->r[i]);
    }
    if (l->split) select_blocks(l, true);
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
    LLVMValueRef base = l->variant.base ? LLVMGetNamedFunction(l->mod, l->variant.base) : NULL;
    if (!base) return;
    long flags = fn_attr_int(base, ATTR_FLAGS, 0) | CUCPU_KERNEL_WARP;
    fn_set_attr(base, ATTR_FLAGS, arena_printf(l->a, "%ld", flags));
}

enum { CACHE_LINE = 64 }; /* bytes */

/* The entry inherits the attributes that the kernel table needs. */
static void hand_over(Loops *l) {
    static const char *const keys[] = {ATTR_SHARED,        ATTR_MAXNTID,  ATTR_REQNTID, ATTR_FLAGS,       ATTR_JOINED,
                                       ATTR_JOINED_PREFIX, ATTR_STREAMED, "target-cpu", "target-features"};
    set_variant(l->entry, &l->variant);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        unsigned len;
        const char *v = fn_attr(l->k->fn, keys[i], &len);
        if (v) fn_set_attr(l->entry, keys[i], arena_printf(l->a, "%.*s", (int)len, v));
    }
    if (l->named) keep_thread_order(l);
    if (l->shares_rows) fn_set_attr(l->entry, ATTR_SHARED_ROWS, "");
    fn_set_attr(l->entry, ATTR_ENTRY, "");
    LLVMSetAlignment(l->entry, CACHE_LINE); /* the same code is as fast beside other variants as alone */
    fn_set_attr(
        l->entry, ATTR_FRAME,
        arena_printf(l->a, "%llu,%llu",
                     (unsigned long long)(l->fixed_bytes + (l->interchanged || l->split ? INTERCHANGE_BYTES : 0)),
                     (unsigned long long)(l->interchanged ? 0 : l->frame_bytes)));
}

/* Blocks of a row make the steps of a grid-stride loop together, as they all share its control (coalesce_blocks). */
static bool steps_together(const Loops *l) {
    unsigned len;
    return l->n > 1 && !l->large_offset && l->k->layout != LAYOUT_GENERAL && fn_attr(l->k->fn, ATTR_JOINED, &len) &&
           can_interchange(l);
}

Nyi loop_groups(Kernel *k) {
    if (fn_has_attr(k->fn, ATTR_VECTOR)) {
        finish_vector_function(k);
        return NYI_NONE;
    }
    LLVMContextRef c = k->m->ctx;
    Loops l = {
        .k = k, .a = k->arena, .b = LLVMCreateBuilderInContext(c), .mod = k->m->mod, .variant = variant_of(k->fn)};
    l.variant.width = k->width; /* a handwritten kernel has no attribute */
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
    l.interchanged = l.variant.interchanged != NULL;
    if (l.interchanged && !can_interchange(&l)) {
        LLVMDisposeBuilder(l.b);
        return NYI_FRAME_VALUE;
    }
    l.interchanged = l.interchanged || steps_together(&l);
    plan_joined_prefix(&l);
    declare_entry(&l);
    emit_entry(&l);
    extend_global_ids(&l);
    mark_alias_scopes(&l);
    describe_variables(&l);
    hand_over(&l);
    LLVMDisposeBuilder(l.b);
    LLVMSetSubprogram(k->fn, NULL);
    LLVMDeleteFunction(k->fn);
    run_llvm_passes_on(k->m, l.entry, l.slots.n ? "mem2reg,sccp,simplifycfg" : "mem2reg,simplifycfg");
    k->fn = l.entry;
    return NYI_NONE;
}
