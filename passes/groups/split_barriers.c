/* split_barriers: makes every barrier a cut: nothing but memory crosses it.
**
** in:  code of one group, barriers anywhere in its control flow
** out: each barrier starts a separate block (single predecessor, no phis); a value that was live across a barrier is
**      stored before it and loaded after it, so that loop_groups can cut the function into regions that share no SSA
**      values. Values that are only live through the code between two barriers are not loaded there.
**
** Spill classes (Sampaio et al., TOPLAS 2013, applied to frames):
**   constants, parameters, ids, what is cheap to compute from them   none, rematerialised
**   block-uniform scalars                                            one slot per block
**   broadcasts, affine vectors with unknown base or stride           slots of these scalars, rematerialised
**   everything else                                                  one slot per group (SoA by slot)
**   local arrays that are used before and after it                   memory in the frame
** Slots of values that are never live at the same barrier share memory: a phi has the slot of a value that comes to it
** from a barrier if it can, so that an accumulator of a loop with barriers is not copied. Block-uniform slots have a
** current and a next copy: a group that runs late must not read what an earlier group has stored for the phase after
** the barrier.
** Groups of a kernel with named barriers, yield points or (at width 1) warp functions are in different phases at one
** time: for them nothing is block-uniform.
** Refuses: dynamic allocas across barriers; named barriers, and those of the cluster, that a part of a group may
** reach. */
#include "passes/analysis/barriers.h"
#include "passes/analysis/cluster_lanes.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/liveness.h"
#include "passes/ir/edit.h"
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/variant.h"
#include "cpu-runtime/abi.h"
#include <stdlib.h>
#include <string.h>

typedef enum Class { CLASS_NONE, CLASS_REMAT, CLASS_BLOCK, CLASS_GROUP } Class;

typedef struct Kept {
    LLVMValueRef value; /* or the alloca */
    LLVMTypeRef stored; /* type in memory */
    bool is_alloca;
    bool shared;        /* a phi has its slot, too */
    LLVMValueRef as_of; /* a phi: the value whose slot it has; NULL: a slot of its own */
    Class class;
    Bits at; /* barriers where it is live */
    uint64_t size, align, offset;
} Kept;

typedef struct Split {
    Kernel *k;
    Arena *a;
    LLVMBuilderRef b;
    Cfg *cfg;
    Liveness *live;
    Shapes *shapes; /* of the group code: block scope */
    Vec(LLVMValueRef) barriers;
    int *bar_block;  /* block number of each barrier, -1 = unreachable */
    int *barrier_of; /* barrier that a block starts with, -1 = none */
    Bits *crossed;   /* by value number: barriers after which it is needed; NULL = none */
    Vec(Kept) slots;
    uint64_t *all; /* bytes per thread if every live value were saved, by barrier */
} Split;

static void isolate_barriers(Split *s) {
    for_each_instruction(i, s->k->fn)
        if (name_is_cut(name_of_call(i))) vec_push(s->a, &s->barriers, i);
    for (int i = 0; i < s->barriers.n; i++) shim_split_block(s->barriers.v[i], "barrier");
}

/* What is live before a barrier: its block has one predecessor, which has no other successor. */
static const LiveSet *live_before(const Split *s, int barrier) {
    static const LiveSet none;
    int b = s->bar_block[barrier];
    return b < 0 ? &none : &s->live->out[s->cfg->b[b].pred[0]];
}

/* The value, live before the barrier, is needed after it. An operand of the barrier itself alone (the predicate of a
** reducing one) is not. */
static bool live_after(const Split *s, int barrier, int n) {
    int b = s->bar_block[barrier];
    if (live_out(s->live, b, n)) return true;
    for_each_user(i, s->live->value[n]) {
        if (i != s->barriers.v[barrier] && LLVMGetInstructionParent(i) == s->cfg->b[b].bb) return true;
    }
    return false;
}

