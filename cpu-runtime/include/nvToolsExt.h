/* nvToolsExt.h: everything is in nvtx3/nvToolsExt.h. */
#ifndef CUCPU_THIN_NVTOOLSEXT_H
#define CUCPU_THIN_NVTOOLSEXT_H
#include "nvtx3/nvToolsExt.h"
#endif
