/* nvprof.c: the command nvprof: runs a program, and prints where its time went. */
#include "launcher/profile/database.h"
#include "launcher/profile/metrics.h"
#include "launcher/profile/session.h"
#include "launcher/profile/tables.h"
#include "launcher/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 255 };
typedef enum Kind { FLAG, VALUE, ACCEPT, ACCEPT_FLAG, REFUSE } Kind;
typedef struct Option {
    const char *name;
    int letter;
    Kind kind;
    const char *help;
} Option;
static const Option options[] = {
#define NVPROF(name, letter, kind, help) {name, letter, kind, help},
#include "launcher/profile/nvprof.def"
#undef NVPROF
};
enum { OPTIONS = sizeof options / sizeof *options };

typedef struct Run {
    const char *log, *database, *command;
    bool summary, gpu_summary, api_summary, gpu_trace, api_trace, cpu_summary; /* the tables */
    bool no_gpu, no_runtime, no_driver, force, quiet, stop;
    Style style;
    Session session;
} Run;

static int complain(const char *what, const char *word, const char *why) {
    fprintf(stderr, "nvprof: error: %s '%s'%s%s\n", what, word, *why ? ": " : "", why);
    return FAILED;
}

/* ---- options ---- */

static int take_unit(Run *r, const char *value) {
    static const char *const names[] = {"auto", "col", "s", "ms", "us", "ns"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], value)) return r->style.unit = (Unit)i, 0;
    return complain("--normalized-time-unit:", value, "is none of auto, col, s, ms, us, ns");
}

static int take_switch(const Option *o, const char *value, bool *on) {
    *on = !strcmp(value, "on");
    return *on || !strcmp(value, "off") ? 0 : complain(text_format("--%s:", o->name), value, "is neither on nor off");
}

static int take_api(Run *r, const char *value) {
    bool all = !strcmp(value, "all"), none = !strcmp(value, "none");
    bool runtime = !strcmp(value, "runtime"), driver = !strcmp(value, "driver");
    r->no_runtime = none || driver;
    r->no_driver = none || runtime;
    return all || none || runtime || driver
               ? 0
               : complain("--profile-api-trace:", value, "is none of all, none, runtime, driver");
}

static int take_trace(Run *r, const char *value) {
    bool gpu = false, api = false;
    StrVec words = {0};
    vec_split(&words, value, ",");
    for (size_t i = 0; i < words.n; i++) {
        if (!strcmp(words.v[i], "gpu")) gpu = true;
        else if (!strcmp(words.v[i], "api")) api = true;
        else return complain("--trace:", words.v[i], "is neither gpu nor api");
    }
    r->no_gpu = !gpu;
    if (!api) r->no_runtime = r->no_driver = true;
    return 0;
}

static int take_metrics(Run *r, const char *list) {
    const char *unknown = metrics_unknown(list);
    r->session.metrics = r->session.metrics ? text_format("%s,%s", r->session.metrics, list) : list;
    return unknown ? complain("--metrics:", unknown, "is none of those that --query-metrics lists") : 0;
}

static int take_value(Run *r, const Option *o, const char *value) {
    char *end;
    bool on;
    if (!strcmp(o->name, "metrics")) return take_metrics(r, value);
    if (!strcmp(o->name, "normalized-time-unit")) return take_unit(r, value);
    if (!strcmp(o->name, "profile-from-start")) return take_switch(o, value, &r->session.from_start);
    if (!strcmp(o->name, "profile-api-trace")) return take_api(r, value);
    if (!strcmp(o->name, "trace")) return take_trace(r, value);
    if (!strcmp(o->name, "demangling")) {
        int status = take_switch(o, value, &on);
        r->style.mangled = !on;
        return status;
    }
    if (!strcmp(o->name, "log-file")) return r->log = value, 0;
    if (!strcmp(o->name, "export-profile")) return r->database = value, 0;
    r->session.timeout = (int)strtol(value, &end, 10);
    return *value && !*end && r->session.timeout > 0 ? 0 : complain("--timeout:", value, "is no number of seconds");
}

static void take_flag(Run *r, const char *name) {
    static const char *const names[] = {"print-summary",
                                        "print-gpu-summary",
                                        "print-api-summary",
                                        "print-gpu-trace",
                                        "print-api-trace",
                                        "print-cpu-summary",
                                        "csv",
                                        "force-overwrite",
                                        "quiet",
                                        "profile-child-processes"};
    bool *flags[] = {&r->summary,     &r->gpu_summary, &r->api_summary, &r->gpu_trace, &r->api_trace,
                     &r->cpu_summary, &r->style.csv,   &r->force,       &r->quiet,     &r->session.children};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) *flags[i] = true;
}

