/* split.c: which parts of a PTX text can be compiled one by one.
**
** Two kernels belong to one part where both reach, through functions and initial values, a variable that has one
** instance: in .global or .const memory.  Shared memory is each block's own, and strings that compilers name are only
** read: parts have copies.  A text with indirect calls is one part, as any of its functions may be what is called.
**
** Loading a module only finds where declarations begin and end (rt_split_text).  What refers to what is found when the
** first part is needed: every word in a body that is the name of a declaration is a reference.  That may find too many
** (a register or a comment of that name), never too few. */
#define _GNU_SOURCE
#include "module/split.h"
#include <stdlib.h>
#include <string.h>

typedef struct Item {
    enum Kind { HEAD, VARIABLE, COPIED, FUNCTION, KERNEL } kind;
    const char *start, *end, *name;
    uint32_t length;       /* of the name */
    int next;              /* of the same name: declaration and definition; -1 */
    int first_ref, n_refs; /* items that it names */
    int parent;            /* of the kernels and variables of one part */
    bool done;             /* in the list of what is to be written */
} Item;

struct RtSplit {
    const char *text, *end;
    Item *items;
    int n, capacity;
    int *table; /* item + 1, by name */
    uint32_t mask;
    int *refs, n_refs, refs_capacity;
    bool linked; /* refs and parents are known */
    bool whole;  /* one part */
    uint32_t n_kernels;
    int *kernels;
    char **names;
};

/* ---- reading ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_string(const char *s, const char *end) {
    for (s++; s < end && *s != '"'; s++)
        if (*s == '\\' && s + 1 < end) s++;
    return s < end ? s + 1 : end;
}

/* s: at a slash. */
static const char *skip_comment(const char *s, const char *end) {
    if (s + 1 < end && s[1] == '/') {
        const char *line = memchr(s, '\n', (size_t)(end - s));
        return line ? line : end;
    }
    if (s + 1 < end && s[1] == '*') {
        const char *close = memmem(s + 2, (size_t)(end - s - 2), "*/", 2);
        return close ? close + 2 : end;
    }
    return s + 1;
}

static const char *skip_blanks(const char *s, const char *end) {
    while (s < end) {
        if (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
        else if (*s == '/' && s + 1 < end && (s[1] == '/' || s[1] == '*')) s = skip_comment(s, end);
        else break;
    }
    return s;
}

static const char *skip_word(const char *s, const char *end) {
    while (s < end && (is_word(*s) || *s == '.')) s++;
    return s;
}

static bool word_is(const char *s, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - s) >= n && !memcmp(s, word, n) && (s + n == end || !is_word(s[n]));
}

/* .version 8.0   .target sm_80, debug   .address_size 64   .file 1 "name", 1, 2 */
static const char *skip_head(const char *s, const char *end) {
    s = skip_blanks(skip_word(s, end), end);
    for (;;) {
        s = *s == '"' ? skip_string(s, end) : skip_word(s, end);
        s = skip_blanks(s, end);
        if (s < end && *s == ',') s = skip_blanks(s + 1, end);
        else if (s == end || *s != '"') return s;
    }
}

/* ---- items ---- */

