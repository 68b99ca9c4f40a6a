/* sink_affine: broadcasts and affine vectors are formed where they are used, inside the loop, when a
** loop needs more vector registers than there are.
**
** in:  optimised entries.  LLVM's LICM and GVN have hoisted every splat of a uniform value, and every
**      splat + lane numbers, out of all loops: each takes a vector register throughout
** out: in loops whose estimated pressure is above the register file such vectors are formed again in
**      the block that uses them; across the loop lives a general register, or the kernel's parameter
**      in memory, which an instruction can broadcast as it reads it
** Late: nothing behind this pass hoists but the code generator's own LICM, which knows the pressure.
** Not sunk: splats of floats that are no parameters, as these are in vector registers themselves;
** what an inner loop uses often costs an instruction there, so loops that fit are left alone. */
#include "passes/analysis/liveness.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

/* Blocks times values: the sets of live values grow with the product; larger functions are left as they are. */
enum { MOST_WORK = 1 << 24 };

typedef struct Sink {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    Cfg *cfg;
    int *pressure; /* of blocks: vector registers that are live at one place */
    unsigned invariant;
} Sink;

static int registers(const Sink *s, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind) return 1;
    if (k != LLVMVectorTypeKind) return 0;
    LLVMTypeRef e = LLVMGetElementType(t);
    if (LLVMGetTypeKind(e) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(e) == 1) return 0;
    uint64_t bits = LLVMSizeOfTypeInBits(s->m->dl, t);
    return (int)((bits + s->m->vector_bits - 1) / s->m->vector_bits);
}

static int block_pressure(const Sink *s, const Liveness *l, int b) {
    Bits live = bits_new(s->a, l->n);
    int now = 0, most;
    for (int i = 0; i < l->n; i++)
        if (bits_has(l->out[b], i)) {
            bits_add(live, i);
            now += registers(s, l->value[i]);
        }
    most = now;
    for (LLVMValueRef i = LLVMGetLastInstruction(s->cfg->b[b].bb); i; i = LLVMGetPreviousInstruction(i)) {
        int n = live_number(l, i);
        if (n >= 0 && bits_has(live, n)) {
            bits_del(live, n);
            now -= registers(s, i);
        }
        if (LLVMIsAPHINode(i)) continue;
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            n = live_number(l, LLVMGetOperand(i, (unsigned)k));
            if (n < 0 || bits_has(live, n)) continue;
            bits_add(live, n);
            now += registers(s, l->value[n]);
        }
        if (now > most) most = now;
    }
    return most;
}

static bool too_many(const Sink *s, int loop) {
    for (int b = s->cfg->l[loop].first; b <= s->cfg->l[loop].last; b++)
        if (s->pressure[b] > (int)s->m->vector_regs) return true;
    return false;
}

/* ---- what can be formed anew ---- */

static LLVMValueRef splat_source(LLVMValueRef v) {
    if (!LLVMIsAShuffleVectorInst(v)) return NULL;
    LLVMValueRef in = LLVMGetOperand(v, 0);
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (LLVMGetMaskValue(v, (int)i) != 0) return NULL;
    if (!LLVMIsAInsertElementInst(in) || !LLVMIsUndef(LLVMGetOperand(in, 0))) return NULL;
    return LLVMIsNull(LLVMGetOperand(in, 2)) ? LLVMGetOperand(in, 1) : NULL;
}

/* Frees a vector register: the scalar is in a general one, or in memory that does not change. */
static bool is_cheap_source(const Sink *s, LLVMValueRef x) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(x));
    if (LLVMIsALoadInst(x) && LLVMGetMetadata(x, s->invariant)) return true;
    return k == LLVMIntegerTypeKind || k == LLVMPointerTypeKind;
}

/* The splat in an affine vector: itself, or an operand beside constants. */
static LLVMValueRef splat_in(LLVMValueRef v) {
    if (!LLVMIsABinaryOperator(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind) return splat_source(v) ? v : NULL;
    if (LLVMGetInstructionOpcode(v) != LLVMAdd) return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef o = LLVMGetOperand(v, i);
        if (LLVMIsConstant(LLVMGetOperand(v, 1 - i)) && splat_source(o)) return o;
    }
    return NULL;
}

