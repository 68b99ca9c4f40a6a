/* main.c: cucpu-fuzz: random kernels against an interpreter.
**
** Each seed is one program.  Programs are checked in processes of their own, several in one after
** another, so that a crash of the compiler or of the kernel is a finding like any other.  Exit status
** 1 if a seed fails, or if less than 10 of 11 programs are tests that the compiler accepts; then
** the seed, the options and (with --verbose or --reduce) the program as NVVM IR stand on standard
** output. */
#define _GNU_SOURCE
#include "passes/compiler.h"
#include "tests/fuzz/execute.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/reduce.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONFIGS = 512, MAX_JOBS = 64, MS_PER_SEED = 20000, MS_IN_REDUCTION = 400, BATCH = 16 };

static const char usage[] =
    "Usage: cucpu-fuzz [options]\n"
    "  --seeds=A..B     programs to check (default 0..499); --seeds=A for one\n"
    "  --width=LIST     widths, 0 for auto, or \"all\" (default: 1 and one other, by seed)\n"
    "  --disable=LIST   passes to disable, \"none\", or \"all\": each set in turn (default: by seed)\n"
    "  --opt=LIST       optimisation levels (default: by seed)\n"
    "  --cpu=NAME       as for cucpu (default: this one, or a level below it, by seed)\n"
    "  --quick          one width (or --width), one layout, few blocks, mostly -O0, all by seed: 4 times the seeds\n"
    "  --shuffle        the groups of a block run in random order\n"
    "  --all-shapes     every block shape (default: some, by seed)\n"
    "  --warp           programs with shuffles and votes; blocks of whole warps; widths 1 and 32\n"
    "  --speed          cycles of width 1 and of --simd=auto, of programs that pass (-O3)\n"
    "  --spell ...      CUDA C++ spelled in several ways, its results and times (--spell --help)\n"
    "  --jobs=N         processes (default 2)\n"
    "  --time=SECONDS   start no new program after that time\n"
    "  --verbose        the IR of failing programs; every seed's name\n"
    "  --print          the IR of the programs, nothing is checked\n"
    "  --reduce         makes failing programs small, then prints their IR\n";

typedef struct Settings {
    uint64_t first, last;
    const char *width, *disable, *opt, *cpu;
    bool quick, shuffle, all_shapes, warp, speed, verbose, print, reduce;
    int jobs, seconds;
    time_t end; /* 0: none */
} Settings;

/* What can be switched off, in the sets that are tried. */
static const char *const disable_sets[] = {
    "", "frame_classes", "static_dispatch", "fold_tests", "guard_coherent", "version_all_active,meld_branches", "sink_common_stores", "version_uniform_quotient,version_unclamped", "narrow_rows,reshape_block", "unroll_and_jam", "scalarise_single_lane", "unroll_loops,unroll_arrays", "row_test", "relax_atomics",
    "widen_guards", "float_sums", "fields", "packed", "runs", "sink_stores", "join_fields", "narrow_values", "raise_cas_loops", "raise_cas_loops,outline_cas_loops", "detect_warp_synchronous", "lower_masked,narrow_masked", "mark_parallel", "bound_from_guard", "coalesce_blocks,predictive_commoning", "interchange_grid_stride", "split_iteration_space", "sink_affine", "uniform_values", "uniform_control_flow",
    "frame_classes,static_dispatch,guard_coherent,row_test,relax_atomics"};
enum { DISABLE_SETS = sizeof disable_sets / sizeof *disable_sets };
static const int widths[] = {1, 2, 4, 8, 16, 32};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* ---- configurations of a seed ---- */

static int numbers(const char *list, int *out, int max) {
    int n = 0;
    for (const char *p = list; *p && n < max; p += strcspn(p, ","), p += *p == ',') out[n++] = atoi(p);
    return n;
}