static int help(void) {
    puts("Usage: nvprof [options] program [arguments]\n"
         "Runs a CUDA program and prints where its time went (docs/profiler.md).");
    for (size_t i = 0; i < OPTIONS; i++) {
        const Option *o = &options[i];
        const char *letter = o->letter ? text_format("-%c, ", o->letter) : "";
        printf("  %s--%s%s\n        %s%s\n", letter, o->name, o->kind == VALUE || o->kind == ACCEPT ? " VALUE" : "",
               o->kind == REFUSE ? "not supported: " : "", o->help);
    }
    return 0;
}

static const Option *find_option(const char *word, size_t length) {
    bool letter = word[1] != '-';
    for (size_t i = 0; i < OPTIONS; i++) {
        const Option *o = &options[i];
        if (letter ? length == 2 && o->letter == word[1]
                   : strlen(o->name) == length - 2 && !strncmp(o->name, word + 2, length - 2))
            return o;
    }
    return NULL;
}

/* Options up to the program; *first: its index.  r->stop: all is done. */
static int parse(Run *r, int argc, char **argv, int *first) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *word = argv[i];
        if (!strcmp(word, "--")) {
            i++;
            break;
        }
        const char *equals = strchr(word, '=');
        const Option *o = find_option(word, equals ? (size_t)(equals - word) : strlen(word));
        if (!o) return complain("unknown option", word, "see --help");
        if (o->kind == REFUSE) return complain("option", word, o->help);
        bool query = !strcmp(o->name, "query-metrics");
        r->stop = query || !strcmp(o->name, "help") || !strcmp(o->name, "version");
        if (query) return metrics_help(stdout), 0;
        if (!strcmp(o->name, "help")) return help();
        if (r->stop)
            return printf("nvprof: NVIDIA (R) Cuda command line profiler\n(cucpu %s takes its place)\n",
                          CUCPU_VERSION) < 0;
        if (o->kind == FLAG) take_flag(r, o->name);
        if (o->kind == FLAG || o->kind == ACCEPT_FLAG) continue;
        if (!equals && ++i == argc) return complain("missing value of", word, "");
        int status = o->kind == VALUE ? take_value(r, o, equals ? equals + 1 : argv[i]) : 0;
        if (status) return status;
    }
    *first = i;
    return i < argc ? 0 : complain("no program for", "nvprof", "see --help");
}

/* ---- output ---- */

static void message(const Run *r, int pid, const char *text) {
    if (!r->quiet) fprintf(r->style.out, "==%d== %s\n", pid, text);
}

static FILE *open_log(Run *r, int pid) {
    if (!r->log || !strcmp(r->log, "%2")) return stderr;
    if (!strcmp(r->log, "%1")) return stdout;
    r->log = session_expand(r->log, pid);
    FILE *f = fopen(r->log, "w");
    if (!f) complain("--log-file: cannot write", r->log, strerror(errno));
    return f;
}

static Run *running;

static void started(int pid) {
    Run *r = running;
    if (!r->log) message(r, pid, text_format("NVPROF is profiling process %d, command: %s", pid, r->command));
}

/* What is not to be shown is taken out. */
static void filter(const Run *r, Process *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const Activity *a = &p->activities[i];
        bool driver = a->record->sort == CUCPU_API_DRIVER;
        if (a->kind == CUCPU_REC_API && (driver ? r->no_driver : r->no_runtime)) continue;
        if (is_gpu_activity(a) && r->no_gpu) continue;
        p->activities[n++] = *a;
    }
    p->n = n;
}