static uint32_t hash(const char *s, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static Item *new_item(RtSplit *s, enum Kind kind, const char *start, const char *end) {
    if (s->n == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 64;
        Item *more = realloc(s->items, (size_t)capacity * sizeof *more);
        if (!more) return NULL;
        s->items = more;
        s->capacity = capacity;
    }
    Item *i = &s->items[s->n];
    *i = (Item){.kind = kind, .start = start, .end = end, .next = -1, .parent = s->n};
    s->n++;
    return i;
}

/* What a declaration says before its name. */
typedef struct Heading {
    bool kernel, function, variable, shared, visible, alias;
} Heading;

static void note_directive(Heading *h, const char *s, const char *end) {
    if (word_is(s, end, ".entry")) h->kernel = true;
    else if (word_is(s, end, ".func")) h->function = true;
    else if (word_is(s, end, ".global") || word_is(s, end, ".const")) h->variable = true;
    else if (word_is(s, end, ".shared") || word_is(s, end, ".local")) h->shared = true;
    else if (word_is(s, end, ".visible")) h->visible = true;
    else if (word_is(s, end, ".alias")) h->alias = true;
}

static bool is_copied(const Heading *h, const char *name, size_t n) {
    static const char *const prefixes[] = {"$str", "_$_str", "__unnamed_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !h->visible; i++)
        if (n >= strlen(prefixes[i]) && !memcmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return h->shared;
}

static bool add_named(RtSplit *s, const Heading *h, const char *start, const char *name) {
    size_t n = 0;
    while (name + n < s->end && is_word(name[n])) n++;
    enum Kind kind = h->kernel                 ? KERNEL
                     : h->function || h->alias ? FUNCTION
                     : is_copied(h, name, n)   ? COPIED
                                               : VARIABLE;
    Item *i = new_item(s, kind, start, NULL);
    if (!i) return false;
    i->name = name;
    i->length = (uint32_t)n;
    s->n_kernels += kind == KERNEL;
    return true;
}

/* To the end of a declaration that begins at *at: its semicolon, or the brace that closes a body. */
static bool read_declaration(RtSplit *s, const char **at) {
    const char *p = *at, *start = p;
    Heading h = {0};
    int depth = 0, braces = 0, first = s->n;
    bool name_next = true;
    while (p < s->end) {
        if (braces) p += strcspn(p, "{}\"/"); /* bodies are nearly all of a text */
        char c = *p;
        if (c == '"') {
            p = skip_string(p, s->end);
            continue;
        }
        if (c == '/') {
            p = skip_comment(p, s->end);
            continue;
        }
        if (c == '(' || c == '[') depth++;
        else if (c == ')' || c == ']') depth--;
        else if (c == '{') braces++;
        else if (c == '}' && --braces == 0 && (h.kernel || h.function)) break;
        else if (c == ';' && !braces && !depth) break;
        if (!braces && !depth) {
            if (c == '.') {
                note_directive(&h, p, s->end);
                p = skip_word(p + 1, s->end);
                continue;
            }
            if (is_word(c)) {
                if (name_next && !is_digit(c)) {
                    if (!add_named(s, &h, start, p)) return false;
                    name_next = false;
                }
                p = skip_word(p, s->end);
                continue;
            }
            if (c == ',' && (h.variable || h.shared)) name_next = true;
            else if (c == '=') name_next = false;
        }
        p++;
    }
    if (p >= s->end) return false;
    *at = p + 1;
    for (int i = first; i < s->n; i++) s->items[i].end = *at;
    return first < s->n && (h.kernel || h.function || h.variable || h.shared || h.alias);
}

/* Debug information: parts do without. */
static const char *skip_section(const char *s, const char *end) {
    const char *open = memchr(s, '{', (size_t)(end - s));
    const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
    return close ? close + 1 : end;
}

static bool read_items(RtSplit *s) {
    static const char *const heads[] = {".version", ".target", ".address_size", ".file"};
    for (const char *p = skip_blanks(s->text, s->end); p < s->end; p = skip_blanks(p, s->end)) {
        bool head = false;
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) head |= word_is(p, s->end, heads[i]);
        const char *start = p;
        if (head) {
            p = skip_head(p, s->end);
            if (!new_item(s, HEAD, start, p)) return false;
        } else if (word_is(p, s->end, ".section")) {
            p = skip_section(p, s->end);
        } else if (*p == '@') {
            const char *line = memchr(p, '\n', (size_t)(s->end - p));
            p = line ? line : s->end;
        } else if (*p != '.' || word_is(p, s->end, ".pragma") || !read_declaration(s, &p)) {
            return false;
        }
    }
    return true;
}

/* ---- names ---- */

static int find(const RtSplit *s, const char *name, size_t n) {
    for (uint32_t at = hash(name, n) & s->mask; s->table[at]; at = (at + 1) & s->mask) {
        const Item *i = &s->items[s->table[at] - 1];
        if (i->length == n && !memcmp(i->name, name, n)) return s->table[at] - 1;
    }
    return -1;
}

static bool make_table(RtSplit *s) {
    uint32_t size = 64;
    while (size < 2 * (uint32_t)s->n) size *= 2;
    s->mask = size - 1;
    if (!(s->table = calloc(size, sizeof *s->table))) return false;
    for (int k = 0; k < s->n; k++) {
        Item *i = &s->items[k];
        if (i->kind == HEAD) continue;
        int first = find(s, i->name, i->length);
        if (first >= 0) {
            i->next = s->items[first].next;
            s->items[first].next = k;
            continue;
        }
        uint32_t at = hash(i->name, i->length) & s->mask;
        while (s->table[at]) at = (at + 1) & s->mask;
        s->table[at] = k + 1;
    }
    return true;
}

static bool name_kernels(RtSplit *s) {
    s->kernels = calloc(s->n_kernels + 1, sizeof *s->kernels);
    s->names = calloc(s->n_kernels + 1, sizeof *s->names);
    if (!s->kernels || !s->names) return false;
    uint32_t n = 0;
    for (int k = 0; k < s->n; k++) {
        const Item *i = &s->items[k];
        if (i->kind != KERNEL || i->end[-1] != '}' || find(s, i->name, i->length) != k) continue;
        s->kernels[n] = k;
        if (!(s->names[n++] = strndup(i->name, i->length))) return false;
    }
    s->n_kernels = n;
    return true;
}

RtSplit *rt_split_text(const char *text, size_t n) {
    RtSplit *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->text = text;
    s->end = text + n;
    if (read_items(s) && make_table(s) && name_kernels(s)) return s;
    rt_free_split(s);
    return NULL;
}

void rt_free_split(RtSplit *s) {
    for (uint32_t i = 0; s->names && s->names[i]; i++) free(s->names[i]);
    free(s->names);
    free(s->kernels);
    free(s->items);
    free(s->table);
    free(s->refs);
    free(s);
}

uint32_t rt_split_kernels(const RtSplit *s) { return s->n_kernels; }
const char *rt_split_kernel(const RtSplit *s, uint32_t index) { return s->names[index]; }
uint32_t rt_split_parts(const RtSplit *s) { return (uint32_t)s->n; }

/* ---- references ---- */

static void add_ref(RtSplit *s, int item) {
    if (s->n_refs == s->refs_capacity) {
        int capacity = s->refs_capacity ? 2 * s->refs_capacity : 256;
        int *more = realloc(s->refs, (size_t)capacity * sizeof *more);
        if (!more) abort();
        s->refs = more;
        s->refs_capacity = capacity;
    }
    s->refs[s->n_refs++] = item;
}

static bool has_ref(const RtSplit *s, int first, int item) {
    for (int k = s->n_refs; k > first && k > s->n_refs - 8; k--)
        if (s->refs[k - 1] == item) return true;
    return false;
}

static void read_refs(RtSplit *s, Item *i) {
    i->first_ref = s->n_refs;
    for (const char *p = i->start; p < i->end;) {
        if (is_word(*p)) {
            const char *word = p;
            while (p < i->end && is_word(*p)) p++;
            int to = is_digit(*word) ? -1 : find(s, word, (size_t)(p - word));
            if (to >= 0 && !has_ref(s, i->first_ref, to)) add_ref(s, to);
        } else if (*p == '%' || *p == '.') {
            for (p++; p < i->end && is_word(*p);) p++;
        } else {
            p = *p == '"' ? skip_string(p, i->end) : *p == '/' ? skip_comment(p, i->end) : p + 1;
        }
    }
    i->n_refs = s->n_refs - i->first_ref;
}

static int root_of(RtSplit *s, int k) {
    while (s->items[k].parent != k) k = s->items[k].parent = s->items[s->items[k].parent].parent;
    return k;
}

/* All items that `from` reaches, itself included, in *list (of s->n): their number.  Marks them done. */
static int reach(RtSplit *s, int from, int *list, int n) {
    int todo = n;
    if (!s->items[from].done) s->items[from].done = true, list[n++] = from;
    for (; todo < n; todo++) {
        const Item *i = &s->items[list[todo]];
        for (int k = 0; k < i->n_refs; k++)
            for (int to = s->refs[i->first_ref + k]; to >= 0; to = s->items[to].next)
                if (!s->items[to].done) s->items[to].done = true, list[n++] = to;
        if (i->next >= 0 && !s->items[i->next].done) s->items[i->next].done = true, list[n++] = i->next;
    }
    return n;
}

static void forget(RtSplit *s, const int *list, int n) {
    for (int k = 0; k < n; k++) s->items[list[k]].done = false;
}

static bool link_items(RtSplit *s) {
    if (s->linked) return true;
    int *list = malloc(((size_t)s->n + 1) * sizeof *list);
    if (!list) return false;
    size_t bytes = (size_t)(s->end - s->text);
    s->whole = memmem(s->text, bytes, ".callprototype", 14) || memmem(s->text, bytes, ".calltargets", 12);
    for (int k = 0; k < s->n; k++)
        if (s->items[k].kind != HEAD) read_refs(s, &s->items[k]);
    for (int k = 0; k < s->n; k++) {
        if (s->items[k].kind != KERNEL && s->items[k].kind != VARIABLE) continue;
        int n = reach(s, k, list, 0);
        for (int r = 0; r < n; r++)
            if (s->items[list[r]].kind == VARIABLE || s->items[list[r]].kind == KERNEL)
                s->items[root_of(s, list[r])].parent = root_of(s, k);
        forget(s, list, n);
    }
    free(list);
    return s->linked = true;
}

/* ---- parts ---- */

int rt_part_of_kernel(RtSplit *s, uint32_t index) {
    if (!link_items(s)) return -1;
    return s->whole ? 0 : root_of(s, s->kernels[index]);
}

int rt_part_of_variable(RtSplit *s, const char *name) {
    int k = find(s, name, strlen(name));
    if (k < 0 || (s->items[k].kind != VARIABLE && s->items[k].kind != COPIED) || !link_items(s)) return -1;
    return s->whole ? 0 : root_of(s, k);
}

/* Newlines for what is left out, so that messages name the lines of the text: not of long ones. */
static char *write_gap(char *to, const char *from, const char *end) {
    for (; from < end; from++)
        if (*from == '\n') *to++ = '\n';
    return to;
}

char *rt_part_text(RtSplit *s, int part, size_t *n) {
    enum { LINES_UP_TO = 1 << 20 };
    int *list = malloc(((size_t)s->n + 1) * sizeof *list), count = 0;
    char *text = list ? malloc((size_t)(s->end - s->text) + (size_t)s->n + 2) : NULL, *to = text;
    for (int k = 0; text && k < s->n; k++)
        if (s->items[k].kind != HEAD && (s->whole || root_of(s, k) == part)) count = reach(s, k, list, count);
    const char *last = s->text;
    bool lines = s->end - s->text <= LINES_UP_TO;
    for (int k = 0; text && k < s->n; k++) {
        const Item *i = &s->items[k];
        if ((i->kind != HEAD && !i->done) || i->start < last) continue; /* several names, one declaration */
        if (lines) to = write_gap(to, last, i->start);
        to = memcpy(to, i->start, (size_t)(i->end - i->start));
        to += i->end - i->start;
        if (!lines) *to++ = '\n';
        last = i->end;
    }
    forget(s, list, count);
    free(list);
    if (!text) return NULL;
    *to = 0;
    *n = (size_t)(to - text);
    char *less = realloc(text, *n + 1);
    return less ? less : text;
}
