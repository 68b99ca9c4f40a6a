/* shapes_calls.c: the results of calls. Ids of the execution model, warp and block exchanges by name; other functions
** are uniform in uniform arguments if they are pure (memory(none), not convergent), else varying. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"
#include <string.h>

Name shapes_name(Shapes *s, LLVMValueRef call) {
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!callee || LLVMGetValueKind(callee) != LLVMFunctionValueKind) return NAME_NONE;
    uintptr_t known = map_get(&s->names, callee, 0);
    if (known) return (Name)(known - 1);
    Name found = name_of_function(callee);
    map_put(&s->names, callee, (uintptr_t)found + 1);
    return found;
}

static Fact ranged(Fact f, int64_t lo, int64_t hi) {
    f.lo = lo;
    f.hi = hi;
    return f;
}

static Fact thread_id(Shapes *s, int dim) {
    const Group *g = &s->g;
    const int64_t maximum[3] = {1023, 1023, s->deep ? 1023 : 63};
    if (g->block[dim] == 1) return fact_const(32, 0);
    Fact f = fact_const(32, 0);
    Coef *c[3] = {&f.s.x, &f.s.y, &f.s.z};
    *c[dim] = coef_known(1);
    f.sx = f.ux = EXACT_BLOCK;
    f = ranged(f, 0, g->block[dim] ? (int64_t)g->block[dim] - 1 : maximum[dim]);
    fact_normalise(g, &f);
    return f;
}

static Fact block_dim(Shapes *s, int dim) {
    const Group *g = &s->g;
    if (g->block[dim]) return fact_const(32, g->block[dim]);
    Fact f = ranged(fact_uniform(32, SCOPE_GRID), 1, dim == 2 && !s->deep ? 64 : 1024);
    if (dim == 0 && g->rows && g->full) f.s.align = (uint32_t)g->width;
    return f;
}

static Fact grid_value(Scope scope, int64_t lo, int64_t hi) { return ranged(fact_uniform(32, scope), lo, hi); }

/* Linear thread id: in rows tid.x + ntid.x * (tid.y + ntid.y * tid.z), else a separate dimension. */
static Fact linear_id_fact(Shapes *s) {
    const Group *g = &s->g;
    if (g->rows) {
        Fact nx = block_dim(s, 0), ny = block_dim(s, 1), x = thread_id(s, 0), y = thread_id(s, 1);
        Fact plane = arith_mul(g, thread_id(s, 2), ny, (Flags){0});
        Fact row = arith_mul(g, arith_add(g, y, plane, (Flags){0}), nx, (Flags){0});
        Fact f = arith_add(g, x, row, (Flags){0});
        f.sx = f.ux = EXACT_BLOCK;
        f = ranged(f, 0, 1023);
        fact_normalise(g, &f);
        return f;
    }
    Fact f = fact_const(32, 0);
    f.s.lane = coef_known(1);
    f.sx = f.ux = EXACT_BLOCK;
    f = ranged(f, 0, 1023);
    fact_normalise(g, &f);
    return f;
}

static Fact warp_lane(Shapes *s) {
    const Group *g = &s->g;
    if (!g->in_warp) return ranged(fact_varying(32), 0, g->warp_size - 1);
    Fact f = fact_lanes(g, 32, 1, (uint32_t)g->width);
    f = ranged(f, 0, g->warp_size - 1);
    fact_align_exact(g, &f);
    return f;
}

static Fact argument(Shapes *s, LLVMValueRef call, unsigned i) { return shapes_operand(s, LLVMGetOperand(call, i)); }

LLVMValueRef shapes_block_multiple(LLVMValueRef v, uint64_t *step) {
    bool shift = opcode(v) == LLVMShl;
    if (!shift && !(opcode(v) == LLVMMul)) return NULL;
    LLVMValueRef block = LLVMGetOperand(v, 0), c = LLVMGetOperand(v, 1);
    if (name_of_call(block) != NAME_CTAID_X || !LLVMIsAConstantInt(c) || int_bits(v) != 32) return NULL;
    uint64_t n = LLVMConstIntGetZExtValue(c);
    *step = !shift ? n : n < 32 ? 1ull << n : 0;
    return block;
}

/* Rows of threads are at most 1024 long. Other products: 2^25 blocks with 64 elements each are realistic, more would be
** a guess. */
enum { MAX_ROW = 1024, MAX_STEP = 64 };

uint64_t shapes_step(LLVMValueRef kernel) {
    uint64_t maximum = 0;
    for_each_instruction(i, kernel) {
        uint64_t step = 0, limit = MAX_STEP;
        if (name_of_call(i) == NAME_GLOBAL_X && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            step = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)), limit = MAX_ROW;
        else shapes_block_multiple(i, &step);
        if (step <= limit && step > maximum) maximum = step;
    }
    return maximum;
}

static Name name_through_cast(LLVMValueRef v) {
    while (LLVMIsACastInst(v)) v = LLVMGetOperand(v, 0);
    return LLVMIsACallInst(v) ? name_of_call(v) : NAME_NONE;
}

