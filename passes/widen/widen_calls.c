/* widen_calls.c: calls, and whatever is done lane by lane.
**
** Pure intrinsics and math functions get their vector form. Everything with an effect (printf, malloc, assert, a device
** function that is not inlined, an atomic) runs once per active lane in lane order, in a loop over the bits of the
** mask; operands and results are passed through vectors in memory, since a variable lane index cannot index a
** register. */
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"
#include "passes/ir/value.h"
#include "passes/ir/vector_call.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Intrinsics that work lane-wise. over: which types they are overloaded on, r result, 0 first operand; keep: operand
** (bit) that remains scalar. */
typedef struct LaneWise {
    const char *name, *over;
    unsigned keep;
} LaneWise;

static const LaneWise lane_wise[] = {
    {"llvm.fabs", "r", 0},
    {"llvm.sqrt", "r", 0},
    {"llvm.fma", "r", 0},
    {"llvm.fmuladd", "r", 0},
    {"llvm.floor", "r", 0},
    {"llvm.ceil", "r", 0},
    {"llvm.trunc", "r", 0},
    {"llvm.rint", "r", 0},
    {"llvm.nearbyint", "r", 0},
    {"llvm.round", "r", 0},
    {"llvm.roundeven", "r", 0},
    {"llvm.copysign", "r", 0},
    {"llvm.minnum", "r", 0},
    {"llvm.maxnum", "r", 0},
    {"llvm.minimum", "r", 0},
    {"llvm.maximum", "r", 0},
    {"llvm.minimumnum", "r", 0},
    {"llvm.maximumnum", "r", 0},
    {"llvm.canonicalize", "r", 0},
    {"llvm.ctpop", "r", 0},
    {"llvm.ctlz", "r", 2},
    {"llvm.cttz", "r", 2},
    {"llvm.bswap", "r", 0},
    {"llvm.bitreverse", "r", 0},
    {"llvm.fshl", "r", 0},
    {"llvm.fshr", "r", 0},
    {"llvm.smin", "r", 0},
    {"llvm.smax", "r", 0},
    {"llvm.umin", "r", 0},
    {"llvm.umax", "r", 0},
    {"llvm.abs", "r", 2},
    {"llvm.sadd.sat", "r", 0},
    {"llvm.uadd.sat", "r", 0},
    {"llvm.ssub.sat", "r", 0},
    {"llvm.usub.sat", "r", 0},
    {"llvm.sshl.sat", "r", 0},
    {"llvm.ushl.sat", "r", 0},
    {"llvm.sadd.with.overflow", "0", 0},
    {"llvm.uadd.with.overflow", "0", 0},
    {"llvm.ssub.with.overflow", "0", 0},
    {"llvm.usub.with.overflow", "0", 0},
    {"llvm.smul.with.overflow", "0", 0},
    {"llvm.umul.with.overflow", "0", 0},
    {"llvm.fptosi.sat", "r0", 0},
    {"llvm.fptoui.sat", "r0", 0},
    {"llvm.is.fpclass", "0", 2},
    {"llvm.ucmp", "r0", 0},
    {"llvm.scmp", "r0", 0},
};

static const LaneWise *find_lane_wise(const char *name) {
    for (size_t i = 0; i < sizeof lane_wise / sizeof *lane_wise; i++) {
        size_t n = strlen(lane_wise[i].name);
        if (!strncmp(name, lane_wise[i].name, n) && name[n] == '.' && !(strncmp(name + n, ".with", 5) == 0) &&
            !(strncmp(name + n, ".sat", 4) == 0))
            return &lane_wise[i];
    }
    return NULL;
}

static void widen_intrinsic(Widen *x, LLVMValueRef i, const LaneWise *row) {
    LLVMValueRef args[8];
    LLVMTypeRef over[2];
    unsigned n = LLVMGetNumArgOperands(i), nover = 0;
    for (unsigned k = 0; k < n && k < 8; k++) {
        LLVMValueRef o = LLVMGetOperand(i, k);
        args[k] = row->keep & (1u << k) ? o : vector_of(x, o);
    }
    for (const char *o = row->over; *o; o++)
        over[nover++] = *o == 'r' ? wide_type(x, LLVMTypeOf(i)) : LLVMTypeOf(args[0]);
    LLVMValueRef v = call_intrinsic(x, row->name, over, nover, args, n);
    if (LLVMCanValueUseFastMathFlags(i)) LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(i));
    if (!strcmp(row->name, "llvm.ctpop")) find_prefix_count(x, i);
    set_wide(x, i, v);
}

