/* workarounds.h: which of the workarounds of workarounds.def are on. */
#ifndef CUCPU_WORKAROUNDS_H
#define CUCPU_WORKAROUNDS_H
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum Workaround {
#define WORKAROUND(name, first, last, upstream, reproducer, what) WORKAROUND_##name,
#include "passes/emit/llvm22/workarounds.def"
#undef WORKAROUND
    WORKAROUNDS
} Workaround;

/* The major versions of LLVM in which it is on; last = 0: all later ones. */
typedef struct WorkaroundRow {
    const char *name;
    unsigned first, last;
    const char *upstream, *reproducer, *what;
} WorkaroundRow;
const WorkaroundRow *workaround_row(Workaround w);

/* With the LLVM that is linked, or the one assumed instead. */
bool workaround_is_on(Workaround w);
/* For tests: decides as if this major version were linked; 0: the one that is. */
void workarounds_assume_llvm(unsigned major);
#ifdef __cplusplus
}
#endif
#endif
