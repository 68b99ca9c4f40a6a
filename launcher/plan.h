/* plan.h: what the driver has planned, and the outputs of a command that are not objects: make rules, preprocessed
** text, side files. */
#ifndef CUCPU_LAUNCHER_PLAN_H
#define CUCPU_LAUNCHER_PLAN_H
#include "launcher/jobs.h"
#include "launcher/toolchain.h"

typedef struct Output {
    const char *path, *written;
    bool executable;
} Output;

typedef struct Plan {
    Options *o;
    Toolchain tools;
    JobList jobs;
    Output outputs[2048];
    size_t noutputs;
    StrVec objects;      /* what to link, in order, with -l options */
    int embedded;        /* EMBED_...: what the objects have of relocatable device code */
    const char *program; /* the linked file, for --run */
    bool no_reports;     /* an error of --report, after which nothing runs */
    Job *text;           /* the last that writes to standard output */
} Plan;

/* The name to write for `path`; NULL after an error. */
const char *add_output(Plan *p, const char *path, bool executable);
const char *default_output(const Options *o, const char *input, const char *suffix);
const char *output_of(const Options *o, const char *input, const char *suffix); /* that of -o, if there is one */
size_t count_sources(const Options *o);
bool commit_outputs(Plan *p);      /* false after an error, as all that follows */
int remove_outputs(const Plan *p); /* an exit status */

/* The make rule that a compilation writes besides its output, of -MD.  As with nvcc it is about what -o names, also a
** program; only of several sources each has a rule of its own.  host, device: the halves, either may be NULL. */
bool plan_rule(Plan *p, const char *source, const char *object, Job *host, Job *device);
/* j compiles one half.  As with gcc and clang the files are named after the object, or PROGRAM-SOURCE where there is
** none. */
bool plan_side_files(Plan *p, Job *j, const char *source, const char *object, bool device);
/* -E, -M, -MM.  PTX has no preprocessor: it is what it is made from. */
bool plan_preprocess(Plan *p, const Item *item);
#endif