static void analyse_barriers(Split *s) {
    s->cfg = cfg_build(s->a, s->k->fn);
    s->live = liveness(s->a, s->cfg, NULL, NULL);
    s->bar_block = arena_array(s->a, int, s->barriers.n);
    s->barrier_of = arena_array(s->a, int, s->cfg->n + 1);
    s->crossed = arena_array(s->a, Bits, s->live->n + 1);
    for (int b = 0; b < s->cfg->n; b++) s->barrier_of[b] = -1;
    for (int i = 0; i < s->barriers.n; i++) {
        s->bar_block[i] = cfg_block_of(s->cfg, s->barriers.v[i]);
        if (s->bar_block[i] >= 0) s->barrier_of[s->bar_block[i]] = i;
        const LiveSet *before = live_before(s, i);
        for (int k = 0; k < before->n; k++) {
            int n = before->v[k];
            if (!live_after(s, i, n)) continue;
            if (!s->crossed[n]) s->crossed[n] = bits_new(s->a, s->barriers.n);
            bits_add(s->crossed[n], i);
        }
    }
}

/* Where operand k of a user is computed: for a barrier before it, in the block before, as the barrier remains the first
** instruction of its own. */
static LLVMValueRef position_of_use(const Split *s, LLVMValueRef user, unsigned k) {
    if (!name_is_cut(name_of_call(user))) return operand_insertion_point(user, k);
    const Block *b = &s->cfg->b[cfg_block_of(s->cfg, user)];
    return LLVMGetBasicBlockTerminator(s->cfg->b[b->pred[0]].bb);
}

/* ---- classes ---- */

static bool block_uniform(const Split *s, LLVMValueRef v) {
    if (!s->shapes || lanes_of(LLVMTypeOf(v)) != 1 || LLVMIsAAllocaInst(v)) return false;
    Scope scope = shapes_scope(s->shapes, v);
    return scope == SCOPE_GRID || scope == SCOPE_BLOCK;
}

static bool is_source(const Split *s, LLVMValueRef v);

static bool cheap_op(LLVMValueRef i) {
    Name n = name_of_call(i);
    if (n != NAME_NONE) return (n >= NAME_TID_X && n <= NAME_FRAME_SLOT) || n == NAME_ACTIVE;
    return is_op(i, OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_PTR_CAST | OP_GEP | OP_ICMP) ||
           LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i);
}

static bool extends_scalar(LLVMValueRef i) {
    return (LLVMIsASExtInst(i) || LLVMIsAZExtInst(i)) && lanes_of(LLVMTypeOf(i)) == 1;
}

/* An element that a broadcast starts with is part of it, the extension of a scalar of its load. */
static int op_cost(LLVMValueRef i) {
    bool first = LLVMIsAInsertElementInst(i) && LLVMIsUndef(LLVMGetOperand(i, 0));
    return !first && !extends_scalar(i);
}

/* Instructions needed to rematerialise v from what every region has, and from scalars of the group that have a slot of
** their own: their bytes are added to *sources (NULL: without such); > budget = too many. */
static int remat_cost(const Split *s, LLVMValueRef v, int budget, uint64_t *sources) {
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v)) return 0;
    if (block_uniform(s, v) && !cheap_op(v)) return 0; /* is in a scalar slot anyway */
    if (sources && is_source(s, v)) {
        *sources += LLVMABISizeOfType(s->k->m->dl, LLVMTypeOf(v));
        return 0;
    }
    int cost = op_cost(v);
    if (cost > budget || !cheap_op(v)) return budget + 1;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef o = LLVMGetOperand(v, (unsigned)k);
        if (LLVMIsAFunction(o)) continue;
        cost += remat_cost(s, o, budget - cost, sources);
        if (cost > budget) return budget + 1;
    }
    return cost;
}

/* A scalar that a vector is broadcast from, or an affine one has as base or stride, and that is expensive to compute
** again: saved in place of the vector. */
static bool is_source(const Split *s, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v) || lanes_of(LLVMTypeOf(v)) != 1) return false;
    if (extends_scalar(v)) return false; /* what it extends is smaller */
    return remat_cost(s, v, (int)COST_REMAT_SCALAR, NULL) > (int)COST_REMAT_SCALAR;
}

/* Computing v again takes less than loading it: a vector may need scalars that have at most half of its bytes. */
static bool is_remat(const Split *s, LLVMValueRef v) {
    uint64_t sources = 0, size = LLVMABISizeOfType(s->k->m->dl, LLVMTypeOf(v));
    int budget = (int)COST_REMAT;
    return remat_cost(s, v, budget, is_vector(v) ? &sources : NULL) <= budget && 2 * sources <= size;
}

