/* sanitizer.c: the command compute-sanitizer, and cuda-memcheck: runs a program and has its runtime check the kernels.
**
** What is asked for goes to the program by CUCPU_CHECK (cpu-runtime/check/options.c); counts of what is found come back
** through a pipe, a letter and a number a line (check.h).  The summary and the exit status are made here, also where
** the program crashes. */
#include "launcher/sanitizer_save.h"
#include "launcher/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 255 }; /* exit status where nothing was checked */

typedef enum Kind { FLAG, NUMBER, TEXT, CHOICE, ACCEPT, ACCEPT_FLAG, REFUSE, REFUSE_FLAG, OWN, OWN_FLAG } Kind;
typedef struct Option {
    const char *name;
    Kind kind;
    const char *words, *help;
} Option;
static const Option options[] = {
#define SAN(name, kind, words, help) {name, kind, words, help},
#include "launcher/sanitizer.def"
#undef SAN
};
enum { OPTIONS = sizeof options / sizeof *options };

static const struct Choice {
    const char *option, *value, *words;
} choices[] = {{"tool", "memcheck", "memory"},
               {"tool", "racecheck", "race"},
               {"tool", "initcheck", "init"},
               {"tool", "synccheck", "sync"},
               {"leak-check", "full", "leaks"},
               {"leak-check", "no", ""},
               {"report-api-errors", "all", "api"},
               {"report-api-errors", "extended", "api"},
               {"report-api-errors", "explicit", "api"},
               {"report-api-errors", "no", "no-api"},
               {"racecheck-report", "analysis", ""},
               {"racecheck-report", "hazard", "hazards;no-analysis"},
               {"racecheck-report", "all", "hazards"},
               {"racecheck-detect-level", "info", "level=0"},
               {"racecheck-detect-level", "warn", "level=1"},
               {"racecheck-detect-level", "error", "level=2"}};
enum { CHOICES = sizeof choices / sizeof *choices };

typedef struct Run {
    const char *name;  /* of this command */
    const char *words; /* for CUCPU_CHECK */
    const char *tool;  /* of the words */
    const char *log, *save, *prefix;
    bool xml, json;
    int error_exit;
    bool quiet, keep_exit, needs_cuda;
    unsigned long long counts[128];
} Run;

static int complain(const Run *r, const char *what, const char *word, const char *why) {
    fprintf(stderr, "%s: error: %s '%s'%s%s\n", r->name, what, word, *why ? ": " : "", why);
    return FAILED;
}

static void add_words(Run *r, const char *words) {
    if (*words) r->words = text_format("%s%s%s", r->words, *r->words ? ";" : "", words);
}

/* ---- options ---- */

static bool number(const char *s, int *out) {
    char *end;
    long v = strtol(s, &end, 10);
    *out = (int)v;
    return end != s && !*end && v >= 0 && v <= 1 << 30;
}

static int take_choice(Run *r, const Option *o, const char *value) {
    const char *known = "";
    for (size_t i = 0; i < CHOICES; i++) {
        if (strcmp(choices[i].option, o->name)) continue;
        if (!strcmp(choices[i].value, value)) {
            if (!strcmp(o->name, "tool")) r->tool = choices[i].words;
            else add_words(r, choices[i].words);
            return 0;
        }
        known = text_format("%s%s%s", known, *known ? ", " : "", choices[i].value);
    }
    return complain(r, text_format("--%s:", o->name), value, text_format("is none of %s", known));
}

/* %p, %q{VAR}, %% */
static const char *expand(const char *file) {
    const char *out = "";
    for (const char *s = file; *s; s++) {
        const char *end = s[0] == '%' && s[1] == 'q' && s[2] == '{' ? strchr(s, '}') : NULL;
        if (end) {
            const char *value = getenv(text_copy(s + 3, (size_t)(end - s - 3)));
            out = text_format("%s%s", out, value ? value : "");
            s = end;
        } else if (s[0] == '%' && s[1] == 'p') {
            out = text_format("%s%d", out, (int)getpid()), s++;
        } else {
            out = text_format("%s%c", out, *s);
            if (s[0] == '%' && s[1] == '%') s++;
        }
    }
    return out;
}

static int take_yes(Run *r, const Option *o, const char *value, bool *flag) {
    *flag = strcmp(value, "no") != 0;
    if (!strcmp(value, "yes") || !strcmp(value, "no")) return 0;
    return complain(r, text_format("--%s:", o->name), value, "is neither yes nor no");
}

