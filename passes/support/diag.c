/* diag.c: see diag.h. */
#include "passes/support/diag.h"
#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const nyi_texts[] = {
    "none",
#define NYI(name, text) text,
#include "passes/support/nyi.def"
#undef NYI
};
static const char *const nyi_names[] = {
    "NONE",
#define NYI(name, text) #name,
#include "passes/support/nyi.def"
#undef NYI
};

const char *nyi_text(Nyi reason) { return nyi_texts[reason]; }
const char *nyi_name(Nyi reason) { return nyi_names[reason]; }

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

static void print_message(const Diag *d, LLVMValueRef at, const char *kind, const char *format, va_list ap) {
    unsigned len;
    const char *file = diag_file(at, &len);
    if (file)
        fprintf(stderr, "%.*s:%u:%u: %s: ", (int)len, file, diag_line(at),
                LLVMIsAInstruction(at) ? LLVMGetDebugLocColumn(at) : 1, kind);
    else fprintf(stderr, "%s: %s: ", d->source ? d->source : "cucpu", kind);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
}

void diag_error(Diag *d, LLVMValueRef at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    print_message(d, at, "error", format, ap);
    va_end(ap);
    d->errors++;
}

static void print_plain(const Diag *d, LLVMValueRef at, const char *kind, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    print_message(d, at, kind, format, ap);
    va_end(ap);
}

void diag_nyi(Diag *d, LLVMValueRef at, Nyi reason, const char *detail) { diag_nyi_why(d, at, reason, detail, NULL); }

void diag_nyi_why(Diag *d, LLVMValueRef at, Nyi reason, const char *detail, const char *why) {
    print_plain(d, at, "error", "unsupported: %s%s%s%s%s%s", nyi_text(reason), detail ? " ('" : "",
                detail ? detail : "", detail ? "')" : "", why ? ": " : "", why ? why : "");
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

void diag_remark(Diag *d, LLVMValueRef at, const char *format, ...) {
    if (!d->remarks) return;
    va_list ap;
    va_start(ap, format);
    print_message(d, at, "remark", format, ap);
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
