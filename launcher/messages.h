/* messages.h: compiler messages of one or two stages, as one readable text. */
#ifndef CUCPU_LAUNCHER_MESSAGES_H
#define CUCPU_LAUNCHER_MESSAGES_H
#include <stdio.h>

/* Prints the messages in file `first`, then those of `second` that `first` does not have.
** Either may be NULL or missing. */
void messages_print(const char *first, const char *second, FILE *out);
#endif
