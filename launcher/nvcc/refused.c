/* refused.c: places that clang has refused are changed, and the file is read again.
**
** Only such files pay for it.  A file in which there is any error gets all changes that else only the source file and those of -I get.
** A place is known by the message's line and column in the text that the run saw, so the changes of all runs are made again one after the
** other, each from the last place of a file to the first: those in front of a change stay where they are. */
#include "launcher/nvcc/refused.h"
#include <stdlib.h>
#include <string.h>

#define BAD_ESCAPE ": error: invalid % escape in inline assembly string"
enum Half { BOTH, DEVICE, HOST, SILENT /* for both, without a warning */ };
static const struct Kind {
    const char *message;
    bool (*change)(Text *t, Refusal *r);
    const char *tail; /* stands in the same line, if not NULL */
    enum Half half;
    const char *error; /* a note of this error, if not NULL */
} kinds[] = {
    {": note: '", raw_shared, "' makes it __shared__", BOTH, NULL},
    {": error: initialization is not supported for __shared__ variables", raw_shared, NULL, BOTH, NULL},
    {": error: expected a for, while, or do-while loop to follow '#pragma ", drop_unroll, NULL, BOTH, NULL},
    {": error: incompatible directives '#pragma ", drop_unroll, NULL, BOTH, NULL},
    {": error: duplicate directives '#pragma ", drop_unroll, NULL, BOTH, NULL},
    {"; must be positive", drop_unroll, NULL, BOTH, NULL},
    {": error: this pragma cannot appear in ", drop_unroll, NULL, BOTH, NULL},
    {": error: expected statement", drop_unroll, NULL, BOTH, NULL},
    {": error: expected unqualified-id", drop_unroll, NULL, BOTH, NULL},
    {": error: missing 'template' keyword prior to dependent template name '", name_templates, NULL, SILENT, NULL},
    {": error: reference to overloaded function could not be resolved; did you mean to call it", name_templates, NULL,
     SILENT, NULL},
    {BAD_ESCAPE, escape_percent, NULL, SILENT, NULL},
    {": note: expanded from macro '", escape_percent, NULL, SILENT, BAD_ESCAPE},
    {": note: it is declared with '__device__'", add_device, NULL, SILENT, NULL},
    {": note: it is declared with '__global__'", add_global, NULL, SILENT, NULL},
    {": note: it is declared with '__host__ __device__'", add_sides, NULL, SILENT, NULL},
    {": note: declared without and defined with specifiers", add_sides_of_definition, NULL, BOTH, NULL},
    {": note: candidate ", add_sides, "not viable: call to __device__ function from __host__ function", DEVICE, NULL},
    {": note: candidate ", add_sides, "not viable: call to __host__ function from __device__ function", HOST, NULL},
    {": note: candidate ", add_sides, "not viable: call to __host__ function from __global__ function", HOST, NULL},
    {": error: __device__ function '", add_sides, "cannot overload __host__ __device__ function", DEVICE, NULL},
    {": error: __host__ function '", add_sides, "cannot overload __host__ __device__ function", HOST, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MAX_RUNS = 16 };

static bool is_known(const Spots *spots, const Spot *s) {
    for (size_t i = 0; i < spots->n; i++) {
        const Spot *o = &spots->v[i];
        if (o->run == s->run && o->kind == s->kind && o->line == s->line && o->column == s->column &&
            !strcmp(o->file, s->file))
            return true;
    }
    return false;
}

/* The line begins with FILE:LINE:COLUMN, and what follows is the message. */
static bool read_place(const char *line, size_t n, Spot *s) {
    char *text = text_copy(line, n), *error = strstr(text, ": error: ");
    if (error) *error = 0;
    char *column = strrchr(text, ':');
    if (!column) return false;
    *column++ = 0;
    char *number = strrchr(text, ':');
    if (!number) return false;
    *number++ = 0;
    char *real = realpath(text, NULL);
    if (!real) return false;
    s->file = text_copy(real, strlen(real)), s->name = text;
    free(real);
    s->line = strtoul(number, NULL, 10), s->column = strtoul(column, NULL, 10);
    return s->line && s->column;
}

static const char *without_colours(const char *s, size_t n) {
    char *out = text_alloc(n + 1), *p = out;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\033')
            while (i < n && s[i] != 'm' && s[i] != 'K') i++;
        else *p++ = s[i];
    }
    return out;
}

static void add_spot(Spots *spots, const Spot *s) {
    Spot *more = text_alloc((spots->n + 1) * sizeof *more);
    if (spots->n) memcpy(more, spots->v, spots->n * sizeof *more);
    more[spots->n++] = *s;
    spots->v = more;
}

static bool has_tail(const char *message, const char *tail) {
    const char *found = tail ? strstr(message, tail) : message;
    return found && found < message + strcspn(message, "\n");
}

