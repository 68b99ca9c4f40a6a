/* options.h: the command line of cucpu as a structure.
** options.def has one row per option; options.c makes the parser, --help and the table of
** docs/cucpu.md from it. */
#ifndef CUCPU_LAUNCHER_OPTIONS_H
#define CUCPU_LAUNCHER_OPTIONS_H
#include "launcher/text.h"
#include "passes/compiler.h"

typedef enum ItemKind {
    ITEM_CUDA,
    ITEM_C,
    ITEM_CXX,
    ITEM_PTX,
    ITEM_BITCODE, /* device code of --keep, or of an object */
    ITEM_LINK,    /* object, archive, library or -l option, in the order of the command line */
    ITEM_UNKNOWN
} ItemKind;

enum { CHOICE_NONE, CHOICE_FALSE, CHOICE_TRUE };

typedef struct Item {
    ItemKind kind;
    const char *text;
    bool is_file;
} Item;

typedef struct Options {
    Item *items;
    size_t nitems, items_cap;

    /* what to make */
    bool compile_only, device_compile, device_link, no_device_link, device_syntax, device_only, make_library, shared,
        preprocess, run;
    bool dependencies, dependencies_user;             /* -M, -MM: instead of compiling */
    bool write_dependencies, write_dependencies_user; /* -MD, -MMD: besides compiling */
    bool dependency_phony;                            /* -MP */
    const char *dependency_file, *dependency_target;
    const char *output, *output_directory;
    const char *image;    /* ".ptx", ".cubin", ".fatbin": files for cuModuleLoad, named so */
    uint64_t words_hash;  /* of all words */
    const char *language; /* -x for the inputs that follow */

    /* how */
    StrVec defines; /* -I -D -U -isystem -include: both halves, C and C++ */
    StrVec both;    /* other front-end flags for both halves */
    StrVec host;    /* -Xcompiler */
    StrVec linker;  /* -L -Xlinker ... */
    StrVec run_arguments;
    const char *standard, *host_compiler; /* -std, -ccbin */
    const char *host_level;               /* -O..., NULL = not given */
    int arch;                             /* 52 ... 121, 0 = not given */
    char arch_features;                   /* 'a' of sm_90a, 'f' of sm_100f, 0 */
    bool debug, device_debug, optimized_debug, simd_given, line_info, pic, no_warnings, werror, werror_cross_calls;
    bool forward_unknown, forward_linker, rdc, extended_lambda, relaxed_constexpr, per_thread_stream;
    bool fast_math;
    int ftz, precise_div, precise_sqrt, fmad, embed_bitcode; /* CHOICE_... */

    /* the driver itself */
    bool dryrun, verbose, keep, clean, help, help_markdown, version;
    bool list_arch, list_code;
    bool report_html, report_json;
    const char *keep_directory, *time_file, *report_file;
    int threads;

    CucpuOptions compiler;
} Options;

/* False after an error, which it has printed. */
bool options_parse(Options *o, int argc, char **argv);
int cpus(void); /* that are online */
void options_help(FILE *f);
void options_markdown(FILE *f); /* the option table of docs/cucpu.md */
void launcher_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif
