/* math.h: the table of math functions (math.def) and queries for `widen`.
**
** A math call is a call of an LLVM intrinsic or of a C library function by name, without side effects. widen turns it
** into the same call over vectors (math_widened) independently of how it is computed; lower_math later maps scalars and
** vectors alike to what the target has. */
#ifndef CUCPU_MATH_H
#define CUCPU_MATH_H
#include <llvm-c/Core.h>
#include <stdbool.h>

#define MATH_PREFIX "cucpu.math."

typedef enum MathKind { MATH_SLEEF, MATH_EXPAND, MATH_NATIVE } MathKind;
/* Result and operands: F a float type, I i32, P a pair of results (see math.def). */
typedef enum MathSig { SIG_F_F, SIG_F_FF, SIG_F_FFF, SIG_F_FI, SIG_P_F } MathSig;

typedef enum MathId {
#define MATH(name, kind, sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64) MATH_ID_##name,
#include "passes/ir/math.def"
#undef MATH
    MATH_ID_COUNT
} MathId;

typedef struct MathRow {
    const char *name;
    MathId id;
    MathKind kind;
    MathSig sig;
    const char *intrinsic, *f32, *f64;        /* "llvm.sin", "sinf", "sin" */
    const char *sleef, *acc32, *acc64, *fast; /* "sin", "u35", "u10", NULL */
    int ulp32, ulp64;
} MathRow;

/* The row of an intrinsic ("llvm.sin", "llvm.sin.f32"), of a C function ("sinf"), or of the vector
** form of a C function ("cucpu.math.sinf.v16"); NULL for everything else. */
const MathRow *math_row(const char *name);

/* The row of a call of a *declared* function with the types of the row; NULL for all others. */
const MathRow *math_row_of_call(LLVMValueRef call);

/* True for calls that math_widened accepts: rows of the table, and llvm.fpto[su]i.sat. */
bool math_is_vectorizable(LLVMValueRef call);

/* Emits the vector form of such a scalar call: args are its operands, each as vector of `width`
** lanes.  The result is a vector, or a struct of vectors for llvm.frexp, modf and sincos.
** Fast-math flags are those of the call. */
LLVMValueRef math_widened(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef *args, unsigned width);

/* ---- constants and types of scalars and vectors alike ---- */
LLVMTypeRef math_with_lanes(LLVMTypeRef element, unsigned lanes); /* the element itself for 1 */
LLVMTypeRef math_element(LLVMTypeRef t);
LLVMValueRef math_splat(LLVMTypeRef t, LLVMValueRef element); /* constant, of type t */
LLVMValueRef math_float(LLVMTypeRef t, double v);             /* constant of a float (vector) type */
LLVMValueRef math_int(LLVMTypeRef t, long long v);            /* constant of an integer (vector) type */
LLVMValueRef math_intrinsic(LLVMBuilderRef b, const char *name, LLVMTypeRef *over, unsigned nover, LLVMValueRef *args,
                            unsigned nargs);
#endif
