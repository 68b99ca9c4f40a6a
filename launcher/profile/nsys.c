/* nsys.c: the command nsys: `nsys profile` runs a program and writes what was recorded, `nsys stats` prints reports of
** it.
**
** A .nsys-rep file of this command is the SQLite file that Nsight Systems exports, so that `nsys export` copies it. */
#include "launcher/profile/database.h"
#include "launcher/profile/reports.h"
#include "launcher/profile/session.h"
#include "launcher/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Option {
    const char *command, *name;
    int letter;
    bool own;
    const char *help;
} Option;
static const Option options[] = {
#define NSYS(command, name, letter, own, help) {command, name, letter, own, help},
#include "launcher/profile/nsys.def"
#undef NSYS
};
enum { OPTIONS = sizeof options / sizeof *options };

typedef struct Run {
    const char *command; /* profile, stats, export */
    const char *output, *report, *format, *type;
    bool force, stats, export;
    Session session;
} Run;

static int complain(const char *what, const char *word, const char *why) {
    fprintf(stderr, "nsys: error: %s '%s'%s%s\n", what, word, *why ? ": " : "", why);
    return 1;
}

/* ---- options ---- */

static int help(void) {
    puts("Usage: nsys profile [options] program [arguments]   runs a program and records what it does\n"
         "       nsys stats [options] file                    prints reports of that\n"
         "       nsys export [options] file                   writes it as an SQLite file\n"
         "Options have values: --name=value, --name value, -n value.  docs/profiler.md says more.");
    for (size_t i = 0; i < OPTIONS; i++) {
        const Option *o = &options[i];
        if (!i || strcmp(o->command, options[i - 1].command)) printf("\n%s:\n", o->command);
        printf("  %s--%s\n        %s\n", o->letter ? text_format("-%c, ", o->letter) : "", o->name,
               o->own ? o->help : text_format("makes no difference%s%s", *o->help ? ": " : "", o->help));
    }
    puts("\nReports:");
    report_list(stdout);
    return 0;
}

static const Option *find_option(const Run *r, const char *word, size_t length) {
    bool letter = word[1] != '-';
    for (size_t i = 0; i < OPTIONS; i++) {
        const Option *o = &options[i];
        if (strcmp(o->command, r->command)) continue;
        if (letter ? o->letter == word[1] : strlen(o->name) == length - 2 && !strncmp(o->name, word + 2, length - 2))
            return o;
    }
    return NULL;
}

static int take_bool(const Option *o, const char *value, bool *out) {
    *out = !strcmp(value, "true");
    return *out || !strcmp(value, "false")
               ? 0
               : complain(text_format("--%s:", o->name), value, "is neither true nor false");
}

static int take_variables(const char *value) {
    StrVec words = {0};
    vec_split(&words, value, ",");
    for (size_t i = 0; i < words.n; i++) {
        const char *equals = strchr(words.v[i], '=');
        if (!equals) return complain("--env-var:", words.v[i], "is not NAME=VALUE");
        setenv(text_copy(words.v[i], (size_t)(equals - words.v[i])), equals + 1, 1);
    }
    return 0;
}

static int take(Run *r, const Option *o, const char *value) {
    char *end;
    const char *name = o->name;
    if (!o->own) return 0;
    if (!strcmp(name, "output")) return r->output = value, 0;
    if (!strcmp(name, "report")) return r->report = value, 0;
    if (!strcmp(name, "format")) return r->format = value, 0;
    if (!strcmp(name, "type")) return !strcmp(value, "sqlite") ? 0 : complain("--type:", value, "is not sqlite");
    if (!strcmp(name, "force-overwrite")) return take_bool(o, value, &r->force);
    if (!strcmp(name, "stats")) return take_bool(o, value, &r->stats);
    if (!strcmp(name, "env-var")) return take_variables(value);
    if (!strcmp(name, "export")) {
        r->export = !strcmp(value, "sqlite");
        return r->export || !strcmp(value, "none") ? 0 : complain("--export:", value, "is neither sqlite nor none");
    }
    if (!strcmp(name, "capture-range")) {
        r->session.from_start = !strcmp(value, "none");
        return r->session.from_start || !strcmp(value, "cudaProfilerApi")
                   ? 0
                   : complain("--capture-range:", value, "is neither cudaProfilerApi nor none");
    }
    r->session.timeout = (int)strtol(value, &end, 10);
    return *value && !*end && r->session.timeout > 0 ? 0 : complain("--duration:", value, "is no number of seconds");
}

/* Options from argv[2] on; *first: what follows them. */
static int parse(Run *r, int argc, char **argv, int *first) {
    int i = 2;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        const char *word = argv[i], *equals = strchr(word, '=');
        bool attached = word[1] != '-' && word[2]; /* -tcuda */
        if (!strcmp(word, "--")) {
            i++;
            break;
        }
        const Option *o = find_option(r, word, equals ? (size_t)(equals - word) : strlen(word));
        if (!o) return complain(text_format("unknown option of nsys %s", r->command), word, "see --help");
        const char *value = attached ? word + 2 : equals ? equals + 1 : ++i < argc ? argv[i] : NULL;
        if (!value) return complain("missing value of", word, "");
        int status = take(r, o, value);
        if (status) return status;
    }
    *first = i;
    return i < argc ? 0
                    : complain("nothing to do for", r->command,
                               strcmp(r->command, "profile") ? "no file is named" : "no program is named");
}

