/* widen: per-thread code with uniform control flow becomes code of a group of W lanes.
**
** in:  linearised code: every branch is uniform, blocks may start with cucpu.mask(m)
** out: varying values are <W x T>; uniform values and affine ones (base + stride*lane) remain scalar, an affine value
**      holding that of lane 0; vectors of them are built where a lane-wise use needs one. No cucpu.mask, no warp-level
**      function is left.
**
** A scalar that remains is its own lane-0 form: tid.x is the first lane's id from here on, so address arithmetic needs
** no rewriting at all. Only marked values are rebuilt: those whose shape is varying, and those that depend on them and
** have no lane-0 form.
** Operations on inactive lanes are harmless: memory is masked, division was guarded by normalise_cfg, masks never read
** poison. */
#include "passes/analysis/lane_cost.h"
#include "passes/widen/widen.h"
#include "passes/ir/edit.h"
#include "passes/ir/report.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

LLVMValueRef c32(const Widen *x, uint64_t v) { return LLVMConstInt(x->i32, v, 0); }
LLVMValueRef c64(const Widen *x, uint64_t v) { return LLVMConstInt(x->i64, v, 0); }

void refuse_at(Widen *x, LLVMValueRef inst, Nyi reason) {
    if (x->refused == NYI_NONE) {
        x->refused = reason;
        x->k->refused_at = inst;
    }
}

LLVMTypeRef wide_type(const Widen *x, LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMStructTypeKind: {
        LLVMTypeRef e[16];
        unsigned n = LLVMCountStructElementTypes(t);
        for (unsigned i = 0; i < n && i < 16; i++) e[i] = wide_type(x, LLVMStructGetTypeAtIndex(t, i));
        return LLVMStructTypeInContext(x->ctx, e, n < 16 ? n : 16, 0);
    }
    case LLVMVoidTypeKind: return t;
    default: return LLVMVectorType(t, x->w);
    }
}

static bool has_wide_type(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMPointerTypeKind:
    case LLVMVoidTypeKind: return true;
    case LLVMStructTypeKind:
        if (LLVMCountStructElementTypes(t) > 16) return false;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++) {
            LLVMTypeRef e = LLVMStructGetTypeAtIndex(t, i);
            if (LLVMGetTypeKind(e) == LLVMStructTypeKind || !has_wide_type(e)) return false;
        }
        return true;
    default: return false;
    }
}

LLVMValueRef call_intrinsic(Widen *x, const char *name, LLVMTypeRef *over, unsigned nover, LLVMValueRef *args,
                            unsigned n) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(x->mod, id, over, nover);
    LLVMTypeRef t = LLVMIntrinsicGetType(x->ctx, id, over, nover);
    return LLVMBuildCall2(x->b, t, f, args, n, "");
}

/* ---- values ---- */

bool is_wide(const Widen *x, LLVMValueRef v) { return map_get(&x->marked, v, 0) != 0; }

/* The value by which shapes knows a value: instructions that replaced others are looked up by the original. */
static LLVMValueRef known_as(const Widen *x, LLVMValueRef v) {
    LLVMValueRef o = map_ptr(&x->origin, v);
    return o ? o : v;
}

bool is_uniform(const Widen *x, LLVMValueRef v) { return shapes_is_uniform(x->s, known_as(x, v)); }

bool lane_stride(const Widen *x, LLVMValueRef v, int64_t *stride) {
    return shapes_lane_stride(x->s, known_as(x, v), stride);
}

int lane_runs(const Widen *x, LLVMValueRef v, int64_t *offset) {
    v = known_as(x, v);
    return x->mask && shapes_runs_active(x->s, v) ? 0 : shapes_runs(x->s, v, offset);
}
bool in_order(const Widen *x, LLVMValueRef v, bool is_signed) {
    return shapes_in_order(x->s, known_as(x, v), is_signed);
}

bool address_is_valid(const Widen *x, LLVMValueRef p) {
    int b = (int)map_get(&x->valid, p, 0);
    return b && cfg_dominates(x->c, b - 1, x->block);
}

/* Records the address that all lanes access. */
static void note_address(Widen *x, LLVMValueRef p) {
    if (!x->mask && !map_get(&x->valid, p, 0)) map_put(&x->valid, p, (uintptr_t)x->block + 1);
}

LLVMValueRef splat(Widen *x, LLVMValueRef v) {
    if (LLVMIsConstant(v)) {
        LLVMValueRef e[64];
        for (unsigned i = 0; i < x->w; i++) e[i] = v;
        return LLVMConstVector(e, x->w);
    }
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(v), x->w);
    LLVMValueRef one = LLVMBuildInsertElement(x->b, LLVMGetPoison(t), v, c64(x, 0), "");
    return LLVMBuildShuffleVector(x->b, one, LLVMGetPoison(t), LLVMConstNull(LLVMVectorType(x->i32, x->w)), "splat");
}

