/* lower_bytes.c: ldmatrix and stmatrix of elements of 8 bits.
**
** m16n16 .trans: word r of lane l is column l / 4 + 8 * r, rows 4 * (l % 4) and on: factors of mma that lie along the
** rows of b. m8n16: row l / 4, columns 4 * (l % 4) and on. stmatrix m16n8 .trans: bytes of lane l are those of sums
** of mma: rows l / 4 and 8 further on, each of columns 2 * (l % 4) and the next one; a row in memory is a column.
** Rows of matrix i are where the lanes from 16 * i (m16n16) or 8 * i on say. Elements of 6 and 4 bits are packed at
** the start of their 16 bytes, and have zeros above in their byte. */
#include "ptx-frontend/matrix.h"

enum { WORD = 4 }; /* bytes */

static LLVMValueRef scaled(Lower *l, LLVMValueRef v, unsigned factor, unsigned offset) {
    return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, v, const32(l, factor), ""), const32(l, offset), "");
}

static LLVMValueRef group_of(Lower *l) { return LLVMBuildLShr(l->b, lane_id(l), const32(l, 2), ""); }
static LLVMValueRef place_of(Lower *l) { return LLVMBuildAnd(l->b, lane_id(l), const32(l, 3), ""); }

static LLVMValueRef byte_place(Lower *l, LLVMValueRef row, LLVMValueRef i) {
    LLVMValueRef at = resize(l, i, 64, false);
    return LLVMBuildGEP2(l->b, l->i8, row, &at, 1, "");
}

static LLVMValueRef byte_at(Lower *l, LLVMValueRef row, LLVMValueRef i) {
    return resize(l, LLVMBuildLoad2(l->b, l->i8, byte_place(l, row, i), ""), 32, false);
}

static LLVMValueRef element_at(Lower *l, LLVMValueRef row, LLVMValueRef i, unsigned bits) {
    if (bits == 8) return byte_at(l, row, i);
    LLVMValueRef bit = scaled(l, i, bits, 0), first = LLVMBuildLShr(l->b, bit, const32(l, 3), "");
    LLVMValueRef all = byte_at(l, row, first);
    if (bits == 6) { /* of the last one a byte of the padding */
        LLVMValueRef next = byte_at(l, row, scaled(l, first, 1, 1));
        all = LLVMBuildOr(l->b, all, LLVMBuildShl(l->b, next, const32(l, 8), ""), "");
    }
    all = LLVMBuildLShr(l->b, all, LLVMBuildAnd(l->b, bit, const32(l, 7), ""), "");
    return LLVMBuildAnd(l->b, all, const32(l, (1u << bits) - 1), "");
}

static unsigned count_of(const Lower *l) { return (unsigned)(which_mod(l, "x1 x2 x4")[1] - '0'); }

LLVMValueRef op_load_bytes(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    bool turned = has_mod(l, "trans");
    unsigned words = turned ? 2 : 1, n = count_of(l) * words;
    unsigned bits = has_mod(l, "b6x16_p32") ? 6 : has_mod(l, "b4x16_p64") ? 4 : 8;
    const Operand *d = vector_operand(l, 0, n);
    LLVMValueRef address = shared_offset(l, &l->inst->ops[1]), row[WORD], word[4];
    for (unsigned i = 0; i < n; i++) {
        unsigned matrix = i / words;
        for (unsigned j = 0; j < WORD && i % words == 0; j++) {
            LLVMValueRef lane =
                turned ? scaled(l, place_of(l), WORD, 16 * matrix + j) : scaled(l, group_of(l), 1, 8 * matrix);
            row[j] = !turned && j ? row[0] : in_shared(l, from_lane(l, address, lane));
        }
        word[i] = const32(l, 0);
        for (unsigned j = 0; j < WORD; j++) {
            LLVMValueRef column = turned ? scaled(l, group_of(l), 1, 8 * (i % words)) : scaled(l, place_of(l), WORD, j);
            LLVMValueRef x = LLVMBuildShl(l->b, element_at(l, row[j], column, bits), const32(l, 8 * j), "");
            word[i] = LLVMBuildOr(l->b, word[i], x, "");
        }
    }
    for (unsigned i = 0; i < n; i++) write_operand(l, &d->v[i], &type_b32, word[i]);
    return NULL;
}

LLVMValueRef op_store_bytes(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    unsigned n = count_of(l);
    const Operand *a = vector_operand(l, 1, n);
    LLVMValueRef address = shared_offset(l, &l->inst->ops[0]);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef word = read_operand(l, &a->v[i], &type_b32), row[2];
        for (unsigned j = 0; j < 2; j++)
            row[j] = in_shared(l, from_lane(l, address, scaled(l, place_of(l), 2, 8 * i + j)));
        for (unsigned j = 0; j < WORD; j++) {
            LLVMValueRef x = resize(l, LLVMBuildLShr(l->b, word, const32(l, 8 * j), ""), 8, false);
            LLVMBuildStore(l->b, x, byte_place(l, row[j % 2], scaled(l, group_of(l), 1, j / 2 * 8)));
        }
    }
    return NULL;
}
