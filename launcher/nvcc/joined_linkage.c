/* joined_linkage.c: `extern "C"__global__ void k()` without a space, which nvcc reads as its host compiler does when
** what follows is a macro: for clang, where __global__ and its like are macros too, it is a literal with a suffix of
** the user.  A space goes between. */
#include "launcher/nvcc/source_text.h"
#include <string.h>

bool joined_linkage(Text *t) {
    bool changed = false;
    if (!strstr(t->s, "\"C\"__")) return false;
    for (size_t i = 0, next; i < t->n; i = next) {
        next = skip_token(t, i);
        if (is_word(t, i, next, "extern")) {
            size_t name = skip_blank(t, next);
            if (text_at(t, name, "\"C\"__")) {
                text_insert(t, name + 3, " ");
                changed = true;
            }
        }
        if (next == i) next++;
    }
    return changed;
}