LLVMValueRef iota(Widen *x, LLVMTypeRef element) {
    LLVMValueRef e[64];
    for (unsigned i = 0; i < x->w; i++) e[i] = LLVMConstInt(element, i, 0);
    return LLVMConstVector(e, x->w);
}

static LLVMValueRef constants(const Widen *x, LLVMTypeRef t, const int64_t *v) {
    LLVMValueRef c[64];
    for (unsigned i = 0; i < x->w; i++) c[i] = LLVMConstInt(t, (uint64_t)v[i], 1);
    return LLVMConstVector(c, x->w);
}

/* Lane 0's value + a constant for each lane. */
static LLVMValueRef lanes_vector(Widen *x, LLVMValueRef v, const int64_t *offset) {
    LLVMTypeRef t = LLVMTypeOf(v);
    bool pointer = LLVMGetTypeKind(t) == LLVMPointerTypeKind;
    LLVMValueRef lanes = constants(x, pointer ? x->i64 : t, offset);
    if (pointer) return LLVMBuildGEP2(x->b, x->i8, v, &lanes, 1, "lanes");
    return LLVMBuildAdd(x->b, splat(x, v), lanes, "lanes");
}

/* tid.x & c, where groups start at multiples of W and c has no bit above them. */
static bool is_low_bits(const Widen *x, LLVMValueRef v) {
    int64_t stride;
    if (LLVMGetInstructionOpcode(v) != LLVMAnd || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return false;
    LLVMValueRef id = LLVMGetOperand(v, 0);
    return LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) < x->w && lane_stride(x, id, &stride) && stride == 1 &&
           shapes_align(x->s, id) >= x->w;
}

static LLVMValueRef constants_of_lanes(Widen *x, LLVMValueRef v, int depth) {
    if (LLVMIsAConstantInt(v)) return splat(x, v);
    if (!LLVMIsAInstruction(v) || depth > 8) return NULL;
    if (name_of_call(v) == NAME_LANE) return (int)x->w == x->k->m->opt->warp_size ? iota(x, x->i32) : NULL;
    bool cast = LLVMIsATruncInst(v) || LLVMIsAZExtInst(v) || LLVMIsASExtInst(v);
    if (!cast && !LLVMIsABinaryOperator(v)) return NULL;
    LLVMValueRef a =
        is_low_bits(x, v) ? iota(x, LLVMTypeOf(v)) : constants_of_lanes(x, LLVMGetOperand(v, 0), depth + 1);
    LLVMValueRef b = a && !cast ? constants_of_lanes(x, LLVMGetOperand(v, 1), depth + 1) : a, r;
    if (!a || !b) return NULL;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (cast) r = LLVMBuildCast(x->b, op, a, wide_type(x, LLVMTypeOf(v)), "");
    else r = LLVMBuildBinOp(x->b, op, a, b, "");
    return LLVMIsConstant(r) ? r : NULL;
}

LLVMValueRef warp_constants(Widen *x, LLVMValueRef v) { return constants_of_lanes(x, v, 0); }

static LLVMValueRef struct_vector(Widen *x, LLVMValueRef v) {
    LLVMValueRef r = LLVMGetPoison(wide_type(x, LLVMTypeOf(v)));
    for (unsigned i = 0; i < LLVMCountStructElementTypes(LLVMTypeOf(v)); i++)
        r = LLVMBuildInsertValue(x->b, r, splat(x, LLVMBuildExtractValue(x->b, v, i, "")), i, "");
    return r;
}

/* Positions the builder right after the definition of v. */
static void position_after(Widen *x, LLVMValueRef v) {
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    if (!LLVMIsAInstruction(v)) {
        LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->k->fn));
        while (LLVMIsAAllocaInst(i)) i = LLVMGetNextInstruction(i);
        LLVMPositionBuilderBefore(x->b, i);
    } else if (LLVMIsAPHINode(v)) {
        LLVMPositionBuilderBefore(x->b, first_after_phis(LLVMGetInstructionParent(v)));
    } else {
        LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(v));
    }
}

