/* fold_tests.h: tests of the place in a block that come out alike each time (fold_tests.c). */
#ifndef CUCPU_FOLD_TESTS_H
#define CUCPU_FOLD_TESTS_H
#include "passes/passes.h"

/* Whether the function compares lanes with a value that all of them share. */
bool has_lane_tests(LLVMValueRef fn);
/* Replaces what is known of such tests; true if it changed anything: what hung on it is then dead.  Any IR; keeps the CFG. */
bool fold_lane_tests(Module *m, LLVMValueRef fn);
#endif