static LLVMValueRef remat(Split *s, LLVMValueRef v, PtrMap *made, bool vector) {
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v) || (block_uniform(s, v) && !cheap_op(v))) return v;
    if (vector && is_source(s, v)) return v;
    LLVMValueRef c = map_ptr(made, v);
    if (c) return c;
    LLVMValueRef ops[8];
    int n = LLVMGetNumOperands(v);
    for (int k = 0; k < n && k < 8; k++) {
        LLVMValueRef o = LLVMGetOperand(v, (unsigned)k);
        ops[k] = LLVMIsAFunction(o) ? o : remat(s, o, made, vector);
    }
    c = clone_at(s->b, v);
    for (int k = 0; k < n && k < 8; k++) LLVMSetOperand(c, (unsigned)k, ops[k]);
    map_put(made, v, (uintptr_t)c);
    return c;
}

/* Rematerialises v for every use outside its block. */
static void rematerialise_value(Split *s, LLVMValueRef v) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, v) vec_push(s->a, &users, user);
    for (int i = 0; i < users.n; i++)
        for (int k = 0; k < LLVMGetNumOperands(users.v[i]); k++) {
            if (LLVMGetOperand(users.v[i], (unsigned)k) != v) continue;
            LLVMValueRef at = position_of_use(s, users.v[i], (unsigned)k);
            if (LLVMGetInstructionParent(at) == home) continue;
            PtrMap made = map_new(s->a);
            LLVMPositionBuilderBefore(s->b, at);
            LLVMSetOperand(users.v[i], (unsigned)k, remat(s, v, &made, is_vector(v)));
        }
}

static void rematerialise_all(Split *s) {
    Vec(LLVMValueRef) todo = {0};
    for (int n = 0; n < s->live->n; n++) {
        LLVMValueRef v = s->live->value[n];
        if (LLVMIsAAllocaInst(v) || LLVMIsAPHINode(v) || !cheap_op(v) || !s->crossed[n]) continue;
        if (is_remat(s, v)) vec_push(s->a, &todo, v);
    }
    /* users first: a chain is copied from its end, its inner values then lose their uses */
    for (int i = todo.n - 1; i >= 0; i--) rematerialise_value(s, todo.v[i]);
    if (!todo.n) return;
    delete_dead(s->k->fn);
    analyse_barriers(s);
}

/* ---- blocks of a row that ran as one (joined_prefix.c) ---- */

static int find_split(const Split *s) {
    unsigned len;
    if (!fn_attr(s->k->fn, ATTR_JOINED_PREFIX, &len)) return -1;
    for (int i = 0; i < s->barriers.n; i++) {
        LLVMValueRef b = s->barriers.v[i];
        if (name_of_call(b) == NAME_BARRIER && is_constant(LLVMGetOperand(b, 0), BARRIER_OF_BLOCKS)) return i;
    }
    return -1;
}

static void forget_split(const Split *s) { fn_remove_attr(s->k->fn, ATTR_JOINED_PREFIX); }

/* A value of a thread that lives on after the barrier where the row ends has another name from there on: its slot is
** one of the block. */
static void rename_after_split(Split *s) {
    int split = find_split(s);
    if (split < 0) return;
    LLVMBuilderRef b = s->b;
    int at = s->bar_block[split];
    bool any = false;
    for (int n = 0; n < s->live->n; n++) {
        LLVMValueRef v = s->live->value[n], name = NULL;
        if (!s->crossed[n] || !bits_has(s->crossed[n], split) || LLVMIsAAllocaInst(v) || block_uniform(s, v)) continue;
        for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
            LLVMValueRef user = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            for (unsigned k = 0; k < value_operands(user); k++) {
                int in = cfg_number(s->cfg, LLVMGetInstructionParent(position_of_use(s, user, k)));
                if (user == name || LLVMGetOperand(user, k) != v || in < 0 || !cfg_dominates(s->cfg, at, in)) continue;
                LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(s->barriers.v[split]));
                if (!name) name = LLVMBuildFreeze(b, v, "");
                LLVMSetOperand(user, k, name);
                any = true;
                break;
            }
        }
    }
    if (any) analyse_barriers(s);
}

/* ---- slots ---- */

static LLVMTypeRef stored_type(const Split *s, LLVMTypeRef t) {
    LLVMContextRef c = s->k->m->ctx;
    if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1) return LLVMInt8TypeInContext(c);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        LLVMTypeRef e = LLVMGetElementType(t);
        unsigned w = LLVMGetVectorSize(t);
        if (LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 1)
            return w >= 8 ? LLVMIntTypeInContext(c, w) : LLVMVectorType(LLVMInt8TypeInContext(c), w);
    }
    return t;
}