static int choose_widths(const Settings *s, Random *r, int *out) {
    if (s->warp && (!s->width || !strcmp(s->width, "all"))) return out[0] = 1, out[1] = 32, 2;
    if (!s->width) return out[0] = 1, out[1] = widths[1 + random_below(r, WIDTHS - 1)], 2;
    if (strcmp(s->width, "all")) return numbers(s->width, out, WIDTHS);
    memcpy(out, widths, sizeof widths);
    return WIDTHS;
}

static int choose_levels(const Settings *s, Random *r, int *out) {
    static const int levels[] = {0, 1, 3};
    if (!s->opt) return out[0] = levels[random_below(r, 3)], 1;
    return numbers(s->opt, out, 4);
}

/* The last choice of a seed. */
static const char *choose_cpu(const Settings *s, Random *r) {
    static const char *const cpus[] = {"native", "x86-64-v2", "x86-64-v3"};
    if (s->cpu) return s->cpu;
    return __builtin_cpu_supports("x86-64-v3") && random_chance(r, 35) ? cpus[1 + random_below(r, 2)] : cpus[0];
}

/* Half of the quick seeds have nothing disabled.  At -O0 addresses are not recognised as equal, masked accesses are left
** to LLVM, and its vectorizer does not run: that would leave little to see of fields and of retries. */
static Config quick_configuration(const Settings *s, uint64_t seed, const Program *p, Random *r) {
    static const int wide[] = {0, 2, 4, 8, 8, 16, 16, 32}; /* 0: as for --simd=auto */
    Config c = {.seed = seed, .shapes = 2, .disable = s->disable && strcmp(s->disable, "none") ? s->disable : ""};
    c.width = s->warp ? 32 : random_chance(r, 10) ? 1 : wide[random_below(r, 8)];
    c.layouts = 1u << random_below(r, 3);
    c.opt_level = random_below(r, 16) ? 0 : 1 + random_below(r, 3);
    c.verify = random_chance(r, 12);
    c.shuffle = s->shuffle || random_chance(r, 25);
    if (!s->disable && random_chance(r, 50)) c.disable = disable_sets[random_below(r, DISABLE_SETS)];
    c.cpu = choose_cpu(s, r);
    if (p->features & FEATURE_FIELDS) {
        if (random_chance(r, 85)) c.opt_level = random_chance(r, 45) ? 1 : 3;
        if (!s->warp && c.opt_level == 3 && random_chance(r, 60)) c.width = 1;
    }
    if ((p->features & FEATURE_RETRY) && random_chance(r, 25)) c.opt_level = 1;
    if ((p->features & (FEATURE_PRODUCTS | FEATURE_PICKS | FEATURE_BYTES)) && random_chance(r, 80)) c.opt_level = random_chance(r, 60) ? 1 : 3;
    if (p->features & (FEATURE_WIDE | FEATURE_CONVERT | FEATURE_CONDITIONS | FEATURE_RARE)) {
        if (random_chance(r, 85)) c.opt_level = random_chance(r, 40) ? 1 : 3;
        if (!s->warp && random_chance(r, p->features & FEATURE_RARE ? 50 : 20)) c.width = 1;
    }
    if (s->opt) c.opt_level = atoi(s->opt);
    if (s->width) c.width = atoi(s->width);
    return c;
}