LLVMValueRef vector_of(Widen *x, LLVMValueRef v) {
    LLVMValueRef r = map_ptr(&x->wide, v);
    if (r) return r;
    if (LLVMIsPoison(v)) return LLVMGetPoison(wide_type(x, LLVMTypeOf(v)));
    if (LLVMIsUndef(v)) return LLVMGetUndef(wide_type(x, LLVMTypeOf(v)));
    if (LLVMIsConstant(v) && LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMStructTypeKind) return splat(x, v);
    if (!is_uniform(x, v) && (r = warp_constants(x, v))) {
        map_put(&x->wide, v, (uintptr_t)r);
        return r;
    }
    LLVMBasicBlockRef bb = LLVMGetInsertBlock(x->b);
    LLVMMetadataRef where = LLVMGetCurrentDebugLocation2(x->b);
    /* the builder is before some instruction: remember it by a marker */
    LLVMValueRef marker = LLVMBuildFreeze(x->b, LLVMGetPoison(x->i1), "");
    position_after(x, v);
    int64_t offset[64];
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMStructTypeKind) r = struct_vector(x, v);
    else if (!is_uniform(x, v) && lane_runs(x, v, offset) == (int)x->w) r = lanes_vector(x, v, offset);
    else r = splat(x, v);
    map_put(&x->wide, v, (uintptr_t)r);
    (void)bb;
    LLVMValueRef at = LLVMGetNextInstruction(marker);
    if (at) LLVMPositionBuilderBefore(x->b, at);
    else LLVMPositionBuilderAtEnd(x->b, LLVMGetInstructionParent(marker));
    LLVMInstructionEraseFromParent(marker);
    LLVMSetCurrentDebugLocation2(x->b, where);
    return r;
}

/* A widened value that all active lanes share (or differ by constants): taken from the first of them. */
LLVMValueRef scalar_of(Widen *x, LLVMValueRef v) {
    if (!is_wide(x, v)) return v;
    int64_t offset[64];
    LLVMValueRef lane = x->mask ? first_lane(x) : c32(x, 0);
    LLVMValueRef r = LLVMBuildExtractElement(x->b, vector_of(x, v), lane, "first");
    if (!is_uniform(x, v) && x->mask && lane_runs(x, v, offset) == (int)x->w) {
        bool pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
        LLVMTypeRef t = pointer ? x->i64 : LLVMTypeOf(v);
        int64_t stride;
        bool affine = lane_stride(x, v, &stride);
        for (unsigned i = 0; i < x->w; i++) offset[i] = -offset[i];
        LLVMValueRef n = LLVMBuildIntCast2(x->b, lane, t, 0, "");
        n = affine ? LLVMBuildMul(x->b, n, LLVMConstInt(t, (uint64_t)-stride, 1), "")
                   : LLVMBuildExtractElement(x->b, constants(x, t, offset), lane, "");
        r = pointer ? LLVMBuildGEP2(x->b, x->i8, r, &n, 1, "") : LLVMBuildAdd(x->b, r, n, "");
    }
    return r;
}

void set_wide(Widen *x, LLVMValueRef inst, LLVMValueRef v) {
    map_put(&x->wide, inst, (uintptr_t)v);
    vec_push(x->a, &x->dead, inst);
}

/* ---- remarks ---- */

/* Remarks once per kernel, not once per layout. */
static bool emits_remarks(const Widen *x) {
    return x->k->layout == LAYOUT_ROWS_FULL && !x->k->block[0] && !x->variant.along;
}

static const char *const did_names[DID_COUNT] = {"uniform",     "contiguous",   "strided", "gather_scatter",
                                                 "local_array", "lane_by_lane", "masked"};

void note(Widen *x, LLVMValueRef inst, Did what, Remark why) {
    x->did[what]++;
    map_put(&x->noted, inst, (uintptr_t)what + 1);
    report_access(x->k, inst, did_names[what], x->mask != NULL);
    if (x->mask) x->did[DID_MASKED]++;
    if (why && emits_remarks(x)) diag_remark_plain(&x->k->m->diag, inst, why);
}

/* What tells the variant from the others of its kernel. */
static const char *which_variant(const Widen *x) {
    switch (variant_kind(&x->variant)) {
    case VARIANT_SWAPPED: return x->variant.along == 2 ? " along z" : " along y";
    case VARIANT_INTERCHANGED: return ", loop interchanged";
    case VARIANT_WIDE: return ", for rows that fill them";
    case VARIANT_NARROW: return ", for short rows";
    default: return "";
    }
}

