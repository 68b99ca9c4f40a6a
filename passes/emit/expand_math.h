/* expand_math.h: math functions and conversions as sequences of instructions, for lower_math. */
#ifndef CUCPU_EXPAND_MATH_H
#define CUCPU_EXPAND_MATH_H
#include "passes/ir/math.h"

/* ---- instruction sequences (expand_math.c); x, y, e scalars or vectors ---- */
LLVMValueRef expand_ldexp(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef e);
LLVMValueRef expand_frexp(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef pair);
LLVMValueRef expand_modf(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef pair);
LLVMValueRef expand_fma_f32(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
LLVMValueRef expand_exp_f32(LLVMBuilderRef b, LLVMValueRef x, bool has_scalef);
LLVMValueRef expand_rsqrt_f32(LLVMBuilderRef b, LLVMValueRef x, bool has_estimate);
LLVMValueRef expand_to_int(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed);

/* ---- sin and cos (expand_sincos.c) ---- */
#define SINCOS_LIMIT_F32 0x1p17
#define SINCOS_LIMIT_F64 0x1p27
typedef struct SinCos {
    LLVMValueRef sine, cosine;
} SinCos;
/* bounded: |x| is not above the limit of the type, or the result is not used; else such a result is some number in
** [-1, 1], that of an infinity NaN. */
SinCos expand_sincos(LLVMBuilderRef b, LLVMValueRef x, bool bounded);
/* llvm.sin and llvm.cos of one argument in this block become llvm.sincos. */
void pair_sincos(LLVMBuilderRef b, LLVMBasicBlockRef bb);

/* ---- conversions (convert.c) ---- */
typedef struct ConvertTarget {
    unsigned bits; /* of a vector register */
    bool avx512;   /* with VL */
} ConvertTarget;

/* Saturating conversion of a vector of floats to 32-bit integers, NaN gives 0. NULL: not possible with the target's
** instructions. */
LLVMValueRef convert_floats(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed, const ConvertTarget *t);
LLVMValueRef fma_of(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z);
#endif