static LLVMValueRef form(Sink *s, LLVMValueRef v) {
    LLVMValueRef splat = splat_in(v), x = splat_source(splat), in = LLVMGetOperand(splat, 0);
    if (LLVMIsALoadInst(x) && LLVMGetMetadata(x, s->invariant)) x = clone_at(s->b, x);
    LLVMValueRef element = clone_at(s->b, in), r;
    LLVMSetOperand(element, 1, x);
    r = clone_at(s->b, splat);
    LLVMSetOperand(r, 0, element);
    if (splat == v) return r;
    LLVMValueRef sum = clone_at(s->b, v);
    LLVMSetOperand(sum, LLVMGetOperand(v, 0) == splat ? 0 : 1, r);
    return sum;
}

/* ---- where ---- */

/* The outermost loop around block `use` that is not around block `def`; -1 = none. */
static int loop_between(const Sink *s, int def, int use) {
    int r = -1;
    for (int l = s->cfg->b[use].loop; l >= 0 && !cfg_loop_contains(s->cfg, l, def); l = s->cfg->l[l].parent) r = l;
    return r;
}

static bool uses(LLVMValueRef user, LLVMValueRef v) {
    for (int k = 0; k < LLVMGetNumOperands(user); k++)
        if (LLVMGetOperand(user, (unsigned)k) == v) return !LLVMIsAPHINode(user);
    return false;
}

static void sink_into(Sink *s, LLVMValueRef v, int block) {
    LLVMValueRef formed = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->b[block].bb); i; i = LLVMGetNextInstruction(i)) {
        if (!uses(i, v)) continue;
        LLVMPositionBuilderBefore(s->b, i);
        if (!formed) formed = form(s, v);
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (LLVMGetOperand(i, (unsigned)k) == v) LLVMSetOperand(i, (unsigned)k, formed);
    }
}

static void sink(Sink *s, LLVMValueRef v) {
    int def = cfg_number(s->cfg, LLVMGetInstructionParent(v));
    Bits blocks = bits_new(s->a, s->cfg->n);
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef i = LLVMGetUser(u);
        int b = cfg_number(s->cfg, LLVMGetInstructionParent(i)), l;
        if (b < 0 || b == def || LLVMIsAPHINode(i) || splat_in(i)) continue;
        l = loop_between(s, def, b);
        if (l >= 0 && too_many(s, l)) bits_add(blocks, b);
    }
    for (int b = 0; b < s->cfg->n; b++)
        if (bits_has(blocks, b)) sink_into(s, v, b);
}

static void sink_all(Sink *s, LLVMValueRef fn) {
    Vec(LLVMValueRef) todo = {0};
    uint64_t values = 0;
    s->cfg = cfg_build(s->a, fn);
    if (!s->cfg->nloops) return;
    for (int b = 0; b < s->cfg->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef splat = splat_in(i);
            if (splat && is_cheap_source(s, splat_source(splat))) vec_push(s->a, &todo, i);
            values++;
        }
    if (!todo.n || values * (uint64_t)s->cfg->n > MOST_WORK) return;
    Liveness *l = liveness(s->a, s->cfg);
    s->pressure = arena_array(s->a, int, s->cfg->n);
    for (int b = 0; b < s->cfg->n; b++) s->pressure[b] = block_pressure(s, l, b);
    for (int i = 0; i < todo.n; i++) sink(s, todo.v[i]);
    delete_dead(fn);
}

bool sink_affine(Module *m) {
    if (pass_disabled(m, "sink_affine") || m->opt->opt_level < 2) return true;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        unsigned len;
        if (!fn_attr(f, ATTR_ENTRY, &len) || fn_attr_int(f, ATTR_WIDTH, 1) == 1) continue;
        Arena a = {0};
        Sink s = {.m = m, .a = &a, .b = LLVMCreateBuilderInContext(m->ctx)};
        s.invariant = LLVMGetMDKindIDInContext(m->ctx, "invariant.load", 14);
        sink_all(&s, f);
        LLVMDisposeBuilder(s.b);
        arena_free(&a);
    }
    return true;
}