/* To the type in memory, or back: booleans are bytes there, vectors of them one integer or bytes. */
static LLVMValueRef converted(Split *s, LLVMValueRef v, LLVMTypeRef to) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (t == to) return v;
    return LLVMGetTypeKind(t) != LLVMGetTypeKind(to) ? LLVMBuildBitCast(s->b, v, to, "")
                                                     : LLVMBuildIntCast2(s->b, v, to, 0, "");
}

static void size_slot(const Split *s, Kept *x) {
    uint64_t size = LLVMABISizeOfType(s->k->m->dl, x->stored), align = LLVMABIAlignmentOfType(s->k->m->dl, x->stored);
    if (align > 64) align = 64;
    x->align = align;
    x->size = (size + align - 1) / align * align;
}

static void value_slots(Split *s) {
    for (int n = 0; n < s->live->n; n++) {
        LLVMValueRef v = s->live->value[n];
        if (LLVMIsAAllocaInst(v) || !s->crossed[n]) continue;
        Kept x = {.value = v, .stored = stored_type(s, LLVMTypeOf(v)), .at = s->crossed[n]};
        x.class = block_uniform(s, v) ? CLASS_BLOCK : CLASS_GROUP;
        size_slot(s, &x);
        vec_push(s->a, &s->slots, x);
    }
}

static void reach_blocks(const Split *s, int from, Bits seen) {
    int *stack = arena_array(s->a, int, s->cfg->n + 1), sp = 0;
    stack[sp++] = from;
    bits_add(seen, from);
    while (sp) {
        int b = stack[--sp];
        for (int i = 0; i < s->cfg->b[b].nsucc; i++) {
            int t = s->cfg->b[b].succ[i];
            if (!bits_has(seen, t)) {
                bits_add(seen, t);
                stack[sp++] = t;
            }
        }
    }
}

/* Blocks that access the memory of an alloca, also through derived pointers. */
static bool accessed(Split *s, LLVMValueRef p, Bits where, PtrMap *seen) {
    if (map_get(seen, p, 0)) return true;
    map_put(seen, p, 1);
    for_each_user(i, p) {
        if (!LLVMIsAInstruction(i)) return false;
        int b = cfg_block_of(s->cfg, i);
        if (b >= 0) bits_add(where, b);
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMGetElementPtr:
        case LLVMBitCast:
        case LLVMAddrSpaceCast:
        case LLVMPHI:
        case LLVMSelect:
        case LLVMInsertElement:
        case LLVMShuffleVector:
            if (!accessed(s, i, where, seen)) return false;
            break;
        case LLVMLoad: break;
        case LLVMStore:
            if (LLVMGetOperand(i, 0) == p) return false;
            break;
        case LLVMCall: {
            LLVMValueRef f = LLVMGetCalledValue(i);
            const char *name = LLVMIsAFunction(f) ? value_name(f) : "";
            if (strncmp(name, "llvm.", 5)) return false;
            break;
        }
        default: return false;
        }
    }
    return true;
}

static Nyi alloca_slots(Split *s) {
    Bits *after = arena_array(s->a, Bits, s->barriers.n + 1);
    for (int i = 0; i < s->barriers.n; i++) {
        after[i] = bits_new(s->a, s->cfg->n);
        if (s->bar_block[i] >= 0) reach_blocks(s, s->bar_block[i], after[i]);
    }
    for (int n = 0; n < s->live->n; n++) {
        LLVMValueRef v = s->live->value[n];
        if (!LLVMIsAAllocaInst(v) || is_scratch(v)) continue;
        Bits where = bits_new(s->a, s->cfg->n);
        PtrMap seen = map_new(s->a);
        bool known = accessed(s, v, where, &seen);
        Kept x = {.value = v,
                  .is_alloca = true,
                  .class = CLASS_GROUP,
                  .stored = LLVMGetAllocatedType(v),
                  .at = bits_new(s->a, s->barriers.n)};
        bool any = false;
        for (int i = 0; i < s->barriers.n; i++) {
            bool before = !known, after_barrier = !known;
            for (int b = 0; b < s->cfg->n && known; b++) {
                if (!bits_has(where, b)) continue;
                if (bits_has(after[i], b)) after_barrier = true;
                Bits from = bits_new(s->a, s->cfg->n);
                reach_blocks(s, b, from);
                if (s->bar_block[i] >= 0 && bits_has(from, s->bar_block[i])) before = true;
            }
            if (before && after_barrier) {
                bits_add(x.at, i);
                any = true;
            }
        }
        if (!any) continue;
        int split = find_split(s);
        if (split >= 0 && bits_has(x.at, split)) forget_split(s);
        LLVMValueRef count = LLVMGetOperand(v, 0);
        if (!LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1) return NYI_FRAME_VALUE;
        size_slot(s, &x);
        uint64_t align = LLVMGetAlignment(v);
        if (align > x.align) x.align = align > 64 ? 64 : align;
        x.size = (x.size + x.align - 1) / x.align * x.align;
        vec_push(s->a, &s->slots, x);
    }
    return NYI_NONE;
}

