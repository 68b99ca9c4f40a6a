/* device_link.h: the link of relocatable device code. */
#ifndef CUCPU_LAUNCHER_DEVICE_LINK_H
#define CUCPU_LAUNCHER_DEVICE_LINK_H
#include "launcher/toolchain.h"

typedef struct DeviceLink {
    CucpuOptions options;
    StrVec objects; /* and archives */
    const Toolchain *tools;
    const char *bitcode, *kernels, *registration, *symbols; /* intermediate files */
    const char *output;                                     /* an object */
} DeviceLink;

int device_link_run(void *device_link); /* a JobFunction */
#endif