/* The last error in front of p is that one. */
static bool belongs_to(const char *text, const char *p, const char *error) {
    static const char any[] = ": error: ";
    while (p > text && strncmp(p, any, sizeof any - 1)) p--;
    return !strncmp(p, error, strlen(error));
}

/* Changes for both halves come with a warning. */
static bool applies(const Spots *spots, int kind) {
    if (kinds[kind].half == SILENT) return true;
    if (kinds[kind].half == BOTH) return !spots->werror;
    return (kinds[kind].half == DEVICE) == spots->device;
}

/* Files that an error is in: they may have what is changed wherever it stands. */
static void read_files(Spots *spots, const char *text) {
    spots->new_files = spots->files.n;
    for (const char *p = text; (p = strstr(p, ": error: ")) != NULL; p++) {
        const char *line = p;
        while (line > text && line[-1] != '\n') line--;
        Spot s;
        if (!read_place(line, (size_t)(p - line), &s) || vec_has(&spots->files, s.file)) continue;
        vec_add(&spots->files, s.file);
        vec_add(&spots->names, s.name);
    }
}

bool spots_read(Spots *spots, const char *messages) {
    size_t size = 0, before = spots->n;
    if (spots->runs == MAX_RUNS) return false;
    const char *raw = file_read(messages, &size), *text = raw ? without_colours(raw, size) : "";
    spots->runs++;
    for (int kind = 0; kind < KINDS; kind++)
        for (const char *p = text; (p = strstr(p, kinds[kind].message)) != NULL; p++) {
            const char *line = p;
            while (line > text && line[-1] != '\n') line--;
            Spot s = {.run = spots->runs, .kind = kind};
            if (!applies(spots, kind) || !has_tail(p, kinds[kind].tail)) continue;
            if (kinds[kind].error && !belongs_to(text, p, kinds[kind].error)) continue;
            const char *quote = memchr(p, '\'', strcspn(p, "\n"));
            if (quote) s.word = text_copy(quote + 1, strcspn(quote + 1, "'\n"));
            if (read_place(line, (size_t)(p - line), &s) && !is_known(spots, &s)) add_spot(spots, &s);
        }
    read_files(spots, text);
    return spots->n > before || spots->files.n > spots->new_files;
}

void spots_forget(Spots *spots, const char *file) {
    size_t n = 0;
    for (size_t i = 0; i < spots->n; i++)
        if (strcmp(spots->v[i].file, file)) spots->v[n++] = spots->v[i];
    spots->n = n;
    spots->changed = true;
}

bool refused_for_side(const char *messages) {
    static const char *const asked[] = {"call to __device__ function from __host__ function", "substitution failure",
                                        "constraints not satisfied"};
    static const char *const called[] = {"call to __host__ function from __device__ function",
                                         "call to __host__ function from __global__ function",
                                         "reference to __host__ function"};
    size_t size = 0;
    const char *raw = file_read(messages, &size), *text = raw ? without_colours(raw, size) : "";
    bool refused = false;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) refused |= strstr(text, asked[i]) != NULL;
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) refused &= !strstr(text, called[i]);
    return refused;
}

bool refused_as_incomplete(const char *messages) {
    size_t size = 0;
    const char *text = file_read(messages, &size);
    return text && strstr(text, "incomplete type '") != NULL;
}

/* Position of a line and column; t->n: there is none. */
static size_t position(const Text *t, size_t line, size_t column) {
    const char *p = t->s;
    while (--line && p) p = (p = strchr(p, '\n')) ? p + 1 : NULL;
    size_t i = p ? (size_t)(p - t->s) + column - 1 : t->n;
    return i < t->n ? i : t->n;
}

/* The last place of a run in front of `limit`, or NULL. */
static const Spot *last_spot(const Text *t, const Spots *spots, const char *file, int run, size_t limit, size_t *at) {
    const Spot *last = NULL;
    for (size_t i = 0; i < spots->n; i++) {
        const Spot *s = &spots->v[i];
        size_t place = s->run == run && !strcmp(s->file, file) ? position(t, s->line, s->column) : t->n;
        if (place < limit && (!last || place > *at)) *at = place, last = s;
    }
    return last;
}

bool spots_change(Text *t, const char *path, Spots *spots, bool warn) {
    char *real = realpath(path, NULL);
    bool changed = false;
    for (int run = 1; real && run <= spots->runs; run++) {
        size_t at = 0, limit = t->n;
        for (const Spot *s; (s = last_spot(t, spots, real, run, limit, &at)) != NULL;) {
            Refusal r = {.at = at, .word = s->word};
            limit = at;
            if (!kinds[s->kind].change(t, &r)) continue;
            changed = true, limit = r.start;
            if (run < spots->runs) continue;
            spots->changed = true;
            if (warn && r.warning) fprintf(stderr, "%s:%zu: warning: %s\n", path, s->line, r.warning);
        }
    }
    free(real);
    return changed;
}