/* kernel_substring=x and the like; all of them are looked for in the name. */
static int take_kernel(Run *r, const Option *o, const char *value) {
    static const char *const keys[] = {"kernel_name=", "kne=", "kernel_substring=", "kns=", "kernel_regex=", "regex="};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!text_starts(value, keys[i])) continue;
        bool exclude = text_ends(o->name, "-exclude"), regex = text_ends(keys[i], "regex=");
        if (strpbrk(value, regex ? ";" : ",;")) break;
        add_words(r,
                  text_format("%s%s=%s", exclude ? "not" : "kernel", regex ? "-regex" : "", value + strlen(keys[i])));
        return 0;
    }
    return complain(r, text_format("--%s:", o->name), value, "is not one of kne=NAME, kns=TEXT, regex=EXPRESSION");
}

static int take_suppressions(Run *r, const char *file) {
    if (!file_exists(file)) return complain(r, "--suppressions:", file, "cannot be read");
    if (strchr(file, ';')) return complain(r, "--suppressions:", file, "has a semicolon");
    return add_words(r, text_format("suppressions=%s", path_absolute(file))), 0;
}

static int take_own(Run *r, const Option *o, const char *value) {
    if (!strcmp(o->name, "quiet")) return r->quiet = true, 0;
    if (!strcmp(o->name, "check-exit-code")) return take_yes(r, o, value, &r->keep_exit);
    if (!strcmp(o->name, "require-cuda-init")) return take_yes(r, o, value, &r->needs_cuda);
    if (!strcmp(o->name, "xml")) return r->xml = true, 0;
    if (!strcmp(o->name, "json")) return r->json = true, 0;
    if (text_starts(o->name, "kernel-")) return take_kernel(r, o, value);
    if (!strcmp(o->name, "suppressions")) return take_suppressions(r, value);
    if (!strcmp(o->name, "save")) {
        r->save = path_absolute(expand(value));
        return strchr(r->save, ';') ? complain(r, "--save:", value, "has a semicolon") : 0;
    }
    if (!strcmp(o->name, "log-file")) {
        r->log = expand(value);
        return strchr(r->log, ';') ? complain(r, "--log-file:", value, "has a semicolon") : 0;
    }
    return number(value, &r->error_exit) && r->error_exit < 256
               ? 0
               : complain(r, "--error-exitcode:", value, "is no status");
}

static int take(Run *r, const Option *o, const char *value) {
    int n;
    switch (o->kind) {
    case FLAG: return add_words(r, o->words), 0;
    case NUMBER:
        if (!number(value, &n)) return complain(r, text_format("--%s:", o->name), value, "is no number");
        return add_words(r, text_format("%s=%d", o->words, n)), 0;
    case TEXT:
        if (strchr(value, ';')) return complain(r, text_format("--%s:", o->name), value, "has a semicolon");
        if (!strcmp(o->name, "prefix")) r->prefix = value;
        return add_words(r, text_format("%s=%s", o->words, value)), 0;
    case CHOICE: return take_choice(r, o, value);
    case REFUSE:
    case REFUSE_FLAG: return complain(r, "option", text_format("--%s", o->name), o->help);
    case OWN:
    case OWN_FLAG: return take_own(r, o, value);
    default: return 0;
    }
}

static bool has_value(Kind k) { return k != FLAG && k != ACCEPT_FLAG && k != REFUSE_FLAG && k != OWN_FLAG; }

static const Option *find_option(const char *name, size_t length) {
    for (size_t i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && !strncmp(options[i].name, name, length)) return &options[i];
    return NULL;
}

static int help(const Run *r) {
    printf("Usage: %s [options] program [arguments]\n"
           "Runs a program that cucpu has compiled, or that has PTX, and reports errors of its kernels.  They are "
           "compiled\n"
           "once more, with checks, when they are first used; what cucpu --check=... has compiled has the checks "
           "already.\n",
           r->name);
    for (size_t i = 0; i < OPTIONS; i++)
        printf("  --%s%s\n        %s\n", options[i].name, has_value(options[i].kind) ? " VALUE" : "", options[i].help);
    return 0;
}

/* Options up to the program; *first: its index.  -1: go on. */
static int parse(Run *r, int argc, char **argv, int *first) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "--")) {
            i++;
            break;
        }
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) return help(r);
        if (!strcmp(word, "--version") || !strcmp(word, "-V"))
            return printf("%s of cucpu %s\n", r->name, CUCPU_VERSION) < 0;
        if (!strcmp(word, "-t")) word = "--tool";
        const char *equals = strchr(word, '='), *name = word + 2;
        size_t length = equals ? (size_t)(equals - name) : strlen(word) - 2;
        const Option *o = text_starts(word, "--") ? find_option(name, length) : NULL;
        if (!o) return complain(r, "unknown option", argv[i], "see --help");
        const char *value = equals ? equals + 1 : "";
        if (!equals && has_value(o->kind) && o->kind != REFUSE) {
            if (++i == argc) return complain(r, "missing value of", argv[i - 1], "");
            value = argv[i];
        }
        int status = take(r, o, value);
        if (status) return status;
    }
    *first = i;
    return i < argc ? -1 : complain(r, "no program:", r->name, "see --help");
}

