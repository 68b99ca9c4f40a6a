/* diag.c: see diag.h. */
#include "passes/support/diag.h"
#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row {
    const char *name, *text, *advice;
} Row;

static const Row reasons[] = {
    {"none", "none", ""},
#define NYI(name, text, advice) {#name, text, advice},
#include "passes/support/nyi.def"
#undef NYI
};
static const Row remarks[] = {
    {"none", "none", ""},
#define REMARK(id, format, meaning, advice) {#id, format, advice},
#include "passes/support/remarks.def"
#undef REMARK
};

static bool has_location(LLVMValueRef v) {
    if (!v) return false;
    if (LLVMIsAFunction(v)) return LLVMGetSubprogram(v) != NULL;
    return LLVMIsAInstruction(v) && LLVMInstructionGetDebugLoc(v) != NULL;
}

unsigned diag_line(LLVMValueRef at) { return has_location(at) ? LLVMGetDebugLocLine(at) : 0; }

const char *diag_file(LLVMValueRef at, unsigned *len) {
    *len = 0;
    return has_location(at) ? LLVMGetDebugLocFilename(at, len) : NULL;
}

static void begin(const Diag *d, FILE *to, LLVMValueRef at, const char *kind) {
    unsigned len;
    const char *file = diag_file(at, &len);
    if (file)
        fprintf(to, "%.*s:%u:%u: %s: ", (int)len, file, diag_line(at),
                LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 1, kind);
    else fprintf(to, "%s: %s: ", d->source ? d->source : "cucpu", kind);
}

static void print_message(const Diag *d, LLVMValueRef at, const char *kind, const char *format, va_list ap) {
    begin(d, stderr, at, kind);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
}

/* As users write it. */
static void put_name(FILE *to, const Row *row) {
    for (const char *c = row->name; *c; c++) fputc(*c == '_' ? '-' : tolower((unsigned char)*c), to);
}

/* " [name]" */
static void end(FILE *to, const Row *row) {
    fputs(" [", to);
    put_name(to, row);
    fputs("]\n", to);
}

/* The source line of an instruction with a caret, as clang shows it; nothing if it cannot be read. */
static void show_line(LLVMValueRef at) {
    if (!at || !LLVMIsAInstruction(at)) return;
    unsigned len, number = diag_line(at), column = LLVMGetDebugLocColumn(at);
    const char *file = diag_file(at, &len);
    char *path = file ? strndup(file, len) : NULL, *line = NULL;
    FILE *in = path && number ? fopen(path, "r") : NULL;
    size_t room = 0;
    ssize_t n = -1;
    for (unsigned i = 0; in && i < number; i++)
        if ((n = getline(&line, &room, in)) < 0) break;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
    if (n > 0) {
        fprintf(stderr, "%5u | %s\n      | ", number, line);
        for (unsigned i = 0; i + 1 < column && (ssize_t)i < n; i++) fputc(line[i] == '\t' ? '\t' : ' ', stderr);
        fputs("^\n", stderr);
    }
    if (in) fclose(in);
    free(line);
    free(path);
}

static void advise(Diag *d, LLVMValueRef at, const Row *row, bool *advised) {
    if (!*row->advice || *advised) return;
    *advised = true;
    begin(d, stderr, at, "note");
    fprintf(stderr, "%s\n", row->advice);
}

static void advise_on_reason(Diag *d, LLVMValueRef at, Nyi reason) {
    advise(d, at, &reasons[reason], &d->advised[(int)REMARK_COUNT + (int)reason]);
}

void diag_error(Diag *d, LLVMValueRef at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    print_message(d, at, "error", format, ap);
    va_end(ap);
    d->errors++;
}

void diag_nyi(Diag *d, LLVMValueRef at, Nyi reason, const char *detail) { diag_nyi_why(d, at, reason, detail, NULL); }

