/* session.h: a program runs and is recorded. */
#ifndef CUCPU_LAUNCHER_SESSION_H
#define CUCPU_LAUNCHER_SESSION_H
#include "launcher/profile/records.h"

typedef struct Session {
    const char *command;   /* that is run by the user: nvprof */
    const char *directory; /* where the processes leave their records */
    bool from_start;
    bool children;            /* of the program, too */
    int timeout;              /* seconds until the program is ended; 0 = none */
    const char *metrics;      /* of the program's kernels (metrics.h); NULL = none */
    const char *counts;       /* the file for them */
    int pid;                  /* of the program */
    int signal;               /* that ended it, or 0 */
    void (*started)(int pid); /* may be NULL */
} Session;

/* Its exit status, 128 + n if a signal ended it; -1: it was not started, which was said. */
int session_run(Session *s, char **argv);
size_t session_read(const Session *s, Process **processes); /* that used the runtime; removes the files */
const char *session_expand(const char *file, int pid);      /* %p, %h, %q{VARIABLE}, %% */
const char *session_unwritable(const char *file);           /* why no file can be made there; NULL: it can */
#endif