/* ---- running ---- */

static FILE *open_log(const Run *r, const char *mode) { return r->log ? fopen(r->log, mode) : stdout; }

static void close_log(const Run *r, FILE *f) { r->log ? fclose(f) : fflush(f); }

static void read_counts(Run *r, int fd) {
    char line[64];
    FILE *f = fdopen(fd, "r");
    while (f && fgets(line, sizeof line, f)) r->counts[line[0] & 127] += strtoull(line + 1, NULL, 10);
    if (f) fclose(f);
}

static void start_program(const Run *r, char **argv, int fd) {
    const char *log = r->log ? text_format(";log=%s", r->log) : "";
    const char *save = r->save ? text_format(";save=%s", r->save) : "";
    setenv("CUCPU_CHECK", text_format("tool;%s;%s;status=%d%s%s", r->tool, r->words, fd, log, save), 1);
    execvp(argv[0], argv);
    fprintf(stderr, "%s: error: cannot run '%s': %s\n", r->name, argv[0], strerror(errno));
    _exit(127);
}

/* The exit status of the program, 128 + n if a signal ended it; -1: it was not started. */
static int run_program(Run *r, char **argv) {
    int ends[2], status = 0;
    if (pipe(ends)) return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return -1;
    if (!pid) {
        close(ends[0]);
        start_program(r, argv, ends[1]);
    }
    close(ends[1]);
    read_counts(r, ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the summary ---- */

static const char *plural(unsigned long long n, const char *what) {
    return text_format("%llu %s%s", n, what, n == 1 ? "" : "s");
}

static void print_summary(const Run *r, FILE *f) {
    const unsigned long long *c = r->counts;
    if (c['u'])
        fprintf(f, "%s Warning: %s of kernels that could not be checked\n", r->prefix,
                c['u'] == 1 ? "1 launch" : text_format("%llu launches", c['u']));
    if (c['l']) fprintf(f, "%s LEAK SUMMARY: %llu bytes leaked in %llu allocations\n", r->prefix, c['b'], c['l']);
    if (!strcmp(r->tool, "race"))
        fprintf(f, "%s RACECHECK SUMMARY: %s displayed (%s, %s)\n", r->prefix, plural(c['e'] + c['w'], "hazard"),
                plural(c['e'], "error"), plural(c['w'], "warning"));
    else fprintf(f, "%s ERROR SUMMARY: %s\n", r->prefix, plural(c['e'], "error"));
}

static int finish(Run *r, int status) {
    FILE *f = open_log(r, "a");
    bool used = r->counts['r'], nothing = !r->counts['k'] && r->counts['u'];
    if (f && !used && r->needs_cuda)
        fprintf(f, "%s Error: Target application terminated before first instrumented API call\n", r->prefix);
    if (f && nothing) fprintf(f, "%s Error: no kernel that ran could be checked\n", r->prefix);
    if (f && used && !r->quiet) print_summary(r, f);
    if (f) close_log(r, f);
    if (status && r->keep_exit) return status;
    if (r->needs_cuda && (!used || nothing)) return FAILED;
    bool found = r->counts['e'] + r->counts['w'] > 0;
    return found && r->error_exit ? r->error_exit : status;
}

int main(int argc, char **argv) {
    Run r = {.name = path_base(argv[0]),
             .words = "",
             .tool = "memory",
             .prefix = "=========",
             .keep_exit = true,
             .needs_cuda = true};
    int first, status = parse(&r, argc, argv, &first);
    if (status >= 0) return status;
    FILE *f = open_log(&r, "w");
    if (!f) return complain(&r, "cannot write", r.log, strerror(errno));
    if (r.save && r.xml == r.json) return complain(&r, "--save", r.save, "needs one of --xml and --json");
    if (!r.save && (r.xml || r.json)) return complain(&r, "option", r.xml ? "--xml" : "--json", "needs --save");
    if (r.save && !file_write(r.save, "", 0)) return complain(&r, "cannot write", r.save, strerror(errno));
    if (!r.quiet) fprintf(f, "%s %s\n", r.prefix, strstr(r.name, "memcheck") ? "CUDA-MEMCHECK" : "COMPUTE-SANITIZER");
    close_log(&r, f);
    status = run_program(&r, argv + first);
    if (status < 0) return complain(&r, "cannot run", argv[first], strerror(errno));
    status = finish(&r, status);
    if (r.save && !convert_reports(r.save, r.tool, r.xml)) return complain(&r, "cannot write", r.save, strerror(errno));
    text_free();
    return status;
}