static void report(Widen *x) {
    const Variant *v = &x->variant;
    unsigned branches = 0;
    if (v->scalar || v->counters[0]) return; /* beside the variants that this remark describes */
    const char *base = v->base ? v->base : "kernel";
    for (int b = 0; b < x->c->n; b++) branches += x->c->b[b].nsucc == 2;
    long divergent = fn_attr_int(x->k->fn, ATTR_DIVERGENT, 0);
    if (emits_remarks(x) || v->along)
        diag_remark(&x->k->m->diag, x->k->fn, VECTORIZED, x->k->width, which_variant(x), x->did[DID_UNIFORM],
                    x->did[DID_CONTIGUOUS], x->did[DID_STRIDED], x->did[DID_GATHER], x->did[DID_LOCAL],
                    x->did[DID_LANES], divergent, branches);
    if (!x->k->m->opt->report || !strstr(x->k->m->opt->report, "vector")) return;
    char *kernel = shim_json_string(base, strlen(base));
    fprintf(stderr, "{\"kernel\": %s, \"width\": %d, \"layout\": %d", kernel, x->k->width, (int)x->k->layout);
    free(kernel);
    if (x->k->block[0]) fprintf(stderr, ", \"block\": [%u, %u, %u]", x->k->block[0], x->k->block[1], x->k->block[2]);
    if (v->along) fprintf(stderr, ", \"along\": \"%c\"", v->along == 2 ? 'z' : 'y');
    for (int i = 0; i < DID_COUNT; i++) fprintf(stderr, ", \"%s\": %d", did_names[i], x->did[i]);
    if (fn_has_attr(x->k->fn, ATTR_REGISTERS))
        fprintf(stderr, ", \"registers\": %ld", fn_attr_int(x->k->fn, ATTR_REGISTERS, 0));
    fprintf(stderr, ", \"divergent_branches\": %ld, \"uniform_branches\": %u}\n", divergent, branches);
}

/* ---- masks ---- */

LLVMValueRef all_lanes(const Widen *x) { return LLVMConstAllOnes(LLVMVectorType(x->i1, x->w)); }
LLVMValueRef mask_or_all(Widen *x) { return x->mask ? x->mask : all_lanes(x); }

/* LLVM does not fold this cast of a constant before the layout of data is known to the folder. */
static LLVMValueRef constant_bits(const Widen *x, LLVMValueRef mask) {
    uint64_t bits = 0;
    if (!LLVMIsConstant(mask) || x->w > 64) return NULL;
    for (unsigned i = 0; i < x->w; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(mask, i);
        if (!e || !LLVMIsAConstantInt(e)) return NULL;
        bits |= LLVMConstIntGetZExtValue(e) << i;
    }
    return LLVMConstInt(LLVMIntTypeInContext(x->ctx, x->w), bits, 0);
}

LLVMValueRef lane_bits(Widen *x, LLVMValueRef mask) {
    LLVMValueRef constant = constant_bits(x, mask);
    return constant ? constant : LLVMBuildBitCast(x->b, mask, LLVMIntTypeInContext(x->ctx, x->w), "bits");
}

static LLVMValueRef mask_bits(Widen *x) { return lane_bits(x, mask_or_all(x)); }

LLVMValueRef any_lane(Widen *x) {
    if (!x->mask) return LLVMConstInt(x->i1, 1, 0);
    if (x->mask_any) return x->mask_any;
    LLVMTypeRef t = LLVMVectorType(x->i1, x->w);
    LLVMValueRef row = any_of_row(x, x->mask_of);
    return x->mask_any = row ? row : call_intrinsic(x, "llvm.vector.reduce.or", &t, 1, &x->mask, 1);
}

static LLVMValueRef count_zeros(Widen *x, LLVMValueRef bits, const char *name) {
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(x->i1, 0, 0)};
    LLVMValueRef n = LLVMBuildIntCast2(x->b, call_intrinsic(x, name, &t, 1, args, 2), x->i32, 0, "");
    /* an empty mask gives W: keep the lane in range */
    return LLVMBuildAnd(x->b, n, c32(x, x->w - 1), "");
}

LLVMValueRef first_lane(Widen *x) {
    LLVMValueRef bits = mask_bits(x);
    uint64_t known = LLVMIsAConstantInt(bits) ? LLVMConstIntGetZExtValue(bits) : 0;
    return known ? c32(x, (unsigned)__builtin_ctzll(known)) : count_zeros(x, bits, "llvm.cttz");
}

LLVMValueRef last_lane(Widen *x) {
    LLVMValueRef bits = mask_bits(x);
    uint64_t known = LLVMIsAConstantInt(bits) ? LLVMConstIntGetZExtValue(bits) : 0;
    if (known) return c32(x, 63 - (unsigned)__builtin_clzll(known));
    return LLVMBuildSub(x->b, c32(x, x->w - 1), count_zeros(x, bits, "llvm.ctlz"), "");
}

/* ---- which values get a vector form ---- */

static bool keeps_scalar_form(const Widen *x, LLVMValueRef v) {
    int64_t stride, offset[64];
    return is_uniform(x, v) || lane_stride(x, v, &stride) || lane_runs(x, v, offset) == (int)x->w;
}

/* Calls whose operands may be vectors although the result is a scalar. */
static bool folds_lanes(LLVMValueRef i) {
    Name n = name_of_call(i);
    return name_queries_mask(n) || n == NAME_MASK || name_is_barrier(n) || name_is_warp_op(n);
}

