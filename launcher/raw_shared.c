/* raw_shared.c: a __shared__ variable whose constructor does something, as dim3's and that of std::pair: nvcc takes it and runs neither
** constructor nor destructor, clang refuses it.
**
** Such a file is read a second time, with `__shared__ T a[2], b;` replaced by unions that start nothing, and references by the old names:
** `__shared__ cucpu_raw<T[2]> cucpu_raw_a; static constexpr T (&a)[2] = cucpu_raw_a.value_; ...`.  A reference that is a constant is no
** object: nothing of it is left in the code, and lambdas do not capture it.  Left alone, and so an error still: what has an initialiser of
** its own, which nvcc refuses as well, and declarations that come from a macro. */
#include "launcher/raw_shared.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- where ---- */

static bool is_known(const SharedSpots *spots, const SharedSpot *s) {
    for (size_t i = 0; i < spots->n; i++) {
        const SharedSpot *o = &spots->v[i];
        if (o->run == s->run && o->line == s->line && o->column == s->column && !strcmp(o->file, s->file)) return true;
    }
    return false;
}

/* The line begins with FILE:LINE:COLUMN, and what follows is the message. */
static bool read_place(const char *line, size_t n, SharedSpot *s) {
    char *text = text_copy(line, n), *column = strrchr(text, ':');
    if (!column) return false;
    *column++ = 0;
    char *number = strrchr(text, ':');
    if (!number) return false;
    *number++ = 0;
    char *real = realpath(text, NULL);
    if (!real) return false;
    s->file = text_copy(real, strlen(real));
    free(real);
    s->line = strtoul(number, NULL, 10), s->column = strtoul(column, NULL, 10);
    return s->line && s->column;
}

static const char *without_colours(const char *s, size_t n) {
    char *out = text_alloc(n + 1), *p = out;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\033')
            while (i < n && s[i] != 'm' && s[i] != 'K') i++;
        else
            *p++ = s[i];
    }
    return out;
}

bool shared_spots_read(SharedSpots *spots, const char *messages) {
    static const char refused[] = ": error: initialization is not supported for __shared__ variables";
    size_t size = 0, before = spots->n;
    const char *raw = file_read(messages, &size), *text = raw ? without_colours(raw, size) : "";
    spots->runs++;
    for (const char *p = text; (p = strstr(p, refused)) != NULL; p++) {
        const char *line = p;
        while (line > text && line[-1] != '\n') line--;
        SharedSpot s = {.run = spots->runs};
        if (!read_place(line, (size_t)(p - line), &s) || is_known(spots, &s)) continue;
        SharedSpot *more = text_alloc((spots->n + 1) * sizeof *more);
        if (spots->n) memcpy(more, spots->v, spots->n * sizeof *more);
        more[spots->n++] = s;
        spots->v = more;
    }
    return spots->n > before;
}

/* ---- what ---- */

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

static size_t line_end(const Text *t, size_t i) {
    while (i < t->n && t->s[i] != '\n') i += t->s[i] == '\\' && i + 1 < t->n ? 2 : 1;
    return i;
}

/* Where the statement begins that holds the character at `at`. */
static size_t statement(const Text *t, size_t at) {
    size_t start = 0;
    bool line = true; /* nothing but blanks in it so far */
    for (size_t i = 0, next; i < at; i = next) {
        next = skip_token(t, i);
        char c = t->s[i];
        if (c == '#' && line) start = next = line_end(t, i);
        else if (next == i && strchr(";{}", c)) start = next = i + 1;
        else if (next == i) next++;
        line = c == '\n' || (line && isspace((unsigned char)c));
    }
    return skip_blank(t, start);
}

/* Attributes with arguments go with the union. */
static bool is_attribute(const Text *t, size_t i, size_t end) {
    return is_word(t, i, end, "__align__") || is_word(t, i, end, "alignas") || is_word(t, i, end, "__attribute__") ||
           is_word(t, i, end, "__builtin_align__");
}

typedef struct Declaration {
    const char *attributes, *type;
    size_t first; /* the first name that is declared */
} Declaration;