/* A call of the vector form NAME.v<W>, declared with the effects of the scalar one. */
static LLVMValueRef call_wide(Widen *x, LLVMValueRef i, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                              unsigned n) {
    LLVMTypeRef types[8];
    for (unsigned k = 0; k < n; k++) types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef t = LLVMFunctionType(result, types, n, 0);
    char *full = arena_printf(x->a, "%s.v%u", name, x->w);
    LLVMValueRef f = LLVMGetNamedFunction(x->mod, full);
    if (!f) {
        f = LLVMAddFunction(x->mod, full, t);
        static const char *const attrs[] = {"nounwind", "memory", "willreturn", "speculatable", "convergent"};
        LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
        for (size_t k = 0; k < sizeof attrs / sizeof *attrs; k++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(attrs[k], strlen(attrs[k]));
            LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(i), at, kind);
            if (a) LLVMAddAttributeAtIndex(f, at, a);
        }
    }
    LLVMValueRef v = LLVMBuildCall2(x->b, t, f, args, n, "");
    if (LLVMCanValueUseFastMathFlags(i) && LLVMCanValueUseFastMathFlags(v))
        LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(i));
    return v;
}

/* ---- lane by lane ---- */

typedef struct Lanes {
    LLVMBasicBlockRef before, loop, after;
    LLVMValueRef lane, bits;
} Lanes;

static LLVMValueRef spill(Widen *x, LLVMValueRef vector) {
    LLVMValueRef slot = entry_scratch(x->k->fn, LLVMTypeOf(vector), "lanes");
    LLVMBuildStore(x->b, vector, slot);
    return slot;
}

/* Vectors of i1 have no addressable elements: they are stored as bytes. */
static LLVMValueRef spill_operand(Widen *x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    if (LLVMGetElementType(t) == x->i1) return spill(x, LLVMBuildZExt(x->b, v, LLVMVectorType(x->i8, x->w), ""));
    return spill(x, v);
}

static LLVMValueRef lane_pointer(Widen *x, LLVMTypeRef e, LLVMValueRef slot, LLVMValueRef lane) {
    return LLVMBuildInBoundsGEP2(x->b, e, slot, &lane, 1, "");
}

static LLVMValueRef lane_value(Widen *x, LLVMTypeRef t, LLVMValueRef slot, LLVMValueRef lane) {
    if (t == x->i1)
        return LLVMBuildTrunc(x->b, LLVMBuildLoad2(x->b, x->i8, lane_pointer(x, x->i8, slot, lane), ""), x->i1, "");
    return LLVMBuildLoad2(x->b, t, lane_pointer(x, t, slot, lane), "");
}

static Lanes open_lanes(Widen *x, LLVMValueRef inst) {
    Lanes l;
    LLVMTypeRef t = LLVMIntTypeInContext(x->ctx, x->w);
    LLVMValueRef bits = lane_bits(x, mask_or_all(x));
    l.before = LLVMGetInstructionParent(inst);
    l.after = shim_split_block(inst, "lanes.done");
    l.loop = LLVMInsertBasicBlockInContext(x->ctx, l.after, "lanes");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(l.before);
    LLVMPositionBuilderBefore(x->b, jump);
    if (x->mask) LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntNE, bits, LLVMConstNull(t), ""), l.loop, l.after);
    else LLVMBuildBr(x->b, l.loop);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(x->b, l.loop);
    l.bits = LLVMBuildPhi(x->b, t, "bits");
    LLVMAddIncoming(l.bits, &bits, &l.before, 1);
    LLVMValueRef args[2] = {l.bits, LLVMConstInt(x->i1, 1, 0)};
    l.lane = LLVMBuildIntCast2(x->b, call_intrinsic(x, "llvm.cttz", &t, 1, args, 2), x->i64, 0, "lane");
    return l;
}