static bool must_mark(const Widen *x, LLVMValueRef i) {
    if (is_void(i) || LLVMIsAAllocaInst(i)) return false;
    if (!keeps_scalar_form(x, i)) return true;
    if (folds_lanes(i)) return false;
    if (LLVMIsALoadInst(i)) return false; /* the address is taken as a scalar */
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsAInstruction(o) && is_wide(x, o)) return true;
    }
    return false;
}

static void mark_wide(Widen *x) {
    for (bool changed = true; changed;) {
        changed = false;
        for_each_cfg_instruction(i, b, x->c) {
            if (is_wide(x, i) || !must_mark(x, i)) continue;
            map_put(&x->marked, i, 1);
            changed = true;
            if (!has_wide_type(LLVMTypeOf(i))) refuse_at(x, i, NYI_INSTRUCTION);
        }
    }
}

/* ---- plain operations ---- */

static void copy_flags(LLVMValueRef from, LLVMValueRef to) {
    if (!LLVMIsAInstruction(to)) return;
    switch (LLVMGetInstructionOpcode(from)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNUW(to, LLVMGetNUW(from));
        LLVMSetNSW(to, LLVMGetNSW(from));
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr: LLVMSetExact(to, LLVMGetExact(from)); break;
    case LLVMZExt: LLVMSetNNeg(to, LLVMGetNNeg(from)); break;
    case LLVMOr: LLVMSetIsDisjoint(to, LLVMGetIsDisjoint(from)); break;
    default: break;
    }
    if (LLVMCanValueUseFastMathFlags(from) && LLVMCanValueUseFastMathFlags(to))
        LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
}

static LLVMValueRef wide_operand(Widen *x, LLVMValueRef i, unsigned k) { return vector_of(x, LLVMGetOperand(i, k)); }

/* 32-bit division has no vector instruction, but is exact in double precision. */
static LLVMValueRef widen_division(Widen *x, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef n = wide_operand(x, i, 0), d = wide_operand(x, i, 1);
    bool is_signed = op == LLVMSDiv || op == LLVMSRem;
    if (LLVMIsAConstantInt(LLVMGetOperand(i, 1))) return LLVMBuildBinOp(x->b, op, n, d, "");
    if (LLVMGetIntTypeWidth(t) > 32) {
        /* its guard may have been a branch that is a mask now */
        if (x->mask) d = LLVMBuildSelect(x->b, x->mask, d, splat(x, LLVMConstInt(t, 1, 0)), "");
        return LLVMBuildBinOp(x->b, op, n, d, "");
    }
    LLVMTypeRef vd = LLVMVectorType(LLVMDoubleTypeInContext(x->ctx), x->w), vt = wide_type(x, t);
    LLVMValueRef fn = is_signed ? LLVMBuildSIToFP(x->b, n, vd, "") : LLVMBuildUIToFP(x->b, n, vd, "");
    LLVMValueRef fd = is_signed ? LLVMBuildSIToFP(x->b, d, vd, "") : LLVMBuildUIToFP(x->b, d, vd, "");
    LLVMValueRef q = LLVMBuildFDiv(x->b, fn, fd, "");
    q = is_signed ? LLVMBuildFPToSI(x->b, q, vt, "") : LLVMBuildFPToUI(x->b, q, vt, "");
    if (op == LLVMSDiv || op == LLVMUDiv) return q;
    return LLVMBuildSub(x->b, n, LLVMBuildMul(x->b, q, d, ""), "");
}

static LLVMValueRef widen_gep(Widen *x, LLVMValueRef i) {
    LLVMValueRef base = LLVMGetOperand(i, 0), idx[16];
    int n = LLVMGetNumOperands(i) - 1;
    if (n > 16) {
        refuse_at(x, i, NYI_INSTRUCTION);
        return NULL;
    }
    bool any = false;
    LLVMValueRef p = is_uniform(x, base) ? scalar_of(x, base) : vector_of(x, base);
    any |= p != base || is_wide(x, base);
    for (int k = 0; k < n; k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k + 1);
        idx[k] = LLVMIsConstant(o) ? o : is_uniform(x, o) ? scalar_of(x, o) : vector_of(x, o);
        any |= LLVMGetTypeKind(LLVMTypeOf(idx[k])) == LLVMVectorTypeKind;
    }
    if (!any || (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMVectorTypeKind && n == 0)) p = vector_of(x, base);
    LLVMValueRef r = LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(i), p, idx, (unsigned)n, "");
    if (LLVMIsAGetElementPtrInst(r)) LLVMGEPSetNoWrapFlags(r, LLVMGEPGetNoWrapFlags(i));
    if (LLVMGetTypeKind(LLVMTypeOf(r)) != LLVMVectorTypeKind) r = splat(x, r);
    return r;
}

