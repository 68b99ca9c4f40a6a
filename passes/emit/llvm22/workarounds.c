/* workarounds.c: see workarounds.h. */
#include "passes/emit/llvm22/workarounds.h"
#include <llvm-c/Core.h>
#include <stddef.h>

static const WorkaroundRow rows[] = {
#define WORKAROUND(name, first, last, upstream, reproducer, what) {#name, first, last, upstream, reproducer, what},
#include "passes/emit/llvm22/workarounds.def"
#undef WORKAROUND
};

static unsigned assumed;

const WorkaroundRow *workaround_row(Workaround w) { return &rows[w]; }

void workarounds_assume_llvm(unsigned major) { assumed = major; }

bool workaround_is_on(Workaround w) {
    unsigned major = assumed;
    if (!major) LLVMGetVersion(&major, NULL, NULL);
    return major >= rows[w].first && (!rows[w].last || major <= rows[w].last);
}
