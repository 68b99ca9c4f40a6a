/* included.h: the files that a source includes. */
#ifndef CUCPU_LAUNCHER_INCLUDED_H
#define CUCPU_LAUNCHER_INCLUDED_H
#include "launcher/text.h"

/* The text is the callee's to change, and gone when it returns. */
typedef void IncludedFile(const char *path, char *text, size_t n, void *context);

/* Calls look for the source, if there is one, and for what it includes, directly or not; options:
 * with -I and -iquote. */
void included_files(const char *source, const StrVec *options, IncludedFile *look, void *context);

#endif