static int configurations(const Settings *s, uint64_t seed, const Program *p, Config *out) {
    Random r = {seed ^ 0xc0ffee};
    if (s->quick) return out[0] = quick_configuration(s, seed, p, &r), 1;
    if (s->speed) {
        for (int i = 0; i < 2; i++)
            out[i] = (Config){.width = !i, .opt_level = 3, .disable = s->disable ? s->disable : "", .cpu = s->cpu ? s->cpu : "native", .shapes = 2, .speed = true, .seed = seed};
        return 2;
    }
    int w[WIDTHS], o[4], n = 0;
    int nw = choose_widths(s, &r, w), no = choose_levels(s, &r, o);
    int set = random_below(&r, DISABLE_SETS), shapes = s->all_shapes ? SHAPES : 5;
    bool every = s->disable && !strcmp(s->disable, "all");
    const char *cpu = choose_cpu(s, &r);
    for (int d = 0; d < (every ? DISABLE_SETS : 1); d++)
        for (int i = 0; i < nw; i++)
            for (int k = 0; k < no; k++) {
                const char *disable = every ? disable_sets[d] : !s->disable ? disable_sets[set] : !strcmp(s->disable, "none") ? "" : s->disable;
                out[n++] = (Config){w[i], o[k], disable, cpu, 0, true, s->shuffle, false, shapes, 0, seed};
            }
    return n;
}

/* ---- one program in a process ---- */

static void limit_time(int ms) {
    const struct itimerval t = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};
    setitimer(ITIMER_PROF, &t, NULL);
}

static pid_t start(const Program *p, const Config *c, int n, Report *r) {
    memset(r, 0, sizeof *r);
    fflush(stdout);
    pid_t pid = fork();
    if (pid) return pid;
    if (!freopen("/dev/null", "w", stderr)) _exit(3);
    limit_time(MS_IN_REDUCTION);
    _exit(check_program(p, c, n, r));
}

static bool is_late(const Settings *s) { return s->end && time(NULL) >= s->end; }

/* Checks seeds up to the first that fails: the report says which was the last, and counts. */
static pid_t start_seeds(const Settings *s, uint64_t first, uint64_t last, Report *r) {
    memset(r, 0, sizeof *r);
    fflush(stdout);
    pid_t pid = fork();
    if (pid) return pid;
    for (r->seed = first;; r->seed++) {
        Arena a = {0};
        Config configs[MAX_CONFIGS];
        const Program *p = generate(&a, r->seed, s->warp);
        int n = configurations(s, r->seed, p, configs);
        limit_time(MS_PER_SEED);
        int verdict = check_program(p, configs, n, r);
        arena_free(&a);
        r->passed += verdict == VERDICT_PASS;
        r->invalid += verdict == VERDICT_INVALID;
        r->refused += verdict == VERDICT_REFUSED;
        if (verdict >= VERDICT_INVALID && s->verbose) printf("; seed %llu: no test: %s\n", (unsigned long long)r->seed, r->what);
        if (verdict == VERDICT_FAIL || r->seed == last || is_late(s)) exit(verdict);
    }
}

/* The verdict behind an exit status; a signal is a failure. */
static int verdict_of(int status, Report *r) {
    if (WIFSIGNALED(status)) {
        snprintf(r->what, sizeof r->what, "%s", WTERMSIG(status) == SIGPROF ? "it does not end" : strsignal(WTERMSIG(status)));
        return VERDICT_FAIL;
    }
    return WEXITSTATUS(status);
}

static Report *shared_reports(int n) {
    Report *r = mmap(NULL, sizeof(Report) * (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r == MAP_FAILED) abort();
    return r;
}

/* ---- reduction ---- */

typedef struct Reduction {
    Config configs[MAX_CONFIGS];
    int n;
    Report *report;
} Reduction;

static bool still_fails(const Program *p, void *context) {
    Reduction *d = context;
    int status;
    pid_t pid = start(p, d->configs, d->n, d->report);
    if (pid < 0) abort();
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR) abort(); /* start_progress */
    return verdict_of(status, d->report) == VERDICT_FAIL;
}

static void reduce_program(const Settings *s, uint64_t seed, Program *p) {
    Reduction d = {.report = shared_reports(1)};
    Config all[MAX_CONFIGS];
    int n = configurations(s, seed, p, all);
    d.n = 1;
    for (int i = 0; i < n; i++) { /* one configuration that fails alone */
        d.configs[0] = all[i];
        if (still_fails(p, &d)) break;
    }
    d.configs[0].only_shape = d.report->shape;
    int before = count_statements(p->body);
    reduce(p, still_fails, &d);
    still_fails(p, &d);
    printf("; reduced from %d to %d statements: %s: %s\n", before, count_statements(p->body), d.report->where, d.report->what);
    munmap(d.report, sizeof *d.report);
}