/* Reads `__shared__ T` of a declaration that begins at i. */
static bool read_type(const Text *t, size_t i, Declaration *d) {
    static const char *const dropped[] = {"__shared__", "static", NULL};
    static const char *const others[] = {"extern", "if", "for", "while", "else", "case", "default", "typedef", "using", "return"};
    int angles = 0;
    bool shared = false, calls = false;
    d->attributes = d->type = "";
    for (size_t next; (i = skip_blank(t, i)) < t->n; i = next) {
        next = skip_token(t, i);
        size_t behind = skip_blank(t, next);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (is_word(t, i, next, others[k])) return false;
        shared |= is_word(t, i, next, "__shared__");
        if (is_attribute(t, i, next) && behind < t->n && t->s[behind] == '(') {
            next = skip_group(t, behind, &calls);
            d->attributes = text_format("%s%s ", d->attributes, flat(t, i, next, NULL));
            continue;
        }
        bool name = next > i && is_name(t->s[i]);
        if (name && !angles && *d->type && behind < t->n && strchr("[,;", t->s[behind])) {
            d->first = i;
            return shared;
        }
        if (next == i && strchr("*&;={}", t->s[i])) return false;
        if (next == i && t->s[i] == '(') next = skip_group(t, i, &calls);
        else if (next == i) angles += (t->s[i] == '<') - (t->s[i] == '>'), next++;
        d->type = text_format("%s%s", d->type, flat(t, i, next, dropped));
    }
    return false;
}

/* The variables behind the type; *end = behind the semicolon.  NULL: they cannot be replaced. */
static const char *replacement(const Text *t, const Declaration *d, const char **names, size_t *end) {
    const char *out = *names = "";
    bool calls = false;
    for (size_t i = d->first, next; i < t->n; i = skip_blank(t, i + 1)) {
        next = skip_token(t, i);
        if (next == i || !is_name(t->s[i])) return NULL;
        const char *name = text_copy(t->s + i, next - i);
        size_t from = i = skip_blank(t, next);
        while (i < t->n && t->s[i] == '[') i = skip_blank(t, skip_group(t, i, &calls));
        const char *type = text_format("__typeof__(%s%s)", d->type, flat(t, from, i, NULL));
        out = text_format("%s__shared__ %s::cucpu_raw<%s> cucpu_raw_%s; static constexpr %s &%s = cucpu_raw_%s.value_; ", out,
                          d->attributes, type, name, type, name, name);
        *names = text_format("%s%s'%s'", *names, **names ? ", " : "", name);
        if (i == t->n || !strchr(",;", t->s[i])) return NULL;
        *end = i + 1;
        if (t->s[i] == ';') return out;
    }
    return NULL;
}

static void replace(Text *t, size_t from, size_t to, const char *with) {
    size_t n = strlen(with);
    for (size_t i = from; i < to; i++)
        if (t->s[i] == '\n') with = text_format("%s\n", with), n++;
    char *s = text_alloc(t->n - (to - from) + n + 1);
    memcpy(s, t->s, from);
    memcpy(s + from, with, n);
    memcpy(s + from + n, t->s + to, t->n - to);
    *t = (Text){s, t->n - (to - from) + n};
}

/* Position of a line and column; t->n: there is none. */
static size_t position(const Text *t, size_t line, size_t column) {
    const char *p = t->s;
    while (--line && p) p = (p = strchr(p, '\n')) ? p + 1 : NULL;
    size_t i = p ? (size_t)(p - t->s) + column - 1 : t->n;
    return i < t->n ? i : t->n;
}

static bool change_one(Text *t, size_t at, const char *path, size_t line, bool warn) {
    Declaration d;
    size_t start = statement(t, at), end = 0;
    const char *names;
    if (!read_type(t, start, &d) || d.first > at) return false;
    const char *text = replacement(t, &d, &names, &end);
    if (!text || at >= end) return false;
    replace(t, start, end, text);
    if (warn) fprintf(stderr, "%s:%zu: warning: __shared__ variables are not initialised: no constructor of %s runs\n", path, line, names);
    return true;
}

bool raw_shared(Text *t, const char *path, SharedSpots *spots, bool warn) {
    char *real = realpath(path, NULL);
    bool changed = false;
    /* The last one first: places in front of a change stay.  One change covers all names of its declaration. */
    for (int run = 1; real && run <= spots->runs; run++) {
        size_t limit = t->n;
        for (;;) {
            size_t best = 0;
            const SharedSpot *spot = NULL;
            for (size_t i = 0; i < spots->n; i++) {
                const SharedSpot *s = &spots->v[i];
                size_t at = s->run == run && !strcmp(s->file, real) ? position(t, s->line, s->column) : t->n;
                if (at < limit && (!spot || at > best)) best = at, spot = s;
            }
            if (!spot) break;
            size_t start = statement(t, best);
            limit = best;
            if (!change_one(t, best, path, spot->line, warn && run == spots->runs)) continue;
            changed = true, limit = start;
            if (run == spots->runs) spots->changed = true;
        }
    }
    free(real);
    return changed;
}