static void close_lanes(Widen *x, Lanes *l, LLVMValueRef inst) {
    LLVMTypeRef t = LLVMTypeOf(l->bits);
    LLVMValueRef less = LLVMBuildSub(x->b, l->bits, LLVMConstInt(t, 1, 0), "");
    LLVMValueRef rest = LLVMBuildAnd(x->b, l->bits, less, "rest");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(x->b);
    LLVMAddIncoming(l->bits, &rest, &end, 1);
    LLVMBuildCondBr(x->b, LLVMBuildICmp(x->b, LLVMIntNE, rest, LLVMConstNull(t), ""), l->loop, l->after);
    LLVMPositionBuilderBefore(x->b, inst);
}

/* Result slots of a per-lane instruction: one for a scalar result, one per field of a struct. */
static unsigned result_fields(LLVMTypeRef t, LLVMTypeRef *fields) {
    if (LLVMGetTypeKind(t) == LLVMVoidTypeKind) return 0;
    if (LLVMGetTypeKind(t) != LLVMStructTypeKind) {
        fields[0] = t;
        return 1;
    }
    unsigned n = LLVMCountStructElementTypes(t);
    for (unsigned i = 0; i < n && i < 16; i++) fields[i] = LLVMStructGetTypeAtIndex(t, i);
    return n;
}

static LLVMTypeRef slot_element(const Widen *x, LLVMTypeRef t) { return t == x->i1 ? x->i8 : t; }

static void put_result(Widen *x, LLVMValueRef v, LLVMTypeRef t, LLVMValueRef slot, LLVMValueRef lane) {
    if (t == x->i1) v = LLVMBuildZExt(x->b, v, x->i8, "");
    LLVMBuildStore(x->b, v, lane_pointer(x, slot_element(x, t), slot, lane));
}

static LLVMValueRef take_result(Widen *x, LLVMTypeRef t, LLVMValueRef slot) {
    LLVMTypeRef vt = LLVMVectorType(slot_element(x, t), x->w);
    LLVMValueRef v = LLVMBuildLoad2(x->b, vt, slot, "");
    return t == x->i1 ? LLVMBuildTrunc(x->b, v, LLVMVectorType(x->i1, x->w), "") : v;
}

/* Their vectors become those of the instruction. */
static void take_results(Widen *x, LLVMValueRef i, LLVMTypeRef *fields, unsigned nf, LLVMValueRef *results) {
    LLVMTypeRef t = LLVMTypeOf(i);
    vec_push(x->a, &x->dead, i);
    if (!nf) return;
    LLVMValueRef v = NULL;
    if (LLVMGetTypeKind(t) != LLVMStructTypeKind) {
        v = take_result(x, t, results[0]);
    } else {
        v = LLVMGetPoison(wide_type(x, t));
        for (unsigned f = 0; f < nf; f++)
            v = LLVMBuildInsertValue(x->b, v, take_result(x, fields[f], results[f]), f, "");
    }
    map_put(&x->wide, i, (uintptr_t)v);
    if (is_wide(x, i)) return;
    LLVMValueRef s = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetPoison(t)
                                                              : LLVMBuildExtractElement(x->b, v, first_lane(x), "");
    LLVMReplaceAllUsesWith(i, s);
}

/* Why it is done lane by lane. */
static Remark reason_of_lanes(LLVMValueRef i) {
    if (!LLVMIsACallInst(i)) return REMARK_LANES_CALL;
    if (resolved_targets(i, &(unsigned){0})) return REMARK_NONE; /* said where it was resolved */
    LLVMValueRef fn = called_function(i);
    return fn && LLVMIsDeclaration(fn) ? REMARK_LANES_CALL : REMARK_LANES_FUNCTION;
}

