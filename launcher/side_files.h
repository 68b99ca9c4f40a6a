/* side_files.h: files that clang makes beside an object, such as notes for coverage. */
#ifndef CUCPU_LAUNCHER_SIDE_FILES_H
#define CUCPU_LAUNCHER_SIDE_FILES_H
#include "launcher/text.h"

/* Where the file that is to have this name is written; NULL after an error. */
typedef const char *SideFileOutput(void *context, const char *name);

/* Adds to argv, which compiles host code with these options, what gives these files their names: the stem, and an
** extension. */
bool side_files_name(StrVec *argv, const StrVec *host, const char *stem, SideFileOutput *output, void *context);
#endif