void diag_nyi_why(Diag *d, LLVMValueRef at, Nyi reason, const char *detail, const char *why) {
    begin(d, stderr, at, "error");
    fprintf(stderr, "unsupported: %s", reasons[reason].text);
    if (detail) fprintf(stderr, " ('%s')", detail);
    if (why) fprintf(stderr, ": %s", why);
    end(stderr, &reasons[reason]);
    advise_on_reason(d, at, reason);
    d->unsupported++;
}

void diag_warning(Diag *d, LLVMValueRef at, const char *format, ...) {
    if (d->no_warnings) return;
    va_list ap;
    va_start(ap, format);
    print_message(d, at, d->werror ? "error" : "warning", format, ap);
    va_end(ap);
    d->errors += d->werror;
}

/* An instruction that passes have made has no location: that of its function then. */
static LLVMValueRef with_location(LLVMValueRef at) {
    if (!at || has_location(at) || !LLVMIsAInstruction(at)) return at;
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
}

/* Whether the message is new; copies of one loop in several versions have the same. */
static bool is_new(Diag *d, const char *message) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = message; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (unsigned i = 0; i < sizeof d->said / sizeof *d->said; i++)
        if (d->said[i] == hash) return false;
    d->said[d->nsaid++ % (sizeof d->said / sizeof *d->said)] = hash;
    return true;
}

/* The text of a remark, without kernel and location. */
static char *remark_text(Nyi why, const char *format, va_list ap) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    vfprintf(to, format, ap);
    if (why != NYI_NONE) fprintf(to, ": %s", reasons[why].text);
    fclose(to);
    return text;
}

static char *whole_message(const Diag *d, LLVMValueRef at, const Row *row, const char *text) {
    char *message = NULL;
    size_t size;
    FILE *to = open_memstream(&message, &size);
    if (!to) return NULL;
    begin(d, to, at, "remark");
    char *kernel = d->kernel_name && at ? d->kernel_name(at) : NULL;
    if (kernel) fprintf(to, "%s: ", kernel);
    free(kernel);
    fputs(text, to);
    end(to, row);
    fclose(to);
    return message;
}

static void tell(const Diag *d, LLVMValueRef at, const Row *row, const char *text) {
    char *name = NULL;
    size_t size;
    FILE *to = open_memstream(&name, &size);
    if (!to) return;
    put_name(to, row);
    fclose(to);
    d->on_remark(d->remark_context, at, name, text, row->advice);
    free(name);
}

/* True if it was printed. */
static bool emit_remark(Diag *d, LLVMValueRef at, const Row *row, const char *text) {
    char *message = whole_message(d, at, row, text);
    bool fresh = message && is_new(d, message);
    if (fresh && d->on_remark) tell(d, at, row, text);
    if (fresh && d->prints_remarks) {
        fputs(message, stderr);
        show_line(at);
    }
    free(message);
    return fresh && d->prints_remarks;
}

void diag_remark_text(Diag *d, LLVMValueRef at, Remark id, Nyi why, const char *format, ...) {
    if (!d->remarks) return;
    at = with_location(at);
    va_list ap;
    va_start(ap, format);
    char *text = remark_text(why, format, ap);
    va_end(ap);
    bool printed = text && emit_remark(d, at, why == NYI_NONE ? &remarks[id] : &reasons[why], text);
    free(text);
    if (!printed) return;
    if (why == NYI_NONE) advise(d, at, &remarks[id], &d->advised[id]);
    else advise_on_reason(d, at, why);
}

void diag_remark_plain(Diag *d, LLVMValueRef at, Remark id) {
    diag_remark_text(d, at, id, NYI_NONE, "%s", remarks[id].text);
}

void diag_note(Diag *d, LLVMValueRef at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    print_message(d, with_location(at), "note", format, ap);
    va_end(ap);
}

void bug_at(const char *file, int line, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "cucpu: internal error at %s:%d: ", file, line);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    abort();
}
