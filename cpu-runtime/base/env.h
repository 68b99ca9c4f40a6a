/* env.h: the environment variables of env.def. */
#ifndef CUCPU_ENV_H
#define CUCPU_ENV_H
#include <stdbool.h>
#include <stdint.h>

typedef struct RtEnv {
#define INT int
#define STRING const char *
#define CUCPU_ENV(field, name, kind, def, text) kind field;
#include "base/env.def"
#undef INT
#undef STRING
    enum {
        RT_MODE_MIXED,
        RT_MODE_SYNC,
        RT_MODE_ASYNC
    } mode;                 /* launch; without: the default stream runs in the calling thread */
    uint64_t shuffle_seed;  /* sched; 0 = natural order */
    bool trace_lines;       /* trace is 1 */
    const char *trace_file; /* trace is a file */
    int capability;         /* compute_capability: 10 * major + minor */
} RtEnv;
const RtEnv *rt_env(void); /* parsed at the first call */
#endif
