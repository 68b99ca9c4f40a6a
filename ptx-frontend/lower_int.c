/* lower_int.c: integers and bits.  What LLVM leaves undefined has PTX's value: shift amounts stop at the width,
** division by zero gives all ones (a GPU gives something, it does not trap). Shifts by more than the width are left
** to gpu_results (import), but for constants, which the builder would fold. */
#include "ptx-frontend/lower.h"
#include <stdio.h>
#include <stdlib.h>

static bool is_signed(const Lower *l) { return l->t[0]->kind == 's'; }
static unsigned bits(const Lower *l) { return l->t[0]->bits; }

static LLVMValueRef binary(Lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(l->b, op, a, b, "");
}

/* A function of the two halves of u16x2. */
static LLVMValueRef halves(Lower *l, LLVMValueRef *v, int n, LLVMValueRef (*f)(Lower *, LLVMValueRef *, const char *),
                           const char *how) {
    LLVMValueRef r[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part[3];
        for (int i = 0; i < n; i++)
            part[i] = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, v[i], const32(l, 16 * h), ""), l->i16, "");
        r[h] = LLVMBuildZExt(l->b, f(l, part, how), l->i32, "");
    }
    return LLVMBuildOr(l->b, r[0], LLVMBuildShl(l->b, r[1], const32(l, 16), ""), "");
}

static LLVMValueRef intrinsic(Lower *l, const char *name, LLVMValueRef *v, unsigned n) {
    return call_llvm(l, name, LLVMTypeOf(v[0]), v, n);
}

/* Both extended, for the high half or the whole product. */
static LLVMValueRef product(Lower *l, LLVMValueRef a, LLVMValueRef b) {
    unsigned n = LLVMGetIntTypeWidth(LLVMTypeOf(a));
    return binary(l, LLVMMul, resize(l, a, 2 * n, is_signed(l)), resize(l, b, 2 * n, is_signed(l)));
}

static LLVMValueRef high(Lower *l, LLVMValueRef a, LLVMValueRef b) {
    unsigned n = LLVMGetIntTypeWidth(LLVMTypeOf(a));
    return resize(l, LLVMBuildLShr(l->b, product(l, a, b), const_int(l, 2 * n, n), ""), n, false);
}

/* by_zero: the result where the divisor is zero */
static LLVMValueRef divide(Lower *l, LLVMValueRef *v, LLVMOpcode op, LLVMValueRef by_zero) {
    LLVMTypeRef t = LLVMTypeOf(v[1]);
    if (LLVMIsAConstantInt(v[1])) return LLVMIsNull(v[1]) ? by_zero : binary(l, op, v[0], v[1]);
    LLVMValueRef zero = LLVMBuildICmp(l->b, LLVMIntEQ, v[1], LLVMConstNull(t), "");
    LLVMValueRef q = binary(l, op, v[0], LLVMBuildSelect(l->b, zero, LLVMConstInt(t, 1, 0), v[1], ""));
    return LLVMBuildSelect(l->b, zero, by_zero, q, "");
}

static LLVMValueRef simple(Lower *l, LLVMValueRef *v, const char *how) {
    bool s = is_signed(l);
    switch (*how) {
    case '+': return how[1] == 's' ? intrinsic(l, "llvm.sadd.sat", v, 2) : binary(l, LLVMAdd, v[0], v[1]);
    case '-': return how[1] == 's' ? intrinsic(l, "llvm.ssub.sat", v, 2) : binary(l, LLVMSub, v[0], v[1]);
    case '*': return binary(l, LLVMMul, v[0], v[1]);
    case 'h': return high(l, v[0], v[1]);
    case 'w': return product(l, v[0], v[1]);
    case '&': return binary(l, LLVMAnd, v[0], v[1]);
    case '|': return binary(l, LLVMOr, v[0], v[1]);
    case '^': return binary(l, LLVMXor, v[0], v[1]);
    case '/': return divide(l, v, s ? LLVMSDiv : LLVMUDiv, LLVMConstAllOnes(LLVMTypeOf(v[0])));
    case '%': return divide(l, v, s ? LLVMSRem : LLVMURem, v[0]);
    case '<': return intrinsic(l, s ? "llvm.smin" : "llvm.umin", v, 2);
    default: return intrinsic(l, s ? "llvm.smax" : "llvm.umax", v, 2);
    }
}

