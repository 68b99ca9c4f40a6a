/* lower_scaled.c: mma with scales (.block_scale): blocks of a row of a, and of a column of b, have a factor each.
**
** A register of the lane 4 * row + 2 * t has the factors of this row of a, the next lane those of row + 8; the lane
** 4 * column + t those of a column of b.  t, and the byte of the first factor, are operands. */
#include "ptx-frontend/matrix.h"

enum { WORDS_A = 4, WORDS_B = 2, SUMS = 4, MAX_FACTORS = 32, ROWS = 2 };

/* in: a, b, c; register, byte and t of the factors of a, and of b */
enum { FIRST_B = WORDS_A, FIRST_C = FIRST_B + WORDS_B, OF_A = FIRST_C + SUMS, OF_B = OF_A + 3 };

static const PtxType nibble = {'m', 4, 1, "e2m1"}; /* e2m1, eight in a word */

/* Byte `at` of a word as a factor. */
static LLVMValueRef factor(Lower *l, LLVMValueRef word, LLVMValueRef at) {
    LLVMValueRef x = LLVMBuildLShr(l->b, word, LLVMBuildShl(l->b, at, const32(l, 3), ""), "");
    if (l->t[4]->name[1] == 'e' && l->t[4]->name[2] == '4') { /* ue4m3 */
        x = LLVMBuildAnd(l->b, x, const32(l, 127), "");
        return real_of_half(l, call_named(l, "__cucpu_ptx_e4m3_f16", l->i16, &x, 1));
    }
    x = LLVMBuildAnd(l->b, x, const32(l, 255), "");
    LLVMValueRef bits = LLVMBuildShl(l->b, x, const32(l, 23), "");
    LLVMValueRef least = LLVMBuildICmp(l->b, LLVMIntEQ, x, const32(l, 0), ""),
                 nan = LLVMBuildICmp(l->b, LLVMIntEQ, x, const32(l, 255), "");
    bits = LLVMBuildSelect(l->b, least, const32(l, 0x00400000), bits, "");
    bits = LLVMBuildSelect(l->b, nan, const32(l, 0x7fffffff), bits, "");
    return LLVMBuildBitCast(l->b, bits, l->f32, "");
}

static LLVMValueRef sum_of(Lower *l, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAdd(l->b, a, b, ""); }

static Scales scales_of(Lower *l, const LLVMValueRef *in) {
    Scales s = {.n = (unsigned)(l->row->how[0] - '0')};
    LLVMValueRef lane = lane_id(l), line = LLVMBuildAnd(l->b, lane, const32(l, LANES - 4), "");
    LLVMValueRef column = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, lane, const32(l, 3), ""), const32(l, 3), "");
    for (unsigned r = 0; r < ROWS; r++) {
        LLVMValueRef t = LLVMBuildShl(l->b, in[OF_A + 2], const32(l, 1), "");
        LLVMValueRef a = from_lane(l, in[OF_A], sum_of(l, line, sum_of(l, t, const32(l, r))));
        LLVMValueRef b = from_lane(l, in[OF_B], sum_of(l, column, sum_of(l, in[OF_B + 2], const32(l, 4 * r))));
        for (unsigned i = 0; i < s.n; i++) {
            s.a[r][i] = factor(l, a, sum_of(l, in[OF_A + 1], const32(l, i)));
            s.b[r][i] = factor(l, b, sum_of(l, in[OF_B + 1], const32(l, i)));
        }
    }
    return s;
}

static void multiply_in_function(Lower *l, const Words *in, Words *out) {
    bool packed = l->row->how[1] == 'p';
    const PtxType *ta = packed ? &nibble : l->t[1], *tb = packed ? &nibble : l->t[2];
    LLVMValueRef a[MAX_FACTORS], b[MAX_FACTORS];
    elements(l, ta, WORDS_A, in->v, a);
    elements(l, tb, WORDS_B, in->v + FIRST_B, b);
    Scales s = scales_of(l, in->v);
    for (unsigned i = 0; i < SUMS; i++) out->v[i] = in->v[FIRST_C + i];
    out->n = SUMS;
    multiply(l, shape_of(l), ta, a, b, out->v, &s);
}

static void read_words(Lower *l, int at, unsigned n, const PtxType *t, Words *to) {
    const Operand *o = vector_operand(l, at, n);
    for (unsigned i = 0; i < n; i++) to->v[to->n++] = read_operand(l, &o->v[i], t);
}

/* d, a, b, c, factors of a, {byte, t}, factors of b, {byte, t} */
LLVMValueRef op_multiply_scaled(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    Words in = {0};
    if (which_mod(l, "row col")[0] != 'r') fail(l, "'mma' takes .row.col with these types");
    read_words(l, 1, WORDS_A, &type_u32, &in);
    read_words(l, 2, WORDS_B, &type_u32, &in);
    read_words(l, 3, SUMS, &type_f32, &in);
    for (int k = 4; k < 8; k += 2) {
        const Operand *o = vector_operand(l, k + 1, 2);
        in.v[in.n++] = read_operand(l, &l->inst->ops[k], &type_b32);
        for (unsigned i = 0; i < 2; i++) in.v[in.n++] = resize(l, read_operand(l, &o->v[i], &type_b16), 32, false);
    }
    Words out = call_function(l, 0, l->t[0], SUMS, &in, multiply_in_function);
    const Operand *d = vector_operand(l, 0, SUMS);
    for (unsigned i = 0; i < SUMS; i++) write_operand(l, &d->v[i], &type_f32, out.v[i]);
    return NULL;
}
