/* sink_affine: broadcasts and affine vectors are rematerialised at their uses inside a loop that needs more vector
** registers than there are.
**
** in:  optimised entries. LLVM's LICM and GVN have hoisted every splat of a uniform value, and every splat + lane ids,
**      out of all loops: each occupies a vector register throughout
** out: in loops whose estimated pressure is above the register file such vectors are rematerialised in the block that
**      uses them; live across the loop is a general register, or memory, which an instruction can broadcast as it reads
**      it: the kernel's parameter, or a slot on the stack that a float is stored in once
**
** Order: what is expensive to rematerialise is kept. The cost of a value is the number of blocks in such loops where it
** is rematerialised (many blocks: its next use is near) times that of its class: a scalar in memory is an operand of
** the instruction that uses it, a general register is broadcast, an affine vector is broadcast and added to. The
** cheapest are sunk until the loop fits.
** Late: after this pass only the code generator's own LICM hoists, and that knows the pressure.
** A float has a vector register of its own: where its splat is sunk it gets a slot of its size, a scalar spill, where
** the code generator would spill the vector. What an inner loop uses often costs an instruction there, so loops that
** fit are left alone. */
#include "passes/analysis/liveness.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include "passes/ir/variant.h"
#include <stdlib.h>

/* Blocks times vectors: the largest size of the sets of live values; larger functions are left as they are. */
enum { MAX_WORK = 1 << 25 };
/* Registers kept free: the code generator orders instructions differently from the IR, and needs some more. */
enum { SPARE = 4 };

typedef struct User {
    LLVMValueRef i;
    int block;
    uintptr_t index; /* its index in the function */
} User;

typedef struct Sink {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    Cfg *cfg;
    int *excess;     /* loop -> largest number of live vector registers in excess of those there are; <= 0: it fits */
    int *into;       /* block -> the value, by its number, that is rematerialised there */
    PtrMap order;    /* instruction -> its index in the function */
    PtrMap slots;    /* float -> its slot */
    Vec(User) users; /* of the current value */
    unsigned invariant;
} Sink;

static int registers(const Sink *s, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return !is_vector(v) && is_float_or_double(t) ? 1 : vector_registers(s->m, t);
}

static bool has_registers(const void *s, LLVMValueRef v) { return registers(s, v) > 0; }

typedef struct Count {
    const Sink *s;
    const Liveness *live;
    int now, maximum;
} Count;

static void change(void *context, int n, int by) {
    Count *c = context;
    c->now += by * registers(c->s, c->live->value[n]);
}

static void here(void *context) {
    Count *c = context;
    if (c->now > c->maximum) c->maximum = c->now;
}

/* The maximum over the blocks of each loop; true if one does not fit. */
static bool find_excess(Sink *s) {
    Liveness *l = liveness(s->a, s->cfg, has_registers, s);
    s->excess = arena_array(s->a, int, s->cfg->nloops + 1);
    bool any = false;
    for (int b = 0; b < s->cfg->n; b++) {
        Count count = {s, l, 0, 0};
        live_scan(l, b, change, here, &count);
        int over = count.maximum - (int)s->m->vector_regs + SPARE;
        for (int i = s->cfg->b[b].loop; i >= 0; i = s->cfg->l[i].parent)
            if (over > s->excess[i]) s->excess[i] = over, any = true;
    }
    return any;
}

/* v is no longer live across loop l, nor across the loops inside it. */
static void relieve(Sink *s, int l, LLVMValueRef v) {
    for (int i = 0; i < s->cfg->nloops; i++)
        if (s->cfg->l[i].first >= s->cfg->l[l].first && s->cfg->l[i].last <= s->cfg->l[l].last)
            s->excess[i] -= registers(s, v);
}

/* ---- rematerialisation ---- */

