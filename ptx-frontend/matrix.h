/* matrix.h: fragments of matrices in registers, shared by lower_matrix.c and lower_wgmma.c. */
#ifndef CUCPU_PTX_MATRIX_H
#define CUCPU_PTX_MATRIX_H
#include "ptx-frontend/lower.h"

enum { LANES = 32 };

typedef struct Shape {
    unsigned m, n, k;
} Shape;

Shape shape_of(const Lower *l);
unsigned per_word(const PtxType *t);
unsigned factors_per_word(const PtxType *t); /* that are computed with; of single bits the word is one */
LLVMValueRef lane_id(Lower *l);
LLVMValueRef from_lane(Lower *l, LLVMValueRef v, LLVMValueRef lane); /* what another lane has, of 32 or 64 bits */
const Operand *vector_operand(Lower *l, int at, unsigned n);
/* The elements of n words as what is computed with: float, double, a word of integers. */
void elements(Lower *l, const PtxType *t, unsigned n, const LLVMValueRef *words, LLVMValueRef *out);
LLVMValueRef real_of_half(Lower *l, LLVMValueRef bits);
LLVMValueRef pair_of(Lower *l, LLVMValueRef *v); /* two floats as halves in a word */
/* a + b of integer sums, clamped with .satfinite */
void add_integers(Lower *l, unsigned n, LLVMValueRef *sum, LLVMValueRef *c);
#endif
