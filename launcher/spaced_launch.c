/* spaced_launch.c: nvcc accepts `kernel << < grid, block >> > (...)`, which code formatters that do
** not know CUDA leave behind; clang does not.
**
** Input: the source file and what it includes. Output: nothing for nearly all files; else a copy
*with `<< <`
** turned into `<<< `, shown to clang in the place of the original through a virtual file system.
*The copy has
** the same length and the same lines, so messages, debug information and make rules stay right, and
** #include "..." is looked up beside the original.
**
** `<<` before `<` is no C++ but for operator names (`operator<< <int>`), and `>> >` is only joined
** where it ends a launch: `vector<vector<set<int>> >` stays. Not looked into: system headers, and
** comments between the two parts of a token. */
#include "launcher/spaced_launch.h"
#include "launcher/included.h"
#include "launcher/options.h"
#include "launcher/tempfiles.h"
#include "launcher/text.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Text {
    char *s;
    size_t n;
} Text;

static bool at(const Text *t, size_t i, const char *what) {
    size_t n = strlen(what);
    return i + n <= t->n && memcmp(t->s + i, what, n) == 0;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t skip_to(const Text *t, size_t i, const char *end) {
    while (i < t->n && !at(t, i, end)) i++;
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
    while (i < t->n && (is_name(t->s[i]) || (number && t->s[i] == '\'' && i + 1 < t->n &&
                                             isalnum((unsigned char)t->s[i + 1]))))
        i++;
    if (!number && i < t->n && t->s[i] == '"' && t->s[i - 1] == 'R') return skip_raw_string(t, i);
    return i;
}

/* The position behind the comment, literal or word at i; i itself for other characters. */
static size_t skip_token(const Text *t, size_t i) {
    if (at(t, i, "//")) return skip_to(t, i, "\n");
    if (at(t, i, "/*")) return skip_to(t, i + 2, "*/");
    if (t->s[i] == '"' || t->s[i] == '\'') return skip_quoted(t, i);
    return is_name(t->s[i]) ? skip_word(t, i) : i;
}

/* `two` and, behind at least one space, `one`, at i: joined in front of the space. */
static bool join(const Text *t, size_t i, const char *two) {
    if (!at(t, i, two)) return false;
    size_t end = i + 2;
    while (end < t->n && isspace((unsigned char)t->s[end])) end++;
    if (end == i + 2 || end == t->n || t->s[end] != two[0]) return false;
    memmove(t->s + i + 3, t->s + i + 2, end - i - 2);
    t->s[i + 2] = two[0];
    return true;
}

/* The end of the launch whose configuration begins at i. */
static bool join_end(const Text *t, size_t i) {
    for (int depth = 0; i < t->n && depth >= 0; i++) {
        size_t next = skip_token(t, i);
        if (next != i)
            i = next - 1;
        else if (strchr("([{", t->s[i]) && t->s[i])
            depth++;
        else if (strchr(")]}", t->s[i]) && t->s[i])
            depth--;
        else if (depth == 0 && (at(t, i, ">>>") || t->s[i] == ';'))
            return false;
        else if (depth == 0 && join(t, i, ">>"))
            return true;
    }
    return false;
}

bool spaced_launch_join(char *text, size_t n) {
    Text t = {text, n};
    bool changed = false, operator_name = false;
    for (size_t i = 0; i < n;) {
        size_t next = skip_token(&t, i);
        if (next != i) {
            if (is_name(text[i])) operator_name = next - i == 8 && at(&t, i, "operator");
            i = next;
            continue;
        }
        bool joined = !operator_name && join(&t, i, "<<");
        bool launch = joined || at(&t, i, "<<<");
        if (!isspace((unsigned char)text[i])) operator_name = false;
        i += launch ? 3 : at(&t, i, "<<") ? 2 : 1;
        changed |= joined;
        if (launch) changed |= join_end(&t, i);
    }
    return changed;
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
    const char *roots; /* its entries; NULL: none yet */
    bool dryrun, failed;
} Overlay;

static void add_root(Overlay *o, const char *name, const char *copy) {
    const char *root =
        text_format("{'name':%s,'type':'file','external-contents':%s}", quoted(name), quoted(copy));
    o->roots = o->roots ? text_format("%s,%s", o->roots, root) : root;
}

/* Whether the text may have something to join: the first look at all those headers. */
static bool has_spaced(const char *text) {
    for (const char *p = text; (p = strpbrk(p, "<>")) != NULL; p++) {
        if (p[1] != p[0]) continue;
        size_t blanks = strspn(p + 2, " \t\r\n\f\v");
        if (blanks && p[2 + blanks] == p[0]) return true;
    }
    return false;
}

static void add_joined(const char *path, char *text, size_t n, void *context) {
    Overlay *o = context;
    if (o->failed || !has_spaced(text) || !spaced_launch_join(text, n)) return;
    const char *copy = temp_file(path_stem(path), ".joined.cu"), *name = path_absolute(path);
    char *real = realpath(path, NULL);
    add_root(o, name, path_absolute(copy));
    if (real && strcmp(real, name) != 0) add_root(o, real, path_absolute(copy));
    free(real);
    if (o->dryrun || file_write(copy, text, n)) return;
    launcher_error("cannot write '%s': %s", copy, strerror(errno));
    o->failed = true;
}

bool spaced_launch_overlay(const char *source, const StrVec *options, bool dryrun,
                           const char **overlay) {
    Overlay o = {.dryrun = dryrun};
    included_files(source, options, add_joined, &o);
    *overlay = NULL;
    if (o.failed || !o.roots) return !o.failed;
    const char *list = temp_file(path_stem(source), ".overlay.yaml");
    const char *map =
        text_format("{'version':0,'use-external-names':'false','roots':[%s]}\n", o.roots);
    *overlay = list;
    if (dryrun || file_write(list, map, strlen(map))) return true;
    launcher_error("cannot write '%s': %s", list, strerror(errno));
    return false;
}
