/* fold_tests.h: tests of the index in a block that have the same result each time (fold_tests.c). */
#ifndef CUCPU_FOLD_TESTS_H
#define CUCPU_FOLD_TESTS_H
#include "passes/passes.h"

/* Whether the function compares lanes with a value that all of them share. */
bool has_lane_tests(LLVMValueRef fn);
/* Replaces such tests whose result is known; true if it changed anything: what depended on them may be dead then. Any
** IR; keeps the CFG. */
bool fold_lane_tests(Module *m, LLVMValueRef fn);
#endif
