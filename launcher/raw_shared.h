/* raw_shared.h: __shared__ variables whose constructor does something. */
#ifndef CUCPU_LAUNCHER_RAW_SHARED_H
#define CUCPU_LAUNCHER_RAW_SHARED_H
#include "launcher/source_text.h"

typedef struct SharedSpot { /* where clang has refused a variable */
    const char *file;       /* without links and dots */
    size_t line, column;    /* from 1, in the text as the run saw it */
    int run;                /* of the front end, from 1 */
} SharedSpot;

struct SharedSpots {
    SharedSpot *v;
    size_t n;
    int runs;
    bool changed; /* raw_shared has replaced something that the last run refused */
};

/* Adds what one more run has refused; false: it names no new variable. */
bool shared_spots_read(SharedSpots *spots, const char *messages);
/* True if something of that file was changed; warn: say what is not done. */
bool raw_shared(Text *t, const char *path, SharedSpots *spots, bool warn);
#endif
