/* tempfiles.h: intermediate files, and outputs that appear whole or not at all. */
#ifndef CUCPU_LAUNCHER_TEMPFILES_H
#define CUCPU_LAUNCHER_TEMPFILES_H
#include <stdbool.h>

/* Makes the directory for intermediate files; keep_directory != NULL: that one, never removed. */
bool temp_open(const char *keep_directory);
const char *temp_file(const char *stem, const char *suffix); /* a fresh name in it */
bool temp_is_file(const char *path);                         /* such a name */

/* The name to write instead of path: same directory, so that renaming is atomic; for devices and
** pipes an intermediate file, which is copied.  NULL after an error, which has been printed. */
const char *output_begin(const char *path);
bool output_commit(const char *path, const char *written, bool executable);

/* Removes intermediate files and outputs that were begun but not committed. */
void temp_close(void);
#endif
