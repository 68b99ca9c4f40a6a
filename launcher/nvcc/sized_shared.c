/* sized_shared.c: `extern __shared__ int s[32];` is a definition where device code of one file is a whole.
**
** nvcc takes it so, with a warning; for clang only `extern __shared__ int s[];`, memory whose size the launch says, may
** be extern.  The word goes, its place stays blank. */
#include "launcher/nvcc/source_text.h"
#include <string.h>

/* i: behind the word extern. */
static bool declares_sized(const Text *t, size_t i) {
    bool shared = false;
    while ((i = skip_blank(t, i)) < t->n) {
        size_t end = skip_token(t, i);
        char c = t->s[i];
        shared |= is_word(t, i, end, "__shared__");
        if (c == '[') {
            i = skip_blank(t, i + 1);
            return shared && i < t->n && t->s[i] != ']';
        }
        if (c == ';' || c == ',') return shared;
        if (end == i && strchr("{}=", c)) return false;
        i = end != i ? end : c == '(' ? skip_group(t, i, NULL) : i + 1;
    }
    return false;
}

bool sized_shared(Text *t) {
    bool changed = false;
    for (size_t i = 0, next; i < t->n; i = next) {
        next = skip_token(t, i);
        if (is_word(t, i, next, "extern") && declares_sized(t, next)) {
            memset(t->s + i, ' ', next - i);
            changed = true;
        }
        if (next == i) next++;
    }
    return changed;
}
