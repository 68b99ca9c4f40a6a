/* tag_structures.c: `typedef struct { ... } Name;` with member functions gets Name as its tag.
**
** clang has asked for the linkage of such functions before it reads the name: for CUDA it is an error, for nvcc the
** usual way to write a structure.  Structures that nobody could call a function of (no parenthesis in them) are left
** alone. */
#include "launcher/nvcc/source_text.h"
#include "launcher/text.h"
#include <string.h>

/* Behind attributes with arguments: __align__(8), alignas(16), __attribute__((packed)). */
static size_t skip_attributes(const Text *t, size_t i) {
    for (;;) {
        i = skip_blank(t, i);
        size_t end = i < t->n && is_name(t->s[i]) ? skip_token(t, i) : i, open = skip_blank(t, end);
        if (end == i || open == t->n || t->s[open] != '(') return i;
        i = skip_group(t, open, NULL);
    }
}

/* The name behind the closing brace, if it stands alone or first. */
static const char *name_of(const Text *t, size_t i) {
    i = skip_attributes(t, i);
    size_t end = i < t->n && is_name(t->s[i]) ? skip_token(t, i) : i, behind = skip_blank(t, end);
    if (end == i || behind == t->n || !strchr(";,", t->s[behind])) return NULL;
    return text_copy(t->s + i, end - i);
}

/* i: behind the word typedef. */
static bool tag(Text *t, size_t i) {
    i = skip_blank(t, i);
    size_t end = i < t->n ? skip_token(t, i) : i;
    if (!is_word(t, i, end, "struct") && !is_word(t, i, end, "union") && !is_word(t, i, end, "class")) return false;
    size_t open = skip_attributes(t, end);
    if (open == t->n || t->s[open] != '{') return false;
    bool calls = false;
    const char *name = name_of(t, skip_group(t, open, &calls));
    if (!name || !calls) return false;
    text_insert(t, open, text_format(" %s ", name));
    return true;
}

bool tag_structures(Text *t) {
    bool changed = false;
    for (size_t i = 0, next; i < t->n; i = next) {
        next = skip_token(t, i);
        if (is_word(t, i, next, "typedef")) changed |= tag(t, next);
        if (next == i) next++;
    }
    return changed;
}