static LLVMValueRef splat_source(LLVMValueRef v) {
    if (!LLVMIsAShuffleVectorInst(v)) return NULL;
    LLVMValueRef in = LLVMGetOperand(v, 0);
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (LLVMGetMaskValue(v, (int)i) != 0) return NULL;
    if (!LLVMIsAInsertElementInst(in) || !LLVMIsUndef(LLVMGetOperand(in, 0))) return NULL;
    return LLVMIsNull(LLVMGetOperand(in, 2)) ? LLVMGetOperand(in, 1) : NULL;
}

static bool is_invariant_load(const Sink *s, LLVMValueRef x) {
    return LLVMIsALoadInst(x) && LLVMGetMetadata(x, s->invariant);
}

/* Frees a vector register: the scalar is in a general register, in memory that does not change, or may have a slot. */
static bool is_cheap_source(const Sink *s, LLVMValueRef x) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(x));
    return is_invariant_load(s, x) || k == LLVMIntegerTypeKind || k == LLVMPointerTypeKind ||
           is_float_or_double(LLVMTypeOf(x));
}

static bool is_in_memory(const Sink *s, LLVMValueRef x) {
    return is_invariant_load(s, x) || is_float_or_double(LLVMTypeOf(x));
}

/* Stored after its definition. */
static LLVMValueRef slot_of(Sink *s, LLVMValueRef x, LLVMValueRef fn) {
    LLVMValueRef slot = map_ptr(&s->slots, x);
    if (slot) return slot;
    slot = entry_alloca(fn, LLVMTypeOf(x), "scalar");
    map_put(&s->slots, x, (uintptr_t)slot);
    LLVMValueRef at = !LLVMIsAInstruction(x) ? LLVMGetNextInstruction(slot)
                      : LLVMIsAPHINode(x)    ? first_after_phis(LLVMGetInstructionParent(x))
                                             : LLVMGetNextInstruction(x);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(s->m->ctx);
    LLVMPositionBuilderBefore(b, at);
    LLVMBuildStore(b, x, slot);
    LLVMDisposeBuilder(b);
    return slot;
}

/* x again, at the builder. */
static LLVMValueRef read_again(Sink *s, LLVMValueRef x) {
    if (is_invariant_load(s, x)) return clone_at(s->b, x);
    if (!is_float_or_double(LLVMTypeOf(x))) return x;
    LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(s->b));
    return LLVMBuildLoad2(s->b, LLVMTypeOf(x), slot_of(s, x, fn), "");
}

