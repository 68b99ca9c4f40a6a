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
/* Factors of rows r and columns c of a product; n blocks of equal length along k have one each. */
typedef struct Scales {
    LLVMValueRef a[2][4], b[2][4];
    unsigned n;
} Scales;
/* sum += a * b.  Sums lie by columns of two, rows of a column beside each other.  scales: NULL: none */
void multiply(Lower *l, Shape s, const PtxType *t, LLVMValueRef *a, LLVMValueRef *b, LLVMValueRef *sum,
              const Scales *scales);
/* sum[i] += c[i] of integers, clamped with .satfinite */
void add_integers(Lower *l, unsigned n, LLVMValueRef *sum, LLVMValueRef *c);

/* What stands in registers: those of the operands, or of a function the parameters. */
enum { WORDS = 144 };
typedef struct Words {
    LLVMValueRef v[WORDS];
    unsigned n;
} Words;

/* Makes the results of what the function is called with. */
typedef void Body(Lower *l, const Words *in, Words *out);

/* A sum of n elements by an internal function of the module for this instruction; selector: what operands that are
** constants say, plus 1; 0: there are none. */
Words call_function(Lower *l, unsigned selector, const PtxType *sum, unsigned n, const Words *in, Body *body);
#endif
