/* suppress.c: --suppressions: reports that are neither counted nor printed.
**
** The file is compute-sanitizer's XML: a <record> for each kind of report.  Its <text>, the first line of the report,
** and the <func> of its <where> and of the <frame>s of its <deviceStack>, innermost first, are POSIX extended regular
** expressions which all must match the whole text; what is not there matches anything.  The functions are those of
** "at" and "Device Frame" lines, without offset, file and line.  <kind>, <level>, <size>, <hostStack> and other
** elements are not compared. */
#define _GNU_SOURCE
#include "check/check.h"
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 16 };
typedef struct Rule {
    struct Rule *next;
    char *text, *functions[MAX_FUNCTIONS];
    unsigned n;
} Rule;
static Rule *rules;
static bool was_read;

/* ---- the file ---- */

static char *read_file(const char *file) {
    FILE *f = fopen(file, "re");
    if (!f) return rt_message("cannot read '%s': %s", file, strerror(errno)), NULL;
    char *text = NULL;
    size_t n = 0;
    bool ok = getdelim(&text, &n, 0, f) >= 0;
    fclose(f);
    if (!ok) free(text);
    return ok ? text : NULL;
}

/* &lt; and the like, in place. */
static void decode(char *s) {
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    char *to = s;
    while (*s) {
        size_t k = 0;
        while (k < RT_COUNT(entities) && strncmp(s, entities[k].name, strlen(entities[k].name))) k++;
        *to++ = k < RT_COUNT(entities) ? entities[k].c : *s;
        s += k < RT_COUNT(entities) ? strlen(entities[k].name) : 1;
    }
    *to = 0;
}

/* What is between <name> and </name> from `from` on, before `end`; *after: behind it.  NULL: there is none. */
static char *element(const char *from, const char *end, const char *name, const char **after) {
    char open[64], close[64];
    snprintf(open, sizeof open, "<%s>", name), snprintf(close, sizeof close, "</%s>", name);
    const char *start = strstr(from, open);
    const char *stop = start && start < end ? strstr(start, close) : NULL;
    if (!stop || stop > end) return NULL;
    start += strlen(open);
    *after = stop + strlen(close);
    return strndup(start, (size_t)(stop - start));
}

static char *text_of(const char *from, const char *end, const char *name, const char **after) {
    char *s = element(from, end, name, after);
    if (s) decode(s);
    return s;
}

static void add_functions(Rule *r, const char *part) {
    const char *at = part, *end = part + strlen(part);
    for (char *f; r->n < MAX_FUNCTIONS && (f = text_of(at, end, "func", &at));) r->functions[r->n++] = f;
}

static void add_rule(const char *body) {
    const char *end = body + strlen(body), *after;
    Rule *r = calloc(1, sizeof *r);
    if (!r) return;
    r->text = text_of(body, end, "text", &after);
    char *where = element(body, end, "where", &after), *stack = element(body, end, "deviceStack", &after);
    if (where) add_functions(r, where);
    if (stack) add_functions(r, stack);
    free(where), free(stack);
    r->next = rules, rules = r;
}

static void read_rules(const char *file) {
    char *text = read_file(file);
    if (!text) return;
    const char *at = text, *end = text + strlen(text);
    for (char *body; (body = element(at, end, "record", &at)); free(body)) add_rule(body);
    if (!rules) rt_message("'%s' has no <record>: nothing is suppressed", file);
    free(text);
}

/* ---- reports ---- */

static bool matches(const char *pattern, const char *text) {
    regex_t r;
    regmatch_t all;
    if (!strcmp(pattern, text)) return true;
    if (regcomp(&r, pattern, REG_EXTENDED)) return false;
    bool ok = !regexec(&r, text, 1, &all, 0) && !all.rm_so && !text[all.rm_eo];
    regfree(&r);
    return ok;
}

/* Of "    at f()+0x10 in a.cu:3", as of "    Device Frame: f() in a.cu:3". */
static bool function_of(const char *line, char *name, size_t bytes) {
    static const char *const starts[] = {"    at ", "    Device Frame: "};
    for (size_t i = 0; i < RT_COUNT(starts); i++) {
        if (strncmp(line, starts[i], strlen(starts[i]))) continue;
        snprintf(name, bytes, "%.*s", (int)strcspn(line + strlen(starts[i]), "\n"), line + strlen(starts[i]));
        char *offset = strstr(name, "+0x"), *in = strstr(name, " in ");
        if (offset) *offset = 0;
        else if (in) *in = 0;
        return true;
    }
    return false;
}

static bool suppresses(const Rule *r, const char *record) {
    char name[1024];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(record, "\n"), record);
    if (r->text && !matches(r->text, name)) return false;
    unsigned n = 0;
    for (const char *line = record; *line && n < r->n; line += strcspn(line, "\n"), line += *line == '\n')
        if (function_of(line, name, sizeof name) && !matches(r->functions[n++], name)) return false;
    return n == r->n && (r->text || r->n);
}

bool rt_is_suppressed(const char *record) {
    if (!was_read) was_read = true, read_rules(rt_check.suppressions);
    for (const Rule *r = rules; r; r = r->next)
        if (suppresses(r, record)) return true;
    return false;
}
