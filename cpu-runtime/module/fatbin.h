/* fatbin.h: the containers in which nvcc and fatbinary pack GPU code (fatbin.c). */
#ifndef CUCPU_FATBIN_H
#define CUCPU_FATBIN_H
#include "module/module.h"

enum { RT_FATBIN_WRAPPER = 0x466243b1 };

/* What nvcc's host objects pass to __cudaRegisterFatBinary, and what cuModuleLoadFatBinary may get. */
typedef struct RtFatbinWrapper {
    uint32_t magic, version;
    const void *data;       /* a container; of version 2, device code that was linked, without PTX */
    const void *const *all; /* of version 2: the containers that were linked; NULL ends them */
} RtFatbinWrapper;

/* Is the image a container, its wrapper, or machine code of a GPU (a cubin)?  Else it is text. */
bool rt_is_gpu_image(const void *image);

/* The PTX in such an image (malloc'ed, with a NUL) that suits a device of this capability (80 = sm_80) best: the newest
** that is not newer than the device, else the oldest.  `bytes` limits what is read; SIZE_MAX: the image says its size.
** Else *log (malloc'ed) says why there is none. */
CUresult rt_fatbin_text(const void *image, size_t bytes, int capability, char **text, char **log);
#endif