bool shapes_has_row(LLVMValueRef kernel) {
    for_each_instruction(i, kernel) {
        if (name_of_call(i) == NAME_GLOBAL_X) return true;
        if (LLVMGetInstructionOpcode(i) != LLVMMul) continue;
        Name n[2] = {name_through_cast(LLVMGetOperand(i, 0)), name_through_cast(LLVMGetOperand(i, 1))};
        if ((n[0] == NAME_CTAID_X && n[1] == NAME_NTID_X) || (n[1] == NAME_CTAID_X && n[0] == NAME_NTID_X)) return true;
    }
    return shapes_step(kernel) != 0;
}

/* ctaid.x * stride + tid.x. Blocks may be joined (coalesce_blocks): that a block has one thread implies nothing about
** the lanes then. */
static Fact global_id(Shapes *s, LLVMValueRef call) {
    const Group *g = &s->g;
    LLVMValueRef stride = LLVMGetOperand(call, 0);
    Fact x = fact_const(32, 0);
    x.s.x = coef_known(1);
    x.sx = x.ux = EXACT_BLOCK;
    x = ranged(x, 0, 1023);
    fact_normalise(g, &x);
    Fact start = arith_mul(g, grid_value(SCOPE_BLOCK, 0, INT32_MAX - 1), argument(s, call, 0), (Flags){0});
    bool size = LLVMIsAConstantInt(stride)
                    ? LLVMConstIntGetZExtValue(stride) == g->block[0] || LLVMConstIntGetZExtValue(stride) <= s->step
                    : name_of_call(stride) == NAME_NTID_X;
    if (size && g->width > 1 && !start.s.bottom) start = ranged(start, 0, SHAPES_MAX_ROW);
    return arith_add(g, start, x, (Flags){0});
}

static bool uniform_arg(Shapes *s, LLVMValueRef call, unsigned i) {
    Fact f = argument(s, call, i);
    return fact_group_uniform(&s->g, &f);
}

static Fact pure(Shapes *s, LLVMValueRef call, int bits) {
    int n = (int)LLVMGetNumArgOperands(call);
    Fact *ops = arena_array(s->a, Fact, n + 1);
    for (int i = 0; i < n; i++) ops[i] = argument(s, call, (unsigned)i);
    return arith_opaque(&s->g, bits, ops, n);
}

/* Results that all lanes of a warp (with the same member mask) share. */
static Fact warp_wide(Shapes *s, LLVMValueRef call, int bits) {
    bool mask = !LLVMGetNumArgOperands(call) || uniform_arg(s, call, 0);
    return s->g.in_warp && mask ? fact_uniform(bits, SCOPE_GROUP) : fact_varying(bits);
}

/* Consecutive lanes that read the same lane have the same value: runs of them. */
static Fact shared_sources(Shapes *s, LLVMValueRef call, int bits) {
    const Group *g = &s->g;
    Fact from = argument(s, call, 2);
    Lanes l, r = {.bits = bits};
    if (!g->patterns || !read_lanes(g, &from, &l)) return fact_varying(bits);
    r.run = l.run;
    r.loose = l.loose;
    for (int i = 0; i < g->width; i++)
        while (l.off[i] != l.off[i & ~(r.run - 1)]) r.run /= 2;
    return r.run > 1 ? lanes_fact(g, &r) : fact_varying(bits);
}

/* All lanes of the group may read from the same lanes: those of the warp, or of a segment of which the group is a
** part. */
static bool is_one_segment(const Group *g, LLVMValueRef clamp) {
    if (!g->in_warp || !LLVMIsAConstantInt(clamp)) return false;
    uint64_t c = LLVMConstIntGetZExtValue(clamp), low = (uint64_t)g->warp_size - 1;
    return (c & low) == low && !(c >> 8 & low & ((uint64_t)g->width - 1));
}

static Fact shuffle_idx(Shapes *s, LLVMValueRef call, int bits) {
    if (!is_one_segment(&s->g, LLVMGetOperand(call, 3))) return fact_varying(bits);
    return uniform_arg(s, call, 2) ? fact_uniform(bits, SCOPE_GROUP) : shared_sources(s, call, bits);
}

/* The records of a group follow each other. */
static Fact debug_record(Shapes *s, LLVMValueRef call, int bits) {
    Fact f = fact_uniform(bits, SCOPE_GROUP);
    *(s->g.rows ? &f.s.x : &f.s.lane) = coef_known((int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)));
    return f;
}