static bool interfere(const Split *s, const Kept *x, const Kept *y) {
    for (int w = 0; w <= s->barriers.n / 64; w++)
        if (x->at[w] & y->at[w]) return true;
    return false;
}

/* ---- phis that have the slot of a value that comes to them ---- */

static Kept *slot_of(const Split *s, LLVMValueRef v) {
    for (int i = 0; i < s->slots.n; i++)
        if (s->slots.v[i].value == v) return &s->slots.v[i];
    return NULL;
}

/* At the end of block `from` the slot of x has its value: each path to it comes from a barrier where x is live, without
** its definition in between. */
static bool slot_holds(const Split *s, const Kept *x, int from) {
    Bits seen = bits_new(s->a, s->cfg->n);
    int *stack = arena_array(s->a, int, s->cfg->n + 1), sp = 0, home = cfg_block_of(s->cfg, x->value);
    stack[sp++] = from;
    bits_add(seen, from);
    while (sp) {
        int n = stack[--sp];
        const Block *b = &s->cfg->b[n];
        if (n == home || !b->npred) return false;
        if (s->barrier_of[n] >= 0) {
            if (!bits_has(x->at, s->barrier_of[n])) return false;
            continue;
        }
        for (int i = 0; i < b->npred; i++)
            if (!bits_has(seen, b->pred[i])) {
                bits_add(seen, b->pred[i]);
                stack[sp++] = b->pred[i];
            }
    }
    return true;
}

/* The value is needed after an edge on which something else is stored in its slot. */
static bool is_overwritten(const Split *s, LLVMValueRef v, LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        int from = cfg_number(s->cfg, LLVMGetIncomingBlock(phi, k));
        if (LLVMGetIncomingValue(phi, k) != v && live_out(s->live, from, live_number(s->live, v))) return true;
    }
    return false;
}

/* The slot that a phi can have: what comes along the other edges is stored there, on each edge. */
static Kept *slot_for_phi(const Split *s, const Kept *phi) {
    Kept *found = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi->value); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi->value, k);
        Kept *x = slot_of(s, LLVMGetIncomingValue(phi->value, k));
        bool holds = x && x != phi && x->class == CLASS_GROUP && !x->is_alloca && x->stored == phi->stored &&
                     slot_holds(s, x, cfg_number(s->cfg, from));
        if (!holds && LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(from)) != 1) return NULL;
        if (holds && found && found != x) return NULL;
        if (holds) found = x;
    }
    if (!found || found->as_of || found->shared || interfere(s, found, phi)) return NULL;
    return is_overwritten(s, found->value, phi->value) ? NULL : found;
}

static void share_slots(Split *s) {
    if (find_split(s) >= 0) return; /* slots of another size after it */
    for (int i = 0; i < s->slots.n; i++) {
        Kept *x = &s->slots.v[i], *of;
        if (x->is_alloca || x->class != CLASS_GROUP || x->shared || !LLVMIsAPHINode(x->value)) continue;
        if (!(of = slot_for_phi(s, x))) continue;
        x->as_of = of->value;
        of->shared = true;
    }
}

static int by_align(const void *p, const void *q) {
    const Kept *x = p, *y = q;
    if (x->align != y->align) return x->align < y->align ? 1 : -1;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return 0;
}

