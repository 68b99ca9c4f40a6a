/* option_table.c: the rows of options.def, and what those do that set more than one field of Options. */
#define _GNU_SOURCE
#include "launcher/option_table.h"
#include "launcher/dependencies.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool bad_value(const char *name, const char *value, const char *wanted) {
    launcher_error("invalid value '%s' for '%s': expected %s", value, name, wanted);
    return false;
}

static bool parse_number(const char *s, int low, int high, int *out) {
    char *end;
    errno = 0;
    long n = strtol(s, &end, 10);
    if (!isdigit((unsigned char)*s) || *end || errno || n < low || n > high) return false;
    *out = (int)n;
    return true;
}

static bool parse_bool(const char *name, const char *value, bool *out) {
    *out = strcmp(value, "true") == 0;
    return *out || strcmp(value, "false") == 0 || bad_value(name, value, "true or false");
}

/* ---- effects ---- */

static bool set_device_compile(Parser *p, const char *name, const char *value) {
    (void)name, (void)value;
    return p->o->compile_only = p->o->rdc = p->o->device_compile = true;
}

/* -ptx, -cubin, -fatbin */
static bool set_image(Parser *p, const char *name, const char *value) {
    (void)value;
    p->o->image = text_format(".%s", name + strspn(name, "-"));
    p->o->rdc = false;
    return p->o->compile_only = true;
}

static bool set_whole_compile(Parser *p, const char *name, const char *value) {
    (void)name, (void)value;
    p->o->rdc = false;
    return p->o->compile_only = true;
}

static bool set_rdc(Parser *p, const char *name, const char *value) { return parse_bool(name, value, &p->o->rdc); }

static bool set_emit(Parser *p, const char *name, const char *value) {
    if (strcmp(value, "obj") && strcmp(value, "asm") && strcmp(value, "llvm"))
        return bad_value(name, value, "obj, asm or llvm");
    p->o->compiler.emit = value;
    return true;
}

/* The headers of a GPU toolkit would hide ours, and cannot work without its compiler. */
static bool is_toolkit(const char *dir) {
    return file_exists(text_format("%s/crt/host_defines.h", dir)) && file_exists(text_format("%s/cuda_runtime.h", dir));
}

static bool add_directory(Parser *p, const char *flag, const char *dir) {
    if (is_toolkit(dir)) {
        if (p->o->verbose || p->o->dryrun) fprintf(stderr, "cucpu: note: ignoring %s: headers of a GPU toolkit\n", dir);
        return true;
    }
    vec_add(&p->o->defines, flag);
    vec_add(&p->o->defines, dir);
    return true;
}

/* The parts of a list, as nvcc takes it apart: at commas outside of double quotes, which stay, and
** not behind a backslash, which goes.  definitions: a comma inside of parentheses, or one with no
** name behind it, is part of a macro's value. */
static StrVec list_of(const char *value, bool definitions) {
    StrVec list = {0};
    char *word = text_alloc(strlen(value) + 1), *p = word;
    bool quoted = false;
    int open = 0;
    for (const char *s = value; *s; s++) {
        if (*s == '\\' && s[1]) {
            *p++ = *++s;
            continue;
        }
        quoted ^= *s == '"';
        open += definitions ? (*s == '(') - (*s == ')') : 0;
        bool name = isalpha((unsigned char)s[1]) || s[1] == '_';
        if (*s != ',' || quoted || (definitions && (open > 0 || !name))) {
            *p++ = *s;
            continue;
        }
        vec_add(&list, text_copy(word, (size_t)(p - word)));
        p = word;
    }
    if (p > word) vec_add(&list, text_copy(word, (size_t)(p - word)));
    return list;
}

typedef bool AddOne(Parser *p, const char *flag, const char *value);

static bool add_files(Parser *p, AddOne *add, const char *flag, const char *value) {
    if (file_exists(value)) return add(p, flag, value); /* a comma in its name */
    StrVec list = list_of(value, false);
    for (size_t i = 0; i < list.n; i++)
        if (!add(p, flag, list.v[i])) return false;
    return true;
}

static bool add_include(Parser *p, const char *name, const char *value) {
    (void)name;
    return add_files(p, add_directory, "-I", value);
}

static bool add_two_words(Parser *p, const char *flag, const char *value) {
    vec_add(&p->o->defines, flag);
    vec_add(&p->o->defines, value);
    return true;
}

static bool add_pre_include(Parser *p, const char *name, const char *value) {
    (void)name;
    return add_files(p, add_two_words, "-include", value);
}

