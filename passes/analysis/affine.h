/* affine.h: an integer or address as a constant and terms with factors. Base + index, strides and range tests are read
** from this form, by all passes.
**
**   v = constant + sum of factor * scales * term, each term extended as it says
**
** On overflow there is one answer:
** - The form holds modulo 2^bits of v. Sums, differences and products in the type of v need no flag for that. Whoever
**   compares, divides or extends v must show that it does not wrap: by a test at run time, by ranges, or by requiring
**   the form of v as an integer (`as`).
** - An extension of a sum is taken apart only if the narrow sum does not wrap as an integer of the extension's
**   signedness, at each operation: by nsw for sext and nuw for zext, if the rules trust flags, or by ranges, if the
**   rules have them. Else the extension as a whole is a term, or there is no form.
** - Flags: the form holds wherever v is not poison. Code of groups, in which v is computed for inactive lanes as well,
**   ignores them.
** - A disjoint or is a sum that cannot wrap. A phi of one value is that value. A freeze is a term. */
#ifndef CUCPU_AFFINE_H
#define CUCPU_AFFINE_H
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include <stdio.h>

/* How a narrow value becomes one of any number of bits. */
typedef enum AffineExtension {
    AFFINE_SAME, /* it has all bits of v */
    AFFINE_SIGNED,
    AFFINE_UNSIGNED,
    AFFINE_POSITIVE /* either, known not to be negative */
} AffineExtension;

enum { AFFINE_TERMS = 12, AFFINE_SCALES = 3 };

typedef struct AffineTerm {
    LLVMValueRef v; /* an integer, or the pointer that an address begins with */
    int64_t factor;
    LLVMValueRef scale[AFFINE_SCALES]; /* further factors: values of which the rules say so; then NULL */
    AffineExtension by;
} AffineTerm;

typedef struct Affine {
    AffineTerm term[AFFINE_TERMS];
    int n;
    int64_t constant;
} Affine;

/* What shows that a narrow sum does not wrap, beside ranges. */
typedef enum AffineFlags {
    AFFINE_IGNORE_FLAGS,
    AFFINE_TRUST_FLAGS,
    AFFINE_ASSUME /* nothing: estimates of costs, which look through truncations and freezes as well */
} AffineFlags;

typedef struct AffineRules {
    AffineFlags flags;
    ShimLoops *ranges;        /* or NULL */
    LLVMTargetDataRef layout; /* addresses are taken apart; or NULL */
    /* v is a term, which is not taken apart. NULL: whatever is no sum is one; else v has no form if it has another
    ** term. */
    bool (*is_term)(const void *context, LLVMValueRef v);
    bool (*is_scale)(const void *context, LLVMValueRef v);        /* of products in all bits of v, also as
                                                                     a summand of a factor; may be NULL */
    LLVMValueRef (*instead)(const void *context, LLVMValueRef v); /* another value of v's type; NULL: v itself */
    const void *context;
} AffineRules;

/* The form of v; `as`: of the integer that v is with this signedness, which is not modulo anything. false: none. */
bool affine_of(const AffineRules *r, LLVMValueRef v, AffineExtension as, Affine *a);
/* Removes the terms of v, however extended; returns the sum of their factors. */
int64_t affine_take(Affine *a, LLVMValueRef v);
/* The same values are multiplied, whatever the factors. */
bool affine_same_product(const AffineTerm *a, const AffineTerm *b);
static inline bool affine_is_zero(const Affine *a) { return !a->n && !a->constant; }
/* The form modulo 2^bits of the integer type t, built without flags; `at` gives the value of a term at the builder
** (NULL: itself). Terms must have no scales. */
LLVMValueRef affine_build(LLVMBuilderRef b, const Affine *a, LLVMTypeRef t, LLVMValueRef (*at)(void *, LLVMValueRef),
                          void *context);

/* Of an id of a thread or block, or a size of one, extended to 64 bits: the id. They are below 2^31, so that both
** extensions are the same. */
LLVMValueRef affine_narrow_id(LLVMValueRef v);
/* v = blockIdx.d * stride, in 32 or 64 bits: the stride, a constant or any other value of this type; else NULL. */
LLVMValueRef affine_block_start(LLVMValueRef v, int d);
/* v = blockIdx.d * stride + threadIdx.d, modulo 2^32 or 2^64: the stride, else NULL. */
LLVMValueRef affine_grid_index(LLVMValueRef v, int d);

/* One line for each integer and address of the function, by flags and ranges. */
void affine_print(LLVMTargetDataRef layout, LLVMValueRef fn, FILE *f);
#endif