void for_each_lane(Widen *x, LLVMValueRef i) {
    note(x, i, DID_LANES, reason_of_lanes(i));
    LLVMTypeRef fields[16], t = LLVMTypeOf(i);
    unsigned nf = result_fields(t, fields);
    int n = LLVMGetNumOperands(i);
    LLVMValueRef *slots = arena_array(x->a, LLVMValueRef, n + 1), results[16];
    for (int k = 0; k < n; k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsConstant(o) || LLVMIsAArgument(o) || LLVMValueIsBasicBlock(o)) continue;
        if (!is_uniform(x, o)) slots[k] = spill_operand(x, vector_of(x, o));
    }
    for (unsigned f = 0; f < nf; f++) {
        LLVMTypeRef element = slot_element(x, fields[f]), lanes = LLVMVectorType(element, x->w);
        results[f] = entry_scratch(x->k->fn, lanes, "results");
        /* pointers of inactive lanes must be defined: code generation gives an undefined index of a gather the register
        ** of its result, which the CPU refuses */
        if (LLVMGetTypeKind(element) == LLVMPointerTypeKind) LLVMBuildStore(x->b, LLVMConstNull(lanes), results[f]);
    }
    LLVMValueRef *uniform = arena_array(x->a, LLVMValueRef, n + 1);
    for (int k = 0; k < n; k++)
        if (!slots[k]) uniform[k] = scalar_of(x, LLVMGetOperand(i, (unsigned)k));
    Lanes l = open_lanes(x, i);
    LLVMValueRef args[64];
    for (int k = 0; k < n && k < 64; k++)
        args[k] = slots[k] ? lane_value(x, LLVMTypeOf(LLVMGetOperand(i, (unsigned)k)), slots[k], l.lane) : uniform[k];
    LLVMValueRef c = clone_at(x->b, i);
    for (int k = 0; k < n && k < 64; k++) LLVMSetOperand(c, (unsigned)k, args[k]);
    for (unsigned f = 0; f < nf; f++) {
        bool whole = LLVMGetTypeKind(t) != LLVMStructTypeKind;
        put_result(x, whole ? c : LLVMBuildExtractValue(x->b, c, f, ""), fields[f], results[f], l.lane);
    }
    close_lanes(x, &l, i);
    take_results(x, i, fields, nf, results);
}
/* ---- vector functions ---- */

static LLVMValueRef slot_at(Widen *x, LLVMValueRef base, unsigned slot) {
    return byte_offset(x, base, (int64_t)(slot * VECTOR_SLOT(x->w)));
}

static void put_lanes(Widen *x, LLVMValueRef base, unsigned slot, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    bool wide = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    if (wide && LLVMGetElementType(t) == x->i1) v = LLVMBuildZExt(x->b, v, LLVMVectorType(x->i8, x->w), "");
    if (t == x->i1) v = LLVMBuildZExt(x->b, v, x->i8, "");
    LLVMSetAlignment(LLVMBuildStore(x->b, v, slot_at(x, base, slot)), VECTOR_ALIGN);
}

/* For all calls of the kernel: LLVM's time grows with the square of local variables that are written and passed on. */
static LLVMValueRef slots(Widen *x, LLVMValueRef *slots_of, bool results, const char *name) {
    unsigned n = 1;
    if (*slots_of) return *slots_of;
    for_each_instruction(i, x->k->fn) {
        LLVMTypeRef fields[16];
        if (!called_function(i) || !fn_has_attr(called_function(i), ATTR_VECTOR)) continue;
        unsigned of_call = results ? result_fields(LLVMTypeOf(i), fields) : LLVMGetNumArgOperands(i) + 1;
        if (of_call > n) n = of_call;
    }
    *slots_of = entry_scratch(x->k->fn, LLVMArrayType2(x->i8, (uint64_t)n * VECTOR_SLOT(x->w)), name);
    LLVMSetAlignment(*slots_of, VECTOR_ALIGN);
    return *slots_of;
}

/* The variant of vectorise_calls' kernel for as many lanes; NULL: there is none. */
static LLVMValueRef vector_function(Widen *x, LLVMValueRef called) {
    unsigned len;
    const char *lanes = LLVMIsAFunction(called) ? fn_attr(called, ATTR_VECTOR, &len) : NULL;
    if (!lanes) return NULL;
    char *name = arena_printf(x->a, "%.*s.w%u.rows_full.%ux1x1", (int)len, lanes, x->w, x->w);
    return LLVMGetNamedFunction(x->mod, name);
}

/* Gathers of inactive lanes need defined addresses, see for_each_lane. */
static void define_pointers(Widen *x, LLVMValueRef out, const LLVMTypeRef *fields, unsigned n) {
    for (unsigned f = 0; f < n; f++)
        if (LLVMGetTypeKind(fields[f]) == LLVMPointerTypeKind)
            LLVMBuildStore(x->b, LLVMConstNull(LLVMVectorType(fields[f], x->w)), slot_at(x, out, f));
}

/* In the slot of the mask: the end of the recursion's part of the stack. */
static LLVMValueRef stack_floor_at(Widen *x, LLVMValueRef in) {
    return byte_offset(x, in, (int64_t)VECTOR_SLOT(x->w) - (int64_t)sizeof(uint64_t));
}