static bool add_system_include(Parser *p, const char *name, const char *value) {
    (void)name;
    return add_files(p, add_directory, "-isystem", value);
}

static bool add_define(Parser *p, const char *name, const char *value) {
    StrVec list = list_of(value, true);
    (void)name;
    for (size_t i = 0; i < list.n; i++) vec_add(&p->o->defines, text_format("-D%s", list.v[i]));
    return true;
}

static bool add_undefine(Parser *p, const char *name, const char *value) {
    StrVec list = list_of(value, true);
    (void)name;
    for (size_t i = 0; i < list.n; i++) vec_add(&p->o->defines, text_format("-U%s", list.v[i]));
    return true;
}

ItemKind option_language(const char *language) {
    return !strcmp(language, "cu") ? ITEM_CUDA : !strcmp(language, "c") ? ITEM_C : ITEM_CXX;
}

/* nvcc's -x also holds for the inputs in front of it; here for those that are sources or of unknown
 * kind. */
static void retype_inputs(Options *o) {
    for (size_t i = 0; o->language && i < o->nitems; i++)
        if (o->items[i].kind != ITEM_LINK) o->items[i].kind = option_language(o->language);
}

static bool set_language(Parser *p, const char *name, const char *value) {
    if (strcmp(value, "cuda") == 0) value = "cu";
    if (strcmp(value, "cu") && strcmp(value, "c") && strcmp(value, "c++") && strcmp(value, "none"))
        return bad_value(name, value, "cu, c or c++");
    p->o->language = strcmp(value, "none") ? value : NULL;
    if (!p->languages++) retype_inputs(p->o);
    return true;
}

/* -MT, -MQ */
static bool add_target(Parser *p, const char *name, const char *value) {
    Options *o = p->o;
    if (text_ends(name, "Q")) value = rule_quote(value);
    o->dependency_target = o->dependency_target ? text_format("%s %s", o->dependency_target, value) : value;
    return true;
}

static bool add_linker_options(Parser *p, const char *name, const char *value) {
    StrVec words = {0};
    (void)name;
    vec_split(&words, value, ", ");
    for (size_t i = 0; i < words.n; i++) {
        vec_add(&p->o->linker, "-Xlinker");
        vec_add(&p->o->linker, words.v[i]);
    }
    return true;
}

/* What builds for nvcc's usual host compiler say and clang does not know; none of it changes what code means. */
static bool is_of_gcc_alone(const char *s) {
    static const char *const starts[] = {"-fno-gnu-unique", "-fgnu-unique",   "-fconcepts",           "-fipa-",
                                         "-fno-ipa-",       "-fabi-version=", "-fabi-compat-version="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(s, starts[i])) return true;
    return false;
}

/* The host compiler would write a rule for an intermediate file, without what device code includes. */
static int rule_option(const char *s) { /* 1: it is one; 2: one with a value */
    static const char *const plain[] = {"-M", "-MM", "-MD", "-MMD", "-MP"}, *const valued[] = {"-MF", "-MT", "-MQ"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(s, plain[i])) return 1;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (text_starts(s, valued[i])) return 2;
    return 0;
}

