/* dependencies.h: what a source is made from, as a make rule, and its text behind the preprocessor. */
#ifndef CUCPU_LAUNCHER_DEPENDENCIES_H
#define CUCPU_LAUNCHER_DEPENDENCIES_H
#include "launcher/text.h"

typedef struct Rule {
    const char *target; /* as it is to stand in the rule */
    const char *source;
    const char *halves[2]; /* rules that clang wrote, that of the host half first; NULL: none */
    const char *output;    /* is appended to; NULL: standard output */
    bool phony;            /* an empty rule for each header */
} Rule;

typedef struct Texts {
    const char *source;
    const char *halves[2]; /* the host half first; NULL: none */
    const char *output;    /* NULL: standard output */
} Texts;

/* Both are JobFunctions (jobs.h). */
int rule_write(void *rule);
int texts_write(void *texts);

char *rule_quote(const char *name);  /* for make */
StrVec rule_files(const char *rule); /* of a rule that clang wrote, not quoted */
#endif
