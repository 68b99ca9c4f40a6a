/* refused.h: what clang has refused and nvcc takes: where, and what is changed there before the file is read again. */
#ifndef CUCPU_LAUNCHER_REFUSED_H
#define CUCPU_LAUNCHER_REFUSED_H
#include "launcher/nvcc/source_text.h"

typedef struct Spot {
    const char *file;    /* without links and dots */
    const char *name;    /* as clang found it */
    const char *word;    /* that the refusal is about, or NULL */
    size_t line, column; /* from 1, in the text as the run saw it */
    int run;             /* of the front end, from 1 */
    int kind;            /* row of the table in refused.c */
} Spot;

struct Spots {
    const char *records; /* the file of clang's plugin */
    bool device;         /* which half is read */
    bool werror;
    /* what the last run has refused: a function for constraints, or for the side; the name of a function of the host;
    ** an incomplete type */
    bool unsatisfied, host_named, incomplete;
    Spot *v;
    size_t n;
    StrVec files, names; /* with errors: without links and dots, and as clang found them */
    size_t new_files;    /* those from there on are of the last run */
    int runs;
    bool changed; /* something that the last run refused has been changed */
};

/* One of them: its place, and what a change of it reports. */
typedef struct Refusal {
    size_t at;
    const char *word;    /* that the refusal is about, or NULL */
    size_t start;        /* the first character that was changed */
    const char *warning; /* what is not done as it is written */
} Refusal;

/* Adds what one more run has refused; false: nothing new, or there is no end of it. */
bool spots_read(Spots *spots);
/* By the last run: a call of host code, maybe one that is only asked for its type, as the function is for the device;
** no call of a kernel. */
bool refused_for_side(const Spots *spots);
/* By the last run: a type is not complete where it is used. */
bool refused_as_incomplete(const Spots *spots);
/* What was refused in that file so far is of no use: all of it has changed. */
void spots_forget(Spots *spots, const char *file);
/* True if something of that file was changed; warn: say what is not done. */
bool spots_change(Text *t, const char *path, Spots *spots, bool warn);

/* Changes of single places: true if something was changed. */
bool raw_shared(Text *t, Refusal *r);
bool drop_unroll(Text *t, Refusal *r);
bool add_sides(Text *t, Refusal *r);
bool add_device(Text *t, Refusal *r);
bool add_global(Text *t, Refusal *r);
bool add_sides_of_definition(Text *t, Refusal *r);
bool name_templates(Text *t, Refusal *r);
bool escape_percent(Text *t, Refusal *r);
#endif
