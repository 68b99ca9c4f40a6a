/* database.h: what was recorded as an SQLite file, with the tables that Nsight Systems exports. */
#ifndef CUCPU_LAUNCHER_DATABASE_H
#define CUCPU_LAUNCHER_DATABASE_H
#include "launcher/profile/records.h"

const char *database_missing(void); /* why none can be written; NULL: it can */
/* NULL, or what went wrong.  A file that exists is replaced. */
const char *database_write(const char *file, const Process *processes, size_t n);
#endif
