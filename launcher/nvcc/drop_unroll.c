/* drop_unroll.c: `#pragma unroll` that stands before no loop, before another one, outside of functions, or with a
** number below 1: nvcc ignores it, clang refuses it.  It goes, its place stays blank. */
#include "launcher/nvcc/refused.h"
#include <string.h>

typedef struct Pragma {
    size_t start, end; /* end 0: none */
} Pragma;

static bool is_unroll(const Text *t, size_t i) { return text_at(t, i, "unroll") || text_at(t, i, "nounroll"); }

/* Reads `#pragma unroll...` or `_Pragma("unroll...")` at i. */
static bool read_pragma(const Text *t, size_t i, Pragma *p) {
    if (t->s[i] == '#') {
        size_t name = skip_blank(t, i + 1);
        if (!text_at(t, name, "pragma") || !is_unroll(t, skip_blank(t, name + 6))) return false;
        *p = (Pragma){i, text_line_end(t, i)};
        return true;
    }
    size_t open = is_word(t, i, skip_token(t, i), "_Pragma") ? skip_blank(t, i + 7) : t->n;
    if (open == t->n || t->s[open] != '(') return false;
    size_t quote = skip_blank(t, open + 1);
    if (!text_at(t, quote, "\"") || !is_unroll(t, quote + 1)) return false;
    *p = (Pragma){i, skip_group(t, open, NULL)};
    return true;
}

/* The last one that begins at `at` or in front of it, with nothing but others of its kind and blanks between. */
static Pragma last_pragma(const Text *t, size_t at) {
    Pragma last = {0, 0};
    for (size_t i = 0, next; (i = skip_blank(t, i)) <= at && i < t->n; i = next) {
        if (read_pragma(t, i, &last)) {
            next = last.end;
            continue;
        }
        next = skip_token(t, i);
        if (next == i) next++;
        if (i < at) last.end = 0;
    }
    return last;
}

bool drop_unroll(Text *t, Refusal *r) {
    Pragma p = last_pragma(t, r->at);
    if (!p.end) return false;
    for (size_t i = p.start; i < p.end; i++)
        if (t->s[i] != '\n') t->s[i] = ' ';
    r->start = p.start;
    r->warning = "this #pragma unroll stands before no loop, or has no use: it is ignored";
    return true;
}