/* Where headers are found: nvcc's host compiler also preprocesses the device half. */
static const char *header_option(const char *word) {
    static const char *const flags[] = {"-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (text_starts(word, flags[i])) return flags[i];
    return NULL;
}

static bool add_header_option(Parser *p, const char *flag, const char *value) {
    bool directory = strcmp(flag, "-include") && strcmp(flag, "-imacros");
    return directory ? add_directory(p, flag, value) : add_two_words(p, flag, value);
}

static bool add_host_option(Parser *p, const char *word) {
    const char *name = p->awaits_value, *header = header_option(word);
    p->awaits_value = NULL;
    if (name && header_option(name)) return add_header_option(p, name, word);
    if (name) return option_take(p, text_format("%s=%s", name, word));
    if (header && word[strlen(header)]) return add_header_option(p, header, word + strlen(header));
    if (header) {
        p->awaits_value = header;
        return true;
    }
    bool valued = rule_option(word) > 1;
    if (valued && !word[3]) {
        p->awaits_value = word;
        return true;
    }
    if (rule_option(word)) return option_take(p, valued ? text_format("%.3s=%s", word, word + 3) : word);
    if (!is_of_gcc_alone(word)) vec_add(&p->o->host, word);
    return true;
}

static bool add_host_options(Parser *p, const char *name, const char *value) {
    StrVec words = {0};
    (void)name;
    vec_split(&words, value, ", ");
    for (size_t i = 0; i < words.n; i++)
        if (!add_host_option(p, words.v[i])) return false;
    return true;
}

static bool add_warning(Parser *p, const char *name, const char *value) {
    if (text_starts(value, "l,")) return add_linker_options(p, name, value + 2);
    if (*value) vec_add(&p->o->both, text_format("-W%s", value));
    return true;
}

/* nvcc knows -Werror only with a kind; a bare -Werror is what everybody else writes. */
static bool set_werror(Parser *p, const char *name, const char *value) {
    static const char *const kinds[] = {"all-warnings",
                                        "cross-execution-space-call",
                                        "reorder",
                                        "deprecated-declarations",
                                        "default-stream-launch",
                                        "ext-lambda-captures-this",
                                        "missing-launch-bounds"};
    (void)name;
    if (!value) return p->o->werror = true;
    StrVec words = {0};
    vec_split(&words, value, ",");
    for (size_t i = 0; i < words.n; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) known = known || strcmp(words.v[i], kinds[k]) == 0;
        if (!known) return false;
    }
    if (vec_has(&words, "all-warnings")) p->o->werror = true;
    if (vec_has(&words, "cross-execution-space-call")) p->o->werror_cross_calls = true;
    if (vec_has(&words, "reorder")) vec_add(&p->o->both, "-Werror=reorder");
    if (vec_has(&words, "deprecated-declarations")) vec_add(&p->o->both, "-Werror=deprecated-declarations");
    return words.n > 0;
}

static bool set_default_stream(Parser *p, const char *name, const char *value) {
    p->o->per_thread_stream = strcmp(value, "per-thread") == 0;
    return p->o->per_thread_stream || strcmp(value, "legacy") == 0 || strcmp(value, "null") == 0 ||
           bad_value(name, value, "legacy or per-thread");
}

static bool add_host_value(Parser *p, const char *name, const char *value) {
    vec_add(&p->o->host, text_format("-%s=%s", name + strspn(name, "-"), value));
    return true;
}

static bool add_front_value(Parser *p, const char *name, const char *value) {
    while (name[0] == '-' && name[1] == '-') name++;
    vec_add(&p->o->both, text_format("%s=%s", name, value));
    return true;
}

/* "-O 2", but not the name of a file. */
static bool next_is_level(const Parser *p) {
    const char *s = p->next < p->words.n ? p->words.v[p->next] : "";
    return isdigit((unsigned char)s[0]) && !s[1];
}

static bool set_host_level(Parser *p, const char *name, const char *value) {
    int n = 0;
    if (*value == '=') value++;
    if (!*value) value = next_is_level(p) ? p->words.v[p->next++] : "1";
    if (strcmp(value, "s") && !parse_number(value, 0, INT_MAX, &n)) return bad_value(name, value, "0, 1, 2 or 3");
    if (*value != 's' && n > 3) value = "3";
    p->o->host_level = value;
    return true;
}

static bool set_choice(Parser *p, const char *name, const char *value) {
    bool on;
    if (!parse_bool(name, value, &on)) return false;
    Options *o = p->o;
    int *field = strstr(name, "fmad")       ? &o->fmad
                 : strstr(name, "ftz")      ? &o->ftz
                 : strstr(name, "embed")    ? &o->embed_bitcode
                 : strstr(name, "prec-div") ? &o->precise_div
                                            : &o->precise_sqrt;
    *field = on ? CHOICE_TRUE : CHOICE_FALSE;
    return true;
}

static bool set_number(Parser *p, const char *name, const char *value) {
    int n;
    (void)p;
    return parse_number(value, 0, INT_MAX, &n) || bad_value(name, value, "a number");
}

/* A next word that is no value is an input. */
static bool set_profile(Parser *p, const char *name, const char *value) {
    if (!value) vec_add(&p->o->host, "-pg");
    else if (strcmp(value, "lanes")) return strchr(name, '=') && bad_value("--profile", value, "lanes");
    else p->o->compiler.profile = value;
    return true;
}

static bool set_dwarf(Parser *p, const char *name, const char *value) {
    (void)name;
    if (strcmp(value, "4") && strcmp(value, "5")) return bad_value("-gdwarf-", value, "4 or 5");
    p->o->debug = true;
    vec_add(&p->o->host, text_format("-gdwarf-%s", value));
    return true;
}

static bool set_dopt(Parser *p, const char *name, const char *value) {
    (void)name;
    p->o->optimized_debug = true;
    return !strcmp(value, "on") || bad_value("-dopt", value, "on");
}

