/* name_templates.c: `cast<T, S>::apply<N>(x)` in a template, without the word `template` in front of apply: nvcc takes
** it, clang reads two comparisons and refuses them where they are instantiated.
**
** The place of the message is the first character of the name.  The word goes in front of each part with arguments of
** its own that follows one with arguments, or a parameter of the template; in front of others nothing is missing. */
#include "launcher/nvcc/refused.h"

/* Behind the template arguments that open at i; t->n: it is a comparison. */
static size_t skip_arguments(const Text *t, size_t i) {
    int angles = 0;
    for (size_t next; (i = skip_blank(t, i)) < t->n; i = next) {
        char c = t->s[i];
        next = bracket(c) == 1 ? skip_group(t, i, NULL) : skip_token(t, i);
        if (next == i) next++;
        if (c == ';' || c == '{' || bracket(c) == -1) return t->n;
        angles += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (!angles) return next;
    }
    return t->n;
}

bool name_templates(Text *t, Refusal *r) {
    size_t missing[8], n = 0, i = r->at;
    bool in_name = false; /* behind a :: */
    while (i < t->n && is_name(t->s[i])) {
        size_t end = skip_token(t, i), open = skip_blank(t, end);
        if (is_word(t, i, end, "template")) return false;
        bool has_arguments = text_at(t, open, "<") && !text_at(t, open, "<<");
        size_t behind = has_arguments ? skip_arguments(t, open) : open;
        if (behind < t->n) behind = skip_blank(t, behind);
        bool goes_on = text_at(t, behind, "::");
        if (in_name && has_arguments && (goes_on || text_at(t, behind, "(")) && n < sizeof missing / sizeof *missing)
            missing[n++] = i;
        if (!goes_on) break;
        in_name = true;
        i = skip_blank(t, behind + 2);
    }
    r->start = r->at;
    for (size_t k = n; k-- > 0;) text_insert(t, missing[k], "template ");
    return n > 0;
}