/* A recursion that has used its part of the stack goes on lane by lane, with the frames of scalar code. */
static LLVMValueRef unless_deep(Widen *x, LLVMValueRef called, LLVMValueRef fn, LLVMValueRef in) {
    if (!fn_has_attr(called, ATTR_RECURSIVE)) return fn;
    bool inner = fn_has_attr(x->k->fn, ATTR_VECTOR);
    LLVMValueRef floor = inner ? LLVMBuildLoad2(x->b, x->i64, stack_floor_at(x, LLVMGetParam(x->k->fn, 0)), "floor")
                               : build_named_call(x->b, "cucpu_stack_floor", x->i64, NULL, 0);
    LLVMBuildStore(x->b, floor, stack_floor_at(x, in));
    if (!inner) return fn;
    LLVMValueRef low = LLVMBuildICmp(x->b, LLVMIntULT, LLVMBuildPtrToInt(x->b, in, x->i64, ""), floor, "low");
    return LLVMBuildSelect(x->b, low, scalar_vector_function(x->k->m, called, fn, x->w), fn, "");
}

/* Where a lane is active; then the builder is in the block of the call. NULL: always. */
static LLVMBasicBlockRef begin_guarded_call(Widen *x, LLVMValueRef i, LLVMValueRef called) {
    if (!x->mask || !fn_has_attr(called, ATTR_RECURSIVE)) return NULL;
    LLVMValueRef bits = lane_bits(x, x->mask),
                 any = LLVMBuildICmp(x->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), after = shim_split_block(i, "called");
    LLVMBasicBlockRef call = LLVMInsertBasicBlockInContext(x->ctx, after, "call");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMBuildCondBr(x->b, any, call, after);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(x->b, call);
    return after;
}

bool widen_vector_call(Widen *x, LLVMValueRef i) {
    LLVMValueRef called = LLVMGetCalledValue(i), fn = vector_function(x, called);
    LLVMTypeRef fields[16];
    LLVMValueRef results[16], values[VECTOR_PARAMS], args[VECTOR_PARAMS + VECTOR_FIRST];
    if (!fn) return false;
    unsigned n = LLVMGetNumArgOperands(i), nf = result_fields(LLVMTypeOf(i), fields), len;
    const char *uniform = fn_attr(called, ATTR_UNIFORM, &len);
    for (unsigned k = 0; k < n; k++)
        if (uniform[k] == '1' && !is_uniform(x, LLVMGetOperand(i, k))) return false;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef v = LLVMGetOperand(i, k);
        values[k] = uniform[k] == '1' ? scalar_of(x, v) : vector_of(x, v);
    }
    args[0] = slots(x, &x->in, false, "in"), args[1] = slots(x, &x->out, true, "out");
    define_pointers(x, args[1], fields, nf);
    LLVMValueRef mask = mask_or_all(x);
    LLVMBasicBlockRef after = begin_guarded_call(x, i, called);
    put_lanes(x, args[0], 0, mask);
    for (unsigned k = 0; k < n; k++) put_lanes(x, args[0], k + 1, values[k]);
    for (unsigned k = 2; k < n + VECTOR_FIRST; k++) args[k] = LLVMConstNull(x->i64);
    LLVMBuildCall2(x->b, LLVMGlobalGetValueType(fn), unless_deep(x, called, fn, args[0]), args, n + VECTOR_FIRST, "");
    if (after) {
        LLVMBuildBr(x->b, after);
        LLVMPositionBuilderBefore(x->b, i);
    }
    for (unsigned f = 0; f < nf; f++) results[f] = slot_at(x, args[1], f);
    take_results(x, i, fields, nf, results);
    return true;
}

/* ---- calls ---- */

/* A reducing barrier takes the predicates of all lanes; inactive lanes contribute the identity. */
static void widen_barrier(Widen *x, LLVMValueRef i, Name n) {
    if (n == NAME_BARRIER || n == NAME_BARRIER_N) {
        for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
            LLVMSetOperand(i, k, scalar_of(x, LLVMGetOperand(i, k)));
        return;
    }
    LLVMValueRef p = vector_of(x, LLVMGetOperand(i, 1));
    LLVMTypeRef t = LLVMTypeOf(p);
    if (x->mask) p = LLVMBuildSelect(x->b, x->mask, p, n == NAME_BAR_AND ? LLVMConstAllOnes(t) : LLVMConstNull(t), "");
    LLVMValueRef args[2] = {scalar_of(x, LLVMGetOperand(i, 0)), p};
    LLVMReplaceAllUsesWith(i, call_wide(x, i, name_text(n), LLVMTypeOf(i), args, 2));
    vec_push(x->a, &x->dead, i);
}