/* Architectures in an order: sm_90 < sm_90f < sm_90a < sm_100. */
static const char feature_sets[] = {0, 'f', 'a'};
enum { FEATURE_SETS = sizeof feature_sets, FIRST_FAMILY = 100, FIRST_SPECIFIC = 90 };

/* sm_80, compute_90a, lto_86, or one of the words for "any"; the highest goes to *highest. */
static bool one_arch(int *highest, const char *name, const char *s) {
    int n, set = 0;
    if (!strcmp(s, "native") || !strcmp(s, "all") || !strcmp(s, "all-major")) return true;
    const char *digits = text_starts(s, "sm_")        ? s + 3
                         : text_starts(s, "compute_") ? s + 8
                         : text_starts(s, "lto_")     ? s + 4
                                                      : "";
    size_t length = strlen(digits);
    for (int i = 1; i < FEATURE_SETS; i++)
        if (length && digits[length - 1] == feature_sets[i]) set = i;
    if (set) digits = text_copy(digits, length - 1);
    int first = !set ? 10 : feature_sets[set] == 'f' ? FIRST_FAMILY : FIRST_SPECIFIC;
    if (!parse_number(digits, first, 199, &n)) return bad_value(name, s, "sm_XX or compute_XX");
    int rank = n * FEATURE_SETS + set;
    if (highest && rank > *highest) *highest = rank;
    return true;
}

static bool choose_arch(Parser *p) {
    int rank = p->arch > p->gencode ? p->arch : p->gencode;
    p->o->arch = rank / FEATURE_SETS;
    p->o->arch_features = feature_sets[rank % FEATURE_SETS];
    return true;
}

static bool set_arch(Parser *p, const char *name, const char *value) {
    int arch = 0;
    if (!one_arch(&arch, name, value)) return false;
    p->arch = arch;
    return choose_arch(p);
}

static bool set_code(Parser *p, const char *name, const char *value) {
    StrVec list = {0};
    (void)p;
    vec_split(&list, value, ",[]\"");
    for (size_t i = 0; i < list.n; i++)
        if (!one_arch(NULL, name, list.v[i])) return false;
    return true;
}

static const char *unquoted(const char *s) {
    char *out = text_alloc(strlen(s) + 1), *p = out;
    for (; *s; s++)
        if (*s != '"') *p++ = *s;
    return out;
}

static bool set_gencode(Parser *p, const char *name, const char *value) {
    StrVec list = {0};
    vec_split(&list, unquoted(value), ",[] ");
    for (size_t i = 0; i < list.n; i++) {
        const char *s = list.v[i];
        bool arch = text_starts(s, "arch=");
        if (arch) s += 5;
        else if (text_starts(s, "code=")) s += 5;
        else if (i == 0) return bad_value(name, value, "arch=compute_XX,code=sm_XX");
        if (*s && !one_arch(arch ? &p->gencode : NULL, name, s)) return false;
    }
    return choose_arch(p);
}

static bool set_machine(Parser *p, const char *name, const char *value) {
    (void)p;
    return strcmp(value, "64") == 0 || bad_value(name, value, "64");
}

static bool set_cpu(Parser *p, const char *name, const char *value) {
    p->o->compiler.cpu = value;
    return cucpu_knows_cpu(value) || bad_value(name, value, "a 64-bit CPU that clang -march knows");
}

static bool power_of_two(const char *s, int low, int *out) {
    return parse_number(s, low, 64, out) && (*out & (*out - 1)) == 0;
}

static bool set_simd(Parser *p, const char *name, const char *value) {
    p->o->compiler.simd = 0;
    p->o->simd_given = true;
    return strcmp(value, "auto") == 0 || power_of_two(value, 1, &p->o->compiler.simd) ||
           bad_value(name, value, "auto, 1, 2, 4, 8, 16, 32 or 64");
}

static bool set_check(Parser *p, const char *name, const char *value) {
    static const char *const kinds[] = {"memory", "race", "init", "sync"};
    StrVec list = {0};
    vec_split(&list, value, ",");
    for (size_t i = 0; i < list.n; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) known |= !strcmp(list.v[i], kinds[k]);
        if (!known) return bad_value(name, value, "a list of memory, race, init and sync");
    }
    p->o->compiler.check = value;
    return list.n || bad_value(name, value, "a list of memory, race, init and sync");
}