/* ---- seeds ---- */

typedef struct Job {
    pid_t pid;
    uint64_t last;
} Job;

typedef struct Totals {
    int passed, failed, invalid, refused, configs, narrow, launches;
} Totals;

static void print_program(uint64_t seed, const Program *p) {
    Arena a = {0};
    printf("; seed %llu\n%s", (unsigned long long)seed, print_ir(&a, p, lower(&a, p)));
    arena_free(&a);
}

/* Where programs are printed all else is a comment: the output can be fed to cucpu-opt. */
static const char *prefix(const Settings *s) { return s->verbose || s->reduce ? "; " : ""; }

static void failed(const Settings *s, uint64_t seed, const Report *r) {
    printf("%sseed %llu: FAILED: %s: %s\n", prefix(s), (unsigned long long)seed, r->where, r->what);
    if (!s->verbose && !s->reduce) return;
    Arena a = {0};
    Program *p = generate(&a, seed, s->warp);
    if (s->reduce) reduce_program(s, seed, p);
    print_program(seed, p);
    arena_free(&a);
}

static void wake(int signal) { (void)signal; }

/* For somebody who waits: every few seconds waitpid is interrupted, and there is a line. */
static void start_progress(void) {
    enum { SECONDS = 5 };
    const struct sigaction a = {.sa_handler = wake};
    const struct itimerval t = {{SECONDS, 0}, {SECONDS, 0}};
    if (!isatty(STDERR_FILENO)) return;
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &t, NULL);
}

static void say_progress(const Settings *s, const Job *jobs, const Report *reports, const Totals *t) {
    int n = t->passed + t->failed + t->invalid + t->refused;
    for (int i = 0; i < s->jobs; i++)
        if (jobs[i].pid) n += reports[i].passed + reports[i].invalid + reports[i].refused;
    fprintf(stderr, "%d of %llu programs checked, %d failed\n", n, (unsigned long long)(s->last - s->first + 1), t->failed);
}

/* Waits for a process; goes on behind the seed with which it has failed. */
static void finish(const Settings *s, Job *jobs, Report *reports, Totals *t) {
    int status, i = 0;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0) {
        say_progress(s, jobs, reports, t);
        return;
    }
    while (i < s->jobs && jobs[i].pid != pid) i++;
    if (i == s->jobs) return;
    Report r = reports[i];
    jobs[i].pid = 0;
    t->configs += r.configs;
    t->narrow += r.narrow;
    t->launches += r.launches;
    t->passed += r.passed;
    t->invalid += r.invalid;
    t->refused += r.refused;
    bool fails = verdict_of(status, &r) == VERDICT_FAIL;
    if (fails) {
        t->failed++;
        failed(s, r.seed, &r);
    }
    if (fails && r.seed < jobs[i].last) jobs[i].pid = start_seeds(s, r.seed + 1, jobs[i].last, &reports[i]);
}

static int running(const Settings *s, const Job *jobs, int *idle) {
    int n = 0;
    for (int i = 0; i < s->jobs; i++)
        if (jobs[i].pid) n++;
        else *idle = i;
    return n;
}

static void check_seeds(const Settings *s, Totals *t) {
    Job jobs[MAX_JOBS] = {0};
    Report *reports = shared_reports(MAX_JOBS);
    int i = 0;
    for (uint64_t seed = s->first, last; seed <= s->last && !is_late(s); seed = last + 1) {
        while (running(s, jobs, &i) == s->jobs) finish(s, jobs, reports, t);
        last = s->last - seed < BATCH ? s->last : seed + BATCH - 1;
        jobs[i] = (Job){start_seeds(s, seed, last, &reports[i]), last};
        if (jobs[i].pid < 0) abort();
    }
    while (running(s, jobs, &i)) finish(s, jobs, reports, t);
}