/* The records of -G come first; returns their size. */
static uint64_t place_records(const Kernel *k, LLVMBuilderRef b) {
    unsigned kind = LLVMGetMDKindIDInContext(k->m->ctx, DEBUG_RECORDS, strlen(DEBUG_RECORDS));
    Vec(LLVMValueRef) calls = {0};
    uint64_t bytes = 0;
    for_each_instruction(i, k->fn)
        if (name_of_call(i) == NAME_DEBUG_RECORD) vec_push(k->arena, &calls, i);
    for (int i = 0; i < calls.n; i++) {
        LLVMValueRef call = calls.v[i], mark = LLVMMDNodeInContext(k->m->ctx, NULL, 0);
        bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) * (uint64_t)k->width;
        LLVMValueRef args[2] = {const_i32(k->fn, 0), const_i32(k->fn, bytes)};
        set_insert_point(b, call);
        LLVMValueRef slot = name_call(b, k->m->mod, NAME_FRAME_SLOT, args, 2, "record");
        LLVMSetMetadata(slot, kind, mark);
        replace_instruction(call, slot);
    }
    return bytes;
}

/* Offsets per group, after what is there already. Slots are laid out by decreasing alignment, so that offset * groups
** remains aligned; a slot may reuse an earlier one of at least its size that is never live with it. */
static uint64_t lay_out_frame(Split *s, uint64_t total) {
    if (s->slots.n) qsort(s->slots.v, (size_t)s->slots.n, sizeof(Kept), by_align);
    uint64_t ids = 0;
    for (int i = 0; i < s->slots.n; i++) {
        Kept *x = &s->slots.v[i];
        if (x->class == CLASS_BLOCK) {
            x->offset = ids++;
            continue;
        }
        if (x->as_of) continue;
        bool placed = false;
        for (int j = 0; j < i && !placed && !x->shared; j++) {
            const Kept *host = &s->slots.v[j];
            if (host->class != CLASS_GROUP || host->shared || host->as_of || host->size != x->size ||
                host->align != x->align)
                continue;
            bool free_here = true;
            for (int l = 0; l < i; l++)
                if (s->slots.v[l].class == CLASS_GROUP && !s->slots.v[l].as_of &&
                    s->slots.v[l].offset == host->offset && interfere(s, &s->slots.v[l], x))
                    free_here = false;
            if (free_here) {
                x->offset = host->offset;
                placed = true;
            }
        }
        if (placed) continue;
        x->offset = total;
        total += x->size;
    }
    for (int i = 0; i < s->slots.n; i++)
        if (s->slots.v[i].as_of) s->slots.v[i].offset = slot_of(s, s->slots.v[i].as_of)->offset;
    return total;
}

static LLVMValueRef slot_pointer(Split *s, const Kept *x, bool next) {
    LLVMValueRef args[2] = {const_i32(s->k->fn, x->offset), const_i32(s->k->fn, x->size)};
    Name n = x->class == CLASS_GROUP ? NAME_FRAME_SLOT : next ? NAME_BLOCK_NEXT : NAME_BLOCK_CUR;
    return name_call(s->b, s->k->m->mod, n, args, 2, "slot");
}

/* Barriers that a group reaches with a value that its slot does not have: straight from the definition. From one
** barrier to the next the slot keeps it, as whatever shares the slot is not needed after either. */
static Bits barriers_from_definition(Split *s, const Kept *x) {
    Bits found = bits_new(s->a, s->barriers.n), seen = bits_new(s->a, s->cfg->n);
    int *stack = arena_array(s->a, int, s->cfg->n + 1), sp = 0;
    stack[sp++] = cfg_block_of(s->cfg, x->value);
    while (sp) {
        const Block *b = &s->cfg->b[stack[--sp]];
        for (int i = 0; i < b->nsucc; i++) {
            int t = b->succ[i];
            if (bits_has(seen, t)) continue;
            bits_add(seen, t);
            if (s->barrier_of[t] >= 0) bits_add(found, s->barrier_of[t]);
            else stack[sp++] = t;
        }
    }
    return found;
}

static void store_to_slot(Split *s, LLVMBasicBlockRef before, LLVMValueRef v, const Kept *x) {
    LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(before));
    v = converted(s, v, x->stored);
    LLVMBuildStore(s->b, v, slot_pointer(s, x, true));
}

/* On the edges to a phi with the slot of another value: of what is not there. */
static void store_on_edges(Split *s, const Kept *phi) {
    const Kept *of = slot_of(s, phi->as_of);
    for (unsigned k = 0; k < LLVMCountIncoming(phi->value); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi->value, k);
        LLVMValueRef v = LLVMGetIncomingValue(phi->value, k);
        if (v != of->value || !slot_holds(s, of, cfg_number(s->cfg, from))) store_to_slot(s, from, v, phi);
    }
}

