/* raw_shared.c: a __shared__ variable whose constructor does something, as dim3's and that of std::pair: nvcc takes it
** and runs neither constructor nor destructor, clang refuses it.
**
** Such a file is read a second time, with `__shared__ T a[2], b;` replaced by unions that start nothing, and references
** by the old names: `__shared__ cucpu_raw<T[2]> cucpu_raw_a; static constexpr T (&a)[2] = cucpu_raw_a.value_; ...`.  A
** reference that is a constant is no object: nothing of it is left in the code, and lambdas do not capture it.  Left
** alone, and so an error still: what has an initialiser of its own, which nvcc refuses as well, and declarations that
** come from a macro as a whole; the word __shared__ alone may (r->word). */
#include "launcher/nvcc/refused.h"
#include <string.h>

/* The text from i to end in one line, without comments and the words in `drop`. */
static const char *flat(const Text *t, size_t i, size_t end, const char *const *drop) {
    char *out = text_alloc(2 * (end - i) + 2), *p = out;
    for (size_t next; (i = skip_blank(t, i)) < end; i = next) {
        bool dropped = false;
        next = skip_token(t, i);
        if (next == i) next++;
        for (const char *const *d = drop; d && *d; d++) dropped |= is_word(t, i, next, *d);
        if (dropped) continue;
        memcpy(p, t->s + i, next - i);
        p += next - i;
        if (is_name(t->s[i])) *p++ = ' ';
    }
    return out;
}

/* Attributes with arguments go with the union. */
static bool is_attribute(const Text *t, size_t i, size_t end) {
    return is_word(t, i, end, "__align__") || is_word(t, i, end, "alignas") || is_word(t, i, end, "__attribute__") ||
           is_word(t, i, end, "__builtin_align__");
}

typedef struct Declaration {
    const char *shared; /* __shared__, or the macro that has it */
    const char *attributes, *type;
    size_t first; /* the first name that is declared */
} Declaration;

/* Reads `__shared__ T` of a declaration that begins at i. */
static bool read_type(const Text *t, size_t i, Declaration *d) {
    const char *const dropped[] = {d->shared, "static", NULL};
    static const char *const others[] = {"extern", "if",      "for",     "while", "else",
                                         "case",   "default", "typedef", "using", "return"};
    int angles = 0;
    bool shared = false;
    d->attributes = d->type = "";
    for (size_t next; (i = skip_blank(t, i)) < t->n; i = next) {
        next = skip_token(t, i);
        size_t behind = skip_blank(t, next);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (is_word(t, i, next, others[k])) return false;
        shared |= is_word(t, i, next, d->shared);
        if (is_attribute(t, i, next) && behind < t->n && t->s[behind] == '(') {
            next = skip_group(t, behind, NULL);
            d->attributes = text_format("%s%s ", d->attributes, flat(t, i, next, NULL));
            continue;
        }
        bool name = next > i && is_name(t->s[i]);
        if (name && !angles && *d->type && behind < t->n && strchr("[,;", t->s[behind])) {
            d->first = i;
            return shared;
        }
        if (next == i && strchr("*&;={}", t->s[i])) return false;
        if (next == i && t->s[i] == '(') next = skip_group(t, i, NULL);
        else if (next == i) angles += (t->s[i] == '<') - (t->s[i] == '>'), next++;
        d->type = text_format("%s%s", d->type, flat(t, i, next, dropped));
    }
    return false;
}

/* The variables behind the type; *end = behind the semicolon.  NULL: they cannot be replaced. */
static const char *replacement(const Text *t, const Declaration *d, const char **names, size_t *end) {
    const char *out = *names = "";
    for (size_t i = d->first, next; i < t->n; i = skip_blank(t, i + 1)) {
        next = skip_token(t, i);
        if (next == i || !is_name(t->s[i])) return NULL;
        const char *name = text_copy(t->s + i, next - i);
        size_t from = i = skip_blank(t, next);
        while (i < t->n && t->s[i] == '[') i = skip_blank(t, skip_group(t, i, NULL));
        const char *type = text_format("__typeof__(%s%s)", d->type, flat(t, from, i, NULL));
        out = text_format("%s%s %s::cucpu_raw<%s> cucpu_raw_%s; static constexpr %s &%s = cucpu_raw_%s.value_; ", out,
                          d->shared, d->attributes, type, name, type, name, name);
        *names = text_format("%s%s'%s'", *names, **names ? ", " : "", name);
        if (i == t->n || !strchr(",;", t->s[i])) return NULL;
        *end = i + 1;
        if (t->s[i] == ';') return out;
    }
    return NULL;
}

bool raw_shared(Text *t, Refusal *r) {
    bool macro = r->word && is_name(*r->word);
    Declaration d = {.shared = macro ? r->word : "__shared__"};
    size_t end = 0;
    const char *names;
    r->start = text_statement(t, r->at);
    if (!read_type(t, r->start, &d) || d.first > r->at) return false;
    const char *text = replacement(t, &d, &names, &end);
    if (!text || r->at >= end) return false;
    text_replace(t, r->start, end, text);
    r->warning = text_format("__shared__ variables are not initialised: no constructor of %s runs", names);
    return true;
}
