/* sanitizer_save.h: the reports of compute-sanitizer as XML or JSON. */
#ifndef CUCPU_SANITIZER_SAVE_H
#define CUCPU_SANITIZER_SAVE_H
#include <stdbool.h>

/* The file has the lines of reports as the runtime writes them, an empty line after each; it gets them as XML or JSON.
** tool: of CUCPU_CHECK.  False on failure, with errno. */
bool convert_reports(const char *file, const char *tool, bool xml);
#endif