static void print_tables(const Run *r, const Process *p) {
    const Style *s = &r->style;
    int pid = (int)p->header->pid;
    bool any = r->gpu_summary || r->api_summary || r->gpu_trace || r->api_trace || r->cpu_summary;
    bool gpu = r->gpu_summary || r->summary || !any, api = r->api_summary || r->summary || !any;
    message(r, pid, text_format("Profiling application: %s", p->header->command));
    if (p->header->lost)
        message(r, pid, text_format("Warning: no memory for %llu records", (unsigned long long)p->header->lost));
    message(r, pid, "Profiling result:");
    if (r->gpu_trace) print_gpu_trace(s, p);
    if (r->gpu_trace && r->api_trace) putc('\n', s->out);
    if (r->api_trace) print_api_trace(s, p);
    if (any && !r->summary && !r->gpu_summary && !r->api_summary && !r->cpu_summary) return;
    if (r->gpu_trace || r->api_trace) putc('\n', s->out);
    if (gpu || api) print_summary(s, p, gpu && !r->no_gpu, api && !(r->no_runtime && r->no_driver));
    if (!r->cpu_summary && (any || s->csv)) return;
    if (gpu || api) putc('\n', s->out);
    print_kernels(s, p);
}

/* Instead of the other tables, as NVIDIA's nvprof does. */
static int print_metrics(const Run *r, const char *counts, const Process *p, size_t n) {
    const char *device = n ? p->header->device : "cucpu";
    message(r, r->session.pid, text_format("Profiling application: %s", r->command));
    message(r, r->session.pid, "Metric result:");
    if (metrics_print(&r->style, r->session.metrics, counts, device)) return 0;
    return complain("--metrics:", r->command, "no kernel has counted; compile it with cucpu --profile=lanes");
}

static int export(Run *r, const Process *p, size_t n) {
    const char *file = session_expand(r->database, r->session.pid);
    if (!strchr(path_base(file), '.')) file = text_format("%s.sqlite", file);
    const char *error = database_write(file, p, n);
    if (error) return complain("--export-profile: cannot write", file, error);
    message(r, r->session.pid, text_format("Generated result file: %s", path_absolute(file)));
    return 0;
}

static int show(Run *r, int status) {
    Process *processes;
    size_t bytes;
    const char *counts = r->session.counts ? file_read(r->session.counts, &bytes) : NULL;
    size_t n = session_read(&r->session, &processes);
    int pid = r->session.pid;
    if (!r->style.out && !(r->style.out = open_log(r, pid))) return FAILED;
    if (r->session.signal) message(r, pid, text_format("Error: Application received signal %d", r->session.signal));
    else if (status) message(r, pid, text_format("Warning: Application returned non-zero code %d", status));
    if (r->session.metrics) {
        int failed = print_metrics(r, counts, processes, n);
        return status ? status : failed;
    }
    if (!n) {
        message(r, pid,
                "No kernels were profiled: the program did not load cucpu's libcudart, or ended by _exit or SIGKILL.");
        return status ? status : 0;
    }
    int failed = r->database ? export(r, processes, n) : 0;
    for (size_t i = 0; i < n && !r->database; i++) {
        filter(r, &processes[i]);
        print_tables(r, &processes[i]);
    }
    return status ? status : failed;
}

/* A file that cannot be written is told before the program runs. */
static int check_files(const Run *r) {
    const char *problem = r->database ? database_missing() : NULL;
    if (problem) return complain("option", "--export-profile", problem);
    const char *log = r->log && *r->log != '%' ? session_expand(r->log, 0) : NULL;
    problem = log ? session_unwritable(log) : NULL;
    if (problem) return complain("--log-file: cannot write", log, problem);
    if (r->database) {
        const char *file = session_expand(r->database, 0);
        if (!strchr(path_base(file), '.')) file = text_format("%s.sqlite", file);
        problem = session_unwritable(file);
        if (problem) return complain("--export-profile: cannot write", file, problem);
        if (!strstr(r->database, "%p") && !r->force && file_exists(file))
            return complain("--export-profile:", file, "exists; -f overwrites it");
    }
    return 0;
}

static const char *join(char **argv) {
    const char *out = "";
    for (; *argv; argv++) out = text_format("%s%s%s", out, *out ? " " : "", *argv);
    return out;
}

int main(int argc, char **argv) {
    static Run r = {.session = {.command = "nvprof", .from_start = true, .started = started}};
    int first = 0, status = parse(&r, argc, argv, &first);
    if (!status && !r.stop) status = check_files(&r);
    if (status || r.stop) return status;
    running = &r;
    r.command = join(argv + first);
    if (!r.log) r.style.out = stderr;
    status = session_run(&r.session, argv + first);
    if (status < 0) return FAILED;
    status = show(&r, status);
    if (r.style.out && fflush(r.style.out))
        status = complain("cannot write", r.log ? r.log : "stderr", strerror(errno));
    text_free();
    return status;
}