static LLVMValueRef widen_plain(Widen *x, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMTypeRef t = wide_type(x, LLVMTypeOf(i));
    switch (op) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return widen_division(x, i);
    case LLVMAdd:
    case LLVMFAdd:
    case LLVMSub:
    case LLVMFSub:
    case LLVMMul:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return LLVMBuildBinOp(x->b, op, wide_operand(x, i, 0), wide_operand(x, i, 1), "");
    case LLVMFNeg: return LLVMBuildFNeg(x->b, wide_operand(x, i, 0), "");
    case LLVMTrunc: {
        LLVMValueRef part = widen_part128(x, i);
        return part ? part : LLVMBuildTrunc(x->b, wide_operand(x, i, 0), t, "");
    }
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return LLVMBuildCast(x->b, op, wide_operand(x, i, 0), t, "");
    case LLVMICmp:
        return LLVMBuildICmp(x->b, LLVMGetICmpPredicate(i), wide_operand(x, i, 0), wide_operand(x, i, 1), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(x->b, LLVMGetFCmpPredicate(i), wide_operand(x, i, 0), wide_operand(x, i, 1), "");
    case LLVMFreeze: return LLVMBuildFreeze(x->b, wide_operand(x, i, 0), "");
    case LLVMGetElementPtr: return widen_gep(x, i);
    case LLVMSelect: {
        LLVMValueRef c = LLVMGetOperand(i, 0);
        if (LLVMGetTypeKind(t) == LLVMStructTypeKind && !is_uniform(x, c)) {
            refuse_at(x, i, NYI_INSTRUCTION);
            return NULL;
        }
        c = is_uniform(x, c) ? scalar_of(x, c) : vector_of(x, c);
        return LLVMBuildSelect(x->b, c, wide_operand(x, i, 1), wide_operand(x, i, 2), "");
    }
    case LLVMExtractValue:
        if (LLVMGetNumIndices(i) != 1) break;
        return LLVMBuildExtractValue(x->b, wide_operand(x, i, 0), LLVMGetIndices(i)[0], "");
    case LLVMInsertValue:
        if (LLVMGetNumIndices(i) != 1) break;
        return LLVMBuildInsertValue(x->b, wide_operand(x, i, 0), wide_operand(x, i, 1), LLVMGetIndices(i)[0], "");
    default: break;
    }
    refuse_at(x, i, NYI_INSTRUCTION);
    return NULL;
}

static void widen_phi(Widen *x, LLVMValueRef i) {
    LLVMValueRef p = LLVMBuildPhi(x->b, wide_type(x, LLVMTypeOf(i)), value_name(i));
    set_wide(x, i, p);
    vec_push(x->a, &x->phis, i);
}

static void connect_phis(Widen *x) {
    for (int n = 0; n < x->phis.n; n++) {
        LLVMValueRef i = x->phis.v[n], p = map_ptr(&x->wide, i);
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, k);
            LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef v = vector_of(x, LLVMGetIncomingValue(i, k));
            LLVMAddIncoming(p, &v, &from, 1);
        }
    }
}

/* Scalar instructions that remain but whose operands were widened take the first lane's value. */
static void fix_scalar_operands(Widen *x, LLVMValueRef i) {
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (!LLVMIsAInstruction(o) || !is_wide(x, o) || LLVMIsAPHINode(i)) continue;
        LLVMSetOperand(i, (unsigned)k, scalar_of(x, o));
    }
}

/* Lane 0 may be inactive and overflow where no active lane does: what remains scalar but depends on the lane computes
** modulo 2^n, has no poison flags, and extends as signed. */
static void fix_lane0_form(Widen *x, LLVMValueRef i) {
    bool lanes = false;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsAInstruction(o) && !LLVMIsConstant(o) && !is_uniform(x, o)) lanes = true;
    }
    if (!lanes) return;
    if (is_op(i, OP_ADD | OP_MUL | OP_SHIFT | OP_DIV | OP_GEP | OP_ICMP)) {
        shim_drop_flags(i);
        return;
    }
    LLVMValueRef r = NULL;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMOr:
        if (LLVMGetIsDisjoint(i)) r = LLVMBuildAdd(x->b, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), "");
        break;
    case LLVMSExt:
    case LLVMZExt: {
        LLVMTypeRef t = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
        bool is_signed = LLVMIsASExtInst(i) || LLVMGetNNeg(i);
        if (!is_signed) return;
        int64_t stride, offset[64];
        LLVMValueRef v = LLVMGetOperand(i, 0), back = NULL;
        if (x->mask && shapes_rebased(x->s, i) && lane_runs(x, i, offset) == (int)x->w) {
            LLVMValueRef f = first_lane(x), step;
            if (lane_stride(x, i, &stride))
                step = LLVMBuildMul(x->b, LLVMBuildIntCast2(x->b, f, from, 0, ""),
                                    LLVMConstInt(from, (uint64_t)stride, 1), "");
            else step = LLVMBuildExtractElement(x->b, constants(x, from, offset), f, "");
            v = LLVMBuildAdd(x->b, v, step, "");
            back = LLVMBuildSExt(x->b, step, t, "");
        } else if (LLVMIsASExtInst(i)) {
            return;
        }
        r = LLVMBuildSExt(x->b, v, t, "");
        if (back) r = LLVMBuildSub(x->b, r, back, "");
        break;
    }
    default: return;
    }
    if (!r) return;
    LLVMReplaceAllUsesWith(i, r);
    map_put(&x->origin, r, (uintptr_t)i);
    vec_push(x->a, &x->dead, i);
}

