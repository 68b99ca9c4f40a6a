/* refused.h: what clang has refused and nvcc takes: where, and what is changed there before the file is read again. */
#ifndef CUCPU_LAUNCHER_REFUSED_H
#define CUCPU_LAUNCHER_REFUSED_H
#include "launcher/source_text.h"

typedef struct Spot {
    const char *file;    /* without links and dots */
    const char *name;    /* as clang found it */
    size_t line, column; /* from 1, in the text as the run saw it */
    int run;             /* of the front end, from 1 */
    int kind;            /* row of the table in refused.c */
    bool one_half;       /* the change is none for the other half */
} Spot;

struct Spots {
    bool device; /* which half is read */
    bool werror, werror_cross_calls;
    Spot *v;
    size_t n;
    int runs;
    bool changed; /* spots_change has changed something that the last run refused */
};

/* One of them: its place, and what a change of it reports. */
typedef struct Refusal {
    size_t at;
    size_t start;        /* the first character that was changed */
    const char *warning; /* what is not done as it is written */
} Refusal;

/* Adds what one more run has refused; false: nothing new. */
bool spots_read(Spots *spots, const char *messages);
/* A call of host code, maybe one that is only asked for its type, is refused as the function is for the device; no call of a kernel is. */
bool refused_for_side(const char *messages);
/* True if something of that file was changed; warn: say what is not done. */
bool spots_change(Text *t, const char *path, Spots *spots, bool warn);

/* Changes of single places: true if something was changed. */
bool raw_shared(Text *t, Refusal *r);
bool drop_unroll(Text *t, Refusal *r);
bool inline_both_sides(Text *t, Refusal *r);
bool inline_callers(Text *t, Refusal *r);
bool add_sides(Text *t, Refusal *r);
bool name_templates(Text *t, Refusal *r);
#endif