static LLVMValueRef relu(Lower *l, LLVMValueRef v) {
    LLVMValueRef a[2] = {v, LLVMConstNull(LLVMTypeOf(v))};
    return has_mod(l, "relu") ? intrinsic(l, "llvm.smax", a, 2) : v;
}

static LLVMValueRef simple_relu(Lower *l, LLVMValueRef *v, const char *how) { return relu(l, simple(l, v, how)); }

LLVMValueRef op_int_binary(Lower *l, LLVMValueRef *v, const char *how) {
    if (l->t[0]->lanes == 2) return halves(l, v + 1, 2, simple_relu, how);
    return simple_relu(l, v + 1, how);
}

LLVMValueRef op_int_unary(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMValueRef a[2] = {v[1], LLVMConstInt(l->i1, 0, 0)}, zero = LLVMConstNull(LLVMTypeOf(v[1]));
    switch (*how) {
    case 'a': return intrinsic(l, "llvm.abs", a, 2);
    case '-': return LLVMBuildNeg(l->b, v[1], "");
    case '~': return LLVMBuildNot(l->b, v[1], "");
    case '!': return LLVMBuildZExt(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, v[1], zero, ""), LLVMTypeOf(v[1]), "");
    case 'r': return intrinsic(l, "llvm.bitreverse", a, 1);
    case 'p': return resize(l, intrinsic(l, "llvm.ctpop", a, 1), 32, false);
    default: return resize(l, intrinsic(l, "llvm.ctlz", a, 2), 32, false);
    }
}

/* d = a * b + c; how: low half, high half, whole. */
LLVMValueRef op_multiply_add(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMValueRef p = *how == 'l'   ? binary(l, LLVMMul, v[1], v[2])
                     : *how == 'h' ? high(l, v[1], v[2])
                                   : product(l, v[1], v[2]);
    LLVMValueRef a[2] = {p, v[3]};
    return has_mod(l, "sat") ? intrinsic(l, "llvm.sadd.sat", a, 2) : binary(l, LLVMAdd, p, v[3]);
}

/* mul24, mad24: of the low 24 bits; "hi" are bits 16 ... 47 of the product. */
LLVMValueRef op_multiply24(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMValueRef x[2];
    for (int i = 0; i < 2; i++) {
        LLVMValueRef up = LLVMBuildShl(l->b, v[1 + i], const32(l, 8), "");
        LLVMValueRef low =
            is_signed(l) ? LLVMBuildAShr(l->b, up, const32(l, 8), "") : LLVMBuildLShr(l->b, up, const32(l, 8), "");
        x[i] = resize(l, low, 64, is_signed(l));
    }
    LLVMValueRef p = binary(l, LLVMMul, x[0], x[1]);
    if (has_mod(l, "hi")) p = LLVMBuildLShr(l->b, p, const_int(l, 64, 16), "");
    LLVMValueRef a[2] = {resize(l, p, 32, false), v[3]};
    if (*how == '*') return a[0];
    return has_mod(l, "sat") ? intrinsic(l, "llvm.sadd.sat", a, 2) : binary(l, LLVMAdd, a[0], a[1]);
}

/* |a - b| + c */
LLVMValueRef op_sum_of_difference(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    LLVMValueRef less = LLVMBuildICmp(l->b, is_signed(l) ? LLVMIntSLT : LLVMIntULT, v[1], v[2], "");
    LLVMValueRef d = LLVMBuildSelect(l->b, less, binary(l, LLVMSub, v[2], v[1]), binary(l, LLVMSub, v[1], v[2]), "");
    return binary(l, LLVMAdd, d, v[3]);
}

/* ---- the carry flag: one per function; a - b is a + ~b + 1 to it, so that it is clear after a borrow ---- */

