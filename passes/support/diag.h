/* diag.h: messages to the user, always as file:line:col: kind: text on stderr. Three regimes: diag_error for wrong
** input, diag_nyi for valid input that is not supported, bug for internal errors (aborts). Remarks are printed only
** with -Rcucpu. */
#ifndef CUCPU_DIAG_H
#define CUCPU_DIAG_H
#include <llvm-c/Core.h>
#include <stdbool.h>

typedef enum Nyi {
    NYI_NONE,
#define NYI(name, text) NYI_##name,
#include "passes/support/nyi.def"
#undef NYI
    NYI_COUNT
} Nyi;

typedef struct Diag {
    int errors, unsupported;
    bool remarks, no_warnings, werror;
    const char *source; /* for messages without a location */
} Diag;

const char *nyi_text(Nyi reason);
const char *nyi_name(Nyi reason);
/* `at` gives the location (an instruction or function with debug info); may be NULL. */
void diag_error(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reports a refusal and its subject (detail may be NULL). */
void diag_nyi(Diag *d, LLVMValueRef at, Nyi reason, const char *detail);
void diag_nyi_why(Diag *d, LLVMValueRef at, Nyi reason, const char *detail, const char *why);
/* An error with -Werror, nothing with -w. */
void diag_warning(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_remark(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Source line of an instruction or function; 0 = unknown. */
unsigned diag_line(LLVMValueRef at);
/* File of an instruction or function, "dir/name" not joined; NULL = unknown.  Owned by LLVM, *len bytes. */
const char *diag_file(LLVMValueRef at, unsigned *len);

#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#endif