/* ---- options ---- */

static bool take(Settings *s, const char *word) {
    const struct {
        const char *name;
        const char **text;
        int *number;
        bool *flag;
    } rows[] = {{"--width=", &s->width, NULL, NULL},     {"--disable=", &s->disable, NULL, NULL},
                {"--opt=", &s->opt, NULL, NULL},         {"--jobs=", NULL, &s->jobs, NULL},
                {"--cpu=", &s->cpu, NULL, NULL},
                {"--time=", NULL, &s->seconds, NULL},    {"--all-shapes", NULL, NULL, &s->all_shapes},
                {"--warp", NULL, NULL, &s->warp},        {"--speed", NULL, NULL, &s->speed},      {"--verbose", NULL, NULL, &s->verbose},
                {"--quick", NULL, NULL, &s->quick},      {"--shuffle", NULL, NULL, &s->shuffle},
                      {"--print", NULL, NULL, &s->print},      {"--reduce", NULL, NULL, &s->reduce}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].name);
        if (strncmp(word, rows[i].name, n) || (rows[i].flag && word[n])) continue;
        if (rows[i].flag) *rows[i].flag = true;
        if (rows[i].text) *rows[i].text = word + n;
        if (rows[i].number) *rows[i].number = atoi(word + n);
        return true;
    }
    if (strncmp(word, "--seeds=", 8)) return false;
    char *end;
    s->first = s->last = strtoull(word + 8, &end, 0);
    if (!strncmp(end, "..", 2)) s->last = strtoull(end + 2, &end, 0);
    return !*end && s->first <= s->last;
}

/* --spell: the script, with the cucpu beside this program; what follows are its own options. */
static int run_spell(char **options) {
    char cucpu[4096];
    ssize_t n = readlink("/proc/self/exe", cucpu, sizeof cucpu - 1);
    cucpu[n > 0 ? n : 0] = 0;
    char *name = strrchr(cucpu, '/');
    if (!name || (size_t)(name - cucpu) + sizeof "/cucpu" > sizeof cucpu) return 1;
    strcpy(name, "/cucpu");
    char *words[64] = {"python3", CUCPU_SPELL, "--cucpu", cucpu};
    int count = 4;
    for (; *options; options++) {
        if (count == 63) return fputs("cucpu-fuzz: error: too many options after --spell\n", stderr), 1;
        words[count++] = *options;
    }
    execvp(words[0], words);
    return fprintf(stderr, "cucpu-fuzz: error: cannot start python3: %s\n", strerror(errno)), 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--spell")) return run_spell(argv + 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    Settings s = {.last = 499, .jobs = 2};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) return fputs(usage, stdout) < 0;
        if (!take(&s, argv[i])) return fprintf(stderr, "cucpu-fuzz: error: bad option '%s'\n%s", argv[i], usage), 1;
    }
    if (s.jobs < 1 || s.jobs > MAX_JOBS) s.jobs = 2;
    if (s.print) {
        for (uint64_t seed = s.first; seed <= s.last; seed++) {
            Arena a = {0};
            print_program(seed, generate(&a, seed, s.warp));
            arena_free(&a);
        }
        return 0;
    }
    Totals t = {0};
    if (s.seconds) s.end = time(NULL) + s.seconds;
    start_progress();
    check_seeds(&s, &t);
    printf("%s%d programs passed, %d failed, %d invalid, %d refused; %d compilations (%d not at their width), %d launches\n", prefix(&s), t.passed,
           t.failed, t.invalid, t.refused, t.configs, t.narrow, t.launches);
    int unused = t.invalid + t.refused; /* one of a few may be */
    return t.failed || (unused > 1 && t.passed <= 10 * unused);
}
