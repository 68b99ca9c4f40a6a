/* shapes_transfer.c: from LLVM instructions to the rules of shapes_arith.c. One switch; other opcodes are varying. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/value.h"

static Fact operand_fact(Shapes *s, LLVMValueRef inst, unsigned i) {
    return shapes_operand(s, LLVMGetOperand(inst, i));
}

static int result_bits(Shapes *s, LLVMValueRef inst) { return shapes_bits(s, LLVMTypeOf(inst)); }

static Fact opaque(Shapes *s, LLVMValueRef inst) {
    int n = LLVMGetNumOperands(inst);
    enum { FEW = 4 };
    Fact few[FEW], *ops = n <= FEW ? few : arena_array(s->a, Fact, n);
    for (int i = 0; i < n; i++) ops[i] = operand_fact(s, inst, (unsigned)i);
    return arith_opaque(&s->g, result_bits(s, inst), ops, n);
}

static Fact varying(Shapes *s, LLVMValueRef inst) {
    Fact f = fact_varying(result_bits(s, inst));
    fact_normalise(&s->g, &f);
    return f;
}

static Flags flags_of(LLVMValueRef inst, LLVMOpcode op) {
    Flags f = {0};
    if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl) {
        f.nsw = LLVMGetNSW(inst);
        f.nuw = LLVMGetNUW(inst);
    }
    if (op == LLVMOr) f.disjoint = LLVMGetIsDisjoint(inst);
    return f;
}

/* blockIdx.x * blockDim.x, or times a constant up to the kernel's step: the launch never has more threads in a row than
** SHAPES_MAX_ROW. */
static bool is_block_start(Shapes *s, LLVMValueRef mul) {
    uint64_t step;
    if (s->step && shapes_block_multiple(mul, &step)) return step <= s->step;
    if (LLVMGetInstructionOpcode(mul) != LLVMMul) return false;
    Name n[2];
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef v = LLVMGetOperand(mul, i);
        if (LLVMIsAZExtInst(v)) v = LLVMGetOperand(v, 0);
        n[i] = LLVMIsACallInst(v) ? shapes_name(s, v) : NAME_NONE;
    }
    return (n[0] == NAME_CTAID_X && n[1] == NAME_NTID_X) || (n[1] == NAME_CTAID_X && n[0] == NAME_NTID_X);
}

static Fact bounded_product(Shapes *s, LLVMValueRef mul, Fact r) {
    if (s->g.width == 1 || r.s.bottom || !is_block_start(s, mul) || (r.lo >= 0 && r.hi <= SHAPES_MAX_ROW)) return r;
    r.lo = 0;
    r.hi = SHAPES_MAX_ROW;
    return r;
}

/* v*v without wrapping is between zero and the largest square. */
static Fact bounded_square(Shapes *s, LLVMValueRef mul, Fact r) {
    bool square = LLVMGetInstructionOpcode(mul) == LLVMMul && LLVMGetOperand(mul, 0) == LLVMGetOperand(mul, 1);
    if (!square || !LLVMGetNSW(mul) || r.s.bottom || !fact_group_uniform(&s->g, &r)) return r;
    uint64_t root = 0, max = (uint64_t)max_of(r.bits);
    for (int k = (r.bits - 1) / 2; k >= 0; k--) {
        uint64_t more = root + (UINT64_C(1) << k);
        if (more * more <= max) root = more;
    }
    if (r.lo < 0) r.lo = 0;
    if (r.hi > (int64_t)(root * root)) r.hi = (int64_t)(root * root);
    return r;
}

static Fact integer(Shapes *s, LLVMValueRef inst, LLVMOpcode op) {
    if (!result_bits(s, inst)) return opaque(s, inst);
    Fact a = operand_fact(s, inst, 0), b = operand_fact(s, inst, 1);
    Flags fl = flags_of(inst, op);
    switch (op) {
    case LLVMAdd: return arith_add(&s->g, a, b, fl);
    case LLVMSub: return arith_sub(&s->g, a, b, fl);
    case LLVMMul: return bounded_square(s, inst, bounded_product(s, inst, arith_mul(&s->g, a, b, fl)));
    case LLVMShl: return bounded_product(s, inst, arith_shl(&s->g, a, b, fl));
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return arith_divide(&s->g, op, a, b);
    default: return arith_bits(&s->g, op, a, b, fl);
    }
}

