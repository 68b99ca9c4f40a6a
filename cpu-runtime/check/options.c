/* options.c: what is checked: CUCPU_CHECK, else the --check that the program was compiled with.
**
** CUCPU_CHECK is a list of words, separated by semicolons: memory, race, init, sync; off; key=value of the table
** below. */
#include "check/check.h"
#include "exec/fault.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RtCheckOptions rt_check = {.limit = 100, .level = RT_WARNING, .analysis = true, .prefix = "=========", .status = -1};

static bool named; /* kinds are those of CUCPU_CHECK */

static const struct {
    const char *word;
    unsigned kind;
} kinds[] = {{"memory", CUCPU_CHECK_MEMORY},
             {"race", CUCPU_CHECK_RACE},
             {"init", CUCPU_CHECK_INIT},
             {"sync", CUCPU_CHECK_SYNC},
             {"off", 0}};

static bool take_kind(const char *word) {
    for (size_t i = 0; i < RT_COUNT(kinds); i++)
        if (!strcmp(word, kinds[i].word)) {
            rt_check.kinds |= kinds[i].kind;
            return named = true;
        }
    return false;
}

static bool take_flag(const char *word) {
    const struct {
        const char *word;
        bool *flag;
        bool value;
    } flags[] = {{"tool", &rt_check.tool, true},
                 {"leaks", &rt_check.leaks, true},
                 {"api", &rt_check.api, true},
                 {"no-api", &rt_check.no_api, true},
                 {"no-host", &rt_check.no_host, true},
                 {"hazards", &rt_check.hazards, true},
                 {"no-analysis", &rt_check.analysis, false}};
    for (size_t i = 0; i < RT_COUNT(flags); i++)
        if (!strcmp(word, flags[i].word)) return *flags[i].flag = flags[i].value, true;
    return false;
}

static unsigned status = (unsigned)-1;

static bool take_number(const char *key, const char *value) {
    const struct {
        const char *key;
        unsigned *number;
    } numbers[] = {{"limit", &rt_check.limit},
                   {"level", &rt_check.level},
                   {"skip", &rt_check.skip},
                   {"count", &rt_check.count},
                   {"status", &status}};
    char *end;
    unsigned long v = strtoul(value, &end, 10);
    for (size_t i = 0; i < RT_COUNT(numbers); i++)
        if (!strcmp(key, numbers[i].key) && end != value && !*end && v <= INT_MAX)
            return *numbers[i].number = (unsigned)v, true;
    return false;
}

static bool take_text(const char *key, const char *value) {
    const struct {
        const char *key;
        const char **text;
    } texts[] = {{"kernel", &rt_check.kernel},
                 {"not", &rt_check.not },
                 {"kernel-regex", &rt_check.kernel_regex},
                 {"not-regex", &rt_check.not_regex},
                 {"prefix", &rt_check.prefix},
                 {"log", &rt_check.log},
                 {"save", &rt_check.save},
                 {"suppressions", &rt_check.suppressions}};
    for (size_t i = 0; i < RT_COUNT(texts); i++)
        if (!strcmp(key, texts[i].key)) return *texts[i].text = value, true;
    return false;
}

static void take_word(char *word) {
    char *equals = strchr(word, '=');
    if (equals) *equals = 0;
    bool ok =
        equals ? take_number(word, equals + 1) || take_text(word, equals + 1) : take_kind(word) || take_flag(word);
    if (!ok) rt_message("CUCPU_CHECK: '%s' is not known, or has a bad value; ignored", word);
}

bool rt_has_checks(const CucpuModule *m) {
    return m->check && (m->check->kinds != CUCPU_CHECK_SYNC || rt_check.kinds == CUCPU_CHECK_SYNC);
}

bool rt_is_to_check(const CucpuModule *m) { return named && rt_check.kinds && !rt_has_checks(m); }

const char *rt_check_option(void) {
    static char option[64] = "--check=";
    if (!rt_check.kinds) return NULL;
    char text[sizeof option] = "--check=";
    for (size_t i = 0; i < RT_COUNT(kinds); i++)
        if (rt_check.kinds & kinds[i].kind) {
            if (text[8]) strcat(text, ",");
            strcat(text, kinds[i].word);
        }
    memcpy(option, text, sizeof option); /* the same at each call */
    return option;
}

/* Before anything of the program runs: what other files read of the environment is set here. */
static void serialise(void) {
    rt_run_threads_apart(rt_checks(CUCPU_CHECK_RACE), rt_checks(CUCPU_CHECK_SYNC));
    rt_guests_take_turns(rt_checks(CUCPU_CHECK_RACE));
    if (!rt_checks(CUCPU_CHECK_RACE)) return;
    rt_on_poll(rt_race_polls_in_vain);
    setenv("CUCPU_NUM_THREADS", "1", 1);
    setenv("CUCPU_LAUNCH", "sync", 1);
}

/* With kernels of these kinds in the program, if the environment says nothing. */
static void on_module(const CucpuModule *m) {
    if (!m->check) return;
    if (!named) rt_check.kinds |= m->check->kinds;
    serialise();
    rt_init_begin();
    rt_number_sites(m->check);
    rt_memory_module(m->check);
}

static void report_api_error(const char *function, cudaError_t e, bool unseen) {
    if (!rt_report_begin(RT_ERROR)) return;
    rt_report("Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.", cudaGetErrorName(e), (int)e,
              cudaGetErrorString(e), function);
    if (unseen) rt_report("    and has not called cudaGetLastError or cudaPeekAtLastError after it");
    rt_report_end();
}

/* The last error of this thread that nobody has looked at. */
static RT_TLS struct {
    const char *function;
    cudaError_t error;
} unseen;

void rt_report_unseen(void) {
    if (unseen.function) report_api_error(unseen.function, unseen.error, true);
    unseen.function = NULL;
}

/* What a kernel has done wrong is reported already, and so are frees. */
static void on_api_error(const char *function, cudaError_t e) {
    if (rt_check.api) {
        if (function) report_api_error(function, e, false);
        return;
    }
    bool reported = function && (e == rt_sticky() || !strncmp(function, "cudaFree", 8));
    if (!rt_checks(CUCPU_CHECK_MEMORY) || reported) return;
    if (function) rt_report_unseen();
    unseen.function = function, unseen.error = e;
}

__attribute__((constructor)) static void read_options(void) {
    const char *text = getenv("CUCPU_CHECK");
    char *copy = text && *text ? strdup(text) : NULL, *state; /* lives on: options point into it */
    for (char *word = copy ? strtok_r(copy, ";", &state) : NULL; word; word = strtok_r(NULL, ";", &state))
        take_word(word);
    rt_check.status = (int)status;
    if (rt_check.status >= 0) fcntl(rt_check.status, F_SETFD, FD_CLOEXEC);
    if (rt_check.tool) rt_count(RT_COUNTED_RUNTIME, 1);
    serialise();
    if (!rt_check.no_api) rt_on_error(on_api_error);
    rt_on_module(on_module);
    rt_memory_begin();
    rt_init_begin();
}
