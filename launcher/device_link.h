/* device_link.h: relocatable device code (-rdc=true, -dc). */
#ifndef CUCPU_LAUNCHER_DEVICE_LINK_H
#define CUCPU_LAUNCHER_DEVICE_LINK_H
#include "launcher/jobs.h"
#include "launcher/toolchain.h"

/* The module id of all relocatable device code of a program: its source files share one kernel
** object, which is made when linking. */
#define DEVICE_LINK_ID 0x6375637075726463u

typedef struct DeviceLink {
    CucpuOptions options;
    StrVec objects; /* and archives */
    const char *llvm_link, *output;
} DeviceLink;

/* Plans making an object which holds nothing but the bitcode. */
Job *plan_embed(JobList *jobs, const Toolchain *t, const char *source, const char *bitcode,
                const char *out);
bool device_link_present(const char *file); /* has this object or archive device bitcode? */
int device_link_run(void *device_link);     /* a JobFunction */
#endif