static Fact fact_of_name(Shapes *s, LLVMValueRef call, Name name, int bits) {
    switch (name) {
    case NAME_TID_X: return thread_id(s, 0);
    case NAME_TID_Y: return thread_id(s, 1);
    case NAME_TID_Z: return thread_id(s, 2);
    case NAME_NTID_X: return block_dim(s, 0);
    case NAME_NTID_Y: return block_dim(s, 1);
    case NAME_NTID_Z: return block_dim(s, 2);
    case NAME_CTAID_X: return grid_value(SCOPE_BLOCK, 0, INT32_MAX - 1);
    case NAME_CTAID_Y: return grid_value(SCOPE_BLOCK, 0, s->swapped_grid ? INT32_MAX - 1 : 65534);
    case NAME_CTAID_Z: return grid_value(SCOPE_BLOCK, 0, s->swapped_grid ? INT32_MAX - 1 : 65534);
    case NAME_NCTAID_X: return grid_value(SCOPE_GRID, 1, INT32_MAX);
    case NAME_NCTAID_Y: return grid_value(SCOPE_GRID, 1, s->swapped_grid ? INT32_MAX : 65535);
    case NAME_NCTAID_Z: return grid_value(SCOPE_GRID, 1, s->swapped_grid ? INT32_MAX : 65535);
    case NAME_CLUSTER_X:
    case NAME_CLUSTER_Y:
    case NAME_CLUSTER_Z: return grid_value(SCOPE_GRID, 1, 16);
    case NAME_CLUSTER_SET:
    case NAME_COOPERATIVE:
    case NAME_APART: return grid_value(SCOPE_GRID, 0, 1);
    case NAME_CLUSTER_BASE: return fact_uniform(bits, SCOPE_BLOCK);
    case NAME_CLUSTER_STRIDE: return grid_value(SCOPE_GRID, 1, 1 << 24);
    case NAME_LINEAR: return linear_id_fact(s);
    case NAME_LANE: return warp_lane(s);
    case NAME_GLOBAL_X: return global_id(s, call);
    case NAME_ROW_END: return grid_value(SCOPE_BLOCK, 1, 1 << 30);
    case NAME_SHARED: return fact_uniform(bits, SCOPE_BLOCK);
    case NAME_DYN_SIZE: return grid_value(SCOPE_GRID, 0, INT32_MAX);
    case NAME_ACTIVE:
        /* in code widened before, a width of 1 represents a whole group, perhaps the masked tail */
        return s->g.full && s->g.width > 1 ? fact_uniform(bits, SCOPE_GRID) : fact_varying(bits);
    case NAME_DEBUG_RECORD: return debug_record(s, call, bits);
    case NAME_FRAME_SLOT: return fact_uniform(bits, SCOPE_GROUP);
    case NAME_BLOCK_CUR:
    case NAME_BLOCK_NEXT: return fact_uniform(bits, SCOPE_BLOCK);
    case NAME_ACTIVE_COUNT: return grid_value(SCOPE_GROUP, 0, s->g.width);
    case NAME_ANY:
    case NAME_ALL:
    case NAME_FIRST32:
    case NAME_FIRST64:
    case NAME_FIRST_PTR: return fact_uniform(bits, SCOPE_GROUP);
    case NAME_BAR_POPC:
    case NAME_BAR_AND:
    case NAME_BAR_OR: return fact_uniform(bits, SCOPE_BLOCK);
    case NAME_SHFL_IDX: return shuffle_idx(s, call, bits);
    case NAME_BALLOT:
    case NAME_VOTE_ANY:
    case NAME_VOTE_ALL:
    case NAME_VOTE_UNI:
    case NAME_ACTIVEMASK:
    case NAME_MATCH_ALL32:
    case NAME_MATCH_ALL64:
    case NAME_REDUX_ADD:
    case NAME_REDUX_UMIN:
    case NAME_REDUX_UMAX:
    case NAME_REDUX_MIN:
    case NAME_REDUX_MAX:
    case NAME_REDUX_AND:
    case NAME_REDUX_OR:
    case NAME_REDUX_XOR: return warp_wide(s, call, bits);
    default: return fact_varying(bits);
    }
}

static bool get_enum_attribute(LLVMValueRef fn, const char *name, uint64_t *value) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
    if (a && value) *value = LLVMGetEnumAttributeValue(a);
    return a != NULL;
}

/* memory(none) and not convergent: the result depends only on the arguments. */
static bool is_pure_function(LLVMValueRef callee) {
    uint64_t memory = 1;
    if (!callee || LLVMGetValueKind(callee) != LLVMFunctionValueKind) return false;
    if (get_enum_attribute(callee, "convergent", NULL)) return false;
    if (!get_enum_attribute(callee, "memory", &memory) || memory != 0) return false;
    const char *name = value_name(callee);
    return strncmp(name, "llvm.nvvm.", 10) && strncmp(name, "llvm.threadlocal", 16);
}

Fact shapes_call(Shapes *s, LLVMValueRef call) {
    int bits = shapes_bits(s, LLVMTypeOf(call));
    Name name = shapes_name(s, call);
    Fact f;
    if (name != NAME_NONE) f = fact_of_name(s, call, name, bits);
    else if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind) f = fact_uniform(0, SCOPE_GRID);
    else if (is_pure_function(LLVMGetCalledValue(call)) && LLVMGetNumArgOperands(call)) f = pure(s, call, bits);
    else f = fact_varying(bits);
    if (f.bits != bits) f = arith_opaque(&s->g, bits, &f, 1);
    fact_normalise(&s->g, &f);
    return f;
}