static void demote(Split *s, Kept *x) {
    LLVMTypeRef t = LLVMTypeOf(x->value);
    LLVMValueRef local = entry_alloca(s->k->fn, t, "live");
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, x->value) vec_push(s->a, &users, user);
    for (int i = 0; i < users.n; i++)
        for (int k = 0; k < LLVMGetNumOperands(users.v[i]); k++) {
            if (LLVMGetOperand(users.v[i], (unsigned)k) != x->value) continue;
            LLVMPositionBuilderBefore(s->b, position_of_use(s, users.v[i], (unsigned)k));
            LLVMSetOperand(users.v[i], (unsigned)k, LLVMBuildLoad2(s->b, t, local, ""));
        }
    LLVMValueRef def = x->value;
    LLVMPositionBuilderBefore(s->b, LLVMIsAPHINode(def) ? first_after_phis(LLVMGetInstructionParent(def))
                                                        : LLVMGetNextInstruction(def));
    LLVMBuildStore(s->b, def, local);
    Bits stored = x->class == CLASS_BLOCK ? x->at
                  : x->as_of              ? bits_new(s->a, s->barriers.n)
                                          : barriers_from_definition(s, x);
    for (int i = 0; i < s->barriers.n; i++) {
        if (!bits_has(x->at, i)) continue;
        LLVMValueRef bar = s->barriers.v[i], v;
        LLVMBasicBlockRef before = s->cfg->b[s->cfg->b[s->bar_block[i]].pred[0]].bb;
        if (bits_has(stored, i)) {
            LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(before));
            store_to_slot(s, before, LLVMBuildLoad2(s->b, t, local, ""), x);
        }
        LLVMPositionBuilderBefore(s->b, LLVMGetNextInstruction(bar));
        v = LLVMBuildLoad2(s->b, x->stored, slot_pointer(s, x, false), "kept");
        LLVMBuildStore(s->b, converted(s, v, t), local);
    }
}

static void move_alloca(Split *s, Kept *x) {
    Vec(LLVMValueRef) users = {0};
    for_each_user(user, x->value) vec_push(s->a, &users, user);
    for (int i = 0; i < users.n; i++) {
        LLVMValueRef user = users.v[i];
        Name lifetime = NAME_NONE;
        if (LLVMIsACallInst(user) && LLVMIsAFunction(LLVMGetCalledValue(user)) &&
            !strncmp(value_name(LLVMGetCalledValue(user)), "llvm.lifetime", 13)) {
            LLVMInstructionEraseFromParent(user);
            continue;
        }
        (void)lifetime;
        for (int k = 0; k < LLVMGetNumOperands(user); k++) {
            if (LLVMGetOperand(user, (unsigned)k) != x->value) continue;
            LLVMPositionBuilderBefore(s->b, operand_insertion_point(user, (unsigned)k));
            LLVMSetOperand(user, (unsigned)k, slot_pointer(s, x, false));
        }
    }
    LLVMInstructionEraseFromParent(x->value);
}

/* ---- statistics ---- */

/* What a scheme without classes saves: each live value once per thread. */
static void measure_all(Split *s) {
    s->all = arena_array(s->a, uint64_t, s->barriers.n + 1);
    for (int i = 0; i < s->barriers.n; i++)
        for (int k = 0; k < live_before(s, i)->n; k++) {
            LLVMValueRef v = s->live->value[live_before(s, i)->v[k]];
            if (LLVMIsAAllocaInst(v)) continue;
            uint64_t size = LLVMABISizeOfType(s->k->m->dl, stored_type(s, LLVMTypeOf(v)));
            bool vector = is_vector(v);
            s->all[i] += vector ? (size + (uint64_t)s->k->width - 1) / (uint64_t)s->k->width : size;
        }
}

static bool prints_frames(const Kernel *k) { return k->m->opt->report && strstr(k->m->opt->report, "frames"); }
static bool reports_frames(const Kernel *k) { return prints_frames(k) || report_is_main(k); }