static LLVMValueRef carry_place(Lower *l) {
    if (!l->cc) {
        l->cc = add_alloca(l, l->i1, 0, "cc");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
        LLVMPositionBuilderBefore(l->b, LLVMGetNextInstruction(l->cc));
        LLVMBuildStore(l->b, LLVMConstInt(l->i1, 0, 0), l->cc);
        LLVMPositionBuilderAtEnd(l->b, here);
    }
    return l->cc;
}

/* The carry, or the borrow, as an integer of n bits. */
static LLVMValueRef read_carry(Lower *l, unsigned n, bool borrow) {
    LLVMValueRef carry = LLVMBuildLoad2(l->b, l->i1, carry_place(l), "");
    return LLVMBuildZExt(l->b, borrow ? LLVMBuildNot(l->b, carry, "") : carry, int_type(l, n), "");
}

/* a + b + carry, or a - b - borrow, in one bit more than the type. */
static LLVMValueRef add_carry(Lower *l, LLVMValueRef a, LLVMValueRef b, bool subtract, bool in, bool out) {
    unsigned n = bits(l), wide = n + 1;
    LLVMValueRef x = resize(l, a, wide, false), y = resize(l, b, wide, false);
    LLVMValueRef s = binary(l, subtract ? LLVMSub : LLVMAdd, x, y);
    if (in) s = binary(l, subtract ? LLVMSub : LLVMAdd, s, read_carry(l, wide, subtract));
    if (out) {
        LLVMValueRef top = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, s, const_int(l, wide, n), ""), l->i1, "");
        LLVMBuildStore(l->b, subtract ? LLVMBuildNot(l->b, top, "") : top, carry_place(l));
    }
    return LLVMBuildTrunc(l->b, s, int_type(l, n), "");
}

LLVMValueRef op_carry(Lower *l, LLVMValueRef *v, const char *how) {
    return add_carry(l, v[1], v[2], *how == '-', how[1] == 'c', has_mod(l, "cc"));
}

LLVMValueRef op_carry_multiply(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMValueRef p = has_mod(l, "lo") ? binary(l, LLVMMul, v[1], v[2]) : high(l, v[1], v[2]);
    return add_carry(l, p, v[3], false, *how == 'c', has_mod(l, "cc"));
}

/* ---- shifts ---- */

static LLVMValueRef shift_by(Lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef n) {
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(a));
    if (LLVMIsAConstantInt(n) && LLVMConstIntGetZExtValue(n) >= width) {
        if (op != LLVMAShr) return LLVMConstNull(LLVMTypeOf(a));
        n = const_int(l, width, width - 1);
    }
    return LLVMBuildBinOp(l->b, op, a, resize(l, n, width, false), "");
}

/* 16 bits are shifted by constants as they are, else in 32, where amounts up to 31 do what they should. */
LLVMValueRef op_shift(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMOpcode op = *how == '<' ? LLVMShl : is_signed(l) ? LLVMAShr : LLVMLShr;
    if (bits(l) > 16) return shift_by(l, op, v[1], v[2]);
    if (LLVMIsAConstantInt(v[2]) && LLVMConstIntGetZExtValue(v[2]) < 16)
        return LLVMBuildBinOp(l->b, op, v[1], resize(l, v[2], 16, false), "");
    return resize(l, shift_by(l, op, resize(l, v[1], 32, is_signed(l)), v[2]), bits(l), false);
}

LLVMValueRef op_funnel_shift(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    bool left = has_mod(l, "l"), clamp = has_mod(l, "clamp");
    LLVMValueRef a[3] = {v[2], v[1], v[3]}, n[2] = {v[3], const32(l, 32)};
    if (!clamp) return intrinsic(l, left ? "llvm.fshl" : "llvm.fshr", a, 3);
    n[0] = intrinsic(l, "llvm.umin", n, 2);
    LLVMValueRef both = LLVMBuildOr(l->b, LLVMBuildShl(l->b, resize(l, v[2], 64, false), const_int(l, 64, 32), ""),
                                    resize(l, v[1], 64, false), "");
    LLVMValueRef by = resize(l, n[0], 64, false);
    if (!left) return resize(l, LLVMBuildLShr(l->b, both, by, ""), 32, false);
    return resize(l, LLVMBuildLShr(l->b, LLVMBuildShl(l->b, both, by, ""), const_int(l, 64, 32), ""), 32, false);
}

