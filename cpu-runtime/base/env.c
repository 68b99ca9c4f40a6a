/* env.c: the environment variables of env.def, read once.
**
** A value that does not parse is named on stderr and replaced by the default: a typing error must
** not change results silently.  CUCPU_HELP=1 prints the table; docs/runtime.md holds the same text.
*/
#include "base/env.h"
#include "base/base.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static RtEnv env;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int parse_INT(const char *name, int def) {
    const char *text = getenv(name);
    if (!text || !*text) return def;
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (!errno && !*end && v >= 0 && v <= INT32_MAX) return (int)v;
    rt_message("%s=%s is not a number from 0 to %d; using %d", name, text, INT32_MAX, def);
    return def;
}

static const char *parse_STRING(const char *name, const char *def) {
    const char *text = getenv(name);
    return text && *text ? text : def;
}

static void parse_launch(void) {
    const char *launch = env.launch;
    if (launch && !strcmp(launch, "sync")) env.mode = RT_MODE_SYNC;
    else if (launch && !strcmp(launch, "async")) env.mode = RT_MODE_ASYNC;
    else if (launch) rt_message("CUCPU_LAUNCH=%s is neither sync nor async; ignored", launch);
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING"); /* CUDA's own */
    if (env.mode == RT_MODE_MIXED && blocking && atoi(blocking)) env.mode = RT_MODE_SYNC;
}

static void parse_sched(void) {
    static const char prefix[] = "shuffle:";
    const char *sched = env.sched,
               *seed = sched && !strncmp(sched, prefix, strlen(prefix)) ? sched + strlen(prefix) : NULL;
    char *end = NULL;
    uint64_t value = seed ? strtoull(seed, &end, 0) : 0;
    if (end && end != seed && !*end) env.shuffle_seed = value | 1;
    else if (sched) rt_message("CUCPU_SCHED=%s is not shuffle:<seed>; ignored", sched);
}

static void parse_capability(void) {
    int major, minor, length = 0;
    if (sscanf(env.compute_capability, "%2d.%1d%n", &major, &minor, &length) != 2 || env.compute_capability[length] ||
        major < 1 || minor < 0) {
        rt_message("CUCPU_COMPUTE_CAPABILITY=%s is not major.minor; using 8.0", env.compute_capability);
        major = 8, minor = 0;
    }
    env.capability = major * 10 + minor;
}

/* %p is the number of the process. */
static char *expand(const char *file) {
    const char *at = strstr(file, "%p");
    size_t n = strlen(file) + 16;
    char *out = malloc(n);
    if (out && at) snprintf(out, n, "%.*s%d%s", (int)(at - file), file, (int)getpid(), at + 2);
    else if (out) snprintf(out, n, "%s", file);
    return out;
}

static void parse_trace(void) {
    if (!env.trace || !strcmp(env.trace, "0")) return;
    env.trace_lines = !strcmp(env.trace, "1");
    if (!env.trace_lines) env.trace_file = expand(env.trace);
}

static void print_help(void) {
#define CUCPU_ENV(field, name, kind, def, text) fprintf(stderr, "CUCPU_%-20s %s\n", #name, text);
#include "base/env.def"
}

static void parse_all(void) {
#define CUCPU_ENV(field, name, kind, def, text) env.field = parse_##kind("CUCPU_" #name, def);
#include "base/env.def"
    parse_launch();
    parse_sched();
    parse_capability();
    parse_trace();
    if (env.help) print_help();
}

const RtEnv *rt_env(void) {
    pthread_once(&once, parse_all);
    return &env;
}
