/* debug_functions.h: the functions of the source whose code is in a function, for -G. */
#ifndef CUCPU_DEBUG_FUNCTIONS_H
#define CUCPU_DEBUG_FUNCTIONS_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>

typedef struct SourceFunction {
    LLVMMetadataRef subprogram, inlined_at; /* NULL: not inlined */
    int next;                               /* of the same subprogram; -1: none */
} SourceFunction;

typedef struct SourceFunctions {
    SourceFunction *v;
    int n, cap;
} SourceFunctions;

/* By the locations of its instructions; the first is the function itself. */
SourceFunctions find_source_functions(Arena *a, LLVMValueRef fn);
#endif