/* By how much a step of v, of `unit` bytes, moves an address, in kernels made of PTX: sums of 64 bits are looked
** through, as such an address is one. Shared memory has less than 2^32 bytes, whatever the step. */
static bool only_in_address_sums(const Shapes *s, LLVMValueRef v, uint32_t unit, int depth) {
    for_each_user(i, v) {
        LLVMValueRef other;
        if (!LLVMIsAInstruction(i) || depth == 0) return false;
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMGetElementPtr:
            if (LLVMGetNumOperands(i) != 2 || LLVMGetOperand(i, 0) == v) return false;
            if (unit * LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(i)) < 2 &&
                spaces_of(s->memory, LLVMGetOperand(i, 0)) != SPACE_SHARED)
                return false;
            break;
        case LLVMAdd:
        case LLVMSub:
            if (!only_in_address_sums(s, i, unit, depth - 1)) return false;
            break;
        case LLVMMul:
        case LLVMShl:
            other = LLVMGetOperand(i, 1);
            if (!LLVMIsAConstantInt(other)) return false;
            uint64_t c = LLVMConstIntGetZExtValue(other), by = LLVMGetInstructionOpcode(i) == LLVMMul ? c & (0 - c)
                                                               : c < 16                               ? 1u << c
                                                                                                      : 0;
            if (!by || by > 1 << 16 || !only_in_address_sums(s, i, unit * (uint32_t)by, depth - 1)) return false;
            break;
        default: return false;
        }
    }
    return LLVMGetFirstUse(v) != NULL;
}

/* The value is only a subscript of arrays in which neighbouring lanes cannot be 2^n elements apart: then their
** subscripts did not wrap (an object of 2^n such elements does not exist). */
static bool only_subscripts(const Shapes *s, LLVMValueRef inst) {
    if (LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(inst, 0))) < 32) return false;
    if (s->sums && int_bits(inst) == 64) return only_in_address_sums(s, inst, 1, 4);
    for_each_user(i, inst) {
        if (!LLVMIsAGetElementPtrInst(i) || !LLVMIsInBounds(i) || LLVMGetNumOperands(i) != 2) return false;
        if (LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(i)) < 2) return false;
    }
    return LLVMGetFirstUse(inst) != NULL;
}

static Fact convert_fact(Shapes *s, LLVMValueRef inst, LLVMOpcode op) {
    int bits = result_bits(s, inst);
    Fact a = operand_fact(s, inst, 0);
    if (!bits || !a.bits) {
        Fact r = opaque(s, inst);
        LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
        if (bits && LLVMGetTypeKind(from) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(from) == 1)
            r.lo = op == LLVMSExt ? -1 : 0, r.hi = op == LLVMSExt ? 0 : 1;
        return r;
    }
    if (op == LLVMTrunc) return arith_trunc(&s->g, a, bits);
    if (op == LLVMSExt && only_subscripts(s, inst) && !a.active) a.active = EXACT_GROUP;
    /* zext nneg: the active lanes are below 2^(n-1), where a step cannot wrap */
    if (op == LLVMZExt && LLVMGetNNeg(inst) && !a.active) a.active = EXACT_GROUP;
    if (op == LLVMSExt || (op == LLVMZExt && LLVMGetNNeg(inst) && a.active && a.sx == EXACT_NO))
        return arith_sext_active(&s->g, a, bits);
    if (op == LLVMZExt) return arith_zext(&s->g, a, bits, LLVMGetNNeg(inst));
    if (bits > a.bits) return arith_zext(&s->g, a, bits, false); /* inttoptr, ptrtoint */
    return bits < a.bits ? arith_trunc(&s->g, a, bits) : a;
}

static bool decides_branch(LLVMValueRef inst) {
    for_each_user(user, inst) {
        if (LLVMIsABranchInst(user) && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(inst)) return true;
    }
    return false;
}

static Fact compare_facts(Shapes *s, LLVMValueRef inst, int block) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(inst);
    Fact a = operand_fact(s, inst, 0), b = operand_fact(s, inst, 1);
    if (s->g.width == 1 || !s->kernel || !is_integer(LLVMGetOperand(inst, 0)) || !decides_branch(inst))
        return arith_icmp(&s->g, p, a, b);
    return arith_icmp_decides(&s->g, p, a, b, s->activity[block]);
}

/* ---- address computation, in bytes ---- */

static Fact add_offset(Shapes *s, Fact p, Fact index, int64_t size) {
    if (index.bits < p.bits) index = arith_sext(&s->g, index, p.bits);
    else if (index.bits > p.bits) index = arith_trunc(&s->g, index, p.bits);
    Fact scaled = arith_mul(&s->g, index, fact_const(p.bits, size), (Flags){0});
    return arith_add(&s->g, p, scaled, (Flags){0});
}

static Fact address_fact(Shapes *s, LLVMValueRef gep) {
    Fact p = operand_fact(s, gep, 0);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    if (p.s.bottom) return p;
    if (!p.bits || !result_bits(s, gep)) return opaque(s, gep);
    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned k = (unsigned)LLVMConstIntGetZExtValue(index);
            uint64_t offset = LLVMOffsetOfElement(s->layout, type, k);
            p = arith_add(&s->g, p, fact_const(p.bits, (int64_t)offset), (Flags){0});
            type = LLVMStructGetTypeAtIndex(type, k);
            continue;
        }
        if (i > 1) type = LLVMGetElementType(type);
        Fact f = shapes_operand(s, index);
        if (f.s.bottom) return f;
        if (!f.bits) return opaque(s, gep);
        p = add_offset(s, p, f, (int64_t)LLVMABISizeOfType(s->layout, type));
    }
    return p;
}

/* ---- joins ---- */

