/* jobs.h: a small graph of commands, run in order of their needs, several at a time. */
#ifndef CUCPU_LAUNCHER_JOBS_H
#define CUCPU_LAUNCHER_JOBS_H
#include "launcher/text.h"
#include <time.h>

typedef struct Job Job;

/* Work inside the driver; runs in a child process, its result is the exit status. */
typedef int JobFunction(void *context);

struct Job {
    const char *stage; /* for messages: "link", "device half" */
    const char *input; /* the file that the user knows */
    StrVec argv;       /* command, or, when function is set, its text for --dryrun */
    JobFunction *function;
    void *context;
    bool to_stdout;  /* standard output is the user's, else it joins the messages */
    bool is_program; /* the user's own: all streams are the user's */
    bool needs_all;  /* every job before it in the list */
    Job *needs[2];   /* else these, NULL-padded */
    bool (*quick)(
        const Job
            *j); /* runs in the child: does what argv would do in less time; false: it did not succeed, argv runs */
    const void *quick_context;
    bool (*again)(Job *j); /* it has failed: is it to run once more? */
    void *again_context;
    bool (*after)(const char *made); /* it has done its work; false after a message */
    const char *made;
    Job *twin; /* the other half of the same source: repeated messages are dropped */
    /* filled while running */
    enum { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED } state;
    int pid, status;
    struct timespec started;
    double milliseconds;
    const char *messages; /* file with what it printed */
    bool printed;
    bool repeated; /* `again` wants it: it runs even if others have failed, for its messages */
};

typedef struct JobList {
    Job **v;
    size_t n, cap;
} JobList;

Job *job_add(JobList *list, const char *stage, const char *input);
void jobs_print(const JobList *list); /* one shell line each, to stderr */

/* Runs all; the result is 0 or the status of the first stage that failed.  A signal that asks
** the process to end stops the children and gives -signal. */
int jobs_run(JobList *list, int parallel, bool verbose);

/* Appends a table of the times of the jobs ("-": to standard output); false after a message. */
bool jobs_write_times(const JobList *list, const char *file);

/* Runs one command from inside a JobFunction, returns its exit status. */
int job_command(StrVec *argv);

/* To call first of all in main: blocks the signals that jobs_run waits for. */
void jobs_init(void);
#endif
