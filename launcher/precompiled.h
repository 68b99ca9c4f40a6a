/* precompiled.h: the headers that every CUDA source begins with, read by clang once for many sources. */
#ifndef CUCPU_LAUNCHER_PRECOMPILED_H
#define CUCPU_LAUNCHER_PRECOMPILED_H
#include "launcher/jobs.h"

/* A Job.quick for either half of a source; Job.quick_context: our include directory.  Runs the command of the job with
** cuda_runtime.h taken from the cache.  False: it did not succeed so, for whatever reason; the command is to run as it
** is. */
bool precompiled_run(const Job *j);
/* The empty source that an entry was made from: clang names it in make rules. */
bool precompiled_is_entry(const char *path);
/* Where entries are; NULL: nowhere. */
const char *precompiled_directory(void);
#endif
