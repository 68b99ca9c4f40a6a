/* sanitizer_save.c: reports as XML, with the elements of NVIDIA's tool, or as JSON.
**
** What a report says is taken from its lines, which are the same for people (cpu-runtime/check): the first names the
** error, others begin with a known word. */
#include "launcher/sanitizer_save.h"
#include "launcher/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place { /* "f(int)+0x10 in a.cu:3" */
    const char *function, *file, *line, *offset;
} Place;
typedef struct Report {
    const char *kind, *level, *text, *space, *size, *direction, *address;
    int thread[3], block[3];
    bool has_thread;
    Place frames[16];
    unsigned n;
    StrVec lines;
} Report;

/* ---- from text ---- */

static Place place_of(const char *s) {
    Place p = {.function = s, .file = "", .line = "", .offset = ""};
    const char *in = NULL;
    for (const char *at = s; (at = strstr(at, " in ")); at++) in = at;
    const char *colon = in ? strrchr(in, ':') : NULL;
    if (colon) {
        p.file = text_copy(in + 4, (size_t)(colon - in - 4)), p.line = colon + 1;
        p.function = text_copy(s, (size_t)(in - s));
    }
    const char *plus = strstr(p.function, "+0x");
    if (plus) p.offset = plus + 1, p.function = text_copy(p.function, (size_t)(plus - p.function));
    return p;
}

/* The first line. */
static void classify(Report *r, const char *tool) {
    static const struct {
        const char *start, *kind;
    } kinds[] = {{"Invalid __", "Precise"}, {"Uninitialized", "Initcheck"}, {"Barrier error", "Synccheck"},
                 {"Leaked", "Leak"},        {"Program hit", "Api"},         {"Malloc/Free error", "MallocFree"}};
    r->kind = strcmp(tool, "race") ? "Other" : "Race";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_starts(r->text, kinds[i].start)) r->kind = kinds[i].kind;
    r->level = text_starts(r->text, "Warning") ? "Warning" : text_starts(r->text, "Info") ? "Info" : "Error";
    const char *space = strstr(r->text, "__"), *end = space ? strstr(space + 2, "__") : NULL;
    if (end) r->space = text_copy(space + 2, (size_t)(end - space - 2));
    const char *size = strstr(r->text, "of size ");
    if (!size || !end) return;
    r->size = text_copy(size + 8, strcspn(size + 8, " "));
    r->direction = strstr(r->text, " write ") ? "write" : strstr(r->text, " atomic ") ? "atomic" : "read";
}

static void take_line(Report *r, const char *line) {
    vec_add(&r->lines, line);
    while (*line == ' ') line++;
    const char *frame = text_starts(line, "at ") ? line + 3 : text_starts(line, "Device Frame: ") ? line + 14 : NULL;
    if (frame && r->n < sizeof r->frames / sizeof *r->frames) r->frames[r->n++] = place_of(frame);
    if (sscanf(line, "by thread (%d,%d,%d) in block (%d,%d,%d)", &r->thread[0], &r->thread[1], &r->thread[2],
               &r->block[0], &r->block[1], &r->block[2]) == 6)
        r->has_thread = true;
    if (text_starts(line, "Address ")) r->address = text_copy(line + 8, strcspn(line + 8, " "));
}

/* The next report of the text; false: there is none. */
static bool next_report(const char **at, const char *tool, Report *r) {
    *r = (Report){.text = NULL};
    while (**at && **at != '\n') {
        size_t n = strcspn(*at, "\n");
        const char *line = text_copy(*at, n);
        if (!r->text) r->text = line;
        take_line(r, line);
        *at += n + ((*at)[n] == '\n');
    }
    if (**at == '\n') ++*at;
    if (r->text) classify(r, tool);
    return r->text != NULL;
}

/* ---- to text ---- */

static void put_xml(FILE *f, const char *name, const char *s) {
    if (!s || !*s) return;
    fprintf(f, "<%s>", name);
    for (; *s; s++)
        if (*s == '<') fputs("&lt;", f);
        else if (*s == '>') fputs("&gt;", f);
        else if (*s == '&') fputs("&amp;", f);
        else fputc(*s, f);
    fprintf(f, "</%s>", name);
}