/* A uniform division in a block that may run without active lanes. */
static void guard_scalar_division(Widen *x, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem) return;
    LLVMValueRef d = LLVMGetOperand(i, 1);
    if (!x->mask || LLVMIsConstant(d)) return;
    d = LLVMBuildSelect(x->b, any_lane(x), d, LLVMConstInt(LLVMTypeOf(d), 1, 0), "");
    LLVMSetOperand(i, 1, d);
}

static void set_mask(Widen *x, LLVMValueRef call) {
    LLVMValueRef m = x->mask_of = LLVMGetOperand(call, 0);
    x->mask = vector_of(x, m);
    if (LLVMIsConstant(x->mask) && x->mask == all_lanes(x)) x->mask = NULL;
    x->mask_any = x->mask_bits = NULL;
    vec_push(x->a, &x->dead, call);
    if (counts_lanes(x->k->m)) count_block(x, LLVMGetNextInstruction(call));
}

static void widen_branch(Widen *x, LLVMValueRef i) {
    if (!LLVMIsConditional(i)) return;
    LLVMValueRef c = LLVMGetCondition(i);
    if (!LLVMIsAInstruction(c) || !is_wide(x, c)) return;
    LLVMValueRef v = vector_of(x, c);
    LLVMTypeRef t = LLVMTypeOf(v);
    if (x->mask) v = LLVMBuildSelect(x->b, x->mask, v, LLVMConstNull(t), "");
    LLVMSetCondition(i, call_intrinsic(x, "llvm.vector.reduce.or", &t, 1, &v, 1));
}

static void widen_instruction(Widen *x, LLVMValueRef i) {
    if (counts_lanes(x->k->m)) count_access(x, i);
    set_insert_point(x->b, i);
    Name n = name_of_call(i);
    if (n == NAME_MASK) {
        set_mask(x, i);
        return;
    }
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        if (is_wide(x, i)) widen_phi(x, i);
        return;
    case LLVMBr: widen_branch(x, i); return;
    case LLVMRet:
    case LLVMUnreachable:
    case LLVMFence: return;
    case LLVMAlloca: widen_alloca(x, i); return;
    case LLVMLoad:
        note_address(x, LLVMGetOperand(i, 0));
        widen_load(x, i);
        return;
    case LLVMStore:
        note_address(x, LLVMGetOperand(i, 1));
        widen_store(x, i);
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: widen_atomic(x, i); return;
    case LLVMCall: widen_call(x, i); return;
    default: break;
    }
    if (!is_wide(x, i)) {
        fix_scalar_operands(x, i);
        fix_lane0_form(x, i);
        guard_scalar_division(x, i);
        return;
    }
    LLVMValueRef v = widen_plain(x, i);
    if (!v) return;
    copy_flags(i, v);
    set_wide(x, i, v);
}

/* Phis that remain scalar but merge widened values (uniform by shape): at the end of each edge. */
static void fix_scalar_phis(Widen *x) {
    for_each_block(b, x->k->fn)
        for_each_phi(i, b) {
            if (is_wide(x, i) || is_vector(i)) continue;
            for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
                LLVMValueRef o = LLVMGetIncomingValue(i, k);
                if (!LLVMIsAInstruction(o) || !is_wide(x, o)) continue;
                bug("a scalar phi merges a vector");
            }
        }
}

static void erase_originals(Widen *x) {
    for (int n = 0; n < x->dead.n; n++)
        if (!is_void(x->dead.v[n])) {
            LLVMValueRef i = x->dead.v[n];
            LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        }
    for (int n = 0; n < x->dead.n; n++) LLVMInstructionEraseFromParent(x->dead.v[n]);
}

static Widen start(Kernel *k) {
    LLVMContextRef c = k->m->ctx;
    Widen x = {
        .k = k, .a = k->arena, .ctx = c, .mod = k->m->mod, .w = (unsigned)k->width, .variant = variant_of(k->fn)};
    x.b = LLVMCreateBuilderInContext(c);
    x.i1 = LLVMInt1TypeInContext(c);
    x.i8 = LLVMInt8TypeInContext(c);
    x.i32 = LLVMInt32TypeInContext(c);
    x.i64 = LLVMInt64TypeInContext(c);
    x.ptr = LLVMPointerTypeInContext(c, 0);
    return x;
}

