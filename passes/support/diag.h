/* diag.h: messages to the user, always as file:line:col: kind: text on stderr. Three regimes: diag_error for wrong
** input, diag_nyi for valid input that is not supported, bug for internal errors (aborts). Remarks are printed only
** with -Rcucpu.
** The texts of refusals are in nyi.def, those of remarks in remarks.def: [name] ends such a message. */
#ifndef CUCPU_DIAG_H
#define CUCPU_DIAG_H
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum Nyi {
    NYI_NONE,
#define NYI(name, text, advice) NYI_##name,
#include "passes/support/nyi.def"
#undef NYI
    NYI_COUNT
} Nyi;

typedef enum Remark {
    REMARK_NONE,
#define REMARK(id, format, meaning, advice) REMARK_##id,
#include "passes/support/remarks.def"
#undef REMARK
    REMARK_COUNT
} Remark;

typedef struct Diag {
    int errors, unsupported;
    bool remarks;        /* are made: printed, or for on_remark */
    bool prints_remarks; /* -Rcucpu */
    bool no_warnings, werror;
    bool advised[(int)REMARK_COUNT + (int)NYI_COUNT]; /* whose advice has been printed */
    uint64_t said[256];                               /* hashes of the last remarks: each is printed once */
    unsigned nsaid;
    const char *source; /* for messages without a location */
    /* The kernel of an instruction or function as the source names it (malloc'd), or NULL: printed before remarks. */
    char *(*kernel_name)(LLVMValueRef at);
    /* Is told of each remark, printed or not; NULL: nobody is. */
    void (*on_remark)(void *context, LLVMValueRef at, const char *name, const char *text, const char *advice);
    void *remark_context;
} Diag;

/* `at` gives the location (an instruction or function with debug info); may be NULL. */
void diag_error(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reports a refusal and its subject (detail may be NULL). */
void diag_nyi(Diag *d, LLVMValueRef at, Nyi reason, const char *detail);
void diag_nyi_why(Diag *d, LLVMValueRef at, Nyi reason, const char *detail, const char *why);
/* An error with -Werror, nothing with -w. */
void diag_warning(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Without a location of its own an instruction has that of its function. */
void diag_remark_text(Diag *d, LLVMValueRef at, Remark id, Nyi why, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* One whose format has no arguments. */
void diag_remark_plain(Diag *d, LLVMValueRef at, Remark id);
/* The row of remarks.def with this ID, and the arguments of its format. */
#define diag_remark(d, at, id, ...) diag_remark_text(d, at, REMARK_##id, NYI_NONE, remark_format_##id, ##__VA_ARGS__)
/* The same, ended by a reason of nyi.def. */
#define diag_remark_why(d, at, why, id, ...)                                                                           \
    diag_remark_text(d, at, REMARK_##id, why, remark_format_##id, ##__VA_ARGS__)
#define REMARK(id, format, meaning, advice)                                                                            \
    static const char remark_format_##id[] __attribute__((unused)) =                                                   \
        format; /* an array, so that gcc checks arguments */
#include "passes/support/remarks.def"
#undef REMARK
void diag_note(Diag *d, LLVMValueRef at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Source line of an instruction or function; 0 = unknown. */
unsigned diag_line(LLVMValueRef at);
/* File of an instruction or function, "dir/name" not joined; NULL = unknown.  Owned by LLVM, *len bytes. */
const char *diag_file(LLVMValueRef at, unsigned *len);

#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#endif