static bool set_report(Parser *p, const char *name, const char *value) {
    static const char *const kinds[] = {"frames", "vector", "variants", "html", "json"};
    StrVec list = {0};
    vec_split(&list, value, ",");
    for (size_t i = 0; i < list.n; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) known |= !strcmp(list.v[i], kinds[k]);
        if (!known) return bad_value(name, value, "a list of html, json, frames, vector and variants");
    }
    p->o->report_html = vec_has(&list, "html");
    p->o->report_json = vec_has(&list, "json");
    p->o->compiler.report = value;
    return list.n || bad_value(name, value, "a list of html, json, frames, vector and variants");
}

static bool set_warp_size(Parser *p, const char *name, const char *value) {
    return power_of_two(value, 4, &p->o->compiler.warp_size) || bad_value(name, value, "4, 8, 16, 32 or 64");
}

static bool add_one_library_path(Parser *p, const char *flag, const char *value) {
    vec_add(&p->o->linker, text_format("%s%s", flag, value));
    return true;
}

static bool add_library_path(Parser *p, const char *name, const char *value) {
    (void)name;
    return add_files(p, add_one_library_path, "-L", value);
}

void option_add_item(Options *o, ItemKind kind, const char *text, bool is_file) {
    if (o->nitems == o->items_cap) {
        size_t cap = o->items_cap ? 2 * o->items_cap : 16;
        Item *bigger = text_alloc(cap * sizeof *bigger);
        if (o->nitems) memcpy(bigger, o->items, o->nitems * sizeof *bigger);
        o->items = bigger;
        o->items_cap = cap;
    }
    o->items[o->nitems++] = (Item){kind, text, is_file};
}

/* Our runtime takes the place of these, wherever they stand on the command line. */
static bool add_library(Parser *p, const char *name, const char *value) {
    static const char *const ours[] = {"cudart", "cudart_static", "cudadevrt", "cuda", "nvToolsExt"};
    (void)name;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(value, ours[i]) == 0) return true;
    option_add_item(p->o, ITEM_LINK, text_format("-l%s", value), false);
    return true;
}

static bool add_libraries(Parser *p, const char *name, const char *value) {
    StrVec list = list_of(value, false);
    for (size_t i = 0; i < list.n; i++)
        if (!add_library(p, name, list.v[i])) return false;
    return true;
}

static bool set_cudart(Parser *p, const char *name, const char *value) {
    (void)p;
    return !strcmp(value, "shared") || !strcmp(value, "static") || !strcmp(value, "none") ||
           bad_value(name, value, "shared, static or none");
}

int cpus(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static bool set_threads(Parser *p, const char *name, const char *value) {
    return parse_number(value, 0, 1024, &p->o->threads) || bad_value(name, value, "a number of commands");
}

static bool set_split(Parser *p, const char *name, const char *value) {
    if (!parse_number(value, 0, 1024, &p->o->compiler.jobs)) return bad_value(name, value, "a number of processes");
    if (!p->o->compiler.jobs) p->o->compiler.jobs = cpus();
    return true;
}

/* The words of the file take the place of the option. */
static bool read_options_file(Parser *p, const char *name, const char *value) {
    StrVec rest = {0};
    (void)name;
    if (p->option_files++ == 256) { /* files that name themselves */
        launcher_error("response files nested too deeply: '%s'", value);
        return false;
    }
    for (size_t i = p->next; i < p->words.n; i++) vec_add(&rest, p->words.v[i]);
    p->words.n = p->next;
    StrVec files = {0};
    vec_split(&files, value, ",");
    for (size_t i = 0; i < files.n; i++)
        if (!option_add_words(&p->words, files.v[i], 1)) return false;
    vec_add_all(&p->words, &rest);
    return true;
}

/* ---- the table ---- */

#define ON(f) E_ON, offsetof(Options, f), NULL
#define STRING(f) E_STRING, offsetof(Options, f), NULL
#define LIST(f) E_LIST, offsetof(Options, f), NULL
#define WORDS(f) E_WORDS, offsetof(Options, f), NULL
#define PASS(f) E_PASS, offsetof(Options, f), NULL
#define CALL(f) E_CALL, 0, f
#define ACCEPT E_ACCEPT, 0, NULL
#define REFUSE E_REFUSE, 0, NULL
#define SECTION(title) {title, "", "", NONE, "", E_ACCEPT, 0, NULL, ""},
#define OPT(name, alias, argument, metavar, effect, help) {NULL, name, alias, argument, metavar, effect, help},
const Row option_rows[] = {
#include "launcher/options.def"
};
#undef SECTION
#undef OPT
const size_t option_count = sizeof option_rows / sizeof *option_rows;