static void report_frames(Split *s) {
    const char *name = value_name(s->k->fn);
    for (int i = 0; i < s->barriers.n; i++) {
        uint64_t group = 0, block = 0, local = 0;
        for (int j = 0; j < s->slots.n; j++) {
            const Kept *x = &s->slots.v[j];
            if (!bits_has(x->at, i)) continue;
            if (x->is_alloca) local += x->size;
            else if (x->class == CLASS_BLOCK) block += x->size;
            else group += x->size;
        }
        report_barrier(s->k, s->barriers.v[i], (double)group / s->k->width, block, s->all[i]);
        if (prints_frames(s->k))
            fprintf(stderr,
                    "frames: %s: barrier at line %u: %.2f bytes per thread and %llu per block saved, %llu per thread "
                    "without "
                    "classes; local arrays %llu\n",
                    name, diag_line(s->barriers.v[i]), (double)group / s->k->width, (unsigned long long)block,
                    (unsigned long long)s->all[i], (unsigned long long)(local / (uint64_t)s->k->width));
    }
}

static bool arrives_whole(const Kernel *k, const Shapes *shapes, LLVMValueRef barrier, int block) {
    if (shapes_block_divergent(shapes, block)) return false;
    if (k->width <= k->m->opt->warp_size) return true; /* CUDA requires the same operands in a warp */
    int n = (int)LLVMGetNumArgOperands(barrier);
    for (int i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(barrier, (unsigned)i);
        if (int_bits(v) > 1 && !shapes_is_uniform(shapes, v)) return false;
    }
    return true;
}

/* A group arrives as one, also where linearise has serialised code of several branches: so named barriers must be where
** all lanes of a group are active, which the code of one thread shows. */
static Nyi full_groups_arrive(const Kernel *k) {
    const Variant v = variant_of(k->fn);
    if (k->width == 1 || !v.base) return NYI_NONE;
    LLVMValueRef base = LLVMGetNamedFunction(k->m->mod, v.base);
    bool cluster = fn_attr_int(k->fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_CLUSTER;
    if (!has_named_barriers(base) && !cluster) return NYI_NONE; /* at most yield points */
    Cfg *cfg = cfg_build(k->arena, base);
    Shapes *shapes = shapes_compute_warp(k->arena, cfg, k->width, k->layout, k->block, k->m->opt->warp_size);
    if (cluster && !lanes_reach_clusters_together(k->arena, cfg, shapes)) return NYI_CLUSTER_LANES;
    if (!has_named_barriers(base)) return NYI_NONE;
    for_each_cfg_instruction(i, b, cfg)
        if (name_is_cut(name_of_call(i)) && !arrives_whole(k, shapes, i, b)) return NYI_NAMED_BARRIER;
    return NYI_NONE;
}

Nyi split_barriers(Kernel *k) {
    Split s = {.k = k, .a = k->arena, .b = LLVMCreateBuilderInContext(k->m->ctx)};
    uint64_t frame = 0;
    Nyi refused = full_groups_arrive(k);
    bool named = has_named_barriers(k->fn);
    if (refused != NYI_NONE) {
        LLVMDisposeBuilder(s.b);
        return refused;
    }
    frame = place_records(k, s.b);
    isolate_barriers(&s);
    if (s.barriers.n) {
        /* shapes handles values that leave a loop at different times as LCSSA phis, which linearise removed */
        run_llvm_passes_on(k->m, k->fn, "lcssa");
        analyse_barriers(&s);
        if (reports_frames(k)) measure_all(&s);
        if (pass_disabled(k->m, "frame_classes")) forget_split(&s);
        else {
            if (!named) s.shapes = shapes_compute(s.a, s.cfg, 1, LAYOUT_GENERAL, k->block);
            rematerialise_all(&s);
            rename_after_split(&s);
            if (!named) s.shapes = shapes_compute(s.a, s.cfg, 1, LAYOUT_GENERAL, k->block);
        }
        value_slots(&s);
        refused = alloca_slots(&s);
        if (refused == NYI_NONE) {
            share_slots(&s);
            frame = lay_out_frame(&s, frame);
            for (int i = 0; i < s.slots.n; i++)
                if (s.slots.v[i].as_of) store_on_edges(&s, &s.slots.v[i]);
            for (int i = 0; i < s.slots.n; i++)
                if (s.slots.v[i].is_alloca) move_alloca(&s, &s.slots.v[i]);
                else demote(&s, &s.slots.v[i]);
            if (reports_frames(k)) report_frames(&s);
            run_llvm_passes_on(k->m, k->fn, "mem2reg");
            delete_dead(k->fn);
        }
    }
    LLVMDisposeBuilder(s.b);
    fn_set_attr(k->fn, ATTR_FRAME, arena_printf(k->arena, "0,%llu", (unsigned long long)frame));
    return refused;
}
