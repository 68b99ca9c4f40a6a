/* reduce.h: makes a failing program smaller. */
#ifndef FUZZ_REDUCE_H
#define FUZZ_REDUCE_H
#include "tests/fuzz/program.h"

/* True while the program still shows the failure. */
typedef bool StillFails(const Program *p, void *context);
void reduce(Program *p, StillFails *still_fails, void *context);
#endif
