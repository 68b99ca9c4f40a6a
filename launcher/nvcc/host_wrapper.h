/* host_wrapper.h: what a host compiler that is a wrapper of another one adds to its command lines. */
#ifndef CUCPU_LAUNCHER_HOST_WRAPPER_H
#define CUCPU_LAUNCHER_HOST_WRAPPER_H
#include "launcher/text.h"

typedef struct WrapperFlags {
    StrVec compile, link, libraries; /* -I..., -L..., -l... */
} WrapperFlags;

/* Does -ccbin name such a wrapper? */
bool is_host_wrapper(const char *ccbin);

/* Asks it; false after an error, which has been printed. */
bool host_wrapper_flags(const char *ccbin, WrapperFlags *flags);
#endif
