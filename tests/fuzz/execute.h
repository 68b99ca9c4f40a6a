/* execute.h: compiles a program with some options, runs it, and compares with the reference. */
#ifndef FUZZ_EXECUTE_H
#define FUZZ_EXECUTE_H
#include "tests/fuzz/interpret.h"

typedef struct Config {
    int width, opt_level;
    const char *disable; /* comma list, as --disable */
    const char *cpu;     /* as --cpu */
    unsigned layouts;    /* set of 1 << CUCPU_LAYOUT_*, 0 = all */
    bool verify;         /* the IR after every pass */
    bool shuffle;        /* groups of a block run in random order */
    bool speed;          /* two configurations: compare their times */
    int shapes;          /* block shapes to run, of those that fit */
    int only_shape;      /* number of the one block shape to run, 0 = `shapes` of them */
    uint64_t seed;       /* of inputs and of the choice of block shapes */
} Config;

enum { VERDICT_PASS, VERDICT_FAIL, VERDICT_INVALID, VERDICT_REFUSED, SHAPES = 30, GRIDS = 9 };

/* Lives in memory shared with the parent process: what was done last survives a crash. */
typedef struct Report {
    uint64_t seed;                 /* in work */
    char where[256], what[512];
    int shape;                     /* number of the last block shape that ran */
    int passed, invalid, refused;  /* seeds */
    int configs, narrow, launches; /* compiled; of these at width 1 instead; launches compared */
} Report;

/* `configs` have one program in common; the verdict's words stand in the report. */
int check_program(const Program *p, const Config *configs, int n, Report *r);
#endif
