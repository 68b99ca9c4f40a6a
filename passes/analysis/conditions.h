/* conditions.h: conditions joined by and/or, some of whose operands are uniform. */
#ifndef CUCPU_CONDITIONS_H
#define CUCPU_CONDITIONS_H
#include "passes/analysis/shapes/shapes.h"

enum { LEAVES_MAX = 16 };

typedef struct Leaf {
    LLVMValueRef v;
    bool late; /* short-circuit: only tested if others do not decide; may be poison otherwise */
} Leaf;

/* The conjunction of its leaves, or their disjunction: one that is false (true) decides. */
typedef struct Condition {
    bool disjunction;
    Leaf leaf[LEAVES_MAX];
    int n;
} Condition;

/* v is joined by and/or of uniform and varying leaves. */
bool is_mixed_condition(const Shapes *s, LLVMValueRef v, Condition *c);
/* What the uniform leaves, or the varying ones, are together; built at the builder, where v is available. The varying
** ones may be poison where a uniform one decides. */
LLVMValueRef join_leaves(LLVMBuilderRef b, const Shapes *s, const Condition *c, bool uniform);
#endif
