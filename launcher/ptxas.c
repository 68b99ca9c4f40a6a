/* ptxas.c: `ptxas [OPTIONS] FILE.ptx -o OUT`, for compilers that call NVIDIA's assembler (LLVM's OpenMP, Triton, XLA).
**
** The text is checked by the PTX front end.  The output is what cuModuleLoad and its like take: an ELF file with the
** text in it (cubin.c of the runtime), which is compiled for the CPU when it is loaded.  Options that concern GPU code
** do nothing.  The exit status is NVIDIA's: 0, or 255 for an error. */
#define _GNU_SOURCE
#include "launcher/ptxas.h"
#include "cpu-runtime/module/image.h"
#include "launcher/options.h"
#include "launcher/text.h"
#include "passes/compiler.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAILED = 255, DEFAULT_SM = 75 };

/* ---- options ---- */

typedef enum Kind { FLAG, VALUE, ARCH, OUTPUT, VERSION, HELP } Kind;

/* The value of one that has one may be the next word, follow `=`, or, after a short name, the name itself (-O3). */
static const struct {
    const char *name, *brief;
    Kind kind;
} options[] = {
    {"--gpu-name", "-arch", ARCH},
    {"--output-file", "-o", OUTPUT},
    {"--version", "-V", VERSION},
    {"--help", "-h", HELP},
    {"--Ofast-compile", "-Ofc", VALUE},
    {"--opt-level", "-O", VALUE},
    {"--machine", "-m", VALUE},
    {"--entry", "-e", VALUE},
    {"--maxrregcount", "-maxrregcount", VALUE},
    {"--device-function-maxrregcount", "-func-maxrregcount", VALUE},
    {"--register-usage-level", "-regUsageLevel", VALUE},
    {"--maxntid", "-maxntid", VALUE},
    {"--minnctapersm", "-minnctapersm", VALUE},
    {"--fmad", "-fmad", VALUE},
    {"--def-load-cache", "-dlcm", VALUE},
    {"--def-store-cache", "-dscm", VALUE},
    {"--force-load-cache", "-flcm", VALUE},
    {"--force-store-cache", "-fscm", VALUE},
    {"--split-compile", "-split-compile", VALUE},
    {"--allow-expensive-optimizations", "-allow-expensive-optimizations", VALUE},
    {"--device-stack-protector", "-device-stack-protector", VALUE},
    {"--position-independent-code", "-pic", VALUE},
    {"--verbose", "-v", FLAG},
    {"--compile-only", "-c", FLAG},
    {"--device-debug", "-g", FLAG},
    {"--generate-line-info", "-lineinfo", FLAG},
    {"--disable-warnings", "-w", FLAG},
    {"--warning-as-error", "-Werror", FLAG},
    {"--warn-on-spills", "-warn-spills", FLAG},
    {"--warn-on-local-memory-usage", "-warn-lmem-usage", FLAG},
    {"--warn-on-double-precision-use", "-warn-double-usage", FLAG},
    {"--suppress-debug-info", "-suppress-debug-info", FLAG},
    {"--suppress-stack-size-warning", "-suppress-stack-size-warning", FLAG},
    {"--disable-optimizer-constants", "-disable-optimizer-consts", FLAG},
    {"--extensible-whole-program", "-ewp", FLAG},
    {"--preserve-relocs", "-preserve-relocs", FLAG},
    {"--return-at-end", "-ret-end", FLAG},
    {"--sp-bounds-check", "-sp-bounds-check", FLAG},
};

typedef struct Request {
    const char *input, *output;
    unsigned sm;
    bool done; /* version or help was printed */
} Request;

static bool fatal(const char *format, const char *what) {
    fputs("ptxas fatal   : ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return false;
}

static void print_help(void) {
    static const char *const words[] = {[VALUE] = " <value>", [ARCH] = " sm_<N>", [OUTPUT] = " <file>"};
    puts("Usage: ptxas [options] file.ptx -o file.cubin\n\nThe output is for cuModuleLoad of cucpu; what is not named "
         "-arch or -o is accepted and does nothing.\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *word = options[i].kind < VERSION ? words[options[i].kind] : NULL;
        printf("%s, %s%s\n", options[i].name, options[i].brief, word ? word : "");
    }
}

static bool take(Request *r, Kind kind, const char *value) {
    if (kind == OUTPUT) r->output = value;
    if (kind == ARCH) {
        if (strncmp(value, "sm_", 3) || !(r->sm = (unsigned)strtoul(value + 3, NULL, 10)))
            return fatal("Value '%s' is not defined for option 'gpu-name'", value);
    }
    if (kind == VERSION)
        puts("ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.8, "
             "V12.8.0\ncucpu " CUCPU_VERSION);
    if (kind == HELP) print_help();
    r->done |= kind == VERSION || kind == HELP;
    return true;
}

/* Where the value begins if the word is this option: behind its name, or behind `=`; NULL: it is another one. */
static const char *value_in(const char *word, const char *name, bool has_value) {
    size_t n = strlen(name);
    if (strncmp(word, name, n)) return NULL;
    if (word[n] == '=') return has_value ? word + n + 1 : NULL;
    bool joined = word[n] && has_value && n == 2; /* -O3, -m64 */
    return !word[n] || joined ? word + n : NULL;
}

static bool take_word(Request *r, char ***argv) {
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        bool has_value = options[i].kind > FLAG && options[i].kind < VERSION;
        const char *value = value_in(**argv, options[i].name, has_value);
        if (!value) value = value_in(**argv, options[i].brief, has_value);
        if (!value) continue;
        if (has_value && !*value && !(value = *++*argv))
            return fatal("'%s': argument is expected", options[i].name + 2);
        return take(r, options[i].kind, value);
    }
    return fatal("Unknown option '%s'", **argv);
}

static bool take_words(Request *r, char **argv) {
    *r = (Request){.output = "elf.o", .sm = DEFAULT_SM};
    for (; *argv; argv++) {
        if (**argv == '-') {
            if (!take_word(r, &argv)) return false;
        } else if (r->input) return fatal("a second input, '%s': one is compiled at a time", *argv);
        else r->input = *argv;
    }
    return r->done || r->input || fatal("No input files specified; use option %s for more information", "--help");
}

/* ---- the output ---- */

static bool write_cubin(const Request *r, const char *ptx, size_t n) {
    size_t size;
    char *file = rt_make_cubin(ptx, n, r->sm, &size);
    bool ok = file && file_write(r->output, file, size);
    free(file);
    return ok || fatal("'%s' cannot be written", r->output);
}

int assemble_ptx(char **argv) {
    Request r;
    size_t n;
    if (!take_words(&r, argv)) return FAILED;
    if (r.done) return 0;
    const char *ptx = file_read(r.input, &n);
    if (!ptx) return fatal("Cannot open input file '%s'", r.input), FAILED;
    if (cucpu_ptx(r.input, "/dev/null")) return fatal("%s", "Ptx assembly aborted due to errors"), FAILED;
    return write_cubin(&r, ptx, n) ? 0 : FAILED;
}