static void put_place_xml(FILE *f, const char *name, const Place *p) {
    fprintf(f, "<%s>", name);
    put_xml(f, "func", p->function), put_xml(f, "path", p->file), put_xml(f, "line", p->line);
    put_xml(f, "pc", p->offset);
    fprintf(f, "</%s>", name);
}

static void put_report_xml(FILE *f, const Report *r) {
    static const char *const axes[] = {"x", "y", "z"};
    fputs("<record>\n  ", f);
    put_xml(f, "kind", r->kind), put_xml(f, "level", r->level);
    if (r->has_thread) {
        fputs("\n  <who><threadIdx>", f);
        for (int d = 0; d < 3; d++) put_xml(f, axes[d], text_format("%d", r->thread[d]));
        fputs("</threadIdx><blockIdx>", f);
        for (int d = 0; d < 3; d++) put_xml(f, axes[d], text_format("%d", r->block[d]));
        fputs("</blockIdx></who>", f);
    }
    fputs("\n  <what>", f);
    put_xml(f, "text", r->text), put_xml(f, "space", r->space), put_xml(f, "size", r->size);
    put_xml(f, "direction", r->direction), put_xml(f, "address", r->address);
    for (size_t i = 1; i < r->lines.n; i++) put_xml(f, "detail", r->lines.v[i] + strspn(r->lines.v[i], " "));
    fputs("</what>\n  ", f);
    if (r->n) put_place_xml(f, "where", &r->frames[0]);
    if (r->n > 1) fputs("\n  <deviceStack>", f);
    for (unsigned i = 1; i < r->n; i++) put_place_xml(f, "frame", &r->frames[i]);
    if (r->n > 1) fputs("</deviceStack>", f);
    fputs("\n</record>\n", f);
}

static void put_string(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s; s++)
        if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < ' ') fprintf(f, "\\u%04x", *s);
        else fputc(*s, f);
    fputc('"', f);
}

static void put_json(FILE *f, const char *name, const char *s) {
    if (!s || !*s) return;
    fprintf(f, ", \"%s\": ", name);
    put_string(f, s);
}

static void put_report_json(FILE *f, const Report *r) {
    fputs("{\"kind\": ", f);
    put_string(f, r->kind);
    put_json(f, "level", r->level), put_json(f, "text", r->text), put_json(f, "space", r->space);
    put_json(f, "size", r->size), put_json(f, "direction", r->direction), put_json(f, "address", r->address);
    if (r->has_thread)
        fprintf(f, ", \"thread\": [%d, %d, %d], \"block\": [%d, %d, %d]", r->thread[0], r->thread[1], r->thread[2],
                r->block[0], r->block[1], r->block[2]);
    fputs(", \"frames\": [", f);
    for (unsigned i = 0; i < r->n; i++) {
        fputs(i ? ", {\"function\": " : "{\"function\": ", f);
        put_string(f, r->frames[i].function);
        put_json(f, "file", r->frames[i].file), put_json(f, "line", r->frames[i].line);
        fputc('}', f);
    }
    fputs("], \"lines\": [", f);
    for (size_t i = 0; i < r->lines.n; i++) {
        if (i) fputs(", ", f);
        put_string(f, r->lines.v[i]);
    }
    fputs("]}", f);
}

bool convert_reports(const char *file, const char *tool, bool xml) {
    size_t size;
    const char *at = file_read(file, &size);
    FILE *f = at ? fopen(file, "w") : NULL;
    if (!f) return false;
    Report r;
    fputs(xml ? "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n" : "[", f);
    for (int n = 0; next_report(&at, tool, &r); n++) {
        if (!xml) fputs(n ? ",\n" : "\n", f);
        if (xml) put_report_xml(f, &r);
        else put_report_json(f, &r);
    }
    fputs(xml ? "</ComputeSanitizerOutput>\n" : "\n]\n", f);
    return !fclose(f);
}
