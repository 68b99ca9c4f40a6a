/* source_text.c: what nvcc accepts and clang does not is changed in a copy of the source.
**
** Input: the source file and what it includes.  Output: nothing for nearly all files; else a copy that has the same
** lines, shown to clang in the place of the original through a virtual file system: messages, debug information and
** make rules stay right (columns behind an inserted word do not), and #include "..." is looked up beside the
** original. */
#include "launcher/nvcc/source_text.h"
#include "launcher/included.h"
#include "launcher/options.h"
#include "launcher/nvcc/refused.h"
#include "launcher/tempfiles.h"
#include "launcher/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool text_at(const Text *t, size_t i, const char *what) {
    size_t n = strlen(what);
    return i + n <= t->n && memcmp(t->s + i, what, n) == 0;
}

bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

int bracket(char c) {
    static const char all[] = "([{)]}";
    const char *found = c ? strchr(all, c) : NULL;
    return !found ? 0 : found < all + 3 ? 1 : -1;
}

static size_t skip_to(const Text *t, size_t i, const char *end) {
    while (i < t->n && !text_at(t, i, end)) i++;
    return i + strlen(end) < t->n ? i + strlen(end) : t->n;
}

static size_t skip_raw_string(const Text *t, size_t i) {
    char end[20] = ")";
    size_t n = 1;
    for (i++; i < t->n && t->s[i] != '(' && n < sizeof end - 2; i++) end[n++] = t->s[i];
    end[n] = '"';
    return skip_to(t, i, end);
}

static size_t skip_quoted(const Text *t, size_t i) {
    char quote = t->s[i++];
    while (i < t->n && t->s[i] != quote && t->s[i] != '\n') i += t->s[i] == '\\' ? 2 : 1;
    return i < t->n ? i + 1 : t->n;
}

/* Names and numbers as a whole: ' may stand in a number, R before a raw string. */
static size_t skip_word(const Text *t, size_t i) {
    bool number = isdigit((unsigned char)t->s[i]);
    while (i < t->n &&
           (is_name(t->s[i]) || (number && t->s[i] == '\'' && i + 1 < t->n && isalnum((unsigned char)t->s[i + 1]))))
        i++;
    if (!number && i < t->n && t->s[i] == '"' && t->s[i - 1] == 'R') return skip_raw_string(t, i);
    return i;
}

size_t skip_token(const Text *t, size_t i) {
    if (text_at(t, i, "//")) return skip_to(t, i, "\n");
    if (text_at(t, i, "/*")) return skip_to(t, i + 2, "*/");
    if (t->s[i] == '"' || t->s[i] == '\'') return skip_quoted(t, i);
    return is_name(t->s[i]) ? skip_word(t, i) : i;
}

size_t skip_blank(const Text *t, size_t i) {
    for (size_t next = i; i < t->n; i = next) {
        bool comment = text_at(t, i, "//") || text_at(t, i, "/*");
        next = comment ? skip_token(t, i) : i + (isspace((unsigned char)t->s[i]) != 0);
        if (next == i) break;
    }
    return i;
}

bool is_word(const Text *t, size_t i, size_t end, const char *word) {
    return end - i == strlen(word) && text_at(t, i, word);
}

size_t skip_group(const Text *t, size_t i, bool *calls) {
    for (int depth = 0; i < t->n; i++) {
        size_t next = skip_token(t, i);
        if (next != i) {
            i = next - 1;
            continue;
        }
        if (calls) *calls |= t->s[i] == '(';
        depth += bracket(t->s[i]);
        if (depth == 0) return i + 1;
    }
    return t->n;
}

void text_insert(Text *t, size_t i, const char *what) {
    size_t n = strlen(what);
    char *s = text_alloc(t->n + n + 1);
    memcpy(s, t->s, i);
    memcpy(s + i, what, n);
    memcpy(s + i + n, t->s + i, t->n - i);
    *t = (Text){s, t->n + n};
}

size_t text_line_end(const Text *t, size_t i) {
    while (i < t->n && t->s[i] != '\n') i += t->s[i] == '\\' && i + 1 < t->n ? 2 : 1;
    return i;
}

size_t text_statement(const Text *t, size_t at) {
    size_t start = 0;
    bool line = true; /* nothing but blanks in it so far */
    for (size_t i = 0, next; i < at; i = next) {
        next = skip_token(t, i);
        char c = t->s[i];
        if (c == '#' && line) start = next = text_line_end(t, i);
        else if (next == i && strchr(";{}", c)) start = next = i + 1;
        else if (next == i) next++;
        line = c == '\n' || (line && isspace((unsigned char)c));
    }
    return skip_blank(t, start);
}

void text_replace(Text *t, size_t from, size_t to, const char *with) {
    size_t n = strlen(with);
    for (size_t i = from; i < to; i++)
        if (t->s[i] == '\n') with = text_format("%s\n", with), n++;
    char *s = text_alloc(t->n - (to - from) + n + 1);
    memcpy(s, t->s, from);
    memcpy(s + from, with, n);
    memcpy(s + from + n, t->s + to, t->n - to);
    *t = (Text){s, t->n - (to - from) + n};
}