static Fact select_of(Shapes *s, LLVMValueRef inst) {
    LLVMValueRef va = LLVMGetOperand(inst, 1), vb = LLVMGetOperand(inst, 2);
    Fact c = operand_fact(s, inst, 0), a = shapes_operand(s, va), b = shapes_operand(s, vb);
    if (c.s.bottom) return c;
    if (LLVMIsUndef(va)) return b;
    if (LLVMIsUndef(vb) || va == vb) return a;
    return fact_join(&s->g, a, b, fact_scope(&s->g, &c));
}

/* A value that leaves a loop in which only the threads of `scope` remain together. */
static Fact phi_operand(Shapes *s, LLVMValueRef v, int block) {
    Fact f = shapes_operand(s, v);
    uintptr_t k = map_get(&s->index, v, 0);
    if (!k || s->temporal[block] == SCOPE_GRID) return f;
    int def = s->block[k - 1];
    if (def < 0 || s->cfg->b[def].loop < 0) return f;
    if (cfg_loop_contains(s->cfg, s->cfg->b[def].loop, block)) return f;
    return fact_degrade(&s->g, f, s->temporal[block]);
}

static Fact phi_of(Shapes *s, LLVMValueRef phi, int block) {
    Fact r = fact_bottom();
    LLVMValueRef first = NULL;
    unsigned n = LLVMCountIncoming(phi);
    bool same = true;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMIsUndef(v) || v == phi) continue;
        if (cfg_number(s->cfg, LLVMGetIncomingBlock(phi, i)) < 0) continue;
        if (first && v != first) same = false;
        if (!first) first = v;
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMIsUndef(v) || v == phi) continue;
        if (cfg_number(s->cfg, LLVMGetIncomingBlock(phi, i)) < 0) continue;
        Fact f = phi_operand(s, v, block);
        r = fact_join(&s->g, r, f, same ? SCOPE_GRID : s->sync[block]);
        if (same) break;
    }
    if (r.s.bottom) r.bits = result_bits(s, phi);
    return r;
}

static void apply_range(Shapes *s, LLVMValueRef inst, Fact *f) {
    LLVMContextRef context = LLVMGetModuleContext(s->module);
    LLVMValueRef md = f->bits ? LLVMGetMetadata(inst, LLVMGetMDKindIDInContext(context, "range", 5)) : NULL;
    if (!md || f->s.bottom || LLVMGetMDNodeNumOperands(md) != 2) return;
    LLVMValueRef ops[2];
    LLVMGetMDNodeOperands(md, ops);
    int64_t lo = LLVMConstIntGetSExtValue(ops[0]), hi = LLVMConstIntGetSExtValue(ops[1]);
    if (lo >= hi) return; /* wraps around */
    if (lo > f->lo) f->lo = lo;
    if (hi - 1 < f->hi) f->hi = hi - 1;
}

/* A scalar result is computed from lane 0 of the operands: they have to be scalar too. Facts about runs of lanes
** require as much of all their first lanes. */
static Fact from_scalars(Shapes *s, LLVMValueRef inst, Fact f) {
    const Group *g = &s->g;
    if (f.s.bottom || (!f.pat && !fact_scalar(g, &f))) return f;
    bool scalar = fact_scalar(g, &f), vectors = false;
    Fact v = fact_varying(f.bits);
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        Fact o = operand_fact(s, inst, (unsigned)i);
        if (fact_scalar(g, &o)) continue;
        vectors = true;
        if (!pattern_run(g, &o)) goto varies;
    }
    if (!scalar || !vectors) return f;
    v = pattern_halve(g, &f);
    v.sx = f.sx > v.sx ? f.sx : v.sx;
    v.ux = f.ux > v.ux ? f.ux : v.ux;
varies:
    v.s.align = fact_align_all(&f);
    v.lo = f.lo;
    v.hi = f.hi;
    fact_normalise(g, &v);
    return v;
}

Fact shapes_transfer(Shapes *s, LLVMValueRef inst) {
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    uintptr_t k = map_get(&s->index, inst, 0);
    Fact f;
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem: return from_scalars(s, inst, integer(s, inst, op));
    case LLVMTrunc:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast: return from_scalars(s, inst, convert_fact(s, inst, op));
    case LLVMGetElementPtr: return from_scalars(s, inst, address_fact(s, inst));
    case LLVMICmp: return compare_facts(s, inst, s->block[k - 1]);
    case LLVMSelect: return select_of(s, inst);
    case LLVMPHI: return phi_of(s, inst, s->block[k - 1]);
    case LLVMFreeze:
        f = operand_fact(s, inst, 0);
        return f.s.bottom ? fact_uniform(result_bits(s, inst), SCOPE_GRID) : f;
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue: return opaque(s, inst);
    case LLVMLoad:
        f = shapes_load(s, inst);
        apply_range(s, inst, &f);
        return f;
    case LLVMCall:
        f = shapes_call(s, inst);
        apply_range(s, inst, &f);
        return f;
    case LLVMAlloca:
        return shapes_alloca_is_uniform(s, inst) ? fact_uniform(result_bits(s, inst), SCOPE_GROUP) : varying(s, inst);
    default: return varying(s, inst);
    }
}
