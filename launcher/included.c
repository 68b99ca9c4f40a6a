/* included.c: the files that a source includes, as far as the text tells.
**
** Followed are `#include "name"`, beside the including file and in the directories of -I and -iquote, and
** `#include <name>` in those of -I.  Conditions, comments and macros are not looked at: a file more does no
** harm.  System headers are not followed. */
#include "launcher/included.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Search {
    StrVec dirs, quote_dirs; /* of -I; of -iquote */
    StrVec real;             /* files that were found, without links and dots: each is read once */
    StrVec files;            /* the same as they were found */
} Search;

static const char *in_dirs(const StrVec *dirs, const char *name) {
    for (size_t i = 0; i < dirs->n; i++) {
        const char *path = text_format("%s/%s", dirs->v[i], name);
        if (file_exists(path)) return path;
    }
    return NULL;
}

static const char *find(const Search *s, const char *from, const char *name, bool quoted) {
    if (name[0] == '/') return file_exists(name) ? name : NULL;
    if (quoted) {
        const char *beside = text_format("%s/%s", path_directory(from), name);
        if (file_exists(beside)) return beside;
        const char *path = in_dirs(&s->quote_dirs, name);
        if (path) return path;
    }
    return in_dirs(&s->dirs, name);
}

static void add_file(Search *s, const char *path) {
    char *real = path ? realpath(path, NULL) : NULL;
    if (real && !vec_has(&s->real, real)) {
        vec_add(&s->real, text_copy(real, strlen(real)));
        vec_add(&s->files, path);
    }
    free(real);
}

static const char *skip_blanks(const char *p) { return p + strspn(p, " \t"); }

/* The directive whose # is in front of p. */
static void add_directive(Search *s, const char *from, const char *p) {
    p = skip_blanks(p);
    if (!text_starts(p, "include")) return;
    p = skip_blanks(p + strlen("include"));
    if (*p != '"' && *p != '<') return;
    size_t n = strcspn(p + 1, *p == '"' ? "\"\n" : ">\n");
    add_file(s, find(s, from, text_copy(p + 1, n), *p == '"'));
}

static void add_includes(Search *s, const char *from, const char *text) {
    while (text) {
        text = skip_blanks(text);
        if (*text == '#') add_directive(s, from, text + 1);
        text = strchr(text, '\n');
        if (text) text++;
    }
}

static void add_directories(Search *s, const StrVec *options) {
    for (size_t i = 0; i + 1 < options->n; i++) {
        if (!strcmp(options->v[i], "-I")) vec_add(&s->dirs, options->v[i + 1]);
        if (!strcmp(options->v[i], "-iquote")) vec_add(&s->quote_dirs, options->v[i + 1]);
    }
}

/* To be freed; NULL on failure.  Not file_read, whose memory stays: there may be thousands of
 * files. */
static char *read_text(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    long size = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(f);
    *n = text ? fread(text, 1, (size_t)size, f) : 0;
    if (text) text[*n] = 0;
    fclose(f);
    return text;
}

void included_files(const char *source, const StrVec *options, IncludedFile *look, void *context) {
    Search s = {0};
    add_directories(&s, options);
    add_file(&s, source);
    for (size_t i = 0; i < s.files.n; i++) {
        size_t n;
        char *text = read_text(s.files.v[i], &n);
        if (!text) continue;
        add_includes(&s, s.files.v[i], text);
        look(s.files.v[i], text, n, context);
        free(text);
    }
}