/* The splat in an affine vector: itself, or an operand beside constants. */
static LLVMValueRef splat_in(LLVMValueRef v) {
    if (!LLVMIsABinaryOperator(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return splat_source(v) ? v : NULL;
    if (LLVMGetInstructionOpcode(v) != LLVMAdd) return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef o = LLVMGetOperand(v, i);
        if (LLVMIsConstant(LLVMGetOperand(v, 1 - i)) && splat_source(o)) return o;
    }
    return NULL;
}

static LLVMValueRef rematerialise(Sink *s, LLVMValueRef v) {
    LLVMValueRef splat = splat_in(v), x = splat_source(splat), in = LLVMGetOperand(splat, 0);
    x = read_again(s, x);
    LLVMValueRef element = clone_at(s->b, in), r;
    LLVMSetOperand(element, 1, x);
    r = clone_at(s->b, splat);
    LLVMSetOperand(r, 0, element);
    if (splat == v) return r;
    LLVMValueRef sum = clone_at(s->b, v);
    LLVMSetOperand(sum, LLVMGetOperand(v, 0) == splat ? 0 : 1, r);
    return sum;
}

/* ---- insertion points ---- */

/* The outermost loop around block `use` that is not around block `def`; -1 = none. */
static int loop_between(const Sink *s, int def, int use) {
    int r = -1;
    for (int l = s->cfg->b[use].loop; l >= 0 && !cfg_loop_contains(s->cfg, l, def); l = s->cfg->l[l].parent) r = l;
    return r;
}

static int by_index(const void *a, const void *b) {
    const User *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Blocks with a use for which it is profitable; *loop is the outermost loop around one of them. Returns their
** number. */
static int find_blocks(Sink *s, LLVMValueRef v, int stamp, int *loop) {
    int def = cfg_block_of(s->cfg, v), n = 0;
    for_each_user(i, v) {
        int b = cfg_block_of(s->cfg, i), l;
        if (b < 0 || b == def || s->into[b] == stamp || LLVMIsAPHINode(i) || splat_in(i)) continue;
        l = loop_between(s, def, b);
        if (l < 0 || s->excess[l] <= 0) continue;
        s->into[b] = stamp;
        *loop = l;
        n++;
    }
    return n;
}

/* One copy in each such block, for all its uses there. */
static void sink(Sink *s, LLVMValueRef v, int stamp) {
    int loop = -1;
    if (!find_blocks(s, v, stamp, &loop)) return;
    s->users.n = 0;
    for_each_user(i, v) {
        int b = cfg_block_of(s->cfg, i);
        if (b < 0 || s->into[b] != stamp || LLVMIsAPHINode(i)) continue;
        vec_push(s->a, &s->users, ((User){i, b, map_get(&s->order, i, 0)}));
    }
    qsort(s->users.v, (size_t)s->users.n, sizeof(User), by_index);
    LLVMValueRef formed = NULL;
    for (int n = 0; n < s->users.n; n++) {
        LLVMValueRef i = s->users.v[n].i;
        if (!n || s->users.v[n].block != s->users.v[n - 1].block) {
            LLVMPositionBuilderBefore(s->b, i);
            formed = rematerialise(s, v);
        }
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (LLVMGetOperand(i, (unsigned)k) == v) LLVMSetOperand(i, (unsigned)k, formed);
    }
    relieve(s, loop, v);
}

typedef struct Candidate {
    LLVMValueRef v;
    int cost, number;
} Candidate;

static int by_cost(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1) : x->number - y->number;
}

/* The cost, per iteration of the loops that it is rematerialised in, of v not being in a register. */
static int cost(Sink *s, LLVMValueRef v, int stamp) {
    LLVMValueRef splat = splat_in(v);
    int class = splat != v ? 3 : is_in_memory(s, splat_source(splat)) ? 1 : 2, loop;
    return class * find_blocks(s, v, stamp, &loop);
}

static void number_instructions(Sink *s) {
    uintptr_t n = 0;
    map_init(&s->order, s->a);
    for_each_cfg_instruction(i, b, s->cfg) map_put(&s->order, i, ++n);
}

static void sink_all(Sink *s, LLVMValueRef fn) {
    Vec(Candidate) todo = {0};
    uint64_t values = 0;
    s->cfg = cfg_build(s->a, fn);
    if (!s->cfg->nloops) return;
    for_each_cfg_instruction(i, b, s->cfg) {
        LLVMValueRef splat = splat_in(i);
        if (splat && is_cheap_source(s, splat_source(splat))) vec_push(s->a, &todo, ((Candidate){i, 0, todo.n}));
        values += has_registers(s, i);
    }
    if (!todo.n || values * (uint64_t)s->cfg->n > MAX_WORK) return;
    if (!find_excess(s)) return;
    s->into = arena_array(s->a, int, s->cfg->n);
    number_instructions(s);
    map_init(&s->slots, s->a);
    for (int i = 0; i < todo.n; i++) todo.v[i].cost = cost(s, todo.v[i].v, i + 1);
    qsort(todo.v, (size_t)todo.n, sizeof(Candidate), by_cost);
    for (int i = 0; i < todo.n; i++) sink(s, todo.v[i].v, todo.n + i + 1);
    delete_dead(fn);
}

bool sink_affine(Module *m) {
    if (pass_disabled(m, "sink_affine") || m->opt->opt_level < 2) return true;
    for_each_function(f, m->mod) {
        if (!is_wide_entry(f)) continue;
        Arena a = {0};
        Sink s = {.m = m, .a = &a, .b = LLVMCreateBuilderInContext(m->ctx)};
        s.invariant = LLVMGetMDKindIDInContext(m->ctx, "invariant.load", 14);
        sink_all(&s, f);
        LLVMDisposeBuilder(s.b);
        arena_free(&a);
    }
    return true;
}
