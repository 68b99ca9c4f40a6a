/* embed.h: device bitcode inside objects. */
#ifndef CUCPU_LAUNCHER_EMBED_H
#define CUCPU_LAUNCHER_EMBED_H
#include "launcher/jobs.h"
#include "launcher/toolchain.h"
#include "passes/compiler.h"

/* Plans making an object which holds nothing but the bitcode, which counts lines if there are options for that. */
Job *plan_embed(JobList *jobs, const Toolchain *t, const char *source, const CucpuOptions *counting,
                const char *bitcode, const char *out);

/* What an object with this bitcode wants from the object of its device link. */
const char *embed_symbol(const char *bitcode, size_t size);

/* Calls visit for each bitcode in an object or archive, until it returns false; size 0 is the
** mark of device_register.c.  False, too, for a file that cannot be read or is damaged. */
typedef bool BlobVisitor(void *context, const char *bytes, size_t size);
bool embed_visit(const char *file, BlobVisitor *visit, void *context);
bool embed_is_archive(const char *file);
enum { EMBED_CODE = 1, EMBED_LINKED = 2 /* by an earlier -dlink */ };
int embed_contents(const char *file); /* -1: damaged */
#endif