/* ---- stats ---- */

static int stats(const Run *r, const char *file) {
    static const struct {
        const char *name;
        Format format;
    } formats[] = {{"column", FORMAT_COLUMN}, {"table", FORMAT_COLUMN}, {"csv", FORMAT_CSV}, {"tsv", FORMAT_TSV}};
    enum { FORMATS = sizeof formats / sizeof *formats };
    size_t f = 0;
    while (r->format && f < FORMATS && strcmp(formats[f].name, r->format)) f++;
    if (f == FORMATS) return complain("--format:", r->format, "is none of column, table, csv, tsv");
    StrVec names = {0};
    if (r->report) vec_split(&names, r->report, ",");
    for (size_t i = 0; i < names.n; i++)
        if (!report_known(names.v[i]))
            return complain("--report:", names.v[i], "is unknown; nsys --help lists the reports");
    FILE *out = r->output && strcmp(r->output, "-") && strcmp(r->command, "profile") ? fopen(r->output, "w") : stdout;
    if (!out) return complain("cannot write", r->output, strerror(errno));
    const char *error = reports_print(out, file, r->report ? vec_argv(&names) : default_reports, formats[f].format);
    if (out != stdout && fclose(out) && !error) error = strerror(errno);
    return error ? complain("cannot print", file, error) : 0;
}

/* ---- profile ---- */

static const char *report_name(const Run *r) {
    if (!r->output) {
        for (int i = 1;; i++)
            if (!file_exists(text_format("report%d.nsys-rep", i))) return text_format("report%d", i);
    }
    const char *name = session_expand(r->output, r->session.pid);
    return text_ends(name, ".nsys-rep") ? text_copy(name, strlen(name) - strlen(".nsys-rep")) : name;
}

static int write_file(const char *file, const Process *p, size_t n) {
    const char *error = database_write(file, p, n);
    if (error) return complain("cannot write", file, error);
    printf("    %s\n", path_absolute(file));
    return 0;
}

static int profile(Run *r, char **argv) {
    const char *problem = database_missing(), *name = report_name(r), *file = text_format("%s.nsys-rep", name);
    if (problem) return complain("cannot run", "profile", problem);
    if (!r->force && (!r->output || !strstr(r->output, "%p")) && file_exists(file))
        return complain("--output:", file, "exists; --force-overwrite=true replaces it");
    problem = session_unwritable(file);
    if (problem) return complain("cannot write", file, problem);
    int status = session_run(&r->session, argv);
    if (status < 0) return 1;
    name = report_name(r);
    file = text_format("%s.nsys-rep", name);
    Process *processes;
    size_t n = session_read(&r->session, &processes);
    if (!n)
        fprintf(stderr, "nsys: warning: nothing was recorded: the program did not load cucpu's libcudart, or ended by "
                        "_exit or SIGKILL\n");
    puts("Generated:");
    int failed = write_file(file, processes, n);
    if (!failed && r->export) failed = write_file(text_format("%s.sqlite", name), processes, n);
    if (!failed && r->stats) putchar('\n'), failed = stats(r, file);
    return status ? status : failed;
}

/* ---- export ---- */

static int export(const Run *r, const char *file) {
    size_t bytes;
    const char *data = file_read(file, &bytes), *out = r->output;
    if (!data) return complain("cannot read", file, strerror(errno));
    if (!text_starts(data, "SQLite format 3")) return complain("cannot read", file, "it was not written by this nsys");
    if (!out) out = text_format("%s/%s.sqlite", path_directory(file), path_stem(file));
    if (!r->force && file_exists(out)) return complain("--output:", out, "exists; --force-overwrite=true replaces it");
    return file_write(out, data, bytes) ? 0 : complain("cannot write", out, strerror(errno));
}

int main(int argc, char **argv) {
    Run r = {.command = argc > 1 ? argv[1] : "", .session = {.command = "nsys", .from_start = true, .children = true}};
    int first = 0, status;
    bool stop = false;
    for (int i = 1; i < argc && i < 3; i++) stop |= !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
    if (stop || !strcmp(r.command, "help")) return help();
    if (!strcmp(r.command, "--version") || !strcmp(r.command, "-v") || !strcmp(r.command, "version"))
        return printf("NVIDIA Nsight Systems (cucpu %s takes its place)\n", CUCPU_VERSION) < 0;
    if (!strcmp(r.command, "stats") && argc > 2 && !strcmp(argv[2], "--help-reports")) return report_list(stdout), 0;
    if (strcmp(r.command, "profile") && strcmp(r.command, "stats") && strcmp(r.command, "export"))
        return *r.command ? complain("no command:", r.command, "profile, stats or export; see --help")
                          : complain("no command for", "nsys", "profile, stats or export; see --help");
    status = parse(&r, argc, argv, &first);
    if (!status)
        status = !strcmp(r.command, "profile") ? profile(&r, argv + first)
                 : !strcmp(r.command, "stats") ? stats(&r, argv[first])
                                               : export(&r, argv[first]);
    if (fflush(stdout)) status = complain("cannot write", "stdout", strerror(errno));
    text_free();
    return status;
}