/* As a string of YAML in double quotes. */
static const char *quoted(const char *s) {
    char *q = text_alloc(2 * strlen(s) + 3), *out = q;
    *out++ = '"';
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') *out++ = '\\';
        *out++ = *s;
    }
    *out = '"';
    return q;
}

typedef struct Overlay {
    const OverlayRequest *r;
    StrVec seen;       /* files, without links and dots */
    const char *roots; /* its entries; NULL: none yet */
    bool failed, late; /* late: files that only the last run has named */
} Overlay;

static void add_root(Overlay *o, const char *name, const char *copy) {
    const char *root = text_format("{'name':%s,'type':'file','external-contents':%s}", quoted(name), quoted(copy));
    o->roots = o->roots ? text_format("%s,%s", o->roots, root) : root;
}

/* Whether there may be a launch: the first look at all those headers. */
static bool may_launch(const char *text) {
    for (const char *p = text; (p = strpbrk(p, "<>")) != NULL; p++) {
        if (p[1] != p[0]) continue;
        size_t blanks = strspn(p + 2, " \t\r\n\f\v");
        if (p[2 + blanks] == p[0]) return true;
    }
    return false;
}

/* Whether there may be an asm() with operands that names a register, has an array for text, or lacks a comma. */
static bool may_have_asm(const char *text) {
    if (!strstr(text, "asm")) return false;
    for (const char *p = text; (p = strpbrk(p, "%)\"")) != NULL; p++) {
        if (*p == '%' ? isalpha((unsigned char)p[1]) : !strncmp(p, "\"C\"", 3)) return true;
        if (*p == ')' && p[1] && strchr("\"[", p[1 + strspn(p + 1, " \t\r\n\f\v")])) return true;
    }
    return false;
}

/* The last run has found an error in it, and none before. */
static bool is_newly_refused(const Spots *spots, const char *file) {
    for (size_t i = spots ? spots->new_files : 0; spots && i < spots->files.n; i++)
        if (!strcmp(spots->files.v[i], file)) return true;
    return false;
}

/* Not in all headers, as C's own structures have parentheses in them, too. */
static bool change_declarations(const Overlay *o, const char *path, const char *file, Text *t) {
    bool refused = o->r->spots && vec_has(&o->r->spots->files, file);
    if (strcmp(path, o->r->source) && !refused) return false;
    bool changed = tag_structures(t);
    return (!o->r->rdc && sized_shared(t)) || changed;
}

/* file: the path without links and dots. */
static bool change(const Overlay *o, const char *path, const char *file, Text *t) {
    Spots *spots = o->r->spots;
    bool changed = may_launch(t->s) && spaced_launch(t);
    changed |= joined_linkage(t);
    if (may_have_asm(t->s)) changed |= asm_statements(t);
    bool declarations = change_declarations(o, path, file, t),
         first = (changed && o->late) || (declarations && strcmp(path, o->r->source));
    if (first && is_newly_refused(spots, file)) spots_forget(spots, file); /* the last run has seen other columns */
    changed |= declarations;
    return (spots && spots_change(t, path, spots, o->r->warn)) || changed;
}

static void add_changed(const char *path, char *text, size_t n, void *context) {
    Overlay *o = context;
    Text t = {text, n};
    char *real = realpath(path, NULL);
    const char *name = path_absolute(path), *file = real ? text_copy(real, strlen(real)) : name;
    free(real);
    vec_add(&o->seen, file);
    if (o->failed || !change(o, path, file, &t)) return;
    const char *copy = temp_file(path_stem(path), ".changed.cu");
    add_root(o, name, path_absolute(copy));
    if (strcmp(file, name) != 0) add_root(o, file, path_absolute(copy));
    if (o->r->dryrun || file_write(copy, t.s, t.n)) return;
    launcher_error("cannot write '%s': %s", copy, strerror(errno));
    o->failed = true;
}

/* Headers that included_files does not find: of -isystem and -include, by macros, and of the compiler. */
static void add_refused(Overlay *o) {
    const Spots *spots = o->r->spots;
    StrVec names = {0};
    o->late = true;
    if (spots) vec_add_all(&names, &spots->names);
    for (size_t i = 0; spots && i < spots->n; i++) vec_add(&names, spots->v[i].name);
    for (size_t i = 0; i < names.n; i++) {
        size_t n;
        char *real = realpath(names.v[i], NULL);
        char *text = real && !vec_has(&o->seen, real) ? file_read(names.v[i], &n) : NULL;
        free(real);
        if (text) add_changed(names.v[i], text, n, o);
    }
}

bool source_overlay(const OverlayRequest *r, const char **overlay) {
    Overlay o = {.r = r};
    included_files(r->source, r->options, add_changed, &o);
    add_refused(&o);
    *overlay = NULL;
    if (o.failed || !o.roots) return !o.failed;
    const char *list = temp_file(path_stem(r->source), ".overlay.yaml");
    const char *map = text_format("{'version':0,'use-external-names':'false','roots':[%s]}\n", o.roots);
    *overlay = list;
    if (r->dryrun || file_write(list, map, strlen(map))) return true;
    launcher_error("cannot write '%s': %s", list, strerror(errno));
    return false;
}
