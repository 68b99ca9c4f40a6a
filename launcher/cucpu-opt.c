/* cucpu-opt.c: runs single passes of the kernel compiler on textual IR, for tests and study.
** Input: IR in a file or on standard input.  Output: IR on standard output or in a file. */
#include "launcher/text.h"
#include "passes/compiler.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: cucpu-opt --passes=a,b [options] [in.ll] [-o out.ll]\n"
    "  --passes=LIST     passes to run, in this order\n"
    "  --list-passes     print the names of the passes\n"
    "  --simd=N          threads per SIMD group: 1 ... 64, 0 or auto: chosen\n"
    "  --warp-size=N     value of warpSize\n"
    "  --opt=N           optimisation level, as -O of cucpu (default 3)\n"
    "  --cpu=NAME        target CPU (default native)\n"
    "  --device-library=FILE  bitcode to link\n"
    "  --assume-llvm=N   workarounds as for this major version of LLVM\n"
    "  --check=LIST, --disable=LIST, --dump-after=LIST, --stop-after=PASS, --report=LIST,\n"
    "  --profile=lanes, --verify-each, --time-passes, --fast-math, --shuffle, -Rcucpu   as for cucpu\n"
    "  -o FILE           output (default standard output)\n";

static int fail(const char *what, const char *word) {
    fprintf(stderr, "cucpu-opt: error: %s '%s'\n", what, word);
    return CUCPU_ERROR;
}

typedef struct Settings {
    CucpuOptions o;
    const char *passes, *input, *output;
} Settings;

static bool take_value(Settings *s, const char *name, const char *value) {
    const struct {
        const char *name;
        const char **field;
    } strings[] = {
        {"--passes", &s->passes},           {"--cpu", &s->o.cpu},       {"--device-library", &s->o.device_library},
        {"--disable", &s->o.disable},       {"--check", &s->o.check},   {"--dump-after", &s->o.dump_after},
        {"--stop-after", &s->o.stop_after}, {"--report", &s->o.report}, {"--profile", &s->o.profile}};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strcmp(name, strings[i].name) == 0) return *strings[i].field = value, true;
    if (!strcmp(name, "--opt")) return s->o.opt_level = atoi(value), strspn(value, "0123") == 1 && !value[1];
    if (!strcmp(name, "--assume-llvm")) return (s->o.assumed_llvm = (unsigned)atoi(value)) > 0;
    int *number = !strcmp(name, "--simd") ? &s->o.simd : !strcmp(name, "--warp-size") ? &s->o.warp_size : NULL;
    if (!number) return false;
    *number = strcmp(value, "auto") == 0 ? 0 : atoi(value);
    return *number >= 0 && *number <= 64 && (*number & (*number - 1)) == 0;
}

static bool take_flag(Settings *s, const char *word) {
    const struct {
        const char *name;
        bool *field;
    } flags[] = {{"--verify-each", &s->o.verify_each},
                 {"--time-passes", &s->o.time_passes},
                 {"--fast-math", &s->o.fast_math},
                 {"--shuffle", &s->o.shuffle},
                 {"-Rcucpu", &s->o.remarks}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0) return *flags[i].field = true;
    return false;
}

int main(int argc, char **argv) {
    Settings s = {.input = "-", .output = "-"};
    cucpu_options_init(&s.o);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) return fputs(usage, stdout) < 0;
        if (!strcmp(word, "--list-passes")) return cucpu_list_passes(), CUCPU_OK;
        if (!strcmp(word, "-o")) {
            if (++i == argc) return fail("missing argument for", word);
            s.output = argv[i];
        } else if (word[0] != '-' || !word[1]) {
            s.input = word;
        } else if (equals ? !take_value(&s, text_copy(word, (size_t)(equals - word)), equals + 1)
                          : !take_flag(&s, word)) {
            return fail("bad option", word);
        }
    }
    if (!s.passes) return fputs(usage, stderr), CUCPU_ERROR;
    int status = cucpu_opt(&s.o, s.passes, s.input, s.output);
    text_free();
    return status;
}