static bool has_effect(LLVMValueRef i) {
    LLVMValueRef f = LLVMGetCalledValue(i);
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef a = LLVMIsAFunction(f) ? LLVMGetEnumAttributeAtIndex(f, at, kind) : NULL;
    return !a || LLVMGetEnumAttributeValue(a) != 0;
}

static bool drop_or_keep(Widen *x, LLVMValueRef i, const char *name) {
    static const char *const hints[] = {
        "llvm.assume",    "llvm.lifetime", "llvm.dbg",       "llvm.experimental.noalias",
        "llvm.invariant", "llvm.prefetch", "llvm.donothing", "llvm.sideeffect"};
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (!strncmp(name, hints[k], strlen(hints[k]))) {
            vec_push(x->a, &x->dead, i);
            return true;
        }
    return false;
}

static void widen_named(Widen *x, LLVMValueRef i, Name n) {
    if (n == NAME_ANY) {
        widen_any(x, i);
        return;
    }
    if (n == NAME_ALL) {
        widen_all(x, i);
        return;
    }
    if (n == NAME_ACTIVE_COUNT) {
        widen_active_count(x, i);
        return;
    }
    if (n == NAME_FRONT) {
        widen_front(x, i);
        return;
    }
    if (name_queries_mask(n)) {
        widen_first(x, i);
        return;
    }
    if (name_is_barrier(n)) {
        widen_barrier(x, i, n);
        return;
    }
    if (name_is_warp_op(n)) {
        Nyi refused = widen_warp_call(x, i, n);
        if (refused != NYI_NONE) refuse_at(x, i, refused);
        return;
    }
    if (!is_wide(x, i)) return;
    LLVMValueRef stride = n == NAME_GLOBAL_X ? scalar_of(x, LLVMGetOperand(i, 0)) : NULL;
    set_wide(x, i, call_wide(x, i, name_text(n), wide_type(x, LLVMTypeOf(i)), &stride, stride != NULL));
}

/* Lanes sleep in parallel: once, as long as the longest; not if none is active. */
static void widen_sleep(Widen *x, LLVMValueRef i) {
    LLVMValueRef ns = LLVMGetOperand(i, 0);
    if (x->mask || is_wide(x, ns)) {
        LLVMValueRef v = vector_of(x, ns);
        LLVMTypeRef t = LLVMTypeOf(v);
        if (x->mask) v = LLVMBuildSelect(x->b, x->mask, v, LLVMConstNull(t), "");
        ns = call_intrinsic(x, "llvm.vector.reduce.umax", &t, 1, &v, 1);
    }
    LLVMSetOperand(i, 0, scalar_of(x, ns));
}

void widen_call(Widen *x, LLVMValueRef i) {
    const char *name = called_name(i);
    Name n = name_of_call(i);
    if (n != NAME_NONE) {
        widen_named(x, i, n);
        return;
    }
    if (!strncmp(name, "llvm.mem", 8) || !strncmp(name, "llvm.lifetime", 13))
        if (array_memory_call(x, i)) return;
    if (!strncmp(name, "llvm.memcpy", 11) && widen_copy(x, i)) return;
    if (drop_or_keep(x, i, name)) return;
    const LaneWise *row = find_lane_wise(name);
    if (!is_wide(x, i) && !has_effect(i)) return;
    if (row) {
        widen_intrinsic(x, i, row);
        return;
    }
    if (!strcmp(name, "cucpu_nanosleep")) {
        widen_sleep(x, i);
        return;
    }
    if (!strcmp(name, CHECK_BLOCK)) return; /* once for the group */
    if (widen_check(x, i) || widen_count(x, i)) return;
    if (widen_vector_call(x, i)) return;
    if (math_is_vectorizable(i)) {
        LLVMValueRef args[8];
        unsigned na = LLVMGetNumArgOperands(i);
        for (unsigned k = 0; k < na && k < 8; k++) args[k] = vector_of(x, LLVMGetOperand(i, k));
        set_wide(x, i, math_widened(x->b, i, args, x->w));
        return;
    }
    for_each_lane(x, i);
}