/* --profile=lanes: the first instruction of a block without a mask; NULL: set_mask counts it. */
static LLVMValueRef counted_from(const Widen *x, LLVMBasicBlockRef bb) {
    if (!counts_lanes(x->k->m)) return NULL;
    for_each_in_block(i, bb)
        if (name_of_call(i) == NAME_MASK) return NULL;
    LLVMValueRef first = first_after_phis(bb);
    while (LLVMIsAAllocaInst(first)) first = LLVMGetNextInstruction(first);
    return first;
}

/* ---- reports: shapes and estimated cycles of all instructions ---- */

static ReportShape shape_of(const Shapes *s, LLVMValueRef i) {
    int64_t stride;
    if (shapes_is_uniform(s, i)) return REPORT_UNIFORM;
    return shapes_lane_stride(s, i, &stride) ? REPORT_AFFINE : REPORT_VARYING;
}

/* Of width 1 the shapes are those that the lanes of a warp would have. */
static void report_lines(Kernel *k, const Cfg *c, const Shapes *s) {
    Lanes lanes = {.m = k->m, .shapes = s, .width = k->width};
    for_each_cfg_instruction(i, b, c) {
        if (name_of_call(i) == NAME_MASK || LLVMIsAAllocaInst(i)) continue;
        double cycles = k->width > 1 ? group_cycles(&lanes, i) / k->width : thread_cycles(k->m, i);
        report_cycles(k, i, cycles * times_of_block(c, b));
        if (!is_void(i) && !LLVMIsAPHINode(i)) report_shape(k, i, shape_of(s, i));
        if (k->width == 1 && accessed_operand(i) >= 0) report_access(k, i, "scalar", false);
    }
}

static void report_one_lane(Kernel *k) {
    if (!report_is_main(k)) return;
    Cfg *c = cfg_build(k->arena, k->fn);
    int warp = k->m->opt->warp_size;
    Shapes *s = shapes_compute_warp(k->arena, c, warp, LAYOUT_ROWS_FULL, k->block, warp);
    for (int b = 0; b < c->n; b++)
        if (c->b[b].nsucc == 2)
            report_branch(k, LLVMGetBasicBlockTerminator(c->b[b].bb), shapes_branch_divergent(s, b));
    report_lines(k, c, s);
}

static Nyi keep_one_lane(Kernel *k) {
    for_each_instruction(i, k->fn)
        if (name_is_warp_op(name_of_call(i))) return NYI_WARP_WIDTH;
    report_one_lane(k);
    if (!k->m->opt->check && !counts_lanes(k->m)) return NYI_NONE;
    Widen x = start(k);
    if (k->m->opt->check) check_one_lane(&x);
    if (counts_lanes(k->m)) count_one_lane(&x);
    LLVMDisposeBuilder(x.b);
    return NYI_NONE;
}

Nyi widen(Kernel *k) {
    if (k->width == 1) return keep_one_lane(k);
    Widen x = start(k);
    map_init(&x.wide, x.a);
    map_init(&x.origin, x.a);
    map_init(&x.marked, x.a);
    map_init(&x.valid, x.a);
    map_init(&x.arrays, x.a);
    map_init(&x.fields, x.a);
    map_init(&x.runs, x.a);
    map_init(&x.ranked, x.a);
    map_init(&x.noted, x.a);
    x.c = cfg_build(x.a, k->fn);
    x.s = shapes_for_widening(x.a, x.c, k->width, k->layout, k->block);
    if (report_is_main(k)) report_lines(k, x.c, x.s);
    find_arrays(&x);
    mark_wide(&x);
    find_fields(&x);
    find_runs(&x);
    for (int b = 0; b < x.c->n && x.refused == NYI_NONE; b++) {
        x.mask = x.mask_any = x.mask_bits = NULL;
        x.block = b;
        LLVMValueRef counted = counted_from(&x, x.c->b[b].bb);
        /* blocks that widening itself makes follow the instruction that needed them */
        for (LLVMValueRef i = LLVMGetFirstInstruction(x.c->b[b].bb), next; i && x.refused == NYI_NONE; i = next) {
            bool last = LLVMIsATerminatorInst(i) != NULL;
            next = LLVMGetNextInstruction(i);
            if (i == counted) count_block(&x, i);
            widen_instruction(&x, i);
            if (last) break;
        }
    }
    if (x.refused == NYI_NONE) {
        connect_phis(&x);
        fix_scalar_phis(&x);
        report(&x);
        finish_counted(&x);
        erase_originals(&x);
        delete_dead(k->fn);
    }
    LLVMDisposeBuilder(x.b);
    return x.refused;
}