/* ---- bits: by functions of the device library, named by type ---- */

LLVMValueRef op_library(Lower *l, LLVMValueRef *v, const char *how) {
    char name[80];
    unsigned n = 0;
    LLVMValueRef args[6];
    for (int i = 1; i < l->inst->nops && n < 6; i++) args[n++] = v[i];
    const char *mode = which_mod(l, "clamp wrap f4e b4e rc8 ecl ecr rc16 shiftamt lo");
    snprintf(name, sizeof name, "__cucpu_ptx_%s%s%s", how, strchr(how, '_') ? l->t[0]->name : "", "");
    if (mode && strcmp(mode, "clamp")) snprintf(name + strlen(name), sizeof name - strlen(name), "_%s", mode);
    LLVMTypeRef result = strchr("iq", l->row->operands[0]) ? l->i32 : LLVMTypeOf(args[0]);
    return call_named(l, name, result, args, n);
}

LLVMValueRef op_dot_product(Lower *l, LLVMValueRef *v, const char *how) {
    char name[60];
    snprintf(name, sizeof name, "__cucpu_ptx_%s%s_%s_%s", how, has_mod(l, "hi") ? "_hi" : "", l->t[0]->name,
             l->t[1]->name);
    return call_named(l, name, l->i32, v + 1, 3);
}

/* Any function of three bits as the sum of the products that are in its table. */
static LLVMValueRef lut3(Lower *l, LLVMValueRef *v, uint64_t table) {
    LLVMValueRef n[3], r = const32(l, 0);
    if (table == 0x96) return binary(l, LLVMXor, binary(l, LLVMXor, v[0], v[1]), v[2]);
    for (int i = 0; i < 3; i++) n[i] = LLVMBuildNot(l->b, v[i], "");
    for (unsigned row = 0; row < 8; row++) {
        if (!(table >> row & 1)) continue;
        LLVMValueRef ab = binary(l, LLVMAnd, row & 4 ? v[0] : n[0], row & 2 ? v[1] : n[1]);
        r = binary(l, LLVMOr, r, binary(l, LLVMAnd, ab, row & 1 ? v[2] : n[2]));
    }
    return r;
}

LLVMValueRef op_lop3(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    if (!LLVMIsAConstantInt(v[4])) fail(l, "the table of lop3 is a constant");
    LLVMValueRef r = lut3(l, v + 1, LLVMConstIntGetZExtValue(v[4]) & 0xff);
    const Operand *d = &l->inst->ops[0];
    if (d->pair) {
        LLVMValueRef t = LLVMBuildICmp(l->b, LLVMIntNE, r, const32(l, 0), "");
        if (!v[5]) fail(l, "lop3 with a predicate needs .and or .or and another predicate");
        write_operand(l, d->pair, &type_pred, binary(l, has_mod(l, "or") ? LLVMOr : LLVMAnd, t, v[5]));
    }
    write_operand(l, d, l->t[0], r);
    return NULL;
}

/* ---- comparisons that select ---- */

LLVMValueRef op_select_by(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    return LLVMBuildSelect(l->b, v[3], v[1], v[2], "");
}

/* c >= 0 ? a : b; NaN is not, -0 is. */
LLVMValueRef op_select_by_sign(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(v[3]));
    v[3] = ptx_flush(l, v[3]);
    LLVMValueRef c = l->t[1]->kind == 'f' ? LLVMBuildFCmp(l->b, LLVMRealOGE, v[3], zero, "")
                                          : LLVMBuildICmp(l->b, LLVMIntSGE, v[3], zero, "");
    return LLVMBuildSelect(l->b, c, v[1], v[2], "");
}
