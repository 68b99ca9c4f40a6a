/* refused.c: places that clang has refused are changed, and the file is read again.
**
** Only such files pay for it.  A file in which there is any error gets all changes that else only the source file and
** those of -I get.  clang's plugin tells what was refused where (plugin/refusals.cpp).  A place is a line and column in
** the text that the run saw, so the changes of all runs are made again one after the other, each from the last place of
** a file to the first: those in front of a change stay where they are. */
#include "launcher/nvcc/refused.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum Half { BOTH, DEVICE, HOST, SILENT /* for both, without a warning */ };
static const struct Kind {
    const char *name; /* in the plugin's records */
    bool (*change)(Text *t, Refusal *r);
    enum Half half;
} kinds[] = {
    {"shared-by-macro", raw_shared, BOTH},
    {"shared", raw_shared, BOTH},
    {"unroll", drop_unroll, BOTH},
    {"template", name_templates, SILENT},
    {"escape", escape_percent, SILENT},
    {"lacks-device", add_device, SILENT},
    {"lacks-global", add_global, SILENT},
    {"lacks-both", add_sides, SILENT},
    {"has-both", add_sides_of_definition, BOTH},
    {"device-from-host", add_sides, DEVICE},
    {"host-from-device", add_sides, HOST},
    {"host-from-kernel", add_sides, HOST},
    {"device-overloads", add_sides, DEVICE},
    {"host-overloads", add_sides, HOST},
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

/* One line of the plugin's file. */
typedef struct Record {
    const char *kind, *word;
    Spot place;
} Record;

/* False: its file is none. */
static bool read_record(const char *line, size_t n, Record *r) {
    enum { FIELDS = 5 };
    char *field[FIELDS], *p = text_copy(line, n);
    for (int i = 0; i < FIELDS; i++) {
        field[i] = p;
        char *end = i + 1 < FIELDS ? strchr(p, '\t') : p + strlen(p);
        if (!end) return false;
        p = *end ? end + 1 : end;
        *end = 0;
    }
    char *real = realpath(field[4], NULL);
    if (!real) return false;
    *r = (Record){.kind = field[0], .word = *field[3] ? field[3] : NULL};
    r->place = (Spot){.file = text_copy(real, strlen(real)), .name = field[4]};
    r->place.line = strtoul(field[1], NULL, 10), r->place.column = strtoul(field[2], NULL, 10);
    r->place.word = r->word;
    free(real);
    return r->place.line && r->place.column;
}

static void add_spot(Spots *spots, const Spot *s) {
    Spot *more = text_alloc((spots->n + 1) * sizeof *more);
    if (spots->n) memcpy(more, spots->v, spots->n * sizeof *more);
    more[spots->n++] = *s;
    spots->v = more;
}

/* Changes for both halves come with a warning. */
static bool applies(const Spots *spots, int kind) {
    if (kinds[kind].half == SILENT) return true;
    if (kinds[kind].half == BOTH) return !spots->werror;
    return (kinds[kind].half == DEVICE) == spots->device;
}

/* A file that an error is in may have what is changed wherever it stands. */
static void note_file(Spots *spots, const Spot *s) {
    if (vec_has(&spots->files, s->file)) return;
    vec_add(&spots->files, s->file);
    vec_add(&spots->names, s->name);
}

static void note_reason(Spots *spots, const char *kind) {
    spots->unsatisfied |= !strcmp(kind, "unsatisfied") || !strcmp(kind, "device-from-host");
    spots->host_named |=
        !strcmp(kind, "host-named") || !strcmp(kind, "host-from-device") || !strcmp(kind, "host-from-kernel");
    spots->incomplete |= !strcmp(kind, "incomplete");
}

static void note_spot(Spots *spots, const Record *r, int kind) {
    Spot s = r->place;
    s.run = spots->runs, s.kind = kind;
    if (!strcmp(r->kind, kinds[kind].name) && applies(spots, kind) && !is_known(spots, &s)) add_spot(spots, &s);
}

bool spots_read(Spots *spots) {
    size_t size = 0, before = spots->n, n = 0;
    const char *text = file_read(spots->records, &size);
    Record *records = text_alloc((size + 1) * sizeof *records);
    for (const char *p = text, *end; p && (end = strchr(p, '\n')) != NULL; p = end + 1)
        n += read_record(p, (size_t)(end - p), &records[n]);
    unlink(spots->records); /* a run that clang ends early writes none */
    spots->unsatisfied = spots->host_named = spots->incomplete = false;
    spots->new_files = spots->files.n;
    for (size_t i = 0; i < n; i++) {
        note_reason(spots, records[i].kind);
        if (spots->runs < MAX_RUNS && !strcmp(records[i].kind, "error")) note_file(spots, &records[i].place);
    }
    if (spots->runs == MAX_RUNS) return false;
    spots->runs++;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < n; i++) note_spot(spots, &records[i], kind);
    return spots->n > before || spots->files.n > spots->new_files;
}

void spots_forget(Spots *spots, const char *file) {
    size_t n = 0;
    for (size_t i = 0; i < spots->n; i++)
        if (strcmp(spots->v[i].file, file)) spots->v[n++] = spots->v[i];
    spots->n = n;
    spots->changed = true;
}

bool refused_for_side(const Spots *spots) { return spots->unsatisfied && !spots->host_named; }
bool refused_as_incomplete(const Spots *spots) { return spots->incomplete; }

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
